// SPDX-License-Identifier: GPL-2.0-only
#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define BATCH_BYTES  65536
#define BATCH_NS     200000000ULL
#define NUMBERS	     (1u << 22) /* threads that a program may start in its life */
#define REGIONS	     65536
#define MAPS_BUFFER  65536
#define SEND_SECONDS 60 /* a peer that takes nothing for so long is as good as gone */
#define STOP_MS	     2000

struct span {
	uint64_t start, end, offset, inode;
};

struct door {
	int fd;
	uint32_t lock; /* of everything below that is sent or counted */
	uint32_t pid;
	bool gone;     /* nothing can be sent any more */
	bool finished; /* totals sent, or given up */
	bool refused;  /* a thread was not modelled, which was told */
	struct model *model;
	struct door_thread *threads;
	uint32_t numbers;
	uint32_t *tids;	  /* by number */
	uint64_t now;	  /* virtual time that the replay has reached */
	uint64_t flushed; /* ns of the monotonic clock */
	uint32_t used;	  /* samples in the batch */
	struct span *regions;
	uint32_t region_count;
	uint32_t hidden; /* the first so many regions are the front door's */
	struct model_config config;
	struct sockaddr_un address;
	struct wire_hello hello;
	struct {
		struct wire_head head;
		struct model_sample sample[BATCH_BYTES / sizeof(struct model_sample)];
	} batch;
	struct {
		struct wire_head head;
		struct model_line_total line[256];
	} lines;
	uint32_t line_count;
};

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* A spin lock, because the program's own pthread functions may lead back into the door. The holder
 * may be in a send that waits for the peer: the others give their CPU away. */
static void door_lock(struct door *d)
{
	while (__atomic_exchange_n(&d->lock, 1, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
}

static void door_unlock(struct door *d)
{
	__atomic_store_n(&d->lock, 0, __ATOMIC_RELEASE);
}

/* ---- Sending; the door's lock is held. */

/* Threads leave the model at their next access; the model itself stays, some may be inside. */
static void threads_detach(struct door *d)
{
	for (struct door_thread *t = __atomic_load_n(&d->threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		__atomic_store_n(&t->on, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&t->ready, NULL, __ATOMIC_RELAXED);
	}
}

static void peer_gone(struct door *d)
{
	d->gone = true;
	threads_detach(d);
}

static void send_bytes(struct door *d, const void *bytes, size_t size)
{
	const char *p = bytes;

	while (size && !d->gone) {
		long n = syscall(SYS_sendto, d->fd, p, size, MSG_NOSIGNAL, NULL, 0);

		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			peer_gone(d);
		}
	}
}

static void send_samples(struct door *d)
{
	d->flushed = clock_ns();
	if (!d->used)
		return;
	d->batch.head.type = WIRE_SAMPLES;
	d->batch.head.size =
		(uint32_t)(sizeof(d->batch.head) + d->used * sizeof(d->batch.sample[0]));
	send_bytes(d, &d->batch, d->batch.head.size);
	d->used = 0;
}

/* A message of up to two parts. Samples first: the order of the stream is the order of time. */
static void send_message(struct door *d, enum wire_type type, const void *part, size_t size,
			 const void *tail, size_t tail_size)
{
	struct wire_head head = { .type = type };

	send_samples(d);
	head.size = (uint32_t)(sizeof(head) + size + tail_size);
	send_bytes(d, &head, sizeof(head));
	send_bytes(d, part, size);
	send_bytes(d, tail, tail_size);
}

static void post_message(struct door *d, enum wire_type type, const void *part, size_t size,
			 const void *tail, size_t tail_size)
{
	int saved = errno;

	door_lock(d);
	if (d->fd >= 0 && !d->gone)
		send_message(d, type, part, size, tail, tail_size);
	door_unlock(d);
	errno = saved;
}

/* ---- What the model gives; the model's lock is held. */

static void sink_sample(void *context, const struct model_sample *s)
{
	struct door *d = context;
	struct model_sample *copy;
	int saved = errno; /* the program made a plain access, not a call */

	door_lock(d);
	if (!d->gone) {
		copy = &d->batch.sample[d->used++];
		*copy = *s;
		copy->tid = d->tids[s->tid];
		if (s->cycles - s->latency > d->now)
			d->now = s->cycles - s->latency;
		if (d->used == sizeof(d->batch.sample) / sizeof(d->batch.sample[0]) ||
		    clock_ns() - d->flushed > BATCH_NS)
			send_samples(d);
	}
	door_unlock(d);
	errno = saved;
}

static void sink_thread(void *context, const struct model_thread_total *total)
{
	struct door *d = context;
	struct model_thread_total copy = *total;

	copy.tid = d->tids[total->tid];
	post_message(d, WIRE_THREAD, &copy, sizeof(copy), NULL, 0);
}

static void send_lines(struct door *d)
{
	if (d->line_count)
		post_message(d, WIRE_LINE, d->lines.line, d->line_count * sizeof(d->lines.line[0]),
			     NULL, 0);
	d->line_count = 0;
}

static void take_line(void *context, const struct model_line_total *line)
{
	struct door *d = context;

	d->lines.line[d->line_count++] = *line;
	if (d->line_count == sizeof(d->lines.line) / sizeof(d->lines.line[0]))
		send_lines(d);
}

/* ---- Connecting */

/* The program expects the lowest free descriptor from its own open(): ours moves out of the way. */
static int move_high(int fd)
{
	struct rlimit limit = { 1024, 1024 };
	int high;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (int)(limit.rlim_cur - 32));
	if (high < 0)
		return fd;
	syscall(SYS_close, fd);
	return high;
}

static void set_timeouts(int fd)
{
	struct timeval send_limit = { .tv_sec = SEND_SECONDS }, receive_limit = { .tv_sec = 10 };

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof(send_limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &receive_limit, sizeof(receive_limit));
}

static bool receive_config(struct door *d)
{
	char *p = (char *)&d->config;
	size_t size = sizeof(d->config);

	while (size) {
		long n = syscall(SYS_recvfrom, d->fd, p, size, 0, NULL, NULL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	errno = EPROTO;
	return d->config.version == MODEL_VERSION && d->config.size == sizeof(d->config);
}

static bool door_connect(struct door *d)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	d->fd = move_high(fd);
	set_timeouts(d->fd);
	d->gone = false;
	d->hello.pid = d->pid = (uint32_t)syscall(SYS_getpid);
	d->flushed = clock_ns();
	if (!syscall(SYS_connect, d->fd, &d->address, sizeof(d->address))) {
		post_message(d, WIRE_HELLO, &d->hello, sizeof(d->hello), NULL, 0);
		if (!d->gone && receive_config(d))
			return true;
	}
	syscall(SYS_close, d->fd);
	d->fd = -1;
	d->gone = true;
	return false;
}

static bool door_reserve(struct door *d)
{
	d->tids = reserve(NUMBERS * sizeof(d->tids[0]));
	d->regions = reserve(REGIONS * sizeof(d->regions[0]));
	return d->tids && d->regions;
}

struct door *door_open(const char *path, const char *name, const char *detail)
{
	struct door *d = reserve(sizeof(*d));

	if (!d || !door_reserve(d))
		return NULL;
	if (strlen(path) >= sizeof(d->address.sun_path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	d->address.sun_family = AF_UNIX;
	memcpy(d->address.sun_path, path, strlen(path) + 1);
	d->hello.version = MODEL_VERSION;
	snprintf(d->hello.door, sizeof(d->hello.door), "%s", name);
	snprintf(d->hello.detail, sizeof(d->hello.detail), "%s", detail);
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	return door_connect(d) ? d : NULL;
}

const struct model_config *door_config(const struct door *d)
{
	return &d->config;
}

int door_descriptor(const struct door *d)
{
	return d->fd;
}

void door_move(struct door *d)
{
	int fd;

	door_lock(d);
	fd = (int)syscall(SYS_fcntl, d->fd, F_DUPFD_CLOEXEC, d->fd + 1);
	if (fd < 0)
		fd = (int)syscall(SYS_fcntl, d->fd, F_DUPFD_CLOEXEC, 200);
	if (fd < 0)
		peer_gone(d);
	else
		d->fd = fd;
	door_unlock(d);
}

/* ---- The model's life */

bool door_reach(struct door *d)
{
	if (d->fd < 0 && !d->gone && !d->finished)
		door_connect(d);
	return d->fd >= 0 && !d->gone;
}

bool door_begin(struct door *d)
{
	struct model_sink sink = { d, sink_sample, sink_thread };

	if (d->finished)
		return false;
	if (d->model)
		return true;
	if (!door_reach(d))
		return false;
	d->model = model_new(&d->config, &sink);
	if (!d->model)
		door_remark(d, "process %u is not modelled: no room for the model (%s)", d->pid,
			    strerror(errno));
	return d->model != NULL;
}

static bool threads_inside(const struct door *d)
{
	for (struct door_thread *t = __atomic_load_n(&d->threads, __ATOMIC_ACQUIRE); t; t = t->next)
		if (__atomic_load_n(&t->inside, __ATOMIC_ACQUIRE) == DOOR_INSIDE)
			return true;
	return false;
}

/*
 * No thread is in the model when this returns true. A thread that was about to enter has seen its
 * "on" cleared, or is seen here: membarrier() orders both sides. Waits of the model are timed.
 */
static bool threads_stop(struct door *d)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	threads_detach(d);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (int i = 0; i < STOP_MS; i++) {
		if (!threads_inside(d))
			return true;
		syscall(SYS_nanosleep, &ms, NULL);
	}
	return false;
}

static void model_close(struct door *d)
{
	struct model_total total = { 0 };

	if (d->model) {
		model_finish(d->model, take_line, d, &total);
		d->model = NULL;
	}
	send_lines(d);
	post_message(d, WIRE_TOTAL, &total, sizeof(total), NULL, 0);
}

void door_finish(struct door *d)
{
	if (__atomic_exchange_n(&d->finished, true, __ATOMIC_ACQ_REL) || d->fd < 0)
		return;
	if (threads_stop(d)) {
		door_maps_send(d);
		model_close(d);
	} else {
		door_remark(d, "process %u: a thread did not leave the model; totals are missing",
			    d->pid);
	}
	door_lock(d);
	send_samples(d);
	syscall(SYS_close, d->fd);
	d->fd = -1;
	d->gone = true;
	door_unlock(d);
}

bool door_is_forked(const struct door *d)
{
	return d->pid != (uint32_t)syscall(SYS_getpid);
}

void door_forked(struct door *d)
{
	d->lock = 0;
	threads_detach(d);
	for (struct door_thread *t = d->threads; t; t = t->next)
		t->number = t->inside = 0;
	if (d->model)
		model_forget(d->model);
	d->model = NULL;
	if (d->fd >= 0)
		syscall(SYS_close, d->fd);
	d->fd = -1;
	d->gone = d->finished = d->refused = false;
	d->used = d->line_count = d->numbers = 0;
	d->region_count = d->hidden; /* the child tells its maps anew */
	d->now = 0;
	d->pid = (uint32_t)syscall(SYS_getpid);
}

/* ---- Threads */

static void thread_list(struct door *d, struct door_thread *t)
{
	if (t->listed)
		return;
	t->listed = true;
	t->next = __atomic_load_n(&d->threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&d->threads, &t->next, t, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

void door_thread_refuse(struct door *d)
{
	if (d->model)
		model_miss(d->model, 1);
	if (!__atomic_exchange_n(&d->refused, true, __ATOMIC_RELAXED))
		door_remark(d,
			    "process %u: more threads were alive at once than the model has: the "
			    "others were not modelled",
			    d->pid);
}

void door_thread_start(struct door *d, struct door_thread *t, struct door_thread *parent)
{
	uint32_t number = __atomic_add_fetch(&d->numbers, 1, __ATOMIC_RELAXED);

	if (number >= NUMBERS)
		return;
	thread_list(d, t);
	t->number = number;
	t->parent_tid = parent ? parent->tid : 0;
	t->ready = model_thread_start(d->model, parent && parent->on ? parent->model : NULL,
				      number);
	if (!t->ready && !__atomic_load_n(&d->finished, __ATOMIC_RELAXED))
		door_thread_refuse(d);
}

static void post_task(struct door *d, enum wire_type type, const struct door_thread *t)
{
	struct wire_task task = { d->now, d->pid, t->tid, t->parent_tid, 0 };

	post_message(d, type, &task, sizeof(task), NULL, 0);
}

void door_thread_run(struct door *d, struct door_thread *t)
{
	struct model_thread *model = __atomic_exchange_n(&t->ready, NULL, __ATOMIC_ACQ_REL);

	t->tid = (uint32_t)syscall(SYS_gettid);
	if (!t->number)
		return;
	d->tids[t->number] = t->tid;
	post_task(d, WIRE_TASK, t);
	t->model = model;
	__atomic_store_n(&t->on, model != NULL, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&d->gone, __ATOMIC_SEQ_CST) ||
	    __atomic_load_n(&d->finished, __ATOMIC_SEQ_CST))
		__atomic_store_n(&t->on, 0, __ATOMIC_RELEASE);
}

void door_thread_end(struct door *d, struct door_thread *t)
{
	struct model_thread *model;

	t->inside = DOOR_INSIDE;
	__asm__ volatile("" ::: "memory");
	model = t->on ? t->model : t->ready;
	if (model)
		model_thread_end(model);
	t->on = 0;
	t->ready = NULL;
	door_leave(t);
	if (t->number)
		post_task(d, WIRE_EXIT, t);
	t->number = 0;
}

void door_comm(struct door *d, uint32_t tid, const char *name)
{
	struct wire_task task = { d->now, d->pid, tid, 0, 0 };

	post_message(d, WIRE_COMM, &task, sizeof(task), name, strlen(name) + 1);
}

void door_remark(struct door *d, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	post_message(d, WIRE_REMARK, text, strlen(text) + 1, NULL, 0);
}

void door_flush_old(struct door *d)
{
	int saved = errno;

	if (!__atomic_load_n(&d->used, __ATOMIC_RELAXED) || clock_ns() - d->flushed < BATCH_NS)
		return;
	door_lock(d);
	if (!d->gone)
		send_samples(d);
	door_unlock(d);
	errno = saved;
}

/* ---- Maps */

void door_map(struct door *d, const struct door_region *r)
{
	struct wire_map m = {
		.cycles = d->now,
		.start = r->start,
		.size = r->end - r->start,
		.offset = r->offset,
		.inode = r->inode,
		.pid = d->pid,
		.major = r->major,
		.minor = r->minor,
		.prot = r->prot,
		.flags = r->flags,
	};
	const char *path = r->path[0] ? r->path : "//anon";

	post_message(d, WIRE_MAP, &m, sizeof(m), path, strlen(path) + 1);
}

static bool region_overlaps(const struct span *s, const struct door_region *r)
{
	return s->start < r->end && r->start < s->end;
}

/* Of what the front door had mapped, everything that grew out of it is its own as well. */
static bool region_known(const struct door *d, const struct door_region *r)
{
	for (uint32_t i = 0; i < d->region_count; i++) {
		const struct span *s = &d->regions[i];

		if (i < d->hidden ? region_overlaps(s, r)
				  : s->start == r->start && s->end == r->end &&
					    s->offset == r->offset && s->inode == r->inode)
			return true;
	}
	return false;
}

static void region_note(struct door *d, const struct door_region *r)
{
	if (d->region_count < REGIONS)
		d->regions[d->region_count++] = (struct span){ r->start, r->end, r->offset,
							       r->inode };
}

/* Under QEMU the guest's main stack is anonymous memory with a page below it that nobody may touch.
 */
static bool region_is_stack(const struct door_region *r, const struct door_region *below)
{
	return !r->path[0] && r->prot == (PROT_READ | PROT_WRITE) && below->prot == 0 &&
	       below->end == r->start && r->end - r->start >= 1 << 20;
}

struct walk {
	struct door *door;
	bool hide;
	bool stack_seen;
	struct door_region below;
};

/* What QEMU has allocated since: it places the memory of its guest far below its own. */
static bool region_is_emulators(const struct door *d, const struct door_region *r)
{
	return d->hidden && !r->path[0] && r->start >= 0x500000000000;
}

static void walk_region(struct walk *w, struct door_region *r)
{
	if (w->hide) {
		region_note(w->door, r);
	} else if (!region_known(w->door, r) && !region_is_emulators(w->door, r) && r->prot &&
		   strcmp(r->path, "[vvar]") && strcmp(r->path, "[vsyscall]")) {
		region_note(w->door, r);
		if (!w->stack_seen && w->door->hidden && region_is_stack(r, &w->below)) {
			r->path = "[stack]";
			w->stack_seen = true;
		}
		door_map(w->door, r);
	}
	w->below = *r;
}

/* Hands the whole lines in "text" on; gives the bytes of the last, unfinished one. */
static size_t walk_lines(struct walk *w, char *text, size_t size)
{
	char *end = text + size, *eol;
	struct door_region r;

	while ((eol = memchr(text, '\n', (size_t)(end - text)))) {
		*eol = 0;
		if (door_region_parse(text, &r))
			walk_region(w, &r);
		text = eol + 1;
	}
	return (size_t)(end - text);
}

static void walk_maps(struct walk *w)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	char *buffer = reserve(MAPS_BUFFER);
	size_t rest = 0;
	long n;

	if (fd < 0 || !buffer)
		return;
	while ((n = syscall(SYS_read, fd, buffer + rest, MAPS_BUFFER - 1 - rest)) > 0) {
		size_t size = rest + (size_t)n;

		rest = walk_lines(w, buffer, size);
		memmove(buffer, buffer + size - rest, rest);
	}
	syscall(SYS_close, fd);
	munmap(buffer, MAPS_BUFFER);
}

void door_maps_hide(struct door *d)
{
	struct walk w = { .door = d, .hide = true };

	walk_maps(&w);
	d->hidden = d->region_count;
}

void door_maps_send(struct door *d)
{
	struct walk w = { .door = d };

	if (d->fd >= 0 && !d->gone)
		walk_maps(&w);
}
