// SPDX-License-Identifier: GPL-2.0-only
#include "environment.h"
#include "mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(const char *setting, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(setting, name, length) && setting[length] == '=' ? setting + length + 1
									 : NULL;
}

static bool is_replaced(const char *setting, const struct environment_setting *settings,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (value_of(setting, settings[i].name))
			return true;
	return false;
}

char **environment_make(char *const *given, const struct environment_setting *settings,
			size_t count)
{
	size_t room = count + 1, out = 0;
	char **environment;

	for (size_t i = 0; given[i]; i++)
		room++;
	environment = mem_zalloc(room * sizeof(*environment));
	for (; *given; given++)
		if (!is_replaced(*given, settings, count))
			environment[out++] = mem_strdup(*given);
	for (size_t i = 0; i < count; i++)
		if (settings[i].value)
			environment[out++] = mem_printf("%s=%s", settings[i].name,
							settings[i].value);
	return environment;
}

void environment_free(char **environment)
{
	for (char **e = environment; *e; e++)
		free(*e);
	free(environment);
}

const char *environment_get(char *const *environment, const char *name)
{
	for (; *environment; environment++)
		if (value_of(*environment, name))
			return value_of(*environment, name);
	return NULL;
}

char *environment_preload(char *const *given, const char *library)
{
	const char *own = environment_get(given, "LD_PRELOAD");

	return own && *own ? mem_printf("%s:%s", library, own) : mem_strdup(library);
}
