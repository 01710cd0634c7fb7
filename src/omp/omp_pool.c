/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_pool.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Nodes go from thread to thread in batches, so that few of them need the lock. */
enum { BATCH = 64 };

union node {
	struct {
		union node *next;
		union node *next_batch; /* of the first one of a batch */
	};
	_Alignas(max_align_t) uint8_t bytes[OMP_POOL_BYTES];
};

struct list {
	union node *first;
	size_t count;
};

static __thread struct list own __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union node *batches;

/* Of new memory; the caller has the lock. */
static union node *make_batch(void)
{
	union node *nodes = aligned_alloc(_Alignof(union node), BATCH * sizeof(*nodes));

	if (!nodes)
		abort();
	for (size_t i = 0; i < BATCH; i++)
		nodes[i].next = i + 1 < BATCH ? &nodes[i + 1] : NULL;
	return nodes;
}

static void fetch_batch(void)
{
	pthread_mutex_lock(&lock);
	own.first = batches;
	if (batches)
		batches = batches->next_batch;
	else
		own.first = make_batch();
	pthread_mutex_unlock(&lock);
	own.count = BATCH;
}

static void return_batch(void)
{
	union node *first = own.first, *last = first;

	for (size_t i = 1; i < BATCH; i++)
		last = last->next;
	own.first = last->next;
	own.count -= BATCH;
	last->next = NULL;
	pthread_mutex_lock(&lock);
	first->next_batch = batches;
	batches = first;
	pthread_mutex_unlock(&lock);
}

void *omp_pool_take(void)
{
	union node *node;

	if (!own.first)
		fetch_batch();
	node = own.first;
	own.first = node->next;
	own.count--;
	return node;
}

void omp_pool_give(void *given)
{
	union node *node = given;

	if (!node)
		return;
	node->next = own.first;
	own.first = node;
	if (++own.count == 2 * BATCH)
		return_batch();
}
