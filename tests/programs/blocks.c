// SPDX-License-Identifier: GPL-2.0-only
/* Two threads count in two blocks of the heap that lie in one line. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct counter {
	_Atomic long n;
	char name[16];
};

__attribute__((noinline)) static struct counter *make_counter(int name)
{
	struct counter *c = malloc(sizeof(*c));

	c->name[0] = name;
	return c;
}

static void *count(void *argument)
{
	struct counter *c = argument;

	for (int i = 0; i < 20000; i++)
		c->n++;
	return NULL;
}

int main(void)
{
	struct counter *a = make_counter('a'), *b = make_counter('b');
	pthread_t t[2];

	while (((size_t)a ^ (size_t)b) & ~63ul) {
		a = b;
		b = make_counter('c');
	}
	pthread_create(&t[0], NULL, count, a);
	pthread_create(&t[1], NULL, count, b);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
