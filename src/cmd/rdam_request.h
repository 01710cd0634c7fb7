/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `pscal rdam` was asked for: its options, read and checked. */
#ifndef PSCAL_CMD_RDAM_REQUEST_H
#define PSCAL_CMD_RDAM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options/plotting.h"
#include "cmd/options/trace.h"
#include "report/rdam/rdam_view.h"
#include "stats/rdam/rdam.h"

struct err;

struct rdam_request {
	struct trace_options trace;
	struct rdam_options options; /* borrows from what was typed */
	enum rdam_order order;
	double threshold;
	size_t limit; /* of rows; SIZE_MAX: all */
	double gate;
	bool has_gate;
	struct plotting plotting;
	int all;
	/* As typed. */
	char *min, *threshold_text, *least, *sort, *limit_text, *block, *gate_text;
	char **keys; /* NULL-terminated, or NULL */
	struct rdam_key *key_list;
};

/* Understands what was typed into a request; -1 with a sentence is wrong usage. */
int rdam_request_read(struct rdam_request *request, struct err *err);
void rdam_request_release(struct rdam_request *request);

#endif
