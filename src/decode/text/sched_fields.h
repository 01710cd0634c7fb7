/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of a scheduling event behind its name, in the kernel's own format or in that of
 * libtraceevent's plugin: `prev_comm=a prev_pid=5 ...`, `a:5 [120] S ==> ...`. All layouts of
 * scheduling events end in these. The name of a thread may have any contents, but at most 15
 * characters, fewer than any field that follows it: so its end can be found.
 */
#ifndef PSCAL_DECODE_TEXT_SCHED_FIELDS_H
#define PSCAL_DECODE_TEXT_SCHED_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/event/event.h"

/*
 * Reads `fields`, which end in a NUL, of an event with this name (without its system, `length`
 * bytes; NULL if it was not printed and the fields must show it). `event` has time, CPU, and the
 * thread that raised it. Returns 1 and completes the event; 0 if it is no scheduling event and no
 * call; -1 if it cannot be read.
 */
int sched_fields_parse(struct event *event, const char *name, size_t length, const char *fields);

/* Returns true for the name of a scheduling event of use. */
bool sched_fields_know(const char *name, size_t length);

/*
 * Returns true if `event`, which only its own thread raises, has another thread than `tid`, which
 * raised it. Both are numbers of the host.
 */
static inline bool sched_fields_contradict(const struct event *event, int32_t tid)
{
	return (event->kind == EVENT_SWITCH || event->kind == EVENT_EXIT ||
		event->kind == EVENT_FORK) &&
	       event->tid != tid;
}

#endif
