// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter that two processes add to, in a function that is called in two ways. Prints what a
 * recording of it holds, as tests/oracle/of_text.py takes it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print_maps.h"

extern char touch_here[];
static long *counter;

__attribute__((noinline)) static void touch(void)
{
	__asm__ volatile("touch_here: lock; incq %0" : "+m"(*counter));
	printf("sample %d %llu %llu %llu %llu\n", getpid(),
	       (unsigned long long)(uintptr_t)touch_here, (unsigned long long)(uintptr_t)counter,
	       (unsigned long long)(uintptr_t)__builtin_return_address(0),
	       (unsigned long long)(uintptr_t)__builtin_return_address(1));
}

__attribute__((noinline)) static void reader_path(void)
{
	touch();
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void writer_path(void)
{
	touch();
	__asm__ volatile("nop" ::: "memory");
}

__attribute__((noinline)) static void work(const char *name)
{
	printf("comm %d %s\n", getpid(), name);
	print_maps();
	for (int i = 0; i < 3; i++)
		writer_path();
	reader_path();
	fflush(stdout);
}

int main(void)
{
	counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counter == MAP_FAILED)
		return 1;
	if (!fork()) {
		work("child");
		_exit(0);
	}
	wait(NULL);
	work("parent");
	return 0;
}
