/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a program or a library by where they stand in it, with all their names. */
#ifndef PSCAL_CODE_FUNCTION_TABLE_H
#define PSCAL_CODE_FUNCTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/object.h"

struct err;

struct code_function {
	char *name;			/* without its version */
	char *old_version;		/* as in object.h */
	uint64_t offset, size, address; /* as in object.h */
};

struct function_table {
	char *path;	      /* without symbolic links */
	struct object object; /* may be closed before the release */
	uint64_t device, inode, mtime_ns;
	bool complete;		     /* also those are there that it does not export */
	struct code_function *items; /* by offset; of several names the usual one first */
	size_t count, capacity;
	char **indirect; /* names of those of which one is chosen when a program begins */
	size_t indirect_count, indirect_capacity;
};

/* Returns 0, or -1 when there is no such file. One that is no program has no functions. */
int function_table_read(struct function_table *table, const char *path);
void function_table_release(struct function_table *table);

/* Of several names people use the one that is least strange: __GI___lll_lock is __lll_lock. */
size_t function_strangeness(const char *name);

/*
 * Its name for people: "ns::f(int)", and "pthread_cond_wait@GLIBC_2.2.5" where only old programs
 * get that. To be freed.
 */
char *code_function_label(const struct code_function *function);

/* Does the glob mean it? As the linker has its name, as people write it, or without arguments. */
bool code_function_matches(const struct code_function *function, const char *glob);

/* The number of the first one that begins behind `offset`. */
size_t function_table_behind(const struct function_table *table, uint64_t offset);

/* The function at `offset`; NULL: none is known there. */
const struct code_function *function_table_at(const struct function_table *table, uint64_t offset);

/*
 * Says that none is meant by a glob that a user has given with `option`, and the functions that may
 * have been meant: at most three names that differ from it in few letters, or contain the letters of
 * it, the nearest first. Returns -1.
 */
int function_table_refuse(const struct function_table *table, const char *option, const char *glob,
			  struct err *err);

#endif
