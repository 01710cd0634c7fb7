/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where to measure next, and what that would tell: a sentence for people, an object in JSON.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_SUGGESTION_H
#define PSCAL_REPORT_FIT_REPORT_SUGGESTION_H

struct report;
struct usl_suggestion;

void report_suggestion(struct report *report, const struct usl_suggestion *suggestion);

#endif
