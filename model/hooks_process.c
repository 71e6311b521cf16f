// SPDX-License-Identifier: GPL-2.0-only
/* Ends of the process: totals are sent before it exits, aborts or becomes another program. */
#include "hooks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define ARGUMENTS  4096

EXPORT void _exit(int status)
{
	hooks_finish();
	REAL(_exit)(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	_exit(status);
}

EXPORT void abort(void)
{
	struct sigaction action;

	/* A handler may jump out of abort(). */
	if (!sigaction(SIGABRT, NULL, &action) && action.sa_handler == SIG_DFL)
		hooks_finish();
	REAL(abort)();
	__builtin_unreachable();
}

static bool can_run(const char *path, bool search)
{
	for (const char *p = path; search && *p; p++)
		search = *p != '/';
	return search || !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* A child of vfork() runs in its parent's memory: it must not touch the door, and it is not told
 * of. */
static void becomes(const char *path, bool search)
{
	struct door *d = hooks_door();

	if (!d || hooks_interrupted() || door_is_forked(d) || !path || !can_run(path, search) ||
	    !door_reach(d))
		return;
	door_remark(d, "process %d became %s: modelled only if that was built with hitmap cc",
		    (int)getpid(), path);
	hooks_finish();
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	becomes(path, false);
	return REAL(execve)(path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
	becomes(path, false);
	return REAL(execv)(path, argv);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	becomes(file, true);
	return REAL(execvp)(file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	becomes(file, true);
	return REAL(execvpe)(file, argv, envp);
}

/* The arguments of execl() and its kin as an array, the terminating NULL included. */
static bool collect(char **argv, const char *first, va_list args)
{
	size_t n = 0;

	for (argv[n] = (char *)(uintptr_t)first; argv[n]; argv[n] = va_arg(args, char *))
		if (++n == ARGUMENTS)
			return false;
	return true;
}

EXPORT int execl(const char *path, const char *arg, ...)
{
	char *argv[ARGUMENTS];
	va_list args;
	bool fits;

	va_start(args, arg);
	fits = collect(argv, arg, args);
	va_end(args);
	return fits ? execv(path, argv) : -1;
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	char *argv[ARGUMENTS];
	va_list args;
	bool fits;

	va_start(args, arg);
	fits = collect(argv, arg, args);
	va_end(args);
	return fits ? execvp(file, argv) : -1;
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char *argv[ARGUMENTS], **envp;
	va_list args;
	bool fits;

	va_start(args, arg);
	fits = collect(argv, arg, args);
	envp = fits ? va_arg(args, char **) : NULL;
	va_end(args);
	return fits ? execve(path, argv, envp) : -1;
}

static void spawned(int result, pid_t pid, const char *path)
{
	struct door *d = hooks_door();

	if (result || !d || hooks_interrupted() || door_is_forked(d))
		return;
	door_remark(d, "child %d runs %s: modelled only if that was built with hitmap cc", (int)pid,
		    path);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	pid_t child = 0;
	int result = REAL(posix_spawn)(&child, path, actions, attr, argv, envp);

	spawned(result, child, path);
	if (pid)
		*pid = child;
	return result;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	pid_t child = 0;
	int result = REAL(posix_spawnp)(&child, file, actions, attr, argv, envp);

	spawned(result, child, file);
	if (pid)
		*pid = child;
	return result;
}
