/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "decode/timeline/timeline.h"
#include "stats/tasks/task_drafts.h"
#include "stats/tasks/task_links.h"
#include "stats/tasks/task_presence.h"

#include <stdlib.h>
#include <string.h>

/* --- Reading ------------------------------------------------------------------------------- */

struct task_tree_reader {
	struct task_tree *tree;
	const struct event_source *source;
	struct task_drafts steps;
	struct task_presence presence;
	struct task_counting counting;
};

struct task_tree_reader *task_tree_reader_new(struct task_tree *tree, struct event_source *source)
{
	struct task_tree_reader *reader = xcalloc(1, sizeof(*reader));

	source->wants_faults = source->target.has_faults;
	*tree = (struct task_tree){.blocks = &source->blocks};
	reader->tree = tree;
	reader->source = source;
	task_drafts_init(&reader->steps, tree);
	return reader;
}

void task_tree_reader_free(struct task_tree_reader *reader)
{
	if (!reader)
		return;
	task_drafts_release(&reader->steps);
	task_presence_release(&reader->presence);
	task_counting_release(&reader->counting);
	free(reader);
}

void task_tree_reader_change(struct task_tree_reader *reader, const struct change *change)
{
	task_presence_take(&reader->presence, change);
	task_counting_change(&reader->counting, change, reader->tree->worker_count);
}

void task_tree_reader_mark(struct task_tree_reader *reader, const struct mark *mark)
{
	const struct event *event = mark->event;
	uint32_t worker;

	if (reader->tree->worker_count)
		task_counting_mark(&reader->counting, mark);
	if (event->kind != EVENT_STEP || event->block >= reader->tree->blocks->count)
		return;
	worker = task_presence_worker(&reader->presence, reader->tree, mark->thread, event->tid,
				      mark->pid);
	task_drafts_take(&reader->steps, worker, mark->pid, mark->time_ns, event);
}

static void trim(struct task_tree *tree)
{
	tree->tasks = xreallocarray(tree->tasks, tree->task_count, sizeof(*tree->tasks));
	tree->task_capacity = tree->task_count;
}

/* Where each interval is to be: by task; of one, they are in the order of time. */
static size_t *order_intervals(struct task_tree *tree)
{
	size_t *places = xcalloc(tree->interval_count + 1, sizeof(*places));
	size_t *next = xcalloc(tree->task_count, sizeof(*next));
	size_t first = 0;

	for (size_t i = 0; i < tree->task_count; i++) {
		tree->tasks[i].first = next[i] = first;
		first += tree->tasks[i].interval_count;
	}
	for (size_t i = 0; i < tree->interval_count; i++)
		places[i] = next[tree->intervals[i].task]++;
	free(next);
	return places;
}

static void sort_counter(struct task_counter *counter, const size_t *places, size_t count)
{
	uint64_t *sorted;

	if (!counter->values)
		return;
	sorted = xcalloc(count + 1, sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		sorted[places[i]] = counter->values[i];
	free(counter->values);
	counter->values = sorted;
}

static void sort_intervals(struct task_tree *tree)
{
	struct task_interval *sorted = xcalloc(tree->interval_count, sizeof(*sorted));
	size_t *places = order_intervals(tree);

	for (size_t i = 0; i < tree->interval_count; i++)
		sorted[places[i]] = tree->intervals[i];
	free(tree->intervals);
	tree->intervals = sorted;
	tree->interval_capacity = tree->interval_count;
	for (size_t i = 0; i < tree->counters.count; i++)
		sort_counter(&tree->counters.items[i], places, tree->interval_count);
	free(places);
}

/* What is only known as a parent is there when its first child is. */
static void date_unbegun(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->task_count; i++)
		if (!tree->tasks[i].begun)
			tree->tasks[i].begin_ns = UINT64_MAX;
	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *child = &tree->tasks[i];
		struct task *parent =
			child->parent == TASK_NONE ? NULL : &tree->tasks[child->parent];

		if (!parent || parent->begun)
			continue;
		if (child->begin_ns < parent->begin_ns)
			parent->begin_ns = child->begin_ns;
		if (child->end_ns > parent->end_ns)
			parent->end_ns = child->end_ns;
	}
}

static void end_task(struct task_tree *tree, struct task *task)
{
	const struct task_interval *last = tree->intervals + task->first + task->interval_count - 1;

	if (task->ended || !task->begun)
		return;
	tree->never_ended++;
	task->end_ns = task->interval_count ? last->end_ns : task->begin_ns;
}

/* A parent comes before its children. */
static void finish_tasks(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->task_count; i++) {
		struct task *task = &tree->tasks[i];

		if (task->parent != TASK_NONE)
			task->level = tree->tasks[task->parent].level + 1;
		if (task->level >= tree->levels)
			tree->levels = task->level + 1;
		tree->never_begun += !task->begun;
		end_task(tree, task);
	}
	if (tree->never_begun)
		date_unbegun(tree);
	for (size_t i = 0; i < tree->task_count; i++)
		if (!tree->tasks[i].begun)
			tree->tasks[i].ready_ns = tree->tasks[i].begin_ns;
}

static int finish(struct task_tree_reader *reader, struct err *err)
{
	struct task_tree *tree = reader->tree;

	tree->lost = reader->source->target.blocks_lost;
	tree->quality = reader->source->quality;
	if (!tree->task_count)
		return err_set(err, "the recording tells of no tasks that the target ran; record "
				    "some with 'pscal record --tasks', or --omp");
	task_presence_give(&reader->presence, tree);
	task_drafts_finish(&reader->steps);
	task_presence_measure(tree);
	task_counting_give(&reader->counting, tree, reader->source);
	task_drafts_give_counters(&reader->steps);
	trim(tree);
	sort_intervals(tree);
	finish_tasks(tree);
	task_links_make(&reader->steps);
	return 0;
}

int task_tree_reader_finish(struct task_tree_reader *reader, uint64_t origin_ns, struct err *err)
{
	int rc;

	reader->tree->origin_ns = origin_ns;
	rc = finish(reader, err);
	if (rc)
		task_tree_release(reader->tree);
	return rc;
}

static void take_mark(void *context, const struct mark *mark)
{
	task_tree_reader_mark(context, mark);
}

/* There may be tasks of others. */
static int refuse_selection(const struct selection *selection, struct err *err)
{
	char *words = selection_words(selection);

	err_set(err,
		"no thread that %s asks for has run a task on record; leave that out, or record "
		"some with 'pscal record --tasks', or --omp",
		words);
	free(words);
	return -1;
}

int task_tree_read(struct task_tree *tree, struct event_source *source,
		   const struct selection *selection, struct err *err)
{
	struct timeline *timeline = timeline_new(source, selection);
	struct task_tree_reader *reader = task_tree_reader_new(tree, source);
	const struct change *change;
	int rc;

	timeline_want_marks(timeline, take_mark, reader);
	while ((rc = timeline_borrow(timeline, &change, err)) > 0)
		task_tree_reader_change(reader, change);
	if (!rc && !tree->task_count && !selection_is_empty(selection))
		rc = refuse_selection(selection, err);
	if (!rc)
		rc = task_tree_reader_finish(reader, timeline_begin_ns(timeline), err);
	else
		task_tree_release(tree);
	task_tree_reader_free(reader);
	timeline_free(timeline);
	return rc;
}

void task_tree_release(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->worker_count; i++)
		free(tree->workers[i].absences);
	task_counters_release(&tree->counters);
	free(tree->tasks);
	free(tree->intervals);
	free(tree->syncs);
	free(tree->synced);
	free(tree->workers);
	*tree = (struct task_tree){0};
}

/* --- Names --------------------------------------------------------------------------------- */

const char *task_tree_path(char *text, size_t size, const struct task_tree *tree, uint32_t task)
{
	char *at = text + size - 1;

	for (*at = '\0'; task != TASK_NONE; task = tree->tasks[task].parent) {
		uint32_t index = tree->tasks[task].index;

		if (at != text + size - 1 && at > text)
			*--at = '.';
		do {
			if (at == text)
				return NULL;
			*--at = (char)('0' + index % 10);
		} while (index /= 10);
	}
	return at;
}

struct site_name task_site_name(const struct task_tree *tree, uint32_t site)
{
	static const struct site_name unknown = {.function = "?", .function_length = 1};

	return site < tree->blocks->count ? site_name_of(tree->blocks->items[site].name) : unknown;
}
