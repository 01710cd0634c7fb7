/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of the macros of pscal/task.h, in ns of CPU time:
 *
 *	task_speed [ROUNDS]
 *
 * for a task, its PSCAL_TASK_BEGIN and PSCAL_TASK_END; for a child, its PSCAL_SPAWN and
 * PSCAL_SPAWNED. Each is the median, and the mean, of ROUNDS (1001) rounds of 1000, less that of an
 * empty loop. Without a recorder it prints the cost of the macros alone, and under `pscal record
 * --tasks` that of recording.
 */
#include "../../src/probe/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS_MAX = 1000000, TASKS = 1000 };

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void do_nothing(pscal_task root)
{
	for (unsigned i = 0; i < TASKS; i++)
		__asm__ volatile("" ::"r"(root));
}

static void begin_and_end(pscal_task root)
{
	for (unsigned i = 0; i < TASKS; i++) {
		PSCAL_TASK_BEGIN(task, root, i);
		__asm__ volatile("" ::"r"(task));
		PSCAL_TASK_END(task);
	}
}

static void spawn(pscal_task root)
{
	for (unsigned i = 0; i < TASKS; i++) {
		PSCAL_SPAWN(root, i);
		__asm__ volatile("" ::"r"(root));
		PSCAL_SPAWNED(root);
	}
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

struct cost {
	double median_ns, mean_ns;
};

static struct cost cost_of(void (*round)(pscal_task), pscal_task root, int rounds)
{
	double *each_ns = calloc((size_t)rounds, sizeof(*each_ns)), all_ns = 0;
	struct cost cost;

	if (!each_ns)
		abort();
	for (int i = 0; i < rounds; i++) {
		double begin_ns = cpu_ns();

		round(root);
		each_ns[i] = (cpu_ns() - begin_ns) / TASKS;
		all_ns += each_ns[i];
	}
	qsort(each_ns, (size_t)rounds, sizeof(*each_ns), compare);
	cost = (struct cost){each_ns[rounds / 2], all_ns / rounds};
	free(each_ns);
	return cost;
}

static void print(const char *what, struct cost cost, struct cost nothing)
{
	printf("%-18s median %5.1f ns, mean %5.1f ns\n", what, cost.median_ns - nothing.median_ns,
	       cost.mean_ns - nothing.mean_ns);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1001;
	struct cost nothing;

	if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fputs("usage: task_speed [ROUNDS]\n", stderr);
		return 2;
	}
	PSCAL_TASK_BEGIN(root, PSCAL_NO_TASK, 0);
	nothing = cost_of(do_nothing, root, rounds);
	print("begin and end", cost_of(begin_and_end, root, rounds), nothing);
	print("spawn and spawned", cost_of(spawn, root, rounds), nothing);
	PSCAL_TASK_END(root);
	return 0;
}
