// SPDX-License-Identifier: GPL-2.0-only
#include "label.h"
#include "mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at "s"; 0 when it is none, or is a control character. */
static uint32_t character_bytes(const char *s)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t bytes;
	} FORMS[] = {
		{ 0xe0, 0xc0, 2 },
		{ 0xf0, 0xe0, 3 },
		{ 0xf8, 0xf0, 4 },
	};
	uint8_t c = s[0];

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c == 0xc2 && (uint8_t)s[1] < 0xa0)
		return 0; /* a C1 control */
	for (uint32_t f = 0; f < sizeof(FORMS) / sizeof(FORMS[0]); f++) {
		if ((c & FORMS[f].mask) != FORMS[f].lead)
			continue;
		for (uint32_t i = 1; i < FORMS[f].bytes; i++)
			if ((s[i] & 0xc0) != 0x80)
				return 0;
		return FORMS[f].bytes;
	}
	return 0;
}

static uint32_t step(const char *s)
{
	uint32_t bytes = character_bytes(s);

	return bytes ? bytes : 1;
}

uint32_t label_columns(const char *s)
{
	uint32_t columns = 0;

	for (; *s; s += step(s))
		columns++;
	return columns;
}

/* Appends "count" characters of "s" at "to"; the end of what was written. */
static char *copy(char *to, const char *s, uint32_t count, bool unicode)
{
	for (; count && *s; count--, s += step(s)) {
		uint32_t bytes = character_bytes(s);

		if (!bytes || (bytes > 1 && !unicode)) {
			*to++ = '?';
			continue;
		}
		memcpy(to, s, bytes);
		to += bytes;
	}
	*to = '\0';
	return to;
}

/* Whether "s" + "at" is where template arguments begin: not operator<, not less-than after a space.
 */
static bool is_template(const char *s, size_t at)
{
	static const char OPERATOR[] = "operator";
	size_t len = sizeof(OPERATOR) - 1;
	char before = at ? s[at - 1] : ' ';

	return s[at] == '<' && (isalnum((uint8_t)before) || before == '_') &&
	       !(at >= len && memcmp(s + at - len, OPERATOR, len) == 0);
}

/* Length of the template arguments at "s" with their brackets; 0 when they do not end. */
static size_t template_bytes(const char *s)
{
	uint32_t depth = 0;

	for (size_t i = 0; s[i]; i++) {
		depth += s[i] == '<';
		if (s[i] == '>' && s[i - 1] != '-' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* "map<basic_string<char>, long>::find" as "map<…>::find", in a block to be freed. */
static char *without_templates(const char *s, const char *mark)
{
	char *to = mem_zalloc(strlen(s) + 1); /* never longer than it was */
	char *start = to;

	for (size_t i = 0; s[i]; i++) {
		size_t bytes = is_template(s, i) ? template_bytes(s + i) : 0;

		if (bytes <= 2 + strlen(mark)) {
			*to++ = s[i];
			continue;
		}
		to += sprintf(to, "<%s>", mark);
		i += bytes - 1;
	}
	return start;
}

/* Cut in the middle. */
static void fit_middle(char *label, const char *s, uint32_t columns, bool unicode)
{
	const char *mark = unicode ? "…" : "..";
	uint32_t mark_columns = unicode ? 1 : 2, all = label_columns(s), head, tail;
	char *to = label;

	if (all <= columns || columns <= mark_columns) {
		copy(label, s, columns, unicode);
		return;
	}
	head = (columns - mark_columns + 1) / 2;
	tail = columns - mark_columns - head;
	to = copy(to, s, head, unicode);
	to = copy(to, mark, mark_columns, true);
	for (uint32_t skip = all - tail; skip; skip--)
		s += step(s);
	copy(to, s, tail, unicode);
}

const char *label_fit(char label[LABEL_BYTES], const char *s, uint32_t columns, bool unicode)
{
	char *shorter;

	columns = columns < LABEL_COLUMNS ? columns : LABEL_COLUMNS;
	if (label_columns(s) <= columns) {
		copy(label, s, columns, unicode);
		return label;
	}
	shorter = without_templates(s, unicode ? "…" : "..");
	fit_middle(label, shorter, columns, unicode);
	free(shorter);
	return label;
}

void label_put(FILE *out, const char *s, uint32_t columns, bool unicode)
{
	char label[LABEL_BYTES];

	label_fit(label, s, columns, unicode);
	fprintf(out, "%s%*s", label, (int)(columns - label_columns(label)), "");
}
