/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report shows, before it is text or JSON: which rows, in what order, and their names. */
#ifndef HITMAP_REPORT_VIEW_H
#define HITMAP_REPORT_VIEW_H

#include "report.h"
#include "sharing.h"
#include "view_stack.h"

/* One place in the code that touches one offset: all its addresses of one function and source line.
 */
struct view_code {
	uint64_t ip;	    /* the most costly of them */
	uint32_t addresses; /* how many they are */
	struct counts counts;
	struct idset cpus, threads;
	const struct mapping *mapping; /* of ip; NULL when unknown */
	const struct cell *cell;       /* the profile's, of one of them */
	struct code_place place;
	const char *name; /* "refcount_inc", "libfoo.so+0x1234"; NULL: only its address is known */
	struct view_stacks callers; /* none where they were not recorded */
};

/* One offset of a line, all places together. */
struct view_cell {
	uint32_t offset;
	struct counts counts;
	struct idset cpus, threads;
	struct data_place place;
	const char *name;	 /* of the field, or of the symbol; NULL when unknown */
	struct view_code *codes; /* the first "code_count" by cost */
	uint32_t code_count, codes_hidden;
	const struct sharing_spot *spot; /* of the line's sharing, that it is part of */
};

struct view_line {
	uint32_t rank; /* from 1 */
	const struct contended_line *line;
	struct data_place place; /* of its most costly cell */
	const char *name;	 /* object + offset, type or section; else its address */
	uint64_t object_offset;	 /* of the line in the object */
	struct view_cell *cells; /* in order of offset */
	uint32_t cell_count, cells_hidden;
	struct sharing sharing;
};

/* How many of the samples in the rows that are shown could not be named, and why. */
struct view_names {
	uint64_t asked;			      /* samples */
	uint64_t data_no_map, data_no_symbol; /* of these */
	uint64_t data_no_type;		      /* the object is known, what is in it is not */
	uint64_t code_no_map, code_no_symbol, code_no_line;
};

struct view {
	const struct recording *recording;
	const struct profile *profile;
	struct intern *pool; /* of the names made here */
	struct view_line *lines;
	uint32_t line_count;
	uint64_t samples;	    /* usable and not */
	uint64_t contended_latency; /* cycles, of all contended lines */
	uint64_t operations;	    /* that costs are divided by; 0 when not counted */
	bool one_operation;	    /* they are of one kind */
	uint64_t hottest;	    /* word's heat */
	uint64_t changed_files; /* that names were asked of, but are not those recorded any more */
	const char *first_changed;
	uint64_t bare_files; /* whose names were asked, but have no debug information */
	const char *first_bare;
	struct view_names names;
	bool hitm_known;   /* false where the hardware cannot tell (peer, never HITM) */
	bool stores_known; /* false where no store was sampled at all */
	struct {
		uint64_t lines, hitm;		   /* contended */
		uint64_t quiet_lines, quiet_hitm;  /* shared, not contended */
		uint64_t cells, codes, cells_hitm; /* of the lines that are shown */
	} hidden;
};

void view_init(struct view *v, const struct recording *recording, const struct profile *profile,
	       struct attrib *attrib, const struct report_options *options);
void view_deinit(struct view *v);

/* Share of the recording's samples that were lost, 0..1. */
double view_loss(const struct view *v);

#endif
