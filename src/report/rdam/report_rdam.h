/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_H

#include "report/rdam/rdam_view.h"
#include "report/report.h"

/*
 * All of it: in text what costs most in words, a table and what is to be known about it; in CSV and
 * JSON the rows. The JSON is an array: report_set_array comes first.
 */
void report_rdam(struct report *report, const struct rdam_view *view);

#endif
