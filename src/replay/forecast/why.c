/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/why.h"

#include "base/alloc.h"
#include "replay/forecast/anchor.h"
#include "replay/forecast/replayed.h"
#include "replay/forecast/wait_sites.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* While it is found out. */
struct finder {
	struct why *why;
	const struct machine *machine;
	double *no_costs;		   /* [site]: nobody waits anywhere */
	size_t *stuck;			   /* [point]: threads, with all sites */
	uint64_t *waited_ns;		   /* [point * site_count + site] */
	const struct replays_watch *watch; /* or NULL */
	size_t done, size;		   /* replays: before the ones that run now, and in all */
};

static void show(void *context, size_t count)
{
	const struct finder *finder = context;

	if (finder->watch && finder->watch->show)
		finder->watch->show(finder->watch->context, finder->done + count, finder->size);
}

static int run_replays(struct finder *finder, struct replay *replays, size_t count, struct err *err)
{
	if (replays_run_mean(replays, count, show, finder, err))
		return -1;
	finder->done += count;
	return 0;
}

double why_saved_s(const struct why_point *point, const struct why_saving *saving)
{
	return point->wall_s - saving->wall_s;
}

/* --- Which numbers of cores ---------------------------------------------------------------- */

static int by_cores(const void *left, const void *right)
{
	const struct why_point *a = left, *b = right;

	return (a->cores > b->cores) - (a->cores < b->cores);
}

static void list_points(struct why *why, const struct machine *machine, const uint64_t *cores,
			size_t count)
{
	double size = simulation_size(why->program, machine) + (double)why->program->site_count;

	why->points = xcalloc(count + 1, sizeof(*why->points));
	for (size_t i = 0; i < count; i++)
		why->points[i].cores = cores[i];
	qsort(why->points, count, sizeof(*why->points), by_cores);
	for (size_t i = 0; i < count; i++)
		if (!i || why->points[i].cores != why->points[why->count - 1].cores)
			why->points[why->count++] = why->points[i];
	if (why->count > 1 && size * WHY_SITES * (double)why->count > WHY_SIZE_MOST) {
		why->points[0] = why->points[why->count - 1];
		why->count = 1;
	}
}

/* --- With all sites, and with none --------------------------------------------------------- */

static struct replay replay_on(const struct finder *finder, uint64_t cores,
			       const double *site_costs)
{
	struct replay replay = {.program = finder->why->program, .machine = *finder->machine};

	replay.machine.cores = replayed_cores(replay.program, cores);
	if (site_costs)
		replay.machine.site_costs = site_costs;
	return replay;
}

/* The wall time, or NaN where more threads are stuck than in the program as it is. */
static double wall_s_of(const struct replay *replay, size_t stuck)
{
	return replay->simulated.stuck > stuck ? NAN : (double)replay->simulated.wall_ns / 1e9;
}

static void keep_whole(struct finder *finder, const struct replay *replays)
{
	struct why *why = finder->why;
	size_t site_count = why->program->site_count;

	for (size_t i = 0; i < why->count; i++) {
		const struct simulated *whole = &replays[2 * i].simulated;

		finder->stuck[i] = whole->stuck;
		why->points[i].wall_s = (double)whole->wall_ns / 1e9;
		why->points[i].free_s = wall_s_of(&replays[2 * i + 1], whole->stuck);
		if (site_count)
			memcpy(&finder->waited_ns[i * site_count], whole->waited_ns,
			       site_count * sizeof(*whole->waited_ns));
		free(whole->waited_ns);
	}
	why->unlimited_s = (double)replays[2 * why->count].simulated.wall_ns / 1e9;
}

static int run_whole(struct finder *finder, struct err *err)
{
	struct why *why = finder->why;
	struct replay *replays = xcalloc(2 * why->count + 1, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < why->count; i++) {
		replays[2 * i] = replay_on(finder, why->points[i].cores, NULL);
		replays[2 * i].waited = true;
		replays[2 * i + 1] = replay_on(finder, why->points[i].cores, finder->no_costs);
	}
	replays[2 * why->count] = replay_on(finder, SIMULATION_CORES_MAX, NULL);
	rc = run_replays(finder, replays, 2 * why->count + 1, err);
	if (!rc)
		keep_whole(finder, replays);
	free(replays);
	return rc;
}

/* --- Without one of them ------------------------------------------------------------------- */

/* Sorts before: the longer wait, or where that is equal, the lower number. */
static bool waits_longer(const uint64_t *waited_ns, uint32_t a, uint32_t b)
{
	return waited_ns[a] != waited_ns[b] ? waited_ns[a] > waited_ns[b] : a < b;
}

/* The sites with the longest waits on the most cores, in this order; returns their number. */
static size_t choose_sites(uint32_t chosen[WHY_SITES], struct finder *finder)
{
	struct why *why = finder->why;
	size_t site_count = why->program->site_count, count = 0, waited = 0;
	const uint64_t *waited_ns = &finder->waited_ns[(why->count - 1) * site_count];

	for (uint32_t site = 0; site < site_count; site++) {
		size_t at = count;

		if (!waited_ns[site])
			continue;
		waited++;
		while (at && waits_longer(waited_ns, site, chosen[at - 1]))
			at--;
		if (at == WHY_SITES)
			continue;
		count += count < WHY_SITES;
		memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof(*chosen));
		chosen[at] = site;
	}
	why->left_out = waited - count;
	return count;
}

static void keep_savings(struct finder *finder, const struct replay *replays,
			 const uint32_t *chosen)
{
	struct why *why = finder->why;
	size_t site_count = why->program->site_count;
	uint64_t *visits = wait_sites_visits(why->program);

	for (size_t i = 0; i < why->count; i++) {
		why->points[i].savings = xcalloc(why->sites + 1, sizeof(struct why_saving));
		for (size_t j = 0; j < why->sites; j++)
			why->points[i].savings[j] = (struct why_saving){
				.site = chosen[j],
				.visits = visits[chosen[j]],
				.waited_s =
					(double)finder->waited_ns[i * site_count + chosen[j]] / 1e9,
				.wall_s = wall_s_of(&replays[i * why->sites + j], finder->stuck[i]),
			};
	}
	free(visits);
}

static int run_without(struct finder *finder, const uint32_t *chosen, struct err *err)
{
	struct why *why = finder->why;
	size_t site_count = why->program->site_count;
	double *costs = xcalloc(why->sites * site_count + 1, sizeof(*costs));
	struct replay *replays = xcalloc(why->count * why->sites + 1, sizeof(*replays));
	int rc;

	for (size_t j = 0; j < why->sites; j++) {
		double *own = &costs[j * site_count];

		for (size_t site = 0; site < site_count; site++)
			own[site] =
				finder->machine->site_costs ? finder->machine->site_costs[site] : 1;
		own[chosen[j]] = 0;
		for (size_t i = 0; i < why->count; i++)
			replays[i * why->sites + j] = replay_on(finder, why->points[i].cores, own);
	}
	rc = run_replays(finder, replays, why->count * why->sites, err);
	if (!rc)
		keep_savings(finder, replays, chosen);
	free(replays);
	free(costs);
	return rc;
}

/* --- In order ------------------------------------------------------------------------------ */

/* What is not known comes last; else who waits longer comes first where savings are equal. */
static bool saves_more(const struct why_saving *a, const struct why_saving *b)
{
	if (isnan(a->wall_s) || isnan(b->wall_s))
		return !isnan(a->wall_s) && isnan(b->wall_s);
	return a->wall_s < b->wall_s;
}

/* All points alike, by the savings of the last one. */
static void sort_savings(struct why *why)
{
	const struct why_saving *last = why->points[why->count - 1].savings;

	for (size_t i = 1; i < why->sites; i++)
		for (size_t j = i; j && saves_more(&last[j], &last[j - 1]); j--)
			for (size_t k = 0; k < why->count; k++) {
				struct why_saving *savings = why->points[k].savings;
				struct why_saving moved = savings[j];

				savings[j] = savings[j - 1];
				savings[j - 1] = moved;
			}
}

static int find(struct finder *finder, struct err *err)
{
	struct why *why = finder->why;
	uint32_t chosen[WHY_SITES + 1];

	if (run_whole(finder, err))
		return -1;
	why->sites = choose_sites(chosen, finder);
	finder->size = finder->done + why->count * why->sites;
	if (run_without(finder, chosen, err))
		return -1;
	sort_savings(why);
	return 0;
}

int why_init(struct why *why, const struct program *program, const struct machine *machine,
	     const uint64_t *cores, size_t count, const struct replays_watch *watch,
	     struct err *err)
{
	struct finder finder = {.why = why, .machine = machine, .watch = watch};
	int rc;

	*why = (struct why){.program = program};
	list_points(why, machine, cores, count);
	if (!why->count)
		return 0;
	finder.size = 2 * why->count + 1 + why->count * WHY_SITES;
	finder.no_costs = xcalloc(program->site_count + 1, sizeof(*finder.no_costs));
	finder.stuck = xcalloc(why->count, sizeof(*finder.stuck));
	finder.waited_ns = xcalloc(why->count * program->site_count + 1, sizeof(*finder.waited_ns));
	rc = find(&finder, err);
	free(finder.no_costs);
	free(finder.stuck);
	free(finder.waited_ns);
	return rc;
}

static void scale_point(struct why_point *point, size_t sites, double factor)
{
	point->wall_s *= factor;
	point->free_s *= factor;
	for (size_t i = 0; i < sites; i++) {
		point->savings[i].waited_s *= factor;
		point->savings[i].wall_s *= factor;
	}
}

void why_anchor(struct why *why, const struct replayed *anchored)
{
	for (size_t i = 0; i < why->count; i++)
		scale_point(&why->points[i], why->sites,
			    anchor_factor(anchored, why->program, why->points[i].cores));
	if (why->count)
		why->unlimited_s *=
			anchor_factor(anchored, why->program, why->points[why->count - 1].cores);
}

void why_release(struct why *why)
{
	for (size_t i = 0; i < why->count; i++)
		free(why->points[i].savings);
	free(why->points);
	*why = (struct why){0};
}
