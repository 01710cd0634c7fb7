/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What holds of every trace, whatever bytes it was read from (bytes_check.h): a checker for the
 * changes of a timeline.
 *
 *  - Times never go back, and no interval ends before it begins.
 *  - A change goes on where the thread's last one ended, in the state that was told then, or in one
 *    that is less definite: nobody turns out to have run who was not seen to.
 *  - A thread appears at the time of its first change, or has been there from the beginning, and
 *    after its end there is nothing more of it.
 *  - No CPU runs two threads at a time.
 *  - The times of all levels add up to the wall time, and are those that one gets by sorting the
 *    beginnings and ends of all intervals.
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

/* The timeline begins here, not at its first change. */
void trace_check_begin(struct trace_check *check, uint64_t begin_ns);

/* The next change. Returns -1 with what is wrong. */
int trace_check_change(struct trace_check *check, const struct change *change, struct err *err);

/* After the last change: the levels that were made of the same changes. */
int trace_check_levels(struct trace_check *check, const struct level_times *levels,
		       struct err *err);

#endif
