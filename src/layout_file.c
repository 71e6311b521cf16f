// SPDX-License-Identifier: GPL-2.0-only
#include "layout_file.h"
#include "mem.h"
#include "type_btf.h"
#include "type_dwarf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define BTF_MAGIC 0xeb9f /* include/uapi/linux/btf.h */

struct layout_file {
	struct type_btf *btf;
	struct dwarf *dwarf; /* NULL where there is BTF */
};

bool layout_file_is(const char *path)
{
	unsigned char start[SELFMAG] = { 0 };
	FILE *f = fopen(path, "re");
	size_t got;

	if (!f)
		return false;
	got = fread(start, 1, sizeof(start), f);
	fclose(f);
	if (got < sizeof(start))
		return false;
	return !memcmp(start, ELFMAG, SELFMAG) || (start[0] | start[1] << 8) == BTF_MAGIC ||
	       (start[1] | start[0] << 8) == BTF_MAGIC;
}

struct err *layout_file_open(const char *path, struct intern *pool, struct layout_file **f)
{
	struct type_btf *btf;
	struct dwarf *dwarf = NULL;
	struct err *e = type_btf_open(path, NULL, pool, &btf);

	*f = NULL;
	if (e)
		dwarf = dwarf_open(path, NULL, pool);
	err_free(e);
	if (!btf && !dwarf)
		return err_next(err_new(ERR_FAILED, "types: %s has neither BTF nor DWARF", path),
				"build it with -g; of a kernel: /sys/kernel/btf/vmlinux, or its "
				"vmlinux");
	*f = mem_zalloc(sizeof(**f));
	**f = (struct layout_file){ btf, dwarf };
	return NULL;
}

void layout_file_free(struct layout_file *f)
{
	if (!f)
		return;
	type_btf_free(f->btf);
	dwarf_free(f->dwarf);
	free(f);
}

const char *layout_file_kind(const struct layout_file *f)
{
	return f->btf ? "BTF" : "DWARF";
}

bool layout_file_find(struct layout_file *f, const char *name, struct layout *l)
{
	return f->btf ? type_btf_layout(f->btf, name, l) : dwarf_layout(f->dwarf, name, l);
}

const char *layout_file_next(struct layout_file *f, uint32_t *at)
{
	return f->btf ? type_btf_next_struct(f->btf, at) : dwarf_next_type(f->dwarf, at);
}
