// SPDX-License-Identifier: GPL-2.0-only
#include "uprobe.h"
#include "event_named.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "hitmap"

/* 0 or an errno value. The kernel takes a command as a whole. */
static int write_command(const char *control, const char *text)
{
	int fd = open(control, O_WRONLY | O_APPEND | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

static struct err *refused(const char *event, const char *control, int error)
{
	struct err *e = err_errno(error == EACCES || error == ENOENT ? ERR_UNSUPPORTED : ERR_FAILED,
				  error, "event %s: %s", event, control);

	if (error == EACCES || error == EPERM)
		return err_next(e, "run as root: probes are root's alone");
	if (error == ENOENT)
		return err_next(e, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS): count a "
				   "tracepoint instead");
	return err_next(e, "the kernel's error_log in the same folder says more");
}

static struct err *check_path(const char *event, const char *path)
{
	if (strpbrk(path, " \t\n"))
		return err_next(err_new(ERR_FAILED,
					"event %s: the kernel takes no path with white space",
					event),
				"make a link to the file without any");
	return NULL;
}

struct err *uprobe_add(struct uprobe *u, const char *root, const char *event, const char *path,
		       uint64_t place, uint32_t number, int64_t *id)
{
	struct err *e = check_path(event, path);
	char *folder, *command, *name;
	int error;

	*u = (struct uprobe){ 0 };
	if (e)
		return e;
	folder = event_named_tracefs(root);
	if (!folder)
		return event_named_no_tracefs(root, event);
	snprintf(u->name, sizeof(u->name), "p%d_%" PRIu32, getpid(), number);
	u->control = mem_printf("%s%s/uprobe_events", root, folder);
	command = mem_printf("p:" GROUP "/%s %s:0x%" PRIx64 "\n", u->name, path, place);
	error = write_command(u->control, command);
	if (error) {
		e = refused(event, u->control, error);
		free(u->control);
		u->control = NULL;
	} else {
		name = mem_printf(GROUP ":%s", u->name);
		e = event_named_tracepoint(root, name, id);
		free(name);
		if (e)
			uprobe_remove(u);
	}
	free(command);
	free(folder);
	return e;
}

/* One that cannot be removed stays, and counts for nobody. */
void uprobe_remove(struct uprobe *u)
{
	char *command;

	if (!u->control)
		return;
	command = mem_printf("-:" GROUP "/%s\n", u->name);
	write_command(u->control, command);
	free(command);
	free(u->control);
	u->control = NULL;
}
