// SPDX-License-Identifier: GPL-2.0-only
#include "figure_json.h"
#include "line.h"

#include <inttypes.h>
#include <stdio.h>

static void put_distances(struct json_writer *w, const char *key, const struct figure *f)
{
	json_begin_object(w, key);
	json_u64(w, "same_llc", f->by_distance[DISTANCE_SAME_LLC]);
	json_u64(w, "same_node", f->by_distance[DISTANCE_SAME_NODE]);
	json_u64(w, "other_node", f->by_distance[DISTANCE_OTHER_NODE]);
	json_end(w);
}

static void put_heat(struct json_writer *w, const char *key, const struct figure *f)
{
	json_begin_array(w, key);
	for (int i = 0; i < LINE_WORDS; i++)
		json_u64(w, NULL, f->heat[i]);
	json_end(w);
}

static void put_address(struct json_writer *w, const char *key, const struct figure *f)
{
	char text[24]; /* a text, since not every reader of JSON keeps 64 bits */

	snprintf(text, sizeof(text), "0x%" PRIx64, f->count);
	json_string(w, key, text);
}

static void put_range(struct json_writer *w, const char *key, const struct figure *f)
{
	const struct {
		const char *suffix;
		double value;
	} PART[] = { { "", f->range.typical },
		     { "_low", f->range.low },
		     { "_high", f->range.high } };
	char name[64];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", key, PART[i].suffix);
		if (f->known)
			json_double(w, name, PART[i].value);
		else
			json_null(w, name);
	}
}

static void put_count(struct json_writer *w, const char *key, const struct figure *f)
{
	json_u64(w, key, f->count);
}

static void put_flag(struct json_writer *w, const char *key, const struct figure *f)
{
	json_boolean(w, key, f->count);
}

static void put_real(struct json_writer *w, const char *key, const struct figure *f)
{
	json_double(w, key, f->real);
}

static void put_text(struct json_writer *w, const char *key, const struct figure *f)
{
	json_string(w, key, f->text);
}

static void (*const PUT[])(struct json_writer *w, const char *key, const struct figure *f) = {
	[FIGURE_COUNT] = put_count,	  [FIGURE_FLAG] = put_flag,
	[FIGURE_TEXT] = put_text,	  [FIGURE_ADDRESS] = put_address,
	[FIGURE_OFFSET] = put_count,	  [FIGURE_SHARE] = put_real,
	[FIGURE_CYCLES] = put_real,	  [FIGURE_DISTANCES] = put_distances,
	[FIGURE_COUNT_RANGE] = put_range, [FIGURE_RATE_RANGE] = put_range,
	[FIGURE_HEAT] = put_heat,	  [FIGURE_RATE] = put_real,
};

void figure_put(struct json_writer *w, const char *key, enum figure_kind kind,
		const struct figure *f)
{
	if (f->known || PUT[kind] == put_range)
		PUT[kind](w, key, f);
	else
		json_null(w, key);
}
