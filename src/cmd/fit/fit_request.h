/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `pscal fit` was asked for: its options, read and checked.
 */
#ifndef PSCAL_CMD_FIT_FIT_REQUEST_H
#define PSCAL_CMD_FIT_FIT_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/options/options.h"
#include "cmd/options/plotting.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_robust.h"
#include "stats/series/series_columns.h"

struct err;
struct fit_texts;
struct usl_change;
struct usl_claim;
struct usl_question;

struct fit_request {
	struct options options;
	const char **argv;	      /* as popt reads it */
	struct fit_texts *texts;      /* options as they were written */
	struct series_request points; /* how they are read; borrows from the texts */
	/* What is fitted. */
	struct usl_form form;
	enum usl_loss loss;
	double level;  /* of the intervals: 0..1 */
	size_t refits; /* of a bootstrap; 0: profile-t */
	uint32_t seed; /* of it */
	/* What is asked of the curve. */
	double *at; /* N to predict throughput for, each > 0 */
	size_t at_count;
	int details; /* what each point does to the fit, in text too */
	struct plotting plotting;
	struct usl_question *questions; /* in the order of the options */
	size_t question_count;
	struct usl_change *changes;
	size_t change_count;
	struct usl_claim *claims;
	size_t claim_count;
	int suggest;	       /* where to measure next? */
	uint64_t suggest_most; /* the largest N to suggest; 0: three times the largest measured */
	int compare;	       /* what has changed from the first file to the second? */
};

/*
 * Returns -1 when there is something to do, or an exit status as options_parse does. The caller
 * releases in any case.
 */
int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err);
void fit_request_release(struct fit_request *request);

#endif
