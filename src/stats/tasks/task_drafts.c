/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_drafts.h"

#include "base/alloc.h"
#include "decode/event/blocks.h"

#include <stdlib.h>

enum { SLOTS_AT_FIRST = 1024 };

/* What happens: one step of one task. */
struct moment {
	struct task_drafts *steps;
	uint64_t time_ns;
	uint32_t worker, site;
	enum task_step step;
	const uint64_t *counted; /* by its thread so far; NULL: not known */
};

/* --- Which task it is ---------------------------------------------------------------------- */

/* Steele, Lea and Flood 2014, the finaliser of SplitMix64. */
static uint64_t hash_of(int32_t pid, uint64_t id)
{
	uint64_t hash = id + 0x9e3779b97f4a7c15u * (uint32_t)pid;

	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

/* Where it is, or would be. */
static uint32_t *find_slot(const struct task_drafts *steps, int32_t pid, uint64_t id)
{
	size_t mask = steps->slot_count - 1, slot = hash_of(pid, id) & mask;

	for (; steps->slots[slot]; slot = (slot + 1) & mask) {
		const struct task *task = &steps->tree->tasks[steps->slots[slot] - 1];

		if (task->id == id && task->pid == pid)
			break;
	}
	return &steps->slots[slot];
}

static void grow_slots(struct task_drafts *steps)
{
	uint32_t *old = steps->slots;
	size_t old_count = steps->slot_count;

	steps->slot_count *= 2;
	steps->slots = xcalloc(steps->slot_count, sizeof(*steps->slots));
	for (size_t i = 0; i < old_count; i++) {
		const struct task *task = old[i] ? &steps->tree->tasks[old[i] - 1] : NULL;

		if (task)
			*find_slot(steps, task->pid, task->id) = old[i];
	}
	free(old);
}

static uint32_t find(const struct task_drafts *steps, int32_t pid, uint64_t id)
{
	return *find_slot(steps, pid, id) - 1; /* 0 - 1: TASK_NONE */
}

/* From now on it is the one of this number. */
static uint32_t add(struct task_drafts *steps, int32_t pid, uint64_t id)
{
	struct task_tree *tree = steps->tree;
	uint32_t number = (uint32_t)tree->task_count;

	if (2 * tree->task_count >= steps->slot_count)
		grow_slots(steps);
	array_reserve(&tree->tasks, &tree->task_capacity, tree->task_count + 1);
	array_reserve(&steps->drafts, &steps->draft_capacity, tree->task_count + 1);
	*find_slot(steps, pid, id) = number + 1;
	tree->task_count++;
	tree->tasks[number] = (struct task){
		.id = id,
		.pid = pid,
		.parent = TASK_NONE,
		.site = TASK_UNKNOWN_SITE,
		.spawn = TASK_NONE,
	};
	steps->drafts[number] = (struct task_draft){
		.below = TASK_NONE,
		.above = TASK_NONE,
		.spawn = TASK_NONE,
		.wait = TASK_NONE,
		.named = TASK_NONE,
	};
	return number;
}

/* --- Blocks -------------------------------------------------------------------------------- */

/* How many counters there are beside those that every tree has. */
static size_t counters_of(const struct task_drafts *steps)
{
	return steps->tree->blocks->counter_count;
}

static void open_counters(const struct moment *now, uint32_t task)
{
	size_t count = counters_of(now->steps);
	uint64_t *opened;

	if (!count)
		return;
	array_reserve(&now->steps->opened, &now->steps->opened_capacity,
		      (task + (size_t)1) * TASK_COUNTED_MAX);
	opened = &now->steps->opened[task * (size_t)TASK_COUNTED_MAX];
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		opened[i] = now->counted ? now->counted[i] + 1 : 0;
}

/* What its thread has counted since the block began there. */
static uint64_t count_since(const struct moment *now, uint32_t task, size_t counter)
{
	uint64_t opened = now->steps->opened[task * (size_t)TASK_COUNTED_MAX + counter];
	uint64_t closed = now->counted ? now->counted[counter] + 1 : 0;

	if (!opened || !closed || closed < opened || now->steps->drafts[task].worker != now->worker)
		return TASK_COUNT_UNKNOWN;
	return closed - opened;
}

/* The block is the last interval of all. */
static void close_counters(const struct moment *now, uint32_t task)
{
	struct task_drafts *steps = now->steps;
	size_t count = steps->tree->interval_count;

	if (!steps->opened)
		return;
	array_reserve(&steps->counted, &steps->counted_capacity, count * TASK_COUNTED_MAX);
	for (size_t i = 0; i < TASK_COUNTED_MAX; i++)
		steps->counted[(count - 1) * TASK_COUNTED_MAX + i] =
			(task + (size_t)1) * TASK_COUNTED_MAX <= steps->opened_capacity
				? count_since(now, task, i) + 1
				: 0;
}

static void open_block(const struct moment *now, uint32_t task, enum task_step step)
{
	struct task_draft *draft = &now->steps->drafts[task];

	draft->stage = TASK_RUNS;
	draft->since_ns = now->time_ns;
	draft->since = now->site;
	draft->step = (uint8_t)step;
	draft->worker = now->worker;
	open_counters(now, task);
	now->steps->current[now->worker] = task;
}

static void close_block(const struct moment *now, uint32_t task, enum task_step step_end,
			uint32_t site_end)
{
	struct task_draft *draft = &now->steps->drafts[task];
	struct task_tree *tree = now->steps->tree;

	array_reserve(&tree->intervals, &tree->interval_capacity, tree->interval_count + 1);
	tree->intervals[tree->interval_count++] = (struct task_interval){
		.begin_ns = draft->since_ns,
		.end_ns = now->time_ns,
		.task = task,
		.worker = draft->worker,
		.site = draft->since,
		.site_end = site_end,
		.step = draft->step,
		.step_end = (uint8_t)step_end,
	};
	close_counters(now, task);
	tree->tasks[task].interval_count++;
	now->steps->current[draft->worker] = TASK_NONE;
	draft->stage = TASK_PENDING;
}

/* What ended it is not on record. */
static void lose_block(const struct moment *now, uint32_t task)
{
	struct moment unseen = *now;

	unseen.counted = NULL;
	close_block(&unseen, task, TASK_NO_STEP, TASK_UNKNOWN_SITE);
}

/* The task is not hidden any more, as it does something: what hid it has been left. */
static void reveal(const struct moment *now, uint32_t task)
{
	struct task_draft *drafts = now->steps->drafts, *draft = &drafts[task];
	uint32_t worker = draft->worker, above = draft->above;

	draft->stage = TASK_PENDING;
	draft->above = TASK_NONE;
	while (above != TASK_NONE) {
		struct task_draft *left = &drafts[above];
		uint32_t next = left->above;

		if (left->stage == TASK_RUNS && left->worker == worker)
			lose_block(now, above);
		if (left->stage == TASK_HIDDEN)
			left->stage = TASK_PENDING;
		left->above = left->below = TASK_NONE;
		above = next;
	}
}

/* A task is over that hides another one: that one goes on. */
static void uncover(const struct moment *now, uint32_t task)
{
	struct task_draft *drafts = now->steps->drafts;
	uint32_t below = drafts[task].below;

	if (below == TASK_NONE)
		return;
	drafts[task].below = drafts[below].above = TASK_NONE;
	drafts[below].stage = TASK_PENDING;
	if (now->steps->current[now->worker] == TASK_NONE)
		open_block(now, below, TASK_END);
}

/* The task of the block in which the worker is, which gives way to one that begins. */
static void hide_current(const struct moment *now, uint32_t task)
{
	struct task *begun = &now->steps->tree->tasks[task];
	uint32_t below = now->steps->current[now->worker];

	if (below == TASK_NONE)
		return;
	close_block(now, below, TASK_BEGIN, now->site);
	now->steps->drafts[below].stage = TASK_HIDDEN;
	now->steps->drafts[below].above = task;
	now->steps->drafts[task].below = below;
	if (begun->parent != below)
		return;
	begun->in_place = true;
	begun->spawn = now->steps->tree->tasks[below].interval_count - 1;
}

/* --- Steps --------------------------------------------------------------------------------- */

/* The number of its last interval among its own, or TASK_NONE. */
static uint32_t last_interval(const struct moment *now, uint32_t task)
{
	return now->steps->tree->tasks[task].interval_count - 1;
}

static uint32_t parent_of(struct task_drafts *steps, int32_t pid, const struct event *event)
{
	if (!event->object2 || event->object2 == event->object)
		return TASK_NONE;
	return find(steps, pid, event->object2);
}

/* Says who its parent is, which has a lower number, so that nobody is his own ancestor. */
static void set_parent(struct task_drafts *steps, uint32_t number, uint32_t parent, bool has_one)
{
	if (parent < number)
		steps->tree->tasks[number].parent = parent;
	else
		steps->tree->orphans += has_one;
}

static uint32_t begin_task(struct task_drafts *steps, int32_t pid, const struct event *event)
{
	uint32_t number = find(steps, pid, event->object), parent = parent_of(steps, pid, event);
	bool is_new = number == TASK_NONE || steps->tree->tasks[number].begun;

	if (is_new && parent == TASK_NONE && event->object2 && event->object2 != event->object)
		parent = add(steps, pid, event->object2);
	if (is_new)
		number = add(steps, pid, event->object);
	set_parent(steps, number, parent, event->object2);
	return number;
}

static void take_begin(const struct moment *now, int32_t pid, const struct event *event)
{
	uint32_t number = begin_task(now->steps, pid, event);
	struct task *task = &now->steps->tree->tasks[number];

	task->begun = true;
	task->index = (uint32_t)event->count;
	task->site = now->site;
	task->begin_ns = task->ready_ns = now->time_ns;
	hide_current(now, number);
	open_block(now, number, TASK_BEGIN);
}

static void take_start(const struct moment *now, uint32_t task)
{
	struct task_drafts *steps = now->steps;
	struct task_draft *draft = &steps->drafts[task];

	if (draft->stage == TASK_RUNS)
		lose_block(now, task);
	if (steps->current[now->worker] != TASK_NONE)
		lose_block(now, steps->current[now->worker]);
	open_block(now, task, now->step);
	if (now->step == TASK_SPAWNED && draft->spawn != TASK_NONE) {
		steps->spawns[draft->spawn].ready_ns = now->time_ns;
		draft->spawn = TASK_NONE;
	}
	if (now->step == TASK_SYNCED && draft->wait != TASK_NONE) {
		steps->waits[draft->wait].synced_ns = now->time_ns;
		draft->wait = TASK_NONE;
	}
}

static void add_spawn(const struct moment *now, uint32_t task, uint32_t index)
{
	struct task_drafts *steps = now->steps;

	steps->drafts[task].spawn = (uint32_t)steps->spawn_count;
	array_reserve(&steps->spawns, &steps->spawn_capacity, steps->spawn_count + 1);
	steps->spawns[steps->spawn_count++] = (struct task_spawn){
		.ready_ns = now->time_ns,
		.parent = task,
		.index = index,
		.after = last_interval(now, task),
	};
}

static void add_wait(const struct moment *now, uint32_t task, bool deep)
{
	struct task_drafts *steps = now->steps;
	struct task_draft *draft = &steps->drafts[task];

	draft->wait = (uint32_t)steps->wait_count;
	array_reserve(&steps->waits, &steps->wait_capacity, steps->wait_count + 1);
	steps->waits[steps->wait_count++] = (struct task_wait){
		.task = task,
		.after = last_interval(now, task),
		.named = draft->named,
		.deep = deep,
	};
	draft->named = TASK_NONE;
}

static void add_named(struct task_drafts *steps, uint32_t task, uint32_t index)
{
	array_reserve(&steps->named, &steps->named_capacity, steps->named_count + 1);
	steps->named[steps->named_count] =
		(struct task_named){.index = index, .next = steps->drafts[task].named};
	steps->drafts[task].named = (uint32_t)steps->named_count++;
}

static void take_stop(const struct moment *now, uint32_t task, uint32_t index)
{
	struct task *stopped = &now->steps->tree->tasks[task];

	if (now->steps->drafts[task].stage == TASK_RUNS)
		close_block(now, task, now->step, now->site);
	if (now->step == TASK_SPAWN)
		add_spawn(now, task, index);
	if (now->step == TASK_SYNC)
		add_wait(now, task, index);
	if (now->step != TASK_END)
		return;
	stopped->ended = true;
	stopped->end_ns = now->time_ns;
	now->steps->drafts[task].stage = TASK_OVER;
	uncover(now, task);
}

static void take_step(const struct moment *now, int32_t pid, const struct event *event)
{
	struct task_drafts *steps = now->steps;
	uint32_t task = find(steps, pid, event->object);

	if (task == TASK_NONE || steps->drafts[task].stage == TASK_OVER ||
	    !steps->tree->tasks[task].begun) {
		steps->tree->orphans++;
		return;
	}
	if (steps->drafts[task].stage == TASK_HIDDEN)
		reveal(now, task);
	if (task_step_starts(event->step))
		take_start(now, task);
	else if (task_step_stops(event->step))
		take_stop(now, task, (uint32_t)event->count);
	else if (event->step == TASK_SYNC_OF)
		add_named(steps, task, (uint32_t)event->count);
}

/* --- All of them --------------------------------------------------------------------------- */

void task_drafts_init(struct task_drafts *steps, struct task_tree *tree)
{
	*steps = (struct task_drafts){.tree = tree, .slot_count = SLOTS_AT_FIRST};
	tree->begin_ns = UINT64_MAX; /* until there is a step, which may be at 0 */
	steps->slots = xcalloc(steps->slot_count, sizeof(*steps->slots));
}

void task_drafts_release(struct task_drafts *steps)
{
	free(steps->drafts);
	free(steps->current);
	free(steps->spawns);
	free(steps->waits);
	free(steps->named);
	free(steps->opened);
	free(steps->counted);
	free(steps->slots);
	*steps = (struct task_drafts){.tree = NULL};
}

static void reserve_worker(struct task_drafts *steps, uint32_t worker)
{
	size_t before = steps->current_capacity;

	array_reserve(&steps->current, &steps->current_capacity, (size_t)worker + 1);
	for (size_t i = before; i < steps->current_capacity; i++)
		steps->current[i] = TASK_NONE;
}

void task_drafts_take(struct task_drafts *steps, uint32_t worker, int32_t pid, uint64_t time_ns,
		      const struct event *event)
{
	struct task_tree *tree = steps->tree;
	const struct moment now = {steps,	 time_ns,     worker,
				   event->block, event->step, event->counted};

	reserve_worker(steps, worker);
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

void task_drafts_finish(struct task_drafts *steps)
{
	struct task_tree *tree = steps->tree;

	for (uint32_t i = 0; i < tree->worker_count; i++) {
		uint64_t end_ns = tree->workers[i].end_ns;
		struct moment now = {.steps = steps, .worker = i};
		uint32_t task;

		reserve_worker(steps, i);
		task = steps->current[i];
		if (task == TASK_NONE)
			continue;
		now.time_ns = steps->drafts[task].since_ns;
		if (end_ns > now.time_ns)
			now.time_ns = end_ns;
		if (now.time_ns > tree->end_ns)
			tree->end_ns = now.time_ns;
		lose_block(&now, task);
	}
}

void task_drafts_give_counters(const struct task_drafts *steps)
{
	const struct blocks *blocks = steps->tree->blocks;
	struct task_counters *counters = &steps->tree->counters;
	size_t intervals = steps->tree->interval_count;

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
			counter->values[j] = (j + 1) * TASK_COUNTED_MAX <= steps->counted_capacity
						     ? steps->counted[j * TASK_COUNTED_MAX + i] - 1
						     : TASK_COUNT_UNKNOWN;
	}
}
