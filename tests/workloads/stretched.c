/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stretched THREADS SERIAL EQUAL LONGER PERCENT UNEQUAL MEMORY [SLICE]: a program with a known work
 * inflation when THREADS threads share its work. It does these phases, in units that each take some
 * milliseconds of computing:
 *
 *	SERIAL	in one thread: work_in_serial
 *	EQUAL	in THREADS threads, each a THREADS-th: work_equally
 *	LONGER	the same, but more of it: PERCENT % for each thread more than one: work_longer
 *	UNEQUAL	in THREADS threads, of which the first does twice as much as each other:
 *		work_unequally
 *	MEMORY	in THREADS threads, each a THREADS-th: adds numbers in memory: work_in_memory
 *
 * On paper, in units, with T = THREADS cores and s = PERCENT (T - 1) / 100:
 *
 *	serial work		SERIAL + EQUAL + LONGER + UNEQUAL
 *	stretch			s LONGER
 *	wall time		SERIAL + EQUAL / T + (1 + s) LONGER / T + 2 UNEQUAL / (T + 1)
 *	no work			T times the wall time less both
 *
 * The work inflation of MEMORY depends on the machine. With SLICE (1 to THREADS) the program is one
 * of THREADS copies that do the same side by side: each does all phases alone, but a THREADS-th of
 * MEMORY in an area of its own, as that thread would.
 *
 * Prints as meter.h does, and then the CPU time of MEMORY in seconds, of all threads.
 */
#include "meter.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Steps of a unit; and the bytes that a unit of memory reads: a whole area, several times as large
 * as shared caches. */
enum { STEPS = 1 << 22, THREADS_MAX = 64 };
#define AREA_BYTES (UINT64_C(64) << 20)

enum phase { SERIAL, EQUAL, LONGER, UNEQUAL, MEMORY, PHASES };

struct plan {
	unsigned threads, slice;
	double units[PHASES], percent;
	uint64_t *memory; /* of all threads */
	pthread_barrier_t together;
};

struct worker {
	struct plan *plan;
	unsigned number;
	double memory_s;
};

/* Each function has a name of its own in samples. */
#ifdef __clang__
#define NEVER_COPIED noinline
#else
#define NEVER_COPIED noinline, noclone
#endif

#define WORK(name)                                                                       \
	__attribute__((NEVER_COPIED)) static void name(uint64_t steps)                   \
	{                                                                                \
		for (uint64_t i = 0; i < steps; i++)                                     \
			__asm__ volatile("# " #name                                      \
					 : "+r"(i)); /* keeps the functions different */ \
	}

WORK(work_in_serial)
WORK(work_equally)
WORK(work_longer)
WORK(work_unequally)

__attribute__((NEVER_COPIED)) static uint64_t work_in_memory(const uint64_t *area, uint64_t words,
							     uint64_t rounds)
{
	uint64_t sum = 0;

	for (uint64_t round = 0; round < rounds; round++)
		for (uint64_t i = 0; i < words; i += 8) {
			sum += area[i];
			__asm__ volatile("" : "+r"(sum));
		}
	return sum;
}

static uint64_t steps_of(double units)
{
	return (uint64_t)(units * STEPS);
}

static double thread_s(void)
{
	return (double)now_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9;
}

static void *run(void *argument)
{
	struct worker *worker = argument;
	struct plan *plan = worker->plan;
	double threads = plan->threads, share = 1 / threads, before;
	uint64_t words = AREA_BYTES / sizeof(uint64_t) / plan->threads;

	work_equally(steps_of(plan->units[EQUAL] * share));
	pthread_barrier_wait(&plan->together);
	work_longer(
		steps_of(plan->units[LONGER] * share * (1 + plan->percent / 100 * (threads - 1))));
	pthread_barrier_wait(&plan->together);
	work_unequally(steps_of(plan->units[UNEQUAL] * (worker->number ? 1 : 2) / (threads + 1)));
	pthread_barrier_wait(&plan->together);
	before = thread_s();
	work_in_memory(plan->memory + worker->number * words, words,
		       (uint64_t)(plan->units[MEMORY]));
	worker->memory_s = thread_s() - before;
	return NULL;
}

static double run_all(struct plan *plan)
{
	struct worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	double memory_s = 0;

	pthread_barrier_init(&plan->together, NULL, plan->threads);
	work_in_serial(steps_of(plan->units[SERIAL]));
	for (unsigned i = 0; i < plan->threads; i++) {
		workers[i] = (struct worker){.plan = plan, .number = i};
		if (i)
			pthread_create(&threads[i], NULL, run, &workers[i]);
	}
	run(&workers[0]);
	for (unsigned i = 1; i < plan->threads; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < plan->threads; i++)
		memory_s += workers[i].memory_s;
	return memory_s;
}

/* One of several copies: the memory work of one thread, and no other work. */
static double run_slice(struct plan *plan)
{
	uint64_t words = AREA_BYTES / sizeof(uint64_t) / plan->threads;
	double before = thread_s();

	work_in_memory(plan->memory, words, (uint64_t)plan->units[MEMORY]);
	return thread_s() - before;
}

int main(int argc, char **argv)
{
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	struct plan plan = {.slice = argc > 8 ? (unsigned)atoi(argv[8]) : 0};
	double memory_s;

	if (argc < 8 || (plan.threads = (unsigned)atoi(argv[1])) < 1 || plan.threads > THREADS_MAX)
		return 2;
	for (int i = 0; i < PHASES; i++)
		plan.units[i] = atof(argv[2 + i + (i > LONGER)]);
	plan.percent = atof(argv[5]);
	plan.memory = calloc(AREA_BYTES / (plan.slice ? plan.threads : 1), 1);
	if (!plan.memory)
		return 1;
	if (plan.units[MEMORY] > 0) /* touches the memory, so that the kernel allocates it */
		for (uint64_t i = 0; i < AREA_BYTES / 8 / (plan.slice ? plan.threads : 1); i += 512)
			plan.memory[i] = i;
	memory_s = plan.slice ? run_slice(&plan) : run_all(&plan);
	print_taken(begin_ns);
	printf("%.6f\n", memory_s);
	free(plan.memory);
	return 0;
}
