// SPDX-License-Identifier: GPL-2.0-only
#include "type_dwarf.h"
#include "member.h"
#include "mem.h"
#include "type_dwarf_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RANGES 4000000 /* of code, in all units together: what a damaged file may cost */

/* ---- opening */

static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void open_frames(struct dwarf *d, const char *code)
{
	elf_version(EV_CURRENT);
	d->code_fd = code ? open_regular(code) : -1;
	if (d->code_fd >= 0)
		d->code = elf_begin(d->code_fd, ELF_C_READ, NULL);
	scope_table_init(&d->scopes);
	d->scopes.frames = dwarf_getcfi_elf(d->code ? d->code : dwarf_getelf(d->dw));
	d->scopes.debug_frames = dwarf_getcfi(d->dw);
}

struct dwarf *dwarf_open(const char *path, const char *code, struct intern *pool)
{
	int fd = open_regular(path);
	struct dwarf *d;
	Dwarf_CU *unit = NULL;
	Dwarf *dw;

	if (fd < 0)
		return NULL;
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
	open_frames(d, code);
	return d;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	type_table_deinit(&d->types);
	scope_table_deinit(&d->scopes);
	dwarf_cfi_end(d->scopes.frames);
	dwarf_end(d->dw);
	elf_end(d->code);
	close(d->fd);
	if (d->code_fd >= 0)
		close(d->code_fd);
	free(d->fixed.item);
	free(d->thread.item);
	free(d->range);
	free(d);
}

/* ---- source lines */

static int compare_code(const void *a, const void *b)
{
	const struct dwarf_code_range *x = a, *y = b;

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
			if (low >= high || d->ranges >= MAX_RANGES)
				continue;
			mem_grow(&d->range, &d->range_room, d->ranges);
			d->range[d->ranges++] = (struct dwarf_code_range){ low, high, root };
		}
		if (d->ranges >= MAX_RANGES)
			break;
	}
	if (d->ranges)
		qsort(d->range, d->ranges, sizeof(*d->range), compare_code);
}

Dwarf_Die *dwarf_unit(struct dwarf *d, uint64_t addr)
{
	uint32_t low = 0, high;

	/* Not .debug_aranges: not every compiler writes it. */
	if (!d->has_code)
		read_code_ranges(d);
	high = d->ranges;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (d->range[middle].low <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < d->range[low - 1].high ? &d->range[low - 1].unit : NULL;
}

bool dwarf_line(struct dwarf *d, uint64_t addr, const char **file, uint32_t *line)
{
	Dwarf_Die *unit = dwarf_unit(d, addr);
	const char *path, *slash;
	Dwarf_Line *l = unit ? dwarf_getsrc_die(unit, addr) : NULL;
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

bool dwarf_inlined(struct dwarf *d, uint64_t addr, const char **function, const char **file,
		   uint32_t *line)
{
	Dwarf_Die *unit = dwarf_unit(d, addr);
	struct scope s;
	uint32_t call = 0;

	if (!unit || !scope_find(&d->scopes, unit, addr, &s))
		return false;
	scope_inlined(&s, d->pool, function, file, &call);
	if (call)
		*line = call;
	return *function;
}

/* ---- the table of variables */

/* What an expression begins with: an address that the linker filled in. */
static bool fixed_address(Dwarf_Attribute *location, const Dwarf_Op *op, size_t count,
			  uint64_t *addr)
{
	Dwarf_Attribute operand;
	Dwarf_Addr value;

	if (count > 2 || (count == 2 && op[1].atom != DW_OP_plus_uconst))
		return false;
	if (op[0].atom == DW_OP_addr)
		value = op[0].number;
	else if ((op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index) ||
		 dwarf_getlocation_attr(location, &op[0], &operand) ||
		 dwarf_formaddr(&operand, &value))
		return false;
	*addr = value + (count == 2 ? op[1].number : 0);
	return value && value != UINT64_MAX; /* linkers put these for what they threw away */
}

static bool thread_offset(const Dwarf_Op *op, size_t count, uint64_t *offset)
{
	if (count != 2 ||
	    (op[1].atom != DW_OP_GNU_push_tls_address && op[1].atom != DW_OP_form_tls_address))
		return false;
	switch (op[0].atom) {
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
	case DW_OP_addr:
		*offset = op[0].number;
		return true;
	default:
		return false;
	}
}

static void add_variable(struct dwarf_variables *v, uint64_t addr, Dwarf_Die *die)
{
	if (v->count == UINT32_MAX / 2)
		return;
	mem_grow(&v->item, &v->room, v->count);
	v->item[v->count] = (struct dwarf_variable){ addr, v->count, *die };
	v->count++;
}

static void note_variable(struct dwarf *d, Dwarf_Die *die)
{
	Dwarf_Attribute location;
	Dwarf_Op *op;
	size_t count;
	uint64_t addr;

	if (!dwarf_attr(die, DW_AT_location, &location) ||
	    dwarf_getlocation(&location, &op, &count) || !count)
		return;
	if (fixed_address(&location, op, count, &addr))
		add_variable(&d->fixed, addr, die);
	else if (thread_offset(op, count, &addr))
		add_variable(&d->thread, addr, die);
}

static bool visit_variable(struct die_walk *w, Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_variable:
		note_variable(w->user, die);
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
	const struct dwarf_variable *x = a, *y = b;

	return CMP(x->addr, y->addr) ?: CMP(x->order, y->order);
}

static void build_variables(struct dwarf *d)
{
	struct dwarf_variables *tables[] = { &d->fixed, &d->thread };

	if (d->has_variables)
		return;
	d->has_variables = true;
	die_walk(d->dw, visit_variable, d);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (tables[i]->count)
			qsort(tables[i]->item, tables[i]->count, sizeof(*tables[i]->item),
			      compare_variables);
}

static struct dwarf_variable *find_variable(const struct dwarf_variables *v, uint64_t addr)
{
	uint32_t low = 0, high = v->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (v->item[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->count && v->item[low].addr == addr ? &v->item[low] : NULL;
}

struct dwarf_variable *dwarf_fixed_variable(struct dwarf *d, uint64_t addr)
{
	build_variables(d);
	return find_variable(&d->fixed, addr);
}

struct dwarf_variable *dwarf_thread_variable(struct dwarf *d, uint64_t offset)
{
	build_variables(d);
	return find_variable(&d->thread, offset);
}

/* ---- members */

static bool variable_member(struct dwarf *d, struct dwarf_variable *v, uint64_t offset,
			    struct dwarf_member *m)
{
	Dwarf_Die type;

	*m = (struct dwarf_member){ 0 };
	if (!v || !die_type(&v->die, &type))
		return false;
	m->type = type_table_spell(&d->types, type);
	return member_name(&d->types, type, offset, "", 0, m);
}

bool dwarf_variable_member(struct dwarf *d, uint64_t addr, uint64_t offset, struct dwarf_member *m)
{
	return variable_member(d, dwarf_fixed_variable(d, addr), offset, m);
}

bool dwarf_thread_member(struct dwarf *d, uint64_t addr, uint64_t offset, struct dwarf_member *m)
{
	return variable_member(d, dwarf_thread_variable(d, addr), offset, m);
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
