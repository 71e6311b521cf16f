// SPDX-License-Identifier: GPL-2.0-only
#include "threshold.h"
#include "mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum subject { SUBJECT_WHOLE, SUBJECT_FIELD, SUBJECT_OBJECT };
enum measure { MEASURE_VALUE, MEASURE_CHANGE, MEASURE_PERCENT };

/* A metric's figures, before and after. */
typedef void metric_function(const struct diff *d, const struct diff_row *row,
			     double value[DIFF_SIDES]);

static void metric_hitm(const struct diff *d, const struct diff_row *row, double value[DIFF_SIDES])
{
	memcpy(value, row->rate[d->unit], DIFF_SIDES * sizeof(*value));
}

static void metric_hitm_per_op(const struct diff *d, const struct diff_row *row,
			       double value[DIFF_SIDES])
{
	memcpy(value, row->rate[DIFF_PER_OPERATION], DIFF_SIDES * sizeof(*value));
}

static void metric_hitm_per_sec(const struct diff *d, const struct diff_row *row,
				double value[DIFF_SIDES])
{
	memcpy(value, row->rate[DIFF_PER_SECOND], DIFF_SIDES * sizeof(*value));
}

static void metric_cycles_per_op(const struct diff *d, const struct diff_row *row,
				 double value[DIFF_SIDES])
{
	for (int s = 0; s < DIFF_SIDES; s++)
		value[s] = d->cycles_per_operation[s].known ? d->cycles_per_operation[s].at[1]
							    : NAN;
}

static const struct metric {
	const char *name;
	metric_function *get;
	bool whole_only; /* not known of a field */
} METRICS[] = {
	{ "hitm", metric_hitm, false },
	{ "hitm_per_op", metric_hitm_per_op, false },
	{ "hitm_per_sec", metric_hitm_per_sec, false },
	{ "cycles_per_op", metric_cycles_per_op, true },
};

struct condition {
	const char *text; /* where it begins and ends */
	int length;
	enum subject subject;
	const char *name;
	int name_length;
	const struct metric *metric;
	bool above;
	enum measure measure;
	double value;
};

/* ---- Reading */

struct reader {
	const char *text, *at;
};

static void skip_spaces(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

static struct err *expected(const struct reader *r, const char *what)
{
	return err_next(err_new(ERR_USAGE, "--fail-on: column %d: expected %s, not \"%.20s\"",
				(int)(r->at - r->text) + 1, what, r->at),
			"such as --fail-on 'hitm_per_op > +10%%', or 'field:NAME hitm > +20%%'");
}

static void read_subject(struct reader *r, struct condition *c)
{
	static const struct {
		const char *prefix;
		enum subject subject;
	} SUBJECTS[] = { { "field:", SUBJECT_FIELD }, { "object:", SUBJECT_OBJECT } };

	for (size_t i = 0; i < ARRAY_SIZE(SUBJECTS); i++) {
		size_t length = strlen(SUBJECTS[i].prefix);

		if (strncmp(r->at, SUBJECTS[i].prefix, length))
			continue;
		c->subject = SUBJECTS[i].subject;
		c->name = r->at + length;
		c->name_length = strcspn(c->name, " \t");
		r->at = c->name + c->name_length;
		return;
	}
}

static struct err *read_metric(struct reader *r, struct condition *c)
{
	size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz_");

	for (size_t i = 0; i < ARRAY_SIZE(METRICS); i++)
		if (length == strlen(METRICS[i].name) && !strncmp(r->at, METRICS[i].name, length))
			c->metric = &METRICS[i];
	if (!c->metric)
		return expected(r, "hitm, hitm_per_op, hitm_per_sec or cycles_per_op");
	if (c->metric->whole_only && c->subject != SUBJECT_WHOLE)
		return expected(r, "a metric of HITM, as cycles are known of the whole only");
	r->at += length;
	return NULL;
}

static struct err *read_value(struct reader *r, struct condition *c)
{
	const char *digits;
	char *end;

	if (*r->at == '+' || *r->at == '-')
		c->measure = MEASURE_CHANGE;
	digits = r->at + (c->measure == MEASURE_CHANGE);
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return expected(r, "a number");
	c->value = strtod(digits, &end);
	if (end == digits || !isfinite(c->value))
		return expected(r, "a number");
	if (*r->at == '-')
		c->value = -c->value;
	r->at = end;
	skip_spaces(r);
	if (*r->at == '%') {
		c->measure = MEASURE_PERCENT;
		r->at++;
	}
	return NULL;
}

static struct err *read_condition(struct reader *r, struct condition *c)
{
	struct err *e;

	*c = (struct condition){ 0 };
	skip_spaces(r);
	c->text = r->at;
	read_subject(r, c);
	if (c->subject != SUBJECT_WHOLE && !c->name_length)
		return expected(r, "a name");
	skip_spaces(r);
	e = read_metric(r, c);
	if (e)
		return e;
	skip_spaces(r);
	if (*r->at != '>' && *r->at != '<')
		return expected(r, "> or <");
	c->above = *r->at++ == '>';
	skip_spaces(r);
	e = read_value(r, c);
	c->length = r->at - c->text;
	skip_spaces(r);
	if (!e && *r->at && *r->at != ',')
		return expected(r, "a comma or the end");
	return e;
}

struct err *threshold_check(const char *text)
{
	struct reader r = { text, text };
	struct condition c;
	struct err *e = read_condition(&r, &c);

	while (!e && *r.at == ',') {
		r.at++;
		e = read_condition(&r, &c);
	}
	return e;
}

/* ---- Judging */

static bool is_name(const struct condition *c, const char *name)
{
	return strlen(name) == (size_t)c->name_length && !memcmp(name, c->name, c->name_length);
}

/* "count" of any object, or "root_user.__count" of that one; "pool[3]" likewise. */
static bool is_field(const struct condition *c, const struct diff_object *o,
		     const struct diff_field *f)
{
	const char *name = f->row.name;
	size_t object = strlen(o->row.name), dot = name[0] == '[' ? 0 : 1;

	if (is_name(c, name))
		return true;
	return (size_t)c->name_length == object + dot + strlen(name) &&
	       !memcmp(c->name, o->row.name, object) && (!dot || c->name[object] == '.') &&
	       !memcmp(c->name + object + dot, name, strlen(name));
}

static const struct diff_row *find_row(const struct condition *c, const struct diff *d)
{
	if (c->subject == SUBJECT_WHOLE)
		return &d->total;
	for (uint32_t i = 0; i < d->object_count; i++) {
		const struct diff_object *o = &d->objects[i];

		if (c->subject == SUBJECT_OBJECT && is_name(c, o->row.name))
			return &o->row;
		for (uint32_t k = 0; c->subject == SUBJECT_FIELD && k < o->field_count; k++)
			if (is_field(c, o, &o->fields[k]))
				return &o->fields[k].row;
	}
	return NULL;
}

static struct err *cannot(const struct condition *c, const char *why, const char *next)
{
	return err_next(err_new(ERR_FAILED, "--fail-on: \"%.*s\" cannot be judged: %s", c->length,
				c->text, why),
			"%s", next);
}

/* "*value": what is compared with the condition's own. */
static struct err *measure(const struct condition *c, const double value[DIFF_SIDES], double *is)
{
	if (!isfinite(value[DIFF_AFTER]) || (c->measure && !isfinite(value[DIFF_BEFORE])))
		return cannot(c, "a recording does not tell it",
			      "record both sides in the same way; hitm is known of all recordings");
	*is = value[DIFF_AFTER];
	if (c->measure != MEASURE_VALUE)
		*is -= value[DIFF_BEFORE];
	if (c->measure == MEASURE_PERCENT)
		*is = value[DIFF_BEFORE] > 0 ? 100 * *is / value[DIFF_BEFORE]
		      : *is > 0		     ? INFINITY
					     : 0;
	return NULL;
}

/* The first condition that came true is kept. */
static struct err *judge(const struct condition *c, const struct diff *d, struct err *failed,
			 struct err **cannot_judge)
{
	const struct diff_row *row = find_row(c, d);
	double value[DIFF_SIDES], is;

	if (!row) {
		*cannot_judge = cannot(c, "neither side has contention of that name",
				       "names are those of hitmap diff --all");
		return failed;
	}
	c->metric->get(d, row, value);
	*cannot_judge = measure(c, value, &is);
	if (*cannot_judge || !(c->above ? is > c->value : is < c->value))
		return failed;
	if (c->measure != MEASURE_VALUE && !c->metric->whole_only && !row->significant)
		return failed;
	if (!failed)
		return err_new(ERR_THRESHOLD, "diff: --fail-on \"%.*s\": it is %+.4g%s", c->length,
			       c->text, is, c->measure == MEASURE_PERCENT ? " %" : "");
	return failed;
}

struct err *threshold_judge(const char *text, const struct diff *d)
{
	struct reader r = { text, text };
	struct err *failed = NULL, *e;
	struct condition c;

	do {
		e = read_condition(&r, &c);
		if (!e)
			failed = judge(&c, d, failed, &e);
		if (e) {
			err_free(failed);
			return e;
		}
	} while (*r.at++ == ',');
	return failed;
}
