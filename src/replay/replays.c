/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/replays.h"

#include "base/alloc.h"
#include "base/err.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WORKERS_MAX = 64 };

/* What the workers share. Each takes the next replay that nobody has. */
struct work {
	struct replay *replays;
	struct err *errors; /* [replay]; an empty one: it did not fail */
	size_t count;
	atomic_size_t taken, finished;
};

static bool take_one(struct work *work)
{
	size_t i = atomic_fetch_add(&work->taken, 1);
	struct replay *replay;

	if (i >= work->count)
		return false;
	replay = &work->replays[i];
	if (simulate(&replay->simulated, replay->program, &replay->machine, replay->waited,
		     &work->errors[i]))
		replay->simulated = (struct simulated){0};
	atomic_fetch_add(&work->finished, 1);
	return true;
}

static void *take_all(void *context)
{
	while (take_one(context))
		continue;
	return NULL;
}

/* Beside the one that calls. */
static size_t helpers_wanted(size_t count)
{
	cpu_set_t allowed;
	size_t cpus = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		cpus = (size_t)CPU_COUNT(&allowed);
	if (cpus > count)
		cpus = count;
	return cpus > WORKERS_MAX ? WORKERS_MAX : cpus ? cpus - 1 : 0;
}

static int first_error(const struct work *work, struct err *err)
{
	size_t i = 0;

	while (i < work->count && !*work->errors[i].text)
		i++;
	if (i == work->count)
		return 0;
	*err = work->errors[i];
	for (i = 0; i < work->count; i++) {
		free(work->replays[i].simulated.waited_ns);
		work->replays[i].simulated.waited_ns = NULL;
	}
	return -1;
}

int replays_run(struct replay *replays, size_t count, void (*done)(void *context, size_t count),
		void *context, struct err *err)
{
	struct work work = {
		.replays = replays, .errors = xcalloc(count, sizeof(*work.errors)), .count = count};
	pthread_t helpers[WORKERS_MAX];
	size_t wanted = helpers_wanted(count), started = 0;
	int failed;

	/* Where no more threads can be had, those that there are do it all. */
	while (started < wanted && !pthread_create(&helpers[started], NULL, take_all, &work))
		started++;
	while (take_one(&work))
		if (done)
			done(context, atomic_load(&work.finished));
	while (started)
		pthread_join(helpers[--started], NULL);
	failed = first_error(&work, err);
	free(work.errors);
	return failed;
}
