/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/random_tasks.h"

#include "base/alloc.h"
#include "draw/drawing.h"
#include "draw/task_drawing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The actions of a task, one after the other. */
enum action_kind { WORKS, SPAWNS, CALLS, SYNCS, SYNCS_ONE, PAUSES, ENDS };

struct action {
	enum action_kind kind;
	size_t child; /* of SPAWNS, CALLS, SYNCS_ONE: a program */
};

struct program {
	struct action *actions;
	size_t count, capacity;
	size_t parent; /* SIZE_MAX: none */
	uint32_t index;
	bool in_place, is_synced;
	size_t waiter, waiter_action; /* the action that waited for it, if it is synced */
	uint64_t end_ns;	      /* with unlimited cores */
	/* The state while it runs. */
	size_t next;
	bool begun, ended, waits;
	size_t below; /* the program that it runs in place of */
	uint64_t spawned_ns, synced_ns;
	char *blocks;	   /* as in the drawing */
	uint64_t *took_ns; /* of each block */
	size_t took_count, took_capacity;
	uint64_t since_ns;
	size_t order; /* of its begin */
};

struct maker {
	struct random_tasks *tasks;
	struct random *random;
	struct program *programs;
	size_t count, capacity;
	size_t *ready; /* spawned, or able to go on */
	size_t ready_count, ready_capacity;
	size_t running[RANDOM_TASKS_WORKERS]; /* SIZE_MAX: none */
	uint64_t now_ns;
	size_t begun;
};

/* --- The program --------------------------------------------------------------------------- */

static void act(struct maker *maker, size_t program, struct action action)
{
	struct program *one = &maker->programs[program];

	array_reserve(&one->actions, &one->capacity, one->count + 1);
	one->actions[one->count++] = action;
}

static size_t add_program(struct maker *maker, size_t parent, uint32_t index)
{
	array_reserve(&maker->programs, &maker->capacity, maker->count + 1);
	maker->programs[maker->count].parent = parent;
	maker->programs[maker->count].index = index;
	maker->programs[maker->count].below = SIZE_MAX;
	return maker->count++;
}

/* Adds work: several times, so that its worker may change. */
static void work(struct maker *maker, size_t program)
{
	for (size_t i = random_below(maker->random, 4) + 1; i; i--)
		act(maker, program, (struct action){.kind = WORKS});
}

static void draw_program(struct maker *maker, size_t program, size_t most, unsigned levels)
{
	size_t children = levels ? random_below(maker->random, 4) : 0, spawned[4], count = 0;

	work(maker, program);
	for (uint32_t i = 0; i < children && maker->count < most; i++) {
		bool in_place = random_one_in(maker->random, 3);
		size_t child = add_program(maker, program, i * 7);

		maker->programs[child].in_place = in_place;
		act(maker, program,
		    (struct action){.kind = in_place ? CALLS : SPAWNS, .child = child});
		if (!in_place)
			spawned[count++] = child;
		draw_program(maker, child, most, levels - 1);
		work(maker, program);
		if (random_one_in(maker->random, 4)) {
			act(maker, program, (struct action){.kind = PAUSES});
			work(maker, program);
		}
		if (count && random_one_in(maker->random, 3)) {
			act(maker, program,
			    (struct action){.kind = SYNCS_ONE, .child = spawned[--count]});
			work(maker, program);
		}
	}
	if (!random_one_in(maker->random, 5)) {
		act(maker, program, (struct action){.kind = SYNCS});
		work(maker, program);
	}
	act(maker, program, (struct action){.kind = ENDS});
}

/* --- Running it ---------------------------------------------------------------------------- */

static void step(struct maker *maker, size_t worker, size_t program, enum task_step what,
		 uint32_t index)
{
	struct random_tasks *tasks = maker->tasks;
	const struct program *one = &maker->programs[program];
	uint64_t parent = one->parent == SIZE_MAX ? 0 : one->parent + 1;

	array_reserve(&tasks->steps, &tasks->capacity, tasks->count + 1);
	tasks->steps[tasks->count++] =
		task_drawing_step(maker->now_ns, (int32_t)worker, program + 1, what, parent, index);
}

static void open_block(struct maker *maker, size_t worker, size_t program)
{
	maker->programs[program].since_ns = maker->now_ns;
	maker->running[worker] = program;
}

static void close_block(struct maker *maker, size_t worker, size_t program)
{
	struct program *one = &maker->programs[program];
	char *before = one->blocks;

	one->blocks =
		xasprintf("%s %c%" PRIu64 "-%" PRIu64, before ? before : ",", (char)('a' + worker),
			  one->since_ns / DRAWING_STEP_NS, maker->now_ns / DRAWING_STEP_NS);
	free(before);
	array_reserve(&one->took_ns, &one->took_capacity, one->took_count + 1);
	one->took_ns[one->took_count++] = maker->now_ns - one->since_ns;
	maker->running[worker] = SIZE_MAX;
}

static void make_ready(struct maker *maker, size_t program)
{
	array_reserve(&maker->ready, &maker->ready_capacity, maker->ready_count + 1);
	maker->ready[maker->ready_count++] = program;
}

static void begin(struct maker *maker, size_t worker, size_t program)
{
	struct program *one = &maker->programs[program];

	one->begun = true;
	one->order = maker->begun++;
	step(maker, worker, program, TASK_BEGIN, one->index);
	open_block(maker, worker, program);
}

static bool waits_for(const struct maker *maker, size_t program, const struct action *action)
{
	const struct program *one = &maker->programs[program];

	if (action->kind == SYNCS_ONE)
		return !maker->programs[action->child].ended;
	for (size_t i = 0; i < one->next; i++)
		if (one->actions[i].kind == SPAWNS && !maker->programs[one->actions[i].child].ended)
			return true;
	return false;
}

/* This action of this program waits for `program`, and for those below it that no other one waited
 * for. */
static void be_synced(struct maker *maker, size_t program, size_t waiter)
{
	struct program *one = &maker->programs[program];

	one->is_synced = !one->in_place;
	one->synced_ns = maker->now_ns;
	one->waiter = waiter;
	one->waiter_action = maker->programs[waiter].next - 1;
	for (size_t i = 0; i < one->next; i++) {
		size_t child = one->actions[i].child;

		if (one->actions[i].kind == CALLS ||
		    (one->actions[i].kind == SPAWNS && maker->programs[child].ended &&
		     !maker->programs[child].is_synced))
			be_synced(maker, child, waiter);
	}
}

static void go_on(struct maker *maker, size_t worker, size_t program)
{
	struct program *one = &maker->programs[program];
	const struct action *waited = one->next ? &one->actions[one->next - 1] : NULL;

	if (!one->begun) {
		begin(maker, worker, program);
		return;
	}
	step(maker, worker, program, waited->kind == PAUSES ? TASK_RESUME : TASK_SYNCED, 0);
	open_block(maker, worker, program);
	for (size_t i = 0; i < one->next && waited->kind != PAUSES; i++) {
		struct program *child = &maker->programs[one->actions[i].child];

		if (one->actions[i].kind != SPAWNS || child->is_synced ||
		    (waited->kind == SYNCS_ONE && waited->child != one->actions[i].child))
			continue;
		be_synced(maker, one->actions[i].child, program);
	}
}

static void end_program(struct maker *maker, size_t worker, size_t program)
{
	struct program *one = &maker->programs[program];

	step(maker, worker, program, TASK_END, 0);
	close_block(maker, worker, program);
	one->ended = true;
	if (one->below != SIZE_MAX)
		open_block(maker, worker, one->below);
}

static void spawn(struct maker *maker, size_t worker, size_t program, size_t child)
{
	step(maker, worker, program, TASK_SPAWN, maker->programs[child].index);
	close_block(maker, worker, program);
	maker->now_ns += DRAWING_STEP_NS;
	maker->programs[child].spawned_ns = maker->now_ns;
	make_ready(maker, child);
	step(maker, worker, program, TASK_SPAWNED, 0);
	open_block(maker, worker, program);
}

/* The next action of the program on a worker; the programs below one that pauses move with it. */
static void act_now(struct maker *maker, size_t worker)
{
	size_t program = maker->running[worker];
	struct program *one = &maker->programs[program];
	const struct action *action = &one->actions[one->next++];

	switch (action->kind) {
	case WORKS:
		assert(0);
		break;
	case SPAWNS:
		spawn(maker, worker, program, action->child);
		break;
	case CALLS:
		maker->programs[action->child].below = program;
		close_block(maker, worker, program);
		begin(maker, worker, action->child);
		break;
	case SYNCS_ONE:
		step(maker, worker, program, TASK_SYNC_OF, maker->programs[action->child].index);
		step(maker, worker, program, TASK_SYNC, 0);
		close_block(maker, worker, program);
		one->waits = true;
		break;
	case SYNCS:
		step(maker, worker, program, TASK_SYNC, 0);
		close_block(maker, worker, program);
		one->waits = true;
		break;
	case PAUSES:
		step(maker, worker, program, TASK_PAUSE, 0);
		close_block(maker, worker, program);
		make_ready(maker, program);
		break;
	case ENDS:
		end_program(maker, worker, program);
		break;
	}
}

/* One worker does one action; its work takes the time of all other workers, too. */
static void advance(struct maker *maker)
{
	size_t worker = random_below(maker->random, RANDOM_TASKS_WORKERS);
	size_t program = maker->running[worker];

	for (size_t i = 0; i < maker->count; i++) {
		struct program *one = &maker->programs[i];

		if (one->waits && !waits_for(maker, i, &one->actions[one->next - 1])) {
			one->waits = false;
			make_ready(maker, i);
		}
	}
	if (program == SIZE_MAX && maker->ready_count) {
		size_t chosen = random_below(maker->random, maker->ready_count);

		program = maker->ready[chosen];
		maker->ready[chosen] = maker->ready[--maker->ready_count];
		maker->now_ns += DRAWING_STEP_NS;
		go_on(maker, worker, program);
	} else if (program != SIZE_MAX) {
		struct program *one = &maker->programs[program];

		maker->now_ns += DRAWING_STEP_NS;
		if (one->actions[one->next].kind == WORKS)
			one->next++;
		else
			act_now(maker, worker);
	}
}

/* --- Expected results ---------------------------------------------------------------------- */

static void draw_task(const struct maker *maker, FILE *out, size_t number)
{
	const struct program *one = &maker->programs[number];

	fprintf(out, "%zu", number + 1);
	if (one->parent != SIZE_MAX)
		fprintf(out, "<%zu", one->parent + 1);
	if (one->in_place)
		fputs(" in place", out);
	else if (one->parent != SIZE_MAX)
		fprintf(out, ", ready %" PRIu64, one->spawned_ns / DRAWING_STEP_NS);
	fputs(one->blocks, out);
	if (one->is_synced)
		fprintf(out, ", synced %" PRIu64, one->synced_ns / DRAWING_STEP_NS);
	fputs("\n", out);
}

static void draw(const struct maker *maker)
{
	size_t *by_begin = xcalloc(maker->count, sizeof(*by_begin)), size;
	FILE *out = open_memstream(&maker->tasks->drawing, &size);

	for (size_t i = 0; i < maker->count; i++)
		by_begin[maker->programs[i].order] = i;
	for (size_t i = 0; i < maker->count; i++)
		draw_task(maker, out, by_begin[i]);
	fclose(out);
	free(by_begin);
}

/* The end of a program that begins at `ns`, with unlimited cores. All below it has ended at
 * *span_ns. */
static uint64_t end_of(struct maker *maker, size_t program, uint64_t ns)
{
	struct program *one = &maker->programs[program];
	size_t block = 0;

	for (size_t i = 0; i < one->count; i++) {
		const struct action *action = &one->actions[i];

		if (action->kind == WORKS)
			continue;
		ns += one->took_ns[block];
		maker->tasks->work_ns += one->took_ns[block++];
		if (action->kind == CALLS)
			ns = end_of(maker, action->child, ns);
		if (action->kind == SPAWNS)
			end_of(maker, action->child, ns);
		for (size_t k = 0; k < maker->count; k++) {
			const struct program *other = &maker->programs[k];

			if (other->is_synced && other->waiter == program &&
			    other->waiter_action == i && other->end_ns > ns)
				ns = other->end_ns;
		}
	}
	one->end_ns = ns;
	if (ns > maker->tasks->span_ns)
		maker->tasks->span_ns = ns;
	return ns;
}

static bool is_over(const struct maker *maker)
{
	for (size_t i = 0; i < maker->count; i++)
		if (!maker->programs[i].ended)
			return false;
	return true;
}

void random_tasks_make(struct random_tasks *tasks, struct random *random, size_t most,
		       unsigned levels)
{
	struct maker maker = {.tasks = tasks, .random = random};

	*tasks = (struct random_tasks){.steps = NULL};
	draw_program(&maker, add_program(&maker, SIZE_MAX, 3), most, levels);
	for (size_t i = 0; i < RANDOM_TASKS_WORKERS; i++)
		maker.running[i] = SIZE_MAX;
	make_ready(&maker, 0);
	while (!is_over(&maker))
		advance(&maker);
	tasks->tasks = maker.count;
	draw(&maker);
	end_of(&maker, 0, 0);
	for (size_t i = 0; i < maker.count; i++) {
		free(maker.programs[i].actions);
		free(maker.programs[i].blocks);
		free(maker.programs[i].took_ns);
	}
	free(maker.programs);
	free(maker.ready);
}

void random_tasks_release(struct random_tasks *tasks)
{
	free(tasks->steps);
	free(tasks->drawing);
}
