// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer target: any bytes, read as a file recording and through a pipe, to the end; and as what
 * hardware wrote, Arm SPE's data and the registers of IBS. */
#include "data_source.h"
#include "ibs_raw.h"
#include "perfdata_read.h"
#include "spe_sample.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t use(const struct event *ev)
{
	struct data_source d;

	if (ev->kind == EVENT_MAP || ev->kind == EVENT_COMM) {
		const char *s = ev->kind == EVENT_MAP ? ev->map.path : ev->comm.name;

		return strlen(s);
	}
	if (ev->kind != EVENT_SAMPLE)
		return ev->time;
	d = data_source_decode(ev->sample.data_src);
	return data_source_encode(&d);
}

/* Compressed records may hold many more than their bytes. */
#define UNPACKED_MAX (16 << 20)

/* An error says what and what next; events do not outnumber what fits into the bytes. */
static void read_all(const char *path, size_t size)
{
	struct intern *pool = intern_new();
	struct source *s;
	struct err *e = perfdata_open(path, pool, &s);
	volatile uint64_t sum = 0;
	size_t events = 0;
	bool end = false;

	while (!e && !end) {
		struct event ev;

		e = source_next(s, &ev, &end);
		if (e || end)
			break;
		sum += use(&ev);
		if (++events > UNPACKED_MAX / 8 + 1024 * size)
			abort();
	}
	if (e && !err_advice(e))
		abort();
	err_free(e);
	source_close(s);
	intern_free(pool);
}

static void read_as_file(const uint8_t *bytes, size_t size)
{
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path, size);
	close(fd);
}

/* What fits into a pipe without a reader. */
static void read_as_pipe(const uint8_t *bytes, size_t size)
{
	char path[64];
	int ends[2];

	if (size > 65536 || pipe(ends))
		return;
	if (write(ends[1], bytes, size) != (ssize_t)size)
		abort();
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	read_all(path, size);
	close(ends[0]);
}

/* Every step gets further; what is no record is stepped over. */
static void read_as_spe(const uint8_t *bytes, size_t size)
{
	struct cursor c = cursor_of(bytes, size, 0);
	volatile uint64_t sum = 0;

	for (spe_padding_skip(&c); cursor_left(&c); spe_padding_skip(&c)) {
		const uint8_t *before = c.at;
		struct spe_record r;
		enum spe_outcome outcome = spe_record_read(&c, &r);

		if (outcome == SPE_SHORT)
			return;
		if (outcome == SPE_DAMAGED)
			spe_record_resync(&c);
		if (c.at == before || c.bad)
			abort();
		for (int family = 0; family < SPE_FAMILIES; family++)
			sum += spe_data_src(&r, family);
	}
}

static void read_as_ibs(const uint8_t *bytes, size_t size)
{
	static const char *const cpus[] = { NULL, "AuthenticAMD,23,49,0", "AuthenticAMD,25,1,1" };
	volatile uint64_t sum = 0;

	for (size_t i = 0; i < 3; i++) {
		struct sample s = { 0 };

		ibs_complete(cursor_of(bytes, size, 0), cpus[i], &s);
		sum += s.data_src;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	read_as_spe(bytes, size);
	read_as_ibs(bytes, size);
	read_as_file(bytes, size);
	read_as_pipe(bytes, size);
	return 0;
}
