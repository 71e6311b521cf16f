/* SPDX-License-Identifier: GPL-2.0-only */
/* A core file of a kernel that has just what a test puts into it. Its memory is one segment. */
#ifndef HITMAP_FAKE_CORE_H
#define HITMAP_FAKE_CORE_H

#include "type_btf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORE_BASE 0xffff888000100000ULL
#define CORE_SIZE (1u << 20)

struct fake_core {
	struct type_btf *types;
	uint8_t *bytes;
	uint64_t used;
};

static inline uint64_t core_take(struct fake_core *c, uint64_t size)
{
	uint64_t at = c->used;

	c->used += (size + 63) & ~63ULL;
	assert_true(c->used <= CORE_SIZE);
	return CORE_BASE + at;
}

static inline uint64_t core_new(struct fake_core *c, const char *type)
{
	struct layout l;
	uint64_t addr;

	assert_true(type_btf_layout(c->types, type, &l));
	addr = core_take(c, l.size);
	layout_deinit(&l);
	return addr;
}

static inline void core_put(struct fake_core *c, uint64_t addr, const void *bytes, size_t size)
{
	memcpy(c->bytes + (addr - CORE_BASE), bytes, size);
}

static inline uint64_t core_offset(struct fake_core *c, const char *type, const char *path,
				   uint64_t *size)
{
	struct layout_place place = { 0 };
	struct layout l;

	assert_true(type_btf_layout(c->types, type, &l));
	if (!layout_find(&l, path, &place))
		fail_msg("there is no %s.%s", type, path);
	layout_deinit(&l);
	*size = place.size > 8 ? 8 : place.size;
	return place.offset;
}

static inline void core_set(struct fake_core *c, uint64_t addr, const char *type, const char *path,
			    uint64_t value)
{
	uint64_t size, offset = core_offset(c, type, path, &size);

	core_put(c, addr + offset, &value, size);
}

static inline void core_write(const struct fake_core *c, const char *path)
{
	Elf64_Ehdr head = { .e_type = ET_CORE,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(head),
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 };
	Elf64_Phdr part = { .p_type = PT_LOAD,
			    .p_offset = 4096,
			    .p_vaddr = CORE_BASE,
			    .p_filesz = CORE_SIZE,
			    .p_memsz = CORE_SIZE };
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	assert_int_equal(fwrite(&head, sizeof(head), 1, f), 1);
	assert_int_equal(fwrite(&part, sizeof(part), 1, f), 1);
	assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
	assert_int_equal(fwrite(c->bytes, CORE_SIZE, 1, f), 1);
	fclose(f);
}

#endif
