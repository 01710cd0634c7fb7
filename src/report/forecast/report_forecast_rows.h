/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_ROWS_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_ROWS_H

#include "report/report.h"

struct forecast_view;

/* A row for each number of cores, with the columns for which there is something. */
void report_forecast_rows(struct report *report, const struct forecast_view *view);

#endif
