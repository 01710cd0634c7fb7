/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_gaps.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "decode/event/samples.h"
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

/* --- Times of samples ----------------------------------------------------------------------- */

struct sample_time {
	uint32_t thread;
	uint64_t time_ns; /* since the beginning of the program */
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct sample_time *one = a, *other = b;

	return compare_values(one->thread, other->thread)
		       ?: compare_values(one->time_ns, other->time_ns);
}

/* Lists the times of samples of the program's threads. Returns their number. */
static size_t list_times(struct sample_time *times, const struct program *program,
			 const struct samples *samples)
{
	uint32_t *threads = xcalloc(program->thread_count + 1, sizeof(*threads));
	struct map numbers = {0};
	size_t count = 0;

	for (uint32_t i = 0; i < program->thread_count; i++)
		threads[map_add_u64(&numbers, (uint32_t)program->threads[i].tid)] = i;
	for (size_t i = 0; i < samples->row_count; i++) {
		const struct sampled *row = &samples->rows[i];
		uint32_t number = map_find_u64(&numbers, (uint32_t)row->tid);

		if (number != MAP_NONE && row->time_ns >= program->begin_ns)
			times[count++] = (struct sample_time){threads[number],
							      row->time_ns - program->begin_ns};
	}
	map_release(&numbers);
	free(threads);
	sort_items(times, count, by_thread_and_time);
	return count;
}

/* Merges gaps and samples in the order of their times. */
static void merge_times(struct program_gaps *gaps, const struct sample_time *times, size_t count)
{
	struct program_gap *items = xcalloc(gaps->count + count + 1, sizeof(*items));
	size_t put = 0, next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct program_gap *before;
		uint64_t time_ns = times[i].time_ns, run_ns = time_ns;

		while (next < gaps->count && gaps->items[next].begin_ns <= time_ns)
			items[put++] = gaps->items[next++];
		before = put ? &items[put - 1] : NULL;
		if (before)
			run_ns = before->run_ns +
				 (time_ns > before->end_ns ? time_ns - before->end_ns : 0);
		if (!before || time_ns >= before->end_ns)
			items[put++] = (struct program_gap){
				.run_ns = run_ns, .begin_ns = time_ns, .end_ns = time_ns};
	}
	while (next < gaps->count)
		items[put++] = gaps->items[next++];
	free(gaps->items);
	*gaps = (struct program_gaps){items, put, put};
}

void program_gaps_add_samples(struct program *program, const struct samples *samples)
{
	struct sample_time *times = xcalloc(samples->row_count + 1, sizeof(*times));
	size_t count = list_times(times, program, samples);

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && times[end].thread == times[i].thread;)
			end++;
		merge_times(&program->gaps[times[i].thread], &times[i], end - i);
	}
	free(times);
}

/* --- Times of steps ------------------------------------------------------------------------- */

static uint64_t step_times_now(const struct step_times *times)
{
	return times->resumed_ns + times->run_ns - times->ran_ns;
}

/* Passes the gaps before number `end`. */
static void pass_gaps(struct step_times *times, size_t end)
{
	for (; times->next < end; times->next++) {
		times->ran_ns = times->gaps->items[times->next].run_ns;
		times->resumed_ns = times->gaps->items[times->next].end_ns;
	}
}

/* Returns the place behind the last gap of a wait up to `run_ns` and the next pause. */
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

/* Returns the place behind the next pause, if the thread has come to it. */
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
