/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The present time, in the clock of a file of events; see enum spool_clock. */
#ifndef PSCAL_PROBE_PROBE_CLOCK_H
#define PSCAL_PROBE_PROBE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "probe/raw_call.h"
#include "probe/spool.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

/* Returns the time stamp counter, if its rate is constant whatever the CPU does. */
static inline enum spool_clock probe_clock_choose(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	if (__get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1 << 8)
		return SPOOL_TSC;
#endif
	return SPOOL_MONOTONIC;
}

static inline uint64_t probe_clock_read(enum spool_clock clock)
{
	struct timespec now = {0, 0};

#if defined(__x86_64__)
	if (clock == SPOOL_TSC)
		return __rdtsc();
#endif
	(void)clock;
	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
