/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records calls of functions and steps of tasks in threads of a command, beside the collector of
 * scheduler events: events that the probe library writes inside the processes (probe/spool.h)
 * become samples of the tracepoints pscal:enter, pscal:leave, pscal:mark and pscal:task
 * (block_tracepoints.h).
 */
#ifndef PSCAL_COLLECT_BLOCKS_BLOCK_TRACER_H
#define PSCAL_COLLECT_BLOCKS_BLOCK_TRACER_H

#include <stdint.h>

#include "collect/patch/probe_plan.h"

struct collector;
struct err;
struct recording_counts;

/* Opens the collector; `command` will be started. NULL with an error. */
struct collector *block_tracer_open(const struct probe_options *probe, const char *command,
				    struct err *err);

/* Sets the environment in the process that becomes the command. Returns 0. */
int block_tracer_prepare(const void *collector);

/* Totals of the recording, once it has stopped. */
struct block_tracer_result {
	uint64_t events, steps, lost; /* steps are those of tasks, and no events */
	uint64_t missing;	      /* of the lost ones: without room */
	uint64_t unread;	      /* ... not read before the recorder ended, at most */
	uint64_t threads;	      /* threads with events */
	uint64_t drift_ns;	      /* the largest error of times */
	double cost_ns;	     /* of an enter and its leave, before the start; 0: not measured */
	double task_cost_ns; /* of the begin and the end of a task, likewise */
	char *unwatched;     /* a sentence on unwatched functions, owned; NULL: none */
	char *trouble;	     /* ... on failures in the command, owned; NULL: none */
	char *gaps;	     /* ... on parts out of reach (watch_gaps.h), likewise */
	char *names;	     /* ... on functions without names, likewise */
	char *lines;	     /* ... on functions without lines (source_lines.h), likewise */
};

void block_tracer_result(struct block_tracer_result *result, struct collector *collector,
			 const struct recording_counts *counts);

#endif
