// SPDX-License-Identifier: GPL-2.0-only
/* Parent and forked child both run threads; a second child runs another program. */
#include "threads.h"

#include <sys/wait.h>
#include <unistd.h>

LINE static unsigned long counter;

static void *work(void *arg)
{
	for (long i = 0; i < operations; i++)
		__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int wait_for(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return status;
}

int main(int argc, char **argv)
{
	pid_t pid;

	threads_arguments(argc, argv);
	threads_run(work);
	pid = fork();
	if (!pid) {
		threads_run(work);
		_exit(counter != 2 * (unsigned long)(thread_count * operations));
	}
	if (wait_for(pid))
		return 1;
	pid = vfork();
	if (!pid) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	if (wait_for(pid))
		return 1;
	threads_run(work);
	return counter != 2 * (unsigned long)(thread_count * operations);
}
