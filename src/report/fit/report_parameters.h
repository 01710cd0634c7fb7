/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parameters of a fit, what follows from them, and how sure they are: as facts for people and
 * JSON, as a row for CSV.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_PARAMETERS_H
#define PSCAL_REPORT_FIT_REPORT_PARAMETERS_H

#include "report/report.h"

struct fit_view;

/* A row of CSV, or the facts of text and JSON. */
void report_parameters(struct report *report, const struct fit_view *view);

/* Text and JSON: the intervals and their level. */
void report_intervals(struct report *report, const struct fit_view *view);

/* Text and JSON: which bounds are active, and how much they hold. */
void report_bounds(struct report *report, const struct fit_view *view);

#endif
