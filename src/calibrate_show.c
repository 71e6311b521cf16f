// SPDX-License-Identifier: GPL-2.0-only
#include "calibrate_show.h"
#include "json.h"
#include "mem.h"
#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct {
	const char *key, *words, *distance; /* distance: as machine files call it; NULL: none */
} classes[CALIBRATE_CLASSES] = {
	[CLASS_CORE] = { "same_core", "one core", NULL },
	[CLASS_LLC] = { "same_llc", "same last-level cache", "same_llc" },
	[CLASS_NODE] = { "same_node", "same node, other cache", "same_node" },
	[CLASS_OTHER] = { "other_node", "other node", "other_node" },
};

static bool is_measured(const struct calibrate_pair *p)
{
	return p->hitm.batches;
}

/* The class that a machine file's hold is of: the nearest that is not within a core. */
static const struct calibrate_pair *main_class(const struct calibrate *c)
{
	for (int i = CLASS_LLC; i < CALIBRATE_CLASSES; i++)
		if (is_measured(&c->class[i]))
			return &c->class[i];
	return &c->class[CLASS_CORE];
}

/* ---- Text */

static void put_spread(FILE *out, const char *name, const struct calibrate_spread *s,
		       const char *unit)
{
	if (s->batches)
		fprintf(out, "  %-44s %9.1f %9.1f %9.1f  %s\n", name, s->low, s->typical, s->high,
			unit);
}

static void put_class(FILE *out, const struct calibrate_pair *p)
{
	if (!is_measured(p))
		return;
	fprintf(out, "%s\n", classes[p->class].words);
	put_spread(out, "load of a line that the other has modified", &p->hitm, "ns");
	put_spread(out, "the same, memory of the reader's node", &p->reader_home, "ns");
	put_spread(out, "load of a line that the other has clean", &p->clean, "ns");
	put_spread(out, "locked operation on a line that both have", &p->upgrade, "ns");
	put_spread(out, "compare-and-swap in turns, one way", &p->locked, "ns");
	put_spread(out, "hold: operations until the line is lost", &p->hold, "operations");
}

static const struct calibrate_pair *pair_of(const struct calibrate *c, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < c->pairs; i++)
		if ((c->pair[i].a == a && c->pair[i].b == b) ||
		    (c->pair[i].a == b && c->pair[i].b == a))
			return &c->pair[i];
	return NULL;
}

static const char *shade(double ns, double most, bool unicode)
{
	static const char *const blocks[] = { "░", "▒", "▓", "█" };
	static const char *const signs[] = { ".", "+", "*", "#" };
	int i = ns > most / 2 ? 3 : ns > most / 4 ? 2 : ns > most / 8 ? 1 : 0;

	return unicode ? blocks[i] : signs[i];
}

/* Each pair of CPUs: ns of a transfer in turns, and how it is against the slowest. */
static void put_map(FILE *out, const struct calibrate *c, bool unicode)
{
	double most = 0;

	for (uint32_t i = 0; i < c->pairs; i++)
		most = c->pair[i].locked.typical > most ? c->pair[i].locked.typical : most;
	fprintf(out, "\none transfer between each two CPUs, ns\n  CPU ");
	for (uint32_t i = 0; i < c->cpus; i++)
		fprintf(out, "%6" PRIu32, c->cpu[i].cpu);
	for (uint32_t a = 0; a < c->cpus; a++) {
		fprintf(out, "\n%5" PRIu32 " ", c->cpu[a].cpu);
		for (uint32_t b = 0; b < c->cpus; b++) {
			const struct calibrate_pair *p = pair_of(c, a, b);

			if (p && p->locked.batches)
				fprintf(out, " %s%4.0f", shade(p->locked.typical, most, unicode),
					p->locked.typical);
			else
				fputs("     -", out);
		}
	}
	fprintf(out, "\n  %s more than 1/2 of the slowest, %s 1/4, %s 1/8, %s less\n",
		shade(1, 1, unicode), shade(0.4, 1, unicode), shade(0.2, 1, unicode),
		shade(0, 1, unicode));
}

static void put_curve(FILE *out, const struct calibrate *c)
{
	fprintf(out, "\none shared counter, fetch-and-add\n  %5s %16s %18s %10s\n", "CPUs",
		"million a second", "ns, each operation", "hold");
	for (uint32_t i = 0; i < c->steps; i++) {
		const struct calibrate_step *s = &c->step[i];

		fprintf(out, "  %5" PRIu32 " %16.1f %18.1f ", s->cpus, s->million,
			s->million > 0 ? s->cpus * 1000 / s->million : 0);
		if (s->cpus > 1)
			fprintf(out, "%10.0f\n", s->hold.typical);
		else
			fprintf(out, "%10s\n", "-");
	}
}

static void put_noise(FILE *out, const struct calibrate *c)
{
	const char *why = c->stolen > CALIBRATE_STOLEN
				  ? "the hypervisor took CPUs away"
				  : "transfers differ too much, or CPUs take turns";

	fprintf(out, "\nnoise: 90th percentile of transfers up to %.1f times the 10th; ", c->noise);
	if (isnan(c->stolen))
		fputs("stolen time not known\n", out);
	else
		fprintf(out, "%.1f %% of the time stolen\n", 100 * c->stolen);
	if (c->noisy)
		fprintf(out,
			"This host is too noisy: %s. The figures are what\nhappened, not what "
			"the machine can do: measure again when it is idle%s.\n",
			why, c->virtual ? ",\nwith virtual CPUs that have cores of their own" : "");
	else if (c->virtual)
		fputs("A virtual machine: its CPUs may move to other cores, and figures with "
		      "them.\n",
		      out);
}

void calibrate_show_text(FILE *out, const struct calibrate *c, bool unicode)
{
	fprintf(out,
		"%" PRIu32 " of %" PRIu32 " CPUs measured: %" PRIu32 " node%s, %" PRIu32
		" last-level cache%s a node, %" PRIu32 " core%s each, %" PRIu32
		" thread%s a core\n",
		c->cpus, c->usable, c->nodes, c->nodes == 1 ? "" : "s", c->llcs_per_node,
		c->llcs_per_node == 1 ? "" : "s", c->cores_per_llc,
		c->cores_per_llc == 1 ? "" : "s", c->threads_per_core,
		c->threads_per_core == 1 ? "" : "s");
	fprintf(out, "clock %.0f MHz (%s)\n\n", c->mhz,
		c->mhz_measured ? "measured" : "as the kernel says, or assumed");
	fprintf(out, "  %-44s %9s %9s %9s\n", "", "10 %", "median", "90 %");
	fputs("one CPU alone\n", out);
	put_spread(out, "load of a line in the first-level cache", &c->hit, "ns");
	put_spread(out, "locked operation on such a line", &c->locked, "ns");
	put_spread(out, "load from memory", &c->memory, "ns");
	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		put_class(out, &c->class[i]);
	if (c->nodes == 1)
		fputs("one node: where memory is makes no difference here\n", out);
	put_map(out, c, unicode);
	put_curve(out, c);
	put_noise(out, c);
}

/* ---- JSON */

static void json_spread(struct json_writer *w, const char *key, const struct calibrate_spread *s)
{
	if (!s->batches) {
		json_null(w, key);
		return;
	}
	json_begin_object(w, key);
	json_double(w, "low", s->low);
	json_double(w, "typical", s->typical);
	json_double(w, "high", s->high);
	json_u64(w, "batches", s->batches);
	json_end(w);
}

static void json_pair(struct json_writer *w, const struct calibrate_pair *p)
{
	json_string(w, "class", classes[p->class].key);
	json_spread(w, "hitm_ns", &p->hitm);
	json_spread(w, "hitm_reader_home_ns", &p->reader_home);
	json_spread(w, "clean_ns", &p->clean);
	json_spread(w, "upgrade_ns", &p->upgrade);
	json_spread(w, "cas_ns", &p->locked);
	json_spread(w, "hold_operations", &p->hold);
}

static void json_pairs(struct json_writer *w, const struct calibrate *c)
{
	json_begin_array(w, "classes");
	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		if (is_measured(&c->class[i])) {
			json_begin_object(w, NULL);
			json_pair(w, &c->class[i]);
			json_end(w);
		}
	json_end(w);
	json_begin_array(w, "pairs");
	for (uint32_t i = 0; i < c->pairs; i++) {
		json_begin_object(w, NULL);
		json_u64(w, "writer", c->cpu[c->pair[i].a].cpu);
		json_u64(w, "reader", c->cpu[c->pair[i].b].cpu);
		json_pair(w, &c->pair[i]);
		json_end(w);
	}
	json_end(w);
	json_begin_array(w, "shared_counter");
	for (uint32_t i = 0; i < c->steps; i++) {
		json_begin_object(w, NULL);
		json_u64(w, "cpus", c->step[i].cpus);
		json_double(w, "million_per_second", c->step[i].million);
		json_spread(w, "hold_operations", &c->step[i].hold);
		json_end(w);
	}
	json_end(w);
}

void calibrate_show_json(FILE *out, const struct calibrate *c)
{
	struct json_writer w;

	json_init(&w, out, true);
	json_begin_object(&w, NULL);
	json_string(&w, "format", "hitmap calibrate");
	json_u64(&w, "version", 1);
	json_u64(&w, "cpus", c->usable);
	json_u64(&w, "cpus_measured", c->cpus);
	json_u64(&w, "nodes", c->nodes);
	json_u64(&w, "llcs_per_node", c->llcs_per_node);
	json_u64(&w, "cores_per_llc", c->cores_per_llc);
	json_u64(&w, "threads_per_core", c->threads_per_core);
	json_double(&w, "mhz", c->mhz);
	json_boolean(&w, "mhz_measured", c->mhz_measured);
	json_spread(&w, "hit_ns", &c->hit);
	json_spread(&w, "locked_ns", &c->locked);
	json_spread(&w, "memory_ns", &c->memory);
	json_pairs(&w, c);
	json_double(&w, "stolen", c->stolen);
	json_double(&w, "noise", c->noise);
	json_boolean(&w, "virtual", c->virtual);
	json_boolean(&w, "noisy", c->noisy);
	json_end(&w);
}

/* ---- Machine files; docs/machines.md has the format */

static void put_key(FILE *out, const char *key, const char *distance,
		    const struct calibrate_spread *s, double less)
{
	double ns = s->typical - less;

	fprintf(out, "# %.1f..%.1f ns, the 10th and 90th percentile of %" PRIu32 " batches.\n",
		s->low, s->high, s->batches);
	fprintf(out, "%s%s%s = %.1f ns\n", key, distance ? "_" : "", distance ? distance : "",
		ns > 0.1 ? ns : 0.1);
}

static void put_distance(FILE *out, const struct calibrate *c, const struct calibrate_pair *p)
{
	const char *distance = classes[p->class].distance;

	if (!distance || !is_measured(p))
		return;
	put_key(out, "hitm", distance, &p->hitm, 0);
	if (p->reader_home.batches)
		put_key(out, "hitm_reader_home", NULL, &p->reader_home, 0);
	fputs("# Less a locked operation on a line that no other CPU has.\n", out);
	put_key(out, "upgrade", distance, &p->upgrade, c->locked.typical);
	if (!p->clean.batches)
		fputs("# ESTIMATE: not measured on this processor; as a modified line.\n", out);
	put_key(out, "clean", distance, p->clean.batches ? &p->clean : &p->hitm, 0);
}

static double jitter(const struct calibrate_spread *s)
{
	double percent = s->typical > 0 ? 50 * (s->high - s->low) / s->typical : 10;

	return percent > 90 ? 90 : percent;
}

/* Whole machines only: what does not fit is left out, and that is said. */
static uint32_t put_topology(FILE *out, const struct calibrate *c)
{
	uint32_t others = c->nodes * c->llcs_per_node * c->threads_per_core;
	uint32_t cores = c->cores_per_llc;

	if (cores * others > MODEL_CPUS) {
		cores = MODEL_CPUS / others ?: 1;
		fprintf(out,
			"# %" PRIu32 " cores a last-level cache: no more than %d CPUs can be "
			"modelled.\n",
			c->cores_per_llc, MODEL_CPUS);
	}
	fprintf(out,
		"nodes = %" PRIu32 "\nllcs_per_node = %" PRIu32 "\ncores_per_llc = %" PRIu32
		"\nthreads_per_core = %" PRIu32 "\nplacement = spread\n\n",
		c->nodes, c->llcs_per_node, cores, c->threads_per_core);
	return cores;
}

void calibrate_show_machine(FILE *out, const struct calibrate *c, const char *about)
{
	const struct calibrate_pair *p = main_class(c);
	double lock = c->locked.typical;

	fprintf(out, "# Measured by hitmap calibrate: %s\n", about);
	if (c->noisy)
		fputs("# The host was too noisy to believe these figures: measure again.\n", out);
	fprintf(out, "[machine]\ndescription = %s\n", about);
	fprintf(out, "# %s\nmhz = %.0f\nline_size = 64\n",
		c->mhz_measured ? "Measured with multiplications that wait for each other."
				: "As the kernel says, or assumed.",
		c->mhz);
	put_topology(out, c);
	fputs("[latency]\n", out);
	put_key(out, "hit", NULL, &c->hit, 0);
	put_key(out, "locked", NULL, &c->locked, 0);
	for (int i = 0; i < CALIBRATE_CLASSES; i++)
		put_distance(out, c, &c->class[i]);
	put_key(out, "memory", NULL, &c->memory, 0);
	fprintf(out,
		"# Half the distance of the 10th and 90th percentile of hitm.\n"
		"jitter_percent = %.0f\n\n",
		jitter(&p->hitm));
	fprintf(out,
		"[hold]\n# Runs of %.0f, %.0f and %.0f operations (10th, 50th, 90th percentile of "
		"%" PRIu32 " runs), each a locked\n# operation; low: what follows the first.\n",
		p->hold.low, p->hold.typical, p->hold.high, p->hold.batches);
	fprintf(out, "low = %.1f ns\ntypical = %.1f ns\nhigh = %.1f ns\n",
		(p->hold.low > 1 ? p->hold.low - 1 : 0) * lock, p->hold.typical * lock,
		p->hold.high * lock);
}
