/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --probe hot: the functions in which an earlier recording found threads most. */
#ifndef PSCAL_CMD_RECORD_HOT_FUNCTIONS_H
#define PSCAL_CMD_RECORD_HOT_FUNCTIONS_H

#include <stdbool.h>

#include "base/io/input.h"

struct err;

/* Of all samples, where no share is given. */
#define HOT_SHARE_USUAL 0.01

/* Is it "hot", or begins as "hot:" does? */
bool hot_functions_are_meant(const char *pattern);

/* The share of "hot:5%" or "hot:0.05". Returns 0, or -1 with a sentence. */
int hot_functions_share(double *share, const char *pattern, struct err *err);

/*
 * The functions in which at least that share of all samples of `path` was, those in the kernel
 * counted among all, as patterns of collect/patch/function_list.h, the hottest first. An array that ends
 * in NULL and is to be freed as what is in it is; NULL with a sentence where there are none.
 */
char **hot_functions_find(const char *path, enum input_owners owners, double share,
			  struct err *err);

#endif
