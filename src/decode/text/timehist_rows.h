/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rows of `perf sched timehist` mean, as events.
 *
 * A row is about the past: who leaves a CPU now has run for so long, waited for it since, and slept
 * before. What that means for the moment when a thread has left is in its next row, which may come
 * any time later. So all events are kept until the last row is known: about 100 bytes for each, up
 * to three times as much as the text. With -w -n --state rows tell it all by themselves, and events
 * are given out as they come.
 *
 * What a row tells:
 *  - With -n, who gets the CPU. Without, the run began when the row says so, unless that may be
 *    perf's invention: it takes a run to begin at the last switch that it saw on the CPU, and where
 *    a kernel hides switches out of the idle task from it, that is any earlier one. A CPU with rows
 *    of the idle task does not hide them; on others a run is believed of a thread that has waited
 *    for the CPU, woken or preempted. Where the beginning is not known, the timeline counts that
 *    (missed_switch_ins).
 *  - With -w, wakes. Without, one so long before the run as the delay says.
 *  - With --state, the state after it. Without, a thread is inactive; but runnable where its next
 *    row says that it has waited for a CPU ever since, and unknown where that row does not tell how
 *    long it has.
 *
 * perf does not know threads that have ended any more, and gives all of them the process of the
 * first one (`:-1[-1/PID]`). It is who got the CPU by -n, or who woke others there by -w; else its
 * row is counted as malformed, and what the threads of that process do after the last that is known
 * of them is unknown. So is without -w how long one has slept before it ran for the last time.
 *
 * Times are cut to microseconds; a run begins when the row before it on the CPU ends.
 */
#ifndef PSCAL_DECODE_TEXT_TIMEHIST_ROWS_H
#define PSCAL_DECODE_TEXT_TIMEHIST_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct quality;
struct timehist_row;
struct timehist_rows;

/* `quality` is borrowed. */
struct timehist_rows *timehist_rows_new(struct quality *quality);
void timehist_rows_free(struct timehist_rows *rows);

/* One more row, in line `place` of the text. TIMEHIST_RAN, _WOKE and _LOST. */
void timehist_rows_ran(struct timehist_rows *rows, const struct timehist_row *row, uint64_t place);
void timehist_rows_woke(struct timehist_rows *rows, const struct timehist_row *row, uint64_t place);
void timehist_rows_lost(struct timehist_rows *rows, const struct timehist_row *row, uint64_t place);

/* There are no more. Returns false when they tell of no thread for how long it ran. */
bool timehist_rows_finish(struct timehist_rows *rows);

/* The next event in the order of time, if it is known that there is none before it. */
bool timehist_rows_pop(struct timehist_rows *rows, struct event *event);

#endif
