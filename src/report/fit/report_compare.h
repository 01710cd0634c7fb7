/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has changed between two series: each quantity as a row, and a sentence.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_COMPARE_H
#define PSCAL_REPORT_FIT_REPORT_COMPARE_H

struct report;
struct usl_comparison;
struct usl_sample;

void report_compare(struct report *report, const struct usl_comparison *comparison,
		    const struct usl_sample *a, const struct usl_sample *b, double level);

/* What the tests find at the level, 0..1. The caller frees. */
char *report_compare_verdict(const struct usl_comparison *comparison, double level);

#endif
