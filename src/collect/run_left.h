/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What recorders of this user have left that were killed: their directories (run_directory.h), and
 * what is noted in these.
 */
#ifndef PSCAL_COLLECT_RUN_LEFT_H
#define PSCAL_COLLECT_RUN_LEFT_H

#include <stddef.h>

/* Begins as zero. A sentence without an end for each recorder. */
struct run_left {
	char **cleared; /* what is gone now */
	size_t cleared_count, cleared_capacity;
	char **kept; /* what is still there, and why */
	size_t kept_count, kept_capacity;
};

/* In all places of run_base.h. What recorders need that live is not touched. */
void run_left_clear(struct run_left *left);

/* In a certain place. `tracefs` is the directory of it; NULL: where it is. */
void run_left_clear_in(struct run_left *left, const char *place, const char *tracefs);

void run_left_release(struct run_left *left);

#endif
