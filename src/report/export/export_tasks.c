/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_private.h"

#include "base/alloc.h"
#include "report/progress.h"
#include "stats/tasks/task_tree.h"

#include <stdlib.h>
#include <string.h>

/* Returns the root of each task. A parent comes before its children. */
static uint32_t *find_roots(const struct task_tree *tree)
{
	uint32_t *roots = xcalloc(tree->task_count, sizeof(*roots));

	for (uint32_t i = 0; i < tree->task_count; i++) {
		uint32_t parent = tree->tasks[i].parent;

		roots[i] = parent == TASK_NONE ? i : roots[parent];
	}
	return roots;
}

/* A cache of the names of sites, as the same sites often follow each other. */
struct site_cache {
	struct {
		uint32_t site;
		bool filled;
		struct site_name name;
	} slots[64];
};

static const struct site_name *site_of(struct site_cache *cache, const struct task_tree *tree,
				       uint32_t site)
{
	size_t slot = site % (sizeof(cache->slots) / sizeof(cache->slots[0]));

	if (!cache->slots[slot].filled || cache->slots[slot].site != site) {
		cache->slots[slot].filled = true;
		cache->slots[slot].site = site;
		cache->slots[slot].name = task_site_name(tree, site);
	}
	return &cache->slots[slot].name;
}

static void bind_site(struct table_rows *rows, int function, int file, int line,
		      const struct site_name *site, uint32_t number)
{
	bool known = number != TASK_UNKNOWN_SITE;

	row_name(rows, function, known ? site->function : NULL, (size_t)site->function_length);
	row_name(rows, file, site->file, (size_t)site->file_length);
	row_known(rows, line, site->file, site->line);
}

static void bind_moments(struct table_rows *rows, const struct task *task, uint64_t origin_ns)
{
	row_known(rows, 14, task->begun, (int64_t)(task->ready_ns - origin_ns));
	row_known(rows, 15, task->begun, (int64_t)(task->begin_ns - origin_ns));
	row_known(rows, 16, task->begun, (int64_t)(task->end_ns - task->begin_ns));
	row_known(rows, 17, task->synced_ns, (int64_t)(task->synced_ns - origin_ns));
}

/* The state of the writer of tasks. */
struct writing {
	struct export_tables *export;
	const struct task_tree *tree;
	struct site_cache sites;
};

static void write_task(struct writing *writing, uint32_t number, uint32_t root, const char *path)
{
	struct table_rows *rows = &writing->export->tables[TABLE_TASK];
	const struct task_tree *tree = writing->tree;
	const struct task *task = &tree->tasks[number];

	row_count(rows, 1, number);
	row_id(rows, 2, task->pid);
	row_count(rows, 3, (int64_t)task->id);
	row_known(rows, 4, task->parent != TASK_NONE, task->parent);
	row_count(rows, 5, task->index);
	row_count(rows, 6, task->level);
	row_count(rows, 7, root);
	row_string(rows, 8, path);
	bind_site(rows, 9, 10, 11, site_of(&writing->sites, tree, task->site), task->site);
	row_count(rows, 12, task->in_place);
	row_count(rows, 13, task->ended);
	bind_moments(rows, task, tree->origin_ns);
	row_put(rows);
}

static void bind_step(struct table_rows *rows, int parameter, uint8_t step)
{
	const char *name = step == TASK_NO_STEP ? NULL : task_step_name(step);

	row_name(rows, parameter, name, name ? strlen(name) : 0);
}

/* Returns the column of a counter: those of every tree are in the middle, others at the end. */
static int counter_place(size_t counter)
{
	return (int)counter + (counter < TASK_COUNTERS_DERIVED ? 10 : 17 - TASK_COUNTERS_DERIVED);
}

/* Adds columns for the counters of this recording. */
static void add_counters(struct export_tables *export, const struct task_counters *counters)
{
	size_t count = counters->count - TASK_COUNTERS_DERIVED;
	const char **names;

	if (counters->count <= TASK_COUNTERS_DERIVED)
		return;
	names = xcalloc(count, sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = counters->items[TASK_COUNTERS_DERIVED + i].name;
	tables_add_columns(export, TABLE_INTERVAL, names, count);
	free(names);
}

static void bind_counters(struct table_rows *rows, const struct task_tree *tree, size_t number)
{
	for (size_t i = 0; i < tree->counters.count; i++) {
		uint64_t value = task_counter_value(&tree->counters.items[i], number);

		row_known(rows, counter_place(i), value != TASK_COUNT_UNKNOWN, (int64_t)value);
	}
}

static void write_interval(struct writing *writing, size_t number)
{
	struct table_rows *rows = &writing->export->tables[TABLE_INTERVAL];
	const struct task_tree *tree = writing->tree;
	const struct task_interval *interval = &tree->intervals[number];
	const struct site_name *site = site_of(&writing->sites, tree, interval->site), *end;

	bind_site(rows, 4, 1, 2, site, interval->site);
	end = site_of(&writing->sites, tree, interval->site_end);
	row_known(rows, 3, end->file, end->line);
	row_count(rows, 6, (int64_t)tree->workers[interval->worker].thread);
	row_since(rows, 7, interval->begin_ns, tree->origin_ns);
	row_count(rows, 8, (int64_t)(interval->end_ns - interval->begin_ns));
	row_known(rows, 9, tree->has_states, (int64_t)interval->running_ns);
	bind_counters(rows, tree, number);
	bind_step(rows, 13, interval->step);
	bind_step(rows, 14, interval->step_end);
	row_put(rows);
}

/* Writes the intervals of a task. Values that all of them share are set once. */
static void write_intervals(struct writing *writing, uint32_t number, const char *path)
{
	struct table_rows *rows = &writing->export->tables[TABLE_INTERVAL];
	const struct task_tree *tree = writing->tree;
	const struct task *task = &tree->tasks[number];

	row_count(rows, 5, task->level);
	row_string(rows, 15, path);
	row_count(rows, 16, number);
	for (size_t i = 0; i < task->interval_count; i++)
		write_interval(writing, task->first + i);
}

static void keep_facts(struct export_tables *export, const struct task_tree *tree)
{
	export->has_tasks = true;
	export->never_begun = tree->never_begun;
	export->never_run = tree->never_run;
	export->never_ended = tree->never_ended;
	export->never_synced = tree->never_synced;
	export->orphans = tree->orphans;
}

void tables_tasks(struct export_tables *export, const struct task_tree *tree,
		  struct progress *progress)
{
	struct writing writing = {.export = export, .tree = tree};
	uint32_t *roots = find_roots(tree);
	char buffer[EXPORT_PATH_MAX + 1];

	add_counters(export, &tree->counters);
	for (uint32_t i = 0; i < tree->task_count; i++) {
		const char *path = task_tree_path(buffer, sizeof(buffer), tree, i);

		export->long_paths += !path;
		write_task(&writing, i, roots[i], path);
		write_intervals(&writing, i, path);
		if (i % EXPORT_ROWS_A_LOOK == 0)
			progress_show(progress, i, tree->task_count);
	}
	keep_facts(export, tree);
	free(roots);
}
