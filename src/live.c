// SPDX-License-Identifier: GPL-2.0-only
#include "live.h"
#include "mem.h"
#include "perfdata_read.h"
#include "screen.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE   64
#define BATCH	    2048       /* samples */
#define CELLS_MOST  (1u << 20) /* of one builder, some 100 MB; then the oldest are forgotten */
#define LEAST	    0.0002     /* share below which lines are only counted, once there are many */
#define MANY_CELLS  20000
#define SLICE_NS    500000000ull /* of the time view, in the recording's time */
#define FIRST	    0.1		 /* seconds until the first picture */
#define GROWTH_MS   100		 /* between looks at a file that is still written */
#define TALLY_LEAST 0.05	 /* samples; a decayed cell that has less is forgotten */

/* Counts since a moment. */
struct period {
	struct profile_builder *builder;
	double since; /* seconds of the clock */
};

struct live {
	struct intern *pool;
	struct attrib *attrib;
	struct source *source;
	const char *name;
	bool file;    /* fd is a regular file */
	int fd, wake; /* wake: an eventfd, written for the thread */
	int news;     /* an eventfd, written for who draws */
	struct sample *batch;
	struct steps steps;
	/* With a window there are two: the older one covers at most the window, and gives way to
	 * the younger one, which is half as old. */
	struct period period[2];
	struct tally *tally;
	double start, published, window, refresh;
	uint64_t samples, samples_published, lost;
	bool dirty, forgetful, ended;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	struct live_shot *shot;
	struct err *error;
	struct tap *tap;
	double window_asked;
	bool stop;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void ring(int fd)
{
	uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void quiet(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/* ---- Counting */

static struct period period_new(struct live *l)
{
	struct profile_builder *b = profile_builder_new(l->attrib, LINE_SIZE);

	if (l->source)
		profile_recording(b, &l->source->recording);
	return (struct period){ b, now() };
}

static void period_end(struct period *p)
{
	if (p->builder)
		profile_drop(p->builder);
	*p = (struct period){ NULL, 0 };
}

/* The older period gives way; without a younger one, counting starts anew. */
static void turn(struct live *l)
{
	period_end(&l->period[0]);
	l->period[0] = l->period[1].builder ? l->period[1] : period_new(l);
	l->period[1] = (struct period){ NULL, 0 };
}

static void keep_window(struct live *l)
{
	double age = now() - l->period[0].since;

	if (profile_cells(l->period[0].builder) > CELLS_MOST) {
		l->forgetful = true;
		turn(l);
	} else if (l->window > 0 && age > l->window) {
		turn(l);
	}
	if (!l->period[1].builder && ((l->window > 0 && age > l->window / 2) ||
				      profile_cells(l->period[0].builder) > CELLS_MOST / 2))
		l->period[1] = period_new(l);
}

static void count_samples(struct live *l, uint32_t count)
{
	steps_look(&l->steps, l->batch, count);
	for (int i = 0; i < 2; i++)
		if (l->period[i].builder)
			profile_add_samples(l->period[i].builder, l->batch, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct sample *s = &l->batch[i];

		tally_sample(l->tally, s, attrib_mapping(l->attrib, s->pid, s->cpumode, s->addr));
	}
	l->samples += count;
	l->dirty = true;
}

static void count_event(struct live *l, const struct event *ev)
{
	for (int i = 0; i < 2; i++)
		if (l->period[i].builder)
			profile_add(l->period[i].builder, ev);
	attrib_event(l->attrib, ev);
	l->dirty = true;
}

/* ---- Pictures */

/* What it points to, but for strings, may be moved as the reading goes on. */
static void copy_recording(struct recording *to, const struct recording *from)
{
	*to = *from;
	to->cpu_node = mem_copy(from->cpu_node, from->cpu_nodes, sizeof(*to->cpu_node));
	to->memory = mem_copy(from->memory, from->memory_count, sizeof(*to->memory));
	to->events = mem_copy(from->events, from->event_count, sizeof(*to->events));
}

static struct live_shot *make_shot(struct live *l)
{
	const struct period *p = &l->period[0];
	struct report_options options = { .top = SCREEN_LINES, .all = true, .unicode = true };
	struct live_shot *s = mem_zalloc(sizeof(*s));
	double at = now();

	profile_least(p->builder, profile_cells(p->builder) > MANY_CELLS ? LEAST : 0);
	s->profile = profile_snapshot(p->builder);
	copy_recording(&s->recording, &l->source->recording);
	s->recording.path = l->name;
	tally_watch(l->tally, s->profile);
	s->tally = tally_copy(l->tally);
	view_init(&s->view, &s->recording, s->profile, l->attrib, &options);
	s->seconds = at - p->since;
	s->since_start = at - l->start;
	s->samples = l->samples;
	s->lost = l->source->recording.lost;
	s->samples_per_second = (l->samples - l->samples_published) / (at - l->published + 1e-9);
	s->window = l->window;
	s->forgetful = l->forgetful;
	s->ended = l->ended;
	return s;
}

void live_shot_free(struct live_shot *s)
{
	if (!s)
		return;
	view_deinit(&s->view);
	tally_free(s->tally);
	profile_free(s->profile);
	free(s->recording.cpu_node);
	free(s->recording.memory);
	free(s->recording.events);
	free(s);
}

static void take_requests(struct live *l)
{
	double window;

	pthread_mutex_lock(&l->lock);
	window = l->window_asked;
	pthread_mutex_unlock(&l->lock);
	if (window != l->window) {
		l->window = window;
		l->dirty = true;
	}
}

static void publish(struct live *l)
{
	struct live_shot *s, *old;
	double at = now();

	if (l->window > 0)
		tally_decay(l->tally, exp(-(at - l->published) / l->window), TALLY_LEAST);
	s = make_shot(l);
	pthread_mutex_lock(&l->lock);
	old = l->shot;
	l->shot = s;
	pthread_mutex_unlock(&l->lock);
	live_shot_free(old);
	l->published = at;
	l->samples_published = l->samples;
	l->dirty = false;
	ring(l->news);
}

/* Soon at first: which CPU does what is counted only of lines that a picture has shown. */
static double interval(const struct live *l)
{
	double since = l->published - l->start;
	double ramp = since < FIRST ? FIRST : since;

	return ramp < l->refresh ? ramp : l->refresh;
}

static void publish_in_time(struct live *l)
{
	if (now() - l->published < interval(l))
		return;
	take_requests(l);
	keep_window(l);
	if (l->dirty || l->window > 0 || l->samples_published != l->samples)
		publish(l);
	else
		l->published = now();
}

/* ---- Reading */

static bool is_stopped(struct live *l)
{
	bool stop;

	pthread_mutex_lock(&l->lock);
	stop = l->stop;
	pthread_mutex_unlock(&l->lock);
	return stop;
}

/* Until there are bytes, or somebody wants something. */
static bool wait_for_bytes(struct live *l)
{
	struct pollfd polled[] = { { .fd = l->fd, .events = POLLIN },
				   { .fd = l->wake, .events = POLLIN } };
	int left_ms = (int)(1000 * (interval(l) - (now() - l->published)));

	if (poll(polled, 2, left_ms > 1 ? left_ms : 1) <= 0)
		return false;
	if (polled[1].revents)
		quiet(l->wake);
	return polled[0].revents;
}

/* Somebody else has the file open for writing: then, and only then, the kernel gives no lease on
 * it. Where it cannot tell (network file systems), nothing more is expected. */
static bool is_written(int fd)
{
	if (fcntl(fd, F_SETSIG,
		  SIGURG)) /* to a writer that comes just now; ignored, unlike SIGIO */
		return false;
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

static void wait_for_growth(struct live *l)
{
	struct pollfd polled = { .fd = l->wake, .events = POLLIN };

	if (poll(&polled, 1, GROWTH_MS) > 0)
		quiet(l->wake);
}

/* Up to "room" bytes. -1: a file that is still written has no more for now. */
static ssize_t read_some(struct live *l, uint8_t *to, size_t room)
{
	bool written = l->file && is_written(l->fd); /* before, so that its last bytes are read */
	ssize_t got;

	do {
		got = read(l->fd, to, room);
	} while (got < 0 && errno == EINTR);
	return !got && written ? -1 : got < 0 ? 0 : got;
}

/* The source's bytes. While it waits for them pictures are made: all that was decoded is counted.
 */
static size_t feed(void *from, uint8_t *to, size_t room)
{
	struct live *l = from;
	ssize_t got;

	while (!is_stopped(l)) {
		if (l->source)
			publish_in_time(l);
		if (!wait_for_bytes(l))
			continue;
		got = read_some(l, to, room);
		if (got < 0) {
			wait_for_growth(l);
			continue;
		}
		if (!got)
			return 0;
		pthread_mutex_lock(&l->lock);
		tap_bytes(l->tap, to, got);
		pthread_mutex_unlock(&l->lock);
		return got;
	}
	return 0;
}

static struct err *read_all(struct live *l)
{
	struct err *e = NULL;
	bool end = false;

	l->source->loose = true;
	profile_recording(l->period[0].builder, &l->source->recording);
	while (!e && !end) {
		size_t count = source_samples(l->source, l->batch, BATCH);
		struct event ev;

		if (count) {
			count_samples(l, count);
			publish_in_time(l);
			continue;
		}
		e = source_next(l->source, &ev, &end);
		if (!e && !end && ev.kind == EVENT_SAMPLE) {
			l->batch[0] = ev.sample;
			count_samples(l, 1);
		} else if (!e && !end) {
			count_event(l, &ev);
		}
		publish_in_time(l);
	}
	return e;
}

static void *read_stream(void *argument)
{
	struct live *l = argument;
	struct err *e = perfdata_open_feed(l->name, (struct input_feed){ feed, l }, l->pool,
					   &l->source);

	if (!e)
		e = read_all(l);
	l->ended = true;
	if (l->source)
		publish(l);
	pthread_mutex_lock(&l->lock);
	l->error = e;
	pthread_mutex_unlock(&l->lock);
	ring(l->news);
	return NULL;
}

/* ---- From outside */

struct err *live_open(int fd, const char *name, struct intern *pool,
		      const struct live_options *options, struct live **live)
{
	struct live *l = mem_zalloc(sizeof(*l));
	struct stat st;
	int error;

	l->fd = fd;
	l->file = !fstat(fd, &st) && S_ISREG(st.st_mode);
	l->pool = pool;
	l->name = intern_string(l->pool, name);
	l->attrib = attrib_new(l->pool);
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->batch = mem_zalloc(BATCH * sizeof(*l->batch));
	l->tally = tally_new_live(LINE_SIZE, SLICE_NS);
	l->tap = tap_new();
	l->start = l->published = now();
	l->window = l->window_asked = options->window;
	l->refresh = options->refresh;
	l->period[0] = period_new(l);
	pthread_mutex_init(&l->lock, NULL);
	error = pthread_create(&l->thread, NULL, read_stream, l);
	*live = l;
	if (!error)
		return NULL;
	l->thread = 0;
	live_close(l);
	*live = NULL;
	return err_errno(ERR_FAILED, error, "live: starting a thread");
}

void live_stop(struct live *l)
{
	if (!l->thread)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_mutex_unlock(&l->lock);
	ring(l->wake);
	pthread_join(l->thread, NULL);
	l->thread = 0;
}

void live_close(struct live *l)
{
	if (!l)
		return;
	live_stop(l);
	live_shot_free(l->shot);
	err_free(l->error);
	tap_free(l->tap);
	for (int i = 0; i < 2; i++)
		period_end(&l->period[i]);
	tally_free(l->tally);
	attrib_free(l->attrib);
	source_close(l->source);
	free(l->batch);
	close(l->fd);
	close(l->wake);
	close(l->news);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

int live_fd(const struct live *l)
{
	return l->news;
}

struct live_shot *live_take(struct live *l)
{
	struct live_shot *s;

	quiet(l->news);
	pthread_mutex_lock(&l->lock);
	s = l->shot;
	l->shot = NULL;
	pthread_mutex_unlock(&l->lock);
	return s;
}

struct err *live_error(struct live *l)
{
	struct err *e;

	pthread_mutex_lock(&l->lock);
	e = l->error;
	l->error = NULL;
	pthread_mutex_unlock(&l->lock);
	return e;
}

void live_window(struct live *l, double seconds)
{
	pthread_mutex_lock(&l->lock);
	l->window_asked = seconds;
	pthread_mutex_unlock(&l->lock);
	ring(l->wake);
}

struct err *live_record(struct live *l, const char *path)
{
	struct err *e;

	pthread_mutex_lock(&l->lock);
	e = tap_stop(l->tap);
	if (!e && path)
		e = tap_start(l->tap, path);
	pthread_mutex_unlock(&l->lock);
	return e;
}
