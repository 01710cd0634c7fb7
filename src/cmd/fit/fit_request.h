/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The request to `pscal fit`: its options, read and checked.
 */
#ifndef PSCAL_CMD_FIT_FIT_REQUEST_H
#define PSCAL_CMD_FIT_FIT_REQUEST_H

#include "cmd/options/assertion.h"
#include "cmd/options/options.h"
#include "fit/fit_result.h"
#include "stats/series/series.h"

struct err;

struct fit_request {
	struct options options;
	struct series_request points; /* how they are read; borrows from what was typed */
	struct fit_wish wish;	      /* without the progress of its bootstrap */
	struct plotting plotting;
	struct assertions assertions; /* of enum usl_quantity */
	bool compare;		      /* what has changed from the first file to the second? */
};

/*
 * Returns -1 when there is something to do, or an exit status as options_read does. The caller
 * releases in any case.
 */
int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err);

/* Once the files are read: does the request suit so many series? 0, or -1 with a sentence. */
int fit_request_check_series(const struct fit_request *request, size_t count, struct err *err);
void fit_request_release(struct fit_request *request);

#endif
