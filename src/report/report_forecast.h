/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_REPORT_FORECAST_H
#define PSCAL_REPORT_REPORT_FORECAST_H

#include "fit/closed_form.h"
#include "report/report.h"

/* The closed form for each of `cores`, from levels measured on `measured_cores`. */
void report_forecast(struct report *report, const struct level_times *levels,
		     uint64_t measured_cores, const uint64_t *cores, size_t count);

#endif
