/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * two_locks T N: T threads, each of which N times sleeps 1 ms under a lock in wide_lock(), which
 * through() calls, and then computes for 0.1 ms under another one in narrow_lock().
 *
 * On paper: N T ms, as only one thread is in wide_lock() at a time; nearly all waits are there, and
 * without them the run would take little more than N times 1.1 ms. It is compiled with frame
 * pointers.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t wide = PTHREAD_MUTEX_INITIALIZER, narrow = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static __attribute__((noinline)) void compute(volatile unsigned *sink)
{
	for (unsigned i = 0; i < 100000; i++)
		*sink += i;
}

/* Code follows the last call in each, so that it is no tail call and the function stays on the
 * stack. */
static __attribute__((noinline)) void wide_lock(volatile unsigned *sink)
{
	pthread_mutex_lock(&wide);
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	pthread_mutex_unlock(&wide);
	*sink += 1;
}

static __attribute__((noinline)) void narrow_lock(volatile unsigned *sink)
{
	pthread_mutex_lock(&narrow);
	compute(sink);
	pthread_mutex_unlock(&narrow);
	*sink += 1;
}

static __attribute__((noinline)) void through(volatile unsigned *sink)
{
	wide_lock(sink);
	*sink += 1;
}

static __attribute__((noinline)) void *work(void *argument)
{
	volatile unsigned sink = 0;

	for (int i = 0; i < turns; i++) {
		through(&sink);
		narrow_lock(&sink);
	}
	return argument;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 2;
	pthread_t *threads = calloc(count, sizeof(*threads));

	turns = argc > 2 ? atoi(argv[2]) : 100;
	for (size_t i = 0; i < count; i++)
		if (!threads || pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
