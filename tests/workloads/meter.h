/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by workloads: clocks, and a line with the time of a run, for `make bench`. */
#ifndef PSCAL_WORKLOADS_METER_H
#define PSCAL_WORKLOADS_METER_H

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static inline uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void compute_until(uint64_t end_ns)
{
	while (now_ns(CLOCK_MONOTONIC) < end_ns)
		;
}

static inline void sleep_until(uint64_t end_ns)
{
	struct timespec end = {(time_t)(end_ns / 1000000000), (long)(end_ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
}

static inline double cpu_s(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/*
 * Prints "WALL_S CPU_S SWITCHES": the time since begin_ns, and the CPU time and switches of this
 * process and of the children it has waited for.
 */
static inline void print_taken(uint64_t begin_ns)
{
	double wall_s = (double)(now_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("%.6f %.6f %ld\n", wall_s, cpu_s(&own) + cpu_s(&children),
	       own.ru_nvcsw + own.ru_nivcsw + children.ru_nvcsw + children.ru_nivcsw);
}

#endif
