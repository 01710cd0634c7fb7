/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Timelines drawn as strings, one character for each microsecond, one row for each thread:
 *
 *	R  runs, on the CPU of its row        .  sleeps        a  active (in results)
 *	w  runnable                           D  disk          i  inactive (in results)
 *	h  runs, its switch-in not recorded   T  stopped       ?  unknown (in results)
 *	H  the same, nor the wake before      (blank) does not exist
 *
 * Rows are numbered from 0; the thread of row i has tid 100 + i and CPU i. A thread that begins in
 * column 0 existed before the trace. Any other one is forked by tid 100, and tid 100 by a stranger,
 * a thread without a row. The trace begins at DRAWING_BEGIN_NS with an event of a stranger.
 */
#ifndef PSCAL_TESTS_DRAW_DRAWING_H
#define PSCAL_TESTS_DRAW_DRAWING_H

#include <stdbool.h>

#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"

enum { DRAWING_BEGIN_NS = 1000000, DRAWING_STEP_NS = 1000, DRAWING_TID = 100 };

/* A source of the events in an array, which is copied. An event without a pid has an unknown one; a
 * wake or fork without a cpu comes from an unknown CPU. */
struct event_source *array_source(const struct event *events, size_t count);

/* A source of the events that the rows show. `rows` ends with a NULL. */
struct event_source *drawing_source(const char *const *rows);

/* Reads a timeline to its end and draws it; the result has `count` rows, and the caller frees
 * it. */
char *drawing_of(struct timeline *timeline, size_t count);

/* Rows of a drawing joined as drawing_of does; the caller frees them. */
char *drawing_join(const char *const *rows);

/*
 * The events of thread 100, drawn with one column for each microsecond. There are two rows for two
 * events at the same time; the upper one comes first:
 *
 *	f  forked			i  PERF_RECORD_SWITCH in
 *	w  woken			o  ... out
 *	>  sched_switch: gets CPU 1	p  ... out, preempted
 *	<  ... leaves it for sleep	e  it has ended
 *	h  ... is preempted		E  it is about to end
 *	x  ... and has ended		k  it is said to exist
 *	2  ... gets CPU 2		s  it is found sleeping
 *	y  ... and ends there		r  ... ready to run
 *	=  ... leaves CPU 1 for itself	n  nothing: an event of a stranger
 *	5  a stranger gets CPU 1	u  the same on CPU 1, by a stranger without a number
 *	0  ... and leaves it idle	v  a thread without a number leaves CPU 1
 *	S  it is sampled on CPU 1	O  as o or p: unknown which
 *	W  it wakes a stranger, on CPU 1	g  recording is paused
 *	a  sched_stat_runtime: it ran for one microsecond on CPU 1; b: two, c: three, d: four
 *	B  ... two, raised by another CPU		l  E without a record of its later events
 *	Z  ... longer than there has been time	j  i of a stranger, which got CPU 1 from it
 *						J  ... of a stranger without a number
 */
struct drawn_steps {
	const char *rows[2];
	const char *states;	/* as above */
	struct quality quality; /* except for the number of events */
	bool no_wakes;		/* the reader says that there are none */
};

struct event_source *drawing_steps(const char *const rows[2]);

/* Fails unless a timeline makes these states and this quality of these steps. */
void drawing_assert_steps(const struct drawn_steps *want);

#endif
