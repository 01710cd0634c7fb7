/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the cost of varying durations comes to, in a few sentences. */
#ifndef PSCAL_REPORT_RDAM_REPORT_RDAM_VERDICT_H
#define PSCAL_REPORT_RDAM_REPORT_RDAM_VERDICT_H

#include "report/rdam/rdam_view.h"

/* To be freed. */
char *rdam_verdict(const struct rdam_view *view);

#endif
