// SPDX-License-Identifier: GPL-2.0-only
/* samples FILE: the samples of a recording as hitmap reads them, one a line: ip, addr, data_src (hex),
 * weight. Linked with libhitmap.a. */
#include "intern.h"
#include "perfdata_read.h"

#include <inttypes.h>

int main(int argc, char **argv)
{
	struct intern *pool = intern_new();
	struct source *s = NULL;
	struct event ev;
	bool end = false;
	struct err *e;

	if (argc != 2)
		return ERR_USAGE;
	e = perfdata_open(argv[1], pool, &s);
	while (!e && !(e = source_next(s, &ev, &end)) && !end)
		if (ev.kind == EVENT_SAMPLE)
			printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", ev.sample.ip,
			       ev.sample.addr, ev.sample.data_src, ev.sample.weight);
	if (e)
		err_print(e, stderr);
	source_close(s);
	intern_free(pool);
	return e ? ERR_FAILED : 0;
}
