/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that were hot in an earlier recording; they replace the pattern "hot" of --probe. */
#ifndef PSCAL_CMD_RECORD_HOT_FUNCTIONS_H
#define PSCAL_CMD_RECORD_HOT_FUNCTIONS_H

#include "base/io/input.h"

struct err;

/* The patterns with hot functions in the place of "hot"; begins as zero. */
struct hot_functions {
	const char *const *patterns; /* ending in NULL; NULL: none */
	char **found;
	const char **merged;
};

/* Checks the patterns of --probe, or NULL. Returns 0, or -1 with an error: wrong usage. */
int hot_functions_check(const char *const *patterns, struct err *err);

/*
 * Makes hot->patterns from `patterns`, which it borrows: replaces "hot" or "hot:2%" by the
 * functions with at least that share of the samples in the recording at `path`. Returns 0, or -1
 * with an error. The caller releases in either case.
 */
int hot_functions_find(struct hot_functions *hot, const char *const *patterns, const char *path,
		       enum input_owners owners, struct err *err);
void hot_functions_release(struct hot_functions *hot);

#endif
