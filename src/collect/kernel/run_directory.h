/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory of a recorder while it records. It has the files of the recording that need a name,
 * and shows what a killed recorder has left: a file in it names the recorder and lists the changes
 * to undo.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H
#define PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/* Begins as {.fd = -1}. */
struct run_directory {
	int fd;	    /* the directory, for openat(); -1: not made */
	char *path; /* absolute, without symbolic links; its last part cannot be guessed */
	int base;   /* the directory that contains it */
	int owner;  /* the locked file */
	bool kept;  /* see run_directory_keep() */
};

/*
 * Makes a directory, unless it is open already, in the first usable place of
 * run_directory_places(). Only this user can make names in it. Processes of other users can open
 * files in root's directory by their names, but cannot list it. Returns 0, or -1 with an error.
 */
int run_directory_open(struct run_directory *directory, struct err *err);

/* Makes a directory in a given place, an absolute path. */
int run_directory_open_in(struct run_directory *directory, const char *place, struct err *err);

/*
 * Notes a change, `what` of a `kind` that run_left_clear() can undo if the recorder is killed. The
 * caller calls it before the change. Returns 0, or -1 with an error.
 */
int run_directory_note(struct run_directory *directory, const char *kind, const char *what,
		       struct err *err);

/* Keeps the directory, as a noted change could not be undone: the next recorder tries again. */
void run_directory_keep(struct run_directory *directory);

/* Removes the directory with its contents. */
void run_directory_close(struct run_directory *directory);

/*
 * Lists the places for directories of a user's recorders, best first: for root /run/pscal, for
 * others $XDG_RUNTIME_DIR/pscal if it is the user's; $TMPDIR/pscal-UID; /tmp/pscal-UID. Returns
 * their number; the caller frees each.
 */
enum { RUN_PLACES_MAX = 3 };
size_t run_directory_places(char *places[RUN_PLACES_MAX]);

/*
 * The file that names the recorder of a directory. A recorder that lives holds a lock on it; its
 * process id is no proof, as another process may have it by now, possibly in another container. Its
 * lines are "KEY VALUE": pid, start, boot and date, and then the notes.
 */
#define RUN_OWNER "owner"

/* --- The remains of killed recorders of this user ------------------------------------------- */

/* Sentences on the remains of each recorder, without a full stop. Begins as zero. */
struct run_left {
	char **cleared; /* remains that were removed */
	size_t cleared_count, cleared_capacity;
	char **kept; /* remains that are still there, with the reason */
	size_t kept_count, kept_capacity;
};

/* Clears all places of run_directory_places(), except directories of living recorders. */
void run_left_clear(struct run_left *left);

/* Clears a given place. `tracefs` is its directory; NULL: the usual one. */
void run_left_clear_in(struct run_left *left, const char *place, const char *tracefs);

void run_left_release(struct run_left *left);

#endif
