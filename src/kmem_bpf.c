// SPDX-License-Identifier: GPL-2.0-only
/* Kernel memory by BPF iterators; the only file that loads programs with libbpf.
 * kernel_read_bpf.h is made from bpf/kernel_read.bpf.c. */
#include "kernel_read.h"
#include "kernel_read_bpf.h"
#include "kmem.h"
#include "mem.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TASKS (1u << 22) /* PID_MAX_LIMIT */

struct bpf_reader {
	struct bpf_object *object;
	struct bpf_link *tasks, *memory;
	int request; /* the map's descriptor */
};

static void reader_close(void *state)
{
	struct bpf_reader *r = state;

	bpf_link__destroy(r->tasks);
	bpf_link__destroy(r->memory);
	bpf_object__close(r->object);
	free(r);
}

/* Runs an iterator; what it wrote goes to "to". */
static ssize_t iterate(struct bpf_link *link, uint8_t **to, size_t room)
{
	int fd = bpf_iter_create(bpf_link__fd(link));
	size_t size = 0, have = 4096;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	*to = mem_realloc(NULL, have, 1);
	while (size < room) {
		if (size == have)
			*to = mem_realloc(*to, have *= 2, 1);
		n = read(fd, *to + size, have - size);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		size += n;
	}
	close(fd);
	return n < 0 ? -1 : (ssize_t)size;
}

static bool reader_read_page(void *state, uint64_t addr, uint8_t page[KMEM_PAGE])
{
	struct bpf_reader *r = state;
	struct kernel_read_request request = { .addr = addr };
	uint32_t key = 0;
	uint8_t *nothing = NULL;
	bool any = false, ran;

	_Static_assert(sizeof(request.bytes) == KMEM_PAGE, "a request is a page");
	ran = !bpf_map_update_elem(r->request, &key, &request, BPF_ANY) &&
	      iterate(r->memory, &nothing, 1) >= 0 &&
	      !bpf_map_lookup_elem(r->request, &key, &request);
	free(nothing);
	for (int i = 0; ran && i < KERNEL_READ_CHUNKS; i++)
		any |= request.chunk_read[i];
	memcpy(page, request.bytes, KMEM_PAGE);
	return any;
}

static uint64_t *reader_tasks(void *state, uint32_t *count)
{
	struct bpf_reader *r = state;
	uint8_t *bytes = NULL;
	ssize_t size = iterate(r->tasks, &bytes, MAX_TASKS * sizeof(uint64_t));

	if (size < 0) {
		free(bytes);
		return NULL;
	}
	*count = size / sizeof(uint64_t);
	return (uint64_t *)bytes;
}

static const struct kmem_reader BPF = {
	.name = "BPF",
	.read_page = reader_read_page,
	.tasks = reader_tasks,
	.close = reader_close,
};

static struct err *refused(const char *what, int why)
{
	struct err *e = err_errno(ERR_UNSUPPORTED, why, "kmem: BPF: %s", what);

	if (why == EPERM || why == EACCES)
		return err_next(e, "run as root, or with CAP_BPF and CAP_PERFMON");
	return err_next(e, "needed: Linux 5.8 with CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF; "
			   "else --kcore FILE reads /proc/kcore or a vmcore");
}

static struct bpf_link *attach(struct bpf_object *object, const char *program)
{
	struct bpf_program *p = bpf_object__find_program_by_name(object, program);

	return p ? bpf_program__attach_iter(p, NULL) : NULL;
}

static struct err *load(struct bpf_reader *r)
{
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "hitmap");

	r->object = bpf_object__open_mem(kernel_read_bpf, sizeof(kernel_read_bpf), &options);
	if (!r->object)
		return refused("the program cannot be opened", errno);
	if (bpf_object__load(r->object))
		return refused("the kernel does not load the program", errno);
	r->request = bpf_object__find_map_fd_by_name(r->object, "request");
	r->tasks = attach(r->object, "list_tasks");
	if (r->tasks)
		r->memory = attach(r->object, "read_memory");
	return r->memory ? NULL : refused("the kernel does not attach iterators", errno);
}

struct err *kmem_open_bpf(struct kmem **m)
{
	struct bpf_reader *r = mem_zalloc(sizeof(*r));
	struct err *e;

	*m = NULL;
	libbpf_set_print(NULL); /* errors are told by value */
	e = load(r);
	if (e)
		reader_close(r);
	else
		*m = kmem_new(&BPF, r);
	return e;
}
