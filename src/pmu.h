/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMUs of this machine that can sample memory accesses, as sysfs describes them: type, the
 * fields of their configuration words, named events, capabilities, CPUs. What a field or an event
 * is called and where its bits go is read, never known.
 */
#ifndef HITMAP_PMU_H
#define HITMAP_PMU_H

#include "cpulist.h"
#include "err.h"

#include <stddef.h>

enum pmu_source { PMU_NONE, PMU_PEBS, PMU_IBS, PMU_SPE, PMU_POWER, PMU_SOURCES };

#define PMU_WORDS 4 /* config, config1, config2, config3 of perf_event_attr */

struct pmu_config {
	uint64_t word[PMU_WORDS];
};

/* The value's bit i goes to the i-th lowest bit of "mask". */
struct pmu_field {
	char *name;
	uint32_t word;
	uint64_t mask;
};

/* An event's terms ("event=0xcd,umask=0x1,ldlat=3") or a capability's value. */
struct pmu_text {
	char *name, *text;
};

struct pmu_texts {
	struct pmu_text *text;
	size_t count, room;
};

struct pmu {
	char *name; /* "cpu", "cpu_core", "ibs_op", "arm_spe_0" */
	uint32_t type;
	struct pmu_field *field;
	size_t fields, room;
	struct pmu_texts events, caps;
	bool has_cpus; /* sysfs says which; otherwise it is all of them */
	struct cpulist cpus;
};

struct pmu_set {
	enum pmu_source source; /* one kind: the PMUs of a set work together */
	char why[256];		/* one line: what was found, or what is missing */
	struct pmu *pmu;
	size_t count, room;
	char **note; /* what in sysfs could not be made sense of */
	size_t notes, note_room;
};

const char *pmu_source_name(enum pmu_source s); /* "pebs", "ibs", "spe", "power", "none" */

/*
 * Looks below "root" ("" for the running machine) at sys/bus/event_source/devices for PMUs of kind
 * "wanted", or of whichever kind is there for PMU_NONE.
 */
void pmu_set_find(const char *root, enum pmu_source wanted, struct pmu_set *s);
void pmu_set_deinit(struct pmu_set *s);

const struct pmu_field *pmu_field(const struct pmu *p, const char *name); /* NULL: none such */
uint64_t pmu_field_most(const struct pmu_field *f);			  /* its largest value */
const char *pmu_event(const struct pmu *p, const char *name);		  /* its terms, or NULL */
/* False when there is no such capability or it is no number. */
bool pmu_cap(const struct pmu *p, const char *name, uint64_t *value);

/* ORs "value" into a field, as perf does with a term that an event's own terms have too. */
struct err *pmu_put(const struct pmu *p, const char *name, uint64_t value, struct pmu_config *c);
/* The same for terms "event=0xcd,umask=1,precise": a term without a value is 1. "what" names
 * them in errors. */
struct err *pmu_put_terms(const struct pmu *p, const char *what, const char *terms,
			  struct pmu_config *c);
/* As pmu_put_terms(), but a field's earlier value goes. */
struct err *pmu_set_terms(const struct pmu *p, const char *what, const char *terms,
			  struct pmu_config *c);

#endif
