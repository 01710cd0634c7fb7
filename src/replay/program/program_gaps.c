/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_gaps.h"

#include "base/alloc.h"
#include "replay/program/program.h"

#include <stdlib.h>

void program_add_gap(struct program *program, size_t thread, struct program_gap gap)
{
	struct program_gaps *gaps;
	struct program_gap *last;

	array_reserve(&program->gaps, &program->gap_capacity, thread + 1);
	gaps = &program->gaps[thread];
	last = gaps->count ? &gaps->items[gaps->count - 1] : NULL;
	if (last && last->run_ns == gap.run_ns && gap.kind == GAP_READY) {
		last->end_ns = gap.end_ns;
		last->ready_ns += last->kind == GAP_READY ? 0 : gap.end_ns - gap.begin_ns;
		return;
	}
	array_reserve(&gaps->items, &gaps->capacity, gaps->count + 1);
	gaps->items[gaps->count++] = gap;
}

void program_gaps_release(struct program_gaps *gaps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(gaps[i].items);
	free(gaps);
}

/* --- Times of steps ------------------------------------------------------------------------- */

static uint64_t step_times_now(const struct step_times *times)
{
	return times->resumed_ns + times->run_ns - times->ran_ns;
}

/* Goes through the gaps up to this one, too. */
static void pass_gaps(struct step_times *times, size_t end)
{
	for (; times->next < end; times->next++) {
		times->ran_ns = times->gaps->items[times->next].run_ns;
		times->resumed_ns = times->gaps->items[times->next].end_ns;
	}
}

/* Behind the last gap of a wait for another thread, up to so much CPU time and the next pause. */
static size_t gaps_of_wait(const struct step_times *times, uint64_t run_ns)
{
	size_t end = times->next;

	for (size_t i = times->next; i < times->gaps->count; i++) {
		const struct program_gap *gap = &times->gaps->items[i];

		if (gap->kind == GAP_PAUSE || gap->run_ns > run_ns)
			break;
		if (gap->kind == GAP_EDGE)
			end = i + 1;
	}
	return end;
}

/* Behind the next pause, where it is at hand. */
static size_t gaps_of_pause(const struct step_times *times)
{
	size_t i = times->next;

	while (i < times->gaps->count && times->gaps->items[i].run_ns <= times->run_ns) {
		if (times->gaps->items[i++].kind == GAP_PAUSE)
			return i;
	}
	return times->next;
}

void step_times_next(struct step_times *times, const struct program_thread *thread, uint32_t step)
{
	enum step_op op = step_op(&thread->steps[step]);
	size_t end = times->next;

	times->run_ns += step_run_ns(&thread->steps[step]);
	while (end < times->gaps->count && times->gaps->items[end].run_ns < times->run_ns)
		end++;
	pass_gaps(times, end);
	times->begin_ns = step_times_now(times);
	times->ready_ns = 0;
	if (step_op_is_pause(op)) {
		pass_gaps(times, gaps_of_pause(times));
	} else if (step_op_waits(op)) {
		uint64_t within_ns =
			step + 1 < thread->count ? step_run_ns(&thread->steps[step + 1]) : 0;

		within_ns = within_ns < STEP_WAITS_WITHIN_NS ? within_ns : STEP_WAITS_WITHIN_NS;
		pass_gaps(times, gaps_of_wait(times, times->run_ns + within_ns));
	}
	times->end_ns = step_times_now(times);
	if (times->next > end)
		times->ready_ns = times->gaps->items[times->next - 1].ready_ns;
}
