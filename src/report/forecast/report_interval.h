/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the intervals of a replay are made from, and what they lack. */
#ifndef PSCAL_REPORT_FORECAST_REPORT_INTERVAL_H
#define PSCAL_REPORT_FORECAST_REPORT_INTERVAL_H

struct replayed;
struct report;

/* As facts in JSON, and notes in text. */
void report_interval(struct report *report, const struct replayed *replayed);

#endif
