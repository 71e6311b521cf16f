// SPDX-License-Identifier: GPL-2.0-only
#include "column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Making figures */

static struct figure absent(void)
{
	return (struct figure){ .known = false };
}

static struct figure count(uint64_t n)
{
	return (struct figure){ .known = true, .count = n };
}

static struct figure count_if(bool known, uint64_t n)
{
	return known ? count(n) : absent();
}

static struct figure text(const char *s)
{
	return (struct figure){ .known = s != NULL, .text = s };
}

static struct figure ratio(double part, double whole)
{
	return whole > 0 ? (struct figure){ .known = true, .real = part / whole } : absent();
}

static struct figure distances(bool known, const struct counts *c)
{
	struct figure f = { .known = known };

	memcpy(f.by_distance, c->hitm, sizeof(f.by_distance));
	return f;
}

/* Nothing is known where there is no whole. */
static struct figure parts(const uint64_t *part, uint32_t count)
{
	struct figure f = { .known = false, .parts.count = count };

	for (uint32_t i = 0; i < count; i++) {
		f.parts.part[i] = part[i];
		f.known |= part[i] != 0;
	}
	return f;
}

/* Of the three replays, in whatever order they came out. */
static struct figure range(const uint64_t by_hold[NOTE_HOLDS], double divisor)
{
	double low = by_hold[0], high = by_hold[0];

	if (!(divisor > 0))
		return absent();
	for (int h = 1; h < NOTE_HOLDS; h++) {
		low = fmin(low, by_hold[h]);
		high = fmax(high, by_hold[h]);
	}
	return (struct figure){ .known = true,
				.range = { by_hold[1] / divisor, low / divisor, high / divisor } };
}

#define COLUMN(name, heading, what, function)                                                      \
	.key = (name), .title = (heading), .kind = FIGURE_##what, .get = (function)

/* ---- The recording */

#define RECORDING(name, expression)                                                                \
	static struct figure recording_##name(const struct view_row *row)                          \
	{                                                                                          \
		const struct view *v = row->view;                                                  \
		const struct profile *p = v->profile;                                              \
		const struct recording *r = v->recording;                                          \
                                                                                                   \
		(void)p;                                                                           \
		(void)r;                                                                           \
		return expression;                                                                 \
	}

RECORDING(path, text(r->path))
RECORDING(source, text(p->model ? "model" : "perf"))
RECORDING(modelled, count(p->model != NULL))
RECORDING(command, text(r->command))
RECORDING(host, text(r->host))
RECORDING(kernel, text(r->kernel))
RECORDING(cpu, text(r->cpu))
RECORDING(recorder, text(r->recorder))
RECORDING(line_size, count(p->line_size))
RECORDING(samples, count(v->samples))
RECORDING(usable, count(p->total.samples))
RECORDING(no_source, count(p->unusable_no_source))
RECORDING(no_address, count(p->unusable_no_address))
RECORDING(malformed, count(r->malformed_records))
RECORDING(without_mapping, count(p->without_mapping))
RECORDING(lost, count(r->lost))
RECORDING(loss, ((struct figure){ .known = true, .real = view_loss(v) }))
RECORDING(truncated, count(r->truncated))
RECORDING(damage, text(r->damage))
RECORDING(throttled, count(r->throttled))
RECORDING(aux_bytes, count(r->aux_bytes))
RECORDING(aux, text(r->aux_kind))
RECORDING(spe_records, count_if(r->spe.recorded, r->spe.records))
RECORDING(spe_collisions, count_if(r->spe.recorded, r->spe.collisions))
RECORDING(spe_full_buffers, count_if(r->spe.recorded, r->spe.truncated))
RECORDING(spe_truncated_bytes, count_if(r->spe.recorded, r->spe.lost_bytes))
RECORDING(caveat, text(p->model ? NULL : data_source_caveat(r->cpuid)))
RECORDING(unknown_records, count(r->unknown_records))
RECORDING(changed_files, count(v->changed_files))
RECORDING(bare_files, count(v->bare_files))
RECORDING(names_asked, count(v->names.asked))
RECORDING(data_no_map, count(v->names.data_no_map))
RECORDING(data_no_symbol, count(v->names.data_no_symbol))
RECORDING(data_no_type, count(v->names.data_no_type))
RECORDING(code_no_map, count(v->names.code_no_map))
RECORDING(code_no_symbol, count(v->names.code_no_symbol))
RECORDING(code_no_line, count(v->names.code_no_line))
RECORDING(loads, count(p->total.loads))
RECORDING(stores, count_if(v->stores_known, p->total.stores))
RECORDING(hitm, distances(v->hitm_known, &p->total))
RECORDING(peer, count(p->total.peer))
RECORDING(locked, count(p->total.locked))
RECORDING(latency, ratio(p->total.latency_sum, p->total.latency_samples))
RECORDING(latency_sum, count_if(p->total.latency_samples, p->total.latency_sum))
RECORDING(cost_of, text(!p->total.latency_samples ? NULL : p->stores_cost ? "accesses" : "loads"))
RECORDING(threads, count_if(p->threads.count, p->threads.count))
RECORDING(cpus, count_if(p->cpus.count, p->cpus.count))
RECORDING(machine_cpus, count_if(r->cpus, r->cpus))
RECORDING(hitm_per_operation,
	  ratio(counts_hitm(&p->total),
		v->hitm_known && !p->model && p->total.samples ? v->operations : 0))
RECORDING(contended_lines, count(p->contended_count))
RECORDING(contended_share, ratio(v->contended_latency, p->total.latency_sum))

const struct column recording_columns[] = {
	{ COLUMN("path", NULL, TEXT, recording_path) },
	{ COLUMN("source", NULL, TEXT, recording_source) },
	{ COLUMN("modelled", NULL, FLAG, recording_modelled) },
	{ COLUMN("command", NULL, TEXT, recording_command) },
	{ COLUMN("host", NULL, TEXT, recording_host) },
	{ COLUMN("kernel", NULL, TEXT, recording_kernel) },
	{ COLUMN("cpu", NULL, TEXT, recording_cpu) },
	{ COLUMN("recorder", NULL, TEXT, recording_recorder) },
	{ COLUMN("line_size", NULL, COUNT, recording_line_size) },
	{ COLUMN("samples", NULL, COUNT, recording_samples) },
	{ COLUMN("usable", NULL, COUNT, recording_usable) },
	{ COLUMN("no_data_source", NULL, COUNT, recording_no_source) },
	{ COLUMN("no_address", NULL, COUNT, recording_no_address) },
	{ COLUMN("malformed", NULL, COUNT, recording_malformed) },
	{ COLUMN("no_mapping", NULL, COUNT, recording_without_mapping) },
	{ COLUMN("lost", NULL, COUNT, recording_lost) },
	{ COLUMN("loss", NULL, SHARE, recording_loss) },
	{ COLUMN("truncated", NULL, FLAG, recording_truncated) },
	{ COLUMN("damage", NULL, TEXT, recording_damage) },
	{ COLUMN("throttled", NULL, COUNT, recording_throttled) },
	{ COLUMN("aux_bytes", NULL, COUNT, recording_aux_bytes) },
	{ COLUMN("aux", NULL, TEXT, recording_aux) },
	{ COLUMN("spe_records", NULL, COUNT, recording_spe_records) },
	{ COLUMN("spe_collisions", NULL, COUNT, recording_spe_collisions) },
	{ COLUMN("spe_full_buffers", NULL, COUNT, recording_spe_full_buffers) },
	{ COLUMN("spe_truncated_bytes", NULL, COUNT, recording_spe_truncated_bytes) },
	{ COLUMN("caveat", NULL, TEXT, recording_caveat) },
	{ COLUMN("unknown_records", NULL, COUNT, recording_unknown_records) },
	{ COLUMN("changed_files", NULL, COUNT, recording_changed_files) },
	{ COLUMN("bare_files", NULL, COUNT, recording_bare_files) },
	{ COLUMN("names_asked", NULL, COUNT, recording_names_asked) },
	{ COLUMN("data_no_map", NULL, COUNT, recording_data_no_map) },
	{ COLUMN("data_no_symbol", NULL, COUNT, recording_data_no_symbol) },
	{ COLUMN("data_no_type", NULL, COUNT, recording_data_no_type) },
	{ COLUMN("code_no_map", NULL, COUNT, recording_code_no_map) },
	{ COLUMN("code_no_symbol", NULL, COUNT, recording_code_no_symbol) },
	{ COLUMN("code_no_line", NULL, COUNT, recording_code_no_line) },
	{ COLUMN("loads", NULL, COUNT, recording_loads) },
	{ COLUMN("stores", NULL, COUNT, recording_stores) },
	{ COLUMN("hitm", NULL, DISTANCES, recording_hitm) },
	{ COLUMN("peer", NULL, COUNT, recording_peer) },
	{ COLUMN("locked", NULL, COUNT, recording_locked) },
	{ COLUMN("latency", NULL, CYCLES, recording_latency) },
	{ COLUMN("latency_sum", NULL, COUNT, recording_latency_sum) },
	{ COLUMN("cost_of", NULL, TEXT, recording_cost_of) },
	{ COLUMN("threads", NULL, COUNT, recording_threads) },
	{ COLUMN("cpus", NULL, COUNT, recording_cpus) },
	{ COLUMN("machine_cpus", NULL, COUNT, recording_machine_cpus) },
	{ COLUMN("hitm_per_operation", NULL, CYCLES, recording_hitm_per_operation) },
	{ COLUMN("contended_lines", NULL, COUNT, recording_contended_lines) },
	{ COLUMN("contended_share", NULL, SHARE, recording_contended_share) },
	{ 0 },
};

/* ---- The model: only where there is one */

#define MODEL(name, expression)                                                                    \
	static struct figure model_##name(const struct view_row *row)                              \
	{                                                                                          \
		const struct view *v = row->view;                                                  \
		const struct note_model *m = v->profile->model;                                    \
                                                                                                   \
		(void)m;                                                                           \
		return expression;                                                                 \
	}

/* What an unfinished run had counted so far says something, a nought does not. */
static struct figure total(const struct note_model *m, uint64_t n)
{
	return count_if(m->complete || n, n);
}

MODEL(machine, text(m->machine))
MODEL(door, text(m->door))
MODEL(mhz, count_if(m->mhz, m->mhz))
MODEL(cpus, count(m->cpus))
MODEL(nodes, count(m->nodes))
MODEL(llcs, count(m->llcs))
MODEL(threads, total(m, m->threads))
MODEL(hold, range(m->hold, 1))
MODEL(cycles, range(m->cycles, m->complete))
MODEL(hitm, range(m->hitm, m->complete))
MODEL(transfers, range(m->transfers, m->complete))
MODEL(instructions, count_if(m->complete, m->instructions))
MODEL(accesses, count_if(m->complete, m->accesses))
MODEL(operations, count_if(v->operations, v->operations))
MODEL(hitm_per_operation, range(m->hitm, m->complete ? v->operations : 0))
MODEL(cycles_per_operation, range(m->cycles, m->complete ? v->operations : 0))
MODEL(forced, total(m, m->forced))
MODEL(breaks, total(m, m->breaks))
MODEL(abandoned, total(m, m->abandoned))
MODEL(unplaced, total(m, m->unplaced))
MODEL(complete, count(m->complete))

const struct column model_columns[] = {
	{ COLUMN("machine", NULL, TEXT, model_machine) },
	{ COLUMN("door", NULL, TEXT, model_door) },
	{ COLUMN("mhz", NULL, COUNT, model_mhz) },
	{ COLUMN("cpus", NULL, COUNT, model_cpus) },
	{ COLUMN("nodes", NULL, COUNT, model_nodes) },
	{ COLUMN("llcs", NULL, COUNT, model_llcs) },
	{ COLUMN("threads", NULL, COUNT, model_threads) },
	{ COLUMN("hold", NULL, COUNT_RANGE, model_hold) },
	{ COLUMN("cycles", NULL, COUNT_RANGE, model_cycles) },
	{ COLUMN("hitm", NULL, COUNT_RANGE, model_hitm) },
	{ COLUMN("transfers", NULL, COUNT_RANGE, model_transfers) },
	{ COLUMN("instructions", NULL, COUNT, model_instructions) },
	{ COLUMN("accesses", NULL, COUNT, model_accesses) },
	{ COLUMN("operations", NULL, COUNT, model_operations) },
	{ COLUMN("hitm_per_operation", NULL, RATE_RANGE, model_hitm_per_operation) },
	{ COLUMN("cycles_per_operation", NULL, RATE_RANGE, model_cycles_per_operation) },
	{ COLUMN("forced", NULL, COUNT, model_forced) },
	{ COLUMN("breaks", NULL, COUNT, model_breaks) },
	{ COLUMN("abandoned", NULL, COUNT, model_abandoned) },
	{ COLUMN("unplaced", NULL, COUNT, model_unplaced) },
	{ COLUMN("complete", NULL, FLAG, model_complete) },
	{ 0 },
};

/* ---- Lines */

static bool has_peers(const struct view *v)
{
	return v->profile->total.peer;
}

static bool has_operations(const struct view *v)
{
	return v->profile->model && v->operations;
}

static const char *const EVIDENCE[] = {
	[EVIDENCE_STORES] = "stores", [EVIDENCE_PEER] = "peer", [EVIDENCE_HITM] = "hitm"
};

static const struct {
	uint8_t route;
	const char *word;
} ROUTES[] = {
	{ ROUTE_SYMBOL, "symbol" }, { ROUTE_NOTE, "note" },   { ROUTE_ALLOCATION, "allocation" },
	{ ROUTE_SHARED, "shared" }, { ROUTE_STACK, "stack" }, { ROUTE_INSTRUCTION, "instruction" },
};

static const char *const CONFIDENCE[] = {
	[CONFIDENCE_NONE] = NULL,
	[CONFIDENCE_UNSURE] = "unsure",
	[CONFIDENCE_LIKELY] = "likely",
	[CONFIDENCE_CERTAIN] = "certain",
};

/* "allocation+instruction": of the object, then of its field. */
static const char *route_words(struct intern *pool, const struct data_place *p)
{
	const char *words = NULL;

	for (size_t i = 0; i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++)
		if (p->routes & ROUTES[i].route)
			words = words ? intern_printf(pool, "%s+%s", words, ROUTES[i].word)
				      : ROUTES[i].word;
	return words;
}

#define LINE(name, expression)                                                                     \
	static struct figure line_##name(const struct view_row *row)                               \
	{                                                                                          \
		const struct view *v = row->view;                                                  \
		const struct view_line *l = row->line;                                             \
		const struct contended_line *c = l->line;                                          \
                                                                                                   \
		(void)v;                                                                           \
		(void)c;                                                                           \
		return expression;                                                                 \
	}

/* Of what the strip beside it shows. */
static struct figure line_half_parts(const struct view_row *row)
{
	uint64_t half[LINE_HALVES] = { 0 };

	for (int w = 0; w < LINE_WORDS; w++)
		half[w * LINE_HALVES / LINE_WORDS] += row->line->line->word_heat[w];
	return parts(half, LINE_HALVES);
}

LINE(rank, count(l->rank))
LINE(cost_share, c->counts.latency_samples
			 ? ratio(c->counts.latency_sum, v->profile->total.latency_sum)
			 : absent())
LINE(name, text(l->name))
LINE(address, count(c->addr))
LINE(pid, count_if(c->pid != UINT32_MAX, c->pid))
LINE(object, text(l->place.object))
LINE(object_offset, count_if(l->place.object != NULL, l->object_offset))
LINE(object_size, count_if(l->place.object_size, l->place.object_size))
LINE(type, text(l->place.type))
LINE(route, text(route_words(v->pool, &l->place)))
LINE(confidence, text(CONFIDENCE[l->place.confidence]))
LINE(section, text(l->place.section))
LINE(file, text(l->place.file))
LINE(contended, count(c->contended))
LINE(evidence, text(EVIDENCE[c->evidence]))
LINE(loads, count(c->counts.loads))
LINE(stores, count_if(v->stores_known, c->counts.stores))
LINE(hitm, distances(v->hitm_known, &c->counts))
LINE(hitm_parts, parts(c->counts.hitm, v->hitm_known ? MEMORY_DISTANCES : 0))
LINE(verdict, text(verdict_name(l->sharing.verdict)))
LINE(verdict_confidence,
     ((struct figure){ .known = l->sharing.confidence > 0, .real = l->sharing.confidence }))
LINE(reason, text(l->sharing.reason))
LINE(advice, text(l->sharing.advice))
LINE(same_bytes, ratio(l->sharing.same, l->sharing.moves))
LINE(other_bytes, ratio(l->sharing.other, l->sharing.moves))
LINE(heat, ((struct figure){ .known = true, .heat = c->word_heat }))
LINE(peer, count(c->counts.peer))
LINE(locked, count(c->counts.locked))
LINE(latency, ratio(c->counts.latency_sum, c->counts.latency_samples))
LINE(latency_sum, count_if(c->counts.latency_samples, c->counts.latency_sum))
LINE(accesses, count(c->counts.accesses))
LINE(cpus, count_if(c->cpus.count, c->cpus.count))
LINE(threads, count_if(c->threads.count, c->threads.count))
LINE(writers, count(c->writers))
LINE(readers, count(c->readers))
LINE(hitm_per_operation, c->exact ? range(c->exact->hitm, v->operations) : absent())
LINE(modelled_hitm, c->exact ? range(c->exact->hitm, 1) : absent())
LINE(modelled_cycles, c->exact ? range(c->exact->cycles, 1) : absent())
LINE(cycles_per_operation, c->exact ? range(c->exact->cycles, v->operations) : absent())
LINE(modelled_accesses, count_if(c->exact != NULL, c->exact ? c->exact->accesses : 0))

const struct column line_columns[] = {
	{ COLUMN("rank", "#", COUNT, line_rank) },
	{ COLUMN("cost_share", "cost", SHARE, line_cost_share) },
	{ COLUMN("name", "object", TEXT, line_name) },
	{ COLUMN("heat", "lower|upper", HEAT, line_heat) },
	{ COLUMN(NULL, "%", PARTS, line_half_parts) },
	{ COLUMN("verdict", NULL, TEXT, line_verdict) },
	{ COLUMN("verdict_confidence", NULL, SHARE, line_verdict_confidence) },
	{ COLUMN("reason", NULL, TEXT, line_reason) },
	{ COLUMN("advice", NULL, TEXT, line_advice) },
	{ COLUMN("same_bytes", NULL, SHARE, line_same_bytes) },
	{ COLUMN("other_bytes", NULL, SHARE, line_other_bytes) },
	{ COLUMN("address", NULL, ADDRESS, line_address) },
	{ COLUMN("pid", NULL, COUNT, line_pid) },
	{ COLUMN("object", NULL, TEXT, line_object) },
	{ COLUMN("offset", NULL, OFFSET, line_object_offset) },
	{ COLUMN("object_size", NULL, COUNT, line_object_size) },
	{ COLUMN("type", NULL, TEXT, line_type) },
	{ COLUMN("route", NULL, TEXT, line_route) },
	{ COLUMN("confidence", NULL, TEXT, line_confidence) },
	{ COLUMN("section", NULL, TEXT, line_section) },
	{ COLUMN("file", NULL, TEXT, line_file) },
	{ COLUMN("contended", NULL, FLAG, line_contended) },
	{ COLUMN("evidence", NULL, TEXT, line_evidence) },
	{ COLUMN("loads", NULL, COUNT, line_loads) },
	{ COLUMN("stores", NULL, COUNT, line_stores) },
	{ COLUMN("hitm", "HITM", DISTANCES, line_hitm) },
	{ COLUMN(NULL, "llc/node/far %", PARTS, line_hitm_parts) },
	{ COLUMN("peer", "peer", COUNT, line_peer), .shown = has_peers },
	{ COLUMN("locked", NULL, COUNT, line_locked) },
	{ COLUMN("latency", NULL, CYCLES, line_latency) },
	{ COLUMN("latency_sum", NULL, COUNT, line_latency_sum) },
	{ COLUMN("accesses", NULL, COUNT, line_accesses) },
	{ COLUMN("cpus", NULL, COUNT, line_cpus) },
	{ COLUMN("threads", NULL, COUNT, line_threads) },
	{ COLUMN("writers", NULL, COUNT, line_writers) },
	{ COLUMN("readers", NULL, COUNT, line_readers) },
	{ COLUMN("hitm_per_operation", "HITM/operation", RATE_RANGE, line_hitm_per_operation),
	  .shown = has_operations },
	{ COLUMN(NULL, "verdict", TEXT, line_verdict) },
	{ COLUMN("modelled_hitm", NULL, COUNT_RANGE, line_modelled_hitm) },
	{ COLUMN("modelled_cycles", NULL, COUNT_RANGE, line_modelled_cycles) },
	{ COLUMN("cycles_per_operation", NULL, RATE_RANGE, line_cycles_per_operation) },
	{ COLUMN("modelled_accesses", NULL, COUNT, line_modelled_accesses) },
	{ 0 },
};

#define HALF(name, expression)                                                                     \
	static struct figure half_##name(const struct view_row *row)                               \
	{                                                                                          \
		const struct view *v = row->view;                                                  \
		const struct counts *c = &row->line->line->halves[row->half];                      \
                                                                                                   \
		(void)v;                                                                           \
		(void)c;                                                                           \
		return expression;                                                                 \
	}

HALF(half, text(line_half_name(row->half)))
HALF(loads, count(c->loads))
HALF(stores, count_if(v->stores_known, c->stores))
HALF(hitm, count_if(v->hitm_known, counts_hitm(c)))
HALF(peer, count(c->peer))
HALF(latency_sum, count_if(c->latency_samples, c->latency_sum))

const struct column half_columns[] = {
	{ COLUMN("half", NULL, TEXT, half_half) },
	{ COLUMN("loads", NULL, COUNT, half_loads) },
	{ COLUMN("stores", NULL, COUNT, half_stores) },
	{ COLUMN("hitm", NULL, COUNT, half_hitm) },
	{ COLUMN("peer", NULL, COUNT, half_peer) },
	{ COLUMN("latency_sum", NULL, COUNT, half_latency_sum) },
	{ 0 },
};

/* ---- Cells, and the code addresses of one: the same figures, of a part of the samples */

static const struct counts *row_counts(const struct view_row *row)
{
	return row->code ? &row->code->counts : &row->cell->counts;
}

static struct figure cell_offset(const struct view_row *row)
{
	return count(row->cell->offset);
}

static struct figure cell_size(const struct view_row *row)
{
	const struct data_place *p = &row->cell->place;

	return count_if(p->field && p->field_size, p->field_size);
}

static struct figure cell_half(const struct view_row *row)
{
	return text(line_half_name(line_half(row->cell->offset)));
}

static struct figure cell_field(const struct view_row *row)
{
	return text(row->cell->name);
}

/* Roles are the fields' alone: code that reads one may be what writes another. */
static struct figure cell_role(const struct view_row *row)
{
	const struct sharing_spot *spot = row->cell->spot;

	return text(spot ? sharing_role_name(spot->role) : NULL);
}

static struct figure cell_role_text(const struct view_row *row)
{
	struct figure f = cell_role(row);

	return f.known ? f : text("");
}

static struct figure cell_type(const struct view_row *row)
{
	return text(row->cell->place.type);
}

static struct figure cell_object(const struct view_row *row)
{
	return text(row->cell->place.object);
}

static struct figure cell_route(const struct view_row *row)
{
	return text(route_words(row->view->pool, &row->cell->place));
}

static struct figure cell_confidence(const struct view_row *row)
{
	return text(CONFIDENCE[row->cell->place.confidence]);
}

static struct figure cell_loads(const struct view_row *row)
{
	return count(row_counts(row)->loads);
}

static struct figure cell_stores(const struct view_row *row)
{
	return count_if(row->view->stores_known, row_counts(row)->stores);
}

static struct figure cell_hitm(const struct view_row *row)
{
	return count_if(row->view->hitm_known, counts_hitm(row_counts(row)));
}

static struct figure cell_peer(const struct view_row *row)
{
	return count(row_counts(row)->peer);
}

static struct figure cell_latency(const struct view_row *row)
{
	const struct counts *c = row_counts(row);

	return ratio(c->latency_sum, c->latency_samples);
}

static struct figure cell_accesses(const struct view_row *row)
{
	return count(row_counts(row)->accesses);
}

static struct figure cell_cpus(const struct view_row *row)
{
	uint32_t n = row->code ? row->code->cpus.count : row->cell->cpus.count;

	return count_if(n, n);
}

static struct figure cell_threads(const struct view_row *row)
{
	uint32_t n = row->code ? row->code->threads.count : row->cell->threads.count;

	return count_if(n, n);
}

static struct figure code_samples(const struct view_row *row)
{
	return count(row_counts(row)->samples);
}

static struct figure code_addresses(const struct view_row *row)
{
	return count(row->code->addresses);
}

static struct figure code_ip(const struct view_row *row)
{
	return count(row->code->ip);
}

static struct figure code_symbol(const struct view_row *row)
{
	const struct view_code *c = row->code;

	return text(c->place.inlined_in ? c->place.function : c->name);
}

static struct figure code_inlined_in(const struct view_row *row)
{
	return text(row->code->place.inlined_in);
}

static struct figure code_source(const struct view_row *row)
{
	const struct code_place *p = &row->code->place;

	return text(p->source ? intern_printf(row->view->pool, "%s:%u", p->source, p->line) : NULL);
}

static struct figure code_file(const struct view_row *row)
{
	return text(row->code->place.file);
}

/* Of a cell with one place worth showing, that one's. */
static const struct view_code *only_code(const struct view_row *row)
{
	if (row->code)
		return row->code;
	return row->cell->code_count == 1 ? row->cell->codes : NULL;
}

/* "producer", "producer +2" where two places more are not shown, "3 places:" above their rows. */
static struct figure cell_function(const struct view_row *row)
{
	const struct view_code *code = only_code(row);
	struct intern *pool = row->view->pool;
	const char *name;

	if (!code)
		return text(intern_printf(
			pool, "%u places:", row->cell->code_count + row->cell->codes_hidden));
	name = code->name ? code->name
			  : intern_printf(pool, "0x%llx", (unsigned long long)code->ip);
	if (!row->code && row->cell->codes_hidden)
		name = intern_printf(pool, "%s +%u", name, row->cell->codes_hidden);
	return text(name);
}

static struct figure cell_source(const struct view_row *row)
{
	struct view_row of = *row;

	of.code = only_code(row);
	return of.code ? code_source(&of) : text("");
}

const struct column cell_columns[] = {
	{ COLUMN("offset", "offset", OFFSET, cell_offset), .once = true },
	{ COLUMN("size", NULL, COUNT, cell_size) },
	{ COLUMN("half", "half", TEXT, cell_half), .once = true },
	{ COLUMN("field", "field", TEXT, cell_field), .once = true },
	{ COLUMN("role", NULL, TEXT, cell_role) },
	{ COLUMN("object", NULL, TEXT, cell_object) },
	{ COLUMN("type", NULL, TEXT, cell_type) },
	{ COLUMN("route", NULL, TEXT, cell_route) },
	{ COLUMN("confidence", NULL, TEXT, cell_confidence) },
	{ COLUMN(NULL, "role", TEXT, cell_role_text), .spare = true, .once = true },
	{ COLUMN("loads", "loads", COUNT, cell_loads) },
	{ COLUMN("stores", "stores", COUNT, cell_stores) },
	{ COLUMN("hitm", "HITM", COUNT, cell_hitm) },
	{ COLUMN("peer", "peer", COUNT, cell_peer), .shown = has_peers },
	{ COLUMN("latency", "cycles", CYCLES, cell_latency) },
	{ COLUMN("accesses", NULL, COUNT, cell_accesses) },
	{ COLUMN("cpus", "CPUs", COUNT, cell_cpus) },
	{ COLUMN("threads", "threads", COUNT, cell_threads) },
	{ COLUMN(NULL, "function", TEXT, cell_function) },
	{ COLUMN(NULL, "source", TEXT, cell_source) },
	{ 0 },
};

const struct column code_columns[] = {
	{ COLUMN("ip", NULL, ADDRESS, code_ip) },
	{ COLUMN("symbol", NULL, TEXT, code_symbol) },
	{ COLUMN("inlined_in", NULL, TEXT, code_inlined_in) },
	{ COLUMN("source", NULL, TEXT, code_source) },
	{ COLUMN("file", NULL, TEXT, code_file) },
	{ COLUMN("addresses", NULL, COUNT, code_addresses) },
	{ COLUMN("samples", NULL, COUNT, code_samples) },
	{ COLUMN("loads", NULL, COUNT, cell_loads) },
	{ COLUMN("stores", NULL, COUNT, cell_stores) },
	{ COLUMN("hitm", NULL, COUNT, cell_hitm) },
	{ COLUMN("peer", NULL, COUNT, cell_peer) },
	{ COLUMN("latency", NULL, CYCLES, cell_latency) },
	{ COLUMN("cpus", NULL, COUNT, cell_cpus) },
	{ COLUMN("threads", NULL, COUNT, cell_threads) },
	{ 0 },
};
