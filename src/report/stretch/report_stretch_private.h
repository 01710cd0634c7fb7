/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of report_stretch.h that programs read: the rows of JSON and CSV. */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_PRIVATE_H

#include "report/report.h"
#include "report/stretch/stretch_view.h"

void report_stretch_json(struct report *report, const struct stretch_view *view);

/* A row for each block and column. */
void report_stretch_csv(struct report *report, const struct stretch_view *view);

#endif
