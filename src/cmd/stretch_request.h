/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pscal stretch` was asked for: its options, read and checked. */
#ifndef PSCAL_CMD_STRETCH_REQUEST_H
#define PSCAL_CMD_STRETCH_REQUEST_H

#include <stddef.h>

#include "stats/stretch/stretch_run.h"

struct err;
struct options;

struct stretch_request {
	struct stretch_options options;
	double min_share;
	size_t limit;	  /* of rows; SIZE_MAX: all */
	size_t intervals; /* 0: not over time */
	const char *
		*paths; /* of recordings, those of the base first; borrowed from what was typed */
	size_t path_count, base_count;
	/* As typed. */
	char *by, *min_share_text, *limit_text, *cores, *intervals_text, *root, *level, *comm,
		*during, *show;
	char **bases; /* NULL-terminated, or NULL */
};

/* Understands what was typed into a request; -1 with a sentence is wrong usage. */
int stretch_request_read(struct stretch_request *request, const struct options *common,
			 struct err *err);
void stretch_request_release(struct stretch_request *request);

#endif
