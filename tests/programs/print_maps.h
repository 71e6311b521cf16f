// SPDX-License-Identifier: GPL-2.0-only
/* Prints what this process has mapped: map PID START SIZE OFFSET PROT MAJOR MINOR INODE PATH */
#ifndef PRINT_MAPS_H
#define PRINT_MAPS_H

#include <stdio.h>
#include <unistd.h>

static inline void print_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char line[4096], prot[8], path[4096];

	while (f && fgets(line, sizeof(line), f)) {
		*path = 0;
		sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %4095[^\n]", &start, &end, prot,
		       &offset, &major, &minor, &inode, path);
		printf("map %d %llu %llu %llu %s %u %u %llu %s\n", getpid(), start, end - start,
		       offset, prot, major, minor, inode, *path ? path : "//anon");
	}
	if (f)
		fclose(f);
}

#endif
