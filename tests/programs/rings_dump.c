// SPDX-License-Identifier: GPL-2.0-only
/* rings_dump FILE: a recording as hitmap reads it. Samples, one a line: event, pid, tid, CPU, time
 * in ns, address, code address; then "lost N", and "maps N" of processes. Linked with libhitmap.a.
 */
#include "intern.h"
#include "perfdata_read.h"

#include <inttypes.h>

static void print(const struct source *s, const struct event *ev)
{
	const struct sample *p = &ev->sample;
	const char *name = p->event < s->recording.event_count ? s->recording.events[p->event].name
							       : "?";

	printf("%s %u %u %u %" PRIu64 " %" PRIx64 " %" PRIx64 "\n", name, p->pid, p->tid, p->cpu,
	       ev->time, p->addr, p->ip);
}

int main(int argc, char **argv)
{
	struct intern *pool = intern_new();
	struct source *s = NULL;
	uint64_t maps = 0;
	struct event ev;
	bool end = false;
	struct err *e;

	if (argc != 2)
		return ERR_USAGE;
	e = perfdata_open(argv[1], pool, &s);
	while (!e && !(e = source_next(s, &ev, &end)) && !end) {
		maps += ev.kind == EVENT_MAP && !ev.map.kernel;
		if (ev.kind == EVENT_SAMPLE)
			print(s, &ev);
	}
	if (e)
		err_print(e, stderr);
	else
		printf("lost %" PRIu64 "\nmaps %" PRIu64 "\n", s->recording.lost, maps);
	source_close(s);
	intern_free(pool);
	return e ? ERR_FAILED : 0;
}
