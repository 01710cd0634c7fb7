/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_H

#include "report/report.h"
#include "report/stretch/stretch_view.h"

/* Which work takes longer in parallel, and where the rest of the time went. */
void report_stretch(struct report *report, const struct stretch_view *view);

#endif
