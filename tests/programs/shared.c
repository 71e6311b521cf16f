// SPDX-License-Identifier: GPL-2.0-only
/*
 * shared FILE: two processes, one executed anew, have a file's memory at different addresses and
 * add to one field in it. Prints what a recording of both holds, as tests/oracle/of_text.py takes
 * it.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print_maps.h"

struct slot {
	int id, hits;
};

struct ring {
	long head, tail;
	struct slot slot[2];
} __attribute__((aligned(64)));

extern char touch_here[];

__attribute__((noinline)) static void touch(struct ring *r)
{
	__asm__ volatile("touch_here: lock; incl %0" : "+m"(r->slot[1].hits));
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600), second = argc > 2;
	struct ring *r;

	if (fd < 0 || ftruncate(fd, 1 << 20))
		return 1;
	/* The second process has other memory where the first one has this. */
	r = mmap((void *)(second ? UINTPTR_MAX / 8 * 3 >> 18 << 12 : 0), 1 << 20,
		 PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r == MAP_FAILED)
		return 1;
	r += 64;
	touch(r);
	printf("comm %d %s\n", getpid(), second ? "second" : "first");
	print_maps();
	printf("sample %d %llu %llu\n", getpid(), (unsigned long long)(uintptr_t)touch_here,
	       (unsigned long long)(uintptr_t)&r->slot[1].hits);
	fflush(stdout);
	if (second)
		return 0;
	if (!fork()) {
		execl(argv[0], argv[0], argv[1], "second", NULL);
		_exit(127);
	}
	wait(NULL);
	return 0;
}
