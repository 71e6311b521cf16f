// SPDX-License-Identifier: GPL-2.0-only
#include "event_named.h"
#include "event_attr.h"
#include "mem.h"
#include "sysfs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both of perf's spellings. */
static const struct software {
	const char *name, *other;
	uint64_t config;
} softwares[] = {
	{ "cpu-clock", "cpu-clock", PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", "task-clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "dummy", "dummy", PERF_COUNT_SW_DUMMY },
	{ "alignment-faults", "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS },
};

/* Where tracefs is mounted by custom; elsewhere the table of mounts knows. */
static const char *const tracefs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static const struct software *find_software(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(softwares); i++)
		if (!strcmp(name, softwares[i].name) || !strcmp(name, softwares[i].other))
			return &softwares[i];
	return NULL;
}

bool event_named_software(const char *name, uint64_t *config)
{
	const struct software *s = find_software(name);

	*config = s ? s->config : 0;
	return s;
}

static struct err *not_known(const char *name)
{
	struct err *e = err_new(ERR_USAGE, "event \"%s\" is not known", name);

	return err_next(e, "one of cpu-clock, task-clock, page-faults, minor-faults, major-faults, "
			   "context-switches, cpu-migrations, alignment-faults, or a tracepoint as "
			   "sched:sched_switch");
}

/* ---- Tracepoints */

/* A mounted tracefs's folder from the table of mounts: "none /somewhere tracefs rw 0 0". The text
 * is the caller's. */
static char *mounted_tracefs(const char *root)
{
	char *table, *found = NULL;

	err_free(sysfs_read(root, "/proc/self/mounts", &table));
	for (char *line = table; line && !found; line = strchr(line, '\n')) {
		char folder[256], type[32];

		line += *line == '\n';
		if (sscanf(line, "%*s %255s %31s", folder, type) == 2 && !strcmp(type, "tracefs"))
			found = mem_strdup(folder);
	}
	free(table);
	return found;
}

char *event_named_tracefs(const char *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(tracefs); i++) {
		char *header = mem_printf("%s/events/header_page", tracefs[i]);
		bool there = sysfs_has(root, header);

		free(header);
		if (there)
			return mem_strdup(tracefs[i]);
	}
	return mounted_tracefs(root);
}

/* Mounted, it is root's alone by custom. */
struct err *event_named_no_tracefs(const char *root, const char *name)
{
	char *folder = mounted_tracefs(root);
	struct err *e;

	if (folder)
		e = err_next(err_new(ERR_UNSUPPORTED, "event %s: tracefs in %s may not be read",
				     name, folder),
			     "run as root: only root reads it unless it was mounted otherwise");
	else
		e = err_next(err_new(ERR_UNSUPPORTED, "event %s: tracefs is not mounted", name),
			     "as root: mount -t tracefs tracefs /sys/kernel/tracing");
	free(folder);
	return e;
}

static bool is_word(const char *s, const char *end)
{
	for (const char *at = s; at < end; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
			return false;
	return s < end && *s != '.';
}

struct err *event_named_tracepoint(const char *root, const char *name, int64_t *id)
{
	const char *colon = strchr(name, ':');
	char *folder = event_named_tracefs(root), *path;
	bool there;
	struct err *e;

	if (!colon || !is_word(name, colon) || !is_word(colon + 1, name + strlen(name))) {
		free(folder);
		return not_known(name);
	}
	if (!folder)
		return event_named_no_tracefs(root, name);
	path = mem_printf("%s/events/%.*s/%s/id", folder, (int)(colon - name), name, colon + 1);
	e = sysfs_number(root, path, id, &there);
	if (e) {
		err_free(e);
		e = event_named_no_tracefs(root, name);
	} else if (!there) {
		e = err_next(
			err_new(ERR_USAGE, "event %s: this kernel has no such tracepoint", name),
			"ls %s/events/*", folder);
	}
	free(path);
	free(folder);
	return e;
}

/* ---- Events */

/* What a tracepoint counts comes one by one: no frequency is held. */
static struct err *add_tracepoint(const char *root, struct event_plan *p,
				  const struct plan_request *r, const char *name)
{
	struct plan_event *event;
	int64_t id;
	struct err *e = event_named_tracepoint(root, name, &id);

	if (e)
		return e;
	event = event_attr_add(p, r, PLAN_NAMED, NULL, mem_strdup(name));
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.sample_type |= PERF_SAMPLE_RAW; /* its fields */
	event->attr.config = id;
	event->attr.freq = 0;
	event->attr.sample_period = r->period ? r->period : 1;
	return NULL;
}

static struct err *add_named(const char *root, struct event_plan *p, const struct plan_request *r,
			     const char *name)
{
	const struct software *s = find_software(name);

	if (s) {
		event_attr_add(p, r, PLAN_NAMED, NULL, mem_strdup(s->name))->attr.config =
			s->config;
		return NULL;
	}
	return add_tracepoint(root, p, r, name);
}

struct err *event_named_plan(const char *root, struct event_plan *p, const struct plan_request *r)
{
	char *names = mem_strdup(r->events), *at = names, *name;
	struct err *e = NULL;

	if (r->terms || r->ldlat || r->hitm)
		e = err_next(err_new(ERR_USAGE, "events named with -e have no latency and no terms "
						"of a PMU"),
			     "leave out --ldlat, --hitm and --pmu-terms, or -e");
	while (!e && (name = strsep(&at, ",")))
		e = add_named(root, p, r, name);
	free(names);
	return e;
}
