// SPDX-License-Identifier: GPL-2.0-only
#include "tui.h"
#include "mem.h"
#include "palette.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define ESCAPE_MS 25

struct tui {
	FILE *in, *out;
	SCREEN *curses;
	struct palette palette;
	bool unicode, mouse;
	int signals; /* a signalfd */
	sigset_t before;
	short pair[CANVAS_STYLES][2]; /* of curses, by style and selection; 0: not made yet */
	attr_t look[CANVAS_STYLES][2];
	bool known[CANVAS_STYLES][2];
};

/* ---- A crash: what a handler may do. It knows nothing of the terminal but that there is one. */

static void restore_terminal(int signal)
{
	static const char leave[] = "\033[?1000l\033[?1006l\033[0m\033[?25h\033[?1049l\r\n";
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	struct termios sane;
	ssize_t written;

	if (fd >= 0 && !tcgetattr(fd, &sane)) {
		written = write(fd, leave, sizeof(leave) - 1);
		(void)written;
		sane.c_iflag |= BRKINT | ICRNL | IXON;
		sane.c_oflag |= OPOST | ONLCR;
		sane.c_lflag |= ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK;
		tcsetattr(fd, TCSANOW, &sane);
	}
	raise(signal); /* SA_RESETHAND: as if it had not been caught */
}

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void catch_crashes(void)
{
	struct sigaction act = { .sa_handler = restore_terminal, .sa_flags = SA_RESETHAND };

	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &act, NULL);
}

/* ---- Signals that end the program: read as events */

static int take_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&set, ends[i]);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int next_signal(const struct tui *t)
{
	struct signalfd_siginfo info;

	return read(t->signals, &info, sizeof(info)) == (ssize_t)sizeof(info) ? (int)info.ssi_signo
									      : 0;
}

/* ---- Opening */

static struct err *open_terminal(const char *command, struct tui *t)
{
	bool own = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	t->in = own ? fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), "r")
		    : fopen("/dev/tty", "re");
	t->out = own ? fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w")
		     : fopen("/dev/tty", "we");
	if (t->in && t->out && isatty(fileno(t->in)))
		return NULL;
	return err_next(err_new(ERR_USAGE, "%s: there is no terminal to draw on", command),
			"hitmap report and hitmap diff write text");
}

static struct err *start_curses(const char *command, struct tui *t)
{
	const char *term = getenv("TERM");

	t->curses = term && *term ? newterm(NULL, t->out, t->in) : NULL;
	if (t->curses)
		return NULL;
	return err_next(err_new(ERR_USAGE, "%s: the terminal \"%s\" (TERM) is not known", command,
				term ? term : ""),
			"TERM=xterm-256color hitmap ..., or install ncurses-term");
}

static void set_up_curses(struct tui *t)
{
	set_term(t->curses);
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mouseinterval(200);
	t->mouse = mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_DOUBLE_CLICKED |
				     BUTTON4_PRESSED | BUTTON5_PRESSED,
			     NULL) != 0;
}

static enum palette_depth colour_depth(const struct tui_options *options)
{
	if (options->no_colour || !has_colors() || start_color() == ERR)
		return PALETTE_MONO;
	use_default_colors();
	return COLORS >= 256 ? PALETTE_256 : COLORS >= 8 ? PALETTE_16 : PALETTE_MONO;
}

struct err *tui_open(const char *command, const struct tui_options *options, struct tui **tui)
{
	struct tui *t = mem_zalloc(sizeof(*t));
	struct err *e;

	t->signals = -1;
	setlocale(LC_CTYPE, ""); /* which bytes a character is */
	e = open_terminal(command, t);
	if (!e)
		catch_crashes();
	if (!e)
		e = start_curses(command, t);
	if (e) {
		tui_close(t);
		return e;
	}
	t->signals = take_signals(&t->before);
	t->unicode = !options->ascii;
	set_up_curses(t);
	t->palette = (struct palette){ colour_depth(options), options->light };
	*tui = t;
	return NULL;
}

void tui_close(struct tui *t)
{
	if (!t)
		return;
	if (t->curses) {
		set_term(t->curses);
		endwin();
		delscreen(t->curses);
	}
	if (t->signals >= 0) {
		close(t->signals);
		sigprocmask(SIG_SETMASK, &t->before, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		signal(crashes[i], SIG_DFL);
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	free(t);
}

/* ---- Showing */

void tui_canvas(const struct tui *t, struct canvas *c)
{
	canvas_init(c, COLS, LINES, t->unicode);
}

static int clamp_colour(int colour)
{
	return colour == PALETTE_DEFAULT ? -1 : colour < COLORS ? colour : colour & 7;
}

/* Pairs are made when a style is first shown. */
static void make_look(struct tui *t, enum canvas_style style, bool selected)
{
	struct palette_look l = palette_look(&t->palette, style, selected);
	attr_t a = (l.bold ? A_BOLD : 0) | (l.dim ? A_DIM : 0) | (l.reverse ? A_REVERSE : 0) |
		   (l.underline ? A_UNDERLINE : 0);

	if (t->palette.depth != PALETTE_MONO)
		t->pair[style][selected] = (short)alloc_pair(clamp_colour(l.ink),
							     clamp_colour(l.paper));
	t->look[style][selected] = a;
	t->known[style][selected] = true;
}

static void put_cell(struct tui *t, int x, int y, const struct canvas_cell *cell)
{
	wchar_t text[2] = { (wchar_t)(cell->rune ? cell->rune : ' '), 0 };
	cchar_t c;

	if (!t->known[cell->style][cell->selected])
		make_look(t, cell->style, cell->selected);
	setcchar(&c, text, t->look[cell->style][cell->selected],
		 t->pair[cell->style][cell->selected], NULL);
	mvadd_wch(y, x, &c);
}

void tui_show(struct tui *t, const struct canvas *c)
{
	for (uint32_t y = 0; y < c->rows && y < (uint32_t)LINES; y++)
		for (uint32_t x = 0; x < c->columns && x < (uint32_t)COLS; x++)
			put_cell(t, (int)x, (int)y, canvas_at(c, x, y));
	refresh();
}

void tui_repaint(struct tui *t)
{
	clearok(curscr, TRUE);
}

/* ---- Events */

struct key_map {
	wint_t curses;
	uint32_t key;
};

static const struct key_map specials[] = {
	{ KEY_UP, PRESSED_UP },		{ KEY_DOWN, PRESSED_DOWN },
	{ KEY_LEFT, PRESSED_LEFT },	{ KEY_RIGHT, PRESSED_RIGHT },
	{ KEY_PPAGE, PRESSED_PAGE_UP }, { KEY_NPAGE, PRESSED_PAGE_DOWN },
	{ KEY_HOME, PRESSED_HOME },	{ KEY_END, PRESSED_END },
	{ KEY_BTAB, PRESSED_BACK_TAB }, { KEY_BACKSPACE, PRESSED_BACKSPACE },
	{ KEY_DC, PRESSED_DELETE },	{ KEY_F(1), PRESSED_F1 },
	{ KEY_ENTER, PRESSED_ENTER },
};

static const struct key_map characters[] = {
	{ '\r', PRESSED_ENTER },     { 3, PRESSED_INTERRUPT }, { 12, PRESSED_REDRAW },
	{ 0x7f, PRESSED_BACKSPACE }, { 8, PRESSED_BACKSPACE },
};

static uint32_t find_key(const struct key_map *map, size_t count, wint_t key, uint32_t otherwise)
{
	for (size_t i = 0; i < count; i++)
		if (map[i].curses == key)
			return map[i].key;
	return otherwise;
}

static bool mouse_event(struct tui_event *ev)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return false;
	ev->kind = TUI_MOUSE;
	ev->x = m.x > 0 ? m.x : 0;
	ev->y = m.y > 0 ? m.y : 0;
	if (m.bstate & BUTTON1_DOUBLE_CLICKED)
		ev->button = BUTTON_DOUBLE_CLICK;
	else if (m.bstate & (BUTTON1_CLICKED | BUTTON1_PRESSED))
		ev->button = BUTTON_CLICK;
	else if (m.bstate & BUTTON4_PRESSED)
		ev->button = BUTTON_WHEEL_UP;
	else if (m.bstate & BUTTON5_PRESSED)
		ev->button = BUTTON_WHEEL_DOWN;
	else
		return false;
	return true;
}

/* False when nothing was pressed that means something. */
static bool read_key(struct tui_event *ev)
{
	wint_t key;
	int kind = get_wch(&key);

	if (kind == ERR)
		return false;
	if (kind == KEY_CODE_YES && key == KEY_MOUSE)
		return mouse_event(ev);
	if (kind == KEY_CODE_YES && key == KEY_RESIZE) {
		ev->kind = TUI_RESIZE;
		return true;
	}
	ev->kind = TUI_KEY;
	ev->key = kind == KEY_CODE_YES ? find_key(specials, ARRAY_SIZE(specials), key, PRESSED_NONE)
				       : find_key(characters, ARRAY_SIZE(characters), key, key);
	return ev->key != PRESSED_NONE;
}

static void take_size(struct tui *t)
{
	struct winsize size;

	if (!ioctl(fileno(t->in), TIOCGWINSZ, &size) && size.ws_col && size.ws_row)
		resizeterm(size.ws_row, size.ws_col);
}

static struct tui_event signal_event(struct tui *t)
{
	int signal = next_signal(t);

	if (signal != SIGWINCH)
		return (struct tui_event){ .kind = signal ? TUI_END : TUI_NOTHING,
					   .signal = signal };
	take_size(t);
	return (struct tui_event){ .kind = TUI_RESIZE };
}

struct tui_event tui_wait(struct tui *t, int fd, int timeout_ms)
{
	struct pollfd polled[] = { { .fd = fileno(t->in), .events = POLLIN },
				   { .fd = t->signals, .events = POLLIN },
				   { .fd = fd, .events = POLLIN } };
	struct tui_event ev = { .kind = TUI_NOTHING };

	if (read_key(&ev)) /* curses may hold some already */
		return ev;
	if (poll(polled, ARRAY_SIZE(polled), timeout_ms) <= 0)
		return ev;
	if (polled[1].revents)
		return signal_event(t);
	if (polled[0].revents & POLLIN && read_key(&ev))
		return ev;
	if (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		ev.kind = TUI_END;
	else if (polled[2].revents)
		ev.kind = TUI_NEWS;
	return ev;
}
