/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_REPORT_FORECAST_H
#define PSCAL_REPORT_REPORT_FORECAST_H

#include "fit/closed_form.h"
#include "report/report.h"

struct wall_times;

/* All that is known of one forecast: what its report and its picture are made from. */
struct forecast_view {
	const struct level_times *levels; /* measured on */
	uint64_t measured_cores;
	const uint64_t *cores; /* to forecast for */
	size_t count;
	const struct wall_times *measured; /* to hold against it, or NULL */
};

void report_forecast(struct report *report, const struct forecast_view *view);

#endif
