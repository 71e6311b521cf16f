// SPDX-License-Identifier: GPL-2.0-only
/*
 * names FILE COUNT [list]: names COUNT code addresses of an ELF file that lie evenly in its
 * functions: function, source line, what was inlined, and what the instruction's registers point
 * to. Prints the seconds to the first name and for all others, then the peak memory, MB. "list":
 * prints the addresses instead (link-time), for addr2line.
 */
#include "attrib.h"
#include "mem.h"
#include "symtab.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PID    1
#define MODULE UINT64_C(0x10000000000) /* where it is loaded */
#define HEAP   UINT64_C(0x20000000000)

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void map(struct attrib *a, struct intern *pool, uint64_t start, uint64_t size,
		uint64_t offset, const char *path, uint32_t prot)
{
	struct event ev = { .kind = EVENT_MAP, .pid = PID, .tid = PID, .time = 1 };

	ev.map.start = start;
	ev.map.size = size;
	ev.map.offset = offset;
	ev.map.prot = prot;
	ev.map.path = intern_string(pool, path);
	attrib_event(a, &ev);
}

/* Addresses that lie evenly in the code and in a function; how many there are. */
static uint32_t choose(struct symtab *s, uint64_t *addr, uint32_t count)
{
	const struct symtab_segment *g = symtab_segment(s, 0);
	struct symbol symbol;
	uint32_t n = 0;
	uint64_t step;

	for (uint32_t i = 1; g && !g->code; i++)
		g = symtab_segment(s, i);
	step = g ? g->file_size / (2 * count) ?: 1 : 1;
	for (uint64_t at = 0; g && at < g->file_size && n < count; at += step)
		if (symtab_code(s, g->addr + at, &symbol))
			addr[n++] = g->addr + at;
	return n;
}

/* In another order: rows of a report lie anywhere. */
static void shuffle(uint64_t *addr, uint32_t count)
{
	uint64_t seed = 1;

	for (uint32_t i = count; i > 1; i--) {
		uint32_t k;
		uint64_t swapped = addr[i - 1];

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		k = (seed >> 33) % i;
		addr[i - 1] = addr[k];
		addr[k] = swapped;
	}
}

static bool name(struct attrib *a, uint64_t ip)
{
	const struct mapping *code = attrib_mapping(a, PID, PERF_RECORD_MISC_USER, ip);
	const struct mapping *heap = attrib_mapping(a, PID, PERF_RECORD_MISC_USER, HEAP);
	struct code_place place;
	struct data_place data;
	bool named = attrib_code(a, code, ip, &place) && place.function;

	attrib_data(a, heap, PID, HEAP, &data);
	attrib_data_by_code(a, code, ip, HEAP, &data);
	return named;
}

static int measure(struct symtab *s, struct intern *pool, const char *path, const uint64_t *addr,
		   uint32_t count)
{
	struct attrib *a = attrib_new(pool);
	const struct symtab_segment *g;
	double from = seconds(), first, end;
	struct rusage u;
	uint32_t named = 0;

	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++)
		map(a, pool, MODULE + (g->addr & ~UINT64_C(4095)),
		    (g->size + (g->addr & 4095) + 4095) & ~UINT64_C(4095),
		    g->offset & ~UINT64_C(4095), path, g->code ? PROT_EXEC : PROT_READ);
	map(a, pool, HEAP, 1 << 20, 0, "[heap]", PROT_READ | PROT_WRITE);
	named += name(a, MODULE + addr[0]);
	first = seconds();
	for (uint32_t i = 1; i < count; i++)
		named += name(a, MODULE + addr[i]);
	end = seconds();
	getrusage(RUSAGE_SELF, &u);
	attrib_free(a);
	printf("%.3f %.3f %.1f %u\n", first - from, end - first, u.ru_maxrss / 1024., named);
	return named != count;
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 2 ? atoi(argv[2]) : 0;
	uint64_t *addr = mem_zalloc((count + 1) * sizeof(*addr));
	struct intern *pool = intern_new();
	struct symtab *s = NULL;
	int status = 0;

	if (!count || symtab_open(argv[1], pool, &s) || !s)
		return 2;
	count = choose(s, addr, count);
	shuffle(addr, count);
	if (argc > 3)
		for (uint32_t i = 0; i < count; i++)
			printf("%#" PRIx64 "\n", addr[i]);
	else
		status = measure(s, pool, argv[1], addr, count);
	symtab_free(s);
	intern_free(pool);
	free(addr);
	return status;
}
