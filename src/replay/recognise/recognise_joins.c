/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognition.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <stdlib.h>

/* --- Joins ---------------------------------------------------------------------------------- */

/*
 * Finds waits for the end of a thread. The kernel wakes threads that wait for that as one of the
 * last actions of a thread, so a wakeup that only the end of its thread follows is a join, or looks
 * the same.
 *
 * A thread that joins a child also joins the children that had ended already, for which it did not
 * have to wait: on other cores it may have to. So if exits have times, siblings are joined too:
 * those created before by the same thread, in the same process, that ended no later.
 */

/* A thread that its creator has not joined yet; the least key of a heap is first. */
struct child {
	uint64_t key;
	uint32_t thread, order;
};

struct child_heap {
	struct child *items;
	size_t count, capacity;
};

struct children {
	struct child_heap ended; /* by the times of their ends */
	struct child_heap woken; /* not to be joined yet: by their last wakeups */
	uint32_t count;
	bool *created;		  /* [thread of the program] */
	size_t *last_wakes;	  /* [thread]: last step of its creator that wakes it, plus one */
	struct child_heap joined; /* threads to join now, in no order */
};

struct steps {
	struct step *items;
	size_t count, capacity;
};

static uint32_t join_site(struct program *program, uint32_t waiter)
{
	const struct program_thread *thread = &program->threads[waiter];
	uint32_t site = program_add_site(program, SITE_JOIN);

	program->sites[site].pid = thread->pid;
	program->sites[site].name =
		xasprintf("join by %s/%d", thread_name_text(&thread->name), thread->tid);
	return site;
}

/* Returns whether polls precede the wait at `block`: they wait for wakeups only. */
static bool is_polled(const struct program_thread *thread, uint32_t block)
{
	enum step_op op = STEP_NONE;

	while (op == STEP_NONE && block-- > 0)
		op = step_op(&thread->steps[block]);
	return op == STEP_POLL;
}

static bool wakes_at_end(const struct recognition *recognition, uint32_t edge)
{
	struct place wake = recognition->edges[edge].wake;

	return program_thread_ends(&recognition->program->threads[wake.thread], wake.step);
}

/*
 * Returns the sites that are no joins; the caller frees them. pthread_join() waits in state S, not
 * D. A word at which threads are also woken long before the end of their waker belongs to a lock,
 * which a thread may release as its last action.
 */
static bool *sites_of_no_join(const struct recognition *recognition)
{
	const struct program *program = recognition->program;
	bool *found = xcalloc(program->site_count + 1, sizeof(*found));

	for (size_t i = 0; i < program->site_count; i++)
		found[i] = program->sites[i].kind == SITE_DEVICE;
	for (uint32_t i = 0; i < program->edge_count; i++) {
		uint32_t site =
			recognition_has_edge(recognition, i)
				? recognition_step(recognition, recognition->edges[i].block)->site
				: PROGRAM_NONE;

		if (site < program->site_count && program->sites[site].kind == SITE_FUTEX &&
		    !wakes_at_end(recognition, i))
			found[site] = true;
	}
	return found;
}

/*
 * Turns the wait of `edge` into a join if it is one. `excluded` [site]. *site: the site of the
 * thread's joins, PROGRAM_NONE: none yet.
 */
static void try_edge(struct recognition *recognition, uint32_t edge, const bool *excluded,
		     uint32_t *site)
{
	struct program *program = recognition->program;
	struct place wake, block;
	struct step *step;

	if (!recognition_has_edge(recognition, edge))
		return;
	wake = recognition->edges[edge].wake;
	block = recognition->edges[edge].block;
	step = recognition_step(recognition, block);
	if ((step->site != PROGRAM_NONE && excluded[step->site]) ||
	    !wakes_at_end(recognition, edge) ||
	    is_polled(&program->threads[block.thread], block.step))
		return;
	recognition_forget_edge(recognition, edge);
	if (*site == PROGRAM_NONE) {
		*site = join_site(program, block.thread);
		recognition->found->joins++;
	}
	recognition->found->waits++;
	step_become(step, STEP_JOIN);
	step->thread = wake.thread;
	step->join_site = *site;
	wait_chains_note_site(&program->chains, *site, wait_chains_of_edge(&program->chains, edge));
}

static void join_what_waited(struct recognition *recognition, uint32_t thread, const bool *excluded)
{
	const struct program_thread *own = &recognition->program->threads[thread];
	uint32_t site = PROGRAM_NONE;

	for (size_t i = 0; i < own->count; i++)
		if (step_op(&own->steps[i]) == STEP_BLOCK)
			try_edge(recognition, own->steps[i].edge, excluded, &site);
}

/* --- Joins without a wait ------------------------------------------------------------------ */

static uint64_t exit_ns(const struct program *program, uint32_t thread)
{
	const struct program_thread *own = &program->threads[thread];
	const struct step *last = own->count ? &own->steps[own->count - 1] : NULL;

	return last && step_op(last) == STEP_EXIT ? last->exit_ns : 0;
}

static void joins_append(struct steps *steps, struct step step)
{
	array_reserve(&steps->items, &steps->capacity, steps->count + 1);
	steps->items[steps->count++] = step;
}

static void child_heap_add(struct child_heap *heap, struct child child)
{
	size_t at = heap->count++;

	array_reserve(&heap->items, &heap->capacity, heap->count);
	for (; at && heap->items[(at - 1) / 2].key > child.key; at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = child;
}

/* Takes the first item, unless its key is above `most`. */
static bool child_heap_take(struct child_heap *heap, uint64_t most, struct child *child)
{
	struct child last;
	size_t at = 0;

	if (!heap->count || heap->items[0].key > most)
		return false;
	*child = heap->items[0];
	last = heap->items[--heap->count];
	for (size_t next; (next = 2 * at + 1) < heap->count; at = next) {
		if (next + 1 < heap->count && heap->items[next + 1].key < heap->items[next].key)
			next++;
		if (heap->items[next].key >= last.key)
			break;
		heap->items[at] = heap->items[next];
	}
	heap->items[at] = last;
	return true;
}

static int by_order(const void *a, const void *b)
{
	const struct child *one = a, *other = b;

	return compare_values(one->order, other->order);
}

/* Collects the children that had ended by `until_ns` and that no step from `at` on wakes. */
static void children_take(struct children *children, const struct program *program,
			  uint64_t until_ns, size_t at)
{
	struct child child;

	children->joined.count = 0;
	while (child_heap_take(&children->woken, at, &child)) {
		child.key = exit_ns(program, child.thread);
		child_heap_add(&children->ended, child);
	}
	while (child_heap_take(&children->ended, until_ns, &child)) {
		if (!children->created[child.thread])
			continue;
		child.key = children->last_wakes[child.thread];
		if (child.key > at)
			child_heap_add(&children->woken, child);
		else
			child_heap_add(&children->joined, child);
	}
	sort_items(children->joined.items, children->joined.count, by_order);
}

/*
 * Joins the children that had ended when the thread of `join` did, and that thread; not a child
 * that a step behind `at` wakes: it has not ended before that, whatever the times of exits seem to
 * say, as a thread that is preempted between its last wakeup and its end may end at any time. In
 * `to`, the CPU time of `join` comes before all of them.
 */
static void join_siblings(const struct program *program, struct children *children,
			  struct step join, size_t at, struct steps *to)
{
	uint64_t run_ns = step_run_ns(&join);

	children->created[join.thread] = false;
	children_take(children, program, exit_ns(program, join.thread), at);
	for (size_t i = 0; i < children->joined.count; i++) {
		uint32_t child = children->joined.items[i].thread;

		children->created[child] = false;
		joins_append(to, (struct step){.run_op = step_run_op(run_ns, STEP_JOIN),
					       .thread = child,
					       .join_site = join.join_site});
		run_ns = 0;
	}
	join.run_op = step_run_op(run_ns, STEP_JOIN);
	joins_append(to, join);
}

/* Adds a child. Threads of other processes or without an end are not joined with others. */
static void children_add(struct children *children, const struct program *program, int32_t pid,
			 uint32_t thread)
{
	const struct child child = {exit_ns(program, thread), thread, children->count++};

	children->created[thread] = true;
	if (child.key && program->threads[thread].pid == pid)
		child_heap_add(&children->ended, child);
}

/* Forgets all children of the thread with these steps. */
static void children_clear(struct children *children, const struct steps *steps)
{
	for (size_t i = 0; i < steps->count; i++) {
		const struct step *step = &steps->items[i];

		if (step_op(step) == STEP_FORK)
			children->created[step->thread] = false;
		else if (step_op(step) == STEP_WAKE)
			children->last_wakes[step->thread] = 0;
	}
	children->ended.count = children->woken.count = children->count = 0;
}

static void join_what_had_ended(struct program *program, struct children *children, uint32_t thread)
{
	struct program_thread *own = &program->threads[thread];
	struct steps steps = {0};

	for (size_t i = 0; i < own->count; i++)
		if (step_op(&own->steps[i]) == STEP_WAKE)
			children->last_wakes[own->steps[i].thread] = i + 1;
	for (size_t i = 0; i < own->count; i++) {
		struct step step = own->steps[i];

		if (step_op(&step) == STEP_FORK)
			children_add(children, program, own->pid, step.thread);
		if (step_op(&step) == STEP_JOIN && children->created[step.thread] &&
		    program->threads[step.thread].pid == own->pid)
			join_siblings(program, children, step, i, &steps);
		else
			joins_append(&steps, step);
	}
	children_clear(children, &steps);
	free(own->steps);
	own->steps = steps.items;
	own->count = (uint32_t)steps.count;
	own->capacity = (uint32_t)steps.capacity;
}

void recognise_joins(struct recognition *recognition)
{
	struct program *program = recognition->program;
	struct children children = {
		.created = xcalloc(program->thread_count, sizeof(*children.created)),
		.last_wakes = xcalloc(program->thread_count, sizeof(*children.last_wakes))};
	bool *excluded = sites_of_no_join(recognition);

	for (uint32_t i = 0; i < program->thread_count; i++) {
		size_t before = recognition->found->joins;

		join_what_waited(recognition, i, excluded);
		if (recognition->found->joins > before)
			join_what_had_ended(program, &children, i);
	}
	free(excluded);
	free(children.created);
	free(children.last_wakes);
	free(children.ended.items);
	free(children.woken.items);
	free(children.joined.items);
}
