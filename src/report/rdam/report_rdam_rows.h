/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of a view for programs: CSV and JSON. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_ROWS_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_ROWS_H

#include "report/rdam/rdam_view.h"
#include "report/report.h"

void report_rdam_csv(struct report *report, const struct rdam_view *view);
void report_rdam_json(struct report *report, const struct rdam_view *view);

#endif
