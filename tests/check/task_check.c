/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/task_check.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "stats/stretch/stretch.h"
#include "stats/stretch/stretch_private.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The loss is checked in so many parts of the run; a graph has at most so many nodes. */
enum { PARTS = 7, NODES_MAX = 5 };

#define SLACK 1e-9

/* --- The tree ------------------------------------------------------------------------------ */

static int check_parent(const struct task_tree *tree, uint32_t i, struct err *err)
{
	const struct task *task = &tree->tasks[i];

	if (task->parent == TASK_NONE)
		return task->level
			       ? err_set(err, "task %u has no parent and level %u", i, task->level)
			       : 0;
	if (task->parent >= i)
		return err_set(err, "the parent of task %u is %u", i, task->parent);
	if (task->level != tree->tasks[task->parent].level + 1 || task->level >= tree->levels)
		return err_set(err, "task %u of %u levels is at level %u", i, tree->levels,
			       task->level);
	if (task->spawn != TASK_NONE && task->spawn >= tree->tasks[task->parent].interval_count)
		return err_set(err, "task %u is spawned behind block %u", i, task->spawn);
	return 0;
}

static int check_times(const struct task_tree *tree, uint32_t i, struct err *err)
{
	const struct task *task = &tree->tasks[i];

	if (!task->begun)
		return task->interval_count ? err_set(err, "task %u has blocks and no begin", i)
					    : 0;
	if (task->ready_ns > task->begin_ns || task->begin_ns > task->end_ns ||
	    task->end_ns > tree->end_ns || task->ready_ns < tree->begin_ns)
		return err_set(err,
			       "task %u is ready at %" PRIu64 " and lasts from %" PRIu64
			       " to %" PRIu64,
			       i, task->ready_ns, task->begin_ns, task->end_ns);
	if (task->synced_ns > tree->end_ns)
		return err_set(err, "task %u is waited for behind the end", i);
	return 0;
}

static int check_block(const struct task_tree *tree, uint32_t task, size_t i, struct err *err)
{
	const struct task_interval *interval = &tree->intervals[i];
	const struct task *own = &tree->tasks[task];

	if (interval->task != task || interval->worker >= tree->worker_count)
		return err_set(err, "block %zu is of task %u and worker %u", i, interval->task,
			       interval->worker);
	if (interval->begin_ns > interval->end_ns || interval->begin_ns < own->begin_ns ||
	    interval->end_ns > own->end_ns ||
	    interval->running_ns > interval->end_ns - interval->begin_ns)
		return err_set(err,
			       "block %zu lasts from %" PRIu64 " to %" PRIu64 " and runs for "
			       "%" PRIu64 " ns, task %u from %" PRIu64 " to %" PRIu64,
			       i, interval->begin_ns, interval->end_ns, interval->running_ns, task,
			       own->begin_ns, own->end_ns);
	if (i > own->first && interval->begin_ns < tree->intervals[i - 1].end_ns)
		return err_set(err, "block %zu begins before the one before it ends", i);
	return interval->step >= TASK_STEPS || interval->step_end >= TASK_STEPS
		       ? err_set(err, "block %zu has no such step", i)
		       : 0;
}

static int check_task(const struct task_tree *tree, uint32_t i, struct err *err)
{
	const struct task *task = &tree->tasks[i];

	if (task->first + task->interval_count > tree->interval_count)
		return err_set(err, "task %u has blocks up to %zu", i,
			       task->first + task->interval_count);
	if (check_parent(tree, i, err) || check_times(tree, i, err))
		return -1;
	for (size_t j = 0; j < task->interval_count; j++)
		if (check_block(tree, i, task->first + j, err))
			return -1;
	return 0;
}

static int check_syncs(const struct task_tree *tree, struct err *err)
{
	uint8_t *synced = xcalloc(tree->task_count + 1, 1);
	int rc = 0;

	for (size_t i = 0; !rc && i < tree->sync_count; i++) {
		const struct task_sync *sync = &tree->syncs[i];

		if (sync->after >= tree->interval_count ||
		    (i && sync->after < tree->syncs[i - 1].after) ||
		    sync->first + sync->count > tree->synced_count)
			rc = err_set(err, "sync %zu behind block %zu waits for %zu", i, sync->after,
				     sync->first + sync->count);
		for (size_t j = 0; !rc && j < sync->count; j++) {
			uint32_t task = tree->synced[sync->first + j];

			if (task >= tree->task_count || synced[task]++)
				rc = err_set(err, "task %u is waited for twice", task);
		}
	}
	free(synced);
	return rc;
}

struct presence {
	uint32_t worker;
	uint64_t begin_ns, end_ns;
};

static int by_worker(const void *a, const void *b)
{
	const struct presence *one = a, *other = b;

	if (one->worker != other->worker)
		return one->worker < other->worker ? -1 : 1;
	if (one->begin_ns != other->begin_ns)
		return one->begin_ns < other->begin_ns ? -1 : 1;
	return (one->end_ns > other->end_ns) - (one->end_ns < other->end_ns);
}

static int check_workers(const struct task_tree *tree, struct err *err)
{
	struct presence *present = xcalloc(tree->interval_count + 1, sizeof(*present));
	int rc = 0;

	for (size_t i = 0; i < tree->interval_count; i++)
		present[i] =
			(struct presence){tree->intervals[i].worker, tree->intervals[i].begin_ns,
					  tree->intervals[i].end_ns};
	qsort(present, tree->interval_count, sizeof(*present), by_worker);
	for (size_t i = 0; !rc && i < tree->interval_count; i++) {
		const struct task_worker *worker = &tree->workers[present[i].worker];

		if (i && present[i].worker == present[i - 1].worker &&
		    present[i].begin_ns < present[i - 1].end_ns)
			rc = err_set(err, "worker %u is in two blocks at %" PRIu64,
				     present[i].worker, present[i].begin_ns);
		else if (present[i].begin_ns < worker->begin_ns ||
			 present[i].end_ns > worker->end_ns)
			rc = err_set(err,
				     "worker %u, there from %" PRIu64 " to %" PRIu64
				     ", is in a block from %" PRIu64 " to %" PRIu64,
				     present[i].worker, worker->begin_ns, worker->end_ns,
				     present[i].begin_ns, present[i].end_ns);
	}
	free(present);
	return rc;
}

int task_check_tree(const struct task_tree *tree, struct err *err)
{
	if (!tree->task_count || tree->begin_ns > tree->end_ns)
		return err_set(err, "%zu tasks from %" PRIu64 " to %" PRIu64, tree->task_count,
			       tree->begin_ns, tree->end_ns);
	for (uint32_t i = 0; i < tree->task_count; i++)
		if (check_task(tree, i, err))
			return -1;
	return check_syncs(tree, err) || check_workers(tree, err) ? -1 : 0;
}

/* --- The loss ------------------------------------------------------------------------------ */

static double work_of(const struct task_tree *tree)
{
	double ns = 0;

	for (size_t i = 0; i < tree->interval_count; i++)
		ns += (double)tree->intervals[i].running_ns;
	return ns / 1e9;
}

static bool is_close(double got, double want)
{
	return fabs(got - want) <= SLACK * fabs(want) + SLACK;
}

static int check_sum(const struct time_loss *loss, struct err *err)
{
	const double parts[] = {loss->work_s,	 loss->overhead_s,  loss->delay_s,
				loss->no_work_s, loss->preempted_s, loss->crowded_s};
	double sum = loss->work_s + loss->overhead_s + loss->delay_s + loss->no_work_s;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!(parts[i] >= 0))
			return err_set(err, "part %zu of the loss is %g s", i, parts[i]);
	if (!(loss->preempted_s <= loss->delay_s * (1 + SLACK)))
		return err_set(err, "%g s of the delay of %g s are preempted", loss->preempted_s,
			       loss->delay_s);
	return is_close(sum, loss->cores * loss->wall_s)
		       ? 0
		       : err_set(err, "the loss is %.17g s of %.17g s", sum,
				 loss->cores * loss->wall_s);
}

static int check_cores(const struct task_tree *tree, unsigned cores, struct err *err)
{
	struct time_loss all, parts[PARTS], sum = {0};

	time_loss_of_tasks(&all, tree, cores);
	if (check_sum(&all, err))
		return -1;
	if ((cores && all.cores != cores) ||
	    !is_close(all.wall_s, (double)(tree->end_ns - tree->begin_ns) / 1e9))
		return err_set(err, "the loss is of %g cores for %g s", all.cores, all.wall_s);
	if (all.work_s > work_of(tree) * (1 + SLACK) + SLACK)
		return err_set(err, "%g s of work are none", all.work_s - work_of(tree));
	time_loss_of_tasks_over_time(parts, PARTS, tree, cores);
	for (size_t i = 0; i < PARTS; i++) {
		if (check_sum(&parts[i], err))
			return -1;
		sum.wall_s += parts[i].wall_s;
		sum.work_s += parts[i].work_s;
		sum.delay_s += parts[i].delay_s;
		sum.overhead_s += parts[i].overhead_s;
	}
	return is_close(sum.wall_s, all.wall_s) && is_close(sum.work_s, all.work_s) &&
			       is_close(sum.delay_s, all.delay_s) &&
			       is_close(sum.overhead_s, all.overhead_s)
		       ? 0
		       : err_set(err, "the loss in parts is not that of all of them");
}

int task_check_loss(const struct task_tree *tree, struct err *err)
{
	for (unsigned cores = 0; cores <= 3; cores++)
		if (check_cores(tree, cores, err))
			return -1;
	return 0;
}

/* --- The graph ----------------------------------------------------------------------------- */

static int check_nodes(const struct dag *dag, const struct task_tree *tree, struct err *err)
{
	uint64_t work_ns = 0, critical_ns = 0, blocks = 0, tasks = 0;

	for (size_t i = 0; i < dag->node_count; i++) {
		const struct dag_node *node = &dag->nodes[i];

		if (node->task >= tree->task_count || node->critical_ns > node->work_ns ||
		    node->begin_ns > node->end_ns)
			return err_set(err, "node %zu of task %u is none", i, node->task);
		work_ns += node->work_ns;
		critical_ns += node->critical_ns;
		blocks += node->blocks;
		tasks += node->tasks;
	}
	if (work_ns != dag->work_ns || critical_ns != dag->span_ns ||
	    blocks != tree->interval_count || tasks > tree->task_count)
		return err_set(err,
			       "nodes have %" PRIu64 " of %" PRIu64 " ns, %" PRIu64 " of %" PRIu64
			       " critical ns, %" PRIu64 " blocks, %" PRIu64 " tasks",
			       work_ns, dag->work_ns, critical_ns, dag->span_ns, blocks, tasks);
	return 0;
}

static int check_graph(const struct dag *dag, const struct task_tree *tree,
		       const struct dag_options *options, struct err *err)
{
	if (dag->span_ns > dag->work_ns || !is_close((double)dag->work_ns / 1e9, work_of(tree)))
		return err_set(err, "the span is %" PRIu64 " ns of %" PRIu64, dag->span_ns,
			       dag->work_ns);
	if (options->max_nodes && dag->node_count > options->max_nodes)
		return err_set(err, "there are %zu nodes", dag->node_count);
	for (size_t i = 0; i < dag->edge_count; i++)
		if (dag->edges[i].from >= dag->node_count || dag->edges[i].to >= dag->node_count ||
		    !dag->edges[i].count)
			return err_set(err, "edge %zu leads from %u to %u", i, dag->edges[i].from,
				       dag->edges[i].to);
	return check_nodes(dag, tree, err);
}

int task_check_dag(const struct task_tree *tree, struct err *err)
{
	static const struct dag_options options[] = {
		{UINT32_MAX, 0}, {UINT32_MAX, NODES_MAX}, {0, 0}, {1, 0}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct dag dag;
		int rc;

		dag_init(&dag, tree, &options[i]);
		rc = check_graph(&dag, tree, &options[i], err);
		dag_release(&dag);
		if (rc)
			return -1;
	}
	return 0;
}

/* --- All of it ----------------------------------------------------------------------------- */

int task_check_trace(struct event_source *source, struct err *err)
{
	const struct selection everybody = {0};
	struct err why = {.text = ""};
	struct task_tree tree = {.tasks = NULL};
	int rc = 0;

	if (task_tree_read(&tree, source, &everybody, &why))
		return tree.tasks ? err_set(err, "a tree that was refused is there") : 0;
	if (task_check_tree(&tree, err) || task_check_loss(&tree, err) ||
	    task_check_dag(&tree, err))
		rc = -1;
	task_tree_release(&tree);
	return rc;
}

/* --- Stretch ------------------------------------------------------------------------------- */

static int check_columns(const struct stretch *stretch, struct err *err)
{
	for (size_t i = 0; i < stretch->column_count; i++) {
		const struct stretch_column *column = &stretch->columns[i];

		if (!is_close(column->work_s, stretch->serial_s) || fabs(column->longer_s) > SLACK)
			return err_set(err, "%g s of %g s are longer", column->longer_s,
				       column->work_s);
		if (column->has_loss && check_sum(&column->loss, err))
			return -1;
	}
	return 0;
}

static int check_parts(const struct stretch *stretch, struct err *err)
{
	struct sampled_loss parts[PARTS];
	double serial_s = 0;

	if (!stretch->column_count || !stretch->columns[0].has_loss)
		return 0;
	stretch_over_time(parts, PARTS, stretch, 0, 0);
	for (size_t i = 0; i < PARTS; i++) {
		if (check_sum(&parts[i].loss, err))
			return -1;
		serial_s += parts[i].serial_work_s;
	}
	return is_close(serial_s, stretch->serial_s)
		       ? 0
		       : err_set(err, "%g s of serial work are %g s in parts", stretch->serial_s,
				 serial_s);
}

/* The run is its own serial run. */
static int check_against_itself(const struct stretch_run *run, enum stretch_by by, struct err *err)
{
	const struct stretch_run runs[] = {*run, *run};
	struct stretch stretch;
	int rc = stretch_init(&stretch, runs, 2, 1, by, err);

	if (!rc && (check_columns(&stretch, err) || check_parts(&stretch, err)))
		rc = -1;
	stretch_release(&stretch);
	return rc;
}

int task_check_stretch(struct event_source *source, unsigned by, struct err *err)
{
	const struct stretch_options options = {
		.by = (enum stretch_by)(STRETCH_BY_SEGMENT +
					by % (STRETCH_BYS - STRETCH_BY_SEGMENT)),
		.timed = true,
		.level = by % 3,
	};
	struct err why = {.text = ""};
	struct stretch_run run;
	int rc;

	if (stretch_run_read(&run, source, &options, &why))
		return 0;
	rc = check_against_itself(&run, options.by, err);
	stretch_run_release(&run);
	return rc;
}
