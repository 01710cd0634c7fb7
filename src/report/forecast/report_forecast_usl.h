/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_USL_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_USL_H

#include "replay/forecast/replayed_usl.h"
#include "report/report.h"

/* The law through replayed wall times, and how far it departs from them. Not in CSV. */
void report_forecast_usl(struct report *report, const struct replayed_usl *replayed);

#endif
