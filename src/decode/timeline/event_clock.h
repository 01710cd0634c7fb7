/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of a timeline, which never goes back, whatever the times of the events do.
 *
 * An event that is a little older than the one before happens now: buffers of different CPUs were
 * read a little out of step. One that is more than EVENT_CLOCK_BACK_NS older does not belong here:
 * its time is damaged, or what follows is another recording, or one by a clock that was set back.
 * Which of these it is shows when EVENT_CLOCK_STRAYS such events, near to one another, have
 * followed one another: then the clock was set back, and the new time goes on from where the old
 * one ended.
 */
#ifndef PSCAL_DECODE_TIMELINE_EVENT_CLOCK_H
#define PSCAL_DECODE_TIMELINE_EVENT_CLOCK_H

#include <stdint.h>

enum { EVENT_CLOCK_BACK_NS = 100000000, EVENT_CLOCK_STRAYS = 16 };

enum event_clock_step {
	CLOCK_ON,   /* the event happens now */
	CLOCK_LATE, /* ... although it is older than that */
	CLOCK_BACK, /* it is from before, and must be passed over */
	CLOCK_SET,  /* it is the first after the clock was set back: what was known is not now */
};

struct event_clock {
	uint64_t now_ns;
	uint64_t ahead_ns; /* of the times in the input, since these were set back */
	uint64_t stray_ns; /* the last time that was too old */
	unsigned strays;   /* so many in a row */
};

/* An event of `time_ns` comes: what is it, and what time is it now? */
enum event_clock_step event_clock_step(struct event_clock *clock, uint64_t time_ns);

/* It is at least this time; for what tells no time of its own. */
void event_clock_reach(struct event_clock *clock, uint64_t time_ns);

#endif
