// SPDX-License-Identifier: GPL-2.0-only
#include "model_run.h"
#include "annotation.h"
#include "environment.h"
#include "heap_log.h"
#include "heap_read.h"
#include "emulator.h"
#include "mem.h"
#include "perfdata_file.h"
#include "program.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS	    250
#define GRACE_TICKS 8 /* two seconds */
#define SYNC_TICKS  4
#define CONNECTIONS 512	      /* at one time; a process each */
#define READ_MOST   (1 << 18) /* bytes of one connection before the others have their turn */

struct connection {
	int fd; /* -1 when closed */
	pid_t peer;
	struct door *door;
	bool answered;
};

/* What a run holds from its beginning to its end. */
struct run {
	const struct model_run *ask;
	struct model_result *result;
	struct recorder recorder;
	struct perfdata_features features;
	char *program, *folder, *socket, *notes, *cpu;
	char *heap, *preload;	  /* the heap's log, "LD_PRELOAD=..."; NULL: not asked for */
	struct emulator emulator; /* unused with hooks */
	bool hooks;
	int listener, timer, process; /* descriptors; process: of the child, -1 when unsupported */
	struct connection *connections;
	uint32_t connection_count, connection_room;
	pid_t child; /* 0 once it was waited for */
	pid_t started;
	int status;
	unsigned ticks_left; /* until patience ends; 0: nothing is waited for */
	unsigned ticks;
	int interrupts; /* dealt with */
	long announced; /* bytes of the notes that who reads a pipe was told of */
	uint8_t *buffer;
};

static bool is_pipe(const struct run *r)
{
	return !strcmp(r->ask->output, "-");
}

/* ---- Before the start */

static struct err *choose_door(struct run *r)
{
	const struct model_run *ask = r->ask;
	struct emulator_places places = { .given = ask->qemu,
					  .path = ask->path,
					  .spare = ask->qemu_spare,
					  .plugin_folder = ask->plugin_folder };

	if (ask->door == MODEL_DOOR_HOOKS && !r->hooks)
		return err_next(err_new(ERR_FAILED, "record: program %s: has no hooks", r->program),
				"build it with \"hitmap cc\", or record it with --door qemu");
	r->hooks = r->hooks && ask->door != MODEL_DOOR_QEMU;
	return r->hooks ? NULL : emulator_find(&places, &r->emulator);
}

static struct err *find_program(struct run *r)
{
	struct err *e = program_find(r->ask->argv[0], r->ask->path, &r->program);

	if (!e)
		e = program_check(r->program, &r->hooks);
	return e ? e : choose_door(r);
}

static struct err *make_heap_log(struct run *r)
{
	char *libraries = environment_preload(r->ask->environment, r->ask->heap_library);

	r->preload = mem_printf("LD_PRELOAD=%s", libraries);
	r->heap = mem_printf("%s/heap", r->folder);
	free(libraries);
	return heap_log_create(r->heap);
}

static struct err *make_folder(struct run *r)
{
	r->folder = mem_printf("%s/hitmap-XXXXXX", r->ask->temp_folder);
	if (!mkdtemp(r->folder)) {
		struct err *e = err_errno(ERR_FAILED, errno, "record: temporary folder in %s",
					  r->ask->temp_folder);

		free(r->folder);
		r->folder = NULL;
		return err_next(e, "set TMPDIR to a folder that you may write to");
	}
	r->socket = mem_printf("%s/socket", r->folder);
	r->notes = mem_printf("%s/notes", r->folder);
	return r->ask->heap_library ? make_heap_log(r) : NULL;
}

static struct err *listen_at(struct run *r)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(r->socket) >= sizeof(address.sun_path))
		return err_next(err_new(ERR_FAILED, "record: %s is too long for a socket's path",
					r->socket),
				"set TMPDIR to a folder with a shorter path");
	strcpy(address.sun_path, r->socket);
	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->listener < 0 || bind(r->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(r->listener, 128))
		return err_errno(ERR_FAILED, errno, "record: socket %s", r->socket);
	return NULL;
}

static struct err *start_timer(struct run *r)
{
	const struct itimerspec every = { .it_interval.tv_nsec = TICK_MS * 1000000,
					  .it_value.tv_nsec = TICK_MS * 1000000 };

	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->timer < 0 || timerfd_settime(r->timer, 0, &every, NULL))
		return err_errno(ERR_FAILED, errno, "record: timer");
	return NULL;
}

static struct err *create_file(struct run *r)
{
	const struct model_run *ask = r->ask;
	const struct model_machine *m = &ask->config.machine;

	r->cpu = mem_printf("modelled: %s", m->name);
	r->features = (struct perfdata_features){
		.host = ask->host,
		.kernel = ask->kernel,
		.recorder = ask->recorder,
		.arch = "x86_64",
		.cpu = r->cpu,
		.argc = ask->record_argc,
		.argv = ask->record_argv,
		.cpus = m->cpus,
		.cpu_node = m->node,
		.cpu_core = m->core,
		.memory_kb = 1u << 20, /* the model has no memory of a size; perf wants one */
	};
	perfdata_file_keep_old(ask->output);
	return recorder_open(&r->recorder, ask->output, m, &r->features);
}

/* ---- The program */

/* The command line: the program's own, behind QEMU's where it runs the program; to be freed. */
static char **command_of(const struct run *r, char *option)
{
	char *const *argv = r->ask->argv;
	char *front[] = { r->emulator.file, "-plugin", option,	   "-0",
			  argv[0],	    "-E",      r->preload, r->program };
	char **command;
	size_t count = 0, out = 0;

	while (argv[count])
		count++;
	command = mem_zalloc((count + ARRAY_SIZE(front) + 1) * sizeof(*command));
	for (size_t i = 0; i < ARRAY_SIZE(front) && !r->hooks; i++)
		if (r->preload || (i != 5 && i != 6)) /* -E and the guest's setting */
			command[out++] = front[i];
	memcpy(command + out, argv + !r->hooks, (count - !r->hooks) * sizeof(*argv));
	return command;
}

static char **environment_of(const struct run *r)
{
	const struct environment_setting settings[] = {
		{ ANNOTATION_ENVIRONMENT, r->notes },
		/* QEMU's door learns it from its plugin's argument. */
		{ WIRE_ENVIRONMENT, r->hooks ? r->socket : NULL },
		{ HEAP_LOG_ENVIRONMENT, r->heap },
		/* Of the program; QEMU's own stays as it is. */
		{ "LD_PRELOAD", r->preload ? strchr(r->preload, '=') + 1 : NULL },
	};

	return environment_make(r->ask->environment, settings,
				ARRAY_SIZE(settings) - !(r->preload && r->hooks));
}

static struct err *start_program(struct run *r)
{
	char *option = r->hooks ? NULL : emulator_option(&r->emulator, r->socket);
	char **command = command_of(r, option), **environment = environment_of(r);
	const char *file = r->hooks ? r->program : r->emulator.file;
	int error;

	if (r->hooks)
		error = program_start(r->program, command, environment, is_pipe(r), &r->child);
	else
		error = emulator_start(&r->emulator, command, environment, is_pipe(r), &r->child);
	environment_free(environment);
	free(command);
	free(option);
	if (error) {
		r->child = 0;
		return err_errno(ERR_FAILED, error, "record: starting %s", file);
	}
	r->started = r->child;
	r->process = syscall(SYS_pidfd_open, r->child, 0);
	return NULL;
}

/* ---- Connections */

static struct connection *connection_add(struct run *r)
{
	for (uint32_t i = 0; i < r->connection_count; i++)
		if (r->connections[i].fd < 0)
			return &r->connections[i];
	if (r->connection_count == CONNECTIONS)
		return NULL;
	mem_grow(&r->connections, &r->connection_room, r->connection_count);
	return &r->connections[r->connection_count++];
}

static void accept_doors(struct run *r)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	struct connection *c;
	int fd;

	while ((fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		c = connection_add(r);
		if (!c) {
			close(fd); /* its door stops modelling, its program runs on */
			continue;
		}
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
		*c = (struct connection){ .fd = fd,
					  .peer = peer.pid,
					  .door = recorder_door(&r->recorder) };
	}
}

static void connection_close(struct connection *c)
{
	close(c->fd);
	c->fd = -1;
}

static bool door_open(void *context, const struct door *d)
{
	const struct run *r = context;

	for (uint32_t i = 0; i < r->connection_count; i++)
		if (r->connections[i].door == d)
			return r->connections[i].fd >= 0;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The door has greeted: its process is announced, and it is told what to model. */
static struct err *connection_answer(struct run *r, struct connection *c)
{
	const struct model_config *config = &r->ask->config;
	bool first = !r->result->connected;
	struct err *e = recorder_process(&r->recorder, c->door,
					 first ? (uint32_t)getpid() : (uint32_t)r->started,
					 first ? base_name(r->ask->argv[0]) : NULL);

	if (first)
		snprintf(r->result->door, sizeof(r->result->door), "%s", c->door->name);
	r->result->connected = true;
	c->answered = true;
	if (!e && first)
		e = recorder_total(&r->recorder, false); /* now with the door's name */
	if (send(c->fd, config, sizeof(*config), MSG_NOSIGNAL) != (ssize_t)sizeof(*config))
		connection_close(c);
	return e;
}

static struct err *connection_take(struct run *r, struct connection *c, size_t size)
{
	struct err *e = door_feed(c->door, r->buffer, size);

	if (!e && c->door->greeted && !c->answered)
		e = connection_answer(r, c);
	if (!e && c->door->malformed) {
		if (c->fd >= 0)
			connection_close(c);
		e = recorder_remark(&r->recorder,
				    "process %u: its door sent %s; what came after "
				    "that is missing",
				    c->door->pid, c->door->malformed);
	}
	return e;
}

static struct err *connection_read(struct run *r, struct connection *c)
{
	ssize_t got = recv(c->fd, r->buffer, READ_MOST, 0);

	if (got > 0 && !r->child && c->peer == r->started)
		r->ticks_left = GRACE_TICKS; /* what it sent before it ended is taken to its end */
	if (got > 0)
		return connection_take(r, c, got);
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		connection_close(c);
	return NULL;
}

/* ---- Patience */

static void kill_all(struct run *r)
{
	if (r->child)
		kill(r->child, SIGKILL);
	for (uint32_t i = 0; i < r->connection_count; i++)
		if (r->connections[i].fd >= 0 && r->connections[i].peer > 0 &&
		    r->connections[i].peer != r->started) /* this pid may be another's by now */
			kill(r->connections[i].peer, SIGKILL);
	r->result->killed = true;
}

/* A terminal's Ctrl-C has reached the program as well; it may clean up. */
static void notice_interrupts(struct run *r)
{
	int now = *r->ask->interrupts;

	if (now == r->interrupts)
		return;
	if (now >= 2)
		kill_all(r);
	r->ticks_left = GRACE_TICKS;
	r->interrupts = now;
}

static void notice_exit(struct run *r)
{
	if (!r->child || waitpid(r->child, &r->status, WNOHANG) != r->child)
		return;
	r->child = 0;
	if (r->process >= 0)
		close(r->process);
	r->process = -1;
	r->ticks_left = GRACE_TICKS;
}

/* Patience has ended. While the program runs that was after an interrupt. */
static struct err *lose_patience(struct run *r)
{
	struct err *e = NULL;

	if (r->child) {
		kill_all(r);
		return NULL;
	}
	for (uint32_t i = 0; !e && i < r->connection_count; i++) {
		struct connection *c = &r->connections[i];

		if (c->fd < 0)
			continue;
		connection_close(c);
		if (c->peer == r->started) /* only a descendant holds it open */
			continue;
		e = recorder_remark(&r->recorder,
				    "process %u, started by the program, still ran "
				    "when the program had ended: recorded until then",
				    c->door->pid);
	}
	return e;
}

static struct err *announce_object(void *context, const struct note *n)
{
	return n->kind == NOTE_OBJECT ? recorder_note(context, n) : NULL;
}

/* Who reads a pipe wants records and names now; all notes come again at the end. */
static struct err *serve_pipe(struct run *r)
{
	struct recorder *to = &r->recorder;
	struct err *e = annotation_news(r->notes, &r->announced, to->pool, r->started,
					announce_object, to);

	return e ? e : perfdata_sync(to->writer);
}

static struct err *tick(struct run *r)
{
	struct perfdata_writer *w = r->recorder.writer;
	uint64_t expired;

	if (read(r->timer, &expired, sizeof(expired)) != (ssize_t)sizeof(expired))
		return NULL;
	r->ticks++;
	if (r->ask->progress)
		r->ask->progress(r->ask->context, r->recorder.samples, perfdata_bytes(w));
	if (r->ticks_left && --r->ticks_left == 0) {
		struct err *e = lose_patience(r);

		if (e)
			return e;
	}
	if (is_pipe(r))
		return serve_pipe(r);
	return r->ticks % SYNC_TICKS ? NULL : perfdata_sync(w);
}

/* ---- The loop */

enum { POLL_TIMER, POLL_LISTENER, POLL_PROCESS, POLL_FIXED };

static bool anything_open(const struct run *r)
{
	for (uint32_t i = 0; i < r->connection_count; i++)
		if (r->connections[i].fd >= 0)
			return true;
	return false;
}

static struct err *wait_for_news(struct run *r, struct pollfd *polled)
{
	polled[POLL_TIMER] = (struct pollfd){ .fd = r->timer, .events = POLLIN };
	polled[POLL_LISTENER] = (struct pollfd){ .fd = r->listener, .events = POLLIN };
	polled[POLL_PROCESS] = (struct pollfd){ .fd = r->process, .events = POLLIN };
	for (uint32_t i = 0; i < r->connection_count; i++)
		polled[POLL_FIXED + i] = (struct pollfd){ .fd = r->connections[i].fd,
							  .events = POLLIN };
	if (poll(polled, POLL_FIXED + r->connection_count, -1) < 0) {
		if (errno != EINTR)
			return err_errno(ERR_FAILED, errno, "record: poll");
		for (uint32_t i = 0; i < POLL_FIXED + r->connection_count; i++)
			polled[i].revents = 0;
	}
	return NULL;
}

static struct err *serve_connections(struct run *r, const struct pollfd *polled, uint32_t count)
{
	struct err *e = NULL;
	bool news = false;

	for (uint32_t i = 0; !e && i < count; i++) {
		if (!polled[POLL_FIXED + i].revents || r->connections[i].fd < 0)
			continue;
		e = connection_read(r, &r->connections[i]);
		news = true;
	}
	return e || !news ? e : recorder_round(&r->recorder, door_open, r);
}

static struct err *serve(struct run *r)
{
	struct pollfd polled[POLL_FIXED + CONNECTIONS];
	struct err *e = NULL;

	while (!e && (r->child || anything_open(r))) {
		uint32_t count = r->connection_count;

		e = wait_for_news(r, polled);
		notice_interrupts(r);
		if (!e)
			e = serve_connections(r, polled, count);
		if (!e && polled[POLL_TIMER].revents)
			e = tick(r);
		/* A door that connected before its program ended is taken before the end is. */
		accept_doors(r);
		notice_exit(r);
		accept_doors(r);
	}
	if (r->child) { /* the recording cannot be written */
		kill_all(r);
		waitpid(r->child, &r->status, 0);
		r->child = 0;
	}
	return e;
}

/* ---- After the end */

static struct err *add_note(void *context, const struct note *n)
{
	return recorder_note(context, n);
}

/* The time of an emulated program is not its own: the counts go without it. */
static struct err *put_operations(struct run *r)
{
	struct err *e = recorder_remark(&r->recorder,
					"events counted operations of the process on this machine: "
					"what %s itself did is among them",
					r->hooks ? "the runtime of its hooks" : "QEMU");

	operation_stop(r->ask->operations, false);
	return e ? e : operation_notes(r->ask->operations, add_note, &r->recorder);
}

static struct err *add_annotations(struct run *r)
{
	uint32_t refused;
	struct err *e = annotation_read(r->notes, r->recorder.pool, r->started, add_note,
					&r->recorder, &refused);

	if (!e && refused)
		e = recorder_remark(
			&r->recorder,
			"%u lines that the program wrote to the file in " ANNOTATION_ENVIRONMENT
			" were not understood",
			refused);
	return e;
}

static struct err *add_heap(struct run *r)
{
	struct heap_log_result result;
	struct err *e = heap_log_read(r->heap, add_note, &r->recorder, &result);
	char *remark = heap_log_remark(&result);

	if (!e && remark)
		e = recorder_remark(&r->recorder, "%s", remark);
	free(remark);
	return e;
}

static struct err *remark_end(struct run *r)
{
	const struct model_result *result = r->result;
	struct recorder *rec = &r->recorder;

	if (result->killed)
		return recorder_remark(rec, "interrupted: the program was killed");
	if (r->interrupts)
		return recorder_remark(rec, "interrupted before the program had ended");
	if (result->term_signal)
		return recorder_remark(rec, "the program was ended by signal %d (%s)",
				       result->term_signal, strsignal(result->term_signal));
	if (result->exit_code)
		return recorder_remark(rec, "the program failed with exit status %d",
				       result->exit_code);
	return NULL;
}

static struct err *remark_scope(struct run *r)
{
	struct model_result *result = r->result;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < r->recorder.door_count; i++) {
		seen += r->recorder.doors[i]->samples;
		result->threads += r->recorder.doors[i]->threads;
	}
	if (!result->connected)
		return recorder_remark(&r->recorder, "no front door of the model reported: nothing "
						     "was modelled");
	if (!seen && result->complete)
		return recorder_remark(&r->recorder,
				       "no memory line was shared by two threads with "
				       "a write among them");
	return NULL;
}

/* Every process that reported sent its totals. */
static bool all_complete(const struct run *r)
{
	bool complete = r->result->connected;

	for (uint32_t i = 0; i < r->recorder.door_count; i++)
		complete = complete && r->recorder.doors[i]->complete;
	return complete;
}

static struct err *write_end(struct run *r)
{
	struct model_result *result = r->result;
	struct err *e;

	result->exit_code = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 0;
	result->term_signal = WIFSIGNALED(r->status) ? WTERMSIG(r->status) : 0;
	result->complete = all_complete(r);
	e = remark_end(r);
	if (!e)
		e = remark_scope(r);
	if (!e && r->ask->operations)
		e = put_operations(r);
	if (!e)
		e = add_annotations(r);
	if (!e && r->heap)
		e = add_heap(r);
	return e ? e : recorder_total(&r->recorder, result->complete);
}

/* The file is finished whatever happened before; the first error counts. */
static struct err *close_file(struct run *r, struct err *before)
{
	struct err *e;

	r->result->samples = r->recorder.samples;
	e = recorder_close(&r->recorder, &r->result->bytes);
	if (!before)
		return e;
	err_free(e);
	return before;
}

/* A recording that never comes to its end still says that it is a model's. */
static struct err *announce_model(struct run *r)
{
	struct err *e = recorder_total(&r->recorder, false);

	return e ? e : perfdata_sync(r->recorder.writer);
}

static struct err *record_program(struct run *r)
{
	struct err *e = r->ask->operations ? operation_open_child(r->ask->operations, !r->hooks)
					   : NULL;

	e = e ? e : create_file(r);
	if (e)
		return e;
	e = announce_model(r);
	e = e ? e : start_program(r);
	e = e ? e : serve(r);
	e = e ? e : write_end(r);
	return close_file(r, e);
}

static void run_deinit(struct run *r)
{
	for (uint32_t i = 0; i < r->connection_count; i++)
		if (r->connections[i].fd >= 0)
			connection_close(&r->connections[i]);
	if (r->listener >= 0)
		close(r->listener);
	if (r->timer >= 0)
		close(r->timer);
	if (r->process >= 0)
		close(r->process);
	if (r->folder) {
		unlink(r->socket);
		unlink(r->notes);
		unlink(r->heap ?: r->notes);
		rmdir(r->folder);
	}
	emulator_deinit(&r->emulator);
	free(r->connections);
	free(r->buffer);
	free(r->program);
	free(r->folder);
	free(r->socket);
	free(r->notes);
	free(r->heap);
	free(r->preload);
	free(r->cpu);
}

struct err *model_run_program(const struct model_run *ask, struct model_result *result)
{
	struct run r = { .ask = ask, .result = result, .listener = -1, .timer = -1, .process = -1 };
	struct err *e;

	*result = (struct model_result){ 0 };
	r.buffer = mem_zalloc(READ_MOST);
	e = find_program(&r);
	if (!e)
		e = make_folder(&r);
	if (!e)
		e = listen_at(&r);
	if (!e)
		e = start_timer(&r);
	if (!e)
		e = record_program(&r);
	run_deinit(&r);
	return e;
}
