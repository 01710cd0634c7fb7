/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * barrier T N UNIT_US: T threads meet at a barrier N times. In each round the first thread
 * computes for one unit before it waits there, the second for two, the last for T.
 *
 * On paper: N T units in all; and with a CPU for each thread T_1 = T_2 = ... = T_T = N units. With
 * fewer CPUs, a thread that waits for a CPU is active for longer than it has to compute.
 */
#include "meter.h"

#include <pthread.h>
#include <stdlib.h>

struct plan {
	pthread_barrier_t barrier;
	uint64_t begin_ns, unit_ns;
	int threads, rounds;
};

struct worker {
	struct plan *plan;
	pthread_t thread;
	int units;
};

static void *work(void *argument)
{
	const struct worker *worker = argument;
	struct plan *plan = worker->plan;

	for (int i = 0; i < plan->rounds; i++) {
		uint64_t units = (uint64_t)i * (uint64_t)plan->threads + (uint64_t)worker->units;

		compute_until(plan->begin_ns + units * plan->unit_ns);
		pthread_barrier_wait(&plan->barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct plan plan = {
		.threads = argc > 1 ? atoi(argv[1]) : 2,
		.rounds = argc > 2 ? atoi(argv[2]) : 10,
		.unit_ns = (argc > 3 ? (uint64_t)atol(argv[3]) : 1000) * 1000,
		.begin_ns = now_ns(CLOCK_MONOTONIC),
	};
	struct worker *workers = calloc((size_t)plan.threads, sizeof(*workers));

	if (!workers || pthread_barrier_init(&plan.barrier, NULL, (unsigned)plan.threads))
		return 1;
	for (int i = 0; i < plan.threads; i++) {
		workers[i] = (struct worker){.plan = &plan, .units = i + 1};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (int i = 0; i < plan.threads; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
	return 0;
}
