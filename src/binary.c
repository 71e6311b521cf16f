// SPDX-License-Identifier: GPL-2.0-only
#include "binary.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct binary {
	struct intern *pool;
	const char *path;
	struct symtab *symtab, *debug_symtab;
	struct dwarf *dwarf;
	struct insn_decoder *decoder;
	bool sought; /* debug information was looked for */
};

struct binary *binary_new(const char *path, struct intern *pool)
{
	struct binary *b = mem_zalloc(sizeof(*b));

	b->pool = pool;
	b->path = path;
	err_free(symtab_open(path, pool, &b->symtab)); /* a file that is gone gives no names */
	return b;
}

void binary_free(struct binary *b)
{
	if (!b)
		return;
	symtab_free(b->symtab);
	symtab_free(b->debug_symtab);
	dwarf_free(b->dwarf);
	insn_decoder_free(b->decoder);
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

/* Where distributions put what they stripped, by build id. */
static char *debug_path(const struct binary *b)
{
	uint8_t size;
	const uint8_t *id = symtab_build_id(b->symtab, &size);
	char hex[2 * UINT8_MAX + 1] = "";

	if (!id || size < 2)
		return NULL;
	for (uint8_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return mem_printf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

static void seek(struct binary *b)
{
	char *path;

	if (b->sought || !b->symtab)
		return;
	b->sought = true;
	b->dwarf = dwarf_open(b->path, NULL, b->pool);
	path = b->dwarf ? NULL : debug_path(b);
	if (!path)
		return;
	b->dwarf = dwarf_open(path, b->path, b->pool);
	err_free(symtab_open(path, b->pool, &b->debug_symtab));
	free(path);
}

struct dwarf *binary_dwarf(struct binary *b)
{
	seek(b);
	return b->dwarf;
}

bool binary_is(const struct binary *b, const uint8_t *id, uint8_t size)
{
	uint8_t own_size = 0;
	const uint8_t *own = b->symtab ? symtab_build_id(b->symtab, &own_size) : NULL;

	return !size || (own && own_size >= size && !memcmp(own, id, size));
}

static bool find(struct binary *b,
		 bool (*look)(struct symtab *s, uint64_t addr, struct symbol *sym), uint64_t addr,
		 struct symbol *sym)
{
	if (!b->symtab)
		return false;
	if (look(b->symtab, addr, sym))
		return true;
	seek(b);
	return b->debug_symtab && look(b->debug_symtab, addr, sym);
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
	if (!b->decoder)
		b->decoder = insn_decoder_new(symtab_machine(b->symtab));
	return (struct operand_code){ binary_dwarf(b), b->symtab, b->decoder, b->pool };
}
