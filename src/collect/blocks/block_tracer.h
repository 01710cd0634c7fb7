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

/*
 * `command` is what will be started. NULL with a sentence.
 */
struct collector *block_tracer_open(const struct probe_options *probe, const char *command,
				    struct err *err);

/* In the process that becomes the command: what it needs in its environment. Returns 0. */
int block_tracer_prepare(const void *collector);

/* Totals of the recording, once it has stopped. */
struct block_tracer_result {
	uint64_t events, steps, lost; /* steps are those of tasks, and are no events */
	uint64_t missing;	      /* of those that were lost: there was no room for them */
	uint64_t unread;     /* ... of those, at most: the recorder ended before it read them */
	uint64_t threads;    /* that have written something */
	uint64_t drift_ns;   /* no time is further off */
	double cost_ns;	     /* of an enter and its leave, before the start; 0: not measured */
	double task_cost_ns; /* of the begin and the end of a task, the same */
	char *unwatched;     /* a sentence on what was left alone, to be freed; NULL: nothing */
	char *trouble;	     /* ... on what failed in the command, to be freed; NULL: nothing */
	char *gaps;	     /* ... on what was out of reach (watch_gaps.h), the same */
	char *names;	     /* ... on functions whose names are not known, the same */
	char *lines;	     /* ... on whose lines are not known (source_lines.h), the same */
};

void block_tracer_result(struct block_tracer_result *result, struct collector *collector,
			 const struct recording_counts *counts);

#endif
