/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a scaling series says of the limit of throughput, in a sentence that tells how sure it is.
 */
#ifndef PSCAL_REPORT_FIT_REPORT_VERDICT_H
#define PSCAL_REPORT_FIT_REPORT_VERDICT_H

struct fit_view;

/*
 * Of the full law, whichever one was fitted; with the interval of N_c from the bootstrap, where
 * there is one of that law. Where the diagnosis makes a law doubtful the sentence
 * says that too. The caller frees.
 */
char *report_verdict(const struct fit_view *view);

#endif
