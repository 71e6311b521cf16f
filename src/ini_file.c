// SPDX-License-Identifier: GPL-2.0-only
#include "ini_file.h"
#include "mem.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".conf"

/* ---- Reading */

/* "[kernel 5.14..]": inih tells its handler the section with a key only, and cuts its name. */
static void note_section(struct ini_file *f, const char *text)
{
	const char *at = text + strspn(text, " \t");
	const char *end = *at == '[' ? strchr(at, ']') : NULL;
	char *name;

	if (!end || f->err)
		return; /* without its bracket it is inih's error */
	name = mem_strdup(at + 1);
	name[end - at - 1] = 0;
	if (f->section)
		f->err = f->section(f->context, name);
	free(name);
}

/* inih does not tell its handler the line either, so the reader counts. */
static char *read_line(char *text, int room, void *stream)
{
	struct ini_file *f = stream;
	char *got = f->err ? NULL : fgets(text, room, f->file);

	if (!got)
		return NULL;
	if (f->line_open) {
		f->err = ini_file_fail(f, "the line is longer than %d bytes", room - 2);
		return NULL;
	}
	f->line++;
	f->line_open = !strchr(text, '\n');
	note_section(f, text);
	return f->err ? NULL : got;
}

/* inih's handler: 0 is an error there. */
static int read_key(void *user, const char *section, const char *name, const char *text)
{
	struct ini_file *f = user;

	if (!f->err)
		f->err = f->key(f->context, section, name, text);
	return !f->err;
}

struct err *ini_file_read(struct ini_file *f, FILE *file)
{
	int bad_line;

	f->file = file;
	bad_line = ini_parse_stream(read_line, f, read_key, f);
	if (f->err)
		return f->err;
	if (bad_line) {
		f->line = bad_line;
		return ini_file_fail(f, "neither [section], key = value nor comment");
	}
	if (ferror(file))
		return err_errno(ERR_FAILED, errno, "%s file %s", f->what, f->path);
	return NULL;
}

/* ---- Finding */

static struct err *unknown_name(const char *what, const char *folder, const char *name)
{
	char *names = ini_file_names(folder);
	struct err *e = err_new(ERR_USAGE, "%s: there is no \"%s\" in %s", what, name, folder);

	if (*names)
		err_next(e, "choose one of %s, or give a file's path with a slash in it", names);
	else
		err_next(e,
			 "run \"make\" to put the %s files there, or give a file's path with a "
			 "slash in it",
			 what);
	free(names);
	return e;
}

struct err *ini_file_open(const char *what, const char *folder, const char *name, char **path,
			  FILE **file)
{
	bool is_path = strchr(name, '/');

	*path = is_path ? mem_strdup(name) : mem_printf("%s/%s" SUFFIX, folder, name);
	*file = fopen(*path, "re");
	if (*file)
		return NULL;
	if (!is_path && errno == ENOENT)
		return unknown_name(what, folder, name);
	return err_errno(ERR_FAILED, errno, "%s file %s", what, *path);
}

/* ---- Names */

/* Bytes before the suffix; 0 when the name has none. */
static size_t stem(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, SUFFIX) ? length - suffix : 0;
}

char *ini_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = mem_strdup(slash ? slash + 1 : path);

	if (stem(name))
		name[stem(name)] = 0;
	return name;
}

static int has_suffix(const struct dirent *d)
{
	return stem(d->d_name) > 0;
}

char *ini_file_names(const char *folder)
{
	struct dirent **found = NULL;
	int count = scandir(folder, &found, has_suffix, alphasort);
	char *names = mem_strdup("");

	for (int i = 0; i < count; i++) {
		char *longer = mem_printf("%s%s%.*s", names, i ? ", " : "",
					  (int)stem(found[i]->d_name), found[i]->d_name);

		free(names);
		names = longer;
		free(found[i]);
	}
	free(found);
	return names;
}
