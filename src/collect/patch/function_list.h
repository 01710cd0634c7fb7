/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that match the patterns of --probe:
 *
 *	GLOB		functions of the program
 *	OBJECT:GLOB	... of a library that it loads, by path or name (libc, libc.so.6), or of any
 *			other file, by path
 *	marks		none: only the marks of the program itself are recorded
 *
 * Names are those that the linker knows, and what they mean in C++, with arguments and without; a
 * glob is that of fnmatch(3).
 */
#ifndef PSCAL_COLLECT_PATCH_FUNCTION_LIST_H
#define PSCAL_COLLECT_PATCH_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "code/function_table.h"

struct err;

/*
 * The program that a command is, and the libraries that its loader would map with it: the loader
 * lists them, and nothing of the program is run. Begins as zero.
 */
struct loaded_objects {
	char *program;	  /* the file; of a script its interpreter's */
	char *script;	  /* or NULL */
	char *loader;	  /* NULL: the program is linked statically */
	char **libraries; /* paths, but for the loader */
	size_t library_count, capacity;
};

/*
 * Finds the objects that `command` would load. Returns 0, or -1 with a sentence when it is not
 * found or no program of this machine; release it in both cases.
 */
int loaded_objects_find(struct loaded_objects *objects, const char *command, struct err *err);
void loaded_objects_release(struct loaded_objects *objects);

/* Does `pattern` match the file: a glob for its path or name, as below? */
bool loaded_objects_means(const char *path, const char *pattern);

/*
 * The number of the library that follows number `after` (-1: the first one) which `pattern` means,
 * a glob for its path, or for its name, with or without the part behind ".so". -1: there is none.
 */
int loaded_objects_match(const struct loaded_objects *objects, const char *pattern, int after);

#define PATTERN_MARKS "marks"

enum { FUNCTION_LIST_MAX = 1 << 16 };

struct listed_function {
	size_t table;			/* number of the object that it is in */
	const struct code_function *is; /* with the name that was meant */
};

/* Begins as zero. */
struct function_list {
	struct loaded_objects objects;
	struct function_table *tables; /* of the objects that are meant */
	size_t table_count, table_capacity;
	struct listed_function *items; /* by object and place, each place once */
	size_t count, capacity;
	const char **indirect; /* names of those that are meant, but have no place of their own */
	size_t indirect_count, indirect_capacity;
};

/*
 * `patterns` end in NULL; `command` will be started. Returns 0, or -1 with a sentence: a pattern
 * matches nothing, or they match too many functions. Release it in both cases.
 */
int function_list_find(struct function_list *list, const char *const *patterns, const char *command,
		       struct err *err);
void function_list_release(struct function_list *list);

/*
 * Functions and objects that must not be patched, even if their instructions permit it. Returns
 * NULL, or why not: words after the name of the function, which live for ever.
 */
const char *unwatchable_name(const char *function);
const char *unwatchable_object(const char *path, const char *loader);

/*
 * Checks that the probe library would be loaded into this program, as `option` asks for. `loader`
 * is the one that the program asks for, or NULL. Returns 0, or -1 with a sentence.
 */
int unwatchable_program(const char *path, const char *loader, const char *option, struct err *err);

#endif
