/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/cost_trial.h"

#include "base/alloc.h"
#include "base/err.h"
#include "collect/blocks/block_spool.h"
#include "probe/spool.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child that does not come to its end is ended. */
enum { LIMIT_S = 10 };

/* --- The child ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double cost_trial_median_ns(void (*round)(void *context), void *context)
{
	double each_ns[COST_TRIAL_ROUNDS];

	for (int i = 0; i < COST_TRIAL_ROUNDS; i++) {
		double begin_ns = cpu_ns();

		round(context);
		each_ns[i] = (cpu_ns() - begin_ns) / COST_TRIAL_TIMES;
	}
	qsort(each_ns, COST_TRIAL_ROUNDS, sizeof(each_ns[0]), compare);
	return each_ns[COST_TRIAL_ROUNDS / 2];
}

/* The library begins as soon as it is loaded. */
static void __attribute__((noreturn))
measure(const struct cost_trial *trial, const char *library, const char *spool, int fd)
{
	double cost_ns = -trial->time_ns(NULL);
	void *handle;

	alarm(LIMIT_S);
	setenv(SPOOL_ENVIRONMENT, spool, 1);
	handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		_exit(1);
	cost_ns += trial->time_ns(handle);
	_exit(write(fd, &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns));
}

static double ask_child(const struct cost_trial *trial, const char *library, const char *spool)
{
	double cost_ns = 0;
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return 0;
	child = fork();
	if (child == 0)
		measure(trial, library, spool, ends[1]);
	close(ends[1]);
	if (child > 0 && read(ends[0], &cost_ns, sizeof(cost_ns)) != sizeof(cost_ns))
		cost_ns = 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return cost_ns > 0 ? cost_ns : 0;
}

/* --- The whole ----------------------------------------------------------------------------- */

static void ignore_process(void *context, pid_t pid)
{
	(void)context, (void)pid;
}

static void ignore_note(void *context, struct spool_process *process, enum spool_note kind,
			char *text)
{
	(void)context, (void)process, (void)kind, (void)text;
}

static void ignore_end(void *context, struct spool_process *process)
{
	(void)context, (void)process;
}

static const struct spool_process_calls ignored_calls = {ignore_process, ignore_note, ignore_end};

/* How many of them are there; else what was measured is not what it is meant to be. */
static uint64_t count_events(struct block_spool *spool)
{
	uint64_t count = 0;

	block_spool_begin_pass(spool, true);
	while (block_spool_first(spool)) {
		block_spool_drop_first(spool);
		count++;
	}
	return count;
}

double cost_trial_ns(const struct cost_trial *trial, const char *library)
{
	struct block_spool spool = block_spool_none();
	struct err ignored;
	double cost_ns = 0;

	if (block_spool_open(&spool, &ignored_calls, NULL, &ignored) == 0 &&
	    spool_listener_publish(&spool.listener, trial->write_plan, trial->context, &ignored) ==
		    0)
		cost_ns = ask_child(trial, library, spool.path);
	if (cost_ns > 0 &&
	    count_events(&spool) != trial->events * COST_TRIAL_ROUNDS * COST_TRIAL_TIMES)
		cost_ns = 0;
	block_spool_close(&spool);
	return cost_ns;
}
