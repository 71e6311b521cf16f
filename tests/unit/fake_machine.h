/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine's /sys and /proc below a temporary folder: tests/fixtures/sysfs, or what a test adds.
 */
#ifndef HITMAP_FAKE_MACHINE_H
#define HITMAP_FAKE_MACHINE_H

#include "mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define DEVICES "sys/bus/event_source/devices/"

struct machine {
	char root[64];
};

static inline void shell(char *line)
{
	assert_int_equal(system(line), 0);
	free(line);
}

static inline int set_up(void **state)
{
	struct machine *m = mem_zalloc(sizeof(*m));

	strcpy(m->root, "/tmp/hitmap-machine-XXXXXX");
	assert_non_null(mkdtemp(m->root));
	*state = m;
	return 0;
}

static inline int tear_down(void **state)
{
	struct machine *m = *state;

	shell(mem_printf("rm -rf %s", m->root));
	free(m);
	return 0;
}

/* "file" gets "text" and nothing else; its folders are made. */
static inline void write_file(const struct machine *m, const char *file, const char *text)
{
	char *path = mem_printf("%s/%s", m->root, file);
	FILE *out;

	shell(mem_printf("mkdir -p \"$(dirname '%s')\"", path));
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	free(path);
}

static inline void remove_file(const struct machine *m, const char *file)
{
	shell(mem_printf("rm -r '%s/%s'", m->root, file));
}

/* The machine of a description in tests/fixtures/sysfs. */
static inline struct machine *machine_of(void **state, const char *name)
{
	struct machine *m = *state;

	shell(mem_printf("tests/fixtures/make_sysfs.sh tests/fixtures/sysfs/%s %s", name, m->root));
	return m;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
