// SPDX-License-Identifier: GPL-2.0-only
/* hitmap tui: recordings on the terminal. */
#include "command.h"
#include "mem.h"
#include "option.h"
#include "recorded.h"
#include "session.h"

struct tui_command {
	const char *target;
	bool ascii, light;
};

#define AT(member) offsetof(struct tui_command, member)

static const struct option_row rows[] = {
	{ 0, "target", "NAME",
	  "show its objects first: signal, futex, ... or a file; see\n"
	  "docs/targets.md",
	  OPTION_TEXT, AT(target), 0, 0 },
	{ 0, "light", NULL, "the terminal's background is light", OPTION_FLAG, AT(light), 0, 0 },
	{ 0, "ascii", NULL, "draw with ASCII characters only", OPTION_FLAG, AT(ascii), 0, 0 },
};

static const struct option_usage usage = {
	"tui",
	"[OPTIONS] [BEFORE] AFTER",
	"Shows a recording, or two side by side, on the terminal. ? lists the keys.",
	rows,
	ARRAY_SIZE(rows),
	true,
};

static struct err *show(const struct tui_command *c, struct recorded *before,
			struct recorded *after)
{
	struct session s;
	const struct session_looks looks = { c->ascii, c->light, c->target };
	struct err *e = session_open(&s, "tui", &looks);
	bool news;

	if (e) {
		session_close(&s);
		return e;
	}
	s.in.side[SCREEN_AFTER] = recorded_side(after);
	if (before)
		s.in.side[SCREEN_BEFORE] = recorded_side(before);
	do {
		session_draw(&s);
	} while (session_wait(&s, -1, -1, &news) != REQUEST_QUIT && !s.ended);
	session_close(&s);
	return NULL;
}

static struct err *read_and_show(const struct tui_command *c, char **path, int count)
{
	struct intern *pool = intern_new();
	struct recorded side[2] = { { 0 } };
	struct err *e = NULL;

	for (int i = 0; i < count && !e; i++)
		e = recorded_open(&side[i], "tui", path[i], pool);
	if (!e)
		e = show(c, count == 2 ? &side[0] : NULL, &side[count - 1]);
	for (int i = 0; i < count; i++)
		recorded_close(&side[i]);
	intern_free(pool);
	return e;
}

struct err *cmd_tui(int argc, char **argv)
{
	struct tui_command c = { 0 };
	bool helped;
	int rest;
	struct err *e = option_parse(argc, argv, &usage, &c, &rest, &helped);

	if (e || helped)
		return e;
	if (argc - rest != 1 && argc - rest != 2)
		return err_next(
			err_new(ERR_USAGE, "tui: takes one recording or two, not %d", argc - rest),
			"hitmap tui [BEFORE] AFTER");
	return read_and_show(&c, argv + rest, argc - rest);
}
