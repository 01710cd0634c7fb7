/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explicit tasks of libgomp. It copies the data of a task, `size` bytes, and calls the body with
 * the copy, or with the original data if it runs the task at once. Here the data is a block: a head
 * that identifies the task, followed by the program's data.
 */
#include "omp/gomp.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * The library may read and write these words, which are the first of the data: of a task with an
 * event, [0] is the address for the event; of a loop, [0] and [1] are the range of the task, and
 * [2] its reductions.
 */
enum { WORDS = 3, EVENT_WORDS = 1, LOOP_WORDS = 2 };

struct block {
	uintptr_t words[WORDS];
	uint32_t returned;   /* the first of the words that are also the program's */
	bool called, serial; /* as in struct omp_task */
	uint32_t offset;     /* of the program's data; 0: none */
	gomp_body *body;
	gomp_copier *copy;
	void *data; /* the data to copy */
	const struct gomp *gomp;
	pscal_task parent;
	uint32_t index;
	long start, step; /* of a loop; `step` 0: no loop */
};

_Static_assert(sizeof(long) == sizeof(uintptr_t), "loops count in words");

/* The largest block on the stack; larger data has been there before. */
enum { ON_STACK = 1024 };

static size_t round_up(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

/* --- Running -------------------------------------------------------------------------------- */

/*
 * Returns the begin of the task in a loop, in iterations, which count on from those of other loops.
 */
static uint32_t index_of(const struct block *block)
{
	if (!block->step)
		return block->index;
	return block->index +
	       (uint32_t)((long)(block->words[0] - (uintptr_t)block->start) / block->step);
}

static void run_task(void *data)
{
	struct block *block = data;
	void *own = block->offset ? (char *)data + block->offset : NULL;
	struct omp_task *outer = omp_self.task;
	bool interrupts = outer && outer->state == OMP_RUNS && !block->called;
	struct omp_task task = {
		.parent = block->parent,
		.index = index_of(block),
		.site = (const void *)(uintptr_t)block->body,
		.serial = block->serial,
		.runtime = block->gomp,
	};

	if (own)
		memcpy(own, block->words, block->returned * sizeof(block->words[0]));
	if (interrupts)
		omp_task_stop(outer, outer->site, PSCAL_STEP_PAUSE);
	omp_task_begin(&task);
	omp_self.task = &task;
	block->body(own);
	omp_task_end(&task);
	omp_self.task = outer;
	if (interrupts)
		omp_task_go_on(outer, outer->site, PSCAL_STEP_RESUME);
}

static void copy_block(void *to, void *from)
{
	const struct block *block = from;

	memcpy(to, block, sizeof(*block));
	if (!block->step)
		memcpy(block->data, block->words, block->returned * sizeof(block->words[0]));
	block->copy((char *)to + block->offset, block->data);
}

/* --- Creating ------------------------------------------------------------------------------- */

/* The size of a block, and its offset in `room`, which is `align` bytes larger. */
struct layout {
	size_t offset, size, align;
};

static inline struct layout lay_out(long size, long align)
{
	struct layout layout = {.align = _Alignof(struct block)};

	if ((size_t)align > layout.align)
		layout.align = (size_t)align;
	layout.offset = round_up(sizeof(struct block), layout.align);
	layout.size = layout.offset + (size_t)size;
	return layout;
}

static inline struct block *put_block(void *room, const struct layout *layout,
				      const struct block *head)
{
	struct block *block = (void *)round_up((uintptr_t)room, layout->align); // NOLINT

	*block = *head;
	block->offset = head->data ? (uint32_t)layout->offset : 0;
	if (head->data && !head->copy)
		memcpy((char *)block + layout->offset, head->data, layout->size - layout->offset);
	return block;
}

/* If nothing is recorded, the call is passed on unchanged. */
GOMP_EXPORTED void GOMP_task(gomp_body *body, void *data, gomp_copier *copy, long size, long align,
			     bool deferred, unsigned flags, void **depend, int priority,
			     void *detach)
{
	const struct gomp *gomp = gomp_of(body);
	const void *site = GOMP_SITE;
	struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);

	if (!task) {
		gomp->task(body, data, copy, size, align, deferred, flags, depend, priority,
			   detach);
		return;
	}
	struct layout layout = lay_out(size, align);
	bool on_stack = layout.size <= ON_STACK, called = !deferred || task->serial;
	char small[on_stack ? layout.size + layout.align : 1];
	char *large = on_stack ? NULL : malloc(layout.size + layout.align);
	struct block *block;

	if (!on_stack && !large)
		abort(); /* as the library itself would */
	block = put_block(
		large ? large : small, &layout,
		&(struct block){
			.returned = flags & GOMP_FLAG_DETACH && data ? EVENT_WORDS : 0,
			.body = body,
			.copy = copy,
			.data = data,
			.gomp = gomp,
			.parent = task->id,
			.called = called,
			.serial = task->serial || flags & GOMP_FLAG_FINAL,
			.index = called ? omp_task_call(task) : omp_task_spawn(task, site),
		});
	gomp->task(run_task, block, copy ? copy_block : NULL, (long)layout.size, (long)layout.align,
		   deferred, flags, depend, priority, detach);
	if (!called)
		omp_task_go_on(task, site, PSCAL_STEP_SPAWNED);
	free(large);
}

/* --- Loops of tasks ------------------------------------------------------------------------- */

/*
 * A loop of tasks. The library decides the number of its tasks, so none is spawned by its index. If
 * the library is to wait for them, that wait is replaced, so that its time is known; but not if
 * reductions are part of it.
 */
struct loop {
	struct omp_task *task;
	const void *site;
	struct layout layout;
	struct omp_group group;
	char *room;
	struct block *block;
	unsigned flags; /* for the library */
	bool grouped, waits;
};

static uint64_t count_iterations(bool up, uint64_t start, uint64_t end, uint64_t step)
{
	uint64_t span = up ? end - start : start - end, stride = up ? step : -step;

	return span / stride + (span % stride != 0);
}

static void take_indices(struct omp_task *task, uint64_t iterations)
{
	task->children += (uint32_t)(iterations - 1); /* in addition to the spawned one */
	for (struct omp_group *group = task->group; group; group = group->outer)
		group->counted = false;
}

static void begin_loop(struct loop *loop, struct block *head, unsigned flags, uint64_t iterations)
{
	if (flags & GOMP_FLAG_REDUCTION)
		memcpy(head->words, head->data, sizeof(head->words));
	loop->room = malloc(loop->layout.size + loop->layout.align);
	if (!loop->room)
		abort(); /* as the library itself would */
	loop->block = put_block(loop->room, &loop->layout, head);
	loop->waits = !(flags & GOMP_FLAG_NO_GROUP);
	loop->grouped = loop->waits && !(flags & GOMP_FLAG_REDUCTION);
	loop->flags = loop->grouped ? flags | GOMP_FLAG_NO_GROUP : flags;
	omp_task_enter_group(loop->task, &loop->group, loop->site);
	omp_task_spawn(loop->task, loop->site);
	take_indices(loop->task, iterations);
	if (loop->grouped)
		head->gomp->taskgroup_start();
}

static void end_loop(struct loop *loop)
{
	if (!loop->waits || loop->grouped)
		omp_task_go_on(loop->task, loop->site, PSCAL_STEP_SPAWNED);
	if (loop->waits)
		omp_task_sync_group(loop->task, loop->site);
	if (loop->grouped)
		loop->block->gomp->taskgroup_end();
	if (loop->waits)
		omp_task_go_on(loop->task, loop->site, PSCAL_STEP_SYNCED);
	omp_task_leave_group(loop->task);
	free(loop->room);
}

#define TASKLOOP(name, type, is_up)                                                                \
	GOMP_EXPORTED void GOMP_##name(GOMP_TASKLOOP(type))                                        \
	{                                                                                          \
		const struct gomp *gomp = gomp_of(body);                                           \
		const void *site = GOMP_SITE;                                                      \
		struct omp_task *task = gomp_caller(gomp, GOMP_RETURN);                            \
		bool up = is_up;                                                                   \
                                                                                                   \
		if (!task || (up ? start >= end : start <= end)) {                                 \
			gomp->name(body, data, copy, size, align, flags, tasks, priority, start,   \
				   end, step);                                                     \
			return;                                                                    \
		}                                                                                  \
		struct loop loop = {.task = task, .site = site, .layout = lay_out(size, align)};   \
		struct block head = {.returned = LOOP_WORDS,                                       \
				     .serial = task->serial || flags & GOMP_FLAG_FINAL,            \
				     .body = body,                                                 \
				     .copy = copy,                                                 \
				     .data = data,                                                 \
				     .gomp = gomp,                                                 \
				     .parent = task->id,                                           \
				     .index = task->children,                                      \
				     .start = (long)start,                                         \
				     .step = (long)step};                                          \
                                                                                                   \
		begin_loop(&loop, &head, flags,                                                    \
			   count_iterations(up, (uint64_t)start, (uint64_t)end, (uint64_t)step));  \
		gomp->name(run_task, loop.block, copy ? copy_block : NULL, (long)loop.layout.size, \
			   (long)loop.layout.align, loop.flags, tasks, priority, start, end,       \
			   step);                                                                  \
		end_loop(&loop);                                                                   \
	}

TASKLOOP(taskloop, long, step > 0)
TASKLOOP(taskloop_ull, unsigned long long, flags &GOMP_FLAG_UP)
