/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A streaming writer of JSON: values go out as they are given, commas, indentation and escapes are
 *its business. "key" is the member's name inside an object and NULL inside an array and at the top.
 *
 *	json_init(&w, out, true);
 *	json_begin_object(&w, NULL);
 *	json_u64(&w, "lines", 2);
 *	json_begin_array(&w, "names");
 *	json_string(&w, NULL, "a");
 *	json_end(&w);
 *	json_end(&w);
 */
#ifndef HITMAP_JSON_H
#define HITMAP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 64 /* objects and arrays within each other, at most */

struct json_writer {
	FILE *out;
	bool indent;	  /* a line for each value, and a newline at the very end; else one line */
	unsigned depth;	  /* open objects and arrays */
	uint64_t arrays;  /* bit d: what is open at depth d is an array */
	uint64_t members; /* bit d: it has a member already */
};

void json_init(struct json_writer *w, FILE *out, bool indent);
void json_begin_object(struct json_writer *w, const char *key);
void json_begin_array(struct json_writer *w, const char *key);
void json_end(struct json_writer *w); /* ends what was begun last */

/* Control characters, quotes and backslashes are escaped; each byte that is no UTF-8 becomes
 * U+FFFD. A NULL string is written as null. */
void json_string(struct json_writer *w, const char *key, const char *s);
void json_u64(struct json_writer *w, const char *key, uint64_t v); /* all digits */
void json_i64(struct json_writer *w, const char *key, int64_t v);
/* The shortest text that reads back as "v", whatever the locale; null when not finite. */
void json_double(struct json_writer *w, const char *key, double v);
void json_boolean(struct json_writer *w, const char *key, bool v);
void json_null(struct json_writer *w, const char *key);

#endif
