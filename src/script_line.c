// SPDX-License-Identifier: GPL-2.0-only
#include "script_line.h"
#include "mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORDS_MAX      64 /* of a line's part that are looked at */
#define ADDRESS_DIGITS 5  /* hexadecimal, at least: nothing is mapped below 64 KiB */
#define NOT_RECORDED   UINT32_MAX

struct words {
	struct script_text word[WORDS_MAX];
	int count;
};

/* The words from "at" to before "end". */
static struct words split(const char *at, const char *end)
{
	struct words w = { .count = 0 };

	while (w.count < WORDS_MAX) {
		struct script_text *word = &w.word[w.count];

		while (at < end && isspace((unsigned char)*at))
			at++;
		word->at = at;
		while (at < end && !isspace((unsigned char)*at))
			at++;
		word->size = at - word->at;
		if (!word->size)
			break;
		w.count++;
	}
	return w;
}

static bool all(struct script_text t, int (*is)(int c))
{
	for (size_t i = 0; i < t.size; i++)
		if (!is((unsigned char)t.at[i]))
			return false;
	return t.size;
}

/* What is not of the number ends it: a blank, a colon, the line's end. */
static uint64_t number(struct script_text t, int base)
{
	return strtoull(t.at, NULL, base);
}

/* ---- Before the data source */

/* "12.345678:", in ns. */
static bool read_time(struct script_text t, uint64_t *time)
{
	uint64_t unit = 1000000000;
	const char *dot = memchr(t.at, '.', t.size);

	if (!dot || t.at[t.size - 1] != ':' ||
	    !all((struct script_text){ t.at, dot - t.at }, isdigit) ||
	    !all((struct script_text){ dot + 1, t.at + t.size - 2 - dot }, isdigit))
		return false;
	*time = number(t, 10) * unit;
	for (dot++; *dot != ':' && unit > 1; dot++)
		*time += (*dot - '0') * (unit /= 10);
	return true;
}

/* "tid" or "pid/tid". */
static bool read_ids(struct script_text t, struct sample *s)
{
	const char *slash = memchr(t.at, '/', t.size);
	struct script_text pid = { t.at, slash ? (size_t)(slash - t.at) : 0 };
	struct script_text tid =
		slash ? (struct script_text){ slash + 1, t.at + t.size - slash - 1 } : t;

	if (!all(tid, isdigit) || (slash && !all(pid, isdigit)))
		return false;
	s->tid = number(tid, 10);
	if (slash)
		s->pid = number(pid, 10);
	return true;
}

static bool read_cpu(struct script_text t, struct sample *s)
{
	if (t.size < 3 || t.at[0] != '[' || t.at[t.size - 1] != ']' ||
	    !all((struct script_text){ t.at + 1, t.size - 2 }, isdigit))
		return false;
	s->cpu = strtoul(t.at + 1, NULL, 10);
	return true;
}

/* The words of who and where, the first "count"; the name of a thread may have blanks. */
static void read_who(const char *line, const struct words *w, int count, struct script_sample *s)
{
	if (count > 0 && read_cpu(w->word[count - 1], &s->sample))
		count--;
	if (count > 0 && read_ids(w->word[count - 1], &s->sample))
		count--;
	if (count <= 0)
		return;
	s->comm = (struct script_text){ w->word[0].at, 0 };
	s->comm.size = w->word[count - 1].at + w->word[count - 1].size - s->comm.at;
}

/* Where the time is, or where it would be: the event's name ends in a colon, too. */
static int find_time(const struct words *w, struct sample *s, int before)
{
	for (int i = 0; i < before; i++)
		if (read_time(w->word[i], &s->time))
			return i;
	return -1;
}

static int find_event(const struct words *w)
{
	for (int i = w->count - 1; i >= 0; i--)
		if (w->word[i].at[w->word[i].size - 1] == ':')
			return i;
	return -1;
}

/* The number before an event's name; without a time before that, it may be the thread's. */
static bool is_period(const struct words *w, int at, int time)
{
	struct sample scratch;

	if (at <= time || at < 0 || !all(w->word[at], isdigit))
		return false;
	return time >= 0 ||
	       (at && (read_ids(w->word[at - 1], &scratch) || read_cpu(w->word[at - 1], &scratch)));
}

/* Up to the address and the data source, the last two words. */
static bool read_head(const char *line, const char *end, struct script_sample *s)
{
	struct words w = split(line, end);
	int event, time, who, last = w.count - 1;

	if (last < 0 || !all(w.word[last], isxdigit))
		return false;
	s->sample.data_src = number(w.word[last], 16);
	time = find_time(&w, &s->sample, last);
	who = event = find_event(&w);
	if (event < last - 1 && all(w.word[last - 1], isxdigit))
		s->sample.addr = number(w.word[last - 1], 16);
	if (event != time)
		s->event = (struct script_text){ w.word[event].at, w.word[event].size - 1 };
	if (event != time && is_period(&w, event - 1, time))
		s->sample.period = number(w.word[who = event - 1], 10);
	read_who(line, &w, time >= 0 ? time : who, s);
	return true;
}

/* ---- Behind the data source's words */

static bool looks_like_address(struct script_text t)
{
	return t.size >= ADDRESS_DIGITS && all(t, isxdigit);
}

/* Decimal numbers, the latency first, then an address. A number that could be both is the address
 * when it is the last. Returns the place behind it. */
static int read_numbers(const struct words *w, struct sample *s)
{
	int first = 0, i;

	while (first < w->count && !all(w->word[first], isdigit) &&
	       !looks_like_address(w->word[first]))
		first++;
	for (i = first; i < w->count && all(w->word[i], isdigit); i++)
		;
	if (i < w->count && looks_like_address(w->word[i]))
		i++;
	if (i > first && looks_like_address(w->word[i - 1]))
		s->ip = number(w->word[i - 1], 16);
	if (i - first > (s->ip ? 1 : 0))
		s->weight = number(w->word[first], 10);
	return i;
}

/* "name+0x1f (file) physical-address"; a name may have blanks and parentheses. */
static void read_symbol(const char *from, const char *end, struct script_sample *s)
{
	const char *close = memrchr(from, ')', end - from), *open, *plus;
	struct words w;

	open = close ? memrchr(from, '(', close - from) : NULL;
	if (!open)
		return;
	s->file = (struct script_text){ open + 1, close - open - 1 };
	w = split(close + 1, end);
	if (w.count == 1 && all(w.word[0], isxdigit))
		s->sample.phys_addr = number(w.word[0], 16);
	while (open > from && isspace((unsigned char)open[-1]))
		open--;
	if (open == from || *from == '[')
		return;
	plus = memrchr(from, '+', open - from);
	if (plus && plus > from && !strncmp(plus, "+0x", 3)) {
		s->symbol_offset = strtoull(plus + 1, NULL, 16);
		open = plus;
	}
	s->symbol = (struct script_text){ from, open - from };
}

static void read_tail(const char *from, struct script_sample *s)
{
	const char *end = from + strlen(from);
	struct words w = split(from, end);
	int behind = read_numbers(&w, &s->sample);

	if (s->sample.ip && behind < w.count)
		read_symbol(w.word[behind].at, end, s);
}

bool script_line_sample(const char *line, struct script_sample *s)
{
	const char *bar = strstr(line, "|OP ");

	*s = (struct script_sample){ .sample = { .period = 1,
						 .pid = NOT_RECORDED,
						 .tid = NOT_RECORDED,
						 .cpu = SAMPLE_NO_CPU,
						 .event = SAMPLE_NO_EVENT } };
	if (!bar || !read_head(line, bar, s))
		return false;
	read_tail(strrchr(line, '|') + 1, s);
	s->sample.cpumode = s->sample.ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	return true;
}

uint64_t script_line_chain(const char *line)
{
	struct words w = { .count = 0 };

	if (isspace((unsigned char)*line))
		w = split(line, line + strlen(line));
	return w.count && looks_like_address(w.word[0]) ? number(w.word[0], 16) : 0;
}

/* ---- Records beside the samples */

/* Of the kernel the pid is -1. */
static bool read_map_range(const char **at, struct event *ev)
{
	int64_t pid;
	int used = 0;

	if (sscanf(*at, " %" SCNd64 "/%" SCNu32 ": [%" SCNx64 "(%" SCNx64 ") @ %" SCNx64 "%n", &pid,
		   &ev->tid, &ev->map.start, &ev->map.size, &ev->map.offset, &used) != 5)
		return false;
	*at += used;
	ev->pid = pid;
	ev->map.kernel = pid == -1;
	return true;
}

static bool read_map_path(const char *at, struct intern *pool, struct event *ev)
{
	while (*at == ' ')
		at++;
	ev->map.path = intern_string(pool, at);
	return true;
}

/* "10/10: [0x1000(0x2000) @ 0x3000]: x path"; r is data. */
static bool read_mmap(const char *at, struct intern *pool, struct event *ev)
{
	*ev = (struct event){ .kind = EVENT_MAP };
	if (!read_map_range(&at, ev) || strncmp(at, "]: ", 3) || !at[3])
		return false;
	ev->map.prot = at[3] == 'x' ? PROT_EXEC : PROT_READ;
	return read_map_path(at + 4, pool, ev);
}

/* Likewise, with "08:01 inode generation" or "<build id>" before the bracket, and "rwxp" behind it.
 */
static bool read_mmap2(const char *at, struct intern *pool, struct event *ev)
{
	const char *rights;

	*ev = (struct event){ .kind = EVENT_MAP };
	if (!read_map_range(&at, ev))
		return false;
	rights = strstr(at, "]: ");
	if (!rights || strlen(rights) < 7)
		return false;
	sscanf(at, " %" SCNx32 ":%" SCNx32 " %" SCNu64, &ev->map.major, &ev->map.minor,
	       &ev->map.inode);
	rights += 3;
	ev->map.prot = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
		       (rights[2] == 'x' ? PROT_EXEC : 0);
	ev->map.shared = rights[3] == 's';
	return read_map_path(rights + 4, pool, ev);
}

/* " exec: name:10/11" */
static bool read_comm(const char *at, struct intern *pool, struct event *ev)
{
	const char *colon = strrchr(at, ':');

	*ev = (struct event){ .kind = EVENT_COMM };
	ev->comm.exec = !strncmp(at, " exec", 5);
	at += ev->comm.exec ? 5 : 0;
	if (strncmp(at, ": ", 2) || colon < at + 2 ||
	    sscanf(colon, ":%" SCNu32 "/%" SCNu32, &ev->pid, &ev->tid) != 2)
		return false;
	ev->comm.name = intern_bytes(pool, at + 2, colon - at - 2);
	return true;
}

/* "(10:11):(8:9)" */
static bool read_fork(const char *at, struct intern *pool, struct event *ev)
{
	*ev = (struct event){ .kind = EVENT_FORK };
	return sscanf(at, "(%" SCNu32 ":%" SCNu32 "):(%" SCNu32 ":%" SCNu32 ")", &ev->pid, &ev->tid,
		      &ev->fork.parent_pid, &ev->fork.parent_tid) == 4;
}

/* " lost 12" */
static bool read_lost(const char *at, struct intern *pool, struct event *ev)
{
	const char *lost = strstr(at, "lost ");

	*ev = (struct event){ .kind = EVENT_LOST };
	return lost && sscanf(lost, "lost %" SCNu64, &ev->lost.count) == 1;
}

static const struct {
	const char *name; /* the longer of two that begin alike first */
	bool (*read)(const char *at, struct intern *pool, struct event *ev);
} records[] = {
	{ "MMAP2", read_mmap2 }, { "MMAP", read_mmap },		{ "COMM", read_comm },
	{ "FORK", read_fork },	 { "LOST_SAMPLES", read_lost }, { "LOST", read_lost },
};

static const char record_mark[] = ": PERF_RECORD_";

bool script_line_record(const char *line, struct intern *pool, struct event *ev)
{
	const char *mark = strstr(line, record_mark), *at;
	uint64_t time = 0;

	if (!mark)
		return false;
	at = mark + strlen(record_mark);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		size_t size = strlen(records[i].name);
		struct words w;

		if (strncmp(at, records[i].name, size))
			continue;
		w = split(line, mark + 1);
		if (w.count)
			read_time(w.word[w.count - 1], &time);
		if (!records[i].read(at + size, pool, ev))
			return false;
		ev->time = time;
		return true;
	}
	return false;
}

/* ---- The header */

static const struct {
	const char *key;
	size_t member;
} headers[] = {
	{ "hostname", offsetof(struct recording, host) },
	{ "os release", offsetof(struct recording, kernel) },
	{ "perf version", offsetof(struct recording, recorder) },
	{ "arch", offsetof(struct recording, arch) },
	{ "cpudesc", offsetof(struct recording, cpu) },
	{ "cpuid", offsetof(struct recording, cpuid) },
	{ "cmdline", offsetof(struct recording, command) },
};

bool script_line_header(const char *line, struct intern *pool, struct recording *r)
{
	const char *colon = strstr(line, " : "), *end = line + strlen(line);

	if (strncmp(line, "# ", 2) || !colon)
		return false;
	sscanf(line, "# nrcpus avail : %" SCNu32, &r->cpus);
	while (end > colon + 3 && isspace((unsigned char)end[-1]))
		end--;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		size_t size = colon - line - 2;

		if (strlen(headers[i].key) != size || strncmp(line + 2, headers[i].key, size))
			continue;
		*(const char **)((char *)r + headers[i].member) = intern_bytes(pool, colon + 3,
									       end - colon - 3);
		return true;
	}
	return false;
}
