/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks of clock_gettime(2) in nanoseconds. */
#ifndef PSCAL_BASE_MONOTONIC_H
#define PSCAL_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The time since some point in the past, of a clock that never goes back. */
static inline uint64_t monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
