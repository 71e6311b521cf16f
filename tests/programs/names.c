// SPDX-License-Identifier: GPL-2.0-only
// Static variables of every kind, for the tests of names. It prints its maps and waits for its
// standard input to end, so that a test sees it as it is loaded.
#include "names.h"
#include <stdio.h>

struct ring ring_global;
ring_t ring_typed = { .pad = 1 };
static struct ring ring_static;
long plain_array[8];
static const unsigned long plain_scalar = 7;
struct message message = { 3, 1, {}, { 1, 2, 3, 4 } };
struct {
	int left, right;
} nameless;
int (*callback)(void);
char *texts[4];
__thread long per_thread[16];
long shared_name;
extern long alias_name __attribute__((alias("shared_name")));
extern long __alias_weak __attribute__((weak, alias("shared_name")));
extern struct user_struct *only_declared;
struct user_struct *only_declared;

__attribute__((noinline)) long count_up(long n)
{
	static struct slot calls[3];

	for (long i = 0; i < n; i++) {
		static long inner;

		calls[i % 3].count += *(volatile long *)&inner;
		inner++;
		ring_static.lock.owner++;
	}
	return calls[n % 3].count + *(volatile int *)&ring_static.lock.owner;
}

static void show_maps(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		fputs(line, stdout);
	if (maps)
		fclose(maps);
}

int main(int argc, char **argv)
{
	per_thread[argc % 16] = count_up(argc);
	printf("%p %p %p %p\n", (void *)&ring_global, (void *)&message, (void *)count_up,
	       (void *)&ring_static);
	printf("%lu %ld\n", *(volatile const unsigned long *)&plain_scalar, per_thread[3]);
	show_maps();
	puts("end");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
