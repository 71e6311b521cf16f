// SPDX-License-Identifier: GPL-2.0-only
/* crash abort|segv|exec|exit|kill: how a program can end while its threads run. */
#include "threads.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

LINE static unsigned long counter;
static volatile int stop;

static void *work(void *arg)
{
	while (!stop)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void end(const char *how)
{
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)(stop + 1L) = 0;
	if (!strcmp(how, "exec"))
		execlp("true", "true", (char *)NULL);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	usleep(300000);
	end(argc > 1 ? argv[1] : "exit");
	return 1;
}
