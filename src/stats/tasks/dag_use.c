/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conclusions from a dag: the places with the work of the program, and its limit. */
#include "stats/tasks/dag_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/blocks.h"

#include <math.h>

/* --- Sites --------------------------------------------------------------------------------- */

static int compare_sites(const void *left, const void *right)
{
	const struct dag_site *a = left, *b = right;

	return compare_values(b->critical_ns, a->critical_ns)
		       ?: compare_values(b->work_ns, a->work_ns) ?: compare_values(a->site, b->site);
}

/* Returns the place of the task's site; the last one of `room` is for unknown sites. */
static size_t place_of(const struct task_tree *tree, uint32_t task, size_t room)
{
	return tree->tasks[task].site < room ? tree->tasks[task].site : room - 1;
}

static struct dag_site *site_of(struct dag_site *sites, size_t room, const struct task_tree *tree,
				size_t interval)
{
	return &sites[place_of(tree, tree->intervals[interval].task, room)];
}

void dag_add_sites(struct dag *dag, const struct task_tree *tree, const size_t *steps,
		   size_t step_count)
{
	size_t room = tree->blocks->count + 1; /* the last: not known */
	struct dag_site *sites = xcalloc(room, sizeof(*sites));

	for (size_t i = 0; i < room; i++)
		sites[i].site = i + 1 < room ? (uint32_t)i : TASK_UNKNOWN_SITE;
	for (size_t i = 0; i < tree->task_count; i++)
		sites[place_of(tree, (uint32_t)i, room)].tasks++;
	for (size_t i = 0; i < tree->interval_count; i++)
		site_of(sites, room, tree, i)->work_ns += tree->intervals[i].running_ns;
	for (size_t i = 0; i < step_count; i++)
		if (steps[i] < tree->interval_count) /* not a join */
			site_of(sites, room, tree, steps[i])->critical_ns +=
				tree->intervals[steps[i]].running_ns;
	for (size_t i = 0; i < room; i++)
		if (sites[i].tasks)
			sites[dag->site_count++] = sites[i];
	dag->sites = sites;
	sort_items(sites, dag->site_count, compare_sites);
}

/* --- Limits -------------------------------------------------------------------------------- */

/* From this share on a part is most of a whole. */
static const double MAIN_PART = 0.8;

/* Returns the run-queue wait between the first step of a task and the last. */
static double waited_for_cpu_s(const struct task_tree *tree, const struct task_worker *worker)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < worker->absence_count; i++) {
		const struct task_absence *absence = &worker->absences[i];
		uint64_t begin_ns =
			absence->begin_ns > tree->begin_ns ? absence->begin_ns : tree->begin_ns;
		uint64_t end_ns = absence->end_ns < tree->end_ns ? absence->end_ns : tree->end_ns;

		if (absence->kind == TASK_WAITS_FOR_CPU && end_ns > begin_ns)
			sum_ns += end_ns - begin_ns;
	}
	return (double)sum_ns / 1e9;
}

static enum dag_limit limit_of(const struct dag_use *use)
{
	double run_queue_share =
		use->run_queue_s / ((double)use->wall_ns / 1e9 * (double)use->workers);

	if (!(use->busy_share > 0))
		return DAG_LIMIT_UNKNOWN;
	if (use->path_share >= MAIN_PART)
		return DAG_LIMIT_PATH;
	if (use->busy_share >= MAIN_PART)
		return DAG_LIMIT_WORKERS;
	return run_queue_share >= 1 - use->busy_share - run_queue_share ? DAG_LIMIT_RUN_QUEUE
									: DAG_LIMIT_TASKS;
}

struct dag_use dag_use_of(const struct dag *dag, const struct task_tree *tree)
{
	double work_s = (double)dag->work_ns / 1e9, span_s = (double)dag->span_ns / 1e9, wall_s;
	struct dag_use use = {.workers = tree->worker_count,
			      .wall_ns = tree->end_ns - tree->begin_ns,
			      .run_queue_s = tree->has_states ? 0 : (double)NAN};

	wall_s = (double)use.wall_ns / 1e9;
	for (size_t i = 0; i < tree->worker_count; i++)
		use.run_queue_s += waited_for_cpu_s(tree, &tree->workers[i]);
	use.busy_share = wall_s > 0 ? work_s / (wall_s * (double)use.workers) : (double)NAN;
	use.path_share = wall_s > 0 ? span_s / wall_s : (double)NAN;
	use.parallelism = span_s > 0 ? work_s / span_s : (double)NAN;
	use.limit = limit_of(&use);
	return use;
}
