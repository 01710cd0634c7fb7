/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of run_directory.c by which run_left.c finds and clears the directories that killed
 * recorders have left.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_PRIVATE_H
#define PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/* --- The directory of all recorders -------------------------------------------------------- */

/*
 * Each recorder of a user makes its own directory in it. Nobody but that user and root can make,
 * rename or remove names in it, nor put another directory into its place.
 *
 * Where it may be, best first: for root /run/pscal, for other users $XDG_RUNTIME_DIR/pscal where
 * that is the user's; $TMPDIR/pscal-UID; /tmp/pscal-UID. Returns how many; the caller frees each.
 */
enum { RUN_BASES_MAX = 3 };
size_t run_base_places(char *places[RUN_BASES_MAX]);

/*
 * Opens the one at `place`, an absolute path, and makes it first where that is asked for and it is
 * not there. An existing one must be a directory of this user that only its owner can write
 * into, below directories of root or of this user that other users cannot write into, but for sticky
 * ones. Returns a descriptor to read it, and its path without symbolic links, which the caller
 * frees; or -1 with a sentence.
 */
int run_base_open(char **path, const char *place, bool make, struct err *err);

/* --- The file of the owner ----------------------------------------------------------------- */

/*
 * The file that names the recorder of a directory. The lock on it tells whether the recorder lives,
 * not its process id, which another process may have by now, or one in another container. Its lines
 * are "KEY VALUE": pid, start, boot and date, and then the notes.
 */
#define RUN_OWNER "owner"

struct run_owner {
	int fd;	    /* locked */
	int pid;    /* 0: it does not say */
	char *date; /* when it began */
	bool is_of_this_boot;
	char **notes; /* "KIND WHAT" */
	size_t note_count, note_capacity;
};

/*
 * Reads it in the directory `fd` of a recorder that has ended; no other process can do so until it
 * is released. Returns 0, or -1 when that recorder lives, or may do so.
 */
int run_owner_take(struct run_owner *owner, int fd);
void run_owner_release(struct run_owner *owner);

#endif
