/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases [UNIT_MS]: a program whose levels are known on paper. With a unit of 100 ms (default):
 *
 *	2 units		the main thread computes, alone			level 1
 *	3 units		two more threads compute with it		level 3
 *	1 unit		all three sleep					level 0
 *
 * so T_0 = 1, T_1 = 2 and T_3 = 3 units. A thread computes until the clock tells that the phase is
 * over. A thread that waits for a CPU is active, too, so the answer does not depend on the number
 * of CPUs, nor on other programs. Each thread prints its tid and the CPU time that the kernel has
 * accounted to it, in seconds.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct plan {
	uint64_t serial_ns, parallel_ns, end_ns; /* when each phase ends */
};

static void *work(void *argument)
{
	const struct plan *plan = argument;

	compute_until(plan->parallel_ns);
	sleep_until(plan->end_ns);
	printf("%d %.6f\n", gettid(), (double)now_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t unit_ns = (argc > 1 ? (uint64_t)atoi(argv[1]) : 100) * 1000000;
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	struct plan plan = {begin_ns + 2 * unit_ns, begin_ns + 5 * unit_ns, begin_ns + 6 * unit_ns};
	pthread_t threads[2];

	compute_until(plan.serial_ns);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, &plan))
			return 1;
	work(&plan);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
