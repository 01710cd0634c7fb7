/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/alloc.h"
#include "decode/event/blocks.h"

#include <stdlib.h>

/* One step of one task. */
struct moment {
	struct task_reader *reader;
	uint64_t time_ns;
	uint32_t worker, site;
	enum task_step step;
	const uint64_t *counted; /* the counts of its thread so far; NULL: not known */
};

/* --- Numbers of tasks ---------------------------------------------------------------------- */

static uint32_t find_task(const struct task_reader *reader, int32_t pid, uint64_t id)
{
	const uint64_t key[] = {(uint32_t)pid, id};
	uint32_t number = map_find(&reader->numbers, key, sizeof(key));

	return number == MAP_NONE ? TASK_NONE : reader->newest[number];
}

/* Adds a task, which now has this id. */
static uint32_t add_task(struct task_reader *reader, int32_t pid, uint64_t id)
{
	struct task_tree *tree = reader->tree;
	const uint64_t key[] = {(uint32_t)pid, id};
	uint32_t number = (uint32_t)tree->task_count, place;

	array_reserve(&tree->tasks, &tree->task_capacity, tree->task_count + 1);
	array_reserve(&reader->progress, &reader->progress_capacity, tree->task_count + 1);
	place = map_add(&reader->numbers, key, sizeof(key));
	array_reserve(&reader->newest, &reader->newest_capacity, (size_t)place + 1);
	reader->newest[place] = number;
	tree->task_count++;
	tree->tasks[number] = (struct task){
		.id = id,
		.pid = pid,
		.parent = TASK_NONE,
		.site = TASK_UNKNOWN_SITE,
		.spawn = TASK_NONE,
	};
	reader->progress[number] = (struct task_progress){
		.below = TASK_NONE,
		.above = TASK_NONE,
		.spawn = TASK_NONE,
		.wait = TASK_NONE,
		.named = TASK_NONE,
	};
	return number;
}

/* --- Segments -------------------------------------------------------------------------------- */

/* Returns the number of counters of the source. */
static size_t counters_of(const struct task_reader *reader)
{
	return reader->tree->blocks->counter_count;
}

static void open_counters(const struct moment *now, uint32_t task)
{
	size_t count = counters_of(now->reader);
	uint64_t *opened;

	if (!count)
		return;
	array_reserve(&now->reader->opened, &now->reader->opened_capacity,
		      (task + (size_t)1) * TASK_COUNTED_MAX);
	opened = &now->reader->opened[task * (size_t)TASK_COUNTED_MAX];
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		opened[i] = now->counted ? now->counted[i] + 1 : 0;
}

/* Returns the count of the thread since the segment began there. */
static uint64_t count_since(const struct moment *now, uint32_t task, size_t counter)
{
	uint64_t opened = now->reader->opened[task * (size_t)TASK_COUNTED_MAX + counter];
	uint64_t closed = now->counted ? now->counted[counter] + 1 : 0;

	if (!opened || !closed || closed < opened ||
	    now->reader->progress[task].worker != now->worker)
		return TASK_COUNT_UNKNOWN;
	return closed - opened;
}

/* Counts the segment that is the last interval. */
static void close_counters(const struct moment *now, uint32_t task)
{
	struct task_reader *reader = now->reader;
	size_t count = reader->tree->interval_count;

	if (!reader->opened)
		return;
	array_reserve(&reader->counted, &reader->counted_capacity, count * TASK_COUNTED_MAX);
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		reader->counted[(count - 1) * TASK_COUNTED_MAX + i] =
			(task + (size_t)1) * TASK_COUNTED_MAX <= reader->opened_capacity
				? count_since(now, task, i) + 1
				: 0;
}

static void open_block(const struct moment *now, uint32_t task, enum task_step step)
{
	struct task_progress *own = &now->reader->progress[task];

	own->stage = TASK_RUNS;
	own->since_ns = now->time_ns;
	own->since = now->site;
	own->step = (uint8_t)step;
	own->worker = now->worker;
	open_counters(now, task);
	now->reader->current[now->worker] = task;
}

static void close_block(const struct moment *now, uint32_t task, enum task_step step_end,
			uint32_t site_end)
{
	struct task_progress *own = &now->reader->progress[task];
	struct task_tree *tree = now->reader->tree;

	array_reserve(&tree->intervals, &tree->interval_capacity, tree->interval_count + 1);
	tree->intervals[tree->interval_count++] = (struct task_interval){
		.begin_ns = own->since_ns,
		.end_ns = now->time_ns,
		.task = task,
		.worker = own->worker,
		.site = own->since,
		.site_end = site_end,
		.step = own->step,
		.step_end = (uint8_t)step_end,
	};
	close_counters(now, task);
	tree->tasks[task].interval_count++;
	now->reader->current[own->worker] = TASK_NONE;
	own->stage = TASK_PENDING;
}

/* Closes a segment whose last step is missing. */
static void lose_block(const struct moment *now, uint32_t task)
{
	struct moment unseen = *now;

	unseen.counted = NULL;
	close_block(&unseen, task, TASK_NO_STEP, TASK_UNKNOWN_SITE);
}

/* Reveals a hidden task that does a step: the task that hid it has been left. */
static void reveal(const struct moment *now, uint32_t task)
{
	struct task_progress *progress = now->reader->progress, *own = &progress[task];
	uint32_t worker = own->worker, above = own->above;

	own->stage = TASK_PENDING;
	own->above = TASK_NONE;
	while (above != TASK_NONE) {
		struct task_progress *left = &progress[above];
		uint32_t next = left->above;

		if (left->stage == TASK_RUNS && left->worker == worker)
			lose_block(now, above);
		if (left->stage == TASK_HIDDEN)
			left->stage = TASK_PENDING;
		left->above = left->below = TASK_NONE;
		above = next;
	}
}

/* Uncovers the task that an ended one hid: it goes on. */
static void uncover(const struct moment *now, uint32_t task)
{
	struct task_progress *progress = now->reader->progress;
	uint32_t below = progress[task].below;

	if (below == TASK_NONE)
		return;
	progress[task].below = progress[below].above = TASK_NONE;
	progress[below].stage = TASK_PENDING;
	if (now->reader->current[now->worker] == TASK_NONE)
		open_block(now, below, TASK_END);
}

/* Hides the current task of the worker behind the one that begins. */
static void hide_current(const struct moment *now, uint32_t task)
{
	struct task *begun = &now->reader->tree->tasks[task];
	uint32_t below = now->reader->current[now->worker];

	if (below == TASK_NONE)
		return;
	close_block(now, below, TASK_BEGIN, now->site);
	now->reader->progress[below].stage = TASK_HIDDEN;
	now->reader->progress[below].above = task;
	now->reader->progress[task].below = below;
	if (begun->parent != below)
		return;
	begun->in_place = true;
	begun->spawn = now->reader->tree->tasks[below].interval_count - 1;
}

/* --- Steps --------------------------------------------------------------------------------- */

/* Returns the number of the task's last interval among its own, or TASK_NONE. */
static uint32_t last_interval(const struct moment *now, uint32_t task)
{
	return now->reader->tree->tasks[task].interval_count - 1;
}

static uint32_t parent_of(struct task_reader *reader, int32_t pid, const struct event *event)
{
	if (!event->object2 || event->object2 == event->object)
		return TASK_NONE;
	return find_task(reader, pid, event->object2);
}

/* Sets the parent, which must have a lower number, so that no task is its own ancestor. */
static void set_parent(struct task_reader *reader, uint32_t number, uint32_t parent, bool has_one)
{
	if (parent < number)
		reader->tree->tasks[number].parent = parent;
	else
		reader->tree->orphans += has_one;
}

static uint32_t begin_task(struct task_reader *reader, int32_t pid, const struct event *event)
{
	uint32_t number = find_task(reader, pid, event->object),
		 parent = parent_of(reader, pid, event);
	bool is_new = number == TASK_NONE || reader->tree->tasks[number].begun;

	if (is_new && parent == TASK_NONE && event->object2 && event->object2 != event->object)
		parent = add_task(reader, pid, event->object2);
	if (is_new)
		number = add_task(reader, pid, event->object);
	set_parent(reader, number, parent, event->object2);
	return number;
}

static void take_begin(const struct moment *now, int32_t pid, const struct event *event)
{
	uint32_t number = begin_task(now->reader, pid, event);
	struct task *task = &now->reader->tree->tasks[number];

	task->begun = true;
	task->index = (uint32_t)event->count;
	task->site = now->site;
	task->begin_ns = task->ready_ns = now->time_ns;
	hide_current(now, number);
	open_block(now, number, TASK_BEGIN);
}

static void take_start(const struct moment *now, uint32_t task)
{
	struct task_reader *reader = now->reader;
	struct task_progress *own = &reader->progress[task];

	if (own->stage == TASK_RUNS)
		lose_block(now, task);
	if (reader->current[now->worker] != TASK_NONE)
		lose_block(now, reader->current[now->worker]);
	open_block(now, task, now->step);
	if (now->step == TASK_SPAWNED && own->spawn != TASK_NONE) {
		reader->spawns[own->spawn].ready_ns = now->time_ns;
		own->spawn = TASK_NONE;
	}
	if (now->step == TASK_SYNCED && own->wait != TASK_NONE) {
		reader->waits[own->wait].synced_ns = now->time_ns;
		own->wait = TASK_NONE;
	}
}

static void add_spawn(const struct moment *now, uint32_t task, uint32_t index)
{
	struct task_reader *reader = now->reader;

	reader->progress[task].spawn = (uint32_t)reader->spawn_count;
	array_reserve(&reader->spawns, &reader->spawn_capacity, reader->spawn_count + 1);
	reader->spawns[reader->spawn_count++] = (struct task_spawn){
		.ready_ns = now->time_ns,
		.parent = task,
		.index = index,
		.after = last_interval(now, task),
	};
}

static void add_wait(const struct moment *now, uint32_t task, bool deep)
{
	struct task_reader *reader = now->reader;
	struct task_progress *own = &reader->progress[task];

	own->wait = (uint32_t)reader->wait_count;
	array_reserve(&reader->waits, &reader->wait_capacity, reader->wait_count + 1);
	reader->waits[reader->wait_count++] = (struct task_wait){
		.task = task,
		.after = last_interval(now, task),
		.named = own->named,
		.deep = deep,
	};
	own->named = TASK_NONE;
}

static void add_named(struct task_reader *reader, uint32_t task, uint32_t index)
{
	array_reserve(&reader->named, &reader->named_capacity, reader->named_count + 1);
	reader->named[reader->named_count] =
		(struct task_named){.index = index, .next = reader->progress[task].named};
	reader->progress[task].named = (uint32_t)reader->named_count++;
}

static void take_stop(const struct moment *now, uint32_t task, uint32_t index)
{
	struct task *stopped = &now->reader->tree->tasks[task];

	if (now->reader->progress[task].stage == TASK_RUNS)
		close_block(now, task, now->step, now->site);
	if (now->step == TASK_SPAWN)
		add_spawn(now, task, index);
	if (now->step == TASK_SYNC)
		add_wait(now, task, index);
	if (now->step != TASK_END)
		return;
	stopped->ended = true;
	stopped->end_ns = now->time_ns;
	now->reader->progress[task].stage = TASK_OVER;
	uncover(now, task);
}

static void take_step(const struct moment *now, int32_t pid, const struct event *event)
{
	struct task_reader *reader = now->reader;
	uint32_t task = find_task(reader, pid, event->object);

	if (task == TASK_NONE || reader->progress[task].stage == TASK_OVER ||
	    !reader->tree->tasks[task].begun) {
		reader->tree->orphans++;
		return;
	}
	if (reader->progress[task].stage == TASK_HIDDEN)
		reveal(now, task);
	if (task_step_starts(event->step))
		take_start(now, task);
	else if (task_step_stops(event->step))
		take_stop(now, task, (uint32_t)event->count);
	else if (event->step == TASK_SYNC_OF)
		add_named(reader, task, (uint32_t)event->count);
}

/* --- The whole reader ---------------------------------------------------------------------- */

void task_reader_init(struct task_reader *reader, struct task_tree *tree)
{
	*reader = (struct task_reader){.tree = tree};
	tree->begin_ns = UINT64_MAX; /* until the first step, which may be at 0 */
}

void task_reader_release(struct task_reader *reader)
{
	free(reader->progress);
	free(reader->current);
	free(reader->spawns);
	free(reader->waits);
	free(reader->named);
	free(reader->opened);
	free(reader->counted);
	map_release(&reader->numbers);
	free(reader->newest);
	*reader = (struct task_reader){.tree = NULL};
}

static void reserve_worker(struct task_reader *reader, uint32_t worker)
{
	size_t before = reader->current_capacity;

	array_reserve(&reader->current, &reader->current_capacity, (size_t)worker + 1);
	for (size_t i = before; i < reader->current_capacity; i++)
		reader->current[i] = TASK_NONE;
}

void task_reader_take(struct task_reader *reader, uint32_t worker, int32_t pid, uint64_t time_ns,
		      const struct event *event)
{
	struct task_tree *tree = reader->tree;
	const struct moment now = {reader,	 time_ns,     worker,
				   event->block, event->step, event->counted};

	reserve_worker(reader, worker);
	if (time_ns < tree->begin_ns)
		tree->begin_ns = time_ns;
	if (time_ns > tree->end_ns)
		tree->end_ns = time_ns;
	/* The last two numbers are for none, and for a parent. */
	if (event->step == TASK_BEGIN && tree->task_count < TASK_NONE - 2)
		take_begin(&now, pid, event);
	else
		take_step(&now, pid, event);
}

void task_reader_finish(struct task_reader *reader)
{
	struct task_tree *tree = reader->tree;

	for (uint32_t i = 0; i < tree->worker_count; i++) {
		uint64_t end_ns = tree->workers[i].end_ns;
		struct moment now = {.reader = reader, .worker = i};
		uint32_t task;

		reserve_worker(reader, i);
		task = reader->current[i];
		if (task == TASK_NONE)
			continue;
		now.time_ns = reader->progress[task].since_ns;
		if (end_ns > now.time_ns)
			now.time_ns = end_ns;
		if (now.time_ns > tree->end_ns)
			tree->end_ns = now.time_ns;
		lose_block(&now, task);
	}
}

void task_reader_give_counters(const struct task_reader *reader)
{
	const struct blocks *blocks = reader->tree->blocks;
	struct task_counters *counters = &reader->tree->counters;
	size_t intervals = reader->tree->interval_count;

	counters->items = xreallocarray(counters->items, counters->count + blocks->counter_count,
					sizeof(*counters->items));
	for (size_t i = 0; i < blocks->counter_count; i++) {
		struct task_counter *counter = &counters->items[counters->count];

		*counter = (struct task_counter){
			.name = task_counters_new_name(counters, blocks->counters[i].name),
			.in_ns = blocks->counters[i].in_ns,
		};
		counters->count++;
		counter->values = xcalloc(intervals + 1, sizeof(*counter->values));
		for (size_t j = 0; j < intervals; j++)
			counter->values[j] = (j + 1) * TASK_COUNTED_MAX <= reader->counted_capacity
						     ? reader->counted[j * TASK_COUNTED_MAX + i] - 1
						     : TASK_COUNT_UNKNOWN;
	}
}
