/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sweep: a command is run at several N, several times each, and what it achieves is written to a
 * file run by run.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_H
#define PSCAL_COLLECT_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/sweep/sweep_file.h"
#include "collect/sweep/sweep_plan.h"
#include "collect/sweep/sweep_run.h"

struct err;

/* What is asked for. Lists of words end in NULL, and {n} in them stands for the N of a run. */
struct sweep {
	const char *path; /* the file; "-" is standard output */
	enum sweep_rows rows;
	const char *const *command;
	const char *const *launcher; /* put before the command, and what is waited for; or NULL */
	const char *const *env;	     /* NAME=VALUE, or NULL */
	bool confine;		     /* to so many CPUs, see cpu_order.h */
	struct sweep_levels levels;
	size_t rounds;
	size_t warmups; /* runs at the largest N that do not count, before all others */
	unsigned long seed;
	struct sweep_rate rate;
	const char *rate_text; /* ... in words, for the file */
	uint64_t timeout_ns;   /* of a run; 0: none */
	const char *log;       /* a directory to keep what the runs print in, or NULL */
	bool keep_going;       /* after a run that failed */

	sweep_tell tell;
	/* How much is done of how much, in expected time; or NULL. */
	void (*show)(void *context, uint64_t done, uint64_t size);
	void *context; /* of both */
};

struct sweep_result {
	size_t planned;	 /* runs in the plan; of them */
	size_t kept;	 /* ... were in the file before, */
	size_t measured; /* ... have been added to it, */
	size_t failed;	 /* ... failed: with keep_going */
	double others;	 /* CPUs that something else kept busy meanwhile, on the average of */
	double others_s; /* ... so much of the time measured */
	uint64_t wall_ns;
	int stopped_by; /* the signal that ended it; 0: none */
};

/*
 * Does it. Returns 0, also when a signal ended it, or -1 with a sentence: what is asked for cannot
 * be, a run has failed, the file cannot be written. *result is true in any case.
 */
int sweep_perform(struct sweep_result *result, const struct sweep *sweep, struct err *err);

#endif
