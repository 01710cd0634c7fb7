/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of files that a process names, which may be of any size and damaged: they are read in a
 * process of its own (base/io/guarded.h), with the rights of a user, and only up to a time. What is not
 * known by then is unknown.
 */
#ifndef PSCAL_COLLECT_BLOCKS_FUNCTION_READER_H
#define PSCAL_COLLECT_BLOCKS_FUNCTION_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/io/guarded.h"

struct user_function_table;

/* Begins as zero. */
struct function_reader {
	struct guarded process;
	char *why; /* the first file that could not be read, and why, a sentence; NULL: all could */
	/* In that process only: */
	struct user_function_table *files;
	size_t file_count, file_capacity;
	size_t functions; /* of all files */
};

void function_reader_release(struct function_reader *reader);

/* As the user may read it. */
struct user_file {
	const char *path;
	uid_t uid;
	gid_t gid;
};

/*
 * The answer of code_function_label() for the function at `offset`, which is `*inside` bytes behind
 * its beginning; to be freed. NULL: it is not known, or was not before `until_ns`
 * (base/monotonic.h). There are no other threads.
 */
char *function_reader_label(uint64_t *inside, struct function_reader *reader,
			    const struct user_file *file, uint64_t offset, uint64_t until_ns);

/* Has it a function of which the glob means the name, as far as is known before `until_ns`? */
bool function_reader_has(struct function_reader *reader, const struct user_file *file,
			 const char *glob, uint64_t until_ns);

/* Opens files as another user: for a recorder of root that reads files which a process names. */

struct user_rights {
	uid_t uid;
	gid_t gid, *groups;
	int group_count; /* 0: there are none, or they have not been changed */
};

/*
 * From now on this thread opens files with the rights of a user and a group alone; *before is what
 * it had. Without the right to do so nothing changes. To be given back soon.
 */
void user_rights_take(struct user_rights *before, uid_t uid, gid_t gid);
void user_rights_give_back(struct user_rights *before);

#endif
