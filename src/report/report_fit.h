/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fitted Universal Scalability Law as rows: its facts, intervals, the models side by side, the
 * points beside the curve, predictions, and warnings. In JSON each fit is one element of an array;
 * in CSV it is one row, of the facts.
 */
#ifndef PSCAL_REPORT_REPORT_FIT_H
#define PSCAL_REPORT_REPORT_FIT_H

#include <stddef.h>

struct report;
struct series;
struct usl;
struct usl_choice;
struct usl_region;

struct fit_view {
	const struct series *series; /* what was fitted */
	const struct usl *usl;
	struct usl_region *region; /* of the intervals */
	const struct usl_choice *choice;
	double level;	  /* what it was made for: 0..1 */
	const double *at; /* N to predict throughput for, each > 0 */
	size_t at_count;
};

void report_fit(struct report *report, const struct fit_view *view);

#endif
