/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/export/export_sqlite.h"

#include "base/alloc.h"
#include "report/export/export_private.h"
#include "report/progress.h"
#include "stats/tasks/task_tree.h"

#include <stdlib.h>
#include <string.h>

/* A parent comes before its children. */
static uint32_t *find_roots(const struct task_tree *tree)
{
	uint32_t *roots = xcalloc(tree->task_count, sizeof(*roots));

	for (uint32_t i = 0; i < tree->task_count; i++) {
		uint32_t parent = tree->tasks[i].parent;

		roots[i] = parent == TASK_NONE ? i : roots[parent];
	}
	return roots;
}

/* Names of sites, found once for those that come often one after the other. */
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

static void bind_site(struct sqlite_insert *insert, int function, int file, int line,
		      const struct site_name *site, uint32_t number)
{
	bool known = number != TASK_UNKNOWN_SITE;

	sqlite_insert_text(insert, function, known ? site->function : NULL,
			   (size_t)site->function_length);
	sqlite_insert_text(insert, file, site->file, (size_t)site->file_length);
	sqlite_insert_known(insert, line, site->file, site->line);
}

static void bind_moments(struct sqlite_insert *insert, const struct task *task, uint64_t origin_ns)
{
	sqlite_insert_known(insert, 14, task->begun, (int64_t)(task->ready_ns - origin_ns));
	sqlite_insert_known(insert, 15, task->begun, (int64_t)(task->begin_ns - origin_ns));
	sqlite_insert_known(insert, 16, task->begun, (int64_t)(task->end_ns - task->begin_ns));
	sqlite_insert_known(insert, 17, task->synced_ns, (int64_t)(task->synced_ns - origin_ns));
}

/* The tasks that are written, and where to. */
struct writing {
	struct export *export;
	const struct task_tree *tree;
	struct site_cache sites;
};

static void write_task(struct writing *writing, uint32_t number, uint32_t root, const char *path)
{
	struct sqlite_insert *insert = &writing->export->inserts[EXPORT_TASK];
	const struct task_tree *tree = writing->tree;
	const struct task *task = &tree->tasks[number];

	sqlite_insert_count(insert, 1, number);
	export_id(insert, 2, task->pid);
	sqlite_insert_count(insert, 3, (int64_t)task->id);
	sqlite_insert_known(insert, 4, task->parent != TASK_NONE, task->parent);
	sqlite_insert_count(insert, 5, task->index);
	sqlite_insert_count(insert, 6, task->level);
	sqlite_insert_count(insert, 7, root);
	export_text(insert, 8, path);
	bind_site(insert, 9, 10, 11, site_of(&writing->sites, tree, task->site), task->site);
	sqlite_insert_count(insert, 12, task->in_place);
	sqlite_insert_count(insert, 13, task->ended);
	bind_moments(insert, task, tree->origin_ns);
	sqlite_insert_row(insert);
}

static void bind_step(struct sqlite_insert *insert, int parameter, uint8_t step)
{
	export_text(insert, parameter, step == TASK_NO_STEP ? NULL : task_step_name(step));
}

/* Those that every tree has stand in the middle, others behind all else. */
static int counter_place(size_t counter)
{
	return (int)counter + (counter < TASK_COUNTERS_DERIVED ? 10 : 17 - TASK_COUNTERS_DERIVED);
}

/* In a name in quotes one of them is two. */
static char *quoted(const char *name)
{
	char *text = xcalloc(2 * strlen(name) + 1, 1), *at = text;

	for (; *name; name++) {
		if (*name == '"')
			*at++ = '"';
		*at++ = *name;
	}
	return text;
}

/* The counters of this recording have columns of their own. */
static void add_counters(struct export *export, const struct task_counters *counters)
{
	struct sqlite_insert *insert = &export->inserts[EXPORT_INTERVAL];

	for (size_t i = TASK_COUNTERS_DERIVED; i < counters->count; i++) {
		char *name = quoted(counters->items[i].name);
		char *sql = xasprintf("ALTER TABLE interval ADD COLUMN \"%s\" INTEGER", name);

		sqlite_file_run(&export->file, sql);
		free(name);
		free(sql);
	}
	if (counters->count <= TASK_COUNTERS_DERIVED)
		return;
	sqlite_insert_end(insert);
	sqlite_insert_begin(insert, &export->file, "interval",
			    EXPORT_INTERVAL_COLUMNS + counters->count - TASK_COUNTERS_DERIVED);
}

static void bind_counters(struct sqlite_insert *insert, const struct task_tree *tree, size_t number)
{
	for (size_t i = 0; i < tree->counters.count; i++) {
		uint64_t value = task_counter_value(&tree->counters.items[i], number);

		sqlite_insert_known(insert, counter_place(i), value != TASK_COUNT_UNKNOWN,
				    (int64_t)value);
	}
}

static void write_interval(struct writing *writing, size_t number)
{
	struct sqlite_insert *insert = &writing->export->inserts[EXPORT_INTERVAL];
	const struct task_tree *tree = writing->tree;
	const struct task_interval *interval = &tree->intervals[number];
	const struct site_name *site = site_of(&writing->sites, tree, interval->site), *end;

	bind_site(insert, 4, 1, 2, site, interval->site);
	end = site_of(&writing->sites, tree, interval->site_end);
	sqlite_insert_known(insert, 3, end->file, end->line);
	sqlite_insert_count(insert, 6, (int64_t)tree->workers[interval->worker].thread);
	export_since(insert, 7, interval->begin_ns, tree->origin_ns);
	sqlite_insert_count(insert, 8, (int64_t)(interval->end_ns - interval->begin_ns));
	sqlite_insert_known(insert, 9, tree->has_states, (int64_t)interval->running_ns);
	bind_counters(insert, tree, number);
	bind_step(insert, 13, interval->step);
	bind_step(insert, 14, interval->step_end);
	sqlite_insert_row(insert);
}

/* Values that all intervals of a task share are bound once. */
static void write_intervals(struct writing *writing, uint32_t number, const char *path)
{
	struct sqlite_insert *insert = &writing->export->inserts[EXPORT_INTERVAL];
	const struct task_tree *tree = writing->tree;
	const struct task *task = &tree->tasks[number];

	sqlite_insert_count(insert, 5, task->level);
	export_text(insert, 15, path);
	sqlite_insert_count(insert, 16, number);
	for (size_t i = 0; i < task->interval_count; i++)
		write_interval(writing, task->first + i);
}

static void keep_facts(struct export *export, const struct task_tree *tree)
{
	export->has_tasks = true;
	export->never_begun = tree->never_begun;
	export->never_run = tree->never_run;
	export->never_ended = tree->never_ended;
	export->never_synced = tree->never_synced;
	export->orphans = tree->orphans;
}

void export_tasks(struct export *export, const struct task_tree *tree, struct progress *progress)
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
