// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_file.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_MOST 0xffff /* a record's size is 16 bits */
#define BUFFER	    (1u << 20)

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct perfdata_file {
	FILE *out;
	char *path;
	struct file_header header;
	struct perfdata_description what;
	uint64_t front_bytes, data_bytes, feature_bytes;
};

/* ---- Bytes */

static struct err *write_error(const struct perfdata_file *f)
{
	struct err *e = err_errno(ERR_FAILED, errno, "perf.data: writing %s",
				  f->what.pipe ? "to the pipe" : f->path);

	if (f->what.pipe)
		return err_next(e, "see why the program that reads it ended");
	return err_next(e, "what was written before is kept; name a file on another disk with "
			   "-o FILE");
}

static struct err *write_bytes(struct perfdata_file *f, const void *bytes, size_t size)
{
	return fwrite_unlocked(bytes, 1, size, f->out) == size ? NULL : write_error(f);
}

struct err *perfdata_file_put(struct perfdata_file *f, const void *bytes, size_t size)
{
	f->data_bytes += size;
	return write_bytes(f, bytes, size);
}

struct err *perfdata_file_round(struct perfdata_file *f)
{
	struct perf_event_header h = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(h) };

	return perfdata_file_put(f, &h, sizeof(h));
}

void perfdata_file_sample_time(struct perfdata_file *f, uint64_t time)
{
	struct perfdata_description *d = &f->what;

	if (!d->first || time < d->first)
		d->first = time;
	if (time > d->last)
		d->last = time;
}

/* A pipe has them as records, once they are known. */
struct err *perfdata_file_build_id(struct perfdata_file *f, const char *path, const uint8_t *id,
				   uint8_t size, bool kernel)
{
	struct blob *b = &f->what.build_ids;

	if (!f->what.pipe) {
		perfdata_describe_build_id(b, path, id, size, kernel);
		return NULL;
	}
	b->size = 0;
	perfdata_describe_build_id(b, path, id, size, kernel);
	return perfdata_file_put(f, b->bytes, b->size);
}

/* ---- The form for files: header, ids, attrs, data, features */

static struct err *write_header(struct perfdata_file *f)
{
	if (fflush(f->out))
		return write_error(f);
	if (f->what.pipe)
		return NULL;
	f->header.data.size = f->data_bytes;
	if (pwrite(fileno(f->out), &f->header, sizeof(f->header), 0) != (ssize_t)sizeof(f->header))
		return write_error(f);
	return NULL;
}

struct err *perfdata_file_sync(struct perfdata_file *f)
{
	return write_header(f);
}

static void put_ids(const struct perfdata_description *d, struct blob *b)
{
	for (uint32_t i = 0; i < d->events; i++)
		blob_bytes(b, d->event[i].ids, d->event[i].id_count * sizeof(uint64_t));
}

/* "ids": where the first event's are in the file. */
static void put_attrs(const struct perfdata_description *d, struct blob *b, uint64_t ids)
{
	for (uint32_t i = 0; i < d->events; i++) {
		const struct perfdata_event *e = &d->event[i];
		uint64_t size = e->id_count * sizeof(uint64_t);

		perfdata_describe_attr(b, &e->attr, d->attr_size);
		blob_u64(b, ids);
		blob_u64(b, size);
		ids += size;
	}
}

static struct err *write_front(struct perfdata_file *f)
{
	const struct perfdata_description *d = &f->what;
	struct blob b = { 0 };
	struct err *e;

	blob_bytes(&b, &f->header, sizeof(f->header));
	put_ids(d, &b);
	f->header = (struct file_header){
		.magic = "PERFILE2",
		.size = sizeof(f->header),
		.attr_size = d->attr_size + sizeof(struct section),
		.attrs = { b.size, d->events * (d->attr_size + sizeof(struct section)) },
	};
	f->header.data.offset = b.size + f->header.attrs.size;
	put_attrs(d, &b, sizeof(f->header));
	memcpy(b.bytes, &f->header, sizeof(f->header));
	f->front_bytes = b.size;
	e = write_bytes(f, b.bytes, b.size);
	blob_deinit(&b);
	return e;
}

/* Behind the data: one section for each bit of the header's mask, then what they point to. */
static struct err *write_features(struct perfdata_file *f)
{
	struct section sections[64] = { 0 };
	uint64_t start = f->front_bytes + f->data_bytes;
	struct blob body = { 0 };
	size_t count = 0, from = 0;
	struct err *e;
	uint32_t bit;

	for (size_t i = 0; perfdata_describe(&f->what, i, &bit, &body); i++, from = body.size) {
		if (bit >= ARRAY_SIZE(sections))
			continue;
		sections[count++] = (struct section){ from, body.size - from };
		f->header.features[0] |= 1ull << bit;
	}
	for (size_t i = 0; i < count; i++)
		sections[i].offset += start + count * sizeof(*sections);
	e = write_bytes(f, sections, count * sizeof(*sections));
	if (!e)
		e = write_bytes(f, body.bytes, body.size);
	f->feature_bytes = count * sizeof(*sections) + body.size;
	blob_deinit(&body);
	return e;
}

/* ---- The form for pipes: magic and size, then all as records */

static struct err *put_record(struct perfdata_file *f, uint32_t type, const struct blob *body)
{
	struct perf_event_header h = { .type = type, .size = sizeof(h) + body->size };
	struct err *e;

	if (sizeof(h) + body->size > RECORD_MOST)
		return err_next(err_new(ERR_FAILED,
					"perf.data: a description of %zu bytes does not fit into "
					"a record of a pipe",
					body->size),
				"record to a file with -o FILE, or fewer tasks or CPUs");
	e = perfdata_file_put(f, &h, sizeof(h));
	return e ? e : perfdata_file_put(f, body->bytes, body->size);
}

static struct err *put_pipe_event(struct perfdata_file *f, const struct perfdata_event *event)
{
	struct blob b = { 0 };
	struct err *e;

	perfdata_describe_attr(&b, &event->attr, f->what.attr_size);
	blob_bytes(&b, event->ids, event->id_count * sizeof(uint64_t));
	e = put_record(f, PERF_RECORD_HEADER_ATTR, &b);
	b.size = 0;
	blob_u64(&b, PERF_EVENT_UPDATE__NAME);
	blob_u64(&b, event->id_count ? event->ids[0] : 0);
	blob_padded(&b, event->name, strlen(event->name), 8);
	if (!e)
		e = put_record(f, PERF_RECORD_EVENT_UPDATE, &b);
	blob_deinit(&b);
	return e;
}

/* One that does not fit is left out: each event was told by a record of its own before. */
static struct err *put_pipe_features(struct perfdata_file *f)
{
	struct err *e = NULL;
	uint32_t bit;

	for (size_t i = 0; !e; i++) {
		struct blob b = { 0 };
		bool more;

		blob_u64(&b, 0);
		more = perfdata_describe(&f->what, i, &bit, &b);
		blob_align(&b, 8);
		if (more && bit != UINT32_MAX && b.size < RECORD_MOST - 8) {
			memcpy(b.bytes, &(uint64_t){ bit }, sizeof(uint64_t));
			e = put_record(f, PERF_RECORD_HEADER_FEATURE, &b);
		}
		blob_deinit(&b);
		if (!more)
			break;
	}
	return e;
}

/* PERF_RECORD_HEADER_TRACING_DATA and the data behind it. */
static struct err *put_pipe_tracing(struct perfdata_file *f)
{
	const struct perfdata_features *features = &f->what.features;
	struct blob b = { 0 };
	struct err *e;

	if (!features->tracing_bytes)
		return NULL;
	blob_u32(&b, (features->tracing_bytes + 7) & ~7u);
	e = put_record(f, PERF_RECORD_HEADER_TRACING_DATA, &b);
	b.size = 0;
	blob_bytes(&b, features->tracing, features->tracing_bytes);
	blob_align(&b, 8);
	if (!e)
		e = perfdata_file_put(f, b.bytes, b.size);
	blob_deinit(&b);
	return e;
}

static struct err *write_pipe_front(struct perfdata_file *f)
{
	struct err *e;

	memcpy(f->header.magic, "PERFILE2", 8);
	f->header.size = 16;
	f->front_bytes = 16;
	e = write_bytes(f, &f->header, 16);
	for (uint32_t i = 0; i < f->what.events && !e; i++)
		e = put_pipe_event(f, &f->what.event[i]);
	if (!e)
		e = put_pipe_features(f);
	return e ? e : put_pipe_tracing(f);
}

/* ---- Beginning and end */

static struct err *open_regular(const char *path, FILE **file)
{
	struct stat st;

	*file = fopen(path, "we");
	if (!*file)
		return err_next(err_errno(ERR_FAILED, errno, "perf.data: creating %s", path),
				"name another file with -o FILE");
	if (fstat(fileno(*file), &st) || !S_ISREG(st.st_mode)) {
		fclose(*file);
		return err_next(err_new(ERR_FAILED, "perf.data: %s is not a regular file", path),
				"name one with -o FILE: the header is written last");
	}
	return NULL;
}

/* Through a descriptor of its own: the one that programs write to is not closed here. */
static struct err *open_pipe(FILE **file)
{
	int out;

	if (isatty(STDOUT_FILENO))
		return err_next(err_new(ERR_USAGE, "perf.data: standard output is a terminal"),
				"pipe it: hitmap record -o - ... | hitmap report -i -");
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	*file = out < 0 ? NULL : fdopen(out, "w");
	if (!*file)
		return err_errno(ERR_FAILED, errno, "perf.data: standard output");
	return NULL;
}

void perfdata_file_keep_old(const char *path)
{
	struct stat st;
	char *old;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	old = mem_printf("%s.old", path);
	rename(path, old); /* a failure shows when the file is created */
	free(old);
}

static void file_free(struct perfdata_file *f)
{
	blob_deinit(&f->what.build_ids);
	free(f->path);
	free(f);
}

static uint32_t largest_attr(const struct perfdata_event *event, uint32_t events)
{
	uint32_t size = PERF_ATTR_SIZE_VER0;

	for (uint32_t i = 0; i < events; i++)
		if (event[i].attr.size > size)
			size = event[i].attr.size;
	return size < sizeof(event->attr) ? size : sizeof(event->attr);
}

struct err *perfdata_file_create(const char *path, const struct perfdata_event *event,
				 uint32_t events, const struct perfdata_features *features,
				 struct perfdata_file **f)
{
	bool pipe = !strcmp(path, "-");
	FILE *out;
	struct err *e = pipe ? open_pipe(&out) : open_regular(path, &out);

	if (e)
		return e;
	setvbuf(out, NULL, _IOFBF, BUFFER);
	*f = mem_zalloc(sizeof(**f));
	(*f)->out = out;
	(*f)->path = mem_strdup(path);
	(*f)->what = (struct perfdata_description){ .features = *features,
						    .event = event,
						    .events = events,
						    .attr_size = largest_attr(event, events),
						    .pipe = pipe };
	e = pipe ? write_pipe_front(*f) : write_front(*f);
	if (e) {
		fclose(out);
		file_free(*f);
	}
	return e;
}

struct err *perfdata_file_finish(struct perfdata_file *f, uint64_t *bytes)
{
	struct err *e = f->what.pipe ? NULL : write_features(f);

	if (!e)
		e = write_header(f);
	if (fclose(f->out) && !e)
		e = write_error(f);
	*bytes = perfdata_file_bytes(f);
	file_free(f);
	return e;
}

uint64_t perfdata_file_bytes(const struct perfdata_file *f)
{
	return f->front_bytes + f->data_bytes + f->feature_bytes;
}
