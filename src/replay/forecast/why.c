/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/why.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "replay/forecast/forecast_points.h"
#include "replay/program/program.h"
#include "replay/simulate/replays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Sites that are tried as one ------------------------------------------------------------- */

/* Groups of sites at which all waiting threads have the same name, or process. */
struct site_groups {
	uint32_t *first;	 /* [site]: first site of its group */
	struct why_saving *sums; /* [site]: sum of the group that begins with it */
};

enum { OF_SEVERAL = -1 };

static void site_groups_visit(struct why_saving *sum, const struct program_thread *thread,
			      const char *name)
{
	if (!sum->visits++) {
		sum->pid = thread->pid;
		sum->name = name;
	}
	if (sum->pid != thread->pid)
		sum->pid = OF_SEVERAL;
	if (sum->name && strcmp(sum->name, name) != 0)
		sum->name = NULL;
}

/* Counts the waits at each site, and finds their threads. */
static void site_groups_count(struct site_groups *groups, const struct why *why)
{
	const struct program *program = why->program;

	for (uint32_t i = 0; i < program->site_count; i++)
		groups->sums[i] = (struct why_saving){
			.site = i, .sites = 1, .pid = OF_SEVERAL, .path_s = NAN, .work_s = NAN};
	for (size_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];
		const char *name = why->names ? thread_name_text(&why->names[i]) : NULL;

		for (size_t j = 0; j < thread->count; j++) {
			uint32_t site = step_site(&thread->steps[j]);

			if (site < program->site_count && step_op_waits(step_op(&thread->steps[j])))
				site_groups_visit(&groups->sums[site], thread, name);
		}
	}
}

struct site_order {
	const struct program *program;
	const struct why_saving *sum;
	enum why_by by;
};

/* Orders sites by kind, as waits for locks and for threads differ, and then by group. */
static int site_order_compare(const void *left, const void *right)
{
	const struct site_order *a = left, *b = right;
	const struct site *site_a = &a->program->sites[a->sum->site];
	const struct site *site_b = &b->program->sites[b->sum->site];
	const char *name_a = a->sum->name ? a->sum->name : "",
		   *name_b = b->sum->name ? b->sum->name : "";

	if (site_a->kind != site_b->kind)
		return compare_values(site_a->kind, site_b->kind);
	if (a->by == WHY_BY_NAME)
		return strcmp(name_a, name_b);
	return compare_values(a->sum->pid, b->sum->pid);
}

static int site_order_by_number(const void *left, const void *right)
{
	const struct site_order *a = left, *b = right;
	int order = site_order_compare(left, right);

	return order ? order : compare_values(a->sum->site, b->sum->site);
}

static void site_groups_add(struct why_saving *sum, const struct why_saving *other)
{
	sum->visits += other->visits;
	sum->sites++;
	if (sum->pid != other->pid)
		sum->pid = OF_SEVERAL;
}

static void site_groups_join(struct site_groups *groups, const struct program *program,
			     enum why_by by)
{
	struct site_order *order = xcalloc(program->site_count + 1, sizeof(*order));
	size_t count = 0;

	for (uint32_t i = 0; i < program->site_count; i++)
		if (groups->sums[i].visits)
			order[count++] = (struct site_order){program, &groups->sums[i], by};
	qsort(order, count, sizeof(*order), site_order_by_number);
	for (size_t i = 0, first = 0; i < count; i++) {
		if (site_order_compare(&order[first], &order[i]) != 0)
			first = i;
		if (first != i)
			site_groups_add(&groups->sums[order[first].sum->site], order[i].sum);
		groups->first[order[i].sum->site] = order[first].sum->site;
	}
	free(order);
}

static void site_groups_init(struct site_groups *groups, const struct why *why)
{
	const struct program *program = why->program;

	*groups = (struct site_groups){
		.first = xcalloc(program->site_count + 1, sizeof(*groups->first)),
		.sums = xcalloc(program->site_count + 1, sizeof(*groups->sums))};
	for (uint32_t i = 0; i < program->site_count; i++)
		groups->first[i] = i;
	site_groups_count(groups, why);
	if (why->by != WHY_BY_SITE)
		site_groups_join(groups, program, why->by);
}

static void site_groups_release(struct site_groups *groups)
{
	free(groups->first);
	free(groups->sums);
}

/* The state of the search for savings. */
struct finder {
	struct why *why;
	const struct why_request *request;
	struct site_groups *groups;
	double *no_costs;    /* [site]: 0, without any waits */
	size_t *stuck;	     /* [point]: stuck threads, with all sites */
	uint64_t *waited_ns; /* [point * site_count + site] */
	double slower;	     /* factor on the length of work on the most cores */
	size_t done, size;   /* numbers of finished replays, and of all */
};

static void why_show(void *context, size_t count)
{
	const struct finder *finder = context;
	const struct replays_watch *watch = finder->request->watch;

	if (watch && watch->show)
		watch->show(watch->context, finder->done + count, finder->size);
}

static int why_run_replays(struct finder *finder, struct replay *replays, size_t count,
			   struct err *err)
{
	if (replays_run_mean(replays, count, why_show, finder, err))
		return -1;
	finder->done += count;
	return 0;
}

double why_saved_s(const struct why_point *point, const struct why_saving *saving)
{
	return point->wall_s - saving->wall_s;
}

const struct why_saving *why_wait(const struct why *why, const struct why_point *point,
				  size_t number)
{
	for (size_t i = 0; i < why->tried; i++)
		if (!point->savings[i].work && !number--)
			return &point->savings[i];
	return NULL;
}

static bool is_telling(const struct why_point *point, const struct why_saving *saving)
{
	return !saving->even && why_saved_s(point, saving) >= WHY_SAVING_LEAST * point->wall_s;
}

size_t why_telling(const struct why *why)
{
	const struct why_point *last = why->points + why->count - 1;
	size_t count = 0;

	while (count < why->tried && is_telling(last, &last->savings[count]))
		count++;
	return count;
}

/* --- Numbers of cores ---------------------------------------------------------------------- */

static int by_cores(const void *left, const void *right)
{
	const struct why_point *a = left, *b = right;

	return compare_values(a->cores, b->cores);
}

static void why_list_points(struct why *why, const struct why_request *request)
{
	double size =
		simulation_size(why->program, request->machine) + (double)why->program->site_count;
	size_t count = request->count;

	why->points = xcalloc(count + 1, sizeof(*why->points));
	for (size_t i = 0; i < count; i++)
		why->points[i].cores = request->cores[i];
	qsort(why->points, count, sizeof(*why->points), by_cores);
	for (size_t i = 0; i < count; i++)
		if (!i || why->points[i].cores != why->points[why->count - 1].cores)
			why->points[why->count++] = why->points[i];
	if (why->count > 1 && size * (WHY_SITES + WHY_WORKS) * (double)why->count > WHY_SIZE_MOST) {
		why->points[0] = why->points[why->count - 1];
		why->count = 1;
	}
}

/* --- With all sites, and with none --------------------------------------------------------- */

static struct replay replay_at(const struct finder *finder, uint64_t cores,
			       const double *site_costs)
{
	struct replay replay = replay_on(finder->why->program, finder->request->machine, cores);

	if (site_costs)
		replay.machine.site_costs = site_costs;
	return replay;
}

/* Returns the wall time, or NaN if more threads are stuck than in the unchanged program. */
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
		for (size_t site = 0; site < site_count; site++)
			finder->waited_ns[i * site_count + finder->groups->first[site]] +=
				whole->waited_ns[site];
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
		replays[2 * i] = replay_at(finder, why->points[i].cores, NULL);
		replays[2 * i].waited = true;
		replays[2 * i + 1] = replay_at(finder, why->points[i].cores, finder->no_costs);
	}
	replays[2 * why->count] = replay_at(finder, SIMULATION_CORES_MAX, NULL);
	rc = why_run_replays(finder, replays, 2 * why->count + 1, err);
	if (!rc)
		keep_whole(finder, replays);
	free(replays);
	return rc;
}

/* --- Without one site ---------------------------------------------------------------------- */

/* Returns whether site a comes first: with the longer wait, or else with the lower number. */
static bool waits_longer(const uint64_t *waited_ns, uint32_t a, uint32_t b)
{
	return waited_ns[a] != waited_ns[b] ? waited_ns[a] > waited_ns[b] : a < b;
}

/*
 * Chooses the sites with the longest waits on the most cores, in this order. Returns their number.
 * Joins are left out: a thread that waits for the end of another waits for all its work.
 */
static size_t choose_sites(uint32_t chosen[WHY_SITES], struct finder *finder)
{
	struct why *why = finder->why;
	size_t site_count = why->program->site_count, count = 0, waited = 0;
	const uint64_t *waited_ns = &finder->waited_ns[(why->count - 1) * site_count];

	for (uint32_t site = 0; site < site_count; site++) {
		size_t at = count;

		if (!waited_ns[site] || why->program->sites[site].kind == SITE_JOIN)
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

	for (size_t i = 0; i < why->count; i++) {
		why->points[i].savings =
			xcalloc(why->tried + WHY_WORKS + 1, sizeof(struct why_saving));
		for (size_t j = 0; j < why->tried; j++) {
			struct why_saving *saving = &why->points[i].savings[j];

			*saving = finder->groups->sums[chosen[j]];
			saving->waited_s =
				(double)finder->waited_ns[i * site_count + chosen[j]] / 1e9;
			saving->wall_s = wall_s_of(&replays[i * why->tried + j], finder->stuck[i]);
		}
	}
}

static int run_without(struct finder *finder, const uint32_t *chosen, struct err *err)
{
	struct why *why = finder->why;
	const double *before = finder->request->machine->site_costs;
	size_t site_count = why->program->site_count;
	double *costs = xcalloc(why->tried * site_count + 1, sizeof(*costs));
	struct replay *replays = xcalloc(why->count * why->tried + 1, sizeof(*replays));
	int rc;

	for (size_t j = 0; j < why->tried; j++) {
		double *own = &costs[j * site_count];

		for (size_t site = 0; site < site_count; site++)
			own[site] = finder->groups->first[site] == chosen[j] ? 0
				    : before				     ? before[site]
									     : 1;
		for (size_t i = 0; i < why->count; i++)
			replays[i * why->tried + j] = replay_at(finder, why->points[i].cores, own);
	}
	rc = why_run_replays(finder, replays, why->count * why->tried, err);
	if (!rc)
		keep_savings(finder, replays, chosen);
	free(replays);
	free(costs);
	return rc;
}

/* --- With half of a piece of work ------------------------------------------------------------ */

/* Finds the work on the critical path on the most cores. */
static int choose_works(struct finder *finder, struct err *err)
{
	struct why *why = finder->why;
	const struct why_point *last = &why->points[why->count - 1];
	struct replay replay = replay_at(finder, last->cores, NULL);
	double work_s = (double)program_work_ns(why->program) / 1e9;
	double *path_ns;

	if (!finder->request->work || why->by == WHY_BY_PROCESS || work_s <= 0)
		return 0;
	if (simulate_path(&path_ns, &replay.simulated, why->program, &replay.machine, err))
		return -1;
	if (path_ns)
		why->work_count = work_rank(why->works, WHY_WORKS, why->program,
					    finder->request->work, path_ns, why->by == WHY_BY_NAME);
	/* The wall time is a mean, and slowed work takes longer. */
	finder->slower = (double)replay.simulated.busy_ns / 1e9 / work_s * last->wall_s * 1e9 /
			 (double)replay.simulated.wall_ns;
	for (size_t i = 0; i < why->work_count; i++)
		why->works[i].path_ns *= finder->slower;
	free(path_ns);
	return 0;
}

static void keep_work(struct finder *finder, const struct replay *replays,
		      const struct work_on_path *piece, double cpu_share)
{
	const double even_share = 1.25;
	struct why *why = finder->why;
	double work_s = finder->slower * cpu_share * (double)program_work_ns(why->program) / 1e9;
	double cores = (double)why->points[why->count - 1].cores;

	for (size_t i = 0; i < why->count; i++)
		why->points[i].savings[why->tried] = (struct why_saving){
			.work = piece->text,
			.site = PROGRAM_NONE,
			.sites = PROGRAM_NONE,
			.pid = OF_SEVERAL,
			.name = piece->threads,
			.visits = UINT64_MAX,
			.waited_s = NAN,
			.path_s = i + 1 == why->count ? piece->path_ns / 1e9 : (double)NAN,
			.work_s = work_s,
			.even = piece->path_ns / 1e9 <= even_share * work_s / cores,
			.share = WHY_WORK_LEFT,
			.wall_s = wall_s_of(&replays[i], finder->stuck[i]),
		};
	why->tried++;
}

static int run_with_less(struct finder *finder, const struct work_on_path *piece, struct err *err)
{
	struct why *why = finder->why;
	struct work_change change = {.share = WHY_WORK_LEFT};
	struct replay *replays;
	struct program program;
	int rc;

	/* Work of a damaged input may have samples without CPU time. */
	if (work_find(&change.part, finder->request->work, piece->text, err)) {
		work_part_release(&change.part);
		return 0;
	}
	program_copy(&program, why->program);
	work_scale(&program, finder->request->work, &change, 1);
	replays = xcalloc(why->count, sizeof(*replays));
	for (size_t i = 0; i < why->count; i++) {
		replays[i] = replay_at(finder, why->points[i].cores, NULL);
		replays[i].program = &program;
	}
	rc = why_run_replays(finder, replays, why->count, err);
	if (!rc)
		keep_work(finder, replays, piece, change.part.share);
	free(replays);
	program_release(&program);
	work_part_release(&change.part);
	return rc;
}

/* --- The order of savings ------------------------------------------------------------------ */

/* Orders savings: those that tell first, unknown ones last; equal ones by the order of waits. */
static bool saves_more(const struct why_point *point, const struct why_saving *a,
		       const struct why_saving *b)
{
	if (isnan(a->wall_s) || isnan(b->wall_s))
		return !isnan(a->wall_s) && isnan(b->wall_s);
	if (is_telling(point, a) != is_telling(point, b))
		return is_telling(point, a);
	return a->wall_s < b->wall_s;
}

/* Sorts the savings of all points by those of the last point. */
static void sort_savings(struct why *why)
{
	const struct why_point *point = &why->points[why->count - 1];
	const struct why_saving *last = point->savings;

	for (size_t i = 1; i < why->tried; i++)
		for (size_t j = i; j && saves_more(point, &last[j], &last[j - 1]); j--)
			for (size_t k = 0; k < why->count; k++) {
				struct why_saving *savings = why->points[k].savings;
				struct why_saving moved = savings[j];

				savings[j] = savings[j - 1];
				savings[j - 1] = moved;
			}
}

static int why_find(struct finder *finder, struct err *err)
{
	struct why *why = finder->why;
	uint32_t chosen[WHY_SITES + 1];

	if (run_whole(finder, err))
		return -1;
	why->tried = choose_sites(chosen, finder);
	if (choose_works(finder, err))
		return -1;
	finder->size = finder->done + why->count * (why->tried + why->work_count);
	if (run_without(finder, chosen, err))
		return -1;
	for (size_t i = 0; i < why->work_count; i++)
		if (run_with_less(finder, &why->works[i], err))
			return -1;
	sort_savings(why);
	return 0;
}

int why_init(struct why *why, const struct why_request *request, struct err *err)
{
	const struct program *program = request->program;
	struct finder finder = {.why = why, .request = request};
	struct site_groups groups;
	int rc;

	*why = (struct why){.program = program, .by = request->by};
	why_list_points(why, request);
	if (!why->count)
		return 0;
	if (why->by == WHY_BY_NAME)
		why->names = thread_names_groups(program->threads, program->thread_count,
						 THREAD_NAME_PLACE(struct program_thread));
	site_groups_init(&groups, why);
	finder.groups = &groups;
	finder.size = 2 * why->count + 1 + why->count * (WHY_SITES + WHY_WORKS);
	finder.no_costs = xcalloc(program->site_count + 1, sizeof(*finder.no_costs));
	finder.stuck = xcalloc(why->count, sizeof(*finder.stuck));
	finder.waited_ns = xcalloc(why->count * program->site_count + 1, sizeof(*finder.waited_ns));
	rc = why_find(&finder, err);
	free(finder.no_costs);
	free(finder.stuck);
	free(finder.waited_ns);
	site_groups_release(&groups);
	return rc;
}

static void scale_point(struct why_point *point, size_t savings, double factor)
{
	point->wall_s *= factor;
	point->free_s *= factor;
	for (size_t i = 0; i < savings; i++) {
		point->savings[i].waited_s *= factor;
		point->savings[i].path_s *= factor;
		point->savings[i].work_s *= factor;
		point->savings[i].wall_s *= factor;
	}
}

void why_scale(struct why *why, const struct forecast_points *scaled)
{
	for (size_t i = 0; i < why->count; i++)
		scale_point(&why->points[i], why->tried,
			    scale_factor(scaled, why->program, why->points[i].cores));
	why->unlimited_s *= scale_factor(scaled, why->program, SIMULATION_CORES_MAX);
}

void why_release(struct why *why)
{
	for (size_t i = 0; i < why->count; i++)
		free(why->points[i].savings);
	work_on_path_release(why->works, why->work_count);
	free(why->points);
	for (size_t i = 0; why->names && i < why->program->thread_count; i++)
		thread_name_release(&why->names[i]);
	free(why->names);
	*why = (struct why){0};
}
