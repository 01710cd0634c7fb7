/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What holds of every forecast by replay, whatever trace it is of:
 *
 *  - No wall time is below its bounds, on any number of cores, where all threads come to their end.
 *  - It lies within its interval.
 *  - What is saved where nobody waits at a site is of a wall time that there is.
 */
#ifndef PSCAL_TESTS_CHECK_FORECAST_CHECK_H
#define PSCAL_TESTS_CHECK_FORECAST_CHECK_H

struct err;
struct event_source;

/*
 * Reads `source` to its end and makes of it what the command forecast does. Returns 1 when that
 * could be, 0 when there is nothing to replay, -1 with what is wrong.
 */
int forecast_check_trace(struct event_source *source, struct err *err);

#endif
