/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is to be known of the rows that text shows, below them. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_NOTES_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_NOTES_H

#include "report/rdam/rdam_view.h"
#include "report/report.h"

void report_rdam_notes(struct report *report, const struct rdam_view *view);

#endif
