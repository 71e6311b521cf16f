/* SPDX-License-Identifier: GPL-2.0-only */
/* The program that runs under QEMU: its threads, and what its system calls mean to the model. */
#ifndef HITMAP_GUEST_H
#define HITMAP_GUEST_H

#include "door.h"

/* Waiters that a futex operation moved from one word to another; the model knows them by the first.
 */
struct guest_requeue {
	uint64_t from, to;
	uint64_t count;
};

struct guest_thread {
	struct door_thread door;
	uintptr_t last;	     /* site of the last access, + 1 for a load */
	uint64_t last_addr;  /* of a vector instruction's last access */
	bool waiting;	     /* in a system call that may block */
	uint64_t args[6];    /* of the system call */
	uint64_t wake_after; /* woken when the call succeeds; 0: none */
	uint64_t clear_tid;  /* the word whose waiters the kernel wakes when the thread ends */
	uint64_t child_clear_tid;
	struct guest_thread *child; /* that the running clone() makes */
} __attribute__((aligned(256)));    /* found by a shift; what every access touches is one line */

struct guest {
	struct door *door;
	struct guest_thread *threads; /* by QEMU's CPU index */
	uint32_t lock;		      /* of "requeues" */
	uint64_t base;		      /* address in this process minus the guest's */
	bool parallel; /* QEMU translates for more than one thread: see guest_parallel() */
	bool maps_sent;
	uint64_t heap_start, heap_end;
	uint64_t handled; /* signals, bit by number, that the program handles or ignores */
	const char *(*program)(void); /* path of its binary, known at its first system call */
	struct guest_requeue requeues[16];
};

/* Tells the maps and the name, once a process. QEMU has loaded the program by its first system
 * call. */
void guest_introduce(struct guest *g);
void guest_call(struct guest *g, struct guest_thread *t, int64_t number, const uint64_t args[6]);
void guest_call_return(struct guest *g, struct guest_thread *t, int64_t number, int64_t result);

#endif
