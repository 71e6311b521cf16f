/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of the Arm Statistical Profiling Extension, and the records they make up. Layout: Arm
 * Architecture Reference Manual (DDI 0487), chapter "Statistical Profiling Extension sample record
 * specification"; names of the event bits also in tools/perf/util/arm-spe-decoder of Linux.
 *
 *	header            payload, little endian whatever the machine's order is
 *	[ 01ss.... ]      [ 2^ss bytes ]     also 10ss....
 *	[ 001000ii ][ 10ssciii ]  [ 2^ss bytes ]     an index of five bits instead of three
 *	[ 0010nnnn ][ 00000000 ]  nothing up to the next multiple of 2^(n+1) bytes
 *	[ 00000000 ]              padding
 *	[ 00000001 ]              the record's end; a timestamp ends a record too
 */
#ifndef HITMAP_SPE_PACKET_H
#define HITMAP_SPE_PACKET_H

#include "buf.h"

enum spe_packet_kind {
	SPE_PADDING,
	SPE_END,
	SPE_TIMESTAMP,
	SPE_EVENTS,	 /* payload: spe_event bits */
	SPE_DATA_SOURCE, /* payload: a code of the CPU family's own */
	SPE_CONTEXT,	 /* index: 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2 */
	SPE_OPERATION,	 /* index: spe_class */
	SPE_COUNTER,	 /* index: spe_counter; cycles */
	SPE_ADDRESS,	 /* index: spe_address */
	SPE_ALIGNMENT,
	SPE_UNKNOWN, /* of a later architecture; its size is known */
	SPE_PACKET_KINDS
};

enum spe_address { SPE_PC, SPE_TARGET, SPE_DATA_VIRTUAL, SPE_DATA_PHYSICAL, SPE_PREVIOUS_TARGET };
enum spe_counter { SPE_TOTAL, SPE_ISSUE, SPE_TRANSLATION, SPE_COUNTERS };
enum spe_class { SPE_OTHER, SPE_MEMORY, SPE_BRANCH };

enum spe_event {
	SPE_L1_ACCESS = 1 << 2,
	SPE_L1_REFILL = 1 << 3,
	SPE_TLB_ACCESS = 1 << 4,
	SPE_TLB_WALK = 1 << 5,
	SPE_LLC_ACCESS = 1 << 8,
	SPE_LLC_MISS = 1 << 9,
	SPE_REMOTE_ACCESS = 1 << 10,
	/* FEAT_SPEv1p4 */
	SPE_L2_ACCESS = 1 << 19,
	SPE_L2_MISS = 1 << 20,
	SPE_DATA_MODIFIED = 1 << 21,
	SPE_RECENTLY_FETCHED = 1 << 22,
	SPE_DATA_SNOOPED = 1 << 23,
};

/* Payload of SPE_OPERATION with class SPE_MEMORY. Bit 1 set and bits 7-5 clear: an atomic,
 * exclusive or acquire/release access, which bits 2-4 tell; else a subclass that does not matter
 * here (general, SIMD, SVE, tags, memory copy, ...). */
#define SPE_OP_STORE	 (1 << 0)
#define SPE_OP_EXTENDED	 (1 << 1)
#define SPE_OP_ATOMIC	 (1 << 2)
#define SPE_OP_EXCLUSIVE (1 << 3)

static inline bool spe_op_extended(uint8_t op)
{
	return (op & 0xe2) == SPE_OP_EXTENDED;
}

enum spe_outcome {
	SPE_OK,
	SPE_NOTHING, /* padding up to an alignment */
	SPE_SHORT,   /* the bytes end within it */
	SPE_DAMAGED, /* these bytes are none */
	SPE_CUT,     /* a part of a record: the next one begins, or nothing of it was before */
};

struct spe_packet {
	enum spe_packet_kind kind;
	uint8_t index;
	uint64_t payload;
};

/* One packet. The cursor's offset counts from a multiple of 64 KiB, for alignment. Steps over the
 * packet only when it is whole. */
enum spe_outcome spe_packet_read(struct cursor *c, struct spe_packet *p);

/* What a record told, a bit each. */
enum spe_has {
	SPE_HAS_PC = 1 << 0,
	SPE_HAS_TARGET = 1 << 1,
	SPE_HAS_ADDR = 1 << 2,
	SPE_HAS_PHYS = 1 << 3,
	SPE_HAS_EVENTS = 1 << 4,
	SPE_HAS_SOURCE = 1 << 5,
	SPE_HAS_CONTEXT = 1 << 6,
	SPE_HAS_OPERATION = 1 << 7,
	SPE_HAS_TIME = 1 << 8,
};

struct spe_record {
	uint32_t has;
	uint32_t unknown; /* packets */
	uint64_t pc, target;
	uint64_t addr;	    /* virtual; its tag is taken off */
	uint64_t phys_addr; /* 0 when not recorded */
	uint64_t events, time;
	uint64_t source;
	uint32_t context;
	uint16_t cycles[SPE_COUNTERS];
	uint8_t level; /* the PC's exception level */
	uint8_t class, op;
};

void spe_padding_skip(struct cursor *c);

/* The next record, with the padding before it. The cursor ends behind it or what there is of it,
 * with SPE_SHORT and SPE_DAMAGED behind the padding. */
enum spe_outcome spe_record_read(struct cursor *c, struct spe_record *r);

/* After SPE_DAMAGED: goes on to the next place where a whole record is, or to the first one where
 * more bytes are needed to tell. */
void spe_record_resync(struct cursor *c);

#endif
