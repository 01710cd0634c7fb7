/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "replay/program/step.h"

#include <stdlib.h>

struct thread_kill {
	int32_t pid;
	uint32_t thread;
	/* The CPU time of the program when a stranger ended the last wait, and when the thread ended;
	   0: no stranger ended it. */
	uint64_t woken_ns, end_ns;
	uint32_t wait; /* the step of a wait that a kill ended; PROGRAM_NONE: none */
};

static struct thread_kill *kills_at(struct program_kills *kills, uint32_t thread)
{
	array_reserve(&kills->items, &kills->capacity, (size_t)thread + 1);
	return &kills->items[thread];
}

void program_kills_note_wait(struct program_kills *kills, uint32_t thread, uint64_t work_ns)
{
	kills_at(kills, thread)->woken_ns = work_ns;
}

void program_kills_note_end(struct program_kills *kills, uint32_t thread, uint64_t work_ns)
{
	kills_at(kills, thread)->end_ns = work_ns;
}

void program_kills_release(struct program_kills *kills)
{
	free(kills->items);
	*kills = (struct program_kills){0};
}

/* --- Search --------------------------------------------------------------------------------- */

/* The threads of a process, in the order of their ends. */
struct process_kill {
	struct program *program;
	struct thread_kill *threads;
	size_t count;
};

static int kills_by_end(const void *a, const void *b)
{
	const struct thread_kill *one = a, *other = b;

	return compare_values(one->pid, other->pid)
		       ?: compare_values(one->end_ns, other->end_ns)
				  ?: compare_values(one->thread, other->thread);
}

/* Returns the step of the wait behind which the thread only ends; PROGRAM_NONE: none. */
static uint32_t kills_last_wait(const struct program *program, const struct program_thread *thread)
{
	uint32_t at = thread->count - 1;

	while (at-- > 0) {
		const struct step *step = &thread->steps[at];
		enum step_op op = step_op(step);

		if (step_op_is_pause(op))
			return at;
		if (op != STEP_NONE && op != STEP_RETURN &&
		    (op != STEP_WAKE || program->threads[step->thread].pid == thread->pid))
			return PROGRAM_NONE;
	}
	return PROGRAM_NONE;
}

/* Returns the step of the last wait of a thread if a kill ended it; PROGRAM_NONE: none did. */
static uint32_t kills_find_wait(const struct process_kill *process, const struct thread_kill *own)
{
	const uint64_t most_ns = 1000000, most_part = 100;
	const struct program_thread *thread = &process->program->threads[own->thread];
	uint32_t wait =
		own->woken_ns ? kills_last_wait(process->program, thread) : (uint32_t)PROGRAM_NONE;
	size_t first, alive;

	if (wait == PROGRAM_NONE)
		return wait;
	first = find_first(i, 0, process->count, process->threads[i].end_ns >= own->woken_ns);
	alive = process->count - first;
	if (alive < 2 || process->threads[process->count - 1].end_ns - own->woken_ns >
				 alive * most_ns + step_pause_ns(&thread->steps[wait]) / most_part)
		return PROGRAM_NONE;
	return wait;
}

/* --- Rewriting ------------------------------------------------------------------------------ */

static uint64_t *kills_share_of(struct program_shares *shares, enum step_op op)
{
	return op == STEP_EXTERNAL ? &shares->external_ns
	       : op == STEP_DEVICE ? &shares->device_ns
	       : op == STEP_SLEEP  ? &shares->sleep_ns
				   : &shares->unknown_ns;
}

/* Makes the wait endless. `last`: the thread that wakes other processes instead at its end. */
static void kills_rewrite(struct program *program, const struct thread_kill *killed, uint32_t last)
{
	struct program_thread *own = &program->threads[killed->thread];
	struct step *wait = &own->steps[killed->wait], exit = own->steps[own->count - 1];
	uint64_t run_ns = step_run_ns(wait), length_ns = step_pause_ns(wait);

	*kills_share_of(&program->shares, step_op(wait)) -= length_ns;
	program->shares.waits--;
	for (size_t i = killed->wait + 1; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		run_ns += step_run_ns(step);
		if (step_op(step) == STEP_WAKE)
			program_wake_at_end(program, last, step->thread, step->edge);
	}
	*wait = (struct step){.run_op = step_run_op(run_ns, STEP_BLOCK)};
	wait->site = wait->edge = PROGRAM_NONE;
	exit.run_op = step_run_op(0, STEP_EXIT);
	wait[1] = exit;
	own->count = killed->wait + 2;
}

static uint64_t kills_length_ns(const struct process_kill *process,
				const struct thread_kill *killed)
{
	return step_pause_ns(&process->program->threads[killed->thread].steps[killed->wait]);
}

/*
 * Returns the thread that was active to the end, the last one of them to end. If none was, returns
 * the thread whose wait began last, which keeps that wait. NULL: no wait is to be rewritten.
 */
static struct thread_kill *kills_last_active(const struct process_kill *process)
{
	struct thread_kill *last = NULL;
	uint64_t killed_ns = UINT64_MAX;

	for (size_t i = 0; i < process->count; i++)
		if (process->threads[i].wait != PROGRAM_NONE &&
		    process->threads[i].woken_ns < killed_ns)
			killed_ns = process->threads[i].woken_ns;
	for (size_t i = process->count; i-- > 0 && process->threads[i].end_ns >= killed_ns;) {
		struct thread_kill *own = &process->threads[i];

		if (own->wait == PROGRAM_NONE)
			return own;
		if (!last || kills_length_ns(process, own) < kills_length_ns(process, last))
			last = own;
	}
	if (last)
		last->wait = PROGRAM_NONE;
	return last;
}

static void kills_find_in(const struct process_kill *process)
{
	const struct thread_kill *last;

	for (size_t i = 0; i < process->count; i++)
		process->threads[i].wait = kills_find_wait(process, &process->threads[i]);
	last = kills_last_active(process);
	for (size_t i = 0; last && i < process->count; i++)
		if (process->threads[i].wait != PROGRAM_NONE)
			kills_rewrite(process->program, &process->threads[i], last->thread);
}

void program_kills_apply(struct program_kills *kills, struct program *program)
{
	size_t count = program->thread_count, end;

	for (uint32_t i = 0; i < count; i++) {
		struct thread_kill *own = kills_at(kills, i);

		own->thread = i;
		own->pid = program->threads[i].pid;
	}
	sort_items(kills->items, count, kills_by_end);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && kills->items[end].pid == kills->items[i].pid;)
			end++;
		if (kills->items[i].pid >= 0)
			kills_find_in(&(struct process_kill){program, &kills->items[i], end - i});
	}
}
