/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_FORECAST_REPORT_VALIDITY_H
#define PSCAL_REPORT_FORECAST_REPORT_VALIDITY_H

#include <stdbool.h>

#include "replay/forecast/validity.h"
#include "report/report.h"

/*
 * What a replay takes for granted: in JSON all of it, in text what the replay makes of the
 * recording itself and what does not hold or is not known. `taken` tells whether the forecast is
 * that replay's.
 */
void report_validity(struct report *report, const struct validity *validity, bool taken);

#endif
