// SPDX-License-Identifier: GPL-2.0-only
#include "emulator.h"
#include "mem.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM	    "qemu-x86_64"
#define OUTPUT_MOST (1u << 16) /* bytes of a program's help that are kept */

/* First version of each API level. Between them the signatures stay: 9.1 changed insn_data(), 9.0
 * took away what 7.2 had, 11.1 changed every callback; QEMU's own version number alone does not
 * tell. */
static const struct level {
	unsigned major, minor, api;
} levels[] = {
	{ 11, 1, 4 },
	{ 9, 1, 3 },
	{ 9, 0, 2 },
	{ 6, 0, 1 },
};

unsigned emulator_api(unsigned major, unsigned minor)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (major > levels[i].major ||
		    (major == levels[i].major && minor >= levels[i].minor))
			return levels[i].api;
	return 0;
}

static char *read_all(int fd)
{
	char *text = mem_zalloc(OUTPUT_MOST);
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, text + used, OUTPUT_MOST - 1 - used);
		used += got > 0 ? got : 0;
	} while ((got > 0 && used < OUTPUT_MOST - 1) || (got < 0 && errno == EINTR));
	return text;
}

/* What "file option" prints, to be freed; NULL when it cannot be run. */
static char *output_of(const char *file, const char *option)
{
	char *const argv[] = { (char *)file, (char *)option, NULL };
	char *const environment[] = { NULL };
	posix_spawn_file_actions_t actions;
	char *text = NULL;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	if (!posix_spawn(&pid, file, &actions, NULL, argv, environment)) {
		close(ends[1]);
		ends[1] = -1;
		text = read_all(ends[0]);
	}
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]); /* before the wait: it may still be printing */
	if (ends[1] >= 0)
		close(ends[1]);
	while (text && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return text;
}

static bool has_plugins(const char *file)
{
	char *help = output_of(file, "-h");
	bool has = help && strstr(help, "-plugin");

	free(help);
	return has;
}

static struct err *read_version(struct emulator *e)
{
	char *text = output_of(e->file, "--version");
	const char *at = text ? strstr(text, "version ") : NULL;
	bool good = at && sscanf(at, "version %u.%u", &e->major, &e->minor) == 2;

	free(text);
	if (good)
		return NULL;
	return err_next(
		err_new(ERR_UNSUPPORTED, "qemu: %s --version does not say its version", e->file),
		"name another with --qemu FILE");
}

static struct err *choose_plugin(const char *folder, struct emulator *e)
{
	unsigned api = emulator_api(e->major, e->minor);

	if (!api)
		return err_next(err_new(ERR_UNSUPPORTED,
					"qemu: %s is version %u.%u; its plugins are "
					"too old for the model",
					e->file, e->major, e->minor),
				"install version 7.2 or later, or build the program with "
				"\"hitmap cc\"");
	e->plugin = mem_printf("%s/libhitmap-qemu-api%u.so", folder, api);
	if (!access(e->plugin, R_OK))
		return NULL;
	return err_next(err_errno(ERR_FAILED, errno, "qemu: plugin %s", e->plugin),
			"run \"make\" in hitmap's source, or install it again");
}

static struct err *none_found(const char *without_plugins)
{
	struct err *e = without_plugins
				? err_new(ERR_UNSUPPORTED, "qemu: %s was built without plugins",
					  without_plugins)
				: err_new(ERR_UNSUPPORTED,
					  "qemu: no " PROGRAM " found, which runs the program for "
					  "the model");

	return err_next(e, "apt-get install qemu-user (Debian 12), or \"make setup\" in hitmap's "
			   "source, which builds one with plugins; or build the program with "
			   "\"hitmap cc\", which needs no QEMU");
}

/* The first of PATH and the spare places that loads plugins. "*without": one that does not. */
static char *search(const struct emulator_places *places, char **without)
{
	char *file = NULL;
	struct err *e = program_find(PROGRAM, places->path, &file);

	err_free(e);
	if (!e && has_plugins(file))
		return file;
	*without = file;
	for (const char *const *spare = places->spare; spare && *spare; spare++)
		if (!access(*spare, X_OK) && has_plugins(*spare))
			return mem_strdup(*spare);
	return NULL;
}

static struct err *find_given(const struct emulator_places *places, struct emulator *found)
{
	struct err *e = program_find(places->given, places->path, &found->file);

	if (e || access(found->file, X_OK)) {
		err_free(e);
		return err_within(none_found(NULL), "--qemu %s", places->given);
	}
	return has_plugins(found->file) ? NULL : none_found(found->file);
}

static struct err *find_file(const struct emulator_places *places, struct emulator *found)
{
	char *without = NULL;
	struct err *e = NULL;

	if (places->given)
		return find_given(places, found);
	found->file = search(places, &without);
	if (!found->file)
		e = none_found(without);
	free(without);
	return e;
}

struct err *emulator_find(const struct emulator_places *places, struct emulator *found)
{
	struct err *e;

	*found = (struct emulator){ 0 };
	e = find_file(places, found);
	if (!e)
		e = read_version(found);
	if (!e)
		e = choose_plugin(places->plugin_folder, found);
	if (e)
		emulator_deinit(found);
	return e;
}

/* In the child. "told" closes by itself when the program runs. */
static void exec_bound(const struct emulator *e, char **command, char **environment, bool away,
		       pid_t parent, int told)
{
	ssize_t sent;
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it ended before the kernel knew our wish */
		_exit(127);
	signal(SIGPIPE, SIG_DFL); /* hitmap itself wants the error */
	if (away)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execve(e->file, command, environment);
	error = errno;
	sent = write(told, &error, sizeof(error));
	_exit(sent > 0 ? 127 : 126);
}

int emulator_start(const struct emulator *e, char **command, char **environment, bool away,
		   pid_t *child)
{
	pid_t parent = getpid();
	int ends[2], error = 0;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	*child = fork();
	if (!*child)
		exec_bound(e, command, environment, away, parent, ends[1]);
	if (*child < 0)
		error = errno;
	close(ends[1]);
	do {
		got = *child < 0 ? 0 : read(ends[0], &error, sizeof(error));
	} while (got < 0 && errno == EINTR);
	close(ends[0]);
	while (*child > 0 && error && waitpid(*child, NULL, 0) < 0 && errno == EINTR)
		;
	return error;
}

/* Commas end a plugin's argument for QEMU unless doubled. */
char *emulator_option(const struct emulator *e, const char *socket)
{
	char *plain = mem_printf("%s\n%s", e->plugin, socket), *option, *to;
	char *result;

	option = to = mem_zalloc(2 * strlen(plain) + 1);
	for (const char *from = plain; *from; from++) {
		*to++ = *from;
		if (*from == ',')
			*to++ = ',';
	}
	to = strchr(option, '\n');
	*to = 0;
	result = mem_printf("%s,socket=%s", option, to + 1);
	free(option);
	free(plain);
	return result;
}

void emulator_deinit(struct emulator *e)
{
	free(e->file);
	free(e->plugin);
	*e = (struct emulator){ 0 };
}
