/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before against after. Objects and fields are matched by identity (name of object and field; for
 * memory without a name the function that touches it), never by address: addresses differ from run
 * to run. Each side may have been recorded several times.
 */
#ifndef HITMAP_DIFF_H
#define HITMAP_DIFF_H

#include "profile.h"
#include "stat.h"

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

#define DIFF_ABSENT UINT32_MAX

/* Rows are called changed when chance makes one of all of them look so in one comparison of 100. */
#define DIFF_LEVEL 0.01
/* Recordings that each side needs for the noise between them to count: two say too little of it. */
#define DIFF_RUNS 3
/* With fewer the noise between runs is not known: ratios nearer to 1 are never called changed. */
#define DIFF_MARGIN 0.05

/* One recording of a side, at its end. */
struct diff_run {
	enum diff_side side;
	const struct recording *recording;
	const struct profile *profile;
	struct attrib *attrib;
	/* Found by diff_new(): */
	double seconds;	     /* recorded, or modelled; 0: not known */
	uint64_t operations; /* of all kinds; 0: not counted */
	double weight;	     /* HITM that each sampled one stands for; 1 when not modelled */
};

/* What happened to an object or a field, what tells most first. */
enum diff_word {
	DIFF_GONE,
	DIFF_NEW,
	DIFF_MERGED, /* it shares its line with a contender that it did not share it with */
	DIFF_SPLIT,  /* the reverse */
	DIFF_MOVED,  /* elsewhere in its line or object, with the same neighbours */
	DIFF_SAME,   /* in the same place; its rate may differ */
	DIFF_WORDS
};

/* What counts are divided by. */
enum diff_unit { DIFF_PER_OPERATION, DIFF_PER_SECOND, DIFF_PER_SAMPLE, DIFF_UNITS };

struct diff_row {
	const char *name; /* interned */
	struct counts counts[DIFF_SIDES];
	double *hits; /* HITM (peers where there is no HITM) as sampled, by run */
	double rate[DIFF_UNITS][DIFF_SIDES]; /* NAN: not known */
	struct stat_ratio ratio;	     /* after by before, in the unit of the diff */
	double adjusted;  /* p, for all the rows that were compared; NAN: too few to compare */
	bool significant; /* adjusted < DIFF_LEVEL */
	enum diff_word word;
	const char *story; /* interned: "moved: +0 lower -> +32 upper"; begins with the word */
};

/* One field of an object, or one offset of it when nothing names a field. */
struct diff_field {
	struct diff_row row;
	uint32_t offset;		  /* in the object, of the first side that has it */
	uint32_t line_offset[DIFF_SIDES]; /* in its line; DIFF_ABSENT: the side lacks it */
};

struct diff_object {
	struct diff_row row;
	const struct contended_line *line[DIFF_SIDES]; /* its costliest line; NULL when absent */
	uint32_t lines[DIFF_SIDES];		       /* of all the side's runs */
	struct diff_field *fields;		       /* in order of offset */
	uint32_t field_count, field_room;
};

/* A figure that depends on the hold: one each for low, typical and high. Measured recordings have
 * the same value three times. */
struct diff_range {
	double at[NOTE_HOLDS];
	bool known;
};

struct diff {
	struct diff_run *runs; /* as they were given */
	uint32_t run_count, side_runs[DIFF_SIDES];
	const struct diff_run *first[DIFF_SIDES]; /* of each side */
	enum diff_unit unit;
	bool by_runs;		     /* noise is that between runs: DIFF_RUNS a side at least */
	bool peers;		     /* no HITM on either side: cache-to-cache peers are compared */
	struct diff_row total;	     /* all samples, contended or not */
	struct diff_object *objects; /* by rate of both sides, falling */
	uint32_t object_count, object_room;
	uint64_t operations[DIFF_SIDES]; /* of all runs; 0: one does not count them */
	struct diff_range hitm_per_operation[DIFF_SIDES];
	/* Modelled cycles of the run by operations: all threads together complete one in so many.
	 */
	struct diff_range cycles_per_operation[DIFF_SIDES];
	struct diff_range speedup; /* operations per modelled time, after by before */
	const char **warnings;	   /* interned: what makes the sides hard to compare */
	uint32_t warning_count, warning_room;
};

/* Of "count" runs, one a side at least. All strings must live in one pool, "pool". */
struct diff *diff_new(struct intern *pool, const struct diff_run *runs, uint32_t count);
void diff_free(struct diff *d);

const char *diff_word_name(enum diff_word word);
const char *diff_unit_name(enum diff_unit unit); /* "operation", "second", "sample" */

double diff_range_low(const struct diff_range *r);
double diff_range_high(const struct diff_range *r);

#endif
