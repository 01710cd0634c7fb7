/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timers T N PERIOD_US: T threads named "timer", each of which sleeps N times for a period.
 *
 * On paper: T N wakes, all in interrupts of the timer; each thread sleeps at least N periods.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct plan {
	struct timespec period;
	int naps;
};

static void *nap(void *argument)
{
	const struct plan *plan = argument;

	pthread_setname_np(pthread_self(), "timer");
	for (int i = 0; i < plan->naps; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &plan->period, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 50;
	long period_us = argc > 3 ? atol(argv[3]) : 1000;
	struct plan plan = {
		.naps = argc > 2 ? atoi(argv[2]) : 10,
		.period = {period_us / 1000000, period_us % 1000000 * 1000},
	};
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	if (!threads)
		return 1;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, nap, &plan)) {
			perror("pthread_create");
			return 1;
		}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
