// SPDX-License-Identifier: GPL-2.0-only
/*
 * "hitmap cc": a compiler driver whose programs report their memory accesses. Compilation has the
 * thread sanitizer's instrumentation; linking must not see that option, else the sanitizer's own
 * runtime comes in. gcc takes it from a specs file that only its compiler proper reads, clang by
 * -Xclang.
 */
#include "command.h"
#include "mem.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct arguments {
	char **v; /* NULL-terminated */
	size_t count, room;
};

/* What the user's arguments ask the compiler to do. */
struct task {
	bool inputs, links, shared, fixed;
};

static void add(struct arguments *a, const char *arg)
{
	if (a->count + 1 >= a->room) {
		a->room = a->room ? 2 * a->room : 64;
		a->v = mem_realloc(a->v, a->room, sizeof(a->v[0]));
	}
	a->v[a->count++] = mem_strdup(arg);
	a->v[a->count] = NULL;
}

static void arguments_deinit(struct arguments *a)
{
	for (size_t i = 0; i < a->count; i++)
		free(a->v[i]);
	free(a->v);
}

static bool in(const char *arg, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(arg, *list))
			return true;
	return false;
}

/* Options whose value is the next argument. */
static const char *const with_value[] = {
	"-o",
	"-I",
	"-D",
	"-U",
	"-L",
	"-l",
	"-x",
	"-T",
	"-u",
	"-z",
	"-e",
	"-MF",
	"-MT",
	"-MQ",
	"-include",
	"-imacros",
	"-isystem",
	"-iquote",
	"-B",
	"-Xlinker",
	"-Xassembler",
	"-Xclang",
	"-Xpreprocessor",
	"-idirafter",
	"-mllvm",
	"-isysroot",
	"-target",
	"--param",
	"-aux-info",
	NULL,
};
/* Options after which nothing is linked. */
static const char *const no_link[] = { "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", NULL };

static void task_read(char *const *argv, struct task *t)
{
	*t = (struct task){ .links = true };
	for (; *argv; argv++) {
		t->links &= !in(*argv, no_link);
		t->shared |= !strcmp(*argv, "-shared");
		t->fixed |= !strcmp(*argv, "-static") || !strcmp(*argv, "-static-pie");
		if (in(*argv, with_value) && argv[1])
			argv++;
		else
			t->inputs |= argv[0][0] != '-' || !argv[0][1];
	}
	t->links &= t->inputs;
}

/* ---- The compiler */

static const char *usable(const char *variable)
{
	const char *value = getenv(variable);

	/* CC="hitmap cc" in the environment of a build must not lead back here. */
	return value && *value && !strstr(value, "hitmap") ? value : NULL;
}

/* The words of the compiler's command, "ccache clang" being two. */
static void add_compiler(struct arguments *a, bool cxx)
{
	const char *command = usable(cxx ? "HITMAP_CXX" : "HITMAP_CC");
	char *words, *rest, *word;

	if (!command)
		command = usable(cxx ? "CXX" : "CC");
	words = rest = mem_strdup(command ? command : cxx ? "g++" : "gcc");
	while ((word = strsep(&rest, " ")))
		if (*word)
			add(a, word);
	free(words);
}

static void exec_version(const struct arguments *compiler, int out)
{
	struct arguments a = { 0 };
	int nowhere = open("/dev/null", O_WRONLY);

	for (size_t i = 0; i < compiler->count; i++)
		add(&a, compiler->v[i]);
	add(&a, "--version");
	dup2(out, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	execvp(a.v[0], a.v);
	_exit(127);
}

static size_t read_all(int fd, char *text, size_t room)
{
	size_t size = 0;
	ssize_t n;

	while (size < room && (n = read(fd, text + size, room - size)) > 0)
		size += (size_t)n;
	return size;
}

/* Asks the compiler who it is. */
static struct err *is_clang(const struct arguments *compiler, bool *clang)
{
	char text[4096];
	int ends[2], status = 0;
	pid_t pid;

	if (pipe(ends))
		return err_errno(ERR_FAILED, errno, "cc: pipe");
	pid = fork();
	if (pid < 0)
		return err_errno(ERR_FAILED, errno, "cc: fork");
	if (!pid)
		exec_version(compiler, ends[1]);
	close(ends[1]);
	text[read_all(ends[0], text, sizeof(text) - 1)] = 0;
	close(ends[0]);
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_next(err_new(ERR_UNSUPPORTED, "cc: compiler \"%s\" cannot be run",
					compiler->v[0]),
				"install gcc or clang, or name one in HITMAP_CC or HITMAP_CXX");
	*clang = strstr(text, "clang") != NULL;
	return NULL;
}

/* ---- The command line */

static void add_instrumentation(struct arguments *a, bool clang, const char *lib)
{
	static const char *const for_clang[] = { "-Qunused-arguments",
						 "-Xclang",
						 "-fsanitize=thread",
						 "-mllvm",
						 "-tsan-instrument-func-entry-exit=0",
						 NULL };
	char *specs;

	/* A hook that is jumped to would name its caller's caller. */
	add(a, "-fno-optimize-sibling-calls");
	if (clang) {
		for (const char *const *p = for_clang; *p; p++)
			add(a, *p);
		return;
	}
	specs = mem_printf("-specs=%s/hooks.specs", lib);
	add(a, specs);
	free(specs);
}

/* The whole library, because a shared object that is loaded later may need any of it. */
static void add_runtime(struct arguments *a, const char *lib)
{
	char *library = mem_printf("-Wl,--whole-archive,%s/libhitmap-hooks.a,--no-whole-archive",
				   lib);

	add(a, "-x");
	add(a, "none");
	add(a, library);
	add(a, "-Wl,--export-dynamic-symbol=__tsan_*");
	add(a, "-lpthread");
	add(a, "-ldl");
	free(library);
}

static bool is_sanitizer(const char *arg)
{
	return !strcmp(arg, "-fsanitize=thread");
}

static void add_user(struct arguments *a, char *const *argv)
{
	for (; *argv; argv++)
		if (!is_sanitizer(*argv))
			add(a, *argv);
}

static struct err *run(const struct arguments *a)
{
	execvp(a->v[0], a->v);
	return err_errno(ERR_FAILED, errno, "cc: running %s", a->v[0]);
}

static struct err *compose(struct arguments *a, char *const *argv, const char *lib)
{
	struct task task;
	bool clang = false;
	struct err *e = is_clang(a, &clang);

	if (e)
		return e;
	task_read(argv, &task);
	if (task.links && task.fixed)
		return err_next(
			err_new(ERR_UNSUPPORTED, "cc: -static: the hooks need the C library "
						 "as a shared object"),
			"link without -static, or record the program under QEMU: it needs no "
			"special build");
	add_instrumentation(a, clang, lib);
	add_user(a, argv);
	/* A shared object finds the hooks in the program. */
	if (task.links && !task.shared)
		add_runtime(a, lib);
	return NULL;
}

static struct err *check_library(const char *lib)
{
	char *path = mem_printf("%s/libhitmap-hooks.a", lib);
	struct err *e = NULL;

	if (access(path, R_OK))
		e = err_next(err_errno(ERR_FAILED, errno, "cc: %s", path),
			     "build or install hitmap again: make, or make install");
	free(path);
	return e;
}

static void print_help(void)
{
	puts("usage: hitmap cc ARGUMENTS...\n"
	     "       hitmap c++ ARGUMENTS...\n"
	     "Compiles and links as gcc or g++ would, with hooks by which hitmap record sees "
	     "memory\n"
	     "accesses without QEMU. Link the program by it as well as its shared objects.\n\n"
	     "Environment: HITMAP_CC, HITMAP_CXX or else CC, CXX name another compiler (gcc, "
	     "clang).");
}

struct err *cmd_cc(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct paths paths;
	struct err *e;

	if (argc < 2)
		return err_next(err_new(ERR_USAGE, "cc: no arguments for the compiler"),
				"hitmap cc -O2 -g -o PROGRAM FILE.c");
	if (argc == 2 && !strcmp(argv[1], "--help")) {
		print_help();
		return NULL;
	}
	e = paths_find(&paths);
	if (e)
		return e;
	add_compiler(&a, !strcmp(argv[0], "c++"));
	e = check_library(paths.lib);
	if (!e)
		e = compose(&a, argv + 1, paths.lib);
	if (!e)
		e = run(&a);
	arguments_deinit(&a);
	paths_deinit(&paths);
	return e;
}
