/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions the patterns of --probe mean:
 *
 *	GLOB		functions of the program
 *	OBJECT:GLOB	... of a library that it loads, by path or name (libc, libc.so.6), or of any
 *			other file, by path
 *	marks		none: what is recorded is what the program has prepared itself
 *
 * Names are those that the linker knows, and what they mean in C++, with arguments and without; a
 * glob is that of fnmatch(3).
 */
#ifndef PSCAL_COLLECT_PATCH_FUNCTION_LIST_H
#define PSCAL_COLLECT_PATCH_FUNCTION_LIST_H

#include <stddef.h>

#include "code/function_table.h"
#include "collect/patch/loaded_objects.h"

struct err;

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
 * `patterns` end in NULL; `command` is what will be started. Returns 0, or -1 with a sentence: a
 * pattern means nothing, or they mean too many. Release it in both cases.
 */
int function_list_find(struct function_list *list, const char *const *patterns, const char *command,
		       struct err *err);
void function_list_release(struct function_list *list);

#endif
