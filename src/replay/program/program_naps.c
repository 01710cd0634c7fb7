/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/step.h"

#include <stdlib.h>

/* The fewest naps for each nap in which threads ended. */
enum { NAPS_LEAST = 5 };

struct thread_end {
	int32_t pid;
	uint32_t thread;
	uint64_t at_ns;
};

static int compare_ends(const void *a, const void *b)
{
	const struct thread_end *one = a, *other = b;

	return compare_values(one->pid, other->pid) ?: compare_values(one->at_ns, other->at_ns);
}

void thread_ends_init(struct thread_ends *ends, const struct program *program)
{
	*ends = (struct thread_ends){xcalloc(program->thread_count, sizeof(*ends->items)), 0};
	for (uint32_t i = 0; i < program->thread_count; i++) {
		const struct program_thread *thread = &program->threads[i];
		const struct step *last = thread->count ? &thread->steps[thread->count - 1] : NULL;

		if (last && step_op(last) == STEP_EXIT && last->exit_ns)
			ends->items[ends->count++] =
				(struct thread_end){thread->pid, i, last->exit_ns};
	}
	sort_items(ends->items, ends->count, compare_ends);
}

void thread_ends_release(struct thread_ends *ends)
{
	free(ends->items);
	*ends = (struct thread_ends){0};
}

void program_wake_at_end(struct program *program, uint32_t thread, uint32_t woken, uint32_t edge)
{
	struct step exit = program->threads[thread].steps[program->threads[thread].count - 1];
	struct step *wake;

	program_add_step(program, thread, 0, STEP_EXIT)->exit_ns = exit.exit_ns;
	wake = &program->threads[thread].steps[program->threads[thread].count - 2];
	*wake = (struct step){.run_op = step_run_op(step_run_ns(&exit), STEP_WAKE),
			      .thread = woken,
			      .edge = edge};
}

/* Makes step `at` of `thread` wait for the end of `other`. */
static void naps_wait_for(struct program *program, uint32_t thread, size_t at, uint32_t other)
{
	struct step *block = &program->threads[thread].steps[at];
	uint32_t edge = program->edge_count++;

	block->run_op = step_run_op(step_run_ns(block), STEP_BLOCK);
	block->site = PROGRAM_NONE;
	block->edge = edge;
	program_wake_at_end(program, other, thread, edge);
}

/* Makes naps wait for the ends in [from, to), of which one at most is the thread's own. */
static void naps_become_waits(struct program *program, uint32_t thread, const struct naps *naps,
			      const struct thread_end *from, const struct thread_end *to)
{
	struct step *steps = program->threads[thread].steps, *last = &steps[naps->last];

	for (size_t i = naps->first; i < naps->last; i++) {
		if (!step_op_is_pause(step_op(&steps[i])))
			continue;
		if (from < to && from->thread != thread)
			naps_wait_for(program, thread, i, from->thread);
		else
			steps[i].run_op = step_run_op(step_run_ns(&steps[i]), STEP_NONE);
		from += from < to;
	}
	last->run_op = step_run_op(step_run_ns(last), STEP_SLEEP);
	last->pause = step_pause(step_pause_ns(last) / 2, step_site(last));
}

/* Returns the number of naps of `nap_ns` in which threads ended. */
static size_t naps_with_ends(const struct thread_end *from, const struct thread_end *to,
			     const struct naps *naps, uint64_t nap_ns)
{
	size_t count = 0;
	uint64_t last = UINT64_MAX;

	for (; from < to; from++) {
		uint64_t nap = (naps->end_ns - from->at_ns) / nap_ns;

		count += nap != last;
		last = nap;
	}
	return count;
}

bool naps_find_ends(struct program *program, uint32_t thread, const struct naps *naps,
		    const struct thread_ends *ends)
{
	const struct thread_end begin = {.pid = program->threads[thread].pid,
					 .at_ns = naps->begin_ns};
	const struct thread_end end = {.pid = begin.pid, .at_ns = naps->end_ns};
	uint64_t nap_ns = step_pause_ns(&program->threads[thread].steps[naps->last]);
	size_t from = find_first(i, 0, ends->count, compare_ends(&ends->items[i], &begin) > 0);
	size_t to = find_first(i, from, ends->count, compare_ends(&ends->items[i], &end) > 0);

	if (!nap_ns || from == to || to - from >= naps->count ||
	    ends->items[to - 1].at_ns + nap_ns < naps->end_ns ||
	    naps_with_ends(&ends->items[from], &ends->items[to], naps, nap_ns) * NAPS_LEAST >
		    naps->count)
		return false;
	naps_become_waits(program, thread, naps, &ends->items[from], &ends->items[to]);
	return true;
}
