/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Nodes go from thread to thread in batches, so that few of them need the lock. */
enum { BATCH = 64 };

union node {
	struct {
		union node *next;
		union node *next_batch; /* of the first one of a batch, as is ... */
		size_t count;		/* ... their number */
	};
	_Alignas(max_align_t) uint8_t bytes[OMP_POOL_BYTES];
};

struct list {
	union node *first;
	size_t count;
	bool ends; /* the pool gets them at the end of the thread */
};

static __thread struct list own __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union node *batches;

static struct {
	pthread_key_t key;
	bool has_key;
} ends;

/* --- Batches ------------------------------------------------------------------------------- */

/* Makes a batch of new memory; the caller has the lock. */
static union node *make_batch(void)
{
	union node *nodes = aligned_alloc(_Alignof(union node), BATCH * sizeof(*nodes));

	if (!nodes)
		abort();
	for (size_t i = 0; i < BATCH; i++)
		nodes[i].next = i + 1 < BATCH ? &nodes[i + 1] : NULL;
	nodes->count = BATCH;
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
	own.count = own.first->count;
}

static void return_batch(size_t count)
{
	union node *first = own.first, *last = first;

	for (size_t i = 1; i < count; i++)
		last = last->next;
	own.first = last->next;
	own.count -= count;
	last->next = NULL;
	first->count = count;
	pthread_mutex_lock(&lock);
	first->next_batch = batches;
	batches = first;
	pthread_mutex_unlock(&lock);
}

/* --- Ends ---------------------------------------------------------------------------------- */

/* Returns the nodes of a thread. Later destructors may need nodes again. */
static void end_thread(void *value)
{
	(void)value;
	own.ends = false;
	if (own.count)
		return_batch(own.count);
}

static void ask_for_end(void)
{
	own.ends = true;
	if (ends.has_key)
		pthread_setspecific(ends.key, &own);
}

/* Resets the pool in the child of a fork, where the owner of the lock does not exist. */
static void forget(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	batches = NULL;
}

__attribute__((constructor)) static void omp_pool_begin(void)
{
	pthread_atfork(NULL, NULL, forget);
	ends.has_key = pthread_key_create(&ends.key, end_thread) == 0;
}

/* --- Nodes --------------------------------------------------------------------------------- */

void *omp_pool_take(void)
{
	union node *node;

	if (!own.ends)
		ask_for_end();
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
	if (!own.ends)
		ask_for_end();
	node->next = own.first;
	own.first = node;
	if (++own.count == 2 * BATCH)
		return_batch(BATCH);
}
