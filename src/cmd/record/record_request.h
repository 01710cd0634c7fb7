/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `pscal record`, read and checked. They are options of `pscal run`, too. */
#ifndef PSCAL_CMD_RECORD_RECORD_REQUEST_H
#define PSCAL_CMD_RECORD_RECORD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/options/options.h"
#include "cmd/record/hot_functions.h"
#include "collect/recorder.h"

struct err;

/* The settings after commas in the arguments of --probe, --uprobe and --tasks. */
struct record_settings {
	uint64_t arguments, every, stacks; /* of functions */
	uint64_t faults, exceptions;	   /* an enum record_faults, and a flag */
	uint64_t marked, omp;		   /* flags of tasks */
	char *from, *counters;		   /* borrowed; NULL: none */
};

struct record_request {
	struct options common;
	struct recorder_request recorder;
	struct record_settings settings;
	struct id_list pids, tids;
	const char **probes, **uprobes; /* ending in NULL; NULL: none */
	size_t probe_count, uprobe_count, probe_capacity, uprobe_capacity;
	const char *cgroup, *level;
	double duration_s;
	bool alone; /* without the threads and processes that the target creates */
	bool compress, clean, force, chains;
	bool results; /* standard output is for results; the command gets standard error */
	struct hot_functions hot;
};

/* Options for a table with OPTION_TABLE; `at` is the offset of the struct record_request. */
extern const struct option record_options[];

void record_request_init(struct record_request *request, const char **argv);

/*
 * Checks the options, once they are read, and fills in request->recorder. Returns 0, or -1 with an
 * error: wrong usage.
 */
int record_request_complete(struct record_request *request, struct err *err);
void record_request_release(struct record_request *request);

#endif
