// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json_writer *w, FILE *out, bool indent)
{
	*w = (struct json_writer){ .out = out, .indent = indent };
}

/* Length of the UTF-8 sequence at "s", 0 when there is none: overlong forms, surrogates and values
 * above U+10FFFF are none (Unicode 15, table 3-7). A NUL ends a sequence by being no continuation.
 */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} form[] = {
		{ 0x01, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		if (s[0] < form[i].first_low || s[0] > form[i].first_high)
			continue;
		if (form[i].length > 1 && (s[1] < form[i].second_low || s[1] > form[i].second_high))
			return 0;
		for (size_t k = 2; k < form[i].length; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return form[i].length;
	}
	return 0;
}

static void write_ascii(FILE *out, unsigned char c)
{
	static const char *const escape[128] = {
		['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
		['\n'] = "\\n", ['\r'] = "\\r",	 ['\t'] = "\\t",
	};

	if (escape[c])
		fputs(escape[c], out);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		putc(c, out);
}

static void write_quoted(FILE *out, const char *s)
{
	putc('"', out);
	for (const unsigned char *at = (const unsigned char *)s; *at;) {
		size_t length = utf8_length(at);

		if (length == 1)
			write_ascii(out, *at);
		else if (length)
			fwrite(at, 1, length, out);
		else
			fputs("\\ufffd", out);
		at += length ? length : 1;
	}
	putc('"', out);
}

static void write_line_start(const struct json_writer *w)
{
	if (!w->indent)
		return;
	putc('\n', w->out);
	for (unsigned i = 0; i < w->depth; i++)
		fputs("  ", w->out);
}

/* What comes in front of a value: the comma, the line's start, the key. */
static void begin_value(struct json_writer *w, const char *key)
{
	uint64_t bit;

	if (!w->depth) {
		assert(!key);
		return;
	}
	bit = 1ULL << (w->depth - 1);
	assert(!(w->arrays & bit) == !!key);
	if (w->members & bit)
		fputs(w->indent ? "," : ", ", w->out);
	w->members |= bit;
	write_line_start(w);
	if (key) {
		write_quoted(w->out, key);
		fputs(": ", w->out);
	}
}

static void end_value(const struct json_writer *w)
{
	if (!w->depth && w->indent)
		putc('\n', w->out);
}

static void begin_nested(struct json_writer *w, const char *key, bool array)
{
	uint64_t bit;

	begin_value(w, key);
	assert(w->depth < JSON_DEPTH);
	bit = 1ULL << w->depth++;
	w->members &= ~bit;
	w->arrays = array ? w->arrays | bit : w->arrays & ~bit;
	putc(array ? '[' : '{', w->out);
}

void json_begin_object(struct json_writer *w, const char *key)
{
	begin_nested(w, key, false);
}

void json_begin_array(struct json_writer *w, const char *key)
{
	begin_nested(w, key, true);
}

void json_end(struct json_writer *w)
{
	uint64_t bit;

	assert(w->depth);
	bit = 1ULL << --w->depth;
	if (w->members & bit)
		write_line_start(w);
	putc(w->arrays & bit ? ']' : '}', w->out);
	end_value(w);
}

static void write_word(struct json_writer *w, const char *key, const char *word)
{
	begin_value(w, key);
	fputs(word, w->out);
	end_value(w);
}

void json_string(struct json_writer *w, const char *key, const char *s)
{
	if (!s) {
		json_null(w, key);
		return;
	}
	begin_value(w, key);
	write_quoted(w->out, s);
	end_value(w);
}

void json_u64(struct json_writer *w, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	write_word(w, key, text);
}

void json_i64(struct json_writer *w, const char *key, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, v);
	write_word(w, key, text);
}

void json_double(struct json_writer *w, const char *key, double v)
{
	char text[40];
	int digits = 15;

	if (!isfinite(v)) {
		json_null(w, key);
		return;
	}
	do {
		snprintf(text, sizeof(text), "%.*g", digits, v);
	} while (strtod(text, NULL) != v && ++digits <= 17);
	/* A locale's decimal point, often a comma, is the one character that JSON would not know.
	 */
	text[strcspn(text, ",")] = strchr(text, ',') ? '.' : '\0';
	write_word(w, key, text);
}

void json_boolean(struct json_writer *w, const char *key, bool v)
{
	write_word(w, key, v ? "true" : "false");
}

void json_null(struct json_writer *w, const char *key)
{
	write_word(w, key, "null");
}
