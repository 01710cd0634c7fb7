/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/call_order.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A call at an object; sorted, those of an object are together and in order. */
struct visit {
	uint32_t site;
	uint32_t thread, step;
	bool later;	/* not when it was called, but just after that place in the order */
	uint64_t order; /* its place, or that of the call which ended its wait */
};

struct visits {
	struct visit *items;
	size_t count, capacity;
};

static int by_order(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->later != y->later)
		return x->later ? 1 : -1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

uint64_t call_order_unwrap(uint32_t low, uint64_t near)
{
	const int64_t turn = 1 << 24;
	int64_t ahead = ((int64_t)low - (int64_t)(near % (uint64_t)turn)) % turn;

	if (ahead < -turn / 2)
		ahead += turn;
	if (ahead > turn / 2)
		ahead -= turn;
	return (int64_t)near + ahead < 0 ? low : (uint64_t)((int64_t)near + ahead);
}

/* --- Gathering ----------------------------------------------------------------------------- */

static bool is_ordered(const struct step *step)
{
	enum step_op op = step_op(step);

	return op == STEP_TAKE || op == STEP_GIVE || op == STEP_BARRIER;
}

/* Its end is not on record: in the order it comes last. */
static bool waits_forever(const struct program_thread *thread, uint32_t call)
{
	const struct step *next = &thread->steps[call] + 1;

	while (next < thread->steps + thread->count && step_op(next) == STEP_CALL)
		next++;
	return next < thread->steps + thread->count && step_op(next) == STEP_BLOCK &&
	       next->edge == PROGRAM_NONE;
}

/* `near` [site]: the place that the thread had there last. */
static void gather_thread(struct visits *visits, const struct program *program, uint32_t thread,
			  uint64_t *near)
{
	const struct program_thread *own = &program->threads[thread];

	for (uint32_t i = 0; i < own->count; i++) {
		const struct step *step = &own->steps[i];

		if (!is_ordered(step))
			continue;
		near[step->site] = call_order_unwrap(step_call_order(step), near[step->site]);
		array_reserve(&visits->items, &visits->capacity, visits->count + 1);
		visits->items[visits->count++] = (struct visit){
			.site = step->site,
			.thread = thread,
			.step = i,
			.order = waits_forever(own, i) ? UINT64_MAX : near[step->site]};
	}
	for (uint32_t i = 0; i < own->count; i++)
		if (is_ordered(&own->steps[i]))
			near[own->steps[i].site] = 0;
}

static struct visit *visit_at(struct visits *visits, const size_t *first, uint32_t thread,
			      uint32_t step)
{
	size_t low = first[thread], high = first[thread + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (visits->items[middle].step < step)
			low = middle + 1;
		else
			high = middle;
	}
	return &visits->items[low];
}

/* Who waited has got its token only from the call that woke it. */
static void delay_waits(struct visits *visits, const struct recognition *recognition,
			const struct edge_calls *calls, const size_t *first)
{
	for (uint32_t i = 0; i < recognition->program->edge_count; i++) {
		const struct edge *ends = &recognition->edges[i];
		struct visit *take, *give;

		if (!call_waits_match(recognition, calls, i) ||
		    step_op(&recognition->program->threads[ends->block.thread]
				     .steps[calls[i].block]) != STEP_TAKE)
			continue;
		take = visit_at(visits, first, ends->block.thread, calls[i].block);
		give = visit_at(visits, first, ends->wake.thread, calls[i].wake);
		if (give->order >= take->order) {
			take->order = give->order;
			take->later = true;
		}
	}
}

static void gather(struct visits *visits, const struct recognition *recognition,
		   const struct edge_calls *calls)
{
	const struct program *program = recognition->program;
	size_t *first = xcalloc(program->thread_count + 1, sizeof(*first));
	uint64_t *near = xcalloc(program->site_count, sizeof(*near));

	for (uint32_t i = 0; i < program->thread_count; i++) {
		first[i] = visits->count;
		gather_thread(visits, program, i, near);
	}
	first[program->thread_count] = visits->count;
	delay_waits(visits, recognition, calls, first);
	if (visits->count)
		qsort(visits->items, visits->count, sizeof(*visits->items), by_order);
	free(near);
	free(first);
}

static struct step *step_of(const struct recognition *recognition, const struct visit *visit)
{
	return &recognition->program->threads[visit->thread].steps[visit->step];
}

/* --- Tokens -------------------------------------------------------------------------------- */

static uint32_t least_tokens(const struct recognition *recognition, const struct visit *visits,
			     size_t count)
{
	int64_t level = 0, lowest = 0;

	for (size_t i = 0; i < count; i++) {
		level += step_op(step_of(recognition, &visits[i])) == STEP_GIVE ? 1 : -1;
		lowest = level < lowest ? level : lowest;
	}
	return (uint32_t)-lowest;
}

/* The count of a take becomes its place among those of its site, that of others 1. */
static void number_takes(const struct recognition *recognition, const struct visits *visits)
{
	uint32_t number = 0;

	for (size_t i = 0; i < visits->count; i++) {
		struct step *step = step_of(recognition, &visits->items[i]);

		if (i && visits->items[i - 1].site != visits->items[i].site)
			number = 0;
		if (is_ordered(step))
			step->count = step_op(step) == STEP_TAKE ? number++ : 1;
	}
}

/* --- Barriers ------------------------------------------------------------------------------ */

/* As many as there are threads, where each of them comes equally often; else 0. */
static uint32_t parties_of(const struct visit *visits, size_t count, size_t thread_count)
{
	uint32_t *arrivals = xcalloc(thread_count, sizeof(*arrivals));
	uint32_t parties = 0, each = 0;
	bool equal = true;

	for (size_t i = 0; i < count; i++)
		parties += arrivals[visits[i].thread]++ == 0;
	for (size_t i = 0; i < thread_count; i++) {
		each = each ? each : arrivals[i];
		equal = equal && (!arrivals[i] || arrivals[i] == each);
	}
	free(arrivals);
	return equal ? parties : 0;
}

/*
 * How many arrivals at the beginning belong to a generation that began before the recording. Who
 * comes last wakes the others; that probes are hit in another order than threads count themselves
 * in makes it a matter of the most.
 */
static uint32_t first_of(const bool *wakes, size_t count, uint32_t parties)
{
	uint32_t *votes = xcalloc(parties, sizeof(*votes));
	uint32_t best = 0;

	for (size_t i = 0; i < count; i++)
		votes[(i + 1) % parties] += wakes[i];
	for (uint32_t i = 1; i < parties; i++)
		best = votes[i] > votes[best] ? i : best;
	free(votes);
	return best;
}

static void drop_arrivals(struct recognition *recognition, const struct visit *visits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		step_drop_call(step_of(recognition, &visits[i]), SYNC_BARRIER_WAIT);
}

/* Is the step in front of a wake, as those of who comes last are? */
static bool wakes_somebody(const struct recognition *recognition, const struct visit *visit)
{
	const struct program_thread *thread = &recognition->program->threads[visit->thread];

	for (size_t i = visit->step + 1; i < thread->count; i++) {
		enum step_op op = step_op(&thread->steps[i]);

		if (op == STEP_WAKE)
			return true;
		if (op != STEP_CALL && op != STEP_NONE)
			return false;
	}
	return false;
}

static void apply_barrier(struct recognition *recognition, const struct visit *visits, size_t count,
			  bool initialised)
{
	struct site *site = &recognition->program->sites[visits->site];
	bool *wakes = xcalloc(count, sizeof(*wakes));

	if (!initialised || !site->parties)
		site->parties = parties_of(visits, count, recognition->program->thread_count);
	for (size_t i = 0; i < count; i++)
		wakes[i] = wakes_somebody(recognition, &visits[i]);
	if (!site->parties || site->parties > count) {
		drop_arrivals(recognition, visits, count);
	} else {
		size_t skipped = first_of(wakes, count, site->parties);
		size_t whole = (count - skipped) / site->parties * site->parties;

		drop_arrivals(recognition, visits, skipped);
		drop_arrivals(recognition, visits + skipped + whole, count - skipped - whole);
	}
	free(wakes);
}

/* ------------------------------------------------------------------------------------------- */

static void apply_site(struct recognition *recognition, const struct visit *visits, size_t count,
		       uint32_t inits)
{
	struct site *site = &recognition->program->sites[visits->site];

	if (site->kind == SITE_BARRIER)
		apply_barrier(recognition, visits, count, inits == 1);
	else if (inits != 1)
		site->tokens = least_tokens(recognition, visits, count);
}

void call_order_apply(struct recognition *recognition, const struct edge_calls *calls,
		      const uint32_t *inits)
{
	struct visits visits = {0};
	size_t end;

	gather(&visits, recognition, calls);
	for (size_t i = 0; i < visits.count; i = end) {
		for (end = i + 1; end < visits.count; end++)
			if (visits.items[end].site != visits.items[i].site)
				break;
		apply_site(recognition, &visits.items[i], end - i, inits[visits.items[i].site]);
	}
	number_takes(recognition, &visits);
	free(visits.items);
}
