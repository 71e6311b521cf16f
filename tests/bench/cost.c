// SPDX-License-Identifier: GPL-2.0-only
/* cost COMMAND...: runs it without output and prints its wall time and CPU time, seconds, and its peak memory,
 * MB. A program of its own, as a child's peak begins with that of the process it was forked from. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage u;
	int status;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &from);
	child = fork();
	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &u) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s failed\n", argv[1]);
		return 1;
	}
	printf("%.3f %.3f %.1f\n", to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9,
	       seconds(u.ru_utime) + seconds(u.ru_stime), u.ru_maxrss / 1024.);
	return 0;
}
