/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * waiting_threads [ROUNDS]: threads that work and wait in loops, each by another one, named after
 * it. In each round (20 by default) a thread works for some milliseconds and then waits by its
 * loop, until the main thread sees by its CPU clock that it has waited for as long. "search" and
 * "compute" do not wait, they work again. Prints for each thread its name, the CPU time of its loop
 * and that of its work, in seconds, by its own CPU clock.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK_NS = 1000000, PIECE = 8000000, TEXT_SIZE = 1 << 20 };
#define WAIT_S .01

struct job {
	const char *name;
	void (*loop)(struct job *job);
	int rounds;
	double loop_s, work_s;
	pthread_t thread;
	clockid_t clock;
	atomic_int waits;     /* in its loop, ... */
	_Atomic double since; /* ... from this time of its clock on */
};

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

static void wait_paused(struct job *job)
{
	while (atomic_load_explicit(&job->waits, memory_order_acquire))
		relax();
}

static void wait_plain(struct job *job)
{
	while (atomic_load_explicit(&job->waits, memory_order_acquire))
		;
}

static void wait_yield(struct job *job)
{
	while (atomic_load_explicit(&job->waits, memory_order_acquire))
		sched_yield();
}

/* An LCG: each step needs the one before, so compilers and CPUs cannot skip any. */
static void compute(struct job *job)
{
	volatile uint32_t sink;
	uint32_t x = (uint32_t)job->rounds;

	for (int i = 0; i < PIECE; i++)
		x = x * 1664525 + 1013904223;
	sink = x;
	(void)sink;
}

/* Loads and compares, at consecutive addresses. */
static void search(struct job *job)
{
	static const char text[TEXT_SIZE];

	for (int i = 0; i < 8; i++) {
		const char *at = text;

		while (at < text + TEXT_SIZE && *at != 'x') {
			__asm__ volatile("" : "+r"(at)); /* one byte after the other */
			at++;
		}
	}
	(void)job;
}

static double cpu_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *run(void *argument)
{
	struct job *job = argument;

	for (int round = 0; round < job->rounds; round++) {
		double begin_s = cpu_s(CLOCK_THREAD_CPUTIME_ID), then_s;

		compute(job);
		then_s = cpu_s(CLOCK_THREAD_CPUTIME_ID);
		atomic_store(&job->since, then_s);
		atomic_store(&job->waits, 1);
		job->loop(job);
		job->work_s += then_s - begin_s;
		job->loop_s += cpu_s(CLOCK_THREAD_CPUTIME_ID) - then_s;
	}
	atomic_store(&job->waits, -1); /* no more waits follow */
	return NULL;
}

/* Returns true if the thread has ended. */
static int look_after(struct job *job)
{
	int waits = atomic_load(&job->waits);

	if (waits == 1 && cpu_s(job->clock) - atomic_load(&job->since) >= WAIT_S)
		atomic_store(&job->waits, 0);
	return waits < 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	static struct job jobs[] = {
		{.name = "paused", .loop = wait_paused}, {.name = "plain", .loop = wait_plain},
		{.name = "yield", .loop = wait_yield},	 {.name = "compute", .loop = compute},
		{.name = "search", .loop = search},
	};
	const size_t count = sizeof(jobs) / sizeof(jobs[0]);
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		jobs[i].rounds = rounds;
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) ||
		    pthread_setname_np(jobs[i].thread, jobs[i].name) ||
		    pthread_getcpuclockid(jobs[i].thread, &jobs[i].clock))
			return 1;
	}
	while (ended < count) {
		nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
		ended = 0;
		for (size_t i = 0; i < count; i++)
			ended += (size_t)look_after(&jobs[i]);
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(jobs[i].thread, NULL);
		printf("%s %.6f %.6f\n", jobs[i].name, jobs[i].loop_s, jobs[i].work_s);
	}
	return 0;
}
