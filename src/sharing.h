/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict on a line: whether threads fight over the same bytes or over different ones, which
 * field waits for whose writes, how sure that is, and what could be done.
 */
#ifndef HITMAP_SHARING_H
#define HITMAP_SHARING_H

#include "profile.h"

enum verdict {
	VERDICT_NONE,  /* shared, not contended */
	VERDICT_TRUE,  /* threads use the bytes that others write */
	VERDICT_FALSE, /* threads wait for writes to bytes that they do not use */
	VERDICT_MIXED, /* both, the rarer one with a hundredth of the moves at least */
	VERDICT_SPLIT, /* a locked access reaches over the line's end */
	VERDICT_PAIR,  /* quiet by itself; its neighbour in the 128-byte pair is another thread's */
	VERDICT_TRANSIENT, /* first written, then read: handed over once */
	VERDICT_UNSURE,	   /* too few samples, or the writes were not seen */
	VERDICTS
};

/* What shows that a line moved, and is counted as a move; the first one that there is any of. */
enum sharing_basis { BASIS_HITM, BASIS_PEER, BASIS_STORES };

enum sharing_role { ROLE_NONE, ROLE_VICTIM, ROLE_AGGRESSOR, ROLE_BOTH };

/* Bytes that are used as one: a field, or what starts at one offset where no field is known. */
struct sharing_spot {
	uint32_t offset, size;	 /* in the line; size 0: not known, or used in parts */
	const char *object;	 /* that it is in; NULL when unknown */
	const char *name;	 /* of the field, with its object where the line has several */
	uint32_t writers, users; /* threads, or CPUs where threads are not known */
	uint32_t owner;		 /* the thread or CPU with the lowest number that writes */
	uint64_t loads, stores;	 /* samples; stores: or locked loads, where those are more */
	uint64_t locked;
	double moves;	      /* that its accesses waited for */
	double blame;	      /* moves of all spots that its accesses caused */
	double other, casual; /* of its moves: for other bytes; of these: where no thread that
			       * waits uses what it waits for */
	enum sharing_role role;
};

/* Moves that accesses of one cell wait for because of those of another; indices of line->cells. */
struct sharing_pair {
	uint32_t victim, aggressor;
	double moves;
	bool same; /* bytes that the victim's threads use */
};

struct sharing {
	const struct contended_line *line;
	enum verdict verdict;
	enum sharing_basis basis;
	double confidence; /* 0..1: what at least, with 95 % certainty, of the line's moves speaks
			    * for the verdict (of a transient one: how unlikely the order of its
			    * samples is by chance); 0 for an unsure one */
	double moves;	   /* all: "same" and "other" and those nobody was seen to cause */
	double same, other;
	struct sharing_spot *spots; /* in order of offset */
	uint32_t spot_count;
	uint8_t *spot_of; /* by index of line->cells */
	struct sharing_pair *pairs;
	uint32_t pair_count;
	uint64_t neighbour; /* VERDICT_SPLIT, VERDICT_PAIR: the other line's address */
	const char *reason; /* a sentence */
	const char *advice; /* a sentence, or NULL: nothing follows */
};

/* "line" is of "p", which must stay. Strings go to "pool". */
void sharing_init(struct sharing *s, const struct profile *p, const struct contended_line *line,
		  struct attrib *attrib, struct intern *pool);
void sharing_deinit(struct sharing *s);

const char *verdict_name(enum verdict v); /* "true sharing" */
const char *sharing_role_name(enum sharing_role r);

/* Sets the reason and the advice of what is judged otherwise. */
void sharing_tell(struct sharing *s, const struct profile *p, struct intern *pool);

#endif
