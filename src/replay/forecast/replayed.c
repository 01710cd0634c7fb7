/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/replayed.h"

#include "base/alloc.h"
#include "replay/simulate/replays.h"
#include "stats/profile/levels.h"
#include "stats/profile/wall_times.h"

#include <math.h>
#include <stdlib.h>

static int compare_points(const void *left, const void *right)
{
	const struct replayed_point *a = left, *b = right;

	return (a->cores > b->cores) - (a->cores < b->cores);
}

static void list_points(struct replayed *replayed, const uint64_t *cores, size_t count)
{
	size_t distinct = 0;

	replayed->points = xcalloc(count + 2, sizeof(*replayed->points));
	for (size_t i = 0; i < count; i++)
		replayed->points[i].cores = cores[i];
	replayed->points[count].cores = 1;
	replayed->points[count + 1].cores = replayed->recorded_cores;
	qsort(replayed->points, count + 2, sizeof(*replayed->points), compare_points);
	for (size_t i = 0; i < count + 2; i++)
		if (!i || replayed->points[i].cores != replayed->points[distinct - 1].cores)
			replayed->points[distinct++] = replayed->points[i];
	replayed->count = distinct;
}

unsigned replayed_cores(const struct program *program, uint64_t cores)
{
	uint64_t most = program->thread_count ? program->thread_count : 1;

	most = most < SIMULATION_CORES_MAX ? most : SIMULATION_CORES_MAX;
	return (unsigned)(cores < most ? cores : most);
}

double replayed_others_share(const struct program *program, const struct level_times *levels,
			     uint64_t recorded_cores)
{
	double usable_ns = 0, share;

	for (uint64_t j = 1; j <= levels->max_active; j++)
		usable_ns += (double)levels->wall_ns[j] *
			     (double)(j < recorded_cores ? j : recorded_cores);
	share = usable_ns > 0 ? 1 - (double)program->shares.run_ns / usable_ns : 0;
	return share > 0 ? share : 0;
}

/*
 * That of the machine, and all of it by as much as others take of the cores: a target that got next
 * to nothing of them is simulated as one that got a little.
 */
static double *slowed_by_others(const struct machine *machine, double others_share)
{
	size_t count = machine->slowdown ? machine->slowdown_count : 1;
	double *slowdown = xcalloc(count, sizeof(*slowdown));

	for (size_t i = 0; i < count; i++)
		slowdown[i] = fmin((machine->slowdown ? machine->slowdown[i] : 1) /
					   fmax(1 - others_share, 1 / SIMULATION_FACTOR_MAX),
				   SIMULATION_FACTOR_MAX);
	return slowdown;
}

/* --- Timed waits --------------------------------------------------------------------------- */

/* [site]: what it costs on `machine`, and 0 where timed waits are. NULL: there are none. */
static double *without_polls(const struct program *program, const struct machine *machine)
{
	double *costs = NULL;

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];

			if (step_op(step) != STEP_POLL || step_site(step) >= program->site_count)
				continue;
			if (!costs)
				costs = xcalloc(program->site_count, sizeof(*costs));
			costs[step_site(step)] = 1;
		}
	for (size_t i = 0; costs && i < program->site_count; i++)
		costs[i] = costs[i] > 0 ? 0 : machine->site_costs ? machine->site_costs[i] : 1;
	return costs;
}

static int find_polls_share(struct replayed *replayed, const struct program *program,
			    const struct machine *machine, struct err *err)
{
	double *costs = without_polls(program, machine);
	struct replay *replays;
	int rc;

	if (!costs)
		return 0;
	replays = xcalloc(replayed->count, sizeof(*replays));
	for (size_t i = 0; i < replayed->count; i++) {
		replays[i] = (struct replay){.program = program, .machine = *machine};
		replays[i].machine.cores = replayed_cores(program, replayed->points[i].cores);
		replays[i].machine.site_costs = costs;
	}
	rc = replays_run_mean(replays, replayed->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++) {
		double wall_s = replayed->points[i].wall_s;
		double without_s = (double)replays[i].simulated.wall_ns / 1e9;

		if (wall_s > 0)
			replayed->polls_share = fmax(replayed->polls_share, 1 - without_s / wall_s);
	}
	free(replays);
	free(costs);
	return rc;
}

/* --- All points ---------------------------------------------------------------------------- */

/* The simulations of all points, and behind them that of the recording, side by side. */
static int run_points(struct replayed *replayed, const struct program *program,
		      const struct machine *machine, struct err *err)
{
	struct replay *replays = xcalloc(replayed->count + 1, sizeof(*replays));
	struct replay *self = &replays[replayed->count];
	double *slowdown = slowed_by_others(machine, replayed->others_share);
	int rc;

	*self = (struct replay){.program = program, .machine = *machine};
	self->machine.cores = replayed_cores(program, replayed->recorded_cores);
	self->machine.slowdown = slowdown;
	self->machine.slowdown_count = machine->slowdown ? machine->slowdown_count : 1;
	for (size_t i = 0; i < replayed->count; i++) {
		replays[i] = (struct replay){.program = program, .machine = *machine};
		replays[i].machine.cores = replayed_cores(program, replayed->points[i].cores);
	}
	rc = replays_run_mean(replays, replayed->count + 1, NULL, NULL, err);
	for (size_t i = 0; !rc && i < replayed->count; i++) {
		struct replayed_point *point = &replayed->points[i];

		point->wall_s = (double)replays[i].simulated.wall_ns / 1e9;
		point->stuck = replays[i].simulated.stuck;
		point->lo_s = point->hi_s = NAN;
		point->least_s = point->most_s = point->wall_s;
	}
	replayed->self_s = rc ? NAN : (double)self->simulated.wall_ns / 1e9;
	replayed->self_scatter = rc ? 0 : self->scatter;
	free(slowdown);
	free(replays);
	return rc;
}

/* Where other numbers of busy cores are faster than those of the recording, bounds are lower. */
static void scale_bounds(struct bounds *bounds, const struct machine *machine)
{
	double least = 1;

	for (size_t i = 0; machine->slowdown && i < machine->slowdown_count; i++)
		least = fmin(least, machine->slowdown[i]);
	bounds->work_ns = (uint64_t)((double)bounds->work_ns * least);
	bounds->critical_ns = (uint64_t)((double)bounds->critical_ns * least);
	bounds->serial_ns = (uint64_t)((double)bounds->serial_ns * least);
}

int replayed_init(struct replayed *replayed, const struct program *program,
		  const struct machine *machine, uint64_t recorded_cores, double others_share,
		  const uint64_t *cores, size_t count, struct err *err)
{
	*replayed = (struct replayed){
		.recorded_cores = recorded_cores,
		.recorded_s = (double)program->wall_ns / 1e9,
		.others_share = others_share,
		.scale = 1,
		.size = (uint64_t)simulation_size(program, machine),
	};
	bounds_find(&replayed->bounds, program);
	scale_bounds(&replayed->bounds, machine);
	list_points(replayed, cores, count);
	return run_points(replayed, program, machine, err) ||
			       find_polls_share(replayed, program, machine, err)
		       ? -1
		       : 0;
}

void replayed_release(struct replayed *replayed)
{
	free(replayed->points);
	*replayed = (struct replayed){0};
}

const struct replayed_point *replayed_find(const struct replayed *replayed, uint64_t cores)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (replayed->points[i].cores == cores)
			return &replayed->points[i];
	return NULL;
}

bool replayed_has_interval(const struct replayed *replayed)
{
	for (size_t i = 0; i < replayed->count; i++)
		if (!isnan(replayed->points[i].lo_s))
			return true;
	return false;
}

size_t replayed_stuck(const struct replayed *replayed)
{
	size_t most = 0;

	for (size_t i = 0; i < replayed->count; i++)
		if (replayed->points[i].stuck > most)
			most = replayed->points[i].stuck;
	return most;
}

double replayed_speedup(const struct replayed *replayed, const struct replayed_point *point)
{
	return replayed_find(replayed, 1)->wall_s / point->wall_s;
}

double replayed_self_error(const struct replayed *replayed)
{
	return replayed->recorded_s > 0 ? replayed->self_s / replayed->recorded_s - 1 : NAN;
}

double replayed_error(const struct replayed *replayed, const struct wall_time *time)
{
	const struct replayed_point *point = replayed_find(replayed, time->cores);

	return point ? point->wall_s / time->mean_s - 1 : NAN;
}

double replayed_mean_error(const struct replayed *replayed, const struct wall_times *times,
			   size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < times->count; i++) {
		const struct wall_time *time = &times->items[i];

		if (time->cores == replayed->recorded_cores ||
		    !replayed_find(replayed, time->cores))
			continue;
		sum += fabs(replayed_error(replayed, time));
		++*count;
	}
	return *count ? sum / (double)*count : NAN;
}
