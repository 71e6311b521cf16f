// SPDX-License-Identifier: GPL-2.0-only
#include "gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GATE_SPINS 100 /* looks at a taken gate before a sleep: a few microseconds */

static void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#endif
}

static int gate_call(uint32_t *word, int op, uint32_t value, const struct timespec *time)
{
	int before = errno, result;

	result = (int)syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, time, NULL,
			      FUTEX_BITSET_MATCH_ANY);
	result = result < 0 ? -errno : result;
	errno = before;
	return result;
}

bool gate_try(struct gate *g)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&g->word, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Gates are held for about a microsecond, less than a sleep costs. */
static bool gate_spin(struct gate *g)
{
	for (int i = 0; i < GATE_SPINS; i++) {
		if (!__atomic_load_n(&g->word, __ATOMIC_RELAXED) && gate_try(g))
			return true;
		cpu_relax();
	}
	return false;
}

void gate_lock(struct gate *g)
{
	if (gate_try(g) || gate_spin(g))
		return;
	while (__atomic_exchange_n(&g->word, 2, __ATOMIC_ACQUIRE) != 0)
		gate_call(&g->word, FUTEX_WAIT, 2, NULL);
}

void gate_unlock(struct gate *g)
{
	if (__atomic_exchange_n(&g->word, 0, __ATOMIC_RELEASE) == 2)
		gate_wake(&g->word);
}

bool gate_sleep(uint32_t *word, uint32_t value, unsigned int ms)
{
	struct timespec until;
	int result;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	/* An absolute time: a program's interval timer may interrupt the wait again and again. */
	do {
		result = gate_call(word, FUTEX_WAIT_BITSET, value, &until);
	} while (result == -EINTR);
	return result != -ETIMEDOUT;
}

void gate_wake(uint32_t *word)
{
	gate_call(word, FUTEX_WAKE, 1, NULL);
}

void gate_yield(void)
{
	int before = errno;

	syscall(SYS_sched_yield);
	errno = before;
}
