// SPDX-License-Identifier: GPL-2.0-only
#include "tracepoint.h"
#include "event_named.h"
#include "mem.h"
#include "sysfs.h"

#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

static char *read_format(const char *root, const char *name)
{
	char *folder = event_named_tracefs(root), *text = NULL, *path;
	size_t system = strcspn(name, ":");

	if (!folder || !name[system]) {
		free(folder);
		return NULL;
	}
	path = mem_printf("%s/events/%.*s/%s/format", folder, (int)system, name, name + system + 1);
	err_free(sysfs_read(root, path, &text));
	free(path);
	free(folder);
	return text;
}

static char *list(const struct tep_format_field *f)
{
	char *names = mem_strdup("");

	for (; f; f = f->next) {
		char *longer = mem_printf("%s%s%s", names, *names ? ", " : "", f->name);

		free(names);
		names = longer;
	}
	return names;
}

char *tracepoint_fields(const char *root, const char *name)
{
	char *system = mem_strdup(name), *format = read_format(root, name), *names = NULL;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	char *colon = strchr(system, ':');

	if (!tep)
		mem_exhausted();
	tep_set_loglevel(TEP_LOG_NONE);
	if (colon && format) {
		*colon = 0;
		tep_parse_event(tep, format, strlen(format), system);
		event = tep_find_event_by_name(tep, system, colon + 1);
	}
	if (event)
		names = list(event->format.fields);
	tep_free(tep);
	free(format);
	free(system);
	return names;
}
