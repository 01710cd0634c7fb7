/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/call_cost.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/*
 * A round is so short that on a busy machine nobody disturbs most of them, and the median is one of
 * those.
 */
enum { ROUNDS = 15, LEAST_NS = 50 };

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double call_cost_measure(void (*calls)(int count), int count)
{
	double each_ns[ROUNDS];

	calls(count); /* to get warm */
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin_ns = cpu_ns();

		calls(count);
		each_ns[i] = (double)(cpu_ns() - begin_ns) / count;
	}
	qsort(each_ns, ROUNDS, sizeof(each_ns[0]), compare);
	return each_ns[ROUNDS / 2];
}

double call_cost_added(double bare_ns, double watched_ns)
{
	return watched_ns - bare_ns > LEAST_NS ? watched_ns - bare_ns : 0;
}
