/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of CPU time and blocked time by function. */
#ifndef PSCAL_REPORT_PROFILE_REPORT_FUNCTIONS_H
#define PSCAL_REPORT_PROFILE_REPORT_FUNCTIONS_H

struct function_times;
struct report;

/* `again` are the arguments that name this recording; NULL: it cannot be read again. */
void report_functions(struct report *report, const struct function_times *times, const char *again);

#endif
