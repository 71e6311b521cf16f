// SPDX-License-Identifier: GPL-2.0-only
/* One producer, one consumer, a ring of 64 words between them. */
#include "threads.h"

static struct {
	LINE unsigned long head;
	LINE unsigned long tail;
	LINE volatile unsigned long slot[64];
} ring;

static void produce(void)
{
	for (unsigned long i = 0; i < (unsigned long)operations; i++) {
		while (i - __atomic_load_n(&ring.tail, __ATOMIC_ACQUIRE) >= 64)
			__builtin_ia32_pause();
		ring.slot[i & 63] = i;
		__atomic_store_n(&ring.head, i + 1, __ATOMIC_RELEASE);
	}
}

static void consume(void)
{
	for (unsigned long i = 0; i < (unsigned long)operations; i++) {
		while (__atomic_load_n(&ring.head, __ATOMIC_ACQUIRE) == i)
			__builtin_ia32_pause();
		if (ring.slot[i & 63] != i)
			abort();
		__atomic_store_n(&ring.tail, i + 1, __ATOMIC_RELEASE);
	}
}

static void *work(void *arg)
{
	if (arg)
		consume();
	else
		produce();
	return NULL;
}

int main(int argc, char **argv)
{
	threads_arguments(argc, argv);
	thread_count = 2;
	threads_run(work);
	return 0;
}
