/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The remains of killed recorders of this user: their directories (run_directory.h), and the
 * changes that are noted there.
 */
#ifndef PSCAL_COLLECT_KERNEL_RUN_LEFT_H
#define PSCAL_COLLECT_KERNEL_RUN_LEFT_H

#include <stddef.h>

/* Begins as zero. A sentence without an end for each recorder. */
struct run_left {
	char **cleared; /* remains that are gone now */
	size_t cleared_count, cleared_capacity;
	char **kept; /* remains that are still there, and why */
	size_t kept_count, kept_capacity;
};

/* In all places of run_base_places(). Nothing of a recorder that lives is touched. */
void run_left_clear(struct run_left *left);

/* In a certain place. `tracefs` is the directory of it; NULL: where it is. */
void run_left_clear_in(struct run_left *left, const char *place, const char *tracefs);

void run_left_release(struct run_left *left);

#endif
