/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file that names the recorder of a directory (run_directory.h). The lock on it
 * tells whether the recorder lives, not its process id, which another process may have by now, or
 * one in another container.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_OWNER_H
#define PSCAL_COLLECT_KERNEL_RUN_OWNER_H

#include <stdbool.h>
#include <stddef.h>

/* "owner", of lines "KEY VALUE": pid, start, boot and date, and then what is noted. */
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
 * Makes it in the directory `fd`, of this process, and locks it. Returns a descriptor to write to
 * it, or -1 with errno: ENOENT, EWOULDBLOCK when the next recorder took the directory for one left
 * behind, and removes it.
 */
int run_owner_make(int fd);

/* A line more. Returns 0, or -1 with errno. */
int run_owner_append(int owner, const char *text);

/*
 * Reads it in the directory `fd` of a recorder that has ended; no other process can do so until it
 * is released. Returns 0, or -1 when that recorder lives, or may do so.
 */
int run_owner_take(struct run_owner *owner, int fd);
void run_owner_release(struct run_owner *owner);

#endif
