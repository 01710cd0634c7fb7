/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A clock that never goes back, CLOCK_MONOTONIC: nanoseconds since some point in the past. */
#ifndef PSCAL_BASE_MONOTONIC_H
#define PSCAL_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
