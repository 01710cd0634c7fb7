/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory of a recorder while it records. The files of the recording that need a name lie
 * there, and the remains of a killed recorder are found by it: a file in it names the recorder
 * and lists the changes to undo.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H
#define PSCAL_COLLECT_KERNEL_RUN_DIRECTORY_H

#include <stdbool.h>

struct err;

/* Begins as {.fd = -1}. */
struct run_directory {
	int fd;	    /* of the directory, good for openat(); -1: not made */
	char *path; /* absolute, without symbolic links; nobody guesses its last part */
	int base;   /* of the directory that it is in */
	int owner;  /* of the file that is locked */
	bool kept;  /* see run_directory_keep() */
};

/*
 * Makes one, in the first of the places of run_base_places() that will do; nothing happens where it
 * is open already. Only this user can make names in it. Processes of other users can open files in
 * root's directory by their names, but cannot list it. Returns 0, or -1 with a sentence.
 */
int run_directory_open(struct run_directory *directory, struct err *err);

/* The same in a certain place, an absolute path. */
int run_directory_open_in(struct run_directory *directory, const char *place, struct err *err);

/*
 * `what`, of a `kind` that run_left.c knows how to undo, has to be undone if the recorder is
 * killed. To be noted before it is made. Returns 0, or -1 with a sentence.
 */
int run_directory_note(struct run_directory *directory, const char *kind, const char *what,
		       struct err *err);

/* A noted change could not be undone: the next recorder is to try it again. */
void run_directory_keep(struct run_directory *directory);

/* With all that is in it. */
void run_directory_close(struct run_directory *directory);

/*
 * Removes the directory `fd`, which was called `name` in `base`, with all that is in it, the file
 * that is locked last. Returns 0, or -1 where something is left.
 */
int run_directory_remove(int base, const char *name, int fd);

#endif
