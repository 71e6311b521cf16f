// SPDX-License-Identifier: GPL-2.0-only
#include "recorder_child.h"
#include "blob.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 30   /* tenths of a second that it has to end */
#define LAST	 4096 /* bytes of its words that are looked at */

static size_t count_of(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* hitmap record -q -o - OPTIONS -- PROGRAM; the caller's, its strings are others'. */
static char **line_of(char *const *options, char *const *program)
{
	static const char *const first[] = { "hitmap", "record", "-q", "-o", "-" };
	size_t many = count_of(options), words = count_of(program), at = 0;
	char **line = mem_zalloc((ARRAY_SIZE(first) + many + words + 2) * sizeof(*line));

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		line[at++] = (char *)first[i];
	for (size_t i = 0; i < many; i++)
		line[at++] = options[i];
	if (words)
		line[at++] = (char *)"--";
	for (size_t i = 0; i < words; i++)
		line[at++] = program[i];
	return line;
}

static char *join(char *const *words)
{
	struct blob b = { 0 };

	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			blob_bytes(&b, " ", 1);
		blob_bytes(&b, words[i], strlen(words[i]));
	}
	blob_bytes(&b, "", 1);
	return (char *)b.bytes;
}

/* In a group of its own, so that it can be ended with what it started; without the terminal's
 * input, which is the keyboard of this program. */
static int spawn(struct recorder_child *c, char **line, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, c->words, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	error = posix_spawn(&c->pid, "/proc/self/exe", &actions, &attributes, line, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		c->pid = 0;
	return error;
}

struct err *recorder_child_start(struct recorder_child *c, char *const *options,
				 char *const *program, int *stream)
{
	char **line = line_of(options, program);
	int ends[2], error;

	*c = (struct recorder_child){ .words = memfd_create("words", MFD_CLOEXEC) };
	if (c->words < 0 || pipe2(ends, O_CLOEXEC)) {
		error = errno;
	} else {
		error = spawn(c, line, ends[1]);
		close(ends[1]);
		if (error)
			close(ends[0]);
	}
	free(line);
	if (error)
		return err_errno(ERR_FAILED, error, "live: starting hitmap record");
	fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
	c->command = join(program ? program : options);
	*stream = ends[0];
	return NULL;
}

bool recorder_child_ended(struct recorder_child *c)
{
	if (c->pid && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->pid = 0;
	return !c->pid;
}

void recorder_child_stop(struct recorder_child *c)
{
	pid_t group = c->pid;

	if (c->pid)
		kill(-group, SIGINT);
	for (int i = 0; !recorder_child_ended(c) && i < PATIENCE; i++)
		usleep(100000);
	if (c->pid) {
		kill(-group, SIGKILL);
		waitpid(c->pid, &c->status, 0);
		c->pid = 0;
	}
	if (c->words >= 0)
		close(c->words);
	free(c->command);
	*c = (struct recorder_child){ .words = -1, .status = c->status };
}

char *recorder_child_word(const struct recorder_child *c)
{
	off_t size = c->words >= 0 ? lseek(c->words, 0, SEEK_END) : 0;
	char text[LAST + 1], *line, *end;
	ssize_t got;

	if (size <= 0)
		return NULL;
	got = pread(c->words, text, LAST, size > LAST ? size - LAST : 0);
	if (got <= 0)
		return NULL;
	text[got] = 0;
	end = text + got;
	while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
		*--end = 0;
	line = strrchr(text, '\n');
	/* "  next: ..." is the second line of an error: what went wrong tells more. */
	if (line && !strncmp(line + 1, "  next: ", 8)) {
		*line = 0;
		line = strrchr(text, '\n');
	}
	return mem_strdup(line ? line + 1 : text);
}
