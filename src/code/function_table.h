/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a program or a library by their place in the file, with all their names. */
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
	bool complete;		     /* has the functions that it does not export, too */
	struct code_function *items; /* by offset, the usual name first */
	size_t count, capacity;
	char **indirect; /* names of functions with several implementations */
	size_t indirect_count, indirect_capacity;
};

/* Reads the functions of a file, none if it is no program. Returns 0, or -1: there is no file. */
int function_table_read(struct function_table *table, const char *path);
void function_table_release(struct function_table *table);

/* Returns the strangeness of a name: the least strange, __lll_lock, is the most readable. */
size_t function_strangeness(const char *name);

/*
 * Returns the function's name for people: "ns::f(int)", and "pthread_cond_wait@GLIBC_2.2.5" if only
 * old programs get this version. The caller frees it.
 */
char *code_function_label(const struct code_function *function);

/*
 * Returns whether the glob matches the function's name: mangled, demangled, or without arguments.
 */
bool code_function_matches(const struct code_function *function, const char *glob);

/* Returns the index of the first function that begins behind `offset`. */
size_t function_table_behind(const struct function_table *table, uint64_t offset);

/* Returns the function at `offset`; NULL: none is known there. */
const struct code_function *function_table_at(const struct function_table *table, uint64_t offset);

/*
 * Reports that the glob of `option` matches no function, with similar names: at most three that
 * differ in few letters or contain its letters, the nearest first. Returns -1.
 */
int function_table_refuse(const struct function_table *table, const char *option, const char *glob,
			  struct err *err);

#endif
