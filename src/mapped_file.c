// SPDX-License-Identifier: GPL-2.0-only
#include "mapped_file.h"
#include "buf.h"
#include "mem.h"
#include "symtab.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define NOTES_MOST 65536 /* bytes of /sys/kernel/notes that are looked at */
#define ID_MOST	   20	 /* bytes; what a perf.data has room for */

void mapped_file_init(struct mapped_file_set *s)
{
	*s = (struct mapped_file_set){ .pool = intern_new() };
	map_init(&s->known);
}

void mapped_file_deinit(struct mapped_file_set *s)
{
	map_deinit(&s->known);
	intern_free(s->pool);
	free(s->file);
}

/* ---- Which files */

static void add_file(struct mapped_file_set *s, const char *path, uint64_t inode)
{
	const char *own = intern_string(s->pool, path);
	bool fresh;

	map_put(&s->known, (uintptr_t)own, 0, &fresh);
	if (!fresh)
		return;
	mem_grow(&s->file, &s->room, s->count);
	s->file[s->count++] = (struct mapped_file){ own, inode };
}

/* pid, tid, addr, len, pgoff | maj, min, ino, ino_generation | prot, flags, path. */
void mapped_file_note(struct mapped_file_set *s, const struct perf_event_header *h)
{
	struct cursor c = cursor_of(h + 1, h->size - sizeof(*h), 0);
	uint64_t inode;
	uint32_t prot;
	const char *path;

	if (h->type != PERF_RECORD_MMAP2)
		return;
	cursor_skip(&c, 4 + 4 + 8 + 8 + 8 + 4 + 4);
	inode = cursor_u64(&c);
	cursor_skip(&c, 8);
	prot = cursor_u32(&c);
	cursor_skip(&c, 4);
	path = cursor_string(&c, cursor_left(&c));
	if (!path || path[0] != '/' || path[1] == '/' || !(prot & PROT_EXEC))
		return;
	add_file(s, path, h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID ? 0 : inode);
}

/* ---- Their ids */

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

const uint8_t *mapped_file_find_id(const void *notes, size_t size, uint8_t *id_size)
{
	struct cursor c = cursor_of(notes, size, 0);

	while (cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
		uint32_t name_size = cursor_u32(&c), desc_size = cursor_u32(&c),
			 type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, padded(name_size));
		const uint8_t *desc = cursor_bytes(&c, padded(desc_size));

		if (c.bad)
			break;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    desc_size && desc_size <= ID_MOST) {
			*id_size = desc_size;
			return desc;
		}
	}
	return NULL;
}

struct taker {
	struct err *(*take)(void *context, const char *path, const uint8_t *id, uint8_t size,
			    bool kernel);
	void *context;
};

static struct err *give_kernel(const char *root, const struct taker *to)
{
	char *path = mem_printf("%s/sys/kernel/notes", root);
	uint8_t *notes = mem_zalloc(NOTES_MOST), size;
	FILE *f = fopen(path, "re");
	const uint8_t *id = NULL;
	struct err *e = NULL;

	if (f) {
		id = mapped_file_find_id(notes, fread(notes, 1, NOTES_MOST, f), &size);
		fclose(f);
	}
	if (id)
		e = to->take(to->context, "[kernel.kallsyms]", id, size, true);
	free(notes);
	free(path);
	return e;
}

/* A path may name another file here than in the task's own root, or another one by now. */
static bool is_same_file(const struct mapped_file *file, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       (!file->inode || st.st_ino == file->inode);
}

static struct err *give_file(struct mapped_file_set *s, const struct mapped_file *file,
			     const char *root, const struct taker *to)
{
	char *path = mem_printf("%s%s", root, file->path);
	struct symtab *symtab = NULL;
	const uint8_t *id = NULL;
	struct err *e = NULL;
	uint8_t size;

	if (is_same_file(file, path))
		err_free(symtab_open(path, s->pool, &symtab));
	if (symtab)
		id = symtab_build_id(symtab, &size);
	if (id)
		e = to->take(to->context, file->path, id, size < ID_MOST ? size : ID_MOST, false);
	symtab_free(symtab);
	free(path);
	return e;
}

struct err *mapped_file_ids(struct mapped_file_set *s, const char *root,
			    struct err *(*take)(void *context, const char *path, const uint8_t *id,
						uint8_t size, bool kernel),
			    void *context)
{
	const struct taker to = { take, context };
	struct err *e = give_kernel(root, &to);

	for (uint32_t i = 0; i < s->count && !e; i++)
		e = give_file(s, &s->file[i], root, &to);
	return e;
}
