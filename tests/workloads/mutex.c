/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutex T N UNIT_US: T threads, each of which N times takes one mutex, computes for a unit, and
 * gives it back.
 *
 * On paper: one thread computes at a time, so T N units in all, with one thread active, or two: the
 * woken one is active, too, until it gets a CPU and finds the mutex taken again.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>

struct plan {
	pthread_mutex_t mutex;
	uint64_t unit_ns;
	int turns;
};

static void *work(void *argument)
{
	struct plan *plan = argument;

	for (int i = 0; i < plan->turns; i++) {
		pthread_mutex_lock(&plan->mutex);
		compute_until(now_ns(CLOCK_MONOTONIC) + plan->unit_ns);
		pthread_mutex_unlock(&plan->mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	struct plan plan = {
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.turns = argc > 2 ? atoi(argv[2]) : 10,
		.unit_ns = (argc > 3 ? (uint64_t)atol(argv[3]) : 1000) * 1000,
	};
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	if (!threads)
		return 1;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &plan))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
