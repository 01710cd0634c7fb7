/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/sync_cost.h"

#include "collect/calls/call_cost.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All rounds of them together fit into the rings. */
enum { CALLS = 100 };

static void call_library(int count)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < count / 2; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
}

/* Wakes nobody. */
static void call_kernel(int count)
{
	uint32_t word = 0;

	for (int i = 0; i < count; i++)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void sync_cost_measure(struct sync_cost *cost)
{
	cost->library_ns = call_cost_measure(call_library, CALLS);
	cost->system_ns = call_cost_measure(call_kernel, CALLS);
}

void sync_cost_added(struct sync_cost *cost, const struct sync_cost *bare,
		     const struct sync_cost *watched)
{
	cost->library_ns = call_cost_added(bare->library_ns, watched->library_ns);
	cost->system_ns = call_cost_added(bare->system_ns, watched->system_ns);
}
