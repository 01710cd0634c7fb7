/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of every CSV table, series and fit, whatever bytes they were read from. */
#ifndef PSCAL_TESTS_CHECK_CSV_CHECK_H
#define PSCAL_TESTS_CHECK_CSV_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Reads bytes as the command fit does. They may be refused, in one sentence that names the input.
 * Returns -1 with what is wrong with what was made of them; *read tells whether they held a series.
 */
int csv_check_bytes(bool *read, const void *bytes, size_t length, struct err *err);

#endif
