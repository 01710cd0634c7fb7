/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_SWEEP_REPORT_SWEEP_H
#define PSCAL_REPORT_SWEEP_REPORT_SWEEP_H

struct report;
struct series_sweep;

/* The result of a sweep: at which N throughput is highest, what disturbed it, and a row for each N. */
void report_sweep(struct report *report, const struct series_sweep *sweep);

#endif
