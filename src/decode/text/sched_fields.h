/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of a scheduling event behind its name, as printed by the kernel's own format or by
 * libtraceevent's plugin: `prev_comm=a prev_pid=5 ...`, `a:5 [120] S ==> ...`. Every layout of
 * text ends in this. The name of a thread may look like anything, but has at most 15 characters:
 * less than any field that follows it takes, so that its end is found.
 */
#ifndef PSCAL_DECODE_TEXT_SCHED_FIELDS_H
#define PSCAL_DECODE_TEXT_SCHED_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/event/event.h"

/*
 * `name` (without its system, `length` bytes; NULL when it was not printed, and the fields must
 * tell) and `fields`, which end in a NUL. `event` has what stands before them: time, CPU, and the
 * thread in whose context it was raised. Returns 1 with the event completed; 0 when it tells
 * nothing of scheduling, nor of a call; -1 when it cannot be read.
 */
int sched_fields_parse(struct event *event, const char *name, size_t length, const char *fields);

/* Is it the name of an event that tells something of scheduling? */
bool sched_fields_know(const char *name, size_t length);

/*
 * Does `event` tell another thread than `tid`, in whose context it was raised, of an event that only
 * the thread itself raises? Both are numbers of the host.
 */
static inline bool sched_fields_contradict(const struct event *event, int32_t tid)
{
	return (event->kind == EVENT_SWITCH || event->kind == EVENT_EXIT ||
		event->kind == EVENT_FORK) &&
	       event->tid != tid;
}

#endif
