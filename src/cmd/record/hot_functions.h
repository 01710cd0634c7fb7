/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that an earlier recording found hot, in the place of the pattern hot of --probe. */
#ifndef PSCAL_CMD_RECORD_HOT_FUNCTIONS_H
#define PSCAL_CMD_RECORD_HOT_FUNCTIONS_H

#include "base/io/input.h"

struct err;

/* Begins as zero. */
struct hot_functions {
	const char *const *patterns; /* ends in NULL; NULL: there are none */
	char **found;
	const char **merged;
};

/* `patterns` of --probe may be NULL. Returns 0, or -1 with a sentence: wrong usage. */
int hot_functions_check(const char *const *patterns, struct err *err);

/*
 * Makes hot->patterns of `patterns`, which it borrows: "hot" and "hot:2%" become the functions with
 * that share of the samples in the recording at `path`. Returns 0, or -1 with a sentence.
 */
int hot_functions_find(struct hot_functions *hot, const char *const *patterns, const char *path,
		       enum input_owners owners, struct err *err);
void hot_functions_release(struct hot_functions *hot);

#endif
