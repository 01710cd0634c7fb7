/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/levels.h"

#include <stdlib.h>
#include <string.h>

/* A CPU runs a thread again within this part of a period. */
enum { LATE_PART = 200 };

/*
 * Follows the threads that run. From Linux 6.18 on each thread of a throttled group still gets a
 * CPU for a moment, up to its return from the kernel: that is no run.
 */
static void follow_running(struct long_waits *waits, const struct change *change,
			   uint64_t period_ns)
{
	bool is_moment = change->end_ns - change->begin_ns < period_ns / LATE_PART;
	bool *runs;

	array_reserve(&waits->runs, &waits->thread_capacity, change->thread + 1);
	runs = &waits->runs[change->thread];
	waits->running -= *runs;
	if (*runs && !is_moment && waits->running < THROTTLING_STOPS)
		waits->fell_ns[waits->running] = change->end_ns;
	*runs = change->next == STATE_RUNNING;
	waits->running += *runs;
}

/*
 * Returns the mean of the last times at which CPUs stopped, at most THROTTLING_STOPS of them. A CPU
 * takes 5 ms of the quota at a time: the last one may go on for that long while all others have
 * used up theirs.
 */
static uint64_t stop_ns(const struct long_waits *waits, uint64_t period_ns)
{
	uint64_t last_ns = 0, sum_ns = 0, cpus = 0;

	for (size_t i = 0; i < THROTTLING_STOPS; i++)
		last_ns = waits->fell_ns[i] > last_ns ? waits->fell_ns[i] : last_ns;
	for (size_t i = 0; i < THROTTLING_STOPS; i++) {
		uint64_t before_ns = last_ns - waits->fell_ns[i];

		if (before_ns <= period_ns / THROTTLING_PERIOD_PART) {
			sum_ns += before_ns;
			cpus++;
		}
	}
	return last_ns - sum_ns / cpus;
}

bool long_waits_take(struct long_waits *waits, const struct change *change,
		     const struct target_quota *quota)
{
	uint64_t length_ns = change->end_ns - change->begin_ns;
	bool is_long = change->state == STATE_RUNNABLE && quota->period_ns && length_ns &&
		       length_ns >= quota->period_ns / THROTTLING_PERIOD_PART;
	uint64_t idle_ns = UINT64_MAX;

	if (!quota->quota_ns)
		return false;
	if (is_long && !waits->running)
		idle_ns = stop_ns(waits, quota->period_ns);
	follow_running(waits, change, quota->period_ns);
	if (!is_long || waits->count == THROTTLING_WAITS_MAX)
		return false;
	array_reserve(&waits->items, &waits->capacity, waits->count + 1);
	waits->items[waits->count++] = (struct long_wait){.begin_ns = change->begin_ns,
							  .end_ns = change->end_ns,
							  .idle_ns = idle_ns,
							  .thread = change->thread};
	return true;
}

void long_waits_release(struct long_waits *waits)
{
	free(waits->items);
	free(waits->runs);
	*waits = (struct long_waits){.count = 0};
}

/* --- Begins of periods ------------------------------------------------------------------- */

/* The end of a wait, relative to the beginning of its period, counted from time 0. */
struct wait_end {
	uint64_t phase_ns, length_ns;
};

static int compare_ends(const void *a, const void *b)
{
	const struct wait_end *one = a, *other = b;

	return compare_values(one->phase_ns, other->phase_ns);
}

/* Returns the ends. A wait longer than a period is no better evidence than one of a period. */
static struct wait_end *ends_in_order(const struct long_waits *waits, uint64_t period_ns)
{
	struct wait_end *ends = xcalloc(waits->count, sizeof(*ends));

	for (size_t i = 0; i < waits->count; i++) {
		uint64_t length_ns = waits->items[i].end_ns - waits->items[i].begin_ns;

		ends[i] = (struct wait_end){waits->items[i].end_ns % period_ns,
					    length_ns < period_ns ? length_ns : period_ns};
	}
	sort_items(ends, waits->count, compare_ends);
	return ends;
}

/* Returns the part of a period at which the waits with the longest sum end. */
static uint64_t find_phase(const struct long_waits *waits, uint64_t period_ns)
{
	struct wait_end *ends = ends_in_order(waits, period_ns);
	size_t count = waits->count, to = 0; /* counts on into the next period */
	uint64_t sum_ns = 0, most_ns = 0, phase_ns = 0;

	for (size_t from = 0; from < count; from++) {
		uint64_t limit_ns = ends[from].phase_ns + period_ns / LATE_PART;

		while (to < from + count &&
		       ends[to % count].phase_ns + to / count * period_ns <= limit_ns)
			sum_ns += ends[to++ % count].length_ns;
		if (sum_ns > most_ns) {
			most_ns = sum_ns;
			phase_ns = ends[from].phase_ns;
		}
		sum_ns -= ends[from].length_ns;
	}
	free(ends);
	return phase_ns;
}

/* --- Throttled spans --------------------------------------------------------------------- */

struct throttled_span {
	uint64_t begin_ns, end_ns;
};

struct throttled_spans {
	struct throttled_span *items;
	size_t count, capacity;
};

/*
 * Returns the beginning of the last period up to the end of a wait, or that end itself if it is
 * near one. Linux may let a CPU go on a little earlier, with quota that other CPUs gave back.
 */
static uint64_t period_begin(const struct long_wait *wait, uint64_t phase_ns, uint64_t period_ns)
{
	uint64_t late_ns = (wait->end_ns % period_ns + period_ns - phase_ns) % period_ns;

	return late_ns <= period_ns / LATE_PART ||
			       period_ns - late_ns <= period_ns / THROTTLING_PERIOD_PART
		       ? wait->end_ns
		       : wait->end_ns - late_ns;
}

/*
 * Finds the spans: the first wait that ends with a period has no running thread beside it. If the
 * first thread runs only for a moment then, the next wait has the same span.
 */
static void find_spans(struct throttled_spans *spans, const struct long_waits *waits,
		       uint64_t period_ns)
{
	uint64_t phase_ns = find_phase(waits, period_ns), found_ns = 0;

	for (size_t i = 0; i < waits->count; i++) {
		const struct long_wait *wait = &waits->items[i];
		uint64_t end_ns = period_begin(wait, phase_ns, period_ns);
		uint64_t from_ns = wait->idle_ns;

		if (from_ns >= end_ns || end_ns - from_ns < period_ns / THROTTLING_PERIOD_PART ||
		    from_ns < found_ns)
			continue;
		found_ns = end_ns;
		if (end_ns - from_ns > period_ns)
			from_ns = end_ns - period_ns;
		array_reserve(&spans->items, &spans->capacity, spans->count + 1);
		spans->items[spans->count++] = (struct throttled_span){from_ns, end_ns};
	}
}

static int compare_lengths(const void *a, const void *b)
{
	const struct throttled_span *one = a, *other = b;

	return compare_values(other->end_ns - other->begin_ns, one->end_ns - one->begin_ns);
}

static int compare_begins(const void *a, const void *b)
{
	const struct throttled_span *one = a, *other = b;

	return compare_values(one->begin_ns, other->begin_ns);
}

/* Keeps the longest spans, if there are more than throttled periods. */
static void keep_longest(struct throttled_spans *spans, uint64_t most)
{
	if (spans->count <= most)
		return;
	sort_items(spans->items, spans->count, compare_lengths);
	spans->count = (size_t)most;
	sort_items(spans->items, spans->count, compare_begins);
}

/* --- Throttled parts of waits ------------------------------------------------------------ */

/* The begin or end of a wait or a span. */
struct throttled_edge {
	uint64_t time_ns;
	struct long_wait *wait; /* NULL: a span */
	bool begins;
};

/* Sorts begins before ends. */
static int compare_edge_times(const void *a, const void *b)
{
	const struct throttled_edge *one = a, *other = b;

	return compare_values(one->time_ns, other->time_ns)
		       ?: compare_values(other->begins, one->begins);
}

/* Returns the edges; the caller frees them. */
static struct throttled_edge *list_edges(size_t *count, const struct long_waits *waits,
					 const struct throttled_spans *spans)
{
	struct throttled_edge *edges = xcalloc(2 * (waits->count + spans->count), sizeof(*edges));

	*count = 0;
	for (size_t i = 0; i < spans->count; i++) {
		edges[(*count)++] = (struct throttled_edge){spans->items[i].begin_ns, NULL, true};
		edges[(*count)++] = (struct throttled_edge){spans->items[i].end_ns, NULL, false};
	}
	for (size_t i = 0; i < waits->count; i++) {
		struct long_wait *wait = &waits->items[i];

		edges[(*count)++] = (struct throttled_edge){wait->begin_ns, wait, true};
		edges[(*count)++] = (struct throttled_edge){wait->end_ns, wait, false};
	}
	sort_items(edges, *count, compare_edge_times);
	return edges;
}

static void throttled_pass(struct throttled_time *time, struct level_times *levels,
			   size_t *capacity, size_t threads, uint64_t ns)
{
	array_reserve(&levels->wall_ns, capacity, threads + 1);
	levels->wall_ns[threads] += ns;
	levels->max_active = threads > levels->max_active ? threads : levels->max_active;
	time->wall_ns += ns;
	time->wait_ns += ns * threads;
}

/* Sums up throttled time: the part of a wait is the throttled time between its begin and end. */
static void sum_parts(struct throttled_time *time, struct level_times *levels,
		      struct throttled_edge *edges, size_t count)
{
	size_t capacity = 0, threads = 0, spans = 0;
	uint64_t now_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct throttled_edge *edge = &edges[i];
		uint64_t *own_ns = edge->wait ? &edge->wait->throttled_ns : NULL;

		if (spans && threads)
			throttled_pass(time, levels, &capacity, threads, edge->time_ns - now_ns);
		now_ns = edge->time_ns;
		if (own_ns)
			*own_ns = time->wall_ns - *own_ns;
		*(own_ns ? &threads : &spans) += edge->begins ? 1 : SIZE_MAX;
	}
	levels->total_ns = time->wall_ns;
}

void throttling_find(struct throttled_time *time, struct level_times *levels,
		     struct long_waits *waits, const struct target_quota *quota)
{
	struct throttled_spans spans = {.count = 0};
	struct throttled_edge *edges;
	size_t count;

	*time = (struct throttled_time){.spans = 0};
	*levels = (struct level_times){.total_ns = 0};
	if (waits->count)
		find_spans(&spans, waits, quota->period_ns);
	keep_longest(&spans, quota->periods ? quota->throttled : UINT64_MAX);
	for (size_t i = 0; i < waits->count; i++)
		waits->items[i].throttled_ns = 0;
	edges = list_edges(&count, waits, &spans);
	sum_parts(time, levels, edges, count);
	time->spans = spans.count;
	free(edges);
	free(spans.items);
}

/* Short waits may have been throttled, too: then more threads were ready than `throttled` says. */
void throttling_take_out(struct level_times *copy, const struct level_times *levels,
			 const struct level_times *throttled)
{
	uint64_t left_ns = 0;

	*copy = *levels;
	copy->wall_ns = xcalloc(levels->max_active + 1, sizeof(*copy->wall_ns));
	memcpy(copy->wall_ns, levels->wall_ns, (levels->max_active + 1) * sizeof(*copy->wall_ns));
	for (size_t j = 1; j <= levels->max_active; j++) {
		uint64_t taken_ns;

		if (throttled->total_ns && j <= throttled->max_active)
			left_ns += throttled->wall_ns[j];
		taken_ns = left_ns < copy->wall_ns[j] ? left_ns : copy->wall_ns[j];
		copy->wall_ns[j] -= taken_ns;
		copy->total_ns -= taken_ns;
		left_ns -= taken_ns;
	}
}
