/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "omp/omp_pool.h"

#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 1000, ROUNDS = 50, THREADS = 4 };

/* The pool has its lock while it asks for memory. */
static int asked;
static pthread_barrier_t *stop_here;

void *aligned_alloc(size_t align, size_t size)
{
	pthread_barrier_t *stop = stop_here;
	void *memory = NULL;

	asked++;
	if (stop) {
		pthread_barrier_wait(stop);
		pthread_barrier_wait(stop);
	}
	return posix_memalign(&memory, align, size) ? NULL : memory;
}

static void no_node_is_given_out_twice(void **state)
{
	static unsigned char *nodes[NODES];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < NODES; i++) {
			nodes[i] = omp_pool_take();
			assert_int_equal((uintptr_t)nodes[i] % _Alignof(max_align_t), 0);
			memset(nodes[i], i % 251, OMP_POOL_BYTES);
		}
		for (int i = 0; i < NODES; i++) {
			for (int j = 0; j < OMP_POOL_BYTES; j++)
				assert_int_equal(nodes[i][j], i % 251);
			omp_pool_give(nodes[i]);
		}
	}
	omp_pool_give(NULL);
}

/* A ring of threads: each gives back the nodes that the one before it has taken. */
static struct place {
	pthread_barrier_t *turn;
	unsigned char *nodes[NODES];
	struct place *before;
	unsigned char mark;
	int wrong;
} places[THREADS];

static void *take_and_give(void *context)
{
	struct place *own = context;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < NODES; i++) {
			own->nodes[i] = omp_pool_take();
			memset(own->nodes[i], own->mark, OMP_POOL_BYTES);
		}
		pthread_barrier_wait(own->turn);
		for (int i = 0; i < NODES; i++) {
			for (int j = 0; j < OMP_POOL_BYTES; j++)
				own->wrong += own->before->nodes[i][j] != own->before->mark;
			omp_pool_give(own->before->nodes[i]);
		}
		pthread_barrier_wait(own->turn);
	}
	return NULL;
}

static void other_threads_may_give_nodes_back(void **state)
{
	pthread_barrier_t turn;
	pthread_t threads[THREADS];

	(void)state;
	pthread_barrier_init(&turn, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		places[i] = (struct place){.turn = &turn,
					   .before = &places[(i + 1) % THREADS],
					   .mark = (unsigned char)(i + 1)};
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &places[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(places[i].wrong, 0);
	pthread_barrier_destroy(&turn);
}

static void *take_one(void *context)
{
	(void)context;
	omp_pool_give(omp_pool_take());
	return NULL;
}

static void nodes_of_an_ended_thread_are_used_again(void **state)
{
	int before = asked;
	pthread_t thread;

	(void)state;
	for (int i = 0; i < NODES; i++) {
		assert_int_equal(pthread_create(&thread, NULL, take_one, NULL), 0);
		pthread_join(thread, NULL);
	}
	assert_true(asked - before <= 1);
}

/* Takes more nodes than the pool has. */
static void *take_many(void *context)
{
	static void *nodes[2 * THREADS * NODES];

	(void)context;
	for (int i = 0; i < 2 * THREADS * NODES; i++)
		nodes[i] = omp_pool_take();
	for (int i = 0; i < 2 * THREADS * NODES; i++)
		omp_pool_give(nodes[i]);
	return NULL;
}

static void a_child_of_a_fork_may_use_a_pool_whose_lock_was_held(void **state)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	int status;
	pid_t child;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	stop_here = &barrier;
	assert_int_equal(pthread_create(&thread, NULL, take_many, NULL), 0);
	pthread_barrier_wait(&barrier);
	stop_here = NULL;
	child = fork();
	if (!child) {
		alarm(10);
		for (int i = 0; i < NODES; i++)
			omp_pool_take();
		_exit(0);
	}
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	pthread_barrier_destroy(&barrier);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(no_node_is_given_out_twice),
	cmocka_unit_test(other_threads_may_give_nodes_back),
	cmocka_unit_test(nodes_of_an_ended_thread_are_used_again),
	cmocka_unit_test(a_child_of_a_fork_may_use_a_pool_whose_lock_was_held),
};

TEST_FILE(tests);
