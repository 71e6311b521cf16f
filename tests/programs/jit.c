// SPDX-License-Identifier: GPL-2.0-only
/* Makes a function, says its name in FOLDER/perf-PID.map, and runs it in two threads. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long counter;
static void (*count)(long *p);

static void *run(void *argument)
{
	for (int i = 0; i < 5000; i++)
		count(&counter);
	return NULL;
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0xf0, 0x48, 0xff, 0x07,
					      0xc3 }; /* lock incq (%rdi); ret */
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[4096];
	pthread_t t[2];
	FILE *map;

	if (argc < 2 || page == MAP_FAILED)
		return 1;
	memcpy(page, code, sizeof(code));
	count = (void (*)(long *))page;
	snprintf(path, sizeof(path), "%s/perf-%d.map", argv[1], getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx 40 LMain;other\n%lx %zx LMain;count\n", (unsigned long)page,
		(unsigned long)page, sizeof(code));
	fclose(map);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
