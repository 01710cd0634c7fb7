/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_CALIBRATION_H
#define PSCAL_REPORT_FORECAST_REPORT_CALIBRATION_H

#include "collect/calibration/calibration.h"
#include "report/report.h"

/* How much slower cores are while others are busy, and where that is kept now. */
void report_calibration(struct report *report, const struct calibration *calibration,
			const char *path);

#endif
