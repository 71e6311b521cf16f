// SPDX-License-Identifier: GPL-2.0-only
#include "operand.h"
#include "member.h"
#include "mem.h"
#include "type_dwarf_state.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH  8	   /* pointers to pointers that are followed */
#define MAX_STEPS  1000000 /* of all searches for one operand */
#define LONGEST	   16	   /* bytes of an instruction */
#define HOOK_FIRST 5	   /* the register of a hook's first argument, the address: rdi */

/* Somewhere in memory: "offset" bytes into a thing of "type". */
struct place {
	enum operand_kind kind;
	Dwarf_Die type; /* not of OPERAND_THREAD */
	int64_t offset;
	bool indexed; /* and an unknown number of "scale" bytes */
	uint8_t scale;
	const char *variable; /* that it is in (OPERAND_FRAME), that points to it; may be NULL */
};

/* One function's code. */
struct reader {
	const struct operand_code *code;
	Dwarf_Die *unit;
	struct disassembly_line *line;
	uint32_t count;
	uint32_t steps;
	bool alone; /* only the instruction was read */
	bool more;  /* and that is not enough */
};

/* The instruction that holds "addr"; its index, or r->count. */
static uint32_t line_at(const struct reader *r, uint64_t addr)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (addr - r->line[i].addr < r->line[i].insn.size)
			return i;
	return r->count;
}

/* ---- what debug information says of registers and the stack */

struct wanted {
	uint8_t base;
	int64_t offset;
	struct type_table *types;
	struct intern *pool;
	struct place found;
	uint64_t size; /* of what is found, bytes */
};

static bool points_to(Dwarf_Die *pointer, Dwarf_Die *type)
{
	int tag;

	if (!die_peel(pointer, true))
		return false;
	tag = dwarf_tag(pointer);
	return (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		tag == DW_TAG_rvalue_reference_type) &&
	       die_type(pointer, type) && die_peel(type, false);
}

static const char *variable_name(struct intern *pool, const struct scope_variable *v)
{
	Dwarf_Die die = v->die;
	const char *name = die_name(&die);

	return name ? intern_string(pool, name) : NULL;
}

/* A pointer whose value is in a register. Of several, as functions inlined into one another have
 * them, the one to the largest thing tells most: to the object, not to its member. */
static bool in_register(void *context, const struct scope_variable *v)
{
	struct wanted *w = context;
	Dwarf_Die die = v->die, pointer, type, whole;
	uint64_t size;

	if (v->kind != SCOPE_REGISTER || v->base != w->base || !die_type(&die, &pointer) ||
	    !points_to(&pointer, &type))
		return false;
	whole = type;
	type_table_complete(w->types, &whole);
	size = type_table_size(w->types, whole);
	if (size == DIE_SIZE_UNKNOWN || (w->found.kind && size <= w->size))
		return false;
	w->size = size;
	w->found = (struct place){ .kind = OPERAND_POINTED,
				   .type = type,
				   .offset = v->offset,
				   .variable = variable_name(w->pool, v) };
	return false;
}

static bool in_frame(void *context, const struct scope_variable *v)
{
	struct wanted *w = context;
	Dwarf_Die die = v->die, type;
	uint64_t at = (uint64_t)w->offset - v->offset, size;

	if (v->kind != SCOPE_MEMORY || v->base != w->base || !die_type(&die, &type))
		return false;
	size = type_table_size(w->types, type);
	if (size == DIE_SIZE_UNKNOWN || at >= size)
		return false;
	w->found = (struct place){ .kind = OPERAND_FRAME,
				   .type = type,
				   .offset = at,
				   .variable = variable_name(w->pool, v) };
	return true;
}

static bool ask_scope(struct reader *r, uint64_t addr, uint8_t base, int64_t offset,
		      bool (*visit)(void *, const struct scope_variable *), struct place *place)
{
	struct dwarf *d = r->code->dwarf;
	struct wanted w = {
		.base = base, .offset = offset, .types = &d->types, .pool = r->code->pool
	};
	struct scope scope;

	if (!r->unit || !scope_find(&d->scopes, r->unit, addr, &scope))
		return false;
	scope_variables(&d->scopes, &scope, visit, &w);
	if (w.found.kind)
		*place = w.found;
	return w.found.kind;
}

/* ---- following registers */

static bool operand_place(struct reader *r, uint32_t i, const struct insn_operand *op, int depth,
			  struct place *place);

/* Where the pointer points that lies at "place". */
static bool follow(struct reader *r, struct place *place)
{
	struct dwarf *d = r->code->dwarf;
	Dwarf_Die leaf, type = place->type;
	struct dwarf_member member = { .path = "" };

	if (!d || place->offset < 0 || place->kind == OPERAND_THREAD ||
	    !member_type(&d->types, type, place->indexed ? 0 : place->offset, &leaf) ||
	    !points_to(&leaf, &place->type))
		return false;
	if (!place->indexed)
		member_name(&d->types, type, place->offset, "", 0, &member);
	place->variable = place->variable && *member.path
				  ? intern_printf(r->code->pool, "%s%s%s", place->variable,
						  member.path[0] == '[' ? "" : ".", member.path)
				  : place->variable;
	place->kind = OPERAND_POINTED;
	place->offset = 0;
	place->indexed = false;
	return true;
}

/* A thread-local variable that the file says the type of. */
static bool thread_place(struct reader *r, struct place *place)
{
	struct dwarf *d = r->code->dwarf;
	const struct symtab_thread_block *block = symtab_thread_block(r->code->symtab);
	struct dwarf_variable *v;
	struct symbol sym;

	if (!d || !block ||
	    !symtab_tls(r->code->names, symtab_thread_offset(r->code->symtab, place->offset), &sym))
		return false;
	v = dwarf_thread_variable(d, sym.addr);
	if (!v || !die_type(&v->die, &place->type))
		return false;
	place->offset = symtab_thread_offset(r->code->symtab, place->offset) - sym.addr;
	place->kind = OPERAND_POINTED;
	place->variable = sym.name;
	return true;
}

/* What "reg" holds once instruction "i" has run. */
static bool result_of(struct reader *r, uint32_t i, int depth, struct place *place)
{
	const struct insn *insn = &r->line[i].insn;

	switch (insn->effect) {
	case INSN_THREAD:
		*place = (struct place){ .kind = OPERAND_THREAD };
		return true;
	case INSN_ADDRESS:
		return operand_place(r, i, &insn->operand, depth, place);
	case INSN_LOAD:
		if (!operand_place(r, i, &insn->operand, depth, place))
			return false;
		if (place->kind == OPERAND_THREAD && !thread_place(r, place))
			return false;
		return follow(r, place);
	default:
		return false;
	}
}

static bool changes(const struct reader *r, const struct insn *insn, uint8_t reg)
{
	uint32_t changed = insn->changed;

	if (insn->effect == INSN_CALL)
		changed |= insn_call_changes(disassembly_decoder(r->code->disassembly));
	return reg >= INSN_REGISTERS || changed >> reg & 1;
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->indexed == b->indexed &&
	       (a->kind == OPERAND_THREAD || a->type.addr == b->type.addr);
}

/* A search for all that "reg" may hold when an instruction begins. */
struct search {
	struct reader *r;
	uint8_t reg;
	int depth;
	uint32_t *work; /* instructions before which is to be looked */
	uint32_t count;
	bool any, failed;
	struct place *place;
};

static void take_result(struct search *s, uint32_t definition, uint32_t next)
{
	const struct insn *insn = &s->r->line[definition].insn;
	struct place place;

	place.kind = OPERAND_UNKNOWN;
	if (!(insn->to == s->reg && result_of(s->r, definition, s->depth + 1, &place)) &&
	    !ask_scope(s->r, s->r->line[next].addr, s->reg, 0, in_register, &place))
		s->failed = true;
	else if (s->any && !same_place(s->place, &place))
		s->failed = true;
	else
		*s->place = place;
	s->any = true;
}

static void look_before(struct search *s, uint32_t previous, uint32_t next)
{
	struct disassembly_line *l = &s->r->line[previous];

	if (l->seen >> s->depth & 1)
		return;
	l->seen |= 1u << s->depth;
	if (changes(s->r, &l->insn, s->reg))
		take_result(s, previous, next);
	else
		s->work[s->count++] = previous;
}

static void look_at_jumps(struct search *s, uint32_t i)
{
	const struct reader *r = s->r;
	bool reached = i && r->line[i - 1].insn.effect != INSN_END;

	if (reached)
		look_before(s, i - 1, i);
	for (uint32_t k = 0; k < r->count && !s->failed; k++)
		if (r->line[k].insn.target == r->line[i].addr) {
			reached = true;
			look_before(s, k, i);
		}
	s->r->steps += r->count;
	s->failed |= !reached || !i; /* by a table of jumps; by the function's caller */
}

/* By what instructions before "i" put into "reg": all ways there must agree. */
static bool searched_place(struct reader *r, uint32_t i, uint8_t reg, int depth,
			   struct place *place)
{
	struct search s = { .r = r, .reg = reg, .depth = depth, .place = place };

	for (uint32_t k = 0; k < r->count; k++)
		r->line[k].seen &= ~(1u << depth);
	s.work = mem_zalloc((r->count + 1) * sizeof(*s.work));
	s.work[s.count++] = i;
	while (s.count && !s.failed) {
		i = s.work[--s.count];
		if (!i || r->line[i].entry)
			look_at_jumps(&s, i);
		else
			look_before(&s, i - 1, i);
		s.failed |= r->steps++ > MAX_STEPS;
	}
	free(s.work);
	return s.any && !s.failed;
}

/* What the address in "reg" is of, when instruction "i" begins. A pointer to a single value may
 * point into something larger, which the code before tells. */
static bool register_place(struct reader *r, uint32_t i, uint8_t reg, int depth,
			   struct place *place)
{
	struct place searched;
	bool known;

	if (depth > MAX_DEPTH)
		return false;
	known = ask_scope(r, r->line[i].addr, reg, 0, in_register, place);
	if (known && !member_is_value(place->type))
		return true;
	if (r->alone) {
		r->more = true;
		return false;
	}
	if (!searched_place(r, i, reg, depth, &searched) ||
	    (known && (searched.kind == OPERAND_THREAD || member_is_value(searched.type))))
		return known;
	*place = searched;
	return true;
}

static bool fixed_place(struct reader *r, uint64_t addr, struct place *place)
{
	struct dwarf *d = r->code->dwarf;
	struct dwarf_variable *v;
	struct symbol sym;

	if (!d || !symtab_data(r->code->names, addr, &sym))
		return false;
	v = dwarf_fixed_variable(d, sym.addr);
	*place = (struct place){ .kind = OPERAND_POINTED,
				 .offset = addr - sym.addr,
				 .variable = sym.name };
	return v && die_type(&v->die, &place->type);
}

static bool base_place(struct reader *r, uint32_t i, uint8_t base, int64_t displacement, int depth,
		       struct place *place)
{
	if (base == INSN_NO_REGISTER)
		return false;
	if (ask_scope(r, r->line[i].addr, base, displacement, in_frame, place))
		return true;
	if (!register_place(r, i, base, depth, place))
		return false;
	place->offset += (uint64_t)displacement;
	return true;
}

static bool operand_place(struct reader *r, uint32_t i, const struct insn_operand *op, int depth,
			  struct place *place)
{
	*place = (struct place){ .kind = OPERAND_THREAD, .offset = op->displacement };
	if (op->thread)
		return op->base == INSN_NO_REGISTER && op->index == INSN_NO_REGISTER;
	if (op->fixed)
		return fixed_place(r, op->displacement, place);
	if (base_place(r, i, op->base, op->displacement, depth, place)) {
		place->indexed |= op->index != INSN_NO_REGISTER;
		place->scale = op->scale;
		return true;
	}
	/* "add %rdx,%rax" does not tell which of the two is the pointer. */
	if (op->scale > 1 || !base_place(r, i, op->index, op->displacement, depth, place))
		return false;
	place->indexed |= op->base != INSN_NO_REGISTER;
	place->scale = 1;
	return true;
}

/* ---- naming */

/* "used[0].count" as "used[].count": which element it is an unknown index says. */
static const char *any_element(struct intern *pool, const char *path)
{
	const char *open = strrchr(path, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? intern_printf(pool, "%.*s[]%s", (int)(open - path), path, close + 1) : NULL;
}

/* Of a single value: "*hits", "hits[]" where it may be any of several. */
static void name_value(struct intern *pool, const struct place *p, bool any, struct operand *o)
{
	const char *of = p->variable;

	o->member.offset = 0;
	if (p->kind == OPERAND_FRAME || !of)
		o->member.path = any ? "[]" : "";
	else
		o->member.path = any ? intern_printf(pool, "%s[]", of)
				     : intern_printf(pool, "*%s", of);
}

static int64_t remainder_of(int64_t n, uint64_t size)
{
	int64_t rest = n % (int64_t)size;

	return rest < 0 ? rest + (int64_t)size : rest;
}

static bool is_value(struct reader *r, Dwarf_Die type)
{
	return die_peel(&type, true) && !die_is_aggregate(dwarf_tag(&type)) &&
	       dwarf_tag(&type) != DW_TAG_array_type;
}

static bool name_values(struct reader *r, const struct place *p, uint64_t size, uint8_t access,
			struct operand *o)
{
	if (size < access) /* copied as if it were something else */
		return false;
	o->member.size = size;
	name_value(r->code->pool, p, p->indexed || p->offset, o);
	return true;
}

/* p->array[i], or p[i].member. */
static bool name_indexed(struct reader *r, const struct place *p, uint64_t size, struct operand *o)
{
	struct type_table *types = &r->code->dwarf->types;
	struct intern *pool = r->code->pool;
	const char *path;

	if (p->offset >= 0 && (uint64_t)p->offset < size &&
	    member_name(types, p->type, p->offset, "", 0, &o->member)) {
		path = any_element(pool, o->member.path);
		if (path) {
			o->member.path = path;
			return true;
		}
	}
	if (!member_name(types, p->type, remainder_of(p->offset, size), "", 0, &o->member))
		return false;
	if (p->kind == OPERAND_FRAME)
		o->member.path = intern_printf(pool, "[].%s", o->member.path);
	return true;
}

static bool name_place(struct reader *r, const struct place *p, uint8_t access, struct operand *o)
{
	struct dwarf *d = r->code->dwarf;
	Dwarf_Die type = p->type;
	uint64_t size;

	type_table_complete(&d->types, &type);
	size = type_table_size(&d->types, type);
	if (!size || size == DIE_SIZE_UNKNOWN || size > INT32_MAX)
		return false;
	o->kind = p->kind;
	o->variable = p->kind == OPERAND_FRAME ? p->variable : NULL;
	o->member.type = type_table_spell(&d->types, type);
	if (is_value(r, type))
		return name_values(r, p, size, access, o);
	if (p->indexed)
		return name_indexed(r, p, size, o);
	/* A flexible array reaches past the type's end; nothing else does. */
	return p->offset >= 0 && member_name(&d->types, type, p->offset, "", 0, &o->member);
}

static bool take_place(struct reader *r, const struct place *p, uint8_t access, struct operand *o)
{
	if (p->kind != OPERAND_THREAD)
		return r->code->dwarf && name_place(r, p, access, o);
	o->kind = OPERAND_THREAD;
	o->offset = p->offset;
	return !p->indexed;
}

/* A hook's call has the address as its first argument. */
static bool is_hook(const struct reader *r, uint32_t i, uint64_t addr)
{
	return r->line[i].insn.effect == INSN_CALL && addr > r->line[i].addr;
}

static bool find_in_function(struct reader *r, uint64_t addr, struct operand *o)
{
	uint32_t i = line_at(r, addr);
	struct place place;
	struct insn *insn;

	if (i == r->count)
		return false;
	insn = &r->line[i].insn;
	if (is_hook(r, i, addr))
		return base_place(r, i, HOOK_FIRST, 0, 0, &place) && take_place(r, &place, 0, o);
	if (insn->memory)
		return operand_place(r, i, &insn->operand, 0, &place) &&
		       take_place(r, &place, insn->operand.size, o);
	o->kind = insn->stack ? OPERAND_STACK : OPERAND_UNKNOWN;
	return insn->stack;
}

/* Without debug information the symbol tells where the function begins. */
static bool function_extent(const struct operand_code *code, Dwarf_Die *unit, uint64_t addr,
			    uint64_t *low, uint64_t *high)
{
	struct scope scope;
	struct symbol sym;

	if (unit && scope_find(&code->dwarf->scopes, unit, addr, &scope)) {
		*low = scope.low;
		*high = scope.high;
	} else if (symtab_code(code->names, addr, &sym) && sym.size) {
		*low = sym.addr;
		*high = sym.addr + sym.size;
	} else {
		*low = addr;
		*high = addr + LONGEST;
	}
	return *low < *high;
}

static bool find_alone(struct reader *r, uint64_t addr, struct operand *o)
{
	struct disassembly_line line;
	bool known = false;

	r->alone = true;
	r->more = !disassembly_at(r->code->disassembly, addr, &line);
	r->line = &line;
	r->count = 1;
	if (!r->more)
		known = find_in_function(r, addr, o);
	r->alone = false;
	return known;
}

static bool find_with_function(struct reader *r, uint64_t addr, struct operand *o)
{
	struct disassembly_function *function;
	uint64_t low, high;

	if (!function_extent(r->code, r->unit, addr, &low, &high))
		return false;
	function = disassembly_read(r->code->disassembly, low, high);
	r->line = function->line;
	r->count = function->count;
	return find_in_function(r, addr, o);
}

bool operand_find(const struct operand_code *code, uint64_t addr, struct operand *o)
{
	struct reader r = { .code = code };
	bool known;

	*o = (struct operand){ .kind = OPERAND_UNKNOWN };
	r.unit = code->dwarf ? dwarf_unit(code->dwarf, addr) : NULL;
	if (!code->disassembly)
		return false;
	known = find_alone(&r, addr, o);
	if (r.more)
		known = find_with_function(&r, addr, o);
	if (!known)
		*o = (struct operand){ .kind = OPERAND_UNKNOWN };
	return known;
}
