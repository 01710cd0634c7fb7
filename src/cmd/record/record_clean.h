/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How `pscal record` clears the remains of killed recordings. */
#ifndef PSCAL_CMD_RECORD_RECORD_CLEAN_H
#define PSCAL_CMD_RECORD_RECORD_CLEAN_H

struct err;

/* --clean: prints a line for each. The exit status; STATUS_FAILED with a sentence. */
int record_clean(int quiet, struct err *err);

/* Before a recording, in one line unless it is to be quiet, and not at all if nothing was left. */
void record_clean_before(int quiet, int verbose);

#endif
