/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of sched_switch and of wakes as libtraceevent's plugin prints them in place of the
 * kernel's own format (libtraceevent, plugins/plugin_sched_switch.c):
 *
 *	COMM:PID [PRIO] STATE ==> COMM:PID [PRIO]
 *	COMM:PID [PRIO] [success=N] [CPU:NNN]
 */
#ifndef PSCAL_DECODE_TEXT_SCHED_COMPACT_H
#define PSCAL_DECODE_TEXT_SCHED_COMPACT_H

#include "decode/event/event.h"

/* Fill in what `fields` say, up to a NUL. False: they are something else. */
bool sched_compact_switch(struct event *event, const char *fields);

/* Of a wakeup that did not happen (success=0) it makes an EVENT_TASK. */
bool sched_compact_wake(struct event *event, const char *fields);

/* Is it a wake beyond doubt, even if no name of an event says so? */
bool sched_compact_is_wake(const char *fields);

#endif
