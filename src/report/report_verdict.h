/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a scaling series says of the limit of throughput, in a sentence that tells how sure it is.
 */
#ifndef PSCAL_REPORT_REPORT_VERDICT_H
#define PSCAL_REPORT_REPORT_VERDICT_H

struct series;
struct usl_bootstrap;
struct usl_choice;

/*
 * At the confidence `level`, 0..1, with the interval of N_c from the bootstrap of the full law, or
 * by profile-t where that is NULL. The caller frees.
 */
char *report_verdict(const struct series *series, const struct usl_choice *choice, double level,
		     struct usl_bootstrap *bootstrap);

#endif
