// SPDX-License-Identifier: GPL-2.0-only
#include "output.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- How the output can be drawn */

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

static bool speaks_utf8(void)
{
	static const char *const VARIABLES[] = { "LC_ALL", "LC_CTYPE", "LANG" }; /* in this order */

	for (size_t i = 0; i < ARRAY_SIZE(VARIABLES); i++) {
		const char *value = getenv(VARIABLES[i]);

		if (is_set(VARIABLES[i]))
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct report_options output_options(const struct output *o, uint32_t top, bool all, bool ascii)
{
	int fd = fileno(o->file);
	const char *terminal = getenv("TERM");
	bool screen = isatty(fd) && terminal && strcmp(terminal, "dumb");
	struct winsize size = { 0 };

	if (screen && ioctl(fd, TIOCGWINSZ, &size) < 0)
		size.ws_col = 0;
	return (struct report_options){
		.top = top,
		.all = all,
		.unicode = !ascii && speaks_utf8(),
		.colour = screen && !is_set("NO_COLOR"),
		.columns = size.ws_col,
	};
}

/* ---- Where it goes: a file appears whole or not at all */

struct err *output_open(struct output *o, const char *command, const char *path)
{
	struct stat st;
	int fd;

	*o = (struct output){ .file = stdout, .command = command, .path = path };
	if (!path)
		return NULL;
	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
		o->temporary = mem_printf("%s.%d.tmp", path, (int)getpid());
	fd = open(o->temporary ? o->temporary : path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | (o->temporary ? O_EXCL : O_TRUNC), 0666);
	if (fd < 0) {
		struct err *e = err_errno(ERR_FAILED, errno, "%s: cannot write %s", command, path);

		free(o->temporary);
		return e;
	}
	o->file = fdopen(fd, "w");
	if (!o->file)
		mem_exhausted();
	return NULL;
}

struct err *output_close(struct output *o)
{
	const char *name = o->path ? o->path : "standard output";
	bool bad = fflush(o->file) || ferror(o->file);
	int why = errno;

	if (o->path && fclose(o->file) && !bad) {
		bad = true;
		why = errno;
	}
	if (!bad && o->temporary && rename(o->temporary, o->path) < 0) {
		bad = true;
		why = errno;
	}
	if (bad && o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	return bad ? err_errno(ERR_FAILED, why, "%s: cannot write %s", o->command, name) : NULL;
}
