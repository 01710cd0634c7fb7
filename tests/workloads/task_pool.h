/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that share work: any of them does a job of the pool, the last one given first, and a
 * thread that waits does other jobs meanwhile.
 */
#ifndef PSCAL_WORKLOADS_TASK_POOL_H
#define PSCAL_WORKLOADS_TASK_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { POOL_THREADS_MAX = 256 };

/* Kept by the thread that gives it, until it has been done. */
struct job {
	void (*run)(struct job *job);
	bool done;
	struct job *next;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *waiting;
	bool ends;
	pthread_t threads[POOL_THREADS_MAX];
	int thread_count; /* without the thread that made the pool */
};

/* Called with the lock; it is held afterwards, too. */
static inline void pool_run_one(struct pool *pool)
{
	struct job *job = pool->waiting;

	pool->waiting = job->next;
	pthread_mutex_unlock(&pool->lock);
	job->run(job);
	pthread_mutex_lock(&pool->lock);
	job->done = true;
	pthread_cond_broadcast(&pool->changed);
}

static inline void *pool_work(void *context)
{
	struct pool *pool = context;

	pthread_mutex_lock(&pool->lock);
	while (pool->waiting || !pool->ends)
		if (pool->waiting)
			pool_run_one(pool);
		else
			pthread_cond_wait(&pool->changed, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* With this many threads, including the caller. */
static inline void pool_begin(struct pool *pool, int threads)
{
	*pool = (struct pool){.lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER};
	for (; pool->thread_count < threads - 1; pool->thread_count++)
		if (pthread_create(&pool->threads[pool->thread_count], NULL, pool_work, pool))
			abort();
}

static inline void pool_give(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->done = false;
	job->next = pool->waiting;
	pool->waiting = job;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

static inline void pool_wait(struct pool *pool, const struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	while (!job->done)
		if (pool->waiting)
			pool_run_one(pool);
		else
			pthread_cond_wait(&pool->changed, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

/* Waits until all jobs are done. */
static inline void pool_end(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->ends = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	pool_work(pool);
	for (int i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
}

/* A number of the command line, within its bounds; ends the program otherwise. */
static inline int pool_number(const char *text, int least, int most, const char *usage)
{
	int number = text ? atoi(text) : -1;

	if (number < least || number > most) {
		fprintf(stderr, "usage: %s\n", usage);
		exit(2);
	}
	return number;
}

#endif
