// SPDX-License-Identifier: GPL-2.0-only
/* faults N [CHILDREN]: N page faults on new pages in each of so many processes, one by one address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (16l << 20)

static void touch(long n)
{
	long page = sysconf(_SC_PAGESIZE);

	for (long done = 0; done < n;) {
		char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		if (p == MAP_FAILED)
			exit(1);
		madvise(p, SIZE, MADV_NOHUGEPAGE);
		for (long at = 0; at < SIZE && done < n; at += page, done++)
			p[at] = 1;
		munmap(p, SIZE);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, children = argc > 2 ? atol(argv[2]) : 0;

	for (long i = 0; i < children; i++) {
		if (!fork()) {
			touch(n);
			_exit(0);
		}
	}
	if (!children)
		touch(n);
	while (wait(NULL) > 0)
		;
	return 0;
}
