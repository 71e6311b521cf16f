// SPDX-License-Identifier: GPL-2.0-only
#include "annotation.h"
#include "mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST  1024	  /* bytes of a line, its end included */
#define LINES_MOST 100000 /* a program that writes more has run wild */

/* The next word of "*at", copied to "word" of "size" bytes; false when there is none or it is
 * longer. */
static bool next_word(const char **at, char *word, size_t size)
{
	const char *start = *at + strspn(*at, " \t");
	size_t length = strcspn(start, " \t\n");

	if (!length || length >= size)
		return false;
	memcpy(word, start, length);
	word[length] = 0;
	*at = start + length;
	return true;
}

static bool next_number(const char **at, uint64_t *value)
{
	char word[32], *end;

	if (!next_word(at, word, sizeof(word)) || word[0] == '-')
		return false;
	errno = 0;
	*value = strtoull(word, &end, 0);
	return !*end && !errno;
}

/* The rest of the line, without blanks around it. */
static const char *rest(struct intern *pool, const char *at)
{
	size_t length;

	at += strspn(at, " \t");
	length = strcspn(at, "\n");
	while (length &&
	       (at[length - 1] == ' ' || at[length - 1] == '\t' || at[length - 1] == '\r'))
		length--;
	return intern_bytes(pool, at, length);
}

/* object ADDRESS SIZE TYPE NAME; the type is one word, "-" when there is none. */
static bool parse_object(struct intern *pool, uint32_t pid, const char *at, struct note *n)
{
	char type[256];

	n->kind = NOTE_OBJECT;
	n->object.pid = pid;
	if (!next_number(&at, &n->object.addr) || !next_number(&at, &n->object.size) ||
	    !next_word(&at, type, sizeof(type)))
		return false;
	n->object.type = intern_string(pool, strcmp(type, "-") ? type : "");
	n->object.name = rest(pool, at);
	return n->object.size && n->object.addr + n->object.size > n->object.addr &&
	       *n->object.name;
}

/* operation COUNT NAME */
static bool parse_operation(struct intern *pool, uint32_t pid, const char *at, struct note *n)
{
	n->kind = NOTE_OPERATION;
	if (!next_number(&at, &n->operation.count))
		return false;
	n->operation.name = rest(pool, at);
	return n->operation.count && *n->operation.name;
}

static const struct {
	const char *word;
	bool (*parse)(struct intern *pool, uint32_t pid, const char *at, struct note *n);
} kinds[] = {
	{ "object", parse_object },
	{ "operation", parse_operation },
};

bool annotation_parse(struct intern *pool, uint32_t pid, const char *line, struct note *n)
{
	char word[16];

	*n = (struct note){ 0 };
	if (!next_word(&line, word, sizeof(word)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(word, kinds[i].word))
			return kinds[i].parse(pool, pid, line, n);
	return false;
}

struct err *annotation_read(const char *file, struct intern *pool, uint32_t pid,
			    struct err *(*note)(void *context, const struct note *n), void *context,
			    uint32_t *refused)
{
	FILE *in = fopen(file, "re");
	struct err *e = NULL;
	char line[LINE_MOST];
	struct note n;

	*refused = 0;
	for (int i = 0; in && !e && i < LINES_MOST && fgets(line, sizeof(line), in); i++) {
		if (line[strspn(line, " \t\r\n")] == 0)
			continue;
		if (annotation_parse(pool, pid, line, &n))
			e = note(context, &n);
		else
			++*refused;
	}
	if (in)
		fclose(in);
	return e;
}

struct err *annotation_news(const char *file, long *offset, struct intern *pool, uint32_t pid,
			    struct err *(*note)(void *context, const struct note *n), void *context)
{
	FILE *in = fopen(file, "re");
	struct err *e = NULL;
	char line[LINE_MOST];
	struct note n;

	if (in && fseek(in, *offset, SEEK_SET)) {
		fclose(in);
		return NULL;
	}
	for (int i = 0; in && !e && i < LINES_MOST && fgets(line, sizeof(line), in); i++) {
		if (!strchr(line, '\n')) /* it is still being written */
			break;
		*offset = ftell(in);
		if (annotation_parse(pool, pid, line, &n))
			e = note(context, &n);
	}
	if (in)
		fclose(in);
	return e;
}
