// SPDX-License-Identifier: GPL-2.0-only
#include "report_pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t line_of(const struct view *v, const struct pair_candidate *pair, int side)
{
	return pair->addr + (side ? v->profile->line_size : 0);
}

const char *report_pair_name(const struct view *v, struct attrib *attrib,
			     const struct pair_candidate *pair, int side)
{
	uint64_t addr = line_of(v, pair, side) + pair->offset[side];
	struct data_place place;

	memset(&place, 0, sizeof(place));
	if (!attrib_data(attrib, pair->data, pair->pid, addr, &place) || !place.object)
		return intern_printf(v->pool, "0x%" PRIx64, addr);
	if (place.field)
		return intern_printf(v->pool, place.field[0] == '[' ? "%s%s" : "%s.%s",
				     place.object, place.field);
	if (place.object_offset)
		return intern_printf(v->pool, "%s+0x%" PRIx64, place.object, place.object_offset);
	return place.object;
}

static void put_address(struct json_writer *w, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(w, "address", text);
}

static void put_pair(struct json_writer *w, const struct view *v, struct attrib *attrib,
		     const struct pair_candidate *pair)
{
	json_string(w, "verdict", verdict_name(VERDICT_PAIR));
	json_begin_array(w, "lines");
	for (int side = 0; side < 2; side++) {
		json_begin_object(w, NULL);
		put_address(w, line_of(v, pair, side));
		json_string(w, "name", report_pair_name(v, attrib, pair, side));
		json_u64(w, "samples", pair->samples[side]);
		json_u64(w, "stores", pair->stores[side]);
		json_u64(w, "thread", pair->actor[side]);
		json_end(w);
	}
	json_end(w);
}

void report_pairs_json(struct json_writer *w, const struct view *v, struct attrib *attrib)
{
	json_begin_array(w, "pair_candidates");
	for (uint32_t i = 0; i < v->profile->pair_count; i++) {
		json_begin_object(w, NULL);
		put_pair(w, v, attrib, &v->profile->pairs[i]);
		json_end(w);
	}
	json_end(w);
}
