/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks with known counts:
 *
 *	tasks_counts faults|sleeps|moves TASKS N
 *
 * A root runs TASKS children in place, one after the other. Number i (from 0 on) touches 1 + i N
 * new pages, goes to sleep 1 + i N times, or moves 1 + i N times to another CPU, by its affinity.
 * Exits with 77 if it should move and there is one CPU.
 */
#include "../../src/probe/task.h"

#include "task_pool.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static char *pages;
static size_t next_page;
static size_t cpus[2];
static int cpu;

static void touch(void)
{
	pages[(size_t)sysconf(_SC_PAGESIZE) * next_page++] = 1;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static void move(void)
{
	cpu_set_t set;

	cpu = !cpu;
	CPU_ZERO(&set);
	CPU_SET(cpus[cpu], &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int find_cpus(void)
{
	cpu_set_t set;
	int count = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (size_t i = 0; i < CPU_SETSIZE && count < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[count++] = i;
	return count;
}

static void run(void (*act)(void), int times, pscal_task parent, unsigned index)
{
	PSCAL_TASK_BEGIN(task, parent, index);
	for (int i = 0; i < times; i++)
		act();
	PSCAL_TASK_END(task);
}

int main(int argc, char **argv)
{
	static const char usage[] = "tasks_counts faults|sleeps|moves TASKS N";
	const char *what = argc > 1 ? argv[1] : "";
	int tasks = pool_number(argc > 2 ? argv[2] : NULL, 1, 1000, usage);
	int each = pool_number(argc > 3 ? argv[3] : NULL, 1, 1000, usage);
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) * (size_t)(tasks * (tasks * each + 1));

	if (strcmp(what, "moves") == 0 && find_cpus() < 2)
		return 77;
	if (strcmp(what, "moves") == 0)
		move();
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE))
		return 1;
	PSCAL_TASK_BEGIN(root, PSCAL_NO_TASK, 0);
	for (int i = 0; i < tasks; i++)
		run(strcmp(what, "faults") == 0	  ? touch
		    : strcmp(what, "sleeps") == 0 ? nap
						  : move,
		    1 + i * each, root, (unsigned)i);
	PSCAL_TASK_END(root);
	return 0;
}
