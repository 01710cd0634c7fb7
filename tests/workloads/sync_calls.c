/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sync_calls T N: T threads, each of which N times, or until SIGTERM, takes one mutex, sleeps 1 ms
 * with it and gives it back; they meet at a barrier, and each then adds a token to a semaphore, for
 * which the first thread waits T times. It prints the addresses of the mutex, the barrier and the
 * semaphore.
 *
 * On paper: T N times mutex_lock, mutex_unlock and a sleep, T times barrier_wait, sem_post and
 * sem_wait, one barrier_init of T and one sem_init of 0. As threads contend for the mutex, there
 * are futex calls that wait and some that wake.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct plan {
	pthread_mutex_t mutex;
	pthread_barrier_t barrier;
	sem_t semaphore;
	int turns;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static void *work(void *argument)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct plan *plan = argument;

	for (int i = 0; i < plan->turns && !stopped; i++) {
		pthread_mutex_lock(&plan->mutex);
		nanosleep(&pause, NULL);
		pthread_mutex_unlock(&plan->mutex);
	}
	pthread_barrier_wait(&plan->barrier);
	sem_post(&plan->semaphore);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
	struct plan plan = {
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.turns = argc > 2 ? atoi(argv[2]) : 10,
	};
	pthread_t *threads = calloc(count, sizeof(*threads));

	if (!threads || pthread_barrier_init(&plan.barrier, NULL, count) ||
	    sem_init(&plan.semaphore, 0, 0))
		return 1;
	signal(SIGTERM, stop);
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &plan))
			return 1;
	for (unsigned i = 0; i < count; i++)
		sem_wait(&plan.semaphore);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("mutex %p\nbarrier %p\nsemaphore %p\n", (void *)&plan.mutex, (void *)&plan.barrier,
	       (void *)&plan.semaphore);
	free(threads);
	return 0;
}
