/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fibonacci numbers by tasks that spawn one half of the recursion and call the other one in place,
 * as the paper of pscal/task.h has it:
 *
 *	tasks_fib THREADS N [NS]
 *
 * Of the C = 2 F(N + 1) - 1 tasks, (C - 1) / 2 spawn a child and wait for it. Each task computes
 *for NS nanoseconds of CPU time (0) before anything else. Prints F(N).
 */
#include "../../src/probe/task.h"

#include "task_pool.h"

#include <time.h>

struct call {
	struct job job;
	int n;
	pscal_task parent;
	long result;
};

static struct pool pool;
static long each_ns;

static long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(void)
{
	long end_ns = each_ns ? cpu_ns() + each_ns : 0;

	while (end_ns && cpu_ns() < end_ns)
		;
}

static long fib(int n, pscal_task parent, unsigned index);

static void run_fib(struct job *job)
{
	struct call *call = (struct call *)job;

	call->result = fib(call->n, call->parent, 0);
}

static long fib(int n, pscal_task parent, unsigned index)
{
	struct call first = {.job.run = run_fib, .n = n - 1};
	long second;

	PSCAL_TASK_BEGIN(task, parent, index);
	compute();
	if (n < 2) {
		PSCAL_TASK_END(task);
		return n;
	}
	first.parent = task;
	PSCAL_SPAWN(task, 0);
	pool_give(&pool, &first.job);
	PSCAL_SPAWNED(task);
	second = fib(n - 2, task, 1);
	PSCAL_SYNC(task);
	pool_wait(&pool, &first.job);
	PSCAL_SYNCED(task);
	PSCAL_TASK_END(task);
	return first.result + second;
}

int main(int argc, char **argv)
{
	static const char usage[] = "tasks_fib THREADS N [NS]";
	int threads = pool_number(argc > 1 ? argv[1] : NULL, 1, POOL_THREADS_MAX, usage);
	int n = pool_number(argc > 2 ? argv[2] : NULL, 0, 40, usage);

	each_ns = argc > 3 ? pool_number(argv[3], 0, 1000000000, usage) : 0;
	pool_begin(&pool, threads);
	printf("%ld\n", fib(n, PSCAL_NO_TASK, 0));
	pool_end(&pool);
	return 0;
}
