// SPDX-License-Identifier: GPL-2.0-only
#include "workload.h"
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. Ends without a word when hitmap does before it says go. */
static void wait_and_execute(const struct workload *w, const char *file, char *const *argv,
			     char *const *environment, bool away)
{
	char byte;
	int error;

	if (read(w->go, &byte, 1) != 1)
		_exit(1);
	signal(SIGPIPE, SIG_DFL); /* hitmap itself wants the error */
	if (away)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execve(file, argv, environment);
	error = errno;
	if (write(w->fail, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static struct err *make_pipes(int go[2], int fail[2])
{
	if (pipe2(go, O_CLOEXEC))
		return err_errno(ERR_FAILED, errno, "record: pipe");
	if (!pipe2(fail, O_CLOEXEC))
		return NULL;
	close(go[0]);
	close(go[1]);
	return err_errno(ERR_FAILED, errno, "record: pipe");
}

static struct err *fork_program(struct workload *w, const char *file, char *const *argv,
				char *const *environment, bool away)
{
	int go[2], fail[2];
	struct err *e = make_pipes(go, fail);

	if (e)
		return e;
	w->pid = fork();
	if (!w->pid) {
		struct workload child = { .go = go[0], .fail = fail[1] };

		close(go[1]);
		wait_and_execute(&child, file, argv, environment, away);
	}
	w->go = go[1];
	w->fail = fail[0];
	close(go[0]);
	close(fail[1]);
	if (w->pid < 0) {
		w->pid = 0;
		return err_errno(ERR_FAILED, errno, "record: fork");
	}
	w->process = syscall(SYS_pidfd_open, w->pid,
			     0); /* before Linux 5.3: -1, and it is polled */
	return NULL;
}

struct err *workload_prepare(const char *path, char *const *argv, char *const *environment,
			     bool away, struct workload *w)
{
	char *file;
	struct err *e;

	*w = (struct workload){ .process = -1, .go = -1, .fail = -1 };
	e = program_find(argv[0], path, &file);
	if (e)
		return e;
	e = fork_program(w, file, argv, environment, away);
	free(file);
	if (e)
		workload_deinit(w);
	return e;
}

struct err *workload_start(const char *name, struct workload *w)
{
	int error;

	if (write(w->go, "", 1) != 1)
		return err_errno(ERR_FAILED, errno, "record: starting %s", name);
	if (read(w->fail, &error, sizeof(error)) != sizeof(error))
		return NULL;
	return err_next(err_errno(ERR_FAILED, error, "record: executing %s", name),
			error == ENOEXEC ? "name the interpreter of a script without #!"
					 : "see whether it and its interpreter may be executed");
}

bool workload_ended(struct workload *w)
{
	if (w->pid && waitpid(w->pid, &w->status, WNOHANG) == w->pid)
		w->pid = 0;
	return !w->pid;
}

void workload_kill(struct workload *w, int signal)
{
	if (w->pid)
		kill(w->pid, signal);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void workload_deinit(struct workload *w)
{
	if (w->pid && !workload_ended(w)) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, &w->status, 0);
		w->pid = 0;
	}
	shut(&w->process);
	shut(&w->go);
	shut(&w->fail);
}
