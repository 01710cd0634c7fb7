/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is counted of a thread while its tasks run: events of perf, of which those of the CPU are
 * one group, so that they are counted at the same times. Where the CPU can be asked for one that is
 * done, else it takes a system call.
 */
#ifndef PSCAL_PROBE_THREAD_COUNTERS_H
#define PSCAL_PROBE_THREAD_COUNTERS_H

#include <stdint.h>

#include "probe/patch_plan.h"

struct perf_event_mmap_page;

#define THREAD_COUNT_UNKNOWN UINT64_MAX

/* Begins as zero. */
struct thread_counters {
	uint32_t count;		    /* 0: there are none */
	int fds[PLAN_COUNTERS_MAX]; /* plus one; 0: it is not needed */
	const struct perf_event_mmap_page *pages[PLAN_COUNTERS_MAX];
};

/*
 * Of who asks; system calls may be made. What a thread of the parent had in a child is forgotten.
 * Returns 0, or the errno of what could not be opened; there are none then.
 */
int thread_counters_open(struct thread_counters *counters, const struct perf_event_attr *attrs,
			 uint32_t count);
void thread_counters_close(struct thread_counters *counters);

/* As many values as there are counters; THREAD_COUNT_UNKNOWN: not known. */
void thread_counters_read(uint64_t *values, const struct thread_counters *counters);

#endif
