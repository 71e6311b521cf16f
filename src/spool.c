// SPDX-License-Identifier: GPL-2.0-only
#include "spool.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAYERS_MAX 4 /* a gzip file in a gzip file in ... */

/* The programs that wrapped the recording unwrap it: they are where such files are made, run on the
 * other CPU, and keep their formats' bugs out of this process. */
static const struct wrapper {
	const char *bytes;
	size_t size;
	const char *program;
} wrappers[] = {
	{ "\x1f\x8b", 2, "gzip" },
	{ "\xfd"
	  "7zXZ",
	  5, "xz" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd" },
	{ "BZh", 3, "bzip2" },
};

static const struct wrapper *find_wrapper(struct input *in)
{
	size_t left = input_left(in, 6);
	const uint8_t *bytes = input_peek(in, left);

	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (left >= wrappers[i].size && !memcmp(bytes, wrappers[i].bytes, wrappers[i].size))
			return &wrappers[i];
	return NULL;
}

/* On a disk where there is one: /tmp may be memory. */
static struct err *open_temporary(int *fd)
{
	static const char *const folders[] = { "/var/tmp", "/tmp" };
	char name[] = "/tmp/hitmap-XXXXXX";

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		*fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (*fd >= 0)
			return NULL;
	}
	*fd = mkostemp(name, O_CLOEXEC);
	if (*fd < 0)
		return err_next(err_errno(ERR_FAILED, errno,
					  "perf.data: no temporary file in /var/tmp or /tmp"),
				"unpack the recording yourself and give the plain file");
	unlink(name);
	return NULL;
}

static struct err *write_all(int fd, const uint8_t *bytes, size_t size, const char *path)
{
	while (size) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_next(err_errno(ERR_FAILED, errno,
						  "perf.data: %s: copying it to a temporary file",
						  path),
					"make room in /var/tmp, or store it and give its name");
		bytes += done;
		size -= done;
	}
	return NULL;
}

struct err *spool_pipe(struct input *in, const char *path)
{
	struct err *e;
	size_t left;
	int fd;

	e = open_temporary(&fd);
	if (e)
		return e;
	while (!e && (left = input_left(in, INPUT_PEEK_MAX))) {
		e = write_all(fd, input_peek(in, left), left, path);
		input_skip(in, left);
	}
	if (!e)
		return input_replace(in, fd);
	close(fd);
	return e;
}

/* Runs "PROGRAM -dc <from >to"; what its wait status is, or an errno. */
static int run(const char *program, int from, int to, int *status)
{
	char *command[] = { (char *)program, "-dc", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(&pid, program, &actions, NULL, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (!error && waitpid(pid, status, 0) < 0)
		error = errno == EINTR ? 0 : errno;
	return error;
}

static struct err *cannot_run(const char *path, const char *program, int error)
{
	return err_next(err_errno(ERR_FAILED, error,
				  "perf.data: %s: is compressed (%s), and %s cannot be run", path,
				  program, program),
			"install %s, or unpack it where %s is", program, program);
}

static struct err *unwrap(struct input *in, const char *path, const char *program, const char **cut)
{
	int fd, error, status = 0;
	struct err *e;

	e = open_temporary(&fd);
	if (e)
		return e;
	lseek(in->fd, 0, SEEK_SET);
	error = run(program, in->fd, fd, &status);
	if (error) {
		close(fd);
		return cannot_run(path, program, error);
	}
	if (status && cut)
		*cut = program;
	e = input_replace(in, fd);
	if (!e && status && !in->file_size)
		e = err_next(err_new(ERR_FAILED,
				     "perf.data: %s: is compressed (%s) and damaged: nothing can "
				     "be unpacked",
				     path, program),
			     "copy or record it again");
	return e;
}

struct err *spool_unwrap(struct input *in, const char *path, const char **cut)
{
	const struct wrapper *w;
	struct err *e = NULL;

	for (int layer = 0; !e && (w = find_wrapper(in)); layer++) {
		if (layer == LAYERS_MAX)
			return err_next(err_new(ERR_FAILED,
						"perf.data: %s: is compressed more than %d times",
						path, LAYERS_MAX),
					"unpack it yourself and give the plain file");
		if (!in->file)
			e = spool_pipe(in, path);
		if (!e)
			e = unwrap(in, path, w->program, cut);
	}
	return e;
}
