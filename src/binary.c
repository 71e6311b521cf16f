// SPDX-License-Identifier: GPL-2.0-only
#include "binary.h"
#include "debuginfod.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct binary {
	struct intern *pool;
	const char *path; /* as recorded */
	char *file;	  /* where it is read */
	const char *root;
	struct symtab *symtab, *debug_symtab;
	struct dwarf *dwarf;
	struct disassembly *disassembly;
	bool fetch;  /* from servers */
	bool sought; /* debug information was looked for */
};

struct binary *binary_new(const char *path, const struct binary_places *places, struct intern *pool)
{
	struct binary *b = mem_zalloc(sizeof(*b));

	b->pool = pool;
	b->path = path;
	b->root = places && places->root ? places->root : "";
	b->fetch = places && places->fetch;
	b->file = mem_printf("%s%s", b->root, path);
	err_free(symtab_open(b->file, pool, &b->symtab)); /* one that is gone gives no names */
	return b;
}

void binary_free(struct binary *b)
{
	if (!b)
		return;
	symtab_free(b->symtab);
	symtab_free(b->debug_symtab);
	dwarf_free(b->dwarf);
	disassembly_free(b->disassembly);
	free(b->file);
	free(b);
}

const char *binary_path(const struct binary *b)
{
	return b->path;
}

struct symtab *binary_symtab(const struct binary *b)
{
	return b->symtab;
}

bool binary_is(const struct binary *b, const uint8_t *id, uint8_t size)
{
	uint8_t own_size = 0;
	const uint8_t *own = b->symtab ? symtab_build_id(b->symtab, &own_size) : NULL;

	return !size || (own && own_size >= size && !memcmp(own, id, size));
}

/* The sum that .gnu_debuglink has of a whole file: CRC-32 as of ISO 3309. */
static bool sum_is(const char *path, uint32_t wanted)
{
	FILE *f = fopen(path, "re");
	uint32_t sum = UINT32_MAX;
	int c;

	while (f && (c = getc_unlocked(f)) != EOF) {
		sum ^= c;
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	if (f)
		fclose(f);
	return f && ~sum == wanted;
}

/* Takes "path", which is freed, when it holds the debug information of this very file. A file that
 * is found by name alone must have the same build id, or, without one, the sum "crc". */
static bool take_debug(struct binary *b, char *path, const uint32_t *crc)
{
	uint8_t size = 0;
	const uint8_t *id = symtab_build_id(b->symtab, &size);
	struct binary other = { 0 };
	bool good;

	err_free(symtab_open(path, b->pool, &other.symtab));
	good = other.symtab && (id ? binary_is(&other, id, size) : crc && sum_is(path, *crc));
	if (good)
		b->dwarf = dwarf_open(path, b->file, b->pool);
	if (good && (b->dwarf || !symtab_is_stripped(other.symtab))) {
		symtab_free(b->debug_symtab);
		b->debug_symtab = other.symtab;
	} else {
		symtab_free(other.symtab);
	}
	free(path);
	return b->dwarf;
}

/* Where distributions put what they stripped, by build id. */
static char *path_of_id(const struct binary *b, const char *root)
{
	uint8_t size;
	const uint8_t *id = symtab_build_id(b->symtab, &size);
	char hex[2 * UINT8_MAX + 1] = "";

	if (!id || size < 2)
		return NULL;
	for (uint8_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return mem_printf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2);
}

/* The places where GDB looks for the file that .gnu_debuglink names, and the file's own name with
 * ".debug" behind it. */
static bool seek_link(struct binary *b)
{
	int folder = strrchr(b->path, '/') ? (int)(strrchr(b->path, '/') - b->path) : 0;
	const char *name;
	uint32_t crc;

	if (take_debug(b, mem_printf("%s.debug", b->file), NULL))
		return true;
	if (!symtab_debug_link(b->symtab, &name, &crc))
		return false;
	return take_debug(b, mem_printf("%s%.*s/%s", b->root, folder, b->path, name), &crc) ||
	       take_debug(b, mem_printf("%s%.*s/.debug/%s", b->root, folder, b->path, name),
			  &crc) ||
	       take_debug(b, mem_printf("%s/usr/lib/debug%.*s/%s", b->root, folder, b->path, name),
			  &crc);
}

static bool seek_here(struct binary *b)
{
	char *path = path_of_id(b, b->root);

	if ((path && take_debug(b, path, NULL)) || seek_link(b))
		return true;
	path = *b->root ? path_of_id(b, "") : NULL;
	return path && take_debug(b, path, NULL);
}

static void seek(struct binary *b)
{
	const uint8_t *id;
	uint8_t size = 0;
	char *path;

	if (b->sought || !b->symtab)
		return;
	b->sought = true;
	b->dwarf = dwarf_open(b->file, NULL, b->pool);
	if (b->dwarf)
		return;
	if (seek_here(b) || !b->fetch)
		return;
	id = symtab_build_id(b->symtab, &size);
	path = id ? debuginfod_fetch(id, size) : NULL;
	if (path)
		take_debug(b, path, NULL);
}

struct dwarf *binary_dwarf(struct binary *b)
{
	seek(b);
	return b->dwarf;
}

static bool find(struct binary *b,
		 bool (*look)(struct symtab *s, uint64_t addr, struct symbol *sym), uint64_t addr,
		 struct symbol *sym)
{
	if (!b->symtab)
		return false;
	if (symtab_is_stripped(b->symtab)) /* what is exported is not all of it */
		seek(b);
	if (b->debug_symtab && look(b->debug_symtab, addr, sym))
		return true;
	return look(b->symtab, addr, sym);
}

bool binary_data(struct binary *b, uint64_t addr, struct symbol *sym)
{
	return find(b, symtab_data, addr, sym);
}

bool binary_tls(struct binary *b, uint64_t offset, struct symbol *sym)
{
	return find(b, symtab_tls, offset, sym);
}

bool binary_code(struct binary *b, uint64_t addr, struct symbol *sym)
{
	return find(b, symtab_code, addr, sym);
}

struct operand_code binary_operand_code(struct binary *b)
{
	if (!b->disassembly)
		b->disassembly = disassembly_new(b->symtab);
	return (struct operand_code){ .dwarf = binary_dwarf(b),
				      .symtab = b->symtab,
				      .names = b->debug_symtab ? b->debug_symtab : b->symtab,
				      .disassembly = b->disassembly,
				      .pool = b->pool };
}
