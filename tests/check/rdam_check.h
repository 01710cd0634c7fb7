/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants of the results of `pscal rdam` for every trace:
 *
 *  - All numbers are finite, none is negative, and min, median, p99 and total are in this order.
 *  - The causes sum to the lost time, which is no more than the thread's time, unless it is
 *    extrapolated.
 *  - The variation that remains after durations are explained by other quantities is no more than
 *    before.
 *  - Text, CSV and JSON can be written of it, and the JSON can be read.
 */
#ifndef PSCAL_TESTS_CHECK_RDAM_CHECK_H
#define PSCAL_TESTS_CHECK_RDAM_CHECK_H

struct err;
struct event_source;

/*
 * Reads `source` to its end and makes the results of the command rdam. Returns 1 if that was
 * possible, 0 if no thread has entered a block, -1 with the fault.
 */
int rdam_check_trace(struct event_source *source, struct err *err);

#endif
