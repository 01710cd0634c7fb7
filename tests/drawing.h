/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timelines drawn as strings, one character for each microsecond, one row for each thread:
 *
 *	R  runs, on the CPU of its row        .  sleeps        a  active (in results)
 *	w  runnable                           D  disk          i  inactive (in results)
 *	h  runs, its switch-in not recorded   T  stopped       ?  unknown (in results)
 *	H  the same, nor the wake before      (blank) does not exist
 *
 * Rows are numbered from 0; the thread of row i has tid 100 + i and CPU i. A thread that does not
 * begin in column 0 is forked by tid 100, and that one by a stranger; one that does was there
 * before. The trace begins at DRAWING_BEGIN_NS with an event of a stranger.
 */
#ifndef PSCAL_TESTS_DRAWING_H
#define PSCAL_TESTS_DRAWING_H

#include "decode/event_source.h"
#include "decode/timeline.h"

enum { DRAWING_BEGIN_NS = 1000000, DRAWING_STEP_NS = 1000, DRAWING_TID = 100 };

/* A source of the events in an array, which is copied; a pid that is left out is not known,
 * nor is where a wake or a fork was raised if its cpu is left out. */
struct event_source *array_source(const struct event *events, size_t count);

/* A source of the events that the rows show. `rows` ends with a NULL. */
struct event_source *drawing_source(const char *const *rows);

/* Reads a timeline to its end and draws it; the result holds `count` rows, to be freed. */
char *drawing_of(struct timeline *timeline, size_t count);

/* Rows of a drawing joined as drawing_of gives them; to be freed. */
char *drawing_join(const char *const *rows);

#endif
