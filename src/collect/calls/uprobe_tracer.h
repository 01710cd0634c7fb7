/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records when functions are entered and left, by probes in the kernel, also of what runs already.
 * The file has an event of the systems "pscal_enter" and "pscal_leave" for each function.
 */
#ifndef PSCAL_COLLECT_CALLS_UPROBE_TRACER_H
#define PSCAL_COLLECT_CALLS_UPROBE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct collector;
struct collector_options;
struct err;

/* All borrowed. */
struct uprobe_options {
	const char *const *functions; /* BINARY:FUNCTION, end in NULL; NULL: none */
	unsigned arguments;	      /* of each, at most UPROBES_ARGUMENTS */
	bool stacks;		      /* the user's call chain of who enters */
	bool risk_exceptions;	      /* also functions through which exceptions may pass */
};

/* Whose functions they are. */
struct uprobe_target {
	const char *command; /* what will be started; NULL: nothing */
	const pid_t *pids;   /* what runs; thread ids will do */
	size_t pid_count;
};

/* Has it the form BINARY:FUNCTION? Returns 0, or -1 with a sentence. */
int uprobe_functions_check(const char *spec, struct err *err);

/* NULL with a sentence. */
struct collector *uprobe_tracer_open(const struct collector_options *options,
				     const struct uprobe_options *uprobes,
				     const struct uprobe_target *target, struct err *err);

struct uprobe_result {
	uint64_t functions, enters, leaves; /* what was recorded */
	uint64_t strangers;		    /* hits of processes beside the target, left out */
	uint64_t missed;		    /* that the kernel counted and did not write */
	double call_ns;			    /* CPU time that a call took more; 0: not known */
};
void uprobe_tracer_result(struct uprobe_result *result, const struct collector *collector);

#endif
