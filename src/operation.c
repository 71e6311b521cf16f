// SPDX-License-Identifier: GPL-2.0-only
#include "operation.h"
#include "collect_limit.h"
#include "event_named.h"
#include "mem.h"
#include "symtab.h"
#include "sysfs.h"
#include "tracepoint.h"
#include "uprobe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counter {
	char *name, *label;
	char *filter;	/* of a tracepoint's fields; NULL: none */
	char *path;	/* of a probed file; NULL: there is none */
	uint64_t place; /* of the function in the file */
	struct uprobe probe;
	struct perf_event_attr attr;
	int *fd;
	uint32_t fds, room;
	uint64_t count;
};

struct operation_set {
	struct counter *counter;
	uint32_t counters, room;
	uint64_t (*now)(void);
	uint64_t begin, duration; /* ns */
	bool stopped;
};

struct operation_set *operation_new(uint64_t (*now)(void))
{
	struct operation_set *s = mem_zalloc(sizeof(*s));

	s->now = now;
	return s;
}

static void close_all(struct counter *c)
{
	while (c->fds)
		close(c->fd[--c->fds]);
}

static void counter_deinit(struct counter *c)
{
	close_all(c);
	uprobe_remove(&c->probe);
	free(c->fd);
	free(c->name);
	free(c->label);
	free(c->filter);
	free(c->path);
}

void operation_free(struct operation_set *s)
{
	for (uint32_t i = 0; s && i < s->counters; i++)
		counter_deinit(&s->counter[i]);
	if (s)
		free(s->counter);
	free(s);
}

/* ---- Names */

#define UPROBE "uprobe:"

/* Where a link-time address is in the file; false when no segment loads it from there. */
static bool file_place(const struct symtab *s, uint64_t addr, uint64_t *place)
{
	const struct symtab_segment *g;

	for (uint32_t i = 0; (g = symtab_segment(s, i)); i++) {
		if (addr >= g->addr && addr - g->addr < g->file_size) {
			*place = addr - g->addr + g->offset;
			return true;
		}
	}
	return false;
}

static struct err *find_function(struct counter *c, const char *function)
{
	struct intern *pool = intern_new();
	struct symtab *symbols = NULL;
	struct err *e = symtab_open(c->path, pool, &symbols);
	uint64_t addr;

	if (!e && !symbols)
		e = err_new(ERR_FAILED, "event %s: %s is no ELF file", c->name, c->path);
	else if (!e && (!symtab_function(symbols, function, &addr) ||
			!file_place(symbols, addr, &c->place)))
		e = err_next(err_new(ERR_FAILED, "event %s: %s has no function \"%s\"", c->name,
				     c->path, function),
			     "see its names: nm -C %s, or nm -DC where that shows none", c->path);
	symtab_free(symbols);
	intern_free(pool);
	return e && !err_advice(e) ? err_next(e, "uprobe:PATH:FUNCTION, of a program or library")
				   : e;
}

/* The path as the kernel knows it; as given where there is no such file. */
static char *whole_path(const char *path, size_t length)
{
	char *given = mem_printf("%.*s", (int)length, path), *whole = realpath(given, NULL);

	if (!whole)
		return given;
	free(given);
	return whole;
}

/* Function names may have colons, too: the path ends at the first. */
static struct err *parse_uprobe(struct counter *c, const char *root, uint32_t number)
{
	const char *path = c->name + strlen(UPROBE), *colon = strchr(path, ':');
	struct err *e;
	int64_t id = 0;

	if (!colon || colon == path || !colon[1])
		return err_next(err_new(ERR_USAGE, "event %s: no file and function", c->name),
				"uprobe:PATH:FUNCTION, such as uprobe:/usr/bin/perf:main");
	c->path = whole_path(path, colon - path);
	e = find_function(c, colon + 1);
	if (!e)
		e = uprobe_add(&c->probe, root, c->name, c->path, c->place, number, &id);
	c->attr.type = PERF_TYPE_TRACEPOINT;
	c->attr.config = id;
	return e;
}

/* "system:event/filter/" */
static struct err *parse_tracepoint(struct counter *c, const char *root)
{
	char *name = mem_strdup(c->name), *slash = strchr(name, '/');
	size_t length = strlen(name);
	struct err *e = NULL;
	int64_t id = 0;

	if (slash && (length < 3 || name[length - 1] != '/' || slash + 2 >= name + length))
		e = err_next(err_new(ERR_USAGE, "event %s: a filter stands between two slashes",
				     c->name),
			     "such as signal:signal_generate/sig==10/");
	if (!e && slash) {
		c->filter = mem_strdup(slash + 1);
		c->filter[strlen(c->filter) - 1] = 0;
		*slash = 0;
	}
	if (!e)
		e = event_named_tracepoint(root, name, &id);
	c->attr.type = PERF_TYPE_TRACEPOINT;
	c->attr.config = id;
	free(name);
	return e;
}

static struct err *parse(struct counter *c, const char *root, uint32_t number)
{
	uint64_t config;

	c->attr = (struct perf_event_attr){ .size = sizeof(c->attr), .disabled = 1, .inherit = 1 };
	if (!strncmp(c->name, UPROBE, strlen(UPROBE)))
		return parse_uprobe(c, root, number);
	if (!event_named_software(c->name, &config))
		return parse_tracepoint(c, root);
	c->attr.type = PERF_TYPE_SOFTWARE;
	c->attr.config = config;
	return NULL;
}

struct err *operation_add(struct operation_set *s, const char *root, const char *name,
			  const char *label)
{
	struct counter c = { .name = mem_strdup(name), .label = mem_strdup(label ? label : name) };
	struct err *e;
	bool known = false;

	for (uint32_t i = 0; i < s->counters; i++)
		known = known || !strcmp(s->counter[i].name, name);
	e = known ? NULL : parse(&c, root, s->counters);
	if (e || known) {
		counter_deinit(&c);
		return e;
	}
	mem_grow(&s->counter, &s->room, s->counters);
	s->counter[s->counters++] = c;
	return NULL;
}

/* ---- Opening */

static int64_t paranoid(void)
{
	int64_t level = 2;
	bool there;

	err_free(sysfs_number("", "/proc/sys/kernel/perf_event_paranoid", &level, &there));
	return level;
}

static struct err *not_permitted(struct err *e, const struct operation_who *who)
{
	int level = who->tasks ? 1 : 0;

	if (paranoid() > level)
		return err_next(e, "run as root, or allow it: sysctl kernel.perf_event_paranoid=%d",
				level);
	return err_next(e, "run as root, or with the capability CAP_PERFMON; in a container see "
			   "whether its seccomp filter allows perf_event_open");
}

struct refusal {
	int error;
	enum err_status status;
	const char *next; /* NULL: permission is missing */
};

static const struct refusal refusals[] = {
	{ EACCES, ERR_UNSUPPORTED, NULL },
	{ EPERM, ERR_UNSUPPORTED, NULL },
	{ ENOSYS, ERR_UNSUPPORTED,
	  "this kernel has no perf events (CONFIG_PERF_EVENTS), or a sandbox hides them: record "
	  "without --operation and --target" },
	{ EMFILE, ERR_FAILED,
	  "allow more open files (ulimit -n), or count fewer events, tasks or CPUs" },
	{ ENFILE, ERR_FAILED, "the whole system has no descriptor left: raise sysctl fs.file-max" },
	{ ESRCH, ERR_FAILED, "the task has ended; name one that runs: ps -e" },
	{ ENOENT, ERR_UNSUPPORTED, "this kernel does not count it; leave it out" },
	{ EOPNOTSUPP, ERR_UNSUPPORTED, "this kernel does not count it so; leave it out" },
	{ EINVAL, ERR_UNSUPPORTED, "this kernel does not count it so; leave it out" },
};

static struct err *refused(const struct counter *c, const struct operation_who *who, int error)
{
	static const struct refusal other = { 0, ERR_FAILED, "see dmesg for what the kernel says" };
	const struct refusal *r = &other;
	struct err *e;

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].error == error)
			r = &refusals[i];
	e = err_errno(r->status, error, "event %s: perf_event_open", c->name);
	return r->next ? err_next(e, "%s", r->next) : not_permitted(e, who);
}

static struct err *filter_refused(const struct counter *c, int error)
{
	struct err *e = err_errno(error == EINVAL ? ERR_USAGE : ERR_FAILED, error,
				  "event %s: filter \"%s\"", c->name, c->filter);
	char *name = mem_strdup(c->name), *fields;

	name[strcspn(name, "/")] = 0;
	fields = tracepoint_fields("", name);
	if (fields)
		err_next(e, "a filter such as %.*s==0; the fields are %s",
			 (int)strcspn(fields, ","), fields, fields);
	else
		err_next(e, "leave the filter out");
	free(fields);
	free(name);
	return e;
}

static bool is_fault(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_PAGE_FAULTS ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ ||
						 a->config == PERF_COUNT_SW_ALIGNMENT_FAULTS);
}

/* What happens in the kernel is not counted for a user without privilege: a context switch never
 * is, a fault is where the program made it. The name then says so, as perf writes it. */
static int open_one(struct counter *c, pid_t task, int cpu, unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, &c->attr, task, cpu, -1, flags);

	if (fd < 0 && errno == EACCES && is_fault(&c->attr) && !c->attr.exclude_kernel) {
		char *name = mem_printf("%s:u", c->name);

		free(c->name);
		c->name = name;
		c->attr.exclude_kernel = 1;
		fd = syscall(SYS_perf_event_open, &c->attr, task, cpu, -1, flags);
	}
	return fd;
}

static struct err *open_at(struct counter *c, const struct operation_who *who, pid_t task, int cpu)
{
	unsigned long cgroup = !who->tasks && who->cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0;
	int fd = open_one(c, cgroup ? who->cgroup : task, cpu, cgroup | PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return refused(c, who, errno);
	mem_grow(&c->fd, &c->room, c->fds);
	c->fd[c->fds++] = fd;
	if (c->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, c->filter))
		return filter_refused(c, errno);
	return NULL;
}

static struct err *open_on_cpus(struct counter *c, const struct operation_who *who, pid_t task)
{
	struct err *e = NULL;

	if (!who->cpus)
		return open_at(c, who, task, -1);
	for (uint32_t cpu = 0; cpu < CPULIST_CPUS && !e; cpu++)
		if (cpulist_has(who->cpus, cpu))
			e = open_at(c, who, task, cpu);
	return e;
}

static struct err *open_counter(struct counter *c, const struct operation_who *who)
{
	struct err *e = NULL;

	c->attr.enable_on_exec = who->on_exec;
	if (!who->tasks)
		return open_on_cpus(c, who, -1);
	for (size_t i = 0; i < who->tasks && !e; i++)
		e = open_on_cpus(c, who, who->task[i]);
	return e;
}

struct err *operation_open(struct operation_set *s, const struct operation_who *who)
{
	struct err *e = NULL;

	collect_limit_raise_files();
	for (uint32_t i = 0; i < s->counters && !e; i++)
		e = open_counter(&s->counter[i], who);
	for (uint32_t i = 0; i < s->counters && e; i++)
		close_all(&s->counter[i]);
	return e;
}

/* A translated program's functions are never entered: no count is better than one of 0. */
static struct err *untranslated(const struct operation_set *s)
{
	for (uint32_t i = 0; i < s->counters; i++)
		if (s->counter[i].path)
			return err_next(err_new(ERR_UNSUPPORTED,
						"event %s: QEMU translates the program, its "
						"functions are never entered",
						s->counter[i].name),
					"build it with \"hitmap cc\", or count alone with --source "
					"none");
	return NULL;
}

/* Inherited by the child. What the caller does itself is not counted: it executes no program. */
struct err *operation_open_child(struct operation_set *s, bool translated)
{
	static const pid_t self;
	const struct operation_who who = { &self, 1, NULL, -1, true };
	struct err *e = translated ? untranslated(s) : NULL;

	return e ? e : operation_open(s, &who);
}

/* ---- Counting */

void operation_start(struct operation_set *s)
{
	s->begin = s->now();
	for (uint32_t i = 0; i < s->counters; i++) {
		const struct counter *c = &s->counter[i];

		for (uint32_t k = 0; k < c->fds && !c->attr.enable_on_exec; k++)
			ioctl(c->fd[k], PERF_EVENT_IOC_ENABLE, 0);
	}
}

void operation_stop(struct operation_set *s, bool timed)
{
	uint64_t value;

	s->duration = timed ? s->now() - s->begin : 0;
	s->stopped = true;
	for (uint32_t i = 0; i < s->counters; i++) {
		struct counter *c = &s->counter[i];

		for (uint32_t k = 0; k < c->fds; k++)
			if (read(c->fd[k], &value, sizeof(value)) == (ssize_t)sizeof(value))
				c->count += value;
		close_all(c);
	}
}

struct err *operation_notes(const struct operation_set *s,
			    struct err *(*put)(void *context, const struct note *n), void *context)
{
	struct err *e = NULL;

	for (uint32_t i = 0; i < s->counters && s->stopped && !e; i++) {
		const struct counter *c = &s->counter[i];
		struct note n = { .kind = NOTE_OPERATION };

		n.operation = (struct note_operation){ .name = c->label,
						       .event = c->name,
						       .count = c->count,
						       .duration = s->duration };
		e = put(context, &n);
	}
	return e;
}
