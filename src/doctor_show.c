// SPDX-License-Identifier: GPL-2.0-only
#include "doctor_show.h"
#include "json.h"
#include "label.h"
#include "mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100
#define INDENT	31 /* where texts begin: name and verdict are before it */

/* The bytes of the words that fit into "columns"; at least one word, cut when it does not fit. */
static size_t words_that_fit(const char *text, size_t columns)
{
	size_t size = strlen(text), end;

	if (size <= columns)
		return size;
	for (end = columns; end && text[end] != ' '; end--)
		;
	return end ? end : columns;
}

/* Texts hold what files of the machine hold: label_fit() makes them fit to be seen. */
static void print_folded(const char *first, const char *text, FILE *out)
{
	char shown[LABEL_BYTES], safe[4096];
	size_t used = 0, room = COLUMNS - INDENT - strlen(first);

	for (const char *at = text; *at && used < sizeof(safe) - 1; at++)
		safe[used++] = isspace((unsigned char)*at) ? ' ' : *at;
	safe[used] = 0;
	for (const char *at = safe; *at;) {
		size_t part = words_that_fit(at, room);
		char piece[COLUMNS + 1];

		snprintf(piece, sizeof(piece), "%.*s", (int)part, at);
		fprintf(out, "%s%s\n", first, label_fit(shown, piece, room, false));
		at += part;
		at += strspn(at, " ");
		if (*at)
			fprintf(out, "%*s", INDENT, "");
		first = first[0] ? "      " : "";
	}
	if (!used)
		fputc('\n', out);
}

static void print_next(const char *next, FILE *out)
{
	if (!next)
		return;
	fprintf(out, "%*s", INDENT, "");
	print_folded("next: ", next, out);
}

static void print_event(const struct doctor_event *e, FILE *out)
{
	char name[LABEL_BYTES];

	if (e->result.state == PROBE_UNTRIED)
		return;
	fprintf(out, "%*s%-32s %s", INDENT, "", label_fit(name, e->name, 32, false),
		probe_state_name(e->result.state));
	if (e->result.state == PROBE_REFUSED)
		fprintf(out, " (%.24s)\n", strerror(e->result.error));
	else
		fprintf(out, ", counted %" PRIu64 "\n", e->result.counted);
}

static void print_source(const struct doctor_source *s, FILE *out)
{
	char *text = mem_printf("%s%s%s", s->layer ? s->layer : "", s->layer ? ": " : "", s->text);

	fprintf(out, " %-21s %-7s ", s->name, doctor_verdict_name(s->verdict));
	print_folded("", text, out);
	free(text);
	for (size_t i = 0; i < s->events; i++)
		print_event(&s->event[i], out);
	print_next(s->next, out);
}

static void print_fact(const struct doctor_fact *f, FILE *out)
{
	fprintf(out, " %-29s ", f->name);
	print_folded("", f->text ? f->text : "not readable", out);
	print_next(f->next, out);
}

void doctor_show_text(const struct doctor *d, FILE *out)
{
	for (size_t i = 0; i < d->sources; i++)
		print_source(&d->source[i], out);
	fputc('\n', out);
	for (size_t i = 0; i < d->facts; i++)
		print_fact(&d->fact[i], out);
}

/* ---- JSON */

static void write_event(struct json_writer *w, const struct doctor_event *e)
{
	json_begin_object(w, NULL);
	json_string(w, "name", e->name);
	json_string(w, "role", event_plan_role(e->role));
	json_string(w, "state", probe_state_name(e->result.state));
	json_string(w, "error", e->result.error ? strerror(e->result.error) : NULL);
	json_u64(w, "counted", e->result.counted);
	json_u64(w, "samples", e->result.samples);
	json_end(w);
}

static void write_source(struct json_writer *w, const struct doctor_source *s)
{
	json_begin_object(w, NULL);
	json_string(w, "source", s->key);
	json_boolean(w, "hardware", s->hardware);
	json_string(w, "usable", doctor_verdict_name(s->verdict));
	json_string(w, "layer", s->layer);
	json_string(w, "text", s->text);
	json_string(w, "next", s->next);
	json_begin_array(w, "events");
	for (size_t i = 0; i < s->events; i++)
		write_event(w, &s->event[i]);
	json_end(w);
	json_end(w);
}

static void write_fact(struct json_writer *w, const struct doctor_fact *f)
{
	json_begin_object(w, f->key);
	json_string(w, "text", f->text);
	json_string(w, "next", f->next);
	json_end(w);
}

void doctor_show_json(const struct doctor *d, FILE *out)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_string(&w, "format", "hitmap doctor");
	json_u64(&w, "version", 1);
	json_boolean(&w, "hardware_usable", doctor_has_hardware(d));
	json_begin_array(&w, "sources");
	for (size_t i = 0; i < d->sources; i++)
		write_source(&w, &d->source[i]);
	json_end(&w);
	json_begin_object(&w, "facts");
	for (size_t i = 0; i < d->facts; i++)
		write_fact(&w, &d->fact[i]);
	json_end(&w);
	json_end(&w);
}
