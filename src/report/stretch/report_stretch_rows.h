/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What report_stretch.h reports, for programs. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_ROWS_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_ROWS_H

#include "report/report.h"
#include "report/stretch/stretch_view.h"

void report_stretch_json(struct report *report, const struct stretch_view *view);

/* A row for each block and column. */
void report_stretch_csv(struct report *report, const struct stretch_view *view);

#endif
