/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/timeline/event_clock.h"

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Does it go on from the stray before, as the events of one recording do? */
static int goes_on(const struct event_clock *clock, uint64_t time_ns)
{
	return clock->strays && add(time_ns, EVENT_CLOCK_BACK_NS) >= clock->stray_ns;
}

enum event_clock_step event_clock_step(struct event_clock *clock, uint64_t time_ns)
{
	uint64_t at_ns = add(time_ns, clock->ahead_ns);

	if (at_ns >= clock->now_ns) {
		clock->now_ns = at_ns;
		clock->strays = 0;
		return CLOCK_ON;
	}
	if (clock->now_ns - at_ns <= EVENT_CLOCK_BACK_NS) {
		clock->strays = 0;
		return CLOCK_LATE;
	}
	clock->strays = goes_on(clock, time_ns) ? clock->strays + 1 : 1;
	clock->stray_ns = time_ns;
	if (clock->strays < EVENT_CLOCK_STRAYS)
		return CLOCK_BACK;
	clock->strays = 0;
	clock->ahead_ns = clock->now_ns - time_ns;
	return CLOCK_SET;
}

void event_clock_reach(struct event_clock *clock, uint64_t time_ns)
{
	uint64_t at_ns = add(time_ns, clock->ahead_ns);

	if (at_ns > clock->now_ns)
		clock->now_ns = at_ns;
}
