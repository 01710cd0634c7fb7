/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/patch/function_list.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/subprocess.h"
#include "base/sorted.h"
#include "code/function_table.h"
#include "code/mapped_files.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- Objects ---------------------------------------------------------------------------------- */

/* The limit of a loader, which has little to do. */
enum { LOADER_LIMIT_S = 10 };

/* Reads a line " libm.so.6 => /lib/libm.so.6 (0x7f...)"; objects without a file have no "=> /". */
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

/* Lists the libraries. A program with missing libraries reports them itself. */
static void list_libraries(struct loaded_objects *objects)
{
	char *program = realpath(objects->program, NULL);
	const char *const command[] = {objects->loader, "--list",
				       program ? program : objects->program, NULL};
	struct subprocess loader = {0};
	struct err ignored;

	if (subprocess_run(&loader, command, NULL, 0,
			   (struct subprocess_limits){.seconds = LOADER_LIMIT_S}, &ignored) == 0) {
		char *rest = loader.output;

		for (char *line; rest && (line = strsep(&rest, "\n"));)
			take_line(objects, line);
	}
	subprocess_release(&loader);
	free(program);
}

int loaded_objects_find(struct loaded_objects *objects, const char *command, struct err *err)
{
	struct object program;
	char *interpreter;

	objects->program = command_file_find(command);
	if (!objects->program || access(objects->program, X_OK))
		return err_set(err, "%s: there is no such program to start", command);
	interpreter = command_file_interpreter(objects->program);
	if (interpreter) {
		objects->script = objects->program;
		objects->program = interpreter;
	}
	if (!object_open(&program, objects->program))
		return err_set(err, "%s: is not a program for this machine", objects->program);
	objects->loader = object_loader(&program);
	object_close(&program);
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

/* --- Tables ------------------------------------------------------------------------------- */

/* Returns the index of a file's table; -1: no such file. */
static int find_table(struct function_list *list, const char *path)
{
	struct function_table table;

	if (function_table_read(&table, path))
		return -1;
	for (size_t i = 0; i < list->table_count; i++) {
		if (list->tables[i].device != table.device || list->tables[i].inode != table.inode)
			continue;
		function_table_release(&table);
		return (int)i;
	}
	array_reserve(&list->tables, &list->table_capacity, list->table_count + 1);
	list->tables[list->table_count++] = table;
	return (int)list->table_count - 1;
}

/* --- One pattern --------------------------------------------------------------------------- */

static void add_function(struct function_list *list, size_t table, size_t function)
{
	array_reserve(&list->items, &list->capacity, list->count + 1);
	list->items[list->count++] =
		(struct listed_function){table, &list->tables[table].items[function]};
}

static void add_indirect(struct function_list *list, const char *name)
{
	for (size_t i = 0; i < list->indirect_count; i++)
		if (strcmp(list->indirect[i], name) == 0)
			return;
	array_reserve(&list->indirect, &list->indirect_capacity, list->indirect_count + 1);
	list->indirect[list->indirect_count++] = name;
}

static size_t match_functions(struct function_list *list, size_t at, const char *glob)
{
	const struct function_table *table = &list->tables[at];
	size_t found = 0;

	for (size_t i = 0; i < table->count; i++)
		if (code_function_matches(&table->items[i], glob)) {
			add_function(list, at, i);
			found++;
		}
	for (size_t i = 0; i < table->indirect_count; i++)
		if (fnmatch(glob, table->indirect[i], 0) == 0) {
			add_indirect(list, table->indirect[i]);
			found++;
		}
	return found;
}

static int refuse_functions(const struct function_table *table, const char *pattern,
			    const char *glob, struct err *err)
{
	char *option;

	if (!table->count)
		return err_set(err,
			       "--probe %s: %s: none of its functions has a name: it is stripped; "
			       "functions of its libraries have names, say 'libc:pthread_*'",
			       pattern, table->path);
	option = xasprintf("--probe %s", pattern);
	function_table_refuse(table, option, glob, err);
	free(option);
	return -1;
}

static int match_file(struct function_list *list, const char *path, const char *pattern,
		      const char *glob, struct err *err)
{
	int at = find_table(list, path);

	if (at < 0)
		return err_set(err, "--probe %s: %s: %m", pattern, path);
	if (match_functions(list, (size_t)at, glob))
		return 0;
	return refuse_functions(&list->tables[at], pattern, glob, err);
}

/* Returns a list like "libm.so.6, libc.so.6". */
static char *list_names(const struct loaded_objects *objects)
{
	char *names = xstrdup("");

	for (size_t i = 0; i < objects->library_count; i++) {
		char *more = xasprintf("%s%s%s", names, *names ? ", " : "",
				       strrchr(objects->libraries[i], '/') + 1);

		free(names);
		names = more;
	}
	return names;
}

static int refuse_object(const struct loaded_objects *objects, const char *pattern,
			 const char *object, struct err *err)
{
	char *names = list_names(objects);

	err_set(err,
		"--probe %s: %s loads no library '%s', but %.600s; name a library of a program "
		"that it starts by its path",
		pattern, objects->program, object, *names ? names : "none");
	free(names);
	return -1;
}

/* Matches libraries. Of several with this name, one with such a function is enough. */
static int match_libraries(struct function_list *list, const char *object, const char *pattern,
			   const char *glob, struct err *err)
{
	int at = -1, table = -1;
	size_t found = 0;

	while ((at = loaded_objects_match(&list->objects, object, at)) >= 0) {
		table = find_table(list, list->objects.libraries[at]);
		if (table >= 0)
			found += match_functions(list, (size_t)table, glob);
	}
	if (found)
		return 0;
	if (table >= 0)
		return refuse_functions(&list->tables[table], pattern, glob, err);
	if (strchr(object, '/'))
		return match_file(list, object, pattern, glob, err);
	return refuse_object(&list->objects, pattern, object, err);
}

/* Returns the last single colon: ns::f is a function. NULL: none. */
static const char *find_colon(const char *pattern)
{
	const char *found = NULL;

	for (const char *at = pattern; (at = strchr(at, ':')); at += strspn(at, ":"))
		if (at[1] != ':')
			found = at;
	return found;
}

static int match_pattern(struct function_list *list, const char *pattern, struct err *err)
{
	const char *colon = find_colon(pattern);
	char *object;
	int rc;

	if (strcmp(pattern, PATTERN_MARKS) == 0)
		return 0;
	if (!colon)
		return match_file(list, list->objects.program, pattern, pattern, err);
	if (colon == pattern || !colon[1])
		return err_set(err, "--probe %s: give OBJECT:FUNCTION, or FUNCTION of the program",
			       pattern);
	object = xasprintf("%.*s", (int)(colon - pattern), pattern);
	rc = match_libraries(list, object, pattern, colon + 1, err);
	free(object);
	return rc;
}

/* --- All patterns -------------------------------------------------------------------------- */

/* Compares places; of several names at a place the first one counts. */
static int by_place(const void *a, const void *b)
{
	const struct listed_function *one = a, *other = b;

	return compare_values(one->table, other->table)
		       ?: compare_values(one->is->offset, other->is->offset);
}

static int by_function(const void *a, const void *b)
{
	const struct listed_function *one = a, *other = b;

	return by_place(a, b) ?: compare_values(one->is, other->is);
}

int function_list_find(struct function_list *list, const char *const *patterns, const char *command,
		       struct err *err)
{
	if (loaded_objects_find(&list->objects, command, err))
		return err_wrap(err, "--probe");
	for (; *patterns; patterns++)
		if (match_pattern(list, *patterns, err))
			return -1;
	sort_items(list->items, list->count, by_function);
	list->count = drop_twins(list->items, list->count, sizeof(*list->items), by_place);
	if (list->count > FUNCTION_LIST_MAX)
		return err_set(err,
			       "--probe: the patterns match %zu functions, and at most %d can be "
			       "recorded: narrow the patterns",
			       list->count, FUNCTION_LIST_MAX);
	return 0;
}

void function_list_release(struct function_list *list)
{
	for (size_t i = 0; i < list->table_count; i++)
		function_table_release(&list->tables[i]);
	free(list->tables);
	free(list->items);
	free(list->indirect);
	loaded_objects_release(&list->objects);
	*list = (struct function_list){0};
}

/* --- Excluded functions and objects --------------------------------------------------------- */

#define PROBE_LIBRARY "*/libpscal-probe.so*"

/*
 * Excluded names. Most are also found by their code (object_patches.h), but not on every machine.
 */
static const struct {
	const char *glob, *why;
} names[] = {
	{"*setjmp", "returns twice"},
	{"*vfork", "returns twice"},
	{"*getcontext", "returns twice"},
	{"*swapcontext", "returns on another stack"},
	{"*makecontext", "makes another stack"},
	{"__morestack*", "returns on another stack"},
	{"_dl_start*", "returns to no caller"},
	{"_dl_runtime_*", "is not called by an ordinary call"},
	{"_dl_tlsdesc_*", "is not called by an ordinary call"},
	{"clone", "returns on two stacks"},
	{"__clone*", "returns on two stacks"},
	{"clone3", "returns on two stacks"},
	{"_start", "is the start of the program, and returns to no caller"},
	{"_init", "is run by the loader"},
	{"_fini", "is run by the loader"},
	{"*.cold", "is part of a function that jumps to it"},
	{"*.cold.*", "is part of a function that jumps to it"},
	{"dl_iterate_phdr", "looks at its caller"},
	{"_Unwind_*", "looks at its caller"},
	{"__gxx_personality*", "looks at its caller"},
	{"__cxa_*throw", "looks at its caller"},
	{"backtrace", "looks at its caller"},
	{"prctl", "is replaced by the probe library"},
	{"syscall", "is replaced by the probe library"},
	{"__restore_rt", "is never called: a signal handler returns there"},
	{"*dlsym", "looks at its caller"},
	{"*dlvsym", "looks at its caller"},
	{"*dlopen*", "looks at its caller"},
	{"*dlmopen*", "looks at its caller"},
	{"*mcount", "looks at its caller"},
	{"__fentry__", "looks at its caller"},
	{"__cyg_profile_func_*", "reports functions of the program itself"},
};

const char *unwatchable_name(const char *function)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i].glob, function, 0) == 0)
			return names[i].why;
	return NULL;
}

const char *unwatchable_object(const char *path, const char *loader)
{
	char *real = loader ? realpath(loader, NULL) : NULL;
	int is_loader = real && strcmp(real, path) == 0;

	free(real);
	if (is_loader)
		return "is part of the loader, which runs before functions can be patched";
	if (fnmatch(PROBE_LIBRARY, path, 0) == 0)
		return "is part of the probe library";
	return NULL;
}

int unwatchable_program(const char *path, const char *loader, const char *option, struct err *err)
{
	struct stat file;

	if (!loader)
		return err_set(err,
			       "%s: %s is linked statically and loads no library: --probe and "
			       "--tasks need one",
			       option, path);
	if (stat(path, &file) == 0 &&
	    ((file.st_mode & S_ISUID && file.st_uid != geteuid()) ||
	     (file.st_mode & S_ISGID && file.st_gid != getegid()) ||
	     (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)))
		return err_set(err,
			       "%s: %s runs with the rights of another user (setuid), and loads no "
			       "library of its caller; record as that user",
			       option, path);
	return 0;
}
