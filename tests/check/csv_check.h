/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Invariants of every CSV table, series and fit, for any input bytes. */
#ifndef PSCAL_TESTS_CHECK_CSV_CHECK_H
#define PSCAL_TESTS_CHECK_CSV_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Reads bytes as the command fit does. It may refuse them, in one sentence that names the input.
 * Returns -1 with the fault of a result; *read tells if the bytes held a series.
 */
int csv_check_bytes(bool *read, const void *bytes, size_t length, struct err *err);

#endif
