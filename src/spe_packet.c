// SPDX-License-Identifier: GPL-2.0-only
#include "spe_packet.h"
#include "mem.h"

/* More than any implementation writes for one operation, which is about a dozen. Bounds the work
 * that damaged data can ask for. */
#define PACKETS_MAX 64

struct header {
	uint8_t mask, value;
	enum spe_packet_kind kind;
	uint8_t index_mask;
};

/* The header's bits 5-4 say how large the payload is, of those that have one. */
static const struct header headers[] = {
	{ 0xf8, 0xb0, SPE_ADDRESS, 7 }, /* the most frequent first */
	{ 0xf8, 0x98, SPE_COUNTER, 7 },	  { 0xcf, 0x42, SPE_EVENTS, 0 },
	{ 0xfc, 0x48, SPE_OPERATION, 3 }, { 0xff, 0x71, SPE_TIMESTAMP, 0 },
	{ 0xfc, 0x64, SPE_CONTEXT, 3 },	  { 0xcf, 0x43, SPE_DATA_SOURCE, 0 },
};

static const struct header extended_headers[] = {
	{ 0xf8, 0xb0, SPE_ADDRESS, 7 },
	{ 0xf8, 0x98, SPE_COUNTER, 7 },
};

static const struct header *find_header(const struct header *table, size_t count, uint8_t byte)
{
	for (size_t i = 0; i < count; i++)
		if ((byte & table[i].mask) == table[i].value)
			return &table[i];
	return NULL;
}

/* Bits 7-6 of what has a payload are 01 or 10. */
static bool has_payload(uint8_t header)
{
	return header >> 6 == 1 || header >> 6 == 2;
}

static enum spe_outcome read_payload(struct cursor *c, uint8_t header, struct spe_packet *p)
{
	size_t size = (size_t)1 << (header >> 4 & 3);
	const uint8_t *bytes;

	if (size > cursor_left(c))
		return SPE_SHORT;
	bytes = cursor_bytes(c, size);
	for (size_t i = 0; i < size; i++)
		p->payload |= (uint64_t)bytes[i] << (8 * i);
	return SPE_OK;
}

static enum spe_outcome read_by_header(struct cursor *c, const struct header *h, uint8_t byte,
				       uint8_t index_high, struct spe_packet *p)
{
	if (!h && !has_payload(byte))
		return SPE_DAMAGED;
	p->kind = h ? h->kind : SPE_UNKNOWN;
	p->index = h ? index_high << 3 | (byte & h->index_mask) : 0;
	return read_payload(c, byte, p);
}

/* Nothing is told from here to the next multiple of the unit, or to the end of the bytes at hand.
 * "start": of the packet, in the buffer. */
static enum spe_outcome read_alignment(struct cursor *c, uint8_t first, uint64_t start,
				       struct spe_packet *p)
{
	uint64_t unit = 2ULL << (first & 15), left = unit - start % unit - 2;

	p->kind = SPE_ALIGNMENT;
	if (start % unit == unit - 1) /* the packet itself reaches over a multiple */
		left = unit - 1;
	cursor_skip(c, left < cursor_left(c) ? left : cursor_left(c));
	return SPE_OK;
}

static enum spe_outcome read_extended(struct cursor *c, uint8_t first, struct spe_packet *p)
{
	uint64_t start = c->offset - 1;
	const uint8_t *second;

	if (!cursor_left(c))
		return SPE_SHORT;
	second = cursor_bytes(c, 1);
	if (!*second)
		return read_alignment(c, first, start, p);
	if ((first & 0xfc) != 0x20)
		return SPE_DAMAGED;
	return read_by_header(c,
			      find_header(extended_headers, ARRAY_SIZE(extended_headers), *second),
			      *second, first & 3, p);
}

static enum spe_outcome read_packet(struct cursor *c, struct spe_packet *p)
{
	const uint8_t *first;

	if (!cursor_left(c))
		return SPE_SHORT;
	first = cursor_bytes(c, 1);
	if (*first <= 1) {
		p->kind = *first ? SPE_END : SPE_PADDING;
		return SPE_OK;
	}
	if ((*first & 0xf0) == 0x20)
		return read_extended(c, *first, p);
	return read_by_header(c, find_header(headers, ARRAY_SIZE(headers), *first), *first, 0, p);
}

enum spe_outcome spe_packet_read(struct cursor *c, struct spe_packet *p)
{
	struct cursor ahead = *c;
	enum spe_outcome outcome;

	*p = (struct spe_packet){ .kind = SPE_PADDING };
	outcome = read_packet(&ahead, p);
	if (outcome == SPE_OK)
		*c = ahead;
	return outcome;
}

/* ---- Records */

/* The top byte of an address is a tag or flags; bit 55 says which half of the space it is in. */
static uint64_t address(uint64_t payload)
{
	uint64_t low = payload & 0x00ffffffffffffffULL;

	return low >> 55 ? low | 0xff00000000000000ULL : low;
}

static void take_pc(struct spe_record *r, uint64_t payload)
{
	r->has |= SPE_HAS_PC;
	r->pc = address(payload);
	r->level = payload >> 61 & 3;
}

static void take_target(struct spe_record *r, uint64_t payload)
{
	r->has |= SPE_HAS_TARGET;
	r->target = address(payload);
}

static void take_virtual(struct spe_record *r, uint64_t payload)
{
	r->has |= SPE_HAS_ADDR;
	r->addr = address(payload);
}

static void take_physical(struct spe_record *r, uint64_t payload)
{
	r->has |= SPE_HAS_PHYS;
	r->phys_addr = payload & 0x00ffffffffffffffULL;
}

static void take_address(struct spe_record *r, const struct spe_packet *p)
{
	static void (*const take[])(struct spe_record *, uint64_t) = {
		[SPE_PC] = take_pc,
		[SPE_TARGET] = take_target,
		[SPE_DATA_VIRTUAL] = take_virtual,
		[SPE_DATA_PHYSICAL] = take_physical,
	};

	if (p->index < ARRAY_SIZE(take))
		take[p->index](r, p->payload);
}

static void take_events(struct spe_record *r, const struct spe_packet *p)
{
	r->has |= SPE_HAS_EVENTS;
	r->events = p->payload;
}

static void take_source(struct spe_record *r, const struct spe_packet *p)
{
	r->has |= SPE_HAS_SOURCE;
	r->source = p->payload;
}

/* With both contexts, EL1's is the one of the thread. */
static void take_context(struct spe_record *r, const struct spe_packet *p)
{
	if (p->index && (r->has & SPE_HAS_CONTEXT))
		return;
	r->has |= SPE_HAS_CONTEXT;
	r->context = p->payload;
}

static void take_operation(struct spe_record *r, const struct spe_packet *p)
{
	r->has |= SPE_HAS_OPERATION;
	r->class = p->index;
	r->op = p->payload;
}

static void take_counter(struct spe_record *r, const struct spe_packet *p)
{
	if (p->index < SPE_COUNTERS)
		r->cycles[p->index] = p->payload;
}

static void take_time(struct spe_record *r, const struct spe_packet *p)
{
	r->has |= SPE_HAS_TIME;
	r->time = p->payload;
}

static void take_unknown(struct spe_record *r, const struct spe_packet *p)
{
	r->unknown++;
}

static void (*const take_packet[SPE_PACKET_KINDS])(struct spe_record *,
						   const struct spe_packet *) = {
	[SPE_TIMESTAMP] = take_time,	  [SPE_EVENTS] = take_events,
	[SPE_DATA_SOURCE] = take_source,  [SPE_CONTEXT] = take_context,
	[SPE_OPERATION] = take_operation, [SPE_COUNTER] = take_counter,
	[SPE_ADDRESS] = take_address,	  [SPE_UNKNOWN] = take_unknown,
};

void spe_padding_skip(struct cursor *c)
{
	while (cursor_left(c) && !*c->at)
		cursor_skip(c, 1);
}

/* An operation has one PC: with the next one, the next record begins. */
static bool begins_next(const struct spe_record *r, const struct spe_packet *p)
{
	return p->kind == SPE_ADDRESS && p->index == SPE_PC && (r->has & SPE_HAS_PC);
}

static bool ends(const struct spe_packet *p)
{
	return p->kind == SPE_END || p->kind == SPE_TIMESTAMP;
}

enum spe_outcome spe_record_read(struct cursor *c, struct spe_record *r)
{
	struct cursor ahead;
	struct spe_packet p;

	*r = (struct spe_record){ 0 };
	spe_padding_skip(c);
	ahead = *c;
	for (int packets = 0; packets < PACKETS_MAX; packets++) {
		struct cursor before = ahead;
		enum spe_outcome outcome = spe_packet_read(&ahead, &p);

		if (outcome != SPE_OK)
			return outcome;
		if (begins_next(r, &p) || p.kind == SPE_ALIGNMENT) {
			*c = p.kind == SPE_ALIGNMENT ? ahead : before;
			return r->has ? SPE_CUT : SPE_NOTHING;
		}
		if (take_packet[p.kind])
			take_packet[p.kind](r, &p);
		if (!ends(&p))
			continue;
		*c = ahead;
		return r->has & (SPE_HAS_PC | SPE_HAS_OPERATION) ? SPE_OK : SPE_CUT;
	}
	return SPE_DAMAGED;
}

/* What begins in the middle of a record lacks one of the two, what begins in a payload is rarely
 * known. */
static bool is_whole(const struct spe_record *r)
{
	return (r->has & SPE_HAS_PC) && (r->has & SPE_HAS_OPERATION) && !r->unknown;
}

void spe_record_resync(struct cursor *c)
{
	struct spe_record r;

	if (cursor_left(c))
		cursor_skip(c, 1);
	for (spe_padding_skip(c); cursor_left(c); cursor_skip(c, 1), spe_padding_skip(c)) {
		struct cursor ahead = *c;
		enum spe_outcome outcome = spe_record_read(&ahead, &r);

		if (outcome == SPE_SHORT || (outcome == SPE_OK && is_whole(&r)))
			return;
	}
}
