// SPDX-License-Identifier: GPL-2.0-only
/* Kernel memory from an ELF core file: /proc/kcore, or a vmcore as kexec and QEMU write it. */
#include "buf.h"
#include "kmem.h"
#include "mem.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct part {
	uint64_t addr, size, offset; /* offset: in the file */
};

struct core {
	int fd;
	struct part *part;
	uint32_t parts, room;
};

static void core_close(void *state)
{
	struct core *c = state;

	close(c->fd);
	free(c->part);
	free(c);
}

/* How much of the page a part holds, which need not begin or end with a page. */
static bool read_part(const struct core *c, const struct part *p, uint64_t addr, uint8_t *page)
{
	uint64_t low = addr > p->addr ? addr : p->addr;
	uint64_t end = p->addr + p->size, high = addr + KMEM_PAGE < end ? addr + KMEM_PAGE : end;

	if (low >= high)
		return false;
	return pread(c->fd, page + (low - addr), high - low, p->offset + (low - p->addr)) > 0;
}

static bool core_read_page(void *state, uint64_t addr, uint8_t page[KMEM_PAGE])
{
	const struct core *c = state;
	bool any = false;

	memset(page, 0, KMEM_PAGE);
	if (addr > UINT64_MAX - KMEM_PAGE)
		return false;
	for (uint32_t i = 0; i < c->parts; i++)
		any |= read_part(c, &c->part[i], addr, page);
	return any;
}

static const struct kmem_reader CORE = {
	.name = "core file",
	.read_page = core_read_page,
	.close = core_close,
};

static void read_segment(struct core *c, struct cursor at)
{
	uint32_t type = cursor_u32(&at);
	struct part p;

	cursor_skip(&at, 4); /* p_flags */
	p.offset = cursor_u64(&at);
	p.addr = cursor_u64(&at);
	cursor_skip(&at, 8); /* p_paddr */
	p.size = cursor_u64(&at);
	if (at.bad || type != PT_LOAD || p.addr + p.size < p.addr)
		return;
	mem_grow(&c->part, &c->room, c->parts);
	c->part[c->parts++] = p;
}

static struct err *not_a_core(const char *path, const char *why)
{
	return err_next(err_new(ERR_FAILED, "kmem: %s: %s", path, why),
			"needed: /proc/kcore, or a vmcore in ELF form (makedumpfile -E makes it "
			"from a compressed one)");
}

static struct err *read_segments(struct core *c, const char *path)
{
	uint8_t head[sizeof(Elf64_Ehdr)], *table;
	struct cursor at = cursor_of(head, sizeof(head), 0);
	uint64_t offset;
	uint16_t type, each, count;
	size_t size;

	if (pread(c->fd, head, sizeof(head), 0) != sizeof(head))
		return not_a_core(path, "shorter than an ELF header");
	if (memcmp(head, ELFMAG, SELFMAG) || head[EI_CLASS] != ELFCLASS64 ||
	    head[EI_DATA] != ELFDATA2LSB)
		return not_a_core(path, "not a 64-bit ELF file");
	cursor_skip(&at, EI_NIDENT);
	type = cursor_u16(&at);
	cursor_skip(&at, 14); /* machine, version, entry */
	offset = cursor_u64(&at);
	cursor_skip(&at, 14); /* section headers, flags, header size */
	each = cursor_u16(&at);
	count = cursor_u16(&at);
	if (type != ET_CORE || each != sizeof(Elf64_Phdr) || !count)
		return not_a_core(path, "an ELF file, but no core");
	size = (size_t)each * count;
	table = mem_zalloc(size);
	if (pread(c->fd, table, size, offset) == (ssize_t)size)
		for (uint16_t i = 0; i < count; i++)
			read_segment(c, cursor_of(table + (size_t)i * each, each, 0));
	free(table);
	return c->parts ? NULL : not_a_core(path, "it holds no memory");
}

struct err *kmem_open_core(const char *path, struct kmem **m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), why = errno;
	struct core *c;
	struct err *e;

	*m = NULL;
	if (fd < 0 && (why == EACCES || why == EPERM))
		return err_next(err_errno(ERR_UNSUPPORTED, why, "kmem: cannot read %s", path),
				"run as root");
	if (fd < 0)
		return err_next(err_errno(ERR_FAILED, why, "kmem: cannot read %s", path),
				"without --kcore the kernel is read by BPF");
	c = mem_zalloc(sizeof(*c));
	c->fd = fd;
	e = read_segments(c, path);
	if (e)
		core_close(c);
	else
		*m = kmem_new(&CORE, c);
	return e;
}
