/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory of a recorder while it records. The files of the recording that need a name lie
 * there, and the remains of a killed recorder are found by it: a file in it names the recorder
 * and lists the changes to undo.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H
#define PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/* Begins as {.fd = -1}. */
struct run_directory {
	int fd;	    /* of the directory, good for openat(); -1: not made */
	char *path; /* absolute, without symbolic links; its last part cannot be guessed */
	int base;   /* of the directory that it is in */
	int owner;  /* of the file that is locked */
	bool kept;  /* see run_directory_keep() */
};

/*
 * Makes one, in the first of the places of run_directory_places() that will do; nothing happens
 * where it is open already. Only this user can make names in it. Processes of other users can open
 * files in root's directory by their names, but cannot list it. Returns 0, or -1 with a sentence.
 */
int run_directory_open(struct run_directory *directory, struct err *err);

/* The same in a certain place, an absolute path. */
int run_directory_open_in(struct run_directory *directory, const char *place, struct err *err);

/*
 * Notes a change, `what` of a `kind` that run_left_clear() can undo if the recorder is killed. To
 * be called before the change. Returns 0, or -1 with a sentence.
 */
int run_directory_note(struct run_directory *directory, const char *kind, const char *what,
		       struct err *err);

/* A noted change could not be undone: the next recorder tries again. */
void run_directory_keep(struct run_directory *directory);

/* With all that is in it. */
void run_directory_close(struct run_directory *directory);

/*
 * Where the directories of a user's recorders may be, best first: for root /run/pscal, for other
 * users $XDG_RUNTIME_DIR/pscal where that is the user's; $TMPDIR/pscal-UID; /tmp/pscal-UID. Returns
 * how many; the caller frees each.
 */
enum { RUN_PLACES_MAX = 3 };
size_t run_directory_places(char *places[RUN_PLACES_MAX]);

/*
 * The file that names the recorder of a directory. The lock on it tells whether the recorder lives,
 * not its process id, which another process may have by now, or one in another container. Its lines
 * are "KEY VALUE": pid, start, boot and date, and then the notes.
 */
#define RUN_OWNER "owner"

/* --- The remains of killed recorders of this user ------------------------------------------- */

/* Begins as zero. A sentence without an end for each recorder. */
struct run_left {
	char **cleared; /* remains that are gone now */
	size_t cleared_count, cleared_capacity;
	char **kept; /* remains that are still there, and why */
	size_t kept_count, kept_capacity;
};

/* In all places of run_directory_places(). Nothing of a recorder that lives is touched. */
void run_left_clear(struct run_left *left);

/* In a certain place. `tracefs` is the directory of it; NULL: where it is. */
void run_left_clear_in(struct run_left *left, const char *place, const char *tracefs);

void run_left_release(struct run_left *left);

#endif
