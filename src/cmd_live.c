// SPDX-License-Identifier: GPL-2.0-only
/* hitmap live: a program, a machine or a stream while it is recorded. */
#include "command.h"
#include "live.h"
#include "mem.h"
#include "option.h"
#include "recorded.h"
#include "recorder_child.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define REFRESH_MS    1000
#define REFRESH_LEAST 50
#define WINDOW_STREAM 10 /* seconds, of what has no end of its own */
#define WINDOW_LEAST  1
#define WINDOW_MOST   3600

struct live_command {
	const char *input, *before, *target;
	const char *source, *machine, *door, *cpus, *cpu, *pid, *frequency, *period;
	uint32_t refresh, window;
	bool all_cpus, ascii, light;
};

#define AT(member) offsetof(struct live_command, member)

static const struct option_row rows[] = {
	{ 'i', "input", "FILE",
	  "a stream instead of a program: - is standard input, as from\n"
	  "perf c2c record -o - or hitmap record -o -, also over ssh",
	  OPTION_TEXT, AT(input), 0, 0 },
	{ 0, "before", "FILE", "a recording to be shown beside it", OPTION_TEXT, AT(before), 0, 0 },
	{ 0, "target", "NAME",
	  "show its objects first: signal, futex, ... or a file; see\n"
	  "docs/targets.md",
	  OPTION_TEXT, AT(target), 0, 0 },
	{ 0, "refresh", "MS", "milliseconds between pictures (default 1000)", OPTION_U32,
	  AT(refresh), REFRESH_LEAST, 60000 },
	{ 0, "window", "S",
	  "seconds that are shown (default: of a program all, of a stream 10;\n"
	  "0: all); + and - change it",
	  OPTION_U32, AT(window), 0, WINDOW_MOST },
	{ 0, "light", NULL, "the terminal's background is light", OPTION_FLAG, AT(light), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
	{ 0, "source", "NAME", "as hitmap record has it", OPTION_TEXT, AT(source), 0, 0 },
	{ 'M', "machine", "NAME|FILE", "as hitmap record has it", OPTION_TEXT, AT(machine), 0, 0 },
	{ 0, "cpus", "N", "as hitmap record has it", OPTION_TEXT, AT(cpus), 0, 0 },
	{ 0, "door", "NAME", "as hitmap record has it", OPTION_TEXT, AT(door), 0, 0 },
	{ 'a', "all-cpus", NULL, "as hitmap record has it", OPTION_FLAG, AT(all_cpus), 0, 0 },
	{ 'p', "pid", "PIDS", "as hitmap record has it", OPTION_TEXT, AT(pid), 0, 0 },
	{ 'C', "cpu", "LIST", "as hitmap record has it", OPTION_TEXT, AT(cpu), 0, 0 },
	{ 'F', "freq", "N", "as hitmap record has it", OPTION_TEXT, AT(frequency), 0, 0 },
	{ 'c', "count", "N", "as hitmap record has it", OPTION_TEXT, AT(period), 0, 0 },
};

static const struct option_usage usage = {
	"live",
	"[OPTIONS] [-- PROGRAM [ARGUMENTS]]",
	"Shows on the terminal which lines are contended, and by whom, while it happens. ? lists\n"
	"the keys; b marks what is shown as \"before\", r records, ! runs another program.",
	rows,
	ARRAY_SIZE(rows),
	false,
};

/* ---- What is handed on to hitmap record */

struct handed {
	const char *option;
	size_t at; /* of a const char * */
};

static const struct handed handed[] = {
	{ "--source", AT(source) },  { "--machine", AT(machine) }, { "--cpus", AT(cpus) },
	{ "--door", AT(door) },	     { "--pid", AT(pid) },	   { "--cpu", AT(cpu) },
	{ "--freq", AT(frequency) }, { "--count", AT(period) },
};

/* The caller's; its strings are others'. */
static char **record_options(const struct live_command *c)
{
	char **list = mem_zalloc((2 * ARRAY_SIZE(handed) + 2) * sizeof(*list));
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(handed); i++) {
		const char *value = *(const char *const *)((const char *)c + handed[i].at);

		if (!value)
			continue;
		list[at++] = (char *)handed[i].option;
		list[at++] = (char *)value;
	}
	if (c->all_cpus)
		list[at] = (char *)"--all-cpus";
	return list;
}

/* ---- One stream after the other */

struct watch {
	const struct live_command *command;
	struct intern *pool;
	char **options;
	char **program; /* NULL: none */
	char **words;	/* of a program that was typed; they are its */
	char *typed;
	struct recorder_child child;
	struct live *live;
	struct live **ended; /* whose pictures are still shown */
	size_t ended_count, ended_room;
	struct live_shot *shot, *marked;
	struct recorded before; /* a file */
	struct screen_live shown;
	struct session s;
	double window, cpu, clock; /* of the last picture: CPU time used, and when */
	bool paused, told;
	char recording[256], command_line[256];
};

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct err *start_live(struct watch *w, int fd, const char *name)
{
	const struct live_options options = {
		.refresh = (w->command->refresh ?: REFRESH_MS) / 1000.0, .window = w->window
	};

	w->told = false;
	w->shown.ended = false;
	return live_open(fd, name, w->pool, &options, &w->live);
}

static struct err *start_child(struct watch *w)
{
	int stream;
	struct err *e = recorder_child_start(&w->child, w->options, w->program, &stream);

	if (e)
		return e;
	snprintf(w->command_line, sizeof(w->command_line), "%s", w->child.command);
	w->shown.command = w->command_line;
	return start_live(w, stream, intern_string(w->pool, w->child.command));
}

static struct err *start_input(struct watch *w)
{
	const char *path = w->command->input;
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC)
				   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return err_errno(ERR_FAILED, errno, "live: %s", path);
	if (isatty(fd)) {
		close(fd);
		return err_next(
			err_new(ERR_USAGE, "live: standard input is a terminal"),
			"pipe a recording into it: perf c2c record -o - -a | hitmap live -i "
			"-");
	}
	return start_live(w, fd, strcmp(path, "-") ? path : "standard input");
}

/* Pictures refer to the names of their stream, so it is kept. */
static void end_stream(struct watch *w)
{
	if (w->child.pid || w->child.command)
		recorder_child_stop(&w->child);
	if (!w->live)
		return;
	live_stop(w->live);
	mem_grow(&w->ended, &w->ended_room, w->ended_count);
	w->ended[w->ended_count++] = w->live;
	w->live = NULL;
}

/* ---- What is shown */

static void own_cpu(struct watch *w)
{
	double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID), at = seconds_of(CLOCK_MONOTONIC);

	if (at - w->clock < 0.5)
		return;
	w->shown.own_cpu = (used - w->cpu) / (at - w->clock);
	w->cpu = used;
	w->clock = at;
}

static struct screen_side side_of(const struct live_shot *s, const char *title)
{
	return (struct screen_side){
		.view = &s->view, .tally = s->tally, .title = title, .seconds = s->seconds
	};
}

static void show_shot(struct watch *w, struct live_shot *s)
{
	struct screen_live *l = &w->shown;
	uint64_t all = s->samples + s->lost;

	if (w->shot != w->marked)
		live_shot_free(w->shot);
	w->shot = s;
	l->samples_per_second = s->samples_per_second;
	l->loss = all ? (double)s->lost / all : 0;
	l->window = s->window;
	l->seconds = s->since_start;
	l->ended = s->ended;
	w->s.in.side[SCREEN_AFTER] = side_of(s, NULL);
	if (s->forgetful && !w->told) {
		w->told = true;
		session_say(&w->s, true, "too many cells: what was longest ago is not counted");
	}
}

static void take_news(struct watch *w)
{
	struct live_shot *s;
	struct err *e;

	if (!w->live)
		return;
	s = live_take(w->live);
	if (s && w->paused && !s->ended)
		live_shot_free(s);
	else if (s)
		show_shot(w, s);
	e = live_error(w->live);
	if (e)
		w->shown.ended = true;
	session_say_error(&w->s, e);
}

/* A recorder that failed says why. */
static void watch_child(struct watch *w)
{
	char *word;

	if (!w->child.pid || !recorder_child_ended(&w->child) || !w->child.status)
		return;
	word = recorder_child_word(&w->child);
	session_say(&w->s, true, "%s", word ?: "hitmap record failed");
	free(word);
	w->shown.ended = true;
}

/* ---- Requests */

static void mark_before(struct watch *w)
{
	if (!w->shot) {
		session_say(&w->s, true, "nothing to mark yet");
		return;
	}
	if (w->marked != w->shot)
		live_shot_free(w->marked);
	w->marked = w->shot;
	w->s.in.side[SCREEN_BEFORE] = side_of(w->marked, "marked before");
	session_say(&w->s, false, "marked as before; ! runs another program, R the same again");
}

static void toggle_pause(struct watch *w)
{
	w->paused = !w->paused;
	w->shown.paused = w->paused;
}

static void change_window(struct watch *w, double factor)
{
	double window = w->window > 0 ? w->window * factor : WINDOW_STREAM;

	if (window > WINDOW_MOST)
		window = 0; /* all */
	w->window = window > 0 && window < WINDOW_LEAST ? WINDOW_LEAST : window;
	if (w->live)
		live_window(w->live, w->window);
	if (w->window > 0)
		session_say(&w->s, false, "the last %.0f seconds are shown", w->window);
	else
		session_say(&w->s, false, "all since the start is shown");
}

static void shorter_window(struct watch *w)
{
	change_window(w, 0.5);
}

static void longer_window(struct watch *w)
{
	change_window(w, 2);
}

static void toggle_recording(struct watch *w)
{
	const char *path = w->shown.recording ? NULL : screen_argument(w->s.screen);
	struct err *e = w->live ? live_record(w->live, path)
				: err_new(ERR_FAILED, "live: nothing runs that could be recorded");

	if (!e && path)
		snprintf(w->recording, sizeof(w->recording), "%s", path);
	if (!e && !path)
		session_say(&w->s, false, "recorded: hitmap report -i %s", w->recording);
	w->shown.recording = !e && path ? w->recording : NULL;
	session_say_error(&w->s, e);
}

static void restart(struct watch *w)
{
	if (!w->program && w->command->input) {
		session_say(&w->s, true, "a stream cannot be started again; ! runs a program");
		return;
	}
	end_stream(w);
	w->shown.recording = NULL;
	if (w->paused)
		toggle_pause(w);
	session_say_error(&w->s, start_child(w));
}

/* Words apart by blanks; quotes keep them together. The caller's, as one block with its text. */
static char **split(char *text)
{
	size_t room = strlen(text) / 2 + 2, count = 0;
	char **word = mem_zalloc(room * sizeof(*word)), *to = text, quote = 0;
	bool inside = false;

	for (const char *at = text; *at; at++) {
		if (quote ? *at == quote : *at == '"' || *at == '\'') {
			quote = quote ? 0 : *at;
		} else if (!quote && *at == ' ') {
			if (inside)
				*to++ = 0;
			inside = false;
			continue;
		} else {
			if (!inside)
				word[count++] = to;
			*to++ = *at;
			inside = true;
		}
	}
	*to = 0;
	return word;
}

static void run_other(struct watch *w)
{
	char *typed = mem_strdup(screen_argument(w->s.screen));
	char **words = split(typed);

	if (!words[0]) {
		free(words);
		free(typed);
		return;
	}
	free(w->words);
	free(w->typed);
	w->words = words;
	w->typed = typed;
	w->program = words;
	restart(w);
}

struct server {
	enum screen_request request;
	void (*serve)(struct watch *w);
};

static const struct server servers[] = {
	{ REQUEST_PAUSE, toggle_pause },
	{ REQUEST_MARK_BEFORE, mark_before },
	{ REQUEST_RECORD, toggle_recording },
	{ REQUEST_RESTART, restart },
	{ REQUEST_RUN, run_other },
	{ REQUEST_WINDOW_SHORTER, shorter_window },
	{ REQUEST_WINDOW_LONGER, longer_window },
};

static void serve(struct watch *w, enum screen_request request)
{
	for (size_t i = 0; i < ARRAY_SIZE(servers); i++)
		if (servers[i].request == request)
			servers[i].serve(w);
}

/* ---- The loop */

static void loop(struct watch *w)
{
	int refresh = w->command->refresh ?: REFRESH_MS;
	enum screen_request request = REQUEST_NONE;
	bool news = false;

	while (request != REQUEST_QUIT && !w->s.ended) {
		if (news)
			take_news(w);
		watch_child(w);
		own_cpu(w);
		session_draw(&w->s);
		request = session_wait(&w->s, w->live ? live_fd(w->live) : -1, refresh, &news);
		serve(w, request);
	}
}

static void watch_deinit(struct watch *w)
{
	end_stream(w);
	if (w->shot != w->marked)
		live_shot_free(w->shot);
	live_shot_free(w->marked);
	for (size_t i = 0; i < w->ended_count; i++)
		live_close(w->ended[i]);
	free(w->ended);
	recorded_close(&w->before);
	intern_free(w->pool);
	free(w->options);
	free(w->words);
	free(w->typed);
}

static struct err *start(struct watch *w)
{
	return w->command->input ? start_input(w) : start_child(w);
}

static struct err *show(struct watch *w)
{
	const struct live_command *c = w->command;
	const struct session_looks looks = { c->ascii, c->light, c->target };
	struct err *e = session_open(&w->s, "live", &looks);

	w->s.in.live = &w->shown;
	if (w->command->before)
		w->s.in.side[SCREEN_BEFORE] = recorded_side(&w->before);
	if (!e)
		e = start(w);
	if (!e)
		loop(w);
	session_close(&w->s);
	return e;
}

static struct err *run(const struct live_command *c, char **program)
{
	struct watch w = { .command = c,
			   .pool = intern_new(),
			   .options = record_options(c),
			   .program = program,
			   .child = { .words = -1 },
			   .window = c->window != UINT32_MAX		   ? c->window
				     : c->input || (!program && !c->input) ? WINDOW_STREAM
									   : 0 };
	struct err *e = c->before ? recorded_open(&w.before, "live", c->before, w.pool) : NULL;

	if (!e)
		e = show(&w);
	watch_deinit(&w);
	return e;
}

struct err *cmd_live(int argc, char **argv)
{
	struct live_command c = { .window = UINT32_MAX };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	if (c.input && rest < argc)
		return err_next(
			err_new(ERR_USAGE, "live: --input and a program exclude each other"),
			"give one of them");
	if (!c.input && rest >= argc && !c.all_cpus && !c.pid && !c.cpu)
		return err_next(err_new(ERR_USAGE, "live: nothing to watch"),
				"hitmap live -- PROGRAM, hitmap live -a, or hitmap live -i -");
	return run(&c, rest < argc ? argv + rest : NULL);
}
