/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a thread's work for which its samples stand, see work_private.h. */
#include "replay/program/work_private.h"

#include "base/alloc.h"
#include "replay/program/program_gaps.h"
#include "replay/program/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- The place of a thread in its steps ------------------------------------------------------ */

static bool is_of_object(enum step_op op)
{
	return op >= STEP_LOCK && op <= STEP_BARRIER;
}

static uint32_t held_by(const struct work_walk *walk)
{
	return walk->count ? walk->held[walk->count - 1] : (uint32_t)PROGRAM_NONE;
}

static uint64_t context_key(uint32_t held, unsigned op, uint32_t site)
{
	return (uint64_t)held << 32 | (uint64_t)op << 24 |
	       (is_of_object((enum step_op)op) ? site & 0xffffff : 0xffffff);
}

/* Work made even has a context of its own: its samples are denser or rarer than others. */
static uint64_t context_of_even_work(uint32_t held)
{
	return context_key(held, STEP_OPS + 1, PROGRAM_NONE);
}

static uint64_t context_of_lock(uint32_t held)
{
	return context_key(held, STEP_OPS, PROGRAM_NONE);
}

/* Returns the context of a step: the lock taken last, and the recorded operation at its end. */
static uint64_t context_of(struct work_walk *walk, enum work_detail detail, const struct step *step)
{
	if (detail == WORK_OF_LOCK)
		return context_of_lock(held_by(walk));
	if (step_ends_even_work(step))
		return context_of_even_work(held_by(walk));
	if (!walk->recorded)
		for (walk->recorded = step; step_is_added_use(walk->recorded);)
			walk->recorded++;
	return context_key(held_by(walk), step_op(walk->recorded), step_site(walk->recorded));
}

/*
 * Walks past an operation. An added use holds no lock. If more locks are held than there is room
 * for, the first ones are known.
 */
static void walk_on(struct work_walk *walk, const struct step *step)
{
	const size_t most = sizeof(walk->held) / sizeof(*walk->held);
	enum step_op op = step_op(step);
	size_t i = walk->count;

	if (step_is_added_use(step))
		return;
	walk->recorded = NULL;
	if ((op == STEP_LOCK || op == STEP_LOCK_SHARED) && walk->count < most)
		walk->held[walk->count++] = step->site;
	if (op != STEP_UNLOCK)
		return;
	while (i && walk->held[i - 1] != step->site)
		i--;
	if (!i)
		return;
	memmove(&walk->held[i - 1], &walk->held[i], (walk->count - i) * sizeof(*walk->held));
	walk->count--;
}

/* --- The places of samples ------------------------------------------------------------------- */

/* Returns the CPU time of the thread at a time; calls come in the order of their times. */
static double cpu_time_at(const struct program_gaps *gaps, size_t *next, uint64_t time_ns)
{
	const struct program_gap *before, *behind;
	double since_ns, run_ns, ran_ns;

	while (*next < gaps->count && gaps->items[*next].begin_ns <= time_ns)
		++*next;
	before = *next ? &gaps->items[*next - 1] : NULL;
	behind = *next < gaps->count ? &gaps->items[*next] : NULL;
	ran_ns = before ? (double)before->run_ns : 0;
	since_ns = before ? (double)time_ns - (double)before->end_ns : (double)time_ns;
	if (!behind)
		return ran_ns + fmax(since_ns, 0);
	/* The costs of calls are taken out of the CPU times. */
	run_ns = (double)behind->begin_ns - (before ? (double)before->end_ns : 0);
	if (run_ns <= 0)
		return ran_ns;
	return ran_ns + ((double)behind->run_ns - ran_ns) * fmin(fmax(since_ns, 0) / run_ns, 1);
}

/* The steps made even, up to a CPU time of a thread. */
struct spans {
	const struct even_span *next, *end;
	double added_ns; /* by those before `next` */
};

/* Returns a recorded CPU time in the steps made even; calls come in the order of their times. */
static double spans_time(struct spans *spans, double at_ns)
{
	for (; spans->next < spans->end; spans->next++) {
		double since_ns = at_ns - (double)spans->next->begin_ns;
		double recorded_ns = (double)spans->next->recorded_ns;
		double even_ns = (double)spans->next->even_ns;

		if (since_ns <= 0)
			break;
		if (since_ns < recorded_ns)
			return at_ns + spans->added_ns + since_ns * (even_ns / recorded_ns - 1);
		spans->added_ns += even_ns - recorded_ns;
	}
	return at_ns + spans->added_ns;
}

/* Finds the contexts of the `count` rows from `row` on, those of the thread. */
static void find_contexts(struct work *work, size_t thread, size_t row, size_t count)
{
	const struct program_thread *own = &work->program->threads[thread];
	const struct program_gaps *gaps = &work->program->gaps[thread];
	struct spans spans = {own->even_spans, own->even_spans + own->even_span_count, 0};
	double work_ns = (double)work_of_thread(own), end_ns = 0;
	struct work_walk walk = {.count = 0};
	size_t gap = 0, step = 0;

	for (size_t i = row; i < row + count; i++) {
		uint64_t time_ns = work->rows[i].row->time_ns;
		double at_ns;

		time_ns -= time_ns < work->program->begin_ns ? time_ns : work->program->begin_ns;
		at_ns = fmin(spans_time(&spans, cpu_time_at(gaps, &gap, time_ns)), work_ns);
		work->row_at_ns[i] = at_ns;
		while (step + 1 < own->count &&
		       end_ns + (double)step_run_ns(&own->steps[step]) < at_ns) {
			end_ns += (double)step_run_ns(&own->steps[step]);
			walk_on(&walk, &own->steps[step++]);
		}
		for (enum work_detail detail = 0; own->count && detail < WORK_DETAILS; detail++)
			work->row_contexts[WORK_DETAILS * i + detail] = map_add_u64(
				&work->contexts, context_of(&walk, detail, &own->steps[step]));
	}
}

void work_find_contexts(struct work *work)
{
	work->row_contexts =
		xcalloc(WORK_DETAILS * work->row_count + 1, sizeof(*work->row_contexts));
	work->row_at_ns = xcalloc(work->row_count + 1, sizeof(*work->row_at_ns));
	if (!work->program->gaps)
		return;
	for (size_t row = 0, count; row < work->row_count; row += count) {
		size_t thread = work->rows[row].thread;

		for (count = 0;
		     row + count < work->row_count && work->rows[row + count].thread == thread;)
			count++;
		find_contexts(work, thread, row, count);
	}
}

static uint64_t mean_hold_ns(const struct program *program, uint32_t site)
{
	uint64_t held_ns = 0, holds = 0;

	for (size_t i = 0; i < program->thread_count; i++) {
		bool held = false;

		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];
			enum step_op op = step_op(step);

			held_ns += held ? step_run_ns(step) : 0;
			if ((op != STEP_LOCK && op != STEP_UNLOCK) || step->site != site)
				continue;
			held = op == STEP_LOCK;
			holds += held;
		}
	}
	return holds ? held_ns / holds : 0;
}

uint64_t work_hold_ns(const struct work *work, const bool *places)
{
	const struct program *program = work->program;
	size_t *counts = xcalloc(work->contexts.count + 1, sizeof(*counts)), all = 0;
	uint64_t hold_ns = 0;

	for (size_t i = 0; i < work->row_count; i++) {
		bool is_there = places[work->row_places[i]];

		all += is_there;
		counts[work->row_contexts[WORK_DETAILS * i + WORK_OF_LOCK]] += is_there;
	}
	for (uint32_t site = 0; !hold_ns && site < program->site_count; site++) {
		uint32_t context = map_find_u64(&work->contexts, context_of_lock(site));

		if (!program->sites[site].wait_cost_ns && context != MAP_NONE &&
		    2 * counts[context] > all)
			hold_ns = mean_hold_ns(program, site);
	}
	free(counts);
	return hold_ns;
}

/* --- Parts ----------------------------------------------------------------------------------- */

void work_parts_init(struct work_parts *parts, const struct work *work)
{
	*parts = (struct work_parts){
		.work = work,
		.lists = xcalloc(work->contexts.count + 2, sizeof(*parts->lists)),
		.kinds = xcalloc(work->kinds.count + 1, sizeof(*parts->kinds)),
		.is_out = xcalloc(work->row_count + 1, sizeof(*parts->is_out)),
		.at_ns = xcalloc(work->row_count + 1, sizeof(*parts->at_ns)),
	};
	parts->rest = &parts->lists[work->contexts.count + 1];
}

void work_parts_release(struct work_parts *parts)
{
	free(parts->lists);
	free(parts->kinds);
	free(parts->is_out);
	free(parts->at_ns);
	free(parts->rows);
	free(parts->ends_ns);
}

/* --- Added uses of mutexes ------------------------------------------------------------------- */

/* Returns the list of a lock, or of no lock; NULL: it has no sample of any thread. */
static struct part_list *list_of_lock(struct work_parts *parts, uint32_t held)
{
	uint32_t context = map_find_u64(&parts->work->contexts, context_of_lock(held));

	return context == MAP_NONE ? NULL : &parts->lists[context];
}

static struct part_list *list_of_row(struct work_parts *parts, size_t row)
{
	return &parts->lists[parts->work->row_contexts[WORK_DETAILS * row + WORK_OF_LOCK]];
}

static struct kind_rows *kind_of_row(struct work_parts *parts, size_t row)
{
	const struct work *work = parts->work;

	return &parts->kinds[work->places[work->row_places[row]].kind];
}

/* Sums the CPU time of added uses by lock with samples. Returns all CPU time of the thread. */
static double sum_added(struct work_parts *parts, const struct program_thread *thread)
{
	double run_ns = 0;

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		struct part_list *list = step_is_added_use(step) && step_op(step) == STEP_UNLOCK
						 ? list_of_lock(parts, step->site)
						 : NULL;

		run_ns += (double)step_run_ns(step);
		if (list && list->count)
			list->added_ns += (double)step_run_ns(step);
	}
	return run_ns;
}

/*
 * Leaves out samples for added uses: their CPU time has as many samples as any CPU time of the
 * thread, in functions like those under the lock. They are among the samples without a lock.
 */
static void leave_out_rows(struct work_parts *parts, const struct program_thread *thread)
{
	const double one = 1 - 1e-9; /* less than 1, for rounding */
	struct part_list *none = list_of_lock(parts, PROGRAM_NONE);
	size_t end = parts->row + parts->count;
	double run_ns;

	for (size_t i = parts->row; i < end; i++)
		*kind_of_row(parts, i) = (struct kind_rows){.count = 0};
	for (size_t i = parts->row; i < end; i++)
		list_of_row(parts, i)->count++;
	run_ns = sum_added(parts, thread);
	for (size_t i = parts->row; i < end; i++) {
		const struct part_list *list = list_of_row(parts, i);
		struct kind_rows *kind = kind_of_row(parts, i);

		kind->count += list == none;
		if (list->added_ns > 0)
			kind->out += list->added_ns / run_ns * (double)parts->count /
				     (double)list->count;
	}
	for (size_t i = parts->row; i < end; i++) {
		struct kind_rows *kind = kind_of_row(parts, i);

		if (list_of_row(parts, i) != none)
			continue;
		kind->due += fmin(kind->out / (double)kind->count, 1);
		parts->is_out[i] = kind->due >= one;
		kind->due -= parts->is_out[i];
	}
	for (size_t i = parts->row; i < end; i++)
		*list_of_row(parts, i) = (struct part_list){.count = 0};
}

/* --- Lists ----------------------------------------------------------------------------------- */

static uint32_t context_of_step(struct work_parts *parts, enum work_detail detail,
				const struct step *step)
{
	uint64_t key = context_of(&parts->walk, detail, step);

	if (step_is_added_use(step) && step_op(step) == STEP_UNLOCK)
		key = detail == WORK_OF_LOCK ? context_of_lock(step->site)
					     : context_key(step->site, STEP_UNLOCK, step->site);
	return map_find_u64(&parts->work->contexts, key);
}

/* Returns the samples in the context of the step; else those under the same lock, or all. */
static struct part_list *list_of(struct work_parts *parts, const struct step *step)
{
	const struct map *contexts = &parts->work->contexts;
	struct part_list *list = parts->rest;

	for (enum work_detail detail = 0; contexts->count && detail < WORK_DETAILS; detail++) {
		uint32_t context = context_of_step(parts, detail, step);

		if (context == MAP_NONE || !parts->lists[context].count)
			continue;
		list = &parts->lists[context];
		break;
	}
	walk_on(&parts->walk, step);
	return list;
}

/* Lists rows by context, in their order. */
static void list_rows(struct work_parts *parts, size_t row, size_t count)
{
	const size_t most = (WORK_DETAILS + 1) * count;
	const uint32_t *contexts = parts->work->row_contexts;
	size_t next = 0;

	*parts->rest = (struct part_list){.rows = NULL};
	if (!count)
		return;
	array_reserve(&parts->rows, &parts->row_capacity, most);
	array_reserve(&parts->ends_ns, &parts->end_capacity, most);
	for (size_t i = WORK_DETAILS * row; i < WORK_DETAILS * (row + count); i++)
		parts->lists[contexts[i]].count += !parts->is_out[i / WORK_DETAILS];
	for (size_t i = WORK_DETAILS * row; i < WORK_DETAILS * (row + count); i++) {
		struct part_list *list = &parts->lists[contexts[i]];

		if (parts->is_out[i / WORK_DETAILS])
			continue;
		if (!list->rows) {
			list->rows = &parts->rows[next];
			list->ends_ns = &parts->ends_ns[next];
			next += list->count;
			list->count = 0;
		}
		list->rows[list->count++] = i / WORK_DETAILS;
	}
	*parts->rest =
		(struct part_list){.rows = &parts->rows[next], .ends_ns = &parts->ends_ns[next]};
	for (size_t i = row; i < row + count; i++)
		if (!parts->is_out[i])
			parts->rest->rows[parts->rest->count++] = i;
}

/* Sums the CPU time of each list, and finds the places of the rows in it. */
static void place_rows(struct work_parts *parts, const struct program_thread *thread)
{
	const struct work *work = parts->work;
	size_t row = parts->row, end = row + parts->count;
	double end_ns = 0;

	parts->walk = (struct work_walk){.count = 0};
	for (size_t i = 0; i < thread->count; i++) {
		double run_ns = (double)step_run_ns(&thread->steps[i]), begin_ns = end_ns;
		struct part_list *list = list_of(parts, &thread->steps[i]);

		end_ns += run_ns;
		for (; row < end && work->row_at_ns[row] <= end_ns; row++) {
			const struct part_list *own =
				&parts->lists[work->row_contexts[WORK_DETAILS * row]];

			parts->at_ns[row] = own->run_ns;
			if (own == list)
				parts->at_ns[row] += fmax(work->row_at_ns[row] - begin_ns, 0);
		}
		list->run_ns += run_ns;
	}
	for (; row < end; row++)
		parts->at_ns[row] = end_ns;
	parts->walk = (struct work_walk){.count = 0};
}

/* Ends parts half-way between the places of rows, or, if these are unknown, after equal times. */
static void list_end_parts(struct part_list *list, const double *at_ns)
{
	for (size_t i = 0; i + 1 < list->count; i++)
		list->ends_ns[i] = at_ns ? (at_ns[list->rows[i]] + at_ns[list->rows[i + 1]]) / 2
					 : list->run_ns * (double)(i + 1) / (double)list->count;
	if (list->count)
		list->ends_ns[list->count - 1] = INFINITY;
}

static void end_parts(struct work_parts *parts)
{
	const uint32_t *contexts = parts->work->row_contexts;

	list_end_parts(parts->rest, NULL);
	for (size_t i = parts->row; parts->work->contexts.count && i < parts->row + parts->count;
	     i++)
		for (enum work_detail detail = 0; detail < WORK_DETAILS; detail++) {
			struct part_list *list = &parts->lists[contexts[WORK_DETAILS * i + detail]];

			if (list->count && list->rows[0] == i)
				list_end_parts(list,
					       detail == WORK_OF_OPERATION ? parts->at_ns : NULL);
		}
}

void work_parts_begin(struct work_parts *parts, const struct program_thread *thread, size_t row,
		      size_t count)
{
	for (size_t i = WORK_DETAILS * parts->row; i < WORK_DETAILS * (parts->row + parts->count);
	     i++)
		parts->lists[parts->work->row_contexts[i]] = (struct part_list){0};
	parts->row = row;
	parts->count = count;
	if (parts->work->contexts.count && count)
		leave_out_rows(parts, thread);
	list_rows(parts, row, count);
	if (!count)
		return;
	place_rows(parts, thread);
	end_parts(parts);
}

void work_parts_take(struct work_parts *parts, const struct step *step,
		     void (*found)(void *context, size_t row, double ns), void *context)
{
	struct part_list *list = list_of(parts, step);
	double end_ns = list->at_ns + (double)step_run_ns(step);

	while (list->at_ns < end_ns) {
		double stop_ns = fmin(end_ns, list->ends_ns[list->part]);

		if (stop_ns > list->at_ns) {
			found(context, list->rows[list->part], stop_ns - list->at_ns);
			list->at_ns = stop_ns;
		}
		list->part += list->at_ns >= list->ends_ns[list->part];
	}
}
