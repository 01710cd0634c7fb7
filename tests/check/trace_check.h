/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of every trace, for any input bytes (bytes_check.h): a checker for the changes of a
 * timeline.
 *
 *  - Times never go back, and no interval ends before it begins.
 *  - A change begins where the thread's last one ended, in the state that the last one announced,
 *    or in a less definite one: a state is never corrected to running.
 *  - A thread appears at the time of its first change, or exists from the beginning, and has no
 *    change after its end.
 *  - No CPU runs two threads at a time.
 *  - The times of all levels add up to the wall time, and equal a sum over the sorted beginnings
 *    and ends of all intervals.
 */
#ifndef PSCAL_TESTS_CHECK_TRACE_CHECK_H
#define PSCAL_TESTS_CHECK_TRACE_CHECK_H

#include "decode/timeline/timeline.h"
#include "stats/profile/levels.h"

#include <stdbool.h>

struct err;
struct trace_check;

struct trace_check *trace_check_new(void);
void trace_check_free(struct trace_check *check);

/* Call this if the timeline begins here, not at its first change. */
void trace_check_begin(struct trace_check *check, uint64_t begin_ns);

/* The next change. Returns -1 with the fault. */
int trace_check_change(struct trace_check *check, const struct change *change, struct err *err);

/* Call this after the last change, with the levels that were made of the same changes. */
int trace_check_levels(struct trace_check *check, const struct level_times *levels,
		       struct err *err);

#endif
