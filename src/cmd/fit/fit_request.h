/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `pscal fit`, read and checked. */
#ifndef PSCAL_CMD_FIT_FIT_REQUEST_H
#define PSCAL_CMD_FIT_FIT_REQUEST_H

#include "cmd/options/assertion.h"
#include "cmd/options/options.h"
#include "fit/fit_result.h"
#include "stats/series/series.h"

struct err;

struct fit_request {
	struct options options;
	struct series_request points; /* the reading of points; borrows from the command line */
	struct fit_wish wish;	      /* without the progress of the bootstrap */
	struct plotting plotting;
	struct assertions assertions; /* of enum usl_quantity */
	bool compare;		      /* show the changes from the first file to the second */
};

/*
 * Returns -1 if the command shall go on, or an exit status as options_read does. The caller
 * releases in either case.
 */
int fit_request_parse(struct fit_request *request, int argc, const char **argv, struct err *err);

/* Checks the request against the number of series read. Returns 0, or -1 with an error. */
int fit_request_check_series(const struct fit_request *request, size_t count, struct err *err);
void fit_request_release(struct fit_request *request);

#endif
