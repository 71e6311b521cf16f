// SPDX-License-Identifier: GPL-2.0-only
#include "recorded.h"
#include "perfdata_read.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct err *check(const struct recorded *r, const char *command, const char *path)
{
	if (r->profile->total.samples || r->profile->model)
		return NULL;
	return err_next(err_new(ERR_FAILED, "%s: no memory samples in %s", command, path),
			"hitmap report -i %s says what it holds", path);
}

/* CPUs and times of the lines that are shown. */
static struct err *read_again(struct recorded *r, const char *path, struct intern *pool)
{
	const struct recording *recording = &r->source->recording;
	struct source *again;
	struct err *e = perfdata_open(path, pool, &again);

	if (e)
		return e;
	r->tally = tally_new(r->profile, recording->first_time, recording->last_time);
	e = tally_read(r->tally, again, r->attrib);
	source_close(again);
	return e;
}

struct err *recorded_open(struct recorded *r, const char *command, const char *path,
			  struct intern *pool)
{
	const struct report_options options = { .top = SCREEN_LINES, .all = true, .unicode = true };
	bool shown = isatty(STDERR_FILENO);
	struct err *e = perfdata_open(path, pool, &r->source);

	if (e)
		return e;
	if (shown)
		fprintf(stderr, "reading %s ...", path);
	r->attrib = attrib_new(pool);
	e = profile_read(r->source, r->attrib, (struct profile_wish){ 0 }, &r->profile);
	if (!e)
		e = check(r, command, path);
	if (!e) {
		view_init(&r->view, &r->source->recording, r->profile, r->attrib, &options);
		r->viewed = true;
	}
	if (!e && strcmp(path, "-"))
		e = read_again(r, path, pool);
	if (shown)
		fprintf(stderr, "\r\033[K");
	if (e)
		return e;
	if (r->source->recording.last_time > r->source->recording.first_time)
		r->seconds = (r->source->recording.last_time - r->source->recording.first_time) /
			     1e9;
	return NULL;
}

void recorded_close(struct recorded *r)
{
	if (r->viewed)
		view_deinit(&r->view);
	tally_free(r->tally);
	profile_free(r->profile);
	if (r->attrib)
		attrib_free(r->attrib);
	source_close(r->source);
}

struct screen_side recorded_side(const struct recorded *r)
{
	return (struct screen_side){ .view = &r->view, .tally = r->tally, .seconds = r->seconds };
}
