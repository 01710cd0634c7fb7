/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * handover N: two threads, "left" and "right", hand over to each other N times on one CPU. Under
 * SCHED_FIFO a thread that was woken does not preempt the one of equal priority that woke it, and
 * ordinary programs preempt neither, so the scheduler has no choice:
 *
 * On paper: main sleeps until left and right have ended. These run in turn, N times each: each
 * wakes the other, then sleeps. Neither sleeps before its first turn, so each does N - 1 times.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct side {
	const char *name;
	sem_t *mine, *others;
	int count;
};

static void *take_turns(void *argument)
{
	const struct side *side = argument;

	pthread_setname_np(pthread_self(), side->name);
	for (int i = 0; i < side->count; i++) {
		sem_wait(side->mine);
		sem_post(side->others);
	}
	return NULL;
}

/* On the first CPU that this process may use, with SCHED_FIFO before all usual programs. */
static int rule_the_cpu(void)
{
	const struct sched_param priority = {.sched_priority = 1};
	cpu_set_t all, one;
	size_t cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return -1;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return -1;
	return sched_setscheduler(0, SCHED_FIFO, &priority);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	sem_t turns[2];
	struct side sides[] = {{"left", &turns[0], &turns[1], count},
			       {"right", &turns[1], &turns[0], count}};
	pthread_t threads[2];

	if (rule_the_cpu()) {
		perror("handover: SCHED_FIFO");
		return 1;
	}
	for (int i = 0; i < 2; i++)
		sem_init(&turns[i], 0, 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, take_turns, &sides[i]))
			return 1;
	sem_post(&turns[0]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
