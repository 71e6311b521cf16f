// SPDX-License-Identifier: GPL-2.0-only
#include "host.h"
#include "mem.h"
#include "sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Absence and nonsense are the same here: what is not known is left as it is. */
static char *text_of(const char *root, const char *path)
{
	char *text;

	err_free(sysfs_read(root, path, &text));
	return text;
}

static bool number_of(const char *root, const char *path, int64_t *value)
{
	int64_t number;
	bool there;

	err_free(sysfs_number(root, path, &number, &there));
	if (there)
		*value = number;
	return there;
}

/*
 * The value of the first line "key<white space>: value" of a /proc file; NULL when there is none.
 * "*length" is up to the end of its line.
 */
static const char *value_of(const char *text, const char *key, int *length)
{
	size_t size = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		at = line + size;
		if (strncmp(line, key, size))
			continue;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		*length = strcspn(at, "\n");
		return at;
	}
	return NULL;
}

static bool cpuinfo_number(const char *text, const char *key, uint32_t *value)
{
	int length;
	const char *at = value_of(text, key, &length);

	if (at)
		*value = strtoul(at, NULL, 0);
	return at;
}

static bool line_has(const char *text, const char *key, const char *word)
{
	int length;
	const char *at = value_of(text, key, &length);
	const char *found = at ? strstr(at, word) : NULL;

	return found && found < at + length;
}

/* How each vendor's /proc/cpuinfo is known, and the lines of its two numbers. */
static const struct cpuinfo {
	enum host_vendor vendor;
	const char *key, *word;
	const char *family, *model, *name;
} cpuinfos[] = {
	{ HOST_INTEL, "vendor_id", "GenuineIntel", "cpu family", "model", "model name" },
	{ HOST_AMD, "vendor_id", "AuthenticAMD", "cpu family", "model", "model name" },
	{ HOST_ARM, "CPU implementer", "0x", "CPU implementer", "CPU part", "model name" },
	{ HOST_POWER, "cpu", "POWER", NULL, NULL, "cpu" },
};

static void read_cpu(const struct cpuinfo *c, const char *text, struct host *h)
{
	int length;
	const char *name = value_of(text, c->name, &length);

	h->vendor = c->vendor;
	if (c->family)
		cpuinfo_number(text, c->family, &h->family);
	if (c->model)
		cpuinfo_number(text, c->model, &h->model);
	if (name)
		snprintf(h->cpu, sizeof(h->cpu), "%.*s", length, name);
	h->hypervisor = line_has(text, "flags", " hypervisor");
}

static void read_cpuinfo(const char *root, struct host *h)
{
	char *text = text_of(root, "/proc/cpuinfo");

	for (size_t i = 0; text && i < ARRAY_SIZE(cpuinfos); i++) {
		if (line_has(text, cpuinfos[i].key, cpuinfos[i].word)) {
			read_cpu(&cpuinfos[i], text, h);
			break;
		}
	}
	free(text);
}

static void read_release(const char *root, struct host *h)
{
	char *text = text_of(root, "/proc/sys/kernel/osrelease");
	unsigned int major, minor;

	h->version = UINT32_MAX;
	if (text && sscanf(text, "%5u.%5u", &major, &minor) == 2) {
		h->version = HOST_VERSION(major, minor > 0xffff ? 0xffff : minor);
		snprintf(h->release, sizeof(h->release), "%s", text);
	}
	free(text);
}

/* Bits of the effective capabilities: include/uapi/linux/capability.h. */
static void read_privileges(const char *root, struct host *h)
{
	char *text = text_of(root, "/proc/self/status");
	int length;
	const char *at = text ? value_of(text, "CapEff", &length) : NULL;
	uint64_t caps = at ? strtoull(at, NULL, 16) : 0;

	h->privileged = caps >> 21 & 1 || caps >> 38 & 1;
	free(text);
}

static void read_online(const char *root, struct host *h)
{
	char *text = text_of(root, "/sys/devices/system/cpu/online");

	if (!text || !cpulist_parse(text, &h->online) || !cpulist_count(&h->online))
		cpulist_add(&h->online, 0, 0); /* one CPU runs this */
	free(text);
}

void host_read(const char *root, struct host *h)
{
	*h = (struct host){ 0 };
	read_cpuinfo(root, h);
	read_release(root, h);
	read_privileges(root, h);
	read_online(root, h);
	h->has_paranoid = number_of(root, "/proc/sys/kernel/perf_event_paranoid", &h->paranoid);
	number_of(root, "/proc/sys/kernel/perf_event_max_sample_rate", &h->most_hz);
}
