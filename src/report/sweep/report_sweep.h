/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_SWEEP_REPORT_SWEEP_H
#define PSCAL_REPORT_SWEEP_REPORT_SWEEP_H

#include <stddef.h>

struct err;
struct report;
struct series_sweep;

/*
 * Adds the result of a sweep: the N of the highest throughput, disturbances, and a row for each N.
 */
void report_sweep(struct report *report, const struct series_sweep *sweep);

/* Checks that a table of a sweep has a column `sort`. Returns 0, or -1 with an error. */
int report_sweep_check_order(const char *sort, struct err *err);

/*
 * Returns "All 8 CPUs are busy from N = 16 on: MEANING.", which the caller frees. `others`: CPUs
 * that other programs use, 0: not mentioned. `meaning` NULL: none.
 */
char *sweep_full_text(size_t cpus, double n, double others, const char *meaning);

#endif
