/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for an index and a dot or NUL for each level. */
enum { PATH_ROOM = (STRETCH_LEVEL_MAX + 1) * sizeof("4294967295") };

/* --- The region of an interval -------------------------------------------------------------- */

/* Intervals with the same code are in one region; several codes may have one name. */
struct coded {
	uint64_t code;
	size_t interval;
};

struct naming {
	struct stretch_run *run;
	const struct task_tree *tree;
	const struct stretch_options *options;
	uint32_t *heads; /* [task]: the task above its subtree */
	size_t capacity;
	struct map numbers;
};

static int by_code(const void *a, const void *b)
{
	const struct coded *one = a, *other = b;

	return compare_values(one->code, other->code);
}

/* A parent comes before its children. */
static uint32_t *find_heads(const struct task_tree *tree, uint32_t level)
{
	uint32_t *heads = xcalloc(tree->task_count + 1, sizeof(*heads));

	for (uint32_t i = 0; i < tree->task_count; i++) {
		const struct task *task = &tree->tasks[i];

		heads[i] =
			task->level > level && task->parent != TASK_NONE ? heads[task->parent] : i;
	}
	return heads;
}

static uint64_t code_of(const struct naming *naming, const struct task_interval *interval)
{
	switch (naming->options->by) {
	case STRETCH_BY_LEVEL:
		return naming->tree->tasks[interval->task].level;
	case STRETCH_BY_SUBTREE:
		return naming->heads[interval->task];
	case STRETCH_BY_TASK:
		return interval->site;
	default:
		return (uint64_t)interval->site << 32 | interval->site_end;
	}
}

static char *path_of(const struct task_tree *tree, uint32_t task)
{
	char text[PATH_ROOM];

	return xstrdup(task_tree_path(text, sizeof(text), tree, task));
}

/* Sets the lines of a region, in the file of its begin; the end only if it is in this file. */
static void set_sites(struct stretch_region *block, const struct naming *naming,
		      const struct task_interval *interval)
{
	const struct site_name begin = task_site_name(naming->tree, interval->site);
	const struct site_name end = task_site_name(naming->tree, interval->site_end);

	block->function = xasprintf("%.*s", begin.function_length, begin.function);
	if (!begin.file)
		return;
	block->file = xasprintf("%.*s", begin.file_length, begin.file);
	if (naming->options->by != STRETCH_BY_SEGMENT)
		return;
	block->line = begin.line;
	if (end.file && end.file_length == begin.file_length &&
	    strncmp(end.file, begin.file, (size_t)end.file_length) == 0)
		block->line2 = end.line;
}

static void describe(struct stretch_region *block, const struct naming *naming,
		     const struct task_interval *interval)
{
	const struct task_tree *tree = naming->tree;
	const char *program = naming->run->program;

	*block = (struct stretch_region){.level = -1, .object = program ? xstrdup(program) : NULL};
	if (naming->options->by == STRETCH_BY_LEVEL)
		block->level = (int32_t)tree->tasks[interval->task].level;
	else if (naming->options->by == STRETCH_BY_SUBTREE)
		block->path = path_of(tree, naming->heads[interval->task]);
	else
		set_sites(block, naming, interval);
}

static uint32_t intern(struct naming *naming, const struct task_interval *interval)
{
	struct stretch_run *run = naming->run;
	struct stretch_region block;
	uint32_t number;

	describe(&block, naming, interval);
	number = stretch_region_number(&naming->numbers, &block, naming->options->by);
	if (number < run->work_count) {
		stretch_region_release(&block);
		return number;
	}
	array_reserve(&run->work, &naming->capacity, run->work_count + 1);
	run->work[run->work_count++] = (struct stretch_work){.block = block};
	return number;
}

static void name_intervals(struct naming *naming)
{
	const struct task_tree *tree = naming->tree;
	struct coded *coded = xcalloc(tree->interval_count + 1, sizeof(*coded));
	uint32_t *block_of = xcalloc(tree->interval_count + 1, sizeof(*block_of));

	for (size_t i = 0; i < tree->interval_count; i++)
		coded[i] = (struct coded){code_of(naming, &tree->intervals[i]), i};
	sort_items(coded, tree->interval_count, by_code);
	for (size_t i = 0; i < tree->interval_count; i++)
		block_of[coded[i].interval] =
			i && coded[i].code == coded[i - 1].code
				? block_of[coded[i - 1].interval]
				: intern(naming, &tree->intervals[coded[i].interval]);
	naming->run->block_of = block_of;
	free(coded);
}

/* --- A run --------------------------------------------------------------------------------- */

static void add_work(struct stretch_run *run)
{
	for (size_t i = 0; i < run->tree->interval_count; i++) {
		struct stretch_work *work = &run->work[run->block_of[i]];
		double seconds = (double)run->tree->intervals[i].running_ns / 1e9;

		work->seconds += seconds;
		work->squares_s2 += seconds * seconds;
		work->samples++;
		run->work_s += seconds;
		run->samples++;
	}
}

static void add_counts(struct stretch_run *run)
{
	const struct task_counters *counters = &run->tree->counters;

	run->counts = xcalloc(run->work_count * counters->count + 1, sizeof(*run->counts));
	for (size_t i = 0; i < run->tree->interval_count; i++)
		for (size_t j = 0; j < counters->count; j++) {
			uint64_t *sum = &run->counts[run->block_of[i] * counters->count + j];

			*sum = task_count_sum(*sum, task_counter_value(&counters->items[j], i));
		}
}

/* Returns the number of workers with a tenth or more of the work of the largest. */
static size_t count_workers(const struct task_tree *tree)
{
	double *work = xcalloc(tree->worker_count + 1, sizeof(*work)), most = 0;
	size_t count = 0;

	for (size_t i = 0; i < tree->interval_count; i++) {
		double *own = &work[tree->intervals[i].worker];

		*own += (double)tree->intervals[i].running_ns;
		most = fmax(most, *own);
	}
	for (size_t i = 0; i < tree->worker_count; i++)
		count += work[i] >= .1 * most && work[i] > 0;
	free(work);
	return count;
}

/* Returns the name of the process, that of its first thread if it is a worker. */
static char *program_of(const struct task_tree *tree)
{
	for (size_t i = 0; i < tree->worker_count; i++)
		if (tree->workers[i].tid == tree->workers[i].pid && *tree->workers[i].comm)
			return xstrdup(tree->workers[i].comm);
	return tree->worker_count && *tree->workers[0].comm ? xstrdup(tree->workers[0].comm) : NULL;
}

static void set_facts(struct stretch_run *run, const struct event_source *source,
		      const struct stretch_options *options)
{
	double cores = options->cores > 0 ? options->cores : source->target.affinity_count;
	struct time_loss loss;

	run->program = program_of(run->tree);
	run->threads = count_workers(run->tree);
	run->has_states = true;
	run->quality = run->tree->quality;
	run->unknown_s = (double)run->tree->unknown_ns / 1e9;
	time_loss_of_tasks(&loss, run->tree, (unsigned)cores);
	run->cores = loss.cores;
	run->wall_s = loss.wall_s;
	run->overhead_s = loss.overhead_s;
}

int stretch_tasks_read(struct stretch_run *run, struct event_source *source,
		       const struct stretch_options *options, struct err *err)
{
	struct naming naming = {.run = run, .options = options};
	struct task_tree *tree = xcalloc(1, sizeof(*tree));

	if (task_tree_read(tree, source, &options->target, err)) {
		free(tree);
		return -1;
	}
	run->tree = tree;
	set_facts(run, source, options);
	naming.tree = tree;
	naming.heads = find_heads(tree, options->level);
	name_intervals(&naming);
	add_work(run);
	add_counts(run);
	run->named_s = run->work_s;
	run->all_s = run->work_s + run->overhead_s;
	run->tick_s = NAN;
	map_release(&naming.numbers);
	free(naming.heads);
	return 0;
}

void stretch_tasks_release(struct stretch_run *run)
{
	if (run->tree)
		task_tree_release(run->tree);
	free(run->tree);
	free(run->block_of);
	free(run->counts);
	run->tree = NULL;
	run->block_of = NULL;
	run->counts = NULL;
}

/* --- The loss ------------------------------------------------------------------------------ */

/* Adds a region's share to each part of the time, as if it ran evenly. */
static void add_serial(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
		       const struct task_interval *interval, double serial)
{
	double begin_ns = (double)run->tree->begin_ns;
	double part_ns = (double)(run->tree->end_ns - run->tree->begin_ns) / (double)count;
	double from = (double)interval->begin_ns, to = (double)interval->end_ns;
	double rate = (double)interval->running_ns / 1e9 / (to - from) * serial;
	size_t i = (size_t)fmax(0, (from - begin_ns) / part_ns);

	for (; i < count && begin_ns + (double)i * part_ns < to; i++) {
		double low = fmax(from, begin_ns + (double)i * part_ns);
		double high = fmin(to, begin_ns + (double)(i + 1) * part_ns);

		parts[i].serial_work_s += fmax(0, high - low) * rate;
	}
}

/* Several: more than one at once, on average. */
static void set_several(struct sampled_loss *part)
{
	double busy_s = part->loss.work_s + part->loss.overhead_s;

	part->any_s = fmin(busy_s, part->loss.wall_s);
	part->several_s = fmin(part->any_s, fmax(0, busy_s - part->loss.wall_s));
}

void stretch_tasks_loss(struct sampled_loss *parts, size_t count, const struct stretch_run *run,
			const double *serial)
{
	const struct task_tree *tree = run->tree;
	struct time_loss *losses = xcalloc(count, sizeof(*losses));
	double begin_s = (double)(tree->begin_ns - tree->origin_ns) / 1e9;

	time_loss_of_tasks_over_time(losses, count, tree, (unsigned)run->cores);
	for (size_t i = 0; i < count; i++) {
		parts[i] = (struct sampled_loss){
			.loss = losses[i],
			.begin_s = begin_s + (double)(tree->end_ns - tree->begin_ns) / 1e9 *
						     (double)i / (double)count,
		};
		set_several(&parts[i]);
	}
	for (size_t i = 0; serial && i < tree->interval_count; i++)
		if (tree->intervals[i].end_ns > tree->intervals[i].begin_ns)
			add_serial(parts, count, run, &tree->intervals[i],
				   serial[run->block_of[i]]);
	free(losses);
}
