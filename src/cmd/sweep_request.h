/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pscal sweep` was asked for: its options, read and checked. */
#ifndef PSCAL_CMD_SWEEP_REQUEST_H
#define PSCAL_CMD_SWEEP_REQUEST_H

#include "cmd/options/options.h"
#include "collect/sweep/sweep.h"

struct err;

struct sweep_request {
	struct options options;
	struct sweep sweep; /* all but who is told */
	int fit;	    /* go on with `pscal fit` */
	/* What `sweep` borrows. */
	char *output, *log, *rate_text;
	char **env;
	const char **launcher;
};

/*
 * Returns -1 when there is something to do, or an exit status as options_parse does. The caller
 * releases in any case.
 */
int sweep_request_parse(struct sweep_request *request, int argc, const char **argv,
			struct err *err);
void sweep_request_release(struct sweep_request *request);

#endif
