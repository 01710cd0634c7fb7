/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise_joins.h"

#include "base/alloc.h"
#include "replay/recognise/recognition.h"

#include <stdlib.h>

/* What is known of the threads that a thread has created and not joined yet. */
struct children {
	uint32_t *threads;
	size_t count, capacity;
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
	program->sites[site].name = xasprintf("join by %s/%d", thread->comm, thread->tid);
	return site;
}

/* Are there polls for what the wait at `block` waits for? Those know of wakes only. */
static bool is_polled(const struct program_thread *thread, uint32_t block)
{
	enum step_op op = STEP_NONE;

	while (op == STEP_NONE && block-- > 0)
		op = step_op(&thread->steps[block]);
	return op == STEP_POLL;
}

/* The wait of `edge` becomes a join where it is one. *site: of its thread, PROGRAM_NONE: none yet.
 */
static void try_edge(struct recognition *recognition, uint32_t edge, uint32_t *site)
{
	struct program *program = recognition->program;
	struct place wake, block;
	struct step *step;

	if (!recognition_has_edge(recognition, edge))
		return;
	wake = recognition->edges[edge].wake;
	block = recognition->edges[edge].block;
	if (!program_thread_ends(&program->threads[wake.thread], wake.step) ||
	    is_polled(&program->threads[block.thread], block.step))
		return;
	recognition_forget_edge(recognition, edge);
	if (*site == PROGRAM_NONE) {
		*site = join_site(program, block.thread);
		recognition->found->joins++;
	}
	recognition->found->waits++;
	step = recognition_step(recognition, block);
	step_become(step, STEP_JOIN);
	step->thread = wake.thread;
	step->join_site = *site;
	wait_chains_note_site(&program->chains, *site, wait_chains_of_edge(&program->chains, edge));
}

static void join_what_waited(struct recognition *recognition, uint32_t thread)
{
	const struct program_thread *own = &recognition->program->threads[thread];
	uint32_t site = PROGRAM_NONE;

	for (size_t i = 0; i < own->count; i++)
		if (step_op(&own->steps[i]) == STEP_BLOCK)
			try_edge(recognition, own->steps[i].edge, &site);
}

/* --- What did not have to wait ------------------------------------------------------------- */

static uint64_t exit_ns(const struct program *program, uint32_t thread)
{
	const struct program_thread *own = &program->threads[thread];
	const struct step *last = own->count ? &own->steps[own->count - 1] : NULL;

	return last && step_op(last) == STEP_EXIT ? last->exit_ns : 0;
}

static void append(struct steps *steps, struct step step)
{
	array_reserve(&steps->items, &steps->capacity, steps->count + 1);
	steps->items[steps->count++] = step;
}

/*
 * [thread]: the last step of `own` that wakes it, plus one. Who is woken after a join has not ended
 * before it, whatever the times of exits seem to say: a thread that is preempted between its last
 * wake and its end may end at any time. The caller frees it.
 */
static size_t *find_last_wakes(const struct program *program, const struct program_thread *own)
{
	size_t *last_wakes = xcalloc(program->thread_count, sizeof(*last_wakes));

	for (size_t i = 0; i < own->count; i++)
		if (step_op(&own->steps[i]) == STEP_WAKE)
			last_wakes[own->steps[i].thread] = i + 1;
	return last_wakes;
}

/*
 * Joins what had ended when the thread of `join` did, and that one itself; not what a step behind
 * `at` wakes. In `to`, the CPU time of `join` comes before all of them.
 */
static void join_siblings(const struct program *program, struct children *children,
			  struct step join, size_t at, const size_t *last_wakes, struct steps *to)
{
	uint64_t until_ns = exit_ns(program, join.thread);
	int32_t pid = program->threads[join.thread].pid;
	size_t kept = 0;
	uint64_t run_ns = step_run_ns(&join);

	for (size_t i = 0; i < children->count; i++) {
		uint32_t child = children->threads[i];
		uint64_t ended_ns = exit_ns(program, child);

		if (child == join.thread)
			continue;
		if (!ended_ns || ended_ns > until_ns || last_wakes[child] > at ||
		    program->threads[child].pid != pid) {
			children->threads[kept++] = child;
			continue;
		}
		append(to, (struct step){.run_op = step_run_op(run_ns, STEP_JOIN),
					 .thread = child,
					 .join_site = join.join_site});
		run_ns = 0;
	}
	children->count = kept;
	join.run_op = step_run_op(run_ns, STEP_JOIN);
	append(to, join);
}

static bool has_created(const struct children *children, uint32_t thread)
{
	for (size_t i = 0; i < children->count; i++)
		if (children->threads[i] == thread)
			return true;
	return false;
}

static void join_what_had_ended(struct program *program, uint32_t thread)
{
	struct program_thread *own = &program->threads[thread];
	size_t *last_wakes = find_last_wakes(program, own);
	struct children children = {0};
	struct steps steps = {0};

	for (size_t i = 0; i < own->count; i++) {
		struct step step = own->steps[i];

		if (step_op(&step) == STEP_FORK) {
			array_reserve(&children.threads, &children.capacity, children.count + 1);
			children.threads[children.count++] = step.thread;
		}
		if (step_op(&step) == STEP_JOIN && has_created(&children, step.thread) &&
		    program->threads[step.thread].pid == own->pid)
			join_siblings(program, &children, step, i, last_wakes, &steps);
		else
			append(&steps, step);
	}
	free(children.threads);
	free(last_wakes);
	free(own->steps);
	own->steps = steps.items;
	own->count = steps.count;
	own->capacity = steps.capacity;
}

void recognise_joins(struct recognition *recognition)
{
	struct program *program = recognition->program;

	for (uint32_t i = 0; i < program->thread_count; i++) {
		size_t before = recognition->found->joins;

		join_what_waited(recognition, i);
		if (recognition->found->joins > before)
			join_what_had_ended(program, i);
	}
}
