/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What holds of what `pscal rdam` makes of every trace:
 *
 *  - All numbers are finite, none is negative, and min, median, p99 and total are in this order.
 *  - The causes sum to what is lost, and what is lost is no more than the thread's time, unless it
 *    is extrapolated.
 *  - What is left when what durations depend on is taken into account is no more than there was.
 *  - Text, CSV and JSON can be written of it, and the JSON can be read.
 */
#ifndef PSCAL_TESTS_CHECK_RDAM_CHECK_H
#define PSCAL_TESTS_CHECK_RDAM_CHECK_H

struct err;
struct event_source;

/*
 * Reads `source` to its end and makes of it what the command rdam does. Returns 1 when that could
 * be, 0 when nobody has entered anything, -1 with what is wrong.
 */
int rdam_check_trace(struct event_source *source, struct err *err);

#endif
