/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/replays.h"

#include "base/alloc.h"
#include "base/err.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WORKERS_MAX = 64, BYTES_MOST = 128 << 20 };

/* Work in pieces; each worker takes the next free one. */
struct work {
	const struct side_by_side *pieces;
	size_t count;
	atomic_size_t taken, finished;
};

static bool take_one(struct work *work)
{
	size_t i = atomic_fetch_add(&work->taken, 1);

	if (i >= work->count)
		return false;
	work->pieces->work(work->pieces->context, i);
	atomic_fetch_add(&work->finished, 1);
	return true;
}

static void *take_all(void *context)
{
	while (take_one(context))
		continue;
	return NULL;
}

/* Returns the number of workers besides the caller. */
static size_t helpers_wanted(const struct side_by_side *pieces, size_t count)
{
	size_t room = pieces->piece_bytes ? BYTES_MOST / pieces->piece_bytes : WORKERS_MAX;
	cpu_set_t allowed;
	size_t workers = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		workers = (size_t)CPU_COUNT(&allowed);
	if (workers > count)
		workers = count;
	if (workers > room)
		workers = room;
	if (workers > WORKERS_MAX)
		workers = WORKERS_MAX;
	return workers ? workers - 1 : 0;
}

void side_by_side_run(const struct side_by_side *pieces, size_t count)
{
	struct work work = {.pieces = pieces, .count = count};
	pthread_t helpers[WORKERS_MAX];
	size_t wanted = helpers_wanted(pieces, count), started = 0, told = 0;

	/* If no more threads can be created, the existing ones do all the work. */
	while (started < wanted && !pthread_create(&helpers[started], NULL, take_all, &work))
		started++;
	while (take_one(&work))
		if (pieces->done)
			pieces->done(pieces->done_context, told = atomic_load(&work.finished));
	while (started)
		pthread_join(helpers[--started], NULL);
	/* A helper may have finished the last piece. */
	if (pieces->done && told < count)
		pieces->done(pieces->done_context, count);
}

/* --- Replays --------------------------------------------------------------------------------- */

struct replays {
	struct replay *items;
	struct err *errors; /* [replay]; empty: no error */
};

static void run_one(void *context, size_t i)
{
	struct replays *replays = context;
	struct replay *replay = &replays->items[i];

	if (simulate(&replay->simulated, replay->program, &replay->machine, replay->waited,
		     &replays->errors[i]))
		replay->simulated = (struct simulated){0};
}

static int first_error(const struct replays *replays, size_t count, struct err *err)
{
	size_t i = 0;

	while (i < count && !*replays->errors[i].text)
		i++;
	if (i == count)
		return 0;
	*err = replays->errors[i];
	for (i = 0; i < count; i++) {
		free(replays->items[i].simulated.waited_ns);
		replays->items[i].simulated.waited_ns = NULL;
	}
	return -1;
}

int replays_run(struct replay *items, size_t count, void (*done)(void *context, size_t count),
		void *context, struct err *err)
{
	struct replays replays = {items, xcalloc(count, sizeof(*replays.errors))};
	struct side_by_side pieces = {run_one, &replays, 0, done, context};
	int failed;

	for (size_t i = 0; i < count; i++) {
		size_t bytes = simulation_bytes(items[i].program);

		pieces.piece_bytes = bytes > pieces.piece_bytes ? bytes : pieces.piece_bytes;
	}
	side_by_side_run(&pieces, count);
	failed = first_error(&replays, count, err);
	free(replays.errors);
	return failed;
}

/* --- Means over seeds ------------------------------------------------------------------------ */

static size_t runs_of(const struct replay *replays, size_t count)
{
	double size = 0;

	for (size_t i = 0; i < count; i++)
		size += simulation_size(replays[i].program, &replays[i].machine);
	return (size_t)fmax(1, fmin(REPLAYS_SIZE_MOST / fmax(size, 1), REPLAYS_RUNS));
}

/* Sums as double, as each number may be 2^63. */
struct sums {
	double wall_ns, busy_ns, switch_ns, throttled_ns, switches;
};

static uint64_t mean_of(double sum, size_t count)
{
	return (uint64_t)(sum / (double)count + .5);
}

/* Averages the waits into those of the first run, and frees those of the others. */
static void average_waits(const struct replay *runs, size_t count)
{
	for (size_t site = 0; site < runs->program->site_count; site++) {
		double sum_ns = 0;

		for (size_t i = 0; i < count; i++)
			sum_ns += (double)runs[i].simulated.waited_ns[site];
		runs->simulated.waited_ns[site] = mean_of(sum_ns, count);
	}
	for (size_t i = 1; i < count; i++)
		free(runs[i].simulated.waited_ns);
}

/* Returns the standard deviation of wall times, relative to their mean. */
static double scatter_of(const struct replay *runs, size_t count, double mean_ns)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		double off_ns = (double)runs[i].simulated.wall_ns - mean_ns;

		squares += off_ns * off_ns;
	}
	return mean_ns > 0 ? sqrt(squares / (double)(count - 1)) / mean_ns : 0;
}

static void average_parts(struct simulated *mean, const struct replay *runs, size_t count)
{
	for (size_t part = 0; part < SIMULATED_PARTS; part++) {
		double end_ns = 0, queue_ns = 0, taken_ns = 0;

		for (size_t i = 0; i < count; i++) {
			const struct simulated_part *one = &runs[i].simulated.parts[part];

			end_ns += (double)one->end_ns;
			queue_ns += (double)one->queue_ns;
			taken_ns += (double)one->taken_ns;
		}
		mean->parts[part] = (struct simulated_part){
			mean_of(end_ns, count), mean_of(queue_ns, count), mean_of(taken_ns, count)};
	}
}

static void average(struct replay *mean, const struct replay *runs, size_t count)
{
	struct sums sums = {0};
	size_t stuck = 0;

	for (size_t i = 0; i < count; i++) {
		const struct simulated *one = &runs[i].simulated;

		sums.wall_ns += (double)one->wall_ns;
		sums.busy_ns += (double)one->busy_ns;
		sums.switch_ns += (double)one->switch_ns;
		sums.throttled_ns += (double)one->throttled_ns;
		sums.switches += (double)one->switches;
		stuck = one->stuck > stuck ? one->stuck : stuck;
	}
	if (runs->waited)
		average_waits(runs, count);
	mean->scatter = scatter_of(runs, count, sums.wall_ns / (double)count);
	mean->simulated = (struct simulated){
		.wall_ns = mean_of(sums.wall_ns, count),
		.busy_ns = mean_of(sums.busy_ns, count),
		.switch_ns = mean_of(sums.switch_ns, count),
		.throttled_ns = mean_of(sums.throttled_ns, count),
		.switches = mean_of(sums.switches, count),
		.waited_ns = runs->simulated.waited_ns,
		.one_ns = runs->simulated.one_ns,
		.alone_ns = runs->simulated.alone_ns,
		.alone_thread = runs->simulated.alone_thread,
		.stuck = stuck,
	};
	average_parts(&mean->simulated, runs, count);
}

/* The progress of the caller, in replays instead of runs. */
struct show {
	void (*done)(void *context, size_t count);
	void *context;
	size_t runs, shown;
};

static void show_replays(void *context, size_t count)
{
	struct show *show = context;

	if (count / show->runs == show->shown)
		return;
	show->shown = count / show->runs;
	show->done(show->context, show->shown);
}

int replays_run_mean(struct replay *replays, size_t count,
		     void (*done)(void *context, size_t count), void *context, struct err *err)
{
	size_t runs = runs_of(replays, count);
	struct show show = {.done = done, .context = context, .runs = runs};
	struct replay *all;
	int rc;

	if (runs == 1)
		return replays_run(replays, count, done, context, err);
	all = xcalloc(runs * count, sizeof(*all));
	for (size_t i = 0; i < runs * count; i++) {
		all[i] = replays[i / runs];
		all[i].machine.seed += i % runs;
	}
	rc = replays_run(all, runs * count, done ? show_replays : NULL, &show, err);
	for (size_t i = 0; !rc && i < count; i++)
		average(&replays[i], &all[i * runs], runs);
	for (size_t i = 0; rc && i < count; i++)
		replays[i].simulated = (struct simulated){0};
	free(all);
	return rc;
}
