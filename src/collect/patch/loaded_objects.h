/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program that a command is, and the libraries that its loader would map with it: the loader
 * lists them, and nothing of the program is run.
 */
#ifndef PSCAL_COLLECT_PATCH_LOADED_OBJECTS_H
#define PSCAL_COLLECT_PATCH_LOADED_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/* Begins as zero. */
struct loaded_objects {
	char *program;	  /* the file; of a script its interpreter's */
	char *script;	  /* or NULL */
	char *loader;	  /* NULL: the program is linked statically */
	char **libraries; /* paths, but for the loader */
	size_t library_count, capacity;
};

/*
 * What `command` would load. Returns 0, or -1 with a sentence when it is not found or no program of
 * this machine; release it in both cases.
 */
int loaded_objects_find(struct loaded_objects *objects, const char *command, struct err *err);
void loaded_objects_release(struct loaded_objects *objects);

/* Does `pattern` mean the file: a glob for its path or name, as below? */
bool loaded_objects_means(const char *path, const char *pattern);

/*
 * The number of the library that follows `*after` (-1: the first one) which `pattern` means, a glob
 * for its path, or for its name, with or without what stands behind ".so". -1: there is none.
 */
int loaded_objects_match(const struct loaded_objects *objects, const char *pattern, int after);

#endif
