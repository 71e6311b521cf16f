// SPDX-License-Identifier: GPL-2.0-only
#include "pmu.h"
#include "mem.h"
#include "sysfs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/*
 * How each kind shows: a device, and files that it must have. Power's cpu has memory events but no
 * latency threshold, so it is what is left when the first row does not fit.
 */
static const struct kind {
	enum pmu_source source;
	const char *device;	   /* a pattern */
	const char *file, *second; /* "second" may be NULL */
	const char *what;
} kinds[] = {
	{ PMU_PEBS, "cpu", "events/mem-loads", "format/ldlat", "PEBS memory events" },
	{ PMU_PEBS, "cpu_core", "events/mem-loads", "format/ldlat", "PEBS memory events" },
	{ PMU_PEBS, "cpu_*", "events/mem-loads", "format/ldlat", "PEBS memory events" },
	{ PMU_IBS, "ibs_op", "type", NULL, "IBS op sampling" },
	{ PMU_SPE, "arm_spe_*", "type", NULL, "the statistical profiling extension" },
	{ PMU_POWER, "cpu", "events/mem-loads", NULL, "Power memory events" },
};

static const char *const source_names[] = { [PMU_NONE] = "none",
					    [PMU_PEBS] = "pebs",
					    [PMU_IBS] = "ibs",
					    [PMU_SPE] = "spe",
					    [PMU_POWER] = "power" };

const char *pmu_source_name(enum pmu_source s)
{
	return source_names[s];
}

static void note(struct pmu_set *s, struct err *e)
{
	mem_grow(&s->note, &s->note_room, s->notes);
	s->note[s->notes++] = mem_strdup(err_text(e));
	err_free(e);
}

/* ---- Fields: "config1:0-15", "config:8-15,40-47" */

static const char *const words[PMU_WORDS] = { "config", "config1", "config2", "config3" };

/* The word that "text" begins with and a colon ends; PMU_WORDS when it is none. "*bits": behind the
 * colon. */
static uint32_t take_word(const char *text, const char **bits)
{
	for (uint32_t i = 0; i < PMU_WORDS; i++) {
		size_t length = strlen(words[i]);

		if (!strncmp(text, words[i], length) && text[length] == ':') {
			*bits = text + length + 1;
			return i;
		}
	}
	return PMU_WORDS;
}

/* The bits of a list are those of a CPU list, up to 63. */
static bool bits_of(const char *text, uint64_t *mask)
{
	struct cpulist bits;

	if (!cpulist_parse(text, &bits))
		return false;
	for (size_t i = 1; i < ARRAY_SIZE(bits.bits); i++)
		if (bits.bits[i])
			return false;
	*mask = bits.bits[0];
	return *mask != 0;
}

static struct err *add_field(struct pmu *p, const char *name, const char *text)
{
	const char *bits;
	uint64_t mask;
	uint32_t word = take_word(text, &bits);

	if (word == PMU_WORDS || !bits_of(bits, &mask))
		return err_new(ERR_FAILED,
			       "pmu %s: format/%s: \"%.40s\" is not bits of a config word", p->name,
			       name, text);
	mem_grow(&p->field, &p->room, p->fields);
	p->field[p->fields++] = (struct pmu_field){ mem_strdup(name), word, mask };
	return NULL;
}

/* ---- Events and capabilities: kept as text, read when asked for */

static struct err *add_text(struct pmu_texts *t, const char *name, const char *text)
{
	mem_grow(&t->text, &t->room, t->count);
	t->text[t->count++] = (struct pmu_text){ mem_strdup(name), mem_strdup(text) };
	return NULL;
}

static struct err *add_event(struct pmu *p, const char *name, const char *text)
{
	static const char *const beside[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };

	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		const char *end = strrchr(name, '.');

		if (end && !strcmp(end, beside[i]))
			return NULL;
	}
	return add_text(&p->events, name, text);
}

static struct err *add_cap(struct pmu *p, const char *name, const char *text)
{
	return add_text(&p->caps, name, text);
}

/* ---- Reading a device */

static const struct folder {
	const char *name;
	struct err *(*add)(struct pmu *p, const char *name, const char *text);
} folders[] = {
	{ "format", add_field },
	{ "events", add_event },
	{ "caps", add_cap },
};

static void read_folder(const char *root, struct pmu *p, const struct folder *f, struct pmu_set *s)
{
	char *path = mem_printf(DEVICES "/%s/%s", p->name, f->name);
	struct sysfs_names n = sysfs_list(root, path);

	for (size_t i = 0; i < n.count; i++) {
		char *file = mem_printf("%s/%s", path, n.name[i]), *text;
		struct err *e = sysfs_read(root, file, &text);

		if (!e && text)
			e = f->add(p, n.name[i], text);
		if (e)
			note(s, e);
		free(text);
		free(file);
	}
	sysfs_names_deinit(&n);
	free(path);
}

/* Core PMUs of hybrid machines say "cpus", others "cpumask". */
static void read_cpus(const char *root, struct pmu *p, struct pmu_set *s)
{
	static const char *const names[] = { "cpus", "cpumask" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && !p->has_cpus; i++) {
		char *path = mem_printf(DEVICES "/%s/%s", p->name, names[i]), *text;
		struct err *e = sysfs_read(root, path, &text);

		if (!e && text && !cpulist_parse(text, &p->cpus))
			e = err_new(ERR_FAILED, "pmu %s: %s: \"%.40s\" is not a list of CPUs",
				    p->name, names[i], text);
		else if (!e && text)
			p->has_cpus = true;
		if (e)
			note(s, e);
		free(text);
		free(path);
	}
}

/* A PMU without a type cannot be opened: false, and a note says so. */
static bool read_type(const char *root, struct pmu *p, struct pmu_set *s)
{
	char *path = mem_printf(DEVICES "/%s/type", p->name);
	int64_t value = 0;
	bool there;
	struct err *e = sysfs_number(root, path, &value, &there);

	if (!e && !there)
		e = err_new(ERR_FAILED, "pmu %s: it has no type", p->name);
	else if (!e && (value < 0 || value > UINT32_MAX))
		e = err_new(ERR_FAILED, "pmu %s: %lld is not a type", p->name, (long long)value);
	p->type = value;
	free(path);
	if (e)
		note(s, e);
	return !e;
}

static void texts_deinit(struct pmu_texts *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->text[i].name);
		free(t->text[i].text);
	}
	free(t->text);
}

static void pmu_deinit(struct pmu *p)
{
	for (size_t i = 0; i < p->fields; i++)
		free(p->field[i].name);
	free(p->field);
	texts_deinit(&p->events);
	texts_deinit(&p->caps);
	free(p->name);
}

static void add_pmu(const char *root, const char *name, struct pmu_set *s)
{
	struct pmu p = { .name = mem_strdup(name) };

	if (!read_type(root, &p, s)) {
		pmu_deinit(&p);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		read_folder(root, &p, &folders[i], s);
	read_cpus(root, &p, s);
	mem_grow(&s->pmu, &s->room, s->count);
	s->pmu[s->count++] = p;
}

/* ---- Which devices */

static bool has_file(const char *root, const char *device, const char *file)
{
	char *path = mem_printf(DEVICES "/%s/%s", device, file);
	bool has = sysfs_has(root, path);

	free(path);
	return has;
}

static bool is_kind(const char *root, const char *device, const struct kind *k)
{
	return !fnmatch(k->device, device, 0) && has_file(root, device, k->file) &&
	       (!k->second || has_file(root, device, k->second));
}

static bool is_known(const struct pmu_set *s, const char *device)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->pmu[i].name, device))
			return true;
	return false;
}

/* "PEBS memory events (cpu_core, cpu_atom)" */
static void say_found(struct pmu_set *s, const char *what)
{
	size_t used = snprintf(s->why, sizeof(s->why), "%s (", what);

	for (size_t i = 0; i < s->count && used < sizeof(s->why); i++)
		used += snprintf(s->why + used, sizeof(s->why) - used, "%s%s", i ? ", " : "",
				 s->pmu[i].name);
	if (used < sizeof(s->why))
		snprintf(s->why + used, sizeof(s->why) - used, ")");
}

/* A pattern's row comes behind those of the names that go first. */
static void add_kind(const char *root, const struct sysfs_names *devices, const struct kind *k,
		     struct pmu_set *s)
{
	for (size_t i = 0; i < devices->count; i++) {
		const char *device = devices->name[i];

		if (is_known(s, device) || !is_kind(root, device, k))
			continue;
		add_pmu(root, device, s);
		if (!s->count)
			continue;
		s->source = k->source;
		say_found(s, k->what);
	}
}

/* A cpu device without mem-loads is a PMU that cannot sample addresses; mostly there is none at
 * all. */
static void say_missing(const struct sysfs_names *devices, struct pmu_set *s)
{
	const char *cpu = "no cpu with mem-loads";

	if (s->notes) {
		snprintf(s->why, sizeof(s->why), "no hardware sampling: %.220s", s->note[0]);
		return;
	}
	if (!devices->count) {
		snprintf(s->why, sizeof(s->why),
			 "no hardware sampling: " DEVICES " is empty or "
			 "not there");
		return;
	}
	for (size_t i = 0; i < devices->count; i++)
		if (!strcmp(devices->name[i], "cpu"))
			cpu = "a cpu without mem-loads";
	snprintf(s->why, sizeof(s->why),
		 "no hardware sampling: " DEVICES " has %s, no ibs_op, "
		 "no arm_spe",
		 cpu);
}

static void find(const char *root, enum pmu_source wanted, struct pmu_set *s)
{
	struct sysfs_names devices = sysfs_list(root, DEVICES);

	*s = (struct pmu_set){ .source = PMU_NONE };
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		if (wanted != PMU_NONE && kinds[k].source != wanted)
			continue;
		if (s->source == PMU_NONE || s->source == kinds[k].source)
			add_kind(root, &devices, &kinds[k], s);
	}
	if (s->source == PMU_NONE)
		say_missing(&devices, s);
	sysfs_names_deinit(&devices);
}

void pmu_set_find(const char *root, enum pmu_source wanted, struct pmu_set *s)
{
	struct pmu_set any;

	find(root, wanted, s);
	if (wanted == PMU_NONE || s->source != PMU_NONE)
		return;
	find(root, PMU_NONE, &any);
	if (any.source != PMU_NONE)
		snprintf(s->why, sizeof(s->why), "no %s here: the machine has %.200s",
			 pmu_source_name(wanted), any.why);
	pmu_set_deinit(&any);
}

void pmu_set_deinit(struct pmu_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		pmu_deinit(&s->pmu[i]);
	free(s->pmu);
	for (size_t i = 0; i < s->notes; i++)
		free(s->note[i]);
	free(s->note);
	*s = (struct pmu_set){ 0 };
}

/* ---- Asking */

const struct pmu_field *pmu_field(const struct pmu *p, const char *name)
{
	for (size_t i = 0; i < p->fields; i++)
		if (!strcmp(p->field[i].name, name))
			return &p->field[i];
	return NULL;
}

uint64_t pmu_field_most(const struct pmu_field *f)
{
	int bits = __builtin_popcountll(f->mask);

	return bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

static const char *text_of(const struct pmu_texts *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->text[i].name, name))
			return t->text[i].text;
	return NULL;
}

const char *pmu_event(const struct pmu *p, const char *name)
{
	return text_of(&p->events, name);
}

static bool is_value(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return end != text && !*end && !errno && *text >= '0' && *text <= '9';
}

bool pmu_cap(const struct pmu *p, const char *name, uint64_t *value)
{
	const char *text = text_of(&p->caps, name);

	return text && is_value(text, value);
}

/* ---- Terms */

static uint64_t scatter(uint64_t value, uint64_t mask)
{
	uint64_t out = 0;

	for (; mask; mask &= mask - 1, value >>= 1)
		if (value & 1)
			out |= mask & -mask;
	return out;
}

static char *field_names(const struct pmu *p)
{
	char *names = mem_strdup("");

	for (size_t i = 0; i < p->fields; i++) {
		char *longer = mem_printf("%s%s%s", names, i ? ", " : "", p->field[i].name);

		free(names);
		names = longer;
	}
	return names;
}

static struct err *unknown_field(const struct pmu *p, const char *name)
{
	char *names = field_names(p);
	struct err *e = err_new(ERR_USAGE, "pmu %s: it has no field \"%.40s\"", p->name, name);

	err_next(e, "its fields: %s", *names ? names : "none");
	free(names);
	return e;
}

/* "config2=3" writes a word as it is; otherwise the field's place is in format/. */
static bool find_place(const struct pmu *p, const char *name, struct pmu_field *place)
{
	const struct pmu_field *f = pmu_field(p, name);

	for (uint32_t i = 0; !f && i < PMU_WORDS; i++) {
		if (!strcmp(name, words[i])) {
			*place = (struct pmu_field){ NULL, i, UINT64_MAX };
			return true;
		}
	}
	if (f)
		*place = *f;
	return f;
}

static struct err *put(const struct pmu *p, const char *name, uint64_t value, bool replace,
		       struct pmu_config *c)
{
	struct pmu_field f;

	if (!find_place(p, name, &f))
		return unknown_field(p, name);
	if (value > pmu_field_most(&f))
		return err_next(err_new(ERR_USAGE, "pmu %s: %s=%llu does not fit", p->name, name,
					(unsigned long long)value),
				"%s is at most %llu", name, (unsigned long long)pmu_field_most(&f));
	if (replace)
		c->word[f.word] &= ~f.mask;
	c->word[f.word] |= scatter(value, f.mask);
	return NULL;
}

struct err *pmu_put(const struct pmu *p, const char *name, uint64_t value, struct pmu_config *c)
{
	return put(p, name, value, false, c);
}

/* "name=value" or "name" in "term", which is written to. */
static struct err *put_term(const struct pmu *p, char *term, bool replace, struct pmu_config *c)
{
	char *equals = strchr(term, '=');
	uint64_t value = 1;

	if (equals)
		*equals = 0;
	if (!*term)
		return err_new(ERR_USAGE, "pmu %s: a term has no name", p->name);
	if (equals && !is_value(equals + 1, &value))
		return err_next(err_new(ERR_USAGE, "pmu %s: %.40s=%.40s has no number", p->name,
					term, equals + 1),
				"terms look like event=0xcd,umask=1");
	return put(p, term, value, replace, c);
}

static struct err *put_all(const struct pmu *p, const char *what, const char *terms, bool replace,
			   struct pmu_config *c)
{
	char *copy = mem_strdup(terms), *rest = copy, *term;
	struct err *e = NULL;

	while (!e && (term = strsep(&rest, ",")))
		e = put_term(p, term, replace, c);
	free(copy);
	return e ? err_within(e, "%s", what) : NULL;
}

struct err *pmu_put_terms(const struct pmu *p, const char *what, const char *terms,
			  struct pmu_config *c)
{
	return put_all(p, what, terms, false, c);
}

struct err *pmu_set_terms(const struct pmu *p, const char *what, const char *terms,
			  struct pmu_config *c)
{
	return put_all(p, what, terms, true, c);
}
