/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the report of a forecast that have files of their own. */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_PRIVATE_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_PRIVATE_H

struct forecast;
struct report;

/* The assumptions of the model, in a sentence. Not to be freed. */
const char *report_forecast_assumptions(const struct forecast *forecast);

/* The notes on a forecast: its assumptions, and whether they hold for this recording. */
void report_forecast_notes(struct report *report, const struct forecast *forecast);

/* The changes that a what-if makes, for the beginning of the report. */
void report_what_if(struct report *report, const struct forecast *forecast);

/* The savings at each place where threads wait, if they are known; in CSV the only table then. */
void report_why(struct report *report, const struct forecast *forecast);

#endif
