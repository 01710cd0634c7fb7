/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that match the patterns of --probe:
 *
 *	GLOB		functions of the program
 *	OBJECT:GLOB	... of a library that it loads, by path or name (libc, libc.so.6), or of any
 *			other file, by path
 *	marks		none: only the marks of the program itself are recorded
 *
 * Names are those of the linker, and their C++ forms, with and without arguments; a glob is that of
 * fnmatch(3).
 */
#ifndef PSCAL_COLLECT_PATCH_FUNCTION_LIST_H
#define PSCAL_COLLECT_PATCH_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "code/function_table.h"

struct err;

/*
 * The program of a command, and the libraries that its loader would map with it: the loader lists
 * them, and no code of the program runs. Begins as zero.
 */
struct loaded_objects {
	char *program;	  /* the file, or the interpreter of a script */
	char *script;	  /* or NULL */
	char *loader;	  /* NULL: a static program */
	char **libraries; /* paths, without the loader */
	size_t library_count, capacity;
};

/*
 * Finds the objects that `command` would load. Returns 0, or -1 with an error if it is not found or
 * no program of this machine; the caller releases them in both cases.
 */
int loaded_objects_find(struct loaded_objects *objects, const char *command, struct err *err);
void loaded_objects_release(struct loaded_objects *objects);

/* Returns whether `pattern` matches the file: a glob for its path or name, as below. */
bool loaded_objects_means(const char *path, const char *pattern);

/*
 * Returns the index of the next library behind `after` (-1: the first) that `pattern` matches, a
 * glob for its path, or for its name, with or without the part behind ".so". -1: none.
 */
int loaded_objects_match(const struct loaded_objects *objects, const char *pattern, int after);

#define PATTERN_MARKS "marks"

enum { FUNCTION_LIST_MAX = 1 << 16 };

struct listed_function {
	size_t table;			/* index of its object */
	const struct code_function *is; /* with the matched name */
};

/* The list. Begins as zero. */
struct function_list {
	struct loaded_objects objects;
	struct function_table *tables; /* of the requested objects */
	size_t table_count, table_capacity;
	struct listed_function *items; /* by object and place, each place once */
	size_t count, capacity;
	const char **indirect; /* requested names without a place of their own */
	size_t indirect_count, indirect_capacity;
};

/*
 * Finds the functions of `patterns`, which end in NULL; `command` will be started. Returns 0, or -1
 * with an error: a pattern matches nothing, or they match too many functions. The caller releases
 * the list in both cases.
 */
int function_list_find(struct function_list *list, const char *const *patterns, const char *command,
		       struct err *err);
void function_list_release(struct function_list *list);

/*
 * Check functions and objects that must not be patched, even if their instructions permit it.
 * Return NULL, or the reason, a constant text that continues the name of the function.
 */
const char *unwatchable_name(const char *function);
const char *unwatchable_object(const char *path, const char *loader);

/*
 * Checks that this program would load the probe library, which `option` needs. `loader` is the
 * program's loader, or NULL. Returns 0, or -1 with an error.
 */
int unwatchable_program(const char *path, const char *loader, const char *option, struct err *err);

#endif
