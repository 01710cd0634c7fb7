/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spinner T N: T threads, each of which N times does the same arithmetic, about half a millisecond
 * of it, and meets the other threads at a barrier. Prints the time of the run.
 *
 * On paper: T N pieces of work whose amount does not depend on the clock; at most T - 1 threads
 * sleep at the barrier in each round, so fewer than T N switches of their own accord.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>

enum { PIECE = 400000 };

struct plan {
	pthread_barrier_t barrier;
	int rounds;
};

static void work_a_piece(void)
{
	volatile uint32_t sink;
	uint32_t x = 1;

	/* An LCG: each step needs the one before, so compilers and CPUs cannot skip any. */
	for (int i = 0; i < PIECE; i++)
		x = x * 1664525 + 1013904223;
	sink = x;
	(void)sink;
}

static void *spin(void *argument)
{
	struct plan *plan = argument;

	for (int i = 0; i < plan->rounds; i++) {
		work_a_piece();
		pthread_barrier_wait(&plan->barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	struct plan plan = {.rounds = argc > 2 ? atoi(argv[2]) : 100};
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));

	if (!threads || pthread_barrier_init(&plan.barrier, NULL, (unsigned)count))
		return 1;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, spin, &plan))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	print_taken(begin_ns);
	return 0;
}
