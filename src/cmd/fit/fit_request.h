/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The request to `pscal fit`: its options, read and checked.
 */
#ifndef PSCAL_CMD_FIT_FIT_REQUEST_H
#define PSCAL_CMD_FIT_FIT_REQUEST_H

#include "cmd/options/options.h"
#include "cmd/options/plotting.h"
#include "fit/fit_result.h"
#include "stats/series/series.h"

struct err;
struct fit_texts;

struct fit_request {
	struct options options;
	const char **argv;	      /* as popt reads it */
	struct fit_texts *texts;      /* options as they were written */
	struct series_request points; /* how they are read; borrows from the texts */
	struct fit_wish wish;	      /* without the progress of its bootstrap */
	int details;		      /* what each point does to the fit, in text too */
	struct plotting plotting;
	int compare; /* what has changed from the first file to the second? */
};

/*
 * Returns -1 when there is something to do, or an exit status as options_parse does. The caller
 * releases in any case.
 */
int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err);
void fit_request_release(struct fit_request *request);

#endif
