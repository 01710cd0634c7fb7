/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sync_cost.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * A round is so short that on a busy machine nobody disturbs most of them, and the median is one of
 * those. All of them together fit into the rings.
 */
enum { ROUNDS = 15, CALLS = 100, LEAST_NS = 50 };

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void call_library(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < CALLS / 2; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

/* Wakes nobody. */
static void call_kernel(void)
{
	uint32_t word = 0;

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double time_of(void (*calls)(void))
{
	double each_ns[ROUNDS];

	calls(); /* to get warm */
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin_ns = cpu_ns();

		calls();
		each_ns[i] = (double)(cpu_ns() - begin_ns) / CALLS;
	}
	qsort(each_ns, ROUNDS, sizeof(each_ns[0]), compare);
	return each_ns[ROUNDS / 2];
}

void sync_cost_measure(struct sync_cost *cost)
{
	cost->library_ns = time_of(call_library);
	cost->system_ns = time_of(call_kernel);
}

static double added(double bare_ns, double watched_ns)
{
	return watched_ns - bare_ns > LEAST_NS ? watched_ns - bare_ns : 0;
}

void sync_cost_added(struct sync_cost *cost, const struct sync_cost *bare,
		     const struct sync_cost *watched)
{
	cost->library_ns = added(bare->library_ns, watched->library_ns);
	cost->system_ns = added(bare->system_ns, watched->system_ns);
}
