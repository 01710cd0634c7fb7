/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of files that a process names, which may be of any size and damaged: they are read in a
 * separate process (base/io/guarded.h), with the rights of a user, and only until a given time.
 * Functions that are not found by then are unknown.
 */
#ifndef PSCAL_COLLECT_BLOCKS_FUNCTION_READER_H
#define PSCAL_COLLECT_BLOCKS_FUNCTION_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/io/guarded.h"

struct user_function_table;

/* The reader. Begins as zero. */
struct function_reader {
	struct guarded process;
	char *why; /* error of the first file that could not be read; NULL: none */
	/* Only in the process: */
	struct user_function_table *files;
	size_t file_count, file_capacity;
	size_t functions; /* of all files */
};

void function_reader_release(struct function_reader *reader);

/* A file, read with the rights of the user. */
struct user_file {
	const char *path;
	uid_t uid;
	gid_t gid;
};

/*
 * Returns code_function_label() of the function at `offset`, which is `*inside` bytes behind its
 * beginning; the caller frees it. NULL: unknown, or not found before `until_ns` (base/monotonic.h).
 * The caller has no other threads.
 */
char *function_reader_label(uint64_t *inside, struct function_reader *reader,
			    const struct user_file *file, uint64_t offset, uint64_t until_ns);

/*
 * Returns whether it has a function whose name matches the glob, as far as known before `until_ns`.
 */
bool function_reader_has(struct function_reader *reader, const struct user_file *file,
			 const char *glob, uint64_t until_ns);

/* Opens files as another user: for a recorder of root that reads files named by a process. */

struct user_rights {
	uid_t uid;
	gid_t gid, *groups;
	int group_count; /* 0: none, or unchanged */
};

/*
 * Makes this thread open files only with the rights of a user and a group; *before is the former
 * state. Without the right to do so nothing changes. The caller restores it soon.
 */
void user_rights_take(struct user_rights *before, uid_t uid, gid_t gid);
void user_rights_give_back(struct user_rights *before);

#endif
