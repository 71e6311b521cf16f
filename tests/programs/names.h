/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of names.c; the tests take their offsets from here. */
#ifndef NAMES_H
#define NAMES_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct {
	int counter;
} atomic_t;

struct lock {
	int owner;
	_Atomic unsigned waiters;
};

struct slot {
	long count;
	char tag;
};

struct ring {
	const volatile uint32_t head;
	char pad;
	struct lock lock;
	struct slot used[5];
	int grid[2][3];
	unsigned low : 3, wide : 20;
	unsigned late : 7;
	union {
		long whole;
		struct {
			short first, second;
		};
	};
	struct ring *next;
	atomic_t users;
};

struct message {
	long size;
	char kind;
	char mark[0];
	int bytes[];
};

typedef struct ring ring_t;

#endif
