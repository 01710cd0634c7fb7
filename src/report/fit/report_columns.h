/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which columns the points of a fit were read from, and how. In text only where one could think
 * of others.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_COLUMNS_H
#define PSCAL_REPORT_FIT_REPORT_COLUMNS_H

struct report;
struct series;

void report_columns(struct report *report, const struct series *series);

#endif
