/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * naps T N: T threads, each of which N times computes for a millisecond, or two, or as many as
 * there are threads before it, and sleeps for two: most switches are to or from the idle thread.
 *
 * On paper: each thread sleeps for 2 N milliseconds at least. It prints its tid and the CPU time
 * that the kernel has accounted to it, in seconds.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MS = 1000000, THREADS_MAX = 64 };

struct plan {
	uint64_t compute_ns;
	int naps;
};

static void *work(void *argument)
{
	const struct plan *plan = argument;

	for (int i = 0; i < plan->naps; i++) {
		compute_until(now_ns(CLOCK_MONOTONIC) + plan->compute_ns);
		sleep_until(now_ns(CLOCK_MONOTONIC) + 2 * MS);
	}
	printf("%d %.6f\n", gettid(), (double)now_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 3;
	int naps = argc > 2 ? atoi(argv[2]) : 100;
	struct plan plans[THREADS_MAX];
	pthread_t threads[THREADS_MAX];

	if (count < 1 || count > THREADS_MAX)
		return 2;
	for (int i = 0; i < count; i++) {
		plans[i] = (struct plan){(uint64_t)(i + 1) * MS, naps};
		if (pthread_create(&threads[i], NULL, work, &plans[i]))
			return 1;
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
