// SPDX-License-Identifier: GPL-2.0-only
#include "disassembly.h"
#include "mem.h"
#include "table.h"

#include <stdlib.h>

#define MAX_CODE  65536 /* bytes of a function that are read */
#define MAX_INSNS 16384
#define LONGEST	  16 /* bytes of an instruction */
#define BEFORE	  5
#define MAX_KEPT  131072 /* instructions, some 10 MB */

struct disassembly {
	const struct symtab *symtab;
	struct insn_decoder *decoder;
	struct disassembly_function *function;
	struct table by_low;
	uint32_t count, room;
	uint32_t kept; /* instructions of all functions */
};

struct disassembly *disassembly_new(const struct symtab *s)
{
	struct insn_decoder *decoder = insn_decoder_new(symtab_machine(s));
	struct disassembly *d;

	if (!decoder)
		return NULL;
	d = mem_zalloc(sizeof(*d));
	d->symtab = s;
	d->decoder = decoder;
	table_init(&d->by_low);
	return d;
}

static void forget(struct disassembly *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		free(d->function[i].line);
	d->count = d->kept = 0;
	table_deinit(&d->by_low);
}

void disassembly_free(struct disassembly *d)
{
	if (!d)
		return;
	forget(d);
	insn_decoder_free(d->decoder);
	free(d->function);
	free(d);
}

const struct insn_decoder *disassembly_decoder(const struct disassembly *d)
{
	return d->decoder;
}

static void mark_entry(struct disassembly_function *f, uint64_t target)
{
	uint32_t low = 0, high = f->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->line[middle].addr < target)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < f->count && f->line[low].addr == target)
		f->line[low].entry = true;
}

static void mark_entries(struct disassembly_function *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct insn *insn = &f->line[i].insn;

		if (insn->target)
			mark_entry(f, insn->target);
		if (insn->effect == INSN_END && i + 1 < f->count)
			f->line[i + 1].entry = true;
	}
}

static void decode(struct insn_decoder *decoder, const uint8_t *bytes, size_t size,
		   struct disassembly_function *f)
{
	uint32_t room = 0;
	size_t at = 0;

	while (at < size && f->count < MAX_INSNS) {
		mem_grow(&f->line, &room, f->count);
		f->line[f->count] = (struct disassembly_line){ .addr = f->low + at };
		if (!insn_decode(decoder, bytes + at, size - at, f->low + at,
				 &f->line[f->count].insn))
			break; /* data among the code */
		at += f->line[f->count++].insn.size;
	}
	mark_entries(f);
}

/* Whether "end" may be the last byte of a call; "before" are the bytes in front of it. x86-64: e8
 * and 4 bytes, ff 15 and 4 bytes, ff d0 to ff d7. */
static bool may_end_call(const uint8_t before[BEFORE], const uint8_t *end)
{
	return before[BEFORE - 4] == 0xe8 || before[BEFORE - 5] == 0xff ||
	       (before[BEFORE - 1] == 0xff && (*end & 0xf8) == 0xd0);
}

bool disassembly_at(struct disassembly *d, uint64_t addr, struct disassembly_line *line)
{
	uint8_t bytes[BEFORE + LONGEST];
	size_t size = symtab_bytes(d->symtab, addr - BEFORE, bytes, sizeof(bytes));

	*line = (struct disassembly_line){ .addr = addr };
	return size > BEFORE && !may_end_call(bytes, bytes + BEFORE) &&
	       insn_decode(d->decoder, bytes + BEFORE, size - BEFORE, addr, &line->insn);
}

static uint32_t hash_of(uint64_t low)
{
	return low * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct disassembly_function *find(struct disassembly *d, uint64_t low, uint64_t high)
{
	uint32_t hash = hash_of(low), i;

	for (uint32_t at = hash; (i = table_next(&d->by_low, hash, &at)) != TABLE_NONE;)
		if (d->function[i].low == low && d->function[i].high == high)
			return &d->function[i];
	return NULL;
}

struct disassembly_function *disassembly_read(struct disassembly *d, uint64_t low, uint64_t high)
{
	size_t size = high - low > MAX_CODE ? MAX_CODE : high - low;
	struct disassembly_function *f = find(d, low, high);
	uint8_t *bytes;

	if (f)
		return f;
	if (d->kept > MAX_KEPT) {
		forget(d);
		table_init(&d->by_low);
	}
	mem_grow(&d->function, &d->room, d->count);
	f = &d->function[d->count];
	*f = (struct disassembly_function){ .low = low, .high = high };
	bytes = mem_zalloc(size);
	decode(d->decoder, bytes, symtab_bytes(d->symtab, low, bytes, size), f);
	free(bytes);
	table_put(&d->by_low, hash_of(low), d->count++);
	d->kept += f->count + 1;
	return f;
}
