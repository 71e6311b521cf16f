/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of a sealed profile. The rows and figures of every format come from report_view. */
#ifndef HITMAP_REPORT_H
#define HITMAP_REPORT_H

#include "profile.h"

#include <stdio.h>

/* Share of everything that a line must have of latency, samples or HITM to be shown, unless all
 * are. A profile for a report needs no smaller lines. */
#define REPORT_SMALLEST 0.001
#define REPORT_COLUMNS	100 /* the widest text */

struct report_options {
	uint32_t top; /* lines shown; 0: the default */
	bool all;     /* every line, every cell */
	bool unicode; /* block characters; else ASCII */
	bool colour;
	bool functions;	  /* text: who fights whom, instead of lines */
	bool buckets;	  /* text: tables of futexes, instead of lines; JSON: these, too */
	uint32_t columns; /* width, 80 to REPORT_COLUMNS; 0: the widest */
};

/* "recording" and "profile" are of one source, at its end, with one usable sample at least. */
void report_text(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options);
void report_json(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options);
void report_csv(FILE *out, const struct recording *recording, const struct profile *profile,
		struct attrib *attrib, const struct report_options *options);
void report_html(FILE *out, const struct recording *recording, const struct profile *profile,
		 struct attrib *attrib, const struct report_options *options);
void report_folded(FILE *out, const struct recording *recording, const struct profile *profile,
		   struct attrib *attrib, const struct report_options *options);
void report_markdown(FILE *out, const struct recording *recording, const struct profile *profile,
		     struct attrib *attrib, const struct report_options *options);

#endif
