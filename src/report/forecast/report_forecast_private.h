/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report on a forecast that have files of their own. */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_PRIVATE_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_PRIVATE_H

struct forecast_view;
struct report;

/* The assumptions of the model, in a sentence. Not to be freed. */
const char *report_forecast_assumptions(const struct forecast_view *view);

/* The notes on a forecast: its assumptions, and whether they hold for this recording. */
void report_forecast_notes(struct report *report, const struct forecast_view *view);

/* The changes that a what-if makes, for the beginning of the report. */
void report_what_if(struct report *report, const struct forecast_view *view);

/* The savings of view->why, at each place where threads wait; in CSV the only table. */
void report_why(struct report *report, const struct forecast_view *view);

#endif
