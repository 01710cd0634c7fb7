/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_SWEEP_REPORT_SWEEP_H
#define PSCAL_REPORT_SWEEP_REPORT_SWEEP_H

#include <stddef.h>

struct err;
struct report;
struct series_sweep;

/* The result of a sweep: the N of the highest throughput, disturbances, and a row for each N. */
void report_sweep(struct report *report, const struct series_sweep *sweep);

/* Has it a column to sort by of that name? Returns 0, or -1 with a sentence. */
int report_sweep_check_order(const char *sort, struct err *err);

/*
 * "All 8 CPUs are busy from N = 16 on: MEANING." others: CPUs that other programs use; 0: not told.
 * meaning: NULL: none. The caller frees.
 */
char *sweep_full_text(size_t cpus, double n, double others, const char *meaning);

#endif
