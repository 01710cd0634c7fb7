/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records the calls in which threads wait for each other, beside whatever watches the scheduler.
 * The file has them as perf would have: samples of syscalls:sys_enter_futex and the like, and of
 * probes on the C library under names of the group "pscal".
 */
#ifndef PSCAL_COLLECT_CALLS_SYNC_TRACER_H
#define PSCAL_COLLECT_CALLS_SYNC_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct collector;
struct collector_options;
struct err;

enum sync_choice {
	SYNC_RECORD_NONE,
	SYNC_RECORD_FUTEX, /* system calls: what waits, and what wakes somebody */
	SYNC_RECORD_ALL,   /* ... and calls of the C library that never reach the kernel */
};

/* "futex" or "all". Returns 0, or -1 with a sentence. */
int sync_choice_parse(enum sync_choice *choice, const char *name, struct err *err);

struct sync_options {
	enum sync_choice choice;
	bool stacks;	     /* the user's call chain of who calls */
	const char *command; /* what will be started; NULL: nothing */
	const pid_t *pids;   /* what runs already */
	size_t pid_count;
};

/* NULL with a sentence. */
struct collector *sync_tracer_open(const struct collector_options *options,
				   const struct sync_options *sync, struct err *err);

/* So many calls have been recorded by a collector that sync_tracer_open() has made. */
uint64_t sync_tracer_calls(const struct collector *collector);

/*
 * Of how many processes of the target other threads than the first have called the kernel to wait
 * or to wake, and not the C library in any way that was seen: the program is linked statically and
 * has no symbols, or brings locks of its own. 0 where calls of the library were not asked for.
 */
uint64_t sync_tracer_unseen(const struct collector *collector);

#endif
