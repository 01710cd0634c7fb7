/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that is known of one fit: what its report is made from, section by section.
 */
#ifndef PSCAL_REPORT_FIT_FIT_VIEW_H
#define PSCAL_REPORT_FIT_FIT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/usl/usl_intervals.h"

struct series;
struct usl;
struct usl_change;
struct usl_choice;
struct usl_diagnosis;
struct usl_finding;
struct usl_question;
struct usl_suggestion;
struct usl_robust;

struct fit_view {
	const struct series *series; /* what was fitted */
	const struct usl *usl;
	const struct usl_intervals *intervals; /* of it */
	const struct usl_choice *choice;
	const struct usl_robust *robust;       /* NULL: least squares */
	const struct usl_diagnosis *diagnosis; /* of usl */
	double level;			       /* what it was made for: 0..1 */
	const double *at;		       /* N to predict throughput for, each > 0 */
	size_t at_count;
	const struct usl_question *questions; /* the N of what is asked for */
	size_t question_count;
	const struct usl_change *changes; /* that can be applied to the fit */
	size_t change_count;
	const struct usl_finding *findings; /* on what is claimed of it */
	size_t finding_count;
	bool details; /* in text too: what each point does to the fit */
	/* Of the next N to measure; NULL where nobody asks. */
	const struct usl_suggestion *suggestion;
};

#endif
