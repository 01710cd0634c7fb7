/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_H

#include "report/forecast/forecast_view.h"
#include "report/report.h"

void report_forecast(struct report *report, const struct forecast_view *view);

#endif
