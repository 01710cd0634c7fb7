/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_WHY_H
#define PSCAL_REPORT_FORECAST_REPORT_WHY_H

#include "replay/forecast/why.h"
#include "report/report.h"

struct forecast_view;

/* What is changed in a what-if: to be said before what comes of it. */
void report_what_if(struct report *report, const struct forecast_view *view);

/* What view->why tells would be saved where nobody waits; in CSV the only table. */
void report_why(struct report *report, const struct forecast_view *view);

#endif
