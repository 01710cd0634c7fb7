/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording by `pscal record` and `pscal run`, after their options are read. */
#ifndef PSCAL_CMD_RECORD_RECORD_RUN_H
#define PSCAL_CMD_RECORD_RECORD_RUN_H

#include <stdbool.h>

struct err;
struct record_request;

/*
 * Records and prints the summary, whose last line names the next command if `is_last`; with
 * --clean, clears the remains of killed recordings. Returns the exit status of the command, or
 * STATUS_FAILED or STATUS_USAGE with an error if there is no recording.
 */
int record_run(struct record_request *request, bool is_last, struct err *err);

#endif
