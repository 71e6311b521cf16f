// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata_header.h"
#include "mem.h"
#include "perfdata_feature.h"
#include "spool.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdlib.h>
#include <string.h>

#define PIPE_HEADER_SIZE 16
#define FILE_HEADER_SIZE 72 /* before Linux 2.6.33; then features followed: 104 */
#define FEATURES_END	 104
#define ATTR_SIZE_MIN	 64 /* PERF_ATTR_SIZE_VER0 */
#define SECTION_SIZE	 16 /* u64 offset, u64 size */

/* Flags of perf_event_attr, by their number. */
#define ATTR_FREQ	   (1ULL << 10)
#define ATTR_SAMPLE_ID_ALL (1ULL << 18)

#define MAGIC	  0x32454c4946524550ULL /* "PERFILE2" on a little-endian machine */
#define MAGIC_OLD "PERFFILE"		/* before Linux 3.4; on any machine */
#define HOSTNAME  3			/* the feature that perf always writes */

void perfdata_header_init(struct perfdata_header *h, struct recording *recording,
			  struct intern *pool)
{
	*h = (struct perfdata_header){ .recording = recording, .pool = pool, .same_layout = true };
	map_init(&h->event_of_id);
	map_init(&h->build_id_of);
}

void perfdata_header_deinit(struct perfdata_header *h)
{
	map_deinit(&h->event_of_id);
	map_deinit(&h->build_id_of);
	free(h->build_ids);
	free(h->recording->events);
	free(h->recording->cpu_node);
	free(h->recording->memory);
	chain_set_free(h->recording->chains);
	h->recording->events = NULL;
	h->recording->chains = NULL;
	h->recording->cpu_node = NULL;
	h->recording->memory = NULL;
	h->recording->event_count = h->recording->cpu_nodes = h->recording->memory_count = 0;
}

/* ---- What a file is that is not perf.data */

static const struct {
	const char *bytes;
	size_t size;
	const char *what, *next;
} look_alike[] = {
	{ "PK\x03\x04", 4, "is a zip archive", "unzip it first" },
	{ "\x7f"
	  "ELF",
	  4, "is a program, not perf.data", "record it first: hitmap record -- PROGRAM" },
};

bool perfdata_header_is_text(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] < 0x80 && !isprint(bytes[i]) && !isspace(bytes[i]))
			return false;
	return true;
}

#define TAR_PLACE 257 /* of "ustar" */

static struct err *refuse(const char *path, const uint8_t *bytes, size_t size)
{
	if (!size)
		return err_next(err_new(ERR_FAILED, "perf.data: %s: is empty", path),
				"check that the recorder ended well, and record again");
	for (size_t i = 0; i < ARRAY_SIZE(look_alike); i++)
		if (size >= look_alike[i].size &&
		    !memcmp(bytes, look_alike[i].bytes, look_alike[i].size))
			return err_next(
				err_new(ERR_FAILED, "perf.data: %s: %s", path, look_alike[i].what),
				"%s", look_alike[i].next);
	if (size >= TAR_PLACE + 5 && !memcmp(bytes + TAR_PLACE, "ustar", 5))
		return err_next(err_new(ERR_FAILED, "perf.data: %s: is a tar archive", path),
				"unpack it with tar -xf and give the perf.data in it");
	if (perfdata_header_is_text(bytes, size))
		return err_next(
			err_new(ERR_FAILED, "perf.data: %s: looks like text, not perf.data", path),
			"give the file that \"perf c2c record\", \"perf mem record\" or "
			"\"hitmap record\" wrote, or what \"perf script -F "
			"+pid,+addr,+data_src,+weight\" prints of it, not the text of a report");
	return err_next(err_new(ERR_FAILED,
				"perf.data: %s: is not perf.data: no PERFILE2 at its start", path),
			"give the file that \"perf c2c record\", \"perf mem record\" or \"hitmap "
			"record\" wrote");
}

/* ---- Events */

static struct recording_event *add_event(struct perfdata_header *h)
{
	struct recording *r = h->recording;
	uint32_t room = r->event_count;

	/* Grown by doubling: at 0, 8, 16, 32 ... */
	if (!room || (room >= 8 && !(room & (room - 1))))
		r->events = mem_realloc(r->events, room ? 2 * (size_t)room : 8, sizeof(*r->events));
	r->events[r->event_count] = (struct recording_event){
		.name = intern_printf(h->pool, "event %u", r->event_count),
	};
	return &r->events[r->event_count++];
}

/* The order of bit fields in a byte is that of bytes in a word: on a big-endian machine the first
 * flag is the first byte's highest bit. As the other way round, flag 0 is bit 0 here. */
static uint64_t read_flags(struct cursor *c)
{
	const bool big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	const uint8_t *bytes = cursor_bytes(c, 8);
	uint64_t flags = 0;

	for (unsigned bit = 0; bytes && bit < 64; bit++) {
		unsigned place = big ? 7 - bit % 8 : bit % 8;

		flags |= (uint64_t)(bytes[bit / 8] >> place & 1) << bit;
	}
	return flags;
}

/* struct perf_event_attr, field by field; what the recorder did not know of is zero. */
static void fill_event(struct recording_event *event, struct cursor c)
{
	struct sample_layout *l = &event->layout;
	uint64_t flags;

	event->type = cursor_u32(&c);
	cursor_skip(&c, 4); /* size */
	event->config = cursor_u64(&c);
	event->period = cursor_u64(&c);
	l->sample_type = cursor_u64(&c);
	l->read_format = cursor_u64(&c);
	flags = read_flags(&c);
	if (flags & ATTR_FREQ)
		event->period = 0;
	l->id_all = flags & ATTR_SAMPLE_ID_ALL;
	cursor_skip(&c, 8); /* wakeup_events, bp_type */
	event->config1 = cursor_u64(&c);
	cursor_skip(&c, 8); /* config2 */
	l->branch_sample_type = cursor_u64(&c);
	l->regs_user = cursor_u64(&c);
	cursor_skip(&c, 8); /* sample_stack_user, clockid */
	l->regs_intr = cursor_u64(&c);
}

static bool layouts_equal(const struct sample_layout *a, const struct sample_layout *b)
{
	return a->sample_type == b->sample_type && a->read_format == b->read_format &&
	       a->branch_sample_type == b->branch_sample_type && a->regs_user == b->regs_user &&
	       a->regs_intr == b->regs_intr && a->id_all == b->id_all;
}

/* Attributes of any length: what this program does not know is behind what it does. */
static void parse_attr(struct perfdata_header *h, struct cursor bytes)
{
	struct recording_event *event = add_event(h);
	struct cursor peek = bytes;
	uint32_t size;

	cursor_skip(&peek, 4);
	size = cursor_u32(&peek);
	if (size >= ATTR_SIZE_MIN && size < cursor_left(&bytes))
		bytes = cursor_part(&bytes, size);
	fill_event(event, bytes);
	if (!layouts_equal(&event->layout, &h->recording->events[0].layout))
		h->same_layout = false;
}

static void parse_ids(struct perfdata_header *h, struct cursor ids, uint32_t event)
{
	while (cursor_left(&ids) >= 8)
		*map_put(&h->event_of_id, cursor_u64(&ids), event, NULL) = event;
}

uint32_t perfdata_header_event(const struct perfdata_header *h, uint64_t id)
{
	uint64_t *event;

	if (h->recording->event_count == 1)
		return 0;
	if (!h->recording->event_count)
		return SAMPLE_NO_EVENT;
	if (!id || !h->event_of_id.count)
		return 0;
	event = map_get(&h->event_of_id, id);
	return event ? *event : SAMPLE_NO_EVENT;
}

/* ---- The header of a file */

struct section {
	uint64_t offset, size;
};

static struct section read_section(struct cursor *c)
{
	struct section s = { .offset = cursor_u64(c) };

	s.size = cursor_u64(c);
	return s;
}

static struct err *out_of_bounds(const struct perfdata_header *h, const char *what,
				 struct section s, const struct input *in)
{
	return err_next(err_new(ERR_FAILED,
				"perf.data: %s: header: %s at %#llx, %llu bytes, is not within the "
				"file's %llu bytes",
				h->recording->path, what, (unsigned long long)s.offset,
				(unsigned long long)s.size, (unsigned long long)in->file_size),
			"the file is damaged or cut off in its header: copy or record it again");
}

static struct err *parse_attrs(struct perfdata_header *h, const struct input *in,
			       struct section attrs, uint64_t stride)
{
	uint8_t *bytes = input_section(in, attrs.offset, attrs.size);
	struct cursor c;
	uint64_t ids_left = in->file_size; /* no id is of two events: bounds what is read */

	if (!bytes)
		return out_of_bounds(h, "the event attributes", attrs, in);
	c = perfdata_header_cursor(h, bytes, attrs.size, attrs.offset);
	while (cursor_left(&c) >= stride) {
		struct cursor attr = cursor_part(&c, stride - SECTION_SIZE);
		struct section ids = read_section(&c);
		uint8_t *id_bytes = NULL;

		parse_attr(h, attr);
		if (ids.size <= ids_left)
			id_bytes = input_section(in, ids.offset, ids.size);
		ids_left -= id_bytes ? ids.size : 0;
		if (id_bytes)
			parse_ids(h, perfdata_header_cursor(h, id_bytes, ids.size, ids.offset),
				  h->recording->event_count - 1);
		free(id_bytes);
	}
	free(bytes);
	return NULL;
}

/* Where the records are; a data size of 0 is left by a recorder that was killed. */
static struct err *place_records(struct perfdata_header *h, struct input *in, struct section data)
{
	if (data.offset < FILE_HEADER_SIZE || data.offset > in->file_size)
		return out_of_bounds(h, "the data section", data, in);
	input_seek(in, data.offset);
	if (!data.size || data.size > in->file_size - data.offset) {
		h->recording->truncated = true;
		return NULL;
	}
	in->end = data.offset + data.size;
	h->features_offset = in->end;
	return NULL;
}

/* The bits of features were once an array of "unsigned long": of a 32-bit machine of the other byte
 * order, pairs of them were exchanged. The name of the host tells. */
static void read_feature_bits(struct perfdata_header *h, struct cursor *c)
{
	for (int i = 0; i < 4; i++)
		h->features[i] = cursor_u64(c);
	if (h->swap && !(h->features[0] >> HOSTNAME & 1) && (h->features[0] >> 32 >> HOSTNAME & 1))
		for (int i = 0; i < 4; i++)
			h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

static struct err *read_file_header(struct perfdata_header *h, struct input *in, struct cursor c,
				    bool features)
{
	uint64_t stride = cursor_u64(&c);
	struct section attrs = read_section(&c), data = read_section(&c);
	struct err *e = NULL;

	cursor_skip(&c, SECTION_SIZE); /* event types, not written since Linux 3.11 */
	if (features)
		read_feature_bits(h, &c);
	if (stride < ATTR_SIZE_MIN + SECTION_SIZE || stride > INPUT_PEEK_MAX)
		return err_next(err_new(ERR_FAILED,
					"perf.data: %s: header: event attributes of %llu bytes",
					h->recording->path, (unsigned long long)stride),
				"the file is damaged: copy or record it again");
	if (!in->file)
		e = spool_pipe(in, h->recording->path);
	if (!e)
		e = parse_attrs(h, in, attrs, stride);
	if (!e && !h->recording->event_count)
		e = err_next(
			err_new(ERR_FAILED, "perf.data: %s: header: no events", h->recording->path),
			"the file is damaged: copy or record it again");
	return e ? e : place_records(h, in, data);
}

static struct err *short_header(struct perfdata_header *h, struct input *in, size_t wanted)
{
	return err_next(err_new(ERR_FAILED,
				"perf.data: %s: cut off in its header: %zu bytes of at least %zu",
				h->recording->path, input_left(in, wanted), wanted),
			"the recorder was killed at once or the copy is not whole: record again");
}

/* The magic number tells the byte order. The one that perf wrote before Linux 3.4 does not, but the
 * number behind it is small. */
static bool read_magic(struct perfdata_header *h, struct cursor *c)
{
	const struct cursor start = *c;
	uint64_t magic = cursor_u64(c);
	struct cursor size = *c;

	if (start.bad || c->bad)
		return false;
	if (!memcmp(start.at, MAGIC_OLD, 8))
		h->swap = cursor_u64(&size) > UINT32_MAX;
	else if (magic == __builtin_bswap64(MAGIC))
		h->swap = true;
	else if (magic != MAGIC)
		return false;
	c->swap = h->swap;
	return true;
}

bool perfdata_header_is(const uint8_t *bytes, size_t size)
{
	struct perfdata_header h = { 0 };
	struct cursor c = cursor_of(bytes, size, 0);

	return read_magic(&h, &c);
}

struct err *perfdata_header_read(struct perfdata_header *h, struct input *in)
{
	size_t left = input_left(in, FEATURES_END);
	const uint8_t *bytes = input_peek(in, left);
	struct cursor c = cursor_of(bytes, left, 0);
	uint64_t size;

	if (!read_magic(h, &c)) {
		left = input_left(in, 512);
		return refuse(h->recording->path, input_peek(in, left), left);
	}
	if (left < PIPE_HEADER_SIZE)
		return short_header(h, in, PIPE_HEADER_SIZE);
	size = cursor_u64(&c);
	if (size == PIPE_HEADER_SIZE) {
		h->pipe = true;
		input_skip(in, PIPE_HEADER_SIZE);
		return NULL;
	}
	if (size < FILE_HEADER_SIZE)
		return err_next(
			err_new(ERR_FAILED,
				"perf.data: %s: header: its size %llu is neither 16 (pipe) nor "
				"72, 104 or more (file)",
				h->recording->path, (unsigned long long)size),
			"the file is damaged: copy or record it again");
	if (left < size && left < FEATURES_END)
		return short_header(h, in, size < FEATURES_END ? size : FEATURES_END);
	return read_file_header(h, in, c, size >= FEATURES_END);
}

/* The sections' table is right behind the records, one row a feature bit, in order of the bits. */
void perfdata_header_features(struct perfdata_header *h, const struct input *in)
{
	unsigned count = 0;
	uint8_t *table;
	struct cursor c;

	for (int i = 0; i < 4; i++)
		count += __builtin_popcountll(h->features[i]);
	table = h->features_offset ? input_section(in, h->features_offset, count * SECTION_SIZE)
				   : NULL;
	if (!table)
		return;
	c = perfdata_header_cursor(h, table, count * SECTION_SIZE, h->features_offset);
	for (unsigned bit = 0; bit < 256; bit++) {
		struct section s;
		uint8_t *bytes;

		if (!(h->features[bit / 64] >> bit % 64 & 1))
			continue;
		s = read_section(&c);
		if (!perfdata_feature_known(bit))
			continue;
		bytes = input_section(in, s.offset, s.size);
		if (bytes)
			perfdata_feature_read(h, bit,
					      perfdata_header_cursor(h, bytes, s.size, s.offset));
		free(bytes);
	}
	free(table);
}

/* ---- The same in a pipe */

bool perfdata_header_attr(struct perfdata_header *h, struct cursor body)
{
	struct cursor peek = body;
	uint32_t size;

	cursor_u32(&peek); /* perf_event_attr.type */
	size = cursor_u32(&peek);
	if (peek.bad || cursor_left(&body) < ATTR_SIZE_MIN)
		return false;
	if (size < ATTR_SIZE_MIN)
		size = ATTR_SIZE_MIN;
	if (size > cursor_left(&body))
		return false;
	parse_attr(h, cursor_part(&body, size));
	parse_ids(h, body, h->recording->event_count - 1);
	return true;
}

bool perfdata_header_update(struct perfdata_header *h, struct cursor body)
{
	uint64_t what = cursor_u64(&body), id = cursor_u64(&body);
	uint32_t event = perfdata_header_event(h, id);
	const char *name;

	if (body.bad)
		return false;
	if (what != PERF_EVENT_UPDATE__NAME || event == SAMPLE_NO_EVENT)
		return true;
	name = cursor_string(&body, cursor_left(&body));
	if (name && *name)
		h->recording->events[event].name = intern_string(h->pool, name);
	return name;
}

bool perfdata_header_feature(struct perfdata_header *h, struct cursor body)
{
	uint64_t feature = cursor_u64(&body);

	if (body.bad)
		return false;
	if (perfdata_feature_known(feature))
		perfdata_feature_read(h, feature, body);
	return true;
}

/* ---- Build ids */

#define MISC_BUILD_ID_SIZE                                                                         \
	(1 << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE: the byte behind it is its size */

const char *perfdata_header_note_build_id(struct perfdata_header *h, uint16_t misc,
					  struct cursor body)
{
	struct perfdata_build_id id = { .size = sizeof(id.bytes) };
	const uint8_t *bytes;
	const char *path;

	cursor_skip(&body, 4); /* the guest's pid */
	bytes = cursor_bytes(&body, 24);
	path = cursor_string(&body, cursor_left(&body));
	if (!path)
		return NULL;
	path = intern_string(h->pool, path);
	if ((misc & MISC_BUILD_ID_SIZE) && bytes[20] < id.size)
		id.size = bytes[20];
	memcpy(id.bytes, bytes, id.size);
	mem_grow(&h->build_ids, &h->build_id_room, h->build_id_count);
	*map_put(&h->build_id_of, (uintptr_t)path, 0, NULL) = h->build_id_count;
	h->build_ids[h->build_id_count++] = id;
	return path;
}

/* The map of the kernel's image is called after a symbol, too: "[kernel.kallsyms]_text". */
static const char *build_id_path(const struct perfdata_header *h, const struct event_map *map)
{
	static const char KALLSYMS[] = "[kernel.kallsyms]";

	if (!map->kernel || strncmp(map->path, KALLSYMS, strlen(KALLSYMS)))
		return map->path;
	return intern_string(h->pool, KALLSYMS);
}

void perfdata_header_build_id(const struct perfdata_header *h, struct event_map *map)
{
	uint64_t *index = map_get(&h->build_id_of, (uintptr_t)build_id_path(h, map));

	if (!index)
		return;
	map->build_id_size = h->build_ids[*index].size;
	memcpy(map->build_id, h->build_ids[*index].bytes, map->build_id_size);
}
