/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of every forecast by replay, of any trace:
 *
 *  - No wall time is below its bounds, on any number of cores, if all threads end.
 *  - A wall time lies within its interval.
 *  - The time saved without the waits of a site is part of the wall time.
 */
#ifndef PSCAL_TESTS_CHECK_FORECAST_CHECK_H
#define PSCAL_TESTS_CHECK_FORECAST_CHECK_H

struct err;
struct event_source;

/*
 * Reads `source` to its end and makes the results of the command forecast. Returns 1 if that was
 * possible, 0 if there is nothing to replay, -1 with the fault.
 */
int forecast_check_trace(struct event_source *source, struct err *err);

#endif
