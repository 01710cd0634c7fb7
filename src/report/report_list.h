/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PSCAL_REPORT_REPORT_LIST_H
#define PSCAL_REPORT_REPORT_LIST_H

#include "collect/counters/counter_names.h"
#include "collect/counters/counter_probe.h"
#include "report/report.h"

/* Events that can be named, as they come. */
void report_list_begin(struct report *report);
void report_list_event(struct report *report, const struct counter_known *known,
		       enum counter_access access);
/* So many more match and are not shown. */
void report_list_end(struct report *report, size_t left_out);

#endif
