/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parameters of a fit mean at the largest N measured: which share of the capacity does
 * useful work, which is lost to contention and to coherency, and where to look for the cause.
 *
 *	D(N) = 1 + alpha (N - 1) + beta N (N - 1);  the shares are those of its three terms
 */
#ifndef PSCAL_REPORT_FIT_REPORT_MEANING_H
#define PSCAL_REPORT_FIT_REPORT_MEANING_H

struct fit_view;
struct report;

void report_meaning(struct report *report, const struct fit_view *view);

#endif
