/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine and this user can measure with: the sources of a recording one by one, each
 * usable or with the layer that fails and the next step, and the facts behind them. Read below a
 * root; events are opened for real only on the running machine.
 */
#ifndef HITMAP_DOCTOR_H
#define HITMAP_DOCTOR_H

#include "emulator.h"
#include "probe.h"

enum doctor_verdict { DOCTOR_NO, DOCTOR_YES, DOCTOR_UNTRIED, DOCTOR_VERDICTS };

struct doctor_event {
	char *name;
	enum plan_role role;
	struct probe_result result;
};

struct doctor_source {
	const char *key, *name; /* "hardware", "hardware sampling" */
	bool hardware;		/* exit status 3 unless one of these is usable */
	enum doctor_verdict verdict;
	const char *layer; /* what fails: "hypervisor", "permission", ...; NULL */
	char *text;	   /* the evidence */
	char *next;	   /* what to do; NULL */
	struct doctor_event *event;
	size_t events;
};

struct doctor_fact {
	const char *key, *name; /* "kptr_restrict", "kernel pointers" */
	char *text;		/* NULL: not readable here */
	char *next;		/* NULL: nothing to do */
};

#define DOCTOR_SOURCES 5
#define DOCTOR_FACTS   24

struct doctor {
	struct doctor_source source[DOCTOR_SOURCES];
	struct doctor_fact fact[DOCTOR_FACTS];
	size_t sources, facts;
};

struct doctor_ask {
	const char *root;		 /* "" for the running machine: then events are opened */
	struct emulator_places emulator; /* where a QEMU is looked for */
};

void doctor_examine(const struct doctor_ask *ask, struct doctor *d);
void doctor_deinit(struct doctor *d);

const char *doctor_verdict_name(enum doctor_verdict v); /* "no", "yes", "untried" */
bool doctor_has_hardware(const struct doctor *d);

#endif
