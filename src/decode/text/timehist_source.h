/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from the text of `perf sched timehist -w -n --state`. A row tells that a thread leaves its
 * CPU, in which state, and the thread that gets the CPU; or that one wakes another. Each is given
 * out as it comes.
 *
 * Without -n it is not told when a run begins, without --state not why it ended: such a text is
 * refused. Without -w there are no wakes, as in a recording that has none (no_wakes).
 *
 * perf does not know threads that have ended any more, and gives all of them the process of the
 * first one (`:-1[-1/PID]`). Such a row is of the thread that got the CPU in the row before, or that
 * has woken others there since; else it is counted as malformed.
 */
#ifndef PSCAL_DECODE_TEXT_TIMEHIST_SOURCE_H
#define PSCAL_DECODE_TEXT_TIMEHIST_SOURCE_H

#include <stdbool.h>

#include "decode/event/event_source.h"

struct input;

/* Is it the layout of a text that begins with these bytes? They may end within a line. */
bool timehist_source_is(const char *bytes, size_t length);

/* Takes `input` over. */
struct event_source *timehist_source_new(struct input *input);

#endif
