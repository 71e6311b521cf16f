// SPDX-License-Identifier: GPL-2.0-only
#include "pmu.h"
#include "mem.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

/* How each kind shows: a device, and for Intel's the event that precise sampling needs. */
static const struct kind {
	enum pmu_source source;
	const char *device; /* a pattern */
	const char *file;   /* must exist in it */
	const char *what;
} kinds[] = {
	{ PMU_PEBS, "cpu", "events/mem-loads", "PEBS memory events" },
	{ PMU_PEBS, "cpu_core", "events/mem-loads", "PEBS memory events" },
	{ PMU_IBS, "ibs_op", "type", "IBS op sampling" },
	{ PMU_SPE, "arm_spe_*", "type", "the statistical profiling extension" },
};

static const char *const names[] = {
	[PMU_NONE] = "none", [PMU_PEBS] = "pebs", [PMU_IBS] = "ibs", [PMU_SPE] = "spe"
};

const char *pmu_source_name(enum pmu_source s)
{
	return names[s];
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Whether device "path" is of kind "k". */
static bool is_kind(const char *path, const struct kind *k)
{
	char *file;
	bool has;

	if (fnmatch(k->device, base_name(path), 0))
		return false;
	file = mem_printf("%s/%s", path, k->file);
	has = !access(file, F_OK);
	free(file);
	return has;
}

static bool find_kind(const glob_t *devices, struct pmu_finding *f)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (size_t i = 0; i < devices->gl_pathc; i++) {
			if (!is_kind(devices->gl_pathv[i], &kinds[k]))
				continue;
			f->source = kinds[k].source;
			snprintf(f->pmu, sizeof(f->pmu), "%s", base_name(devices->gl_pathv[i]));
			snprintf(f->why, sizeof(f->why), "%s (%s)", kinds[k].what, f->pmu);
			return true;
		}
	}
	return false;
}

/* A cpu device without mem-loads is a PMU that cannot sample addresses; mostly there is none at
 * all. */
static void say_missing(const glob_t *devices, struct pmu_finding *f)
{
	const char *cpu = "no cpu with mem-loads";

	if (!devices->gl_pathc) {
		snprintf(f->why, sizeof(f->why),
			 "no hardware sampling: " DEVICES " is empty or "
			 "not there");
		return;
	}
	for (size_t i = 0; i < devices->gl_pathc; i++)
		if (!strcmp(base_name(devices->gl_pathv[i]), "cpu"))
			cpu = "a cpu without mem-loads";
	snprintf(f->why, sizeof(f->why),
		 "no hardware sampling: " DEVICES " has %s, no ibs_op, "
		 "no arm_spe",
		 cpu);
}

void pmu_find(const char *root, struct pmu_finding *f)
{
	char *pattern = mem_printf("%s" DEVICES "/*", root);
	glob_t devices = { 0 };

	*f = (struct pmu_finding){ .source = PMU_NONE };
	if (glob(pattern, 0, NULL, &devices) == GLOB_NOSPACE)
		mem_exhausted();
	free(pattern);
	if (!find_kind(&devices, f))
		say_missing(&devices, f);
	globfree(&devices);
}
