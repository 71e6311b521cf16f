// SPDX-License-Identifier: GPL-2.0-only
#include "kobject.h"
#include "map.h"
#include "mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEVELS  33	       /* of user namespaces: 32, and the first */
#define MAX_TASKS   (1u << 22) /* PID_MAX_LIMIT */
#define MAX_BUCKETS (1u << 24)
#define MAX_NODES   1024 /* 1 << CONFIG_NODES_SHIFT */
#define COMM	    16	 /* TASK_COMM_LEN */

/* Where a field is; size 0: this kernel does not have it. */
struct field {
	uint64_t offset, size;
};

struct search {
	const struct kobject_kernel *kernel;
	struct kobject_set *set;
	uint64_t *task;
	uint32_t tasks;
	struct field tgid, comm;
	const struct kobject_kind *kind; /* being looked for */
	uint64_t size;			 /* of its type */
	struct map seen;		 /* addresses of the kind's objects */
};

/* ---- Following fields */

static bool field_find(const struct search *s, const char *type, const char *path, struct field *f)
{
	struct layout l;
	struct layout_place place;
	bool found = type_btf_layout(s->kernel->types, type, &l) && layout_find(&l, path, &place);

	*f = (struct field){ 0 };
	if (found)
		*f = (struct field){ place.offset, place.size };
	layout_deinit(&l);
	return found;
}

static uint64_t type_size(const struct search *s, const char *type)
{
	struct layout l;
	uint64_t size;

	type_btf_layout(s->kernel->types, type, &l);
	size = l.size;
	layout_deinit(&l);
	return size;
}

/* 0 when it cannot be read: what is followed may be freed at any time. */
static uint64_t get(const struct search *s, uint64_t addr, struct field f)
{
	uint64_t value;

	kmem_number(s->kernel->memory, addr + f.offset, f.size, &value);
	return value;
}

static const char *task_name(const struct search *s, uint64_t task)
{
	char comm[COMM + 1] = "";

	kmem_read(s->kernel->memory, task + s->comm.offset, comm, COMM);
	return intern_printf(s->kernel->pool, "pid %" PRIu64 " (%s)", get(s, task, s->tgid), comm);
}

/* ---- What finders say */

static void __attribute__((format(printf, 2, 3))) say_absent(struct search *s, const char *fmt, ...)
{
	struct kobject_set *set = s->set;
	char *why = NULL;
	va_list list;

	va_start(list, fmt);
	if (vasprintf(&why, fmt, list) < 0)
		mem_exhausted();
	va_end(list);
	mem_grow(&set->absent, &set->absent_room, set->absents);
	set->absent[set->absents++] = mem_printf("%s: %s", s->kind->name, why);
	free(why);
}

static bool has_field(struct search *s, const char *type, const char *path, struct field *f)
{
	if (field_find(s, type, path, f))
		return true;
	say_absent(s, "this kernel's BTF has no %s.%s", type, path);
	return false;
}

/* False when it was found before, or is no address of the kernel's. */
static bool is_fresh(struct search *s, uint64_t addr)
{
	bool fresh;

	if (!(addr >> 63))
		return false;
	map_put(&s->seen, addr, 0, &fresh);
	return fresh;
}

static void add_array(struct search *s, uint64_t addr, uint64_t count, uint32_t pid,
		      const char *instance)
{
	struct kobject_set *set = s->set;

	mem_grow(&set->item, &set->room, set->count);
	set->item[set->count++] = (struct kobject){
		.kind = s->kind->name,
		.type = s->kind->type,
		.instance = instance,
		.addr = addr,
		.size = s->size * count,
		.count = count,
		.pid = pid,
	};
}

/* ---- Finders: users */

static bool cred_fields(struct search *s, const char *member, struct field *cred, struct field *f)
{
	return has_field(s, "task_struct", "real_cred", cred) && has_field(s, "cred", member, f);
}

static void find_users(struct search *s)
{
	struct field cred, user, uid;

	if (!cred_fields(s, "user", &cred, &user) || !has_field(s, "user_struct", "uid", &uid))
		return;
	for (uint32_t i = 0; i < s->tasks; i++) {
		uint64_t addr = get(s, get(s, s->task[i], cred), user);

		if (is_fresh(s, addr))
			add_array(
				s, addr, 1, 0,
				intern_printf(s->kernel->pool, "uid %" PRIu64, get(s, addr, uid)));
	}
}

/* A limit is counted in each level: in the user's own ucounts, and in that of who made the
 * namespace, and so on. */
static void find_ucounts(struct search *s)
{
	struct field cred, ucounts, uid, ns, level, outer;

	if (!cred_fields(s, "ucounts", &cred, &ucounts) || !has_field(s, "ucounts", "uid", &uid) ||
	    !has_field(s, "ucounts", "ns", &ns) ||
	    !has_field(s, "user_namespace", "level", &level) ||
	    !has_field(s, "user_namespace", "ucounts", &outer))
		return;
	for (uint32_t i = 0; i < s->tasks; i++) {
		uint64_t addr = get(s, get(s, s->task[i], cred), ucounts);

		for (int n = 0; n < MAX_LEVELS && is_fresh(s, addr); n++) {
			uint64_t space = get(s, addr, ns);

			add_array(s, addr, 1, 0,
				  intern_printf(s->kernel->pool,
						"uid %" PRIu64 " in namespace level %" PRIu64,
						get(s, addr, uid), get(s, space, level)));
			addr = get(s, space, outer);
		}
	}
}

/* ---- Finders: processes */

static void find_of_task(struct search *s, const char *member)
{
	struct field f;

	if (!has_field(s, "task_struct", member, &f))
		return;
	for (uint32_t i = 0; i < s->tasks; i++) {
		uint64_t addr = get(s, s->task[i], f);

		if (is_fresh(s, addr))
			add_array(s, addr, 1, get(s, s->task[i], s->tgid),
				  task_name(s, s->task[i]));
	}
}

static void find_mms(struct search *s)
{
	find_of_task(s, "mm");
}

static void find_sighands(struct search *s)
{
	find_of_task(s, "sighand");
}

static void find_private_hashes(struct search *s)
{
	struct field mm, hash, mask, queues;

	if (!has_field(s, "task_struct", "mm", &mm) ||
	    !has_field(s, "mm_struct", "futex_phash", &hash) ||
	    !has_field(s, "futex_private_hash", "hash_mask", &mask) ||
	    !has_field(s, "futex_private_hash", "queues", &queues))
		return;
	for (uint32_t i = 0; i < s->tasks; i++) {
		uint64_t of = get(s, s->task[i], mm), addr = of ? get(s, of, hash) : 0;
		uint64_t count = addr ? get(s, addr, mask) + 1 : 0;

		/* Without buckets of its own (mask 0) a process uses the global ones. */
		if (count > 1 && count <= MAX_BUCKETS && is_fresh(s, addr))
			add_array(s, addr + queues.offset, count, get(s, s->task[i], s->tgid),
				  task_name(s, s->task[i]));
	}
}

/* ---- Finders: from symbols */

static bool has_symbol(struct search *s, const char *name, uint64_t *addr)
{
	if (s->kernel->symbols && kernel_symbols_find(s->kernel->symbols, name, addr))
		return true;
	say_absent(s, "there is no symbol %s%s", name,
		   s->kernel->symbols ? "" : ": no symbols are known");
	return false;
}

static uint64_t get_word(const struct search *s, uint64_t addr)
{
	return get(s, addr, (struct field){ 0, 8 });
}

/*
 * __futex_data is { queues, hashsize } up to 6.15, then { hashmask, hashshift, queues[nodes] }:
 * what comes first is a pointer or a small number. Its type has no name, so that BTF does not tell.
 */
static void find_global_buckets(struct search *s)
{
	uint64_t data, first, count;

	if (!has_symbol(s, "__futex_data", &data))
		return;
	first = get_word(s, data);
	if (first >> 63) {
		count = get_word(s, data + 8);
		if (count && count <= MAX_BUCKETS)
			add_array(s, first, count, 0, "global");
		return;
	}
	count = first + 1;
	if (count <= 1 || count > MAX_BUCKETS)
		return;
	for (uint32_t node = 0; node < MAX_NODES; node++) {
		uint64_t queues = get_word(s, data + 16 + 8 * (uint64_t)node);

		if (!(queues >> 63))
			break;
		add_array(s, queues, count, 0,
			  intern_printf(s->kernel->pool, "node %" PRIu32, node));
	}
}

/* All of them, as one array: an element's number is the page frame's. */
static void find_pages(struct search *s)
{
	uint64_t variable, base, pages;

	if (!has_symbol(s, "vmemmap_base", &variable) || !has_symbol(s, "max_pfn", &pages))
		return;
	base = get_word(s, variable);
	pages = get_word(s, pages);
	if (base >> 63 && pages && pages < 1ULL << 40)
		add_array(s, base, pages, 0, "pfn");
}

/* ---- The table */

static const struct {
	struct kobject_kind kind;
	void (*find)(struct search *s);
} KINDS[] = {
	{ { "user_struct", "user_struct", "what a user has, one for each uid" }, find_users },
	{ { "ucounts", "ucounts", "limits of a user in a user namespace" }, find_ucounts },
	{ { "mm_struct", "mm_struct", "a process's memory" }, find_mms },
	{ { "sighand_struct", "sighand_struct", "a process's signal handlers" }, find_sighands },
	{ { "futex_private", "futex_hash_bucket", "a process's own futex buckets" },
	  find_private_hashes },
	{ { "futex_global", "futex_hash_bucket", "futex buckets that all share" },
	  find_global_buckets },
	{ { "page", "page", "page frames" }, find_pages },
};

const struct kobject_kind *kobject_kind(size_t i)
{
	return i < ARRAY_SIZE(KINDS) ? &KINDS[i].kind : NULL;
}

/* ---- Tasks, where the reader does not list them: all threads from init_task on */

static void add_task(struct search *s, uint64_t task, uint32_t *room)
{
	if (!is_fresh(s, task))
		return;
	mem_grow(&s->task, room, s->tasks);
	s->task[s->tasks++] = task;
}

/* A list_head ends where it began; a damaged one at the bound. */
static void walk_threads(struct search *s, uint64_t leader, struct field signal, struct field head,
			 struct field node, uint32_t *room)
{
	uint64_t first = get(s, leader, signal) + head.offset, at = get_word(s, first);

	for (uint32_t n = 0; at != first && at >> 63 && n < MAX_TASKS; n++, at = get_word(s, at))
		add_task(s, at - node.offset, room);
}

static struct err *walk_tasks(struct search *s)
{
	struct field next, signal, head, node;
	uint32_t room = 0;
	uint64_t first, at;

	if (!s->kernel->symbols || !kernel_symbols_find(s->kernel->symbols, "init_task", &first))
		return err_next(err_new(ERR_UNSUPPORTED, "kobject: there is no symbol init_task, "
							 "from which tasks are found"),
				"give the System.map of this kernel with --system-map FILE");
	if (!field_find(s, "task_struct", "tasks", &next) ||
	    !field_find(s, "task_struct", "signal", &signal) ||
	    !field_find(s, "signal_struct", "thread_head", &head) ||
	    !field_find(s, "task_struct", "thread_node", &node))
		return err_new(ERR_UNSUPPORTED, "kobject: BTF does not tell how tasks are listed");
	at = first;
	do {
		add_task(s, at, &room);
		walk_threads(s, at, signal, head, node, &room);
		at = get_word(s, at + next.offset) - next.offset;
	} while (at != first && (at + next.offset) >> 63 && s->tasks < MAX_TASKS);
	if (!get_word(s, first + next.offset))
		return err_next(err_new(ERR_FAILED, "kobject: init_task is not where the symbols "
						    "say"),
				"are they of this very kernel?");
	return NULL;
}

static struct err *find_tasks(struct search *s)
{
	if (!field_find(s, "task_struct", "tgid", &s->tgid) ||
	    !field_find(s, "task_struct", "comm", &s->comm))
		return err_next(err_new(ERR_FAILED, "kobject: the types hold no task_struct"),
				"give a kernel's vmlinux or its BTF with -k FILE");
	s->task = kmem_tasks(s->kernel->memory, &s->tasks);
	return s->task ? NULL : walk_tasks(s);
}

static void find_kind(struct search *s, size_t i)
{
	s->kind = &KINDS[i].kind;
	s->size = type_size(s, s->kind->type);
	map_init(&s->seen);
	if (s->size)
		KINDS[i].find(s);
	else
		say_absent(s, "this kernel's BTF has no struct %s", s->kind->type);
	map_deinit(&s->seen);
}

struct err *kobject_find_all(const struct kobject_kernel *kernel, struct kobject_set *set)
{
	struct search s = { .kernel = kernel, .set = set };
	struct err *e;

	*set = (struct kobject_set){ 0 };
	map_init(&s.seen);
	e = find_tasks(&s);
	map_deinit(&s.seen);
	set->tasks = s.tasks;
	for (size_t i = 0; !e && i < ARRAY_SIZE(KINDS); i++)
		find_kind(&s, i);
	free(s.task);
	return e;
}

void kobject_set_deinit(struct kobject_set *set)
{
	for (uint32_t i = 0; i < set->absents; i++)
		free(set->absent[i]);
	free(set->absent);
	free(set->item);
	*set = (struct kobject_set){ 0 };
}

struct note kobject_note(const struct kobject *o, struct intern *pool)
{
	const char *array = o->count == 1 ? "" : intern_printf(pool, "[%" PRIu64 "]", o->count);

	return (struct note){
		.kind = NOTE_OBJECT,
		.object = {
			.pid = o->pid,
			.addr = o->addr,
			.size = o->size,
			.type = intern_printf(pool, "struct %s%s", o->type, array),
			.name = intern_printf(pool, "%s of %s", o->type, o->instance),
		},
	};
}
