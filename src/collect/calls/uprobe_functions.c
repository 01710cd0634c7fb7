/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/function_table.h"
#include "code/mapped_files.h"
#include "code/object.h"
#include "code/probe_place.h"
#include "collect/patch/function_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Adding -------------------------------------------------------------------------------- */

/*
 * Writes a word of letters, digits and '_'. Different names may get the same word, but not for
 * different `turn`, from 1 on.
 */
static void name_word(char word[UPROBE_NAME_SIZE], const char *function, unsigned turn)
{
	enum { SUFFIX_SIZE = 12 };
	size_t used = 0;

	if (isdigit((unsigned char)*function))
		word[used++] = '_';
	for (; *function && used < UPROBE_NAME_SIZE - SUFFIX_SIZE; function++)
		word[used++] = isalnum((unsigned char)*function) ? *function : '_';
	word[used] = '\0';
	if (turn > 1)
		snprintf(word + used, SUFFIX_SIZE, "_%u", turn);
}

static bool is_taken(const struct uprobe_functions *functions, const char *event)
{
	for (size_t i = 0; i < functions->count; i++)
		if (strcmp(functions->items[i].event, event) == 0)
			return true;
	return false;
}

/* Returns a function's index, which may be new. The same name in other files is the same one. */
static size_t number_of(struct uprobe_functions *functions, const char *name)
{
	struct uprobe_function *added;
	char event[UPROBE_NAME_SIZE];

	for (size_t i = 0; i < functions->count; i++)
		if (strcmp(functions->items[i].name, name) == 0)
			return i;
	for (unsigned turn = 1;; turn++) {
		name_word(event, name, turn);
		if (!is_taken(functions, event))
			break;
	}
	array_reserve(&functions->items, &functions->capacity, functions->count + 1);
	added = &functions->items[functions->count];
	added->name = xstrdup(name);
	strcpy(added->event, event);
	return functions->count++;
}

static bool is_there(const struct uprobe_functions *functions, const char *path, uint64_t offset)
{
	for (size_t i = 0; i < functions->place_count; i++)
		if (functions->places[i].offset == offset &&
		    strcmp(functions->places[i].path, path) == 0)
			return true;
	return false;
}

static void add_place(struct uprobe_functions *functions, const struct object *object,
		      const char *path, const struct code_function *found, unsigned arguments)
{
	struct probe_place place =
		probe_place_in(object, found->offset, found->size, arguments, true);
	char *label;

	if (is_there(functions, path, place.offset))
		return;
	label = code_function_label(found);
	array_reserve(&functions->places, &functions->place_capacity, functions->place_count + 1);
	functions->places[functions->place_count++] =
		(struct uprobe_place){.function = number_of(functions, label),
				      .path = xstrdup(path),
				      .offset = place.offset,
				      .is_cheap = place.is_cheap};
	free(label);
}

/* --- One file ------------------------------------------------------------------------------ */

static int refuse_nothing(const struct function_table *table, const char *spec, const char *pattern,
			  struct err *err)
{
	char *option;

	if (!table->count)
		return err_set(err,
			       "--uprobe %s: %s has no functions with names: it is stripped, or "
			       "not a program for this machine",
			       spec, table->path);
	option = xasprintf("--uprobe %s", spec);
	function_table_refuse(table, option, pattern, err);
	free(option);
	return -1;
}

/* The matching functions, each place once: indexes in the table; the caller frees them. */
struct chosen {
	size_t *items, count, capacity;
	const char *unsafe; /* why a matching function is left out */
};

static void choose_functions(struct chosen *chosen, const struct function_table *table,
			     const char *pattern)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct code_function *function = &table->items[i];
		const char *unsafe;

		if (!code_function_matches(function, pattern))
			continue;
		unsafe = unwatchable_name(function->name);
		if (unsafe) {
			chosen->unsafe = unsafe;
			continue;
		}
		if (chosen->count &&
		    table->items[chosen->items[chosen->count - 1]].offset == function->offset)
			continue;
		array_reserve(&chosen->items, &chosen->capacity, chosen->count + 1);
		chosen->items[chosen->count++] = i;
	}
}

static bool is_go(const struct function_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->items[i].name, "runtime.goexit") == 0 ||
		    strcmp(table->items[i].name, "runtime.goexit.abi0") == 0)
			return true;
	return false;
}

static int check_chosen(const struct uprobe_functions *functions, const struct chosen *chosen,
			const struct function_table *table, const char *spec, const char *pattern,
			struct err *err)
{
	if (!chosen->count && chosen->unsafe)
		return err_set(err,
			       "--uprobe %s: cannot be probed: it %s, and the program would not "
			       "survive a probe",
			       spec, chosen->unsafe);
	if (!chosen->count)
		return refuse_nothing(table, spec, pattern, err);
	if (is_go(table))
		return err_set(err,
			       "--uprobe %s: %s is a Go program, which moves its stacks and would "
			       "not survive the return of a probed function",
			       spec, table->path);
	/* An unwinder would find a return address there that is in no function. */
	if (!functions->risk_exceptions && object_may_throw(&table->object))
		return err_set(
			err,
			"--uprobe %s: exceptions may pass through functions of %s, and one "
			"that leaves a probed function ends the program: if none does, give "
			"--uprobe BINARY:FUNCTION,exceptions, or start the program with --probe",
			spec, table->path);
	if (functions->place_count + chosen->count > UPROBE_FUNCTIONS_MAX)
		return err_set(
			err,
			"--uprobe %s: matches %zu functions, and a program that stops at each of "
			"their calls does little else: name the few that matter, %d at most",
			spec, functions->place_count + chosen->count, UPROBE_FUNCTIONS_MAX);
	return 0;
}

static int add_of_file(struct uprobe_functions *functions, const char *path, const char *spec,
		       unsigned arguments, struct err *err)
{
	const char *pattern = strchr(spec, ':') + 1;
	struct function_table table;
	struct chosen chosen = {.count = 0};
	int rc;

	if (function_table_read(&table, path))
		return err_set(err, "--uprobe %s: %s: %m", spec, path);
	choose_functions(&chosen, &table, pattern);
	rc = check_chosen(functions, &chosen, &table, spec, pattern, err);
	for (size_t i = 0; !rc && i < chosen.count; i++)
		add_place(functions, &table.object, path, &table.items[chosen.items[i]], arguments);
	free(chosen.items);
	function_table_release(&table);
	return rc;
}

/* --- The files of BINARY -------------------------------------------------------------------- */

/* Returns whether a file is named "libc.so.6", or "libc" for short. */
static bool has_name(const void *wanted, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 &&
	       (!name[length] || strncmp(name + length, ".so", 3) == 0);
}

static bool has_path(const void *wanted, const char *path)
{
	return strcmp(path, wanted) == 0;
}

/* Adds the file at a path of the target; mapped files of the target come first. */
static void add_path(struct file_set *files, const char *path, const struct uprobe_target *target,
		     const char *proc)
{
	char *whole = realpath(path, NULL);

	for (size_t i = 0; i < target->pid_count; i++) {
		file_set_add_mapped(files, target->pids[i], has_path, path, proc);
		if (whole)
			file_set_add_mapped(files, target->pids[i], has_path, whole, proc);
		if (!files->count && *path == '/')
			file_set_add_of(files, target->pids[i], path, proc);
	}
	if (!files->count)
		file_set_add(files, whole ? whole : path);
	free(whole);
}

/* Adds a library that the loader would map with the command. */
static void add_library(struct file_set *files, const char *name, const char *command)
{
	struct loaded_objects objects = {0};
	struct err ignored;
	int at = -1;

	if (loaded_objects_find(&objects, command, &ignored) == 0)
		while ((at = loaded_objects_match(&objects, name, at)) >= 0)
			file_set_add(files, objects.libraries[at]);
	loaded_objects_release(&objects);
}

static void add_name(struct file_set *files, const char *name, const struct uprobe_target *target,
		     const char *proc)
{
	char *path;

	for (size_t i = 0; i < target->pid_count; i++)
		file_set_add_mapped(files, target->pids[i], has_name, name, proc);
	if (files->count || target->pid_count)
		return;
	if (target->command && strchr(target->command, '/') && has_name(name, target->command))
		file_set_add(files, target->command);
	path = files->count ? NULL : command_file_find(name);
	if (path)
		file_set_add(files, path);
	free(path);
	if (!files->count && target->command)
		add_library(files, name, target->command);
	if (!files->count)
		file_set_add_mapped(files, getpid(), has_name, name, "/proc");
}

/* Finds the files of BINARY. Returns 0, or -1 with an error if there is none. */
static int find_files(struct file_set *files, const char *binary,
		      const struct uprobe_target *target, const char *proc, struct err *err)
{
	if (strchr(binary, '/'))
		add_path(files, binary, target, proc);
	else
		add_name(files, binary, target, proc);
	if (files->count)
		return 0;
	if (strchr(binary, '/'))
		return err_set(err, "--uprobe: %s: %s", binary,
			       access(binary, F_OK) ? strerror(errno) : "is not a file");
	if (target->pid_count)
		return err_set(err,
			       "--uprobe: %s: is not mapped by the target: see /proc/%d/maps, or "
			       "give a path",
			       binary, (int)target->pids[0]);
	return err_set(err,
		       "--uprobe: %s: is neither a command in PATH nor a library that %s would "
		       "load: give its path",
		       binary, target->command ? target->command : "pscal");
}

/* --- From BINARY:FUNCTION ------------------------------------------------------------------ */

int uprobe_functions_check(const char *spec, struct err *err)
{
	const char *colon = strchr(spec, ':');

	if (colon && colon > spec && colon[1])
		return 0;
	return err_set(err,
		       "--uprobe %s: give BINARY:FUNCTION, say ./server:handle or "
		       "libc.so.6:malloc",
		       spec);
}

int uprobe_functions_add(struct uprobe_functions *functions, const char *spec,
			 const struct uprobe_target *target, unsigned arguments, const char *proc,
			 struct err *err)
{
	char *binary = xasprintf("%.*s", (int)strcspn(spec, ":"), spec);
	struct file_set files = {.count = 0};
	int rc = find_files(&files, binary, target, proc, err);

	for (size_t i = 0; !rc && i < files.count; i++)
		rc = add_of_file(functions, files.paths[i], spec, arguments, err);
	file_set_release(&files);
	free(binary);
	return rc;
}

void uprobe_functions_release(struct uprobe_functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->items[i].name);
	for (size_t i = 0; i < functions->place_count; i++)
		free(functions->places[i].path);
	free(functions->items);
	free(functions->places);
	*functions = (struct uprobe_functions){.count = 0};
}
