/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number that one thread alone adds to, and its signal handlers between any two instructions. */
#ifndef PSCAL_PROBE_OWN_COUNTER_H
#define PSCAL_PROBE_OWN_COUNTER_H

#include <stdint.h>

/* Returns what it was. */
static inline uint64_t own_counter_add(uint64_t *counter, uint64_t more)
{
	/* One instruction, so that a signal comes before it or after it. */
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(more), "+m"(*counter));
	return more;
#else
	return __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
#endif
}

#endif
