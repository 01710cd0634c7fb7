/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_STRETCH_REPORT_STRETCH_VERDICT_H
#define PSCAL_REPORT_STRETCH_REPORT_STRETCH_VERDICT_H

#include "report/stretch/stretch_view.h"

/* Where the time of the cores went and which block is stretched most, in a few sentences; to be
 * freed. */
char *stretch_verdict(const struct stretch_view *view);

#endif
