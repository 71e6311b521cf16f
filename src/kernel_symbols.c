// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_symbols.h"
#include "intern.h"
#include "mem.h"
#include "symtab.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES   (256u << 20) /* of the text; 200,000 symbols are 10 MB */
#define MOVE_STEP   (2ULL << 20) /* CONFIG_PHYSICAL_ALIGN at least */
#define FIRST_IMAGE (1ULL << 63) /* below are offsets in per-CPU areas, and absolute values */

struct kernel_symbols {
	char *text;		      /* the file's; names are in it, ended by NUL */
	struct intern *pool;	      /* or here, those of an ELF file */
	struct kernel_symbol *symbol; /* sorted by address */
	uint32_t symbols, room;
	uint8_t build_id[64];
	uint8_t build_id_size; /* 0: none, or not known */
	uint64_t moved;
};

void kernel_symbols_free(struct kernel_symbols *s)
{
	if (!s)
		return;
	free(s->text);
	if (s->pool)
		intern_free(s->pool);
	free(s->symbol);
	free(s);
}

/* ---- Reading */

/* A file of /proc does not tell its size. */
static char *read_text(int fd)
{
	size_t size = 0, room = 1 << 20;
	char *text = mem_realloc(NULL, room + 1, 1);
	ssize_t n;

	while ((n = read(fd, text + size, room - size)) > 0) {
		size += n;
		if (size >= MAX_BYTES)
			break;
		if (size == room)
			text = mem_realloc(text, (room *= 2) + 1, 1);
	}
	text[size] = 0;
	return text;
}

/* Where the linker says that the image's parts begin and end: no variables. */
static bool is_mark(const char *name)
{
	static const char *const marks[] = { "_edata", "__bss_start", "__bss_stop", "_end" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (!strcmp(name, marks[i]))
			return true;
	return false;
}

/* "ffffffff81000000 T _text", perhaps with "[module]" behind it. */
static void read_line(struct kernel_symbols *s, char *line)
{
	char *at, *name;
	uint64_t addr = strtoull(line, &at, 16);

	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return;
	name = at + 3;
	name[strcspn(name, " \t")] = 0;
	if (!*name)
		return;
	mem_grow(&s->symbol, &s->room, s->symbols);
	s->symbol[s->symbols] = (struct kernel_symbol){
		name, addr, s->symbols, strchr("dDbBrRvV", at[1]) && !is_mark(name)
	};
	s->symbols++;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

static void add(void *context, const char *name, uint64_t addr, bool data)
{
	struct kernel_symbols *s = context;

	mem_grow(&s->symbol, &s->room, s->symbols);
	s->symbol[s->symbols] = (struct kernel_symbol){ intern_string(s->pool, name), addr,
							s->symbols, data };
	s->symbols++;
}

static struct err *read_elf(struct kernel_symbols *s, const char *path)
{
	struct symtab *file = NULL;
	const uint8_t *id;
	struct err *e;

	s->pool = intern_new();
	e = symtab_open(path, s->pool, &file);
	id = file ? symtab_build_id(file, &s->build_id_size) : NULL;
	if (id)
		memcpy(s->build_id, id, s->build_id_size);
	symtab_free(file);
	return e ? e : symtab_list(path, add, s);
}

static void read_lines(struct kernel_symbols *s)
{
	for (char *line = s->text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		read_line(s, line);
	}
}

static int compare_symbols(const void *x, const void *y)
{
	const struct kernel_symbol *a = x, *b = y;

	return CMP(a->addr, b->addr) ?: CMP(a->order, b->order);
}

static struct err *check(const struct kernel_symbols *s, const char *path)
{
	if (!s->symbols)
		return err_next(err_new(ERR_FAILED, "kernel symbols: %s holds none", path),
				"needed: /proc/kallsyms, the System.map of a kernel, or its "
				"vmlinux with symbols");
	if (s->symbol[s->symbols - 1].addr)
		return NULL;
	return err_next(err_new(ERR_UNSUPPORTED,
				"kernel symbols: every address in %s is 0: the kernel hides them",
				path),
			"as root: sysctl kernel.kptr_restrict=1; or give the System.map of this "
			"kernel");
}

struct err *kernel_symbols_open(const char *path, struct kernel_symbols **s)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct err *e = NULL;

	*s = NULL;
	if (fd < 0)
		return err_errno(ERR_FAILED, errno, "kernel symbols: cannot read %s", path);
	*s = mem_zalloc(sizeof(**s));
	if (is_elf(fd)) {
		e = read_elf(*s, path);
	} else {
		(*s)->text = read_text(fd);
		read_lines(*s);
	}
	close(fd);
	if ((*s)->symbols)
		qsort((*s)->symbol, (*s)->symbols, sizeof(*(*s)->symbol), compare_symbols);
	e = e ? e : check(*s, path);
	if (e) {
		kernel_symbols_free(*s);
		*s = NULL;
	}
	return e;
}

/* ---- Asking */

bool kernel_symbols_is(const struct kernel_symbols *s, const uint8_t *id, uint8_t size)
{
	return !size || !s->build_id_size ||
	       (s->build_id_size >= size && !memcmp(s->build_id, id, size));
}

bool kernel_symbols_find(const struct kernel_symbols *s, const char *name, uint64_t *addr)
{
	for (uint32_t i = 0; i < s->symbols; i++)
		if (!strcmp(s->symbol[i].name, name)) {
			*addr = s->symbol[i].addr;
			return true;
		}
	return false;
}

bool kernel_symbols_move(struct kernel_symbols *s, const char *name, uint64_t addr)
{
	uint64_t own;

	if (!kernel_symbols_find(s, name, &own) || (addr - own) % MOVE_STEP)
		return false;
	s->moved += addr - own;
	for (uint32_t i = 0; i < s->symbols; i++)
		if (s->symbol[i].addr >= FIRST_IMAGE)
			s->symbol[i].addr += addr - own;
	return true;
}

uint64_t kernel_symbols_moved(const struct kernel_symbols *s)
{
	return s->moved;
}

bool kernel_symbols_at(const struct kernel_symbols *s, uint64_t addr, struct kernel_symbol *found)
{
	uint32_t low = 0, high = s->symbols;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->symbol[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || s->symbol[low - 1].addr < FIRST_IMAGE)
		return false;
	while (low > 1 && s->symbol[low - 2].addr == s->symbol[low - 1].addr)
		low--;
	*found = s->symbol[low - 1];
	return true;
}
