// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row 1, class H+T: 81ec3f3c4c, cured by fda31c50292a. An unrelated change moved the static
 * root_user from the lower to the upper half of its line, which is slower on some machines: two
 * counters that all threads change. Expected: same fields, no new contender, moved from the lower
 * to the upper half; true sharing both times. Fields: __count, sigpending.
 */
#include "corpus.h"

struct user_struct {
	atomic_int __count;
	atomic_int processes;
	atomic_int sigpending;
};

static struct {
	struct user_struct lower;
	char pad[20];
	struct user_struct upper;
} place ALIGNED(LINE);

_Static_assert(offsetof(__typeof__(place), upper) == 32, "the upper half");

static struct user_struct *root_user;

static NOINLINE void sigqueue_alloc(void)
{
	atomic_fetch_add(&root_user->__count, 1);
	atomic_fetch_add(&root_user->sigpending, 1);
}

static NOINLINE void sigqueue_free(void)
{
	atomic_fetch_sub(&root_user->sigpending, 1);
	atomic_fetch_sub(&root_user->__count, 1);
}

static void signals(int thread)
{
	for (long i = 0; i < rounds; i++) {
		sigqueue_alloc();
		sigqueue_free();
	}
}

int main(int argc, char **argv)
{
	setup(argc, argv);
	root_user = after ? &place.upper : &place.lower;
	truth("true", "root_user", root_user,
	      "__count:0:4:rw@sigqueue_alloc+rw@sigqueue_free,"
	      "sigpending:8:4:rw@sigqueue_alloc+rw@sigqueue_free");
	run(4, signals);
	return atomic_load(&root_user->__count);
}
