/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the cost of recording the tasks of an OpenMP program, in ns of CPU time:
 *
 *	omp_task_speed [ROUNDS]
 *
 * for a task that does nothing, and is spawned, begun and ended by one thread: the median, and the
 * mean, of ROUNDS (1001) rounds of 1000 tasks and a taskwait. Without a recorder it prints the cost
 * of a task, and under `pscal record --tasks=omp` that of a recorded task.
 */
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

static void make_tasks(volatile int *last)
{
	for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
		*last = i;
	}
#pragma omp taskwait
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static void measure(double *each_ns, int rounds)
{
	volatile int last = 0;

	for (int i = 0; i < rounds; i++) {
		double begin_ns = cpu_ns();

		make_tasks(&last);
		each_ns[i] = (cpu_ns() - begin_ns) / TASKS;
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1001;
	double *each_ns, all_ns = 0;

	if (argc > 2 || rounds < 1 || rounds > ROUNDS_MAX) {
		fputs("usage: omp_task_speed [ROUNDS]\n", stderr);
		return 2;
	}
	each_ns = calloc((size_t)rounds, sizeof(*each_ns));
	if (!each_ns)
		abort();
#pragma omp parallel num_threads(1)
	measure(each_ns, rounds);
	for (int i = 0; i < rounds; i++)
		all_ns += each_ns[i];
	qsort(each_ns, (size_t)rounds, sizeof(*each_ns), compare);
	printf("%-18s median %5.1f ns, mean %5.1f ns\n", "OpenMP task", each_ns[rounds / 2],
	       all_ns / rounds);
	free(each_ns);
	return 0;
}
