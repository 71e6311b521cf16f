// SPDX-License-Identifier: GPL-2.0-only
/* hitmap objects: where the objects of a kernel sit. */
#include "command.h"
#include "mem.h"
#include "option.h"
#include "output.h"
#include "paths.h"
#include "report_objects.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define KCORE	 "/proc/kcore"
#define KALLSYMS "/proc/kallsyms"

struct objects_command {
	const char *target, *kcore, *types, *map, *output;
	uint32_t top;
	bool all, json, ascii;
};

#define AT(member) offsetof(struct objects_command, member)

static const struct option_row rows[] = {
	{ 0, "target", "NAME|FILE", "only the types of a target (default: all that are found)",
	  OPTION_TEXT, AT(target), 0, 0 },
	{ 0, "kcore", "FILE",
	  "read memory from /proc/kcore or a vmcore (default: by BPF\nfrom the running kernel)",
	  OPTION_TEXT, AT(kcore), 0, 0 },
	{ 'k', "vmlinux", "FILE",
	  "types from this vmlinux or BTF file (default\n" TYPE_BTF_KERNEL ")", OPTION_TEXT,
	  AT(types), 0, 0 },
	{ 0, "system-map", "FILE", "symbols from this System.map (default " KALLSYMS ")",
	  OPTION_TEXT, AT(map), 0, 0 },
	{ 'o', "output", "FILE", "where to write it (default standard output)", OPTION_TEXT,
	  AT(output), 0, 0 },
	{ 0, "top", "N", "show N objects of a kind at most (default 10)", OPTION_U32, AT(top), 1,
	  UINT32_MAX },
	{ 0, "all", NULL, "show every object", OPTION_FLAG, AT(all), 0, 0 },
	{ 0, "json", NULL, "as JSON; docs/json.md describes it", OPTION_FLAG, AT(json), 0, 0 },
	{ 0, "ascii", NULL, "ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
};

static const struct option_usage usage = {
	"objects",
	"[OPTIONS]",
	"Shows where the kernel's contended objects sit now: address, owner, line and half of "
	"fields.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

/* All that one run holds. */
struct objects {
	const struct objects_command *command;
	struct intern *pool;
	struct kobject_kernel kernel;
	struct kernel_symbols *symbols;
	char *no_symbols; /* why */
	struct kobject_set set;
	struct target target[16];
	uint32_t targets;
	struct layout *layout; /* of each type */
	struct objects_type *type;
	uint32_t types, type_room, layout_room;
	struct utsname host;
	bool running; /* the kernel looked at is the one that runs */
};

/* ---- What to read with */

static struct err *open_memory(struct objects *o)
{
	const char *path = o->command->kcore;
	struct err *e = path ? kmem_open_core(path, &o->kernel.memory)
			     : kmem_open_bpf(&o->kernel.memory);

	o->running = !path || !strcmp(path, KCORE);
	return e;
}

static struct err *open_types(struct objects *o)
{
	const char *path = o->command->types;

	if (!path && !o->running)
		return err_next(err_new(ERR_USAGE, "objects: the types of %s are not known",
					o->command->kcore),
				"give the vmlinux of that kernel with -k FILE");
	return type_btf_open(path ?: TYPE_BTF_KERNEL, NULL, o->pool, &o->kernel.types);
}

/* A System.map says where symbols are in the image; the running kernel, where the image is. */
static void move_symbols(struct kernel_symbols *map)
{
	struct kernel_symbols *now;
	uint64_t addr;
	struct err *e = kernel_symbols_open(KALLSYMS, &now);

	if (!e && kernel_symbols_find(now, "_text", &addr))
		kernel_symbols_move(map, "_text", addr);
	kernel_symbols_free(now);
	err_free(e);
}

/* Without symbols less is found, which is said. Only a file that was asked for must be there. */
static struct err *open_symbols(struct objects *o)
{
	const char *path = o->command->map;
	struct err *e;

	if (!path && !o->running)
		return NULL;
	e = kernel_symbols_open(path ?: KALLSYMS, &o->symbols);
	if (e && !path) {
		o->no_symbols = mem_printf("%s%s%s", err_text(e), err_advice(e) ? "; " : "",
					   err_advice(e) ?: "");
		err_free(e);
		return NULL;
	}
	if (!e && path && o->running)
		move_symbols(o->symbols);
	o->kernel.symbols = o->symbols;
	return e;
}

/* ---- What to show */

static int compare_places(const void *x, const void *y)
{
	const struct layout_place *a = x, *b = y;

	return CMP(a->offset, b->offset) ?: CMP(a->size, b->size);
}

static struct objects_type *type_get(struct objects *o, const char *name, struct layout **layout)
{
	for (uint32_t i = 0; i < o->types; i++)
		if (!strcmp(o->type[i].type, name)) {
			*layout = &o->layout[i];
			return &o->type[i];
		}
	mem_grow(&o->layout, &o->layout_room, o->types);
	mem_grow(&o->type, &o->type_room, o->types);
	*layout = &o->layout[o->types];
	type_btf_layout(o->kernel.types, name, *layout);
	o->type[o->types] = (struct objects_type){ .type = name };
	return &o->type[o->types++];
}

static bool has_field(const struct objects_type *t, const char *path)
{
	for (uint32_t i = 0; i < t->fields; i++)
		if (!strcmp(t->field[i].path, path))
			return true;
	return false;
}

static void add_fields(struct objects *o, const struct target_type *from)
{
	struct layout *layout;
	struct objects_type *t = type_get(o, from->type, &layout);

	for (size_t i = 0; i < from->fields; i++) {
		struct layout_place place;

		if (has_field(t, from->field[i]) || !layout_find(layout, from->field[i], &place))
			continue;
		mem_grow(&t->field, &t->room, t->fields);
		t->field[t->fields++] = place;
	}
	if (t->fields)
		qsort(t->field, t->fields, sizeof(*t->field), compare_places);
}

/* Of a kernel whose release is not known, all fields count that its types have. */
static void add_target(struct objects *o, const struct target *t)
{
	uint32_t kernel = o->running ? target_kernel(o->host.release) : 0;

	for (size_t i = 0; i < t->types; i++)
		if (!kernel || (t->type[i].from <= kernel && kernel <= t->type[i].to))
			add_fields(o, &t->type[i]);
}

static struct err *load_target(struct objects *o, const struct paths *paths, const char *name)
{
	struct target *t = &o->target[o->targets];
	struct err *e = target_load(paths->targets, name, t);

	if (e)
		return e;
	o->targets++;
	add_target(o, t);
	return NULL;
}

static struct err *choose_types(struct objects *o)
{
	static const char *const DEFAULTS[] = { "signal", "futex", "mmap_lock", "page_lock" };
	struct paths paths;
	struct layout *layout;
	struct err *e = paths_find(&paths);

	if (!e && o->command->target)
		e = load_target(o, &paths, o->command->target);
	for (size_t i = 0; !e && !o->command->target && i < ARRAY_SIZE(DEFAULTS); i++)
		e = load_target(o, &paths, DEFAULTS[i]);
	for (size_t i = 0; !e && !o->command->target && kobject_kind(i); i++)
		type_get(o, kobject_kind(i)->type, &layout);
	paths_deinit(&paths);
	return e;
}

static struct err *write_objects(struct objects *o)
{
	struct objects_view view = {
		.reader = o->command->kcore ?: kmem_name(o->kernel.memory),
		.kernel = o->running ? o->host.release : NULL,
		.target = o->command->target,
		.set = &o->set,
		.type = o->type,
		.types = o->types,
		.symbols = o->no_symbols,
		.top = o->command->all ? UINT32_MAX : o->command->top,
	};
	struct output out;
	struct err *e = output_open(&out, "objects", o->command->output);

	if (e)
		return e;
	if (o->command->json)
		report_objects_json(out.file, &view);
	else
		report_objects_text(out.file, &view,
				    output_options(&out, 0, false, o->command->ascii).unicode);
	return output_close(&out);
}

static struct err *show(struct objects *o)
{
	struct err *e = open_memory(o);

	if (!e)
		e = open_types(o);
	if (!e)
		e = open_symbols(o);
	if (!e)
		e = choose_types(o);
	if (!e)
		e = kobject_find_all(&o->kernel, &o->set);
	return e ? e : write_objects(o);
}

static void objects_deinit(struct objects *o)
{
	for (uint32_t i = 0; i < o->types; i++) {
		free(o->type[i].field);
		layout_deinit(&o->layout[i]);
	}
	free(o->type);
	free(o->layout);
	for (uint32_t i = 0; i < o->targets; i++)
		target_deinit(&o->target[i]);
	kobject_set_deinit(&o->set);
	kernel_symbols_free(o->symbols);
	free(o->no_symbols);
	type_btf_free(o->kernel.types);
	kmem_free(o->kernel.memory);
	intern_free(o->pool);
}

struct err *cmd_objects(int argc, char **argv)
{
	struct objects_command c = { .top = 10 };
	struct objects o = { .command = &c };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	if (rest < argc)
		return err_next(err_new(ERR_USAGE, "objects: %s is not an option", argv[rest]),
				"see hitmap objects --help");
	o.pool = o.kernel.pool = intern_new();
	uname(&o.host);
	e = show(&o);
	objects_deinit(&o);
	return e;
}
