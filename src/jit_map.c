// SPDX-License-Identifier: GPL-2.0-only
#include "jit_map.h"
#include "mem.h"
#include "range.h"
#include "symbol_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SYMBOLS 4000000 /* of a file; more is no map */
#define LONGEST_LINE 4096

struct jit_map {
	struct intern *pool;
	struct range_pool ranges;
	struct range_set symbols;
	struct jit_symbol {
		uint64_t addr, size;
		const char *name;
	} * item;
	uint32_t count, room;
};

/* Others may write to /tmp: only a plain file, and never one that waits. */
static FILE *open_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static void add_line(struct jit_map *j, char *line)
{
	char *at, *end;
	uint64_t addr = strtoull(line, &at, 16);
	uint64_t size = at > line && *at == ' ' ? strtoull(at, &end, 16) : 0;

	if (!size || *end != ' ' || addr + size < addr)
		return;
	end += strspn(end, " ");
	end[strcspn(end, "\n")] = 0;
	if (!*end)
		return;
	mem_grow(&j->item, &j->room, j->count);
	j->item[j->count++] = (struct jit_symbol){ addr, size, symbol_name(j->pool, end, false) };
}

static void read_lines(struct jit_map *j, FILE *f)
{
	char line[LONGEST_LINE];

	while (j->count < MOST_SYMBOLS && fgets(line, sizeof(line), f)) {
		bool whole = strchr(line, '\n') || feof(f);

		add_line(j, line);
		for (int c = 0; !whole && c != '\n' && c != EOF;)
			c = getc(f);
	}
}

struct jit_map *jit_map_open(const char *path, struct intern *pool)
{
	FILE *f = open_text(path);
	struct jit_map *j;

	if (!f)
		return NULL;
	j = mem_zalloc(sizeof(*j));
	j->pool = pool;
	range_pool_init(&j->ranges);
	range_set_init(&j->symbols, &j->ranges);
	read_lines(j, f);
	fclose(f);
	for (uint32_t i = 0; i < j->count; i++)
		range_put(&j->symbols, &j->ranges,
			  &(struct range){ j->item[i].addr, j->item[i].addr + j->item[i].size,
					   &j->item[i] });
	return j;
}

void jit_map_free(struct jit_map *j)
{
	if (!j)
		return;
	range_pool_deinit(&j->ranges);
	free(j->item);
	free(j);
}

bool jit_map_find(const struct jit_map *j, uint64_t addr, struct symbol *sym)
{
	const struct range *r = range_find(&j->symbols, addr);
	const struct jit_symbol *s = r ? r->value : NULL;

	if (s)
		*sym = (struct symbol){ s->name, s->addr, s->size };
	return s;
}
