// SPDX-License-Identifier: GPL-2.0-only
#include "type_dwarf.h"
#include "member.h"
#include "mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RANGES 4000000 /* of code, in all units together: what a damaged file may cost */

struct variable {
	uint64_t addr;
	uint32_t order; /* in the file: the first of equals wins */
	Dwarf_Die die;
};

struct code_range {
	uint64_t low, high;
	Dwarf_Die unit;
};

struct dwarf {
	struct intern *pool;
	int fd;
	Dwarf *dw;
	struct variable *variable; /* sorted by address */
	uint32_t variables, variable_room;
	struct type_table types;
	struct code_range *code; /* sorted by low */
	uint32_t codes, code_room;
	bool has_variables, has_code; /* the tables above are built */
};

/* ---- opening */

struct dwarf *dwarf_open(const char *path, struct intern *pool)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct dwarf *d;
	struct stat st;
	Dwarf_CU *unit = NULL;
	Dwarf *dw = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		dw = dwarf_begin(fd, DWARF_C_READ);
	if (!dw || dwarf_get_units(dw, NULL, &unit, NULL, NULL, NULL, NULL)) {
		dwarf_end(dw);
		close(fd);
		return NULL;
	}
	d = mem_zalloc(sizeof(*d));
	d->pool = pool;
	d->fd = fd;
	d->dw = dw;
	type_table_init(&d->types, dw, pool);
	return d;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	type_table_deinit(&d->types);
	dwarf_end(d->dw);
	close(d->fd);
	free(d->variable);
	free(d->code);
	free(d);
}

/* ---- attributes */

/* ---- source lines */

static int compare_code(const void *a, const void *b)
{
	const struct code_range *x = a, *y = b;

	return CMP(x->low, y->low) ?: CMP(y->high, x->high);
}

static void read_code_ranges(struct dwarf *d)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die root;

	d->has_code = true;
	while (!dwarf_get_units(d->dw, unit, &unit, NULL, NULL, &root, NULL)) {
		Dwarf_Addr base, low, high;
		ptrdiff_t at = 0;

		while ((at = dwarf_ranges(&root, at, &base, &low, &high)) > 0) {
			if (low >= high || d->codes >= MAX_RANGES)
				continue;
			mem_grow(&d->code, &d->code_room, d->codes);
			d->code[d->codes++] = (struct code_range){ low, high, root };
		}
		if (d->codes >= MAX_RANGES)
			break;
	}
	if (d->codes)
		qsort(d->code, d->codes, sizeof(*d->code), compare_code);
}

static struct code_range *unit_of_code(struct dwarf *d, uint64_t addr)
{
	uint32_t low = 0, high;

	/* Not .debug_aranges: not every compiler writes it. */
	if (!d->has_code)
		read_code_ranges(d);
	high = d->codes;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->code[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < d->code[low - 1].high ? &d->code[low - 1] : NULL;
}

bool dwarf_line(struct dwarf *d, uint64_t addr, const char **file, uint32_t *line)
{
	struct code_range *code = unit_of_code(d, addr);
	const char *path, *slash;
	Dwarf_Line *l = code ? dwarf_getsrc_die(&code->unit, addr) : NULL;
	int number = 0;

	if (!l || dwarf_lineno(l, &number) || number <= 0)
		return false;
	path = dwarf_linesrc(l, NULL, NULL);
	if (!path)
		return false;
	slash = strrchr(path, '/');
	*file = intern_string(d->pool, slash ? slash + 1 : path);
	*line = number;
	return true;
}

/* ---- the table of variables */

/* Only variables at a fixed address; thread-local ones have another expression. */
static bool fixed_address(Dwarf_Die *die, uint64_t *addr)
{
	Dwarf_Attribute attr, operand;
	Dwarf_Op *op;
	size_t count;
	Dwarf_Addr value;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &count) ||
	    !count || count > 2 || (count == 2 && op[1].atom != DW_OP_plus_uconst))
		return false;
	if (op[0].atom == DW_OP_addr)
		value = op[0].number;
	else if ((op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index) ||
		 dwarf_getlocation_attr(&attr, &op[0], &operand) ||
		 dwarf_formaddr(&operand, &value))
		return false;
	*addr = value + (count == 2 ? op[1].number : 0);
	return value && value != UINT64_MAX; /* linkers put these for what they threw away */
}

static bool visit_variable(struct die_walk *w, Dwarf_Die *die)
{
	struct dwarf *d = w->user;
	uint64_t addr;

	switch (dwarf_tag(die)) {
	case DW_TAG_variable:
		if (!fixed_address(die, &addr) || d->variables == UINT32_MAX / 2)
			return false;
		mem_grow(&d->variable, &d->variable_room, d->variables);
		d->variable[d->variables] = (struct variable){ addr, d->variables, *die };
		d->variables++;
		return false;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram: /* static locals */
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	return CMP(x->addr, y->addr) ?: CMP(x->order, y->order);
}

static struct variable *find_variable(struct dwarf *d, uint64_t addr)
{
	uint32_t low = 0, high;

	if (!d->has_variables) {
		d->has_variables = true;
		die_walk(d->dw, visit_variable, d);
		if (d->variables)
			qsort(d->variable, d->variables, sizeof(*d->variable), compare_variables);
	}
	high = d->variables;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->variable[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->variables && d->variable[low].addr == addr ? &d->variable[low] : NULL;
}

/* ---- members */

bool dwarf_variable_member(struct dwarf *d, uint64_t addr, uint64_t offset, struct dwarf_member *m)
{
	struct variable *v = find_variable(d, addr);
	Dwarf_Die type;

	*m = (struct dwarf_member){ 0 };
	if (!v || !die_type(&v->die, &type))
		return false;
	m->type = type_table_spell(&d->types, type);
	return member_name(&d->types, type, offset, "", 0, m);
}

/* "T[8]": the length of "T", and the elements (0: not an array). */
static size_t split_array(const char *name, uint64_t *count)
{
	const char *open = strrchr(name, '[');
	char *end = NULL;

	*count = open ? strtoull(open + 1, &end, 10) : 0;
	if (!*count || strcmp(end, "]"))
		return *count = 0, strlen(name);
	while (open > name && open[-1] == ' ')
		open--;
	return open - name;
}

bool dwarf_type_member(struct dwarf *d, const char *name, uint64_t offset, struct dwarf_member *m)
{
	uint64_t count, size;
	size_t len = split_array(name, &count);
	char prefix[32] = "";
	Dwarf_Die type;

	*m = (struct dwarf_member){ 0 };
	if (!type_table_find(&d->types, name, len, &type))
		return false;
	m->type = intern_string(d->pool, name);
	size = type_table_size(&d->types, type);
	if (count && (!size || offset / size >= count))
		return false;
	if (!count && (offset < size || !size || size == DIE_SIZE_UNKNOWN))
		return member_name(&d->types, type, offset, "", 0, m);
	/* What ends in a flexible array is longer than its type, and never one of several. */
	if (!count && member_name(&d->types, type, offset, "", 0, m))
		return true;
	snprintf(prefix, sizeof(prefix), "[%llu]", (unsigned long long)(offset / size));
	return member_name(&d->types, type, offset % size, prefix, offset - offset % size, m);
}
