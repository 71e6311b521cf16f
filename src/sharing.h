/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kind of sharing a contended line shows. A miss at some bytes is one of true sharing as far
 * as other threads write those very bytes, and one of false sharing as far as it would not have
 * happened had the bytes a line of their own:
 *
 *	true part = min(accesses, writes by others to these bytes) /
 *		    min(accesses, writes by others to the line)
 *
 * weighted with the HITM that were seen there.
 */
#ifndef HITMAP_SHARING_H
#define HITMAP_SHARING_H

#include "profile.h"

enum sharing_kind {
	SHARING_NONE,  /* not contended: nobody writes, or one thread alone, or it never moved */
	SHARING_TRUE,  /* threads use the same bytes */
	SHARING_FALSE, /* threads use different bytes */
	SHARING_MIXED, /* both */
	SHARING_SPLIT, /* accesses that reach over the line's end */
	SHARING_TRANSIENT, /* threads use it in turns: it seldom moves */
	SHARING_UNSURE,	   /* too few samples to tell */
	SHARING_KINDS
};

/* All cells of one offset. */
struct sharing_spot {
	uint32_t offset, size;	 /* bytes; the size may be a guess */
	double hitm, stores;	 /* stores: accesses */
	double false_part;	 /* of its HITM, 0..1 */
	uint32_t writers, users; /* threads */
};

struct sharing {
	enum sharing_kind kind;
	double confidence; /* 0..1: that another sample of the same size would say the same */
	double false_part; /* of the line's HITM (or stores, without HITM), 0..1 */
	double weight;	   /* HITM (or stores) that this rests on */
	double met;	   /* HITM by accesses that could have met, 0..1; 1 when not known */
	bool by_stores;	   /* no load was seen to pay */
	struct sharing_spot *spots; /* by offset; the caller's to free */
	uint32_t spot_count;
	uint32_t true_victim, false_victim, aggressor; /* the most costly spots; spot_count: none */
};

/* "size": bytes accessed, by offset in the line, 0 where not known; "line_size" of them. */
void sharing_judge(struct sharing *s, const struct contended_line *line, const uint8_t *size,
		   uint32_t line_size);
void sharing_deinit(struct sharing *s);

/* "true sharing", "false sharing" ... */
const char *sharing_word(enum sharing_kind kind);

#endif
