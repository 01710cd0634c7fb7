/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the report of a fit, for the files of this folder: report_fit.c has the parameters
 * and the order of the parts, report_points.c the points and the checks, report_answers.c the
 * answers to questions, and fit_notes.c the verdict, alerts and details.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_FIT_PRIVATE_H
#define PSCAL_REPORT_FIT_REPORT_FIT_PRIVATE_H

#include "report/report_text.h"

#include <stddef.h>

struct fit_result;
struct report;
struct series;

/* --- report_points.c --- */

/* Adds the windows of a log; in JSON an empty array if the series is no log. */
void report_steady(struct report *report, const struct series *series);

enum steady_flag { STEADY_UNSETTLED, STEADY_SHORT, STEADY_TREND, STEADY_END, STEADY_FLAGS };

/*
 * Returns a sentence about the windows with a flag, which the caller frees; NULL: no window has it.
 */
char *report_steady_warning(const struct series *series, enum steady_flag flag);

/* Adds the points: measured, fitted, and with -v the effect of each on the fit. */
void report_points(struct report *report, const struct fit_result *result);

/* Adds the checks of the curve against the points. */
void report_diagnosis(struct report *report, const struct fit_result *result);

/* --- report_answers.c --- */

/* Add the answers to questions: not in text if none was asked, and empty in JSON. */
void report_predictions(struct report *report, const struct fit_result *result);
void report_answers(struct report *report, const struct fit_result *result);
void report_changes(struct report *report, const struct fit_result *result);

/* --- fit_notes.c --- */

/* The number of CPUs busy with something else that is more than the housekeeping of a machine. */
#define FIT_DISTURBED .1

/* Return flags, the same words in every format, for programs, and their number. */
enum { FIT_FLAGS = 16, POINT_FLAGS = 4 }; /* largest number of words */
size_t fit_flags(const char *words[FIT_FLAGS], const struct fit_result *result);
size_t fit_point_flags(const char *words[POINT_FLAGS], const struct fit_result *result,
		       size_t point);

/*
 * Returns the limit of throughput by a scaling series, a sentence with its certainty, which the
 * caller frees. It is about the full law, whichever one was fitted, with the interval of N_c from
 * the bootstrap of the full law, if any.
 */
char *fit_verdict(const struct fit_result *result);

/*
 * Returns the range of N_c as points are left out: "from 36 to no peak, farthest without N = 7".
 * The range must be known. The caller frees it.
 */
char *fit_drift_text(const struct fit_result *result);

/*
 * Adds the reasons to trust the points, the curve or the answers less, of one kind: alerts or
 * details.
 */
void fit_say_notes(struct report *report, enum sentence kind, const struct fit_result *result);

#endif
