/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events from the text of `perf sched timehist`, which tells most with -w -n --state. Without them
 * it is read to its end before the first event is given out; timehist_source.c says why, and what is
 * unknown.
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
