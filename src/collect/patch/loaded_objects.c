/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/loaded_objects.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/subprocess.h"
#include "code/command_file.h"
#include "code/elf_functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loader has little to do. */
enum { LOADER_LIMIT_S = 10 };

/* --- What the loader says ------------------------------------------------------------------ */

/* "	libm.so.6 => /lib/libm.so.6 (0x7f...)"; what is no file of its own has no "=> /". */
static void take_line(struct loaded_objects *objects, const char *line)
{
	const char *path = strstr(line, "=> /");
	const char *end = path ? strstr(path, " (0x") : NULL;

	if (!end)
		return;
	path += strlen("=> ");
	array_reserve(&objects->libraries, &objects->capacity, objects->library_count + 1);
	objects->libraries[objects->library_count++] = xasprintf("%.*s", (int)(end - path), path);
}

/* A program whose libraries are missing will say so itself. */
static void list_libraries(struct loaded_objects *objects)
{
	char *program = realpath(objects->program, NULL);
	const char *const command[] = {objects->loader, "--list",
				       program ? program : objects->program, NULL};
	struct subprocess loader = {0};
	struct err ignored;

	if (subprocess_run(&loader, command, NULL, 0, LOADER_LIMIT_S, &ignored) == 0) {
		char *rest = loader.output;

		for (char *line; rest && (line = strsep(&rest, "\n"));)
			take_line(objects, line);
	}
	subprocess_release(&loader);
	free(program);
}

/* --- Finding ------------------------------------------------------------------------------- */

int loaded_objects_find(struct loaded_objects *objects, const char *command, struct err *err)
{
	char *interpreter;

	objects->program = command_file_find(command);
	if (!objects->program || access(objects->program, X_OK))
		return err_set(err, "%s: there is no such program to start", command);
	interpreter = command_file_interpreter(objects->program);
	if (interpreter) {
		objects->script = objects->program;
		objects->program = interpreter;
	}
	if (!elf_functions_is_program(objects->program))
		return err_set(err,
			       "%s: is no program of this machine, so that none of its "
			       "functions can be found",
			       objects->program);
	objects->loader = elf_functions_loader(objects->program);
	if (objects->loader)
		list_libraries(objects);
	return 0;
}

void loaded_objects_release(struct loaded_objects *objects)
{
	free(objects->program);
	free(objects->script);
	free(objects->loader);
	for (size_t i = 0; i < objects->library_count; i++)
		free(objects->libraries[i]);
	free(objects->libraries);
	*objects = (struct loaded_objects){0};
}

/* --- Matching ------------------------------------------------------------------------------ */

bool loaded_objects_means(const char *path, const char *pattern)
{
	const char *name = strrchr(path, '/') + 1, *so = strstr(name, ".so");
	char *stem;
	bool meant;

	if (strchr(pattern, '/'))
		return fnmatch(pattern, path, 0) == 0;
	stem = xasprintf("%.*s", so ? (int)(so - name) : (int)strlen(name), name);
	meant = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, stem, 0) == 0;
	free(stem);
	return meant;
}

int loaded_objects_match(const struct loaded_objects *objects, const char *pattern, int after)
{
	for (size_t i = (size_t)(after + 1); i < objects->library_count; i++)
		if (loaded_objects_means(objects->libraries[i], pattern))
			return (int)i;
	return -1;
}
