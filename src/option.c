// SPDX-License-Identifier: GPL-2.0-only
#include "option.h"
#include "mem.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VALUE 256 /* what getopt_long() returns for row 0; beyond any letter */
#define HELP_VALUE  255

static void help_row(const struct option_row *row)
{
	char left[80], letter[8] = "    ";
	const char *line = row->help;

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
		 row->argument ? row->argument : "");
	printf("  %-26s", left);
	if (strlen(left) > 25)
		printf("\n%28s", "");
	for (const char *end; (end = strchr(line, '\n')); line = end + 1)
		printf("%.*s\n%28s", (int)(end - line), line, "");
	printf("%s\n", line);
}

static void print_help(const struct option_usage *usage)
{
	printf("usage: hitmap %s %s\n%s\n\n", usage->command, usage->synopsis, usage->summary);
	for (size_t i = 0; i < usage->count; i++)
		help_row(&usage->rows[i]);
	printf("  -h, --help                this text\n");
}

static struct err *set_number(const struct option_usage *usage, const struct option_row *row,
			      const char *text, void *to)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (end == text || *end || errno || *text == '-' || value < row->least || value > row->most)
		return err_next(err_new(ERR_USAGE, "%s: --%s %s is not a number from %llu to %llu",
					usage->command, row->name, text,
					(unsigned long long)row->least,
					(unsigned long long)row->most),
				"see hitmap %s --help", usage->command);
	if (row->kind == OPTION_U32)
		*(uint32_t *)to = value;
	else
		*(uint64_t *)to = value;
	return NULL;
}

static void add_item(struct option_list *l, const char *text)
{
	mem_grow(&l->item, &l->room, l->count);
	l->item[l->count++] = text;
}

static struct err *set_option(const struct option_usage *usage, const struct option_row *row,
			      const char *text, void *options)
{
	void *to = (char *)options + row->at;

	if (row->kind == OPTION_FLAG)
		*(bool *)to = true;
	else if (row->kind == OPTION_TEXT)
		*(const char **)to = text;
	else if (row->kind == OPTION_LIST)
		add_item(to, text);
	else
		return set_number(usage, row, text, to);
	return NULL;
}

/* getopt's tables for these rows. */
struct tables {
	struct option *longs;
	char *letters;
};

static struct tables tables_of(const struct option_usage *usage)
{
	struct tables t = { .longs = mem_zalloc((usage->count + 2) * sizeof(*t.longs)),
			    .letters = mem_zalloc(2 * usage->count + 4) };
	/* "+": stop at the first argument that is no option */
	char *to = stpcpy(t.letters, usage->mixed ? ":h" : "+:h");

	for (size_t i = 0; i < usage->count; i++) {
		const struct option_row *row = &usage->rows[i];

		t.longs[i] = (struct option){ row->name,
					      row->argument ? required_argument : no_argument, NULL,
					      FIRST_VALUE + (int)i };
		if (row->letter)
			*to++ = row->letter;
		if (row->letter && row->argument)
			*to++ = ':';
	}
	t.longs[usage->count] = (struct option){ "help", no_argument, NULL, HELP_VALUE };
	return t;
}

static const struct option_row *row_of(const struct option_usage *usage, int value)
{
	if (value >= FIRST_VALUE)
		return &usage->rows[value - FIRST_VALUE];
	for (size_t i = 0; i < usage->count; i++)
		if (usage->rows[i].letter == value)
			return &usage->rows[i];
	return NULL;
}

static struct err *bad_option(const struct option_usage *usage, int value, const char *text)
{
	struct err *e = value == ':'
				? err_new(ERR_USAGE, "%s: option %s needs a value", usage->command,
					  text)
				: err_new(ERR_USAGE, "%s: unknown option %s", usage->command, text);

	return err_next(e, "see hitmap %s --help", usage->command);
}

static struct err *parse_all(int argc, char **argv, const struct option_usage *usage,
			     const struct tables *t, void *options, bool *helped)
{
	struct err *e = NULL;
	int value;

	optind = 0; /* start anew: getopt keeps its place in a variable of its own */
	while (!e && (value = getopt_long(argc, argv, t->letters, t->longs, NULL)) >= 0) {
		const struct option_row *row;

		if (value == 'h' || value == HELP_VALUE) {
			print_help(usage);
			*helped = true;
			return NULL;
		}
		if (value == '?' || value == ':')
			return bad_option(usage, value, argv[optind - 1]);
		row = row_of(usage, value);
		e = set_option(usage, row, optarg, options);
	}
	return e;
}

struct err *option_parse(int argc, char **argv, const struct option_usage *usage, void *options,
			 int *rest, bool *helped)
{
	struct tables t = tables_of(usage);
	struct err *e;

	*helped = false;
	opterr = 0;
	e = parse_all(argc, argv, usage, &t, options, helped);
	*rest = optind;
	free(t.longs);
	free(t.letters);
	return e;
}
