// SPDX-License-Identifier: GPL-2.0-only
#include "tracing_data.h"
#include "event_named.h"
#include "mem.h"
#include "sysfs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Layout: tools/lib/traceevent's trace-cmd.dat of version 0.5. Strings end with their NUL. */
static void put_string(struct blob *b, const char *s)
{
	blob_bytes(b, s, strlen(s) + 1);
}

static void put_file(struct blob *b, const char *root, const char *path)
{
	char *text;

	err_free(sysfs_read(root, path, &text));
	blob_u64(b, text ? strlen(text) + 1 : 0);
	if (text) {
		blob_bytes(b, text, strlen(text));
		blob_bytes(b, "\n", 1); /* what sysfs_read() took off */
	}
	free(text);
}

static void put_named_file(struct blob *b, const char *root, const char *folder, const char *name)
{
	char *path = mem_printf("%s/events/%s", folder, name);

	put_string(b, name);
	put_file(b, root, path);
	free(path);
}

static bool is_tracepoint(const struct plan_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT;
}

/* A system with one event; one that is named twice is told twice. */
static void put_event(struct blob *b, const char *root, const char *folder, const char *name)
{
	size_t system = strcspn(name, ":");
	char *path = mem_printf("%s/events/%.*s/%s/format", folder, (int)system, name,
				name + system + 1);

	blob_bytes(b, name, system);
	blob_bytes(b, "", 1);
	blob_u32(b, 1);
	put_file(b, root, path);
	free(path);
}

void tracing_data_read(const char *root, const struct event_plan *p, struct blob *b)
{
	static const char magic[] = "\027\010\104tracing0.5";
	char *folder = event_named_tracefs(root);
	uint32_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += is_tracepoint(&p->event[i]);
	if (count && folder) {
		put_string(b, magic);
		blob_bytes(b, (uint8_t[]){ BIG_ENDIAN_HERE, sizeof(long) }, 2);
		blob_u32(b, getpagesize());
		put_named_file(b, root, folder, "header_page");
		put_named_file(b, root, folder, "header_event");
		blob_u32(b, 0); /* events of ftrace itself */
		blob_u32(b, count);
		for (size_t i = 0; i < p->count; i++)
			if (is_tracepoint(&p->event[i]))
				put_event(b, root, folder, p->event[i].name);
		blob_u32(b, 0); /* bytes of kallsyms */
		blob_u32(b, 0); /* bytes of printk's formats */
	}
	free(folder);
}
