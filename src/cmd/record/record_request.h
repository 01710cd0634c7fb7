/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The request to `pscal record`: its options, read and checked. `pscal run` takes them, too. */
#ifndef PSCAL_CMD_RECORD_RECORD_REQUEST_H
#define PSCAL_CMD_RECORD_RECORD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/options/options.h"
#include "cmd/record/hot_functions.h"
#include "collect/recorder.h"

struct err;

/* The settings behind commas in the arguments of --probe, --uprobe and --tasks. */
struct record_settings {
	uint64_t arguments, every, stacks; /* of functions */
	uint64_t faults, exceptions;	   /* enum record_faults; a flag */
	uint64_t marked, omp;		   /* flags of tasks */
	char *from, *counters;		   /* borrowed; NULL: none */
};

struct record_request {
	struct options common;
	struct recorder_request recorder;
	struct record_settings settings;
	struct id_list pids, tids;
	const char **probes, **uprobes; /* end in NULL; NULL: none */
	size_t probe_count, uprobe_count, probe_capacity, uprobe_capacity;
	const char *cgroup, *level;
	double duration_s;
	bool alone; /* without the threads and processes that they create */
	bool compress, clean, force, chains;
	bool results; /* go to standard output: there is no room for what the command prints */
	struct hot_functions hot;
};

/* For a table of options, whose struct has a struct record_request at `at`. */
extern const struct option record_options[];

void record_request_init(struct record_request *request, const char **argv);

/* Once the options are read: checks them and fills in request->recorder. -1: wrong usage. */
int record_request_complete(struct record_request *request, struct err *err);
void record_request_release(struct record_request *request);

#endif
