/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * permits PATTERN K [TRACE [UNIT_US]]: simulates a program on K cores, on a machine with any number
 * of cores. A thread works by sleeping for as long as the work takes, while it holds one of K
 * permits. A thread without a permit waits in a queue; one that has worked for a slice while other
 * ones wait goes to the end of the queue. So the wall time is that of a machine with K cores, up to
 * the latency of wakeups, as the threads need hardly any CPU time. Prints "WALL_S", by the clock.
 *
 * For the kernel these threads sleep. So the program itself writes the events of a recording on K
 * cores: TRACE has the format of perf script, with permits as CPUs: a switch when a permit changes
 * hands, a wake when a thread wakes another one, births and ends; and the calls of locks, barriers,
 * semaphores and sleeps, in the format of probes on them. All events are written under one lock,
 * with the time taken under it.
 *
 * Patterns, whose lengths of work are random, and the same for each K:
 *	fork-join  16 threads, 12 rounds, unequal works, a barrier after each
 *	unequal    24 threads with works from 1 to 24 units
 *	pipeline   40 items through 5 stages of 2 threads, whose queues hold 2
 *	locks      12 threads, 12 times: work, then a quarter as much under one of 2 locks
 *	naps       12 threads, 10 times: work, then a sleep without a permit
 * A unit is 4 ms (UNIT_US), a slice 2 units, and all times are divided by DILATION: so the
 * latencies of the kernel's wakeups look no longer than switches between threads that compute.
 */
#include "permits.h"

/* --- Patterns
 * -----------------------------------------------------------------------------------*/

/* From 1 to `most` units, uniform: Knuth's MMIX generator. */
static uint64_t some(struct thread *self, unsigned most)
{
	self->random = self->random * 6364136223846793005u + 1442695040888963407u;
	return self->program->unit_ns +
	       (self->random >> 33) * self->program->unit_ns * (most - 1) / (UINT64_C(1) << 31);
}

static void fork_join(struct thread *self)
{
	for (int i = 0; i < 12; i++) {
		work(self, some(self, 4));
		meet(self, &self->program->barrier);
	}
}

static void unequal(struct thread *self)
{
	work(self, (uint64_t)self->number * self->program->unit_ns);
}

static void stage(struct thread *self)
{
	struct program *program = self->program;
	int mine = (self->number - 1) / 2;

	while (program->taken[mine] < 40) {
		program->taken[mine]++;
		if (mine)
			take(self, &program->items[mine]);
		if (mine)
			give(self, &program->room[mine]);
		work(self, some(self, (unsigned)mine + 2));
		if (mine == 4)
			continue;
		take(self, &program->room[mine + 1]);
		give(self, &program->items[mine + 1]);
	}
}

static void locks(struct thread *self)
{
	for (int i = 0; i < 12; i++) {
		struct lock *mine = &self->program->locks[(i + self->number) % 2];

		work(self, some(self, 5));
		lock(self, mine);
		work(self, some(self, 1) * 3 / 4);
		unlock(self, mine);
	}
}

static void naps(struct thread *self)
{
	for (int i = 0; i < 10; i++) {
		work(self, some(self, 4));
		nap(self, some(self, 6));
	}
}

static const struct pattern {
	const char *name;
	int threads;
	void (*begin)(struct thread *self);
} patterns[] = {
	{"fork-join", 16, fork_join}, {"unequal", 24, unequal}, {"pipeline", 10, stage},
	{"locks", 12, locks},	      {"naps", 12, naps},
};

/* The actions of the first thread: makes the objects and all threads, and waits for their ends. */
static void run_pattern(struct thread *self, const struct pattern *pattern)
{
	struct program *program = self->program;

	program->barrier.parties = pattern->threads;
	if (pattern->begin == fork_join)
		tell_call(self, "barrier_init", &program->barrier, pattern->threads);
	for (int i = 1; pattern->begin == stage && i < 5; i++) {
		program->room[i].tokens = 2;
		tell_call(self, "sem_init", &program->room[i], 2);
		tell_call(self, "sem_init", &program->items[i], 0);
	}
	for (int i = 0; i < pattern->threads; i++)
		start(self, pattern->begin);
	join_all(self);
}

static double run_program(struct program *program, const struct pattern *pattern)
{
	struct thread *first = new_thread(program, NULL);
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC), end_ns;

	pthread_mutex_lock(&program->mutex);
	make_ready(program, first);
	run_pattern(first, pattern);
	end(first);
	end_ns = now_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&program->mutex);
	for (int i = 1; i < program->count; i++)
		pthread_join(program->threads[i].pthread, NULL);
	return (double)(end_ns - begin_ns) / DILATION / 1e9;
}

/* The threads need little CPU time, but at once. A process that may not use SCHED_FIFO continues
 * without it. */
static void be_urgent(void)
{
	const struct sched_param first = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &first);
}

int main(int argc, char **argv)
{
	static struct program program = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	uint64_t unit_us = argc > 4 ? strtoull(argv[4], NULL, 10) : 4000;

	program.permits = argc > 2 ? atoi(argv[2]) : 0;
	program.unit_ns = unit_us * 1000 * DILATION;
	program.slice_ns = 2 * program.unit_ns;
	if (program.permits < 1 || program.permits > PERMITS_MAX || !unit_us) {
		fputs("Usage: permits PATTERN K [TRACE [UNIT_US]]\n", stderr);
		return 2;
	}
	if (argc > 3 && *argv[3] && !(program.trace = fopen(argv[3], "we"))) {
		perror(argv[3]);
		return 1;
	}
	be_urgent();
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (strcmp(argv[1], patterns[i].name) == 0)
			printf("%.6f\n", run_program(&program, &patterns[i]));
	return program.trace && fclose(program.trace) ? 1 : 0;
}
