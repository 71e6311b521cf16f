// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"
#include "mem.h"
#include "symtab.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERPRETER 128 /* bytes of a "#!" line that are looked at */

static bool is_executable(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK);
}

/* The next folder of a PATH, or NULL at its end; to be freed. An empty entry is the working folder.
 */
static char *next_folder(const char **path)
{
	const char *end = strchrnul(*path, ':');
	char *folder = mem_printf("%.*s", (int)(end - *path), *path);

	*path = *end ? end + 1 : NULL;
	if (*folder)
		return folder;
	free(folder);
	return mem_strdup(".");
}

struct err *program_find(const char *name, const char *path, char **found)
{
	if (strchr(name, '/')) {
		*found = mem_strdup(name);
		return NULL;
	}
	while (path && *name) {
		char *folder = next_folder(&path);
		char *file = mem_printf("%s/%s", folder, name);

		free(folder);
		if (is_executable(file)) {
			*found = file;
			return NULL;
		}
		free(file);
	}
	return err_next(err_new(ERR_FAILED, "record: no program \"%s\" in PATH", name),
			"give its path, such as ./%s", name);
}

static struct err *check_file(const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return err_next(err_errno(ERR_FAILED, errno, "record: program %s", file),
				"check the path of the program after --");
	if (S_ISDIR(st.st_mode))
		return err_next(err_new(ERR_FAILED, "record: program %s: is a folder", file),
				"name the program in it");
	if (!is_executable(file))
		return err_next(err_new(ERR_FAILED, "record: program %s: is not executable", file),
				"chmod +x %s, or name the program that it is for", file);
	return NULL;
}

/* "/usr/bin/env" of "#!/usr/bin/env python3", or NULL when the file is no script; to be freed. */
static char *script_interpreter(const char *file)
{
	char text[INTERPRETER];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	char *at;

	if (fd >= 0)
		close(fd);
	if (size < 2 || text[0] != '#' || text[1] != '!')
		return NULL;
	text[size] = 0;
	at = text + 2 + strspn(text + 2, " \t");
	return mem_printf("%.*s", (int)strcspn(at, " \t\r\n"), at);
}

static struct err *check_script(const char *file)
{
	char *interpreter = script_interpreter(file);
	struct err *e;

	if (!interpreter)
		return NULL;
	e = err_new(ERR_FAILED, "record: program %s: is a script for %s", file, interpreter);
	err_next(e,
		 "record its interpreter (hitmap record -- %s %s ...) or, better, the program that "
		 "the script starts: what a script starts runs unmodelled",
		 interpreter, file);
	free(interpreter);
	return e;
}

static struct err *check_elf(const char *file, const struct symtab_program *p)
{
	if (!p->elf)
		return err_next(err_new(ERR_FAILED, "record: program %s: is not an ELF file", file),
				"name a compiled program");
	if (!p->wide)
		return err_next(err_new(ERR_UNSUPPORTED,
					"record: program %s: has 32 bits; the model "
					"runs x86-64 programs only",
					file),
				"build it for 64 bits (gcc -m64)");
	if (p->machine != EM_X86_64)
		return err_next(err_new(ERR_UNSUPPORTED,
					"record: program %s: is for another processor "
					"(ELF machine %u); the model runs x86-64 programs only",
					file, p->machine),
				"build it for x86-64");
	return NULL;
}

struct err *program_check(const char *file, bool *hooks)
{
	struct symtab_program p = { 0 };
	struct err *e = check_file(file);

	if (!e)
		e = check_script(file);
	if (!e)
		e = symtab_inspect(file, &p);
	if (!e)
		e = check_elf(file, &p);
	*hooks = p.hooks;
	return e;
}

int program_start(const char *file, char **argv, char **environment, bool away, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t pipes;
	int error;

	posix_spawn_file_actions_init(&actions);
	if (away)
		posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE); /* hitmap itself ignores it */
	posix_spawnattr_setsigdefault(&attributes, &pipes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawn(child, file, &actions, &attributes, argv, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

struct err *program_end_error(const struct program_end *end)
{
	struct err *e = NULL;

	if (end->interrupted)
		e = err_new(ERR_FAILED, "record: interrupted%s",
			    end->killed ? "; the program did not end and was killed" : "");
	else if (end->term_signal)
		e = err_new(ERR_FAILED, "record: the program was ended by signal %d (%s)",
			    end->term_signal, strsignal(end->term_signal));
	else if (end->exit_code)
		e = err_exits(err_new(ERR_FAILED, "record: the program failed with exit status %d",
				      end->exit_code),
			      end->exit_code);
	if (!e)
		return NULL;
	if (!strcmp(end->output, "-"))
		return err_next(e, "what was recorded went into the pipe");
	return err_next(e, "what was recorded is in %s", end->output);
}
