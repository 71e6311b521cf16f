/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the small programs that tests look names up in, and asks nm for the truth. */
#ifndef BUILD_PROGRAM_H
#define BUILD_PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_PATH 256

static char program_folder[] = "/tmp/hitmap-names-XXXXXX";

static int program_setup(void **state)
{
	return mkdtemp(program_folder) ? 0 : -1;
}

static int program_teardown(void **state)
{
	char command[PROGRAM_PATH];

	snprintf(command, sizeof(command), "rm -rf %s", program_folder);
	return system(command);
}

static inline int program_has(const char *compiler)
{
	char command[PROGRAM_PATH];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	return system(command) == 0;
}

/* Runs "compiler -o path"; "compiler" says the rest: "gcc -O2 -g tests/programs/names.c". */
static inline const char *program_build(const char *compiler, const char *name, char *path)
{
	char command[2 * PROGRAM_PATH + 256];

	snprintf(path, PROGRAM_PATH, "%s/%s", program_folder, name);
	snprintf(command, sizeof(command), "%s -w -o %s", compiler, path);
	if (system(command)) {
		fprintf(stderr, "cannot run: %s\n", command);
		return NULL;
	}
	return path;
}

/* The value nm gives for "symbol" (as it is in the file); 0 when there is none. */
static inline uint64_t program_symbol(const char *path, const char *symbol)
{
	char command[2 * PROGRAM_PATH], name[512];
	unsigned long long value = 0, found = 0;
	char kind;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s", path);
	nm = popen(command, "r");
	while (nm && fgets(command, sizeof(command), nm))
		if (sscanf(command, "%llx %c %511s", &value, &kind, name) == 3 &&
		    !strcmp(name, symbol))
			found = value;
	if (nm)
		pclose(nm);
	return found;
}

#endif
