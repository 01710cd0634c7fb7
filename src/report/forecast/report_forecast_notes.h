/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be known before a forecast is believed, in sentences. */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_NOTES_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_NOTES_H

#include "report/report.h"

struct forecast_view;

/* What the model takes for granted. Not to be freed. */
const char *report_forecast_assumptions(const struct forecast_view *view);

/* That, and whether this recording shows that it is so. */
void report_forecast_notes(struct report *report, const struct forecast_view *view);

#endif
