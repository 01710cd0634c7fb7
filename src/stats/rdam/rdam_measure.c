/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/timeline/timeline.h"
#include "stats/rdam/rdam_trace.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static const double NS = 1e9;

/* --- States within a call ----------------------------------------------------------- */

/* The time by cause; on-CPU is the rest of the duration. */
struct rdam_times {
	uint64_t ns[RDAM_CAUSES];
};

struct rdam_states {
	const struct rdam_trace *trace;
	/* [thread]: the sums before each of its intervals, and at the end */
	struct rdam_times **totals;
	uint64_t walks_left; /* the number of intervals that may still be looked at one by one */
};

/* The last place in the intervals of a thread: the next one is near. */
struct rdam_cursor {
	size_t thread;
	size_t begin, end, fault; /* `fault`: the last place in its faults */
};

static enum rdam_cause cause_of_wait(uint32_t holder, enum rdam_cause own, enum rdam_cause stranger,
				     enum rdam_cause other)
{
	if (holder < BY_INTERRUPT)
		return own;
	return holder == BY_STRANGER ? stranger : other;
}

static bool is_asleep(const struct block_interval *interval)
{
	return interval->state == STATE_SLEEPING || interval->state == STATE_INACTIVE;
}

static enum rdam_cause cause_of(const struct block_interval *interval)
{
	if (interval->state == STATE_RUNNABLE)
		return cause_of_wait(interval->holder, RDAM_CPU_WAIT_OWN, RDAM_CPU_WAIT_STRANGER,
				     RDAM_CPU_WAIT);
	if (is_asleep(interval))
		return cause_of_wait(interval->by, RDAM_BLOCKED, RDAM_BLOCKED_OTHER,
				     RDAM_BLOCKED_OTHER);
	if (interval->state == STATE_DISK)
		return RDAM_DISK;
	if (interval->state == STATE_STOPPED)
		return RDAM_STOPPED;
	return interval->state == STATE_RUNNING ? RDAM_ON_CPU : RDAM_UNKNOWN;
}

static struct rdam_times *totals_of(const struct rdam_thread *thread)
{
	size_t count = thread->interval_count;
	struct rdam_times *totals = xreallocarray(NULL, count + 1, sizeof(*totals));
	uint64_t begin_ns = thread->begin_ns;

	totals[0] = (struct rdam_times){{0}};
	for (size_t i = 0; i < count; i++) {
		const struct block_interval *interval = &thread->intervals[i];

		totals[i + 1] = totals[i];
		totals[i + 1].ns[cause_of(interval)] += interval->end_ns - begin_ns;
		begin_ns = interval->end_ns;
	}
	return totals;
}

static void states_init(struct rdam_states *states, const struct rdam_trace *trace)
{
	enum { WALKS_EACH = 64, WALKS_MORE = 1000000 };

	*states = (struct rdam_states){
		.trace = trace,
		.totals = xcalloc(trace->thread_count, sizeof(*states->totals)),
		.walks_left = WALKS_MORE,
	};
	for (size_t i = 0; i < trace->thread_count; i++) {
		const struct rdam_thread *thread = &trace->threads[i];

		if (!thread->count)
			continue;
		states->totals[i] = totals_of(thread);
		states->walks_left += WALKS_EACH * (thread->interval_count + thread->count);
	}
}

static void states_release(struct rdam_states *states)
{
	for (size_t i = 0; i < states->trace->thread_count; i++)
		free(states->totals[i]);
	free(states->totals);
}

/* Returns the first interval that ends later. The guess is usually right, or near. */
static size_t find_interval(const struct rdam_thread *thread, uint64_t time_ns, size_t guess)
{
	const struct block_interval *intervals = thread->intervals;
	size_t count = thread->interval_count, step = 1;

	if (guess >= count || (guess && intervals[guess - 1].end_ns > time_ns))
		return find_first(i, 0, guess < count ? guess : count,
				  intervals[i].end_ns > time_ns);
	while (guess + step < count && intervals[guess + step - 1].end_ns <= time_ns) {
		guess += step;
		step *= 2;
	}
	return find_first(i, guess, guess + step < count ? guess + step : count,
			  intervals[i].end_ns > time_ns);
}

static uint64_t begin_of(const struct rdam_thread *thread, size_t interval)
{
	return interval ? thread->intervals[interval - 1].end_ns : thread->begin_ns;
}

/* Adds the times from the thread's beginning to `time_ns`, or subtracts them. */
static void add_up_to(struct rdam_times *times, const struct rdam_states *states, size_t number,
		      uint64_t time_ns, size_t interval, uint64_t sign)
{
	const struct rdam_thread *thread = &states->trace->threads[number];
	const struct rdam_times *totals = &states->totals[number][interval];

	for (size_t i = 0; i < RDAM_CAUSES; i++)
		times->ns[i] += sign * totals->ns[i];
	if (interval < thread->interval_count && time_ns > begin_of(thread, interval))
		times->ns[cause_of(&thread->intervals[interval])] +=
			sign * (time_ns - begin_of(thread, interval));
}

static void move_ns(struct rdam_times *times, enum rdam_cause from, uint64_t ns)
{
	uint64_t moved_ns = ns < times->ns[from] ? ns : times->ns[from];

	times->ns[from] -= moved_ns;
	times->ns[RDAM_PAGE_FAULTS] += moved_ns;
}

/* Moves the time of faults that begin within: a thread enters and leaves no block in a fault. */
static void take_faults(struct rdam_times *times, const struct rdam_thread *thread,
			const struct rdam_span *span, struct rdam_cursor *cursor)
{
	const struct rdam_details *details = rdam_details(thread);
	const struct block_fault *first, *behind;

	if (!details->fault_count)
		return;
	cursor->fault = block_faults_find(thread, span->begin_ns, cursor->fault);
	first = &details->faults[cursor->fault];
	behind = &details->faults[block_faults_find(thread, span->end_ns, cursor->fault)];
	move_ns(times, RDAM_ON_CPU, behind->cpu_ns - first->cpu_ns);
	move_ns(times, RDAM_DISK, behind->disk_ns - first->disk_ns);
}

/* Returns the times in the states of the thread. Time without an interval is RDAM_UNKNOWN. */
static struct rdam_times states_within(const struct rdam_states *states,
				       const struct rdam_span *span, struct rdam_cursor *cursor)
{
	const struct rdam_thread *of = &states->trace->threads[span->thread];
	struct rdam_times times = {{0}};
	uint64_t covered_ns = 0;

	if (cursor->thread != span->thread)
		*cursor = (struct rdam_cursor){.thread = span->thread};
	cursor->begin = find_interval(of, span->begin_ns, cursor->begin);
	cursor->end = find_interval(of, span->end_ns, cursor->begin);
	add_up_to(&times, states, span->thread, span->end_ns, cursor->end, 1);
	add_up_to(&times, states, span->thread, span->begin_ns, cursor->begin, -(uint64_t)1);
	for (size_t i = 0; i < RDAM_CAUSES; i++)
		covered_ns += times.ns[i];
	times.ns[RDAM_UNKNOWN] += span->end_ns - span->begin_ns - covered_ns;
	take_faults(&times, of, span, cursor);
	return times;
}

/*
 * Adds the excess over `fastest`, which is no longer, to `causes_s`, multiplied by `every`. The
 * differences are integers: times since 1970 have more than the 53 bits of a double.
 */
static void split_excess(double causes_s[RDAM_CAUSES], const struct rdam_times *times,
			 const struct rdam_times *fastest, double every)
{
	double more[RDAM_CAUSES], all = 0;
	uint64_t excess_ns = 0;

	for (size_t i = 0; i < RDAM_CAUSES; i++) {
		uint64_t own_ns = times->ns[i], least_ns = fastest->ns[i];

		excess_ns += own_ns - least_ns;
		more[i] = own_ns > least_ns ? (double)(own_ns - least_ns) : 0;
		all += more[i];
	}
	for (size_t i = 0; i < RDAM_CAUSES && excess_ns; i++)
		causes_s[i] += every * more[i] * ((double)excess_ns / all) / NS;
}

/* --- Wakers -------------------------------------------------------------------------------- */

/* The threads that ended sleeps of a row's calls; see rdam_row. */
struct rdam_wakes {
	/* [thread], and then one for each kind of waker without a number */
	struct rdam_waker *wakers;
	uint32_t *met;
	size_t met_count, met_capacity;
};

/* The number of kinds of wakers without a number. */
enum { OTHERS = 3 };

static size_t place_of(uint32_t by, size_t threads)
{
	return by < BY_INTERRUPT && by < threads ? by : threads + (UINT32_MAX - by) % OTHERS;
}

static void wakes_init(struct rdam_wakes *wakes, const struct rdam_trace *trace)
{
	*wakes = (struct rdam_wakes){
		.wakers = xcalloc(trace->thread_count + OTHERS, sizeof(*wakes->wakers))};
}

static void wakes_release(struct rdam_wakes *wakes)
{
	free(wakes->wakers);
	free(wakes->met);
}

static void add_wake(struct rdam_wakes *wakes, uint32_t by, size_t threads, uint64_t slept_ns)
{
	size_t place = place_of(by, threads);
	struct rdam_waker *waker = &wakes->wakers[place];

	if (!waker->waits++) {
		array_reserve(&wakes->met, &wakes->met_capacity, wakes->met_count + 1);
		wakes->met[wakes->met_count++] = (uint32_t)place;
		waker->thread = by;
	}
	waker->slept_s += (double)slept_ns / NS;
}

/* Adds the wakers of a span, whose cursor it gets. Returns -1 if there are too many intervals. */
static int wakes_add(struct rdam_wakes *wakes, struct rdam_states *states,
		     const struct rdam_span *span, const struct rdam_cursor *cursor)
{
	const struct rdam_thread *of = &states->trace->threads[span->thread];

	for (size_t i = cursor->begin; i < of->interval_count; i++) {
		const struct block_interval *interval = &of->intervals[i];
		uint64_t from_ns =
			begin_of(of, i) > span->begin_ns ? begin_of(of, i) : span->begin_ns;
		uint64_t to_ns = interval->end_ns < span->end_ns ? interval->end_ns : span->end_ns;

		if (from_ns >= span->end_ns)
			break;
		if (!states->walks_left--) {
			states->walks_left = 0;
			return -1;
		}
		if (is_asleep(interval))
			add_wake(wakes, interval->by, states->trace->thread_count, to_ns - from_ns);
	}
	return 0;
}

/* Sorts the waker that ended most of the sleep first. */
static int compare_wakers(const void *left, const void *right)
{
	const struct rdam_waker *a = left, *b = right;

	return compare_values(b->slept_s, a->slept_s) ?: compare_values(a->thread, b->thread);
}

/* Moves the most important wakers into the row, and empties the list. */
static void wakes_take(struct rdam_row *row, struct rdam_wakes *wakes)
{
	struct rdam_waker *met = xcalloc(wakes->met_count, sizeof(*met));

	for (size_t i = 0; i < wakes->met_count; i++) {
		met[i] = wakes->wakers[wakes->met[i]];
		wakes->wakers[wakes->met[i]] = (struct rdam_waker){0};
	}
	sort_items(met, wakes->met_count, compare_wakers);
	row->waker_count = 0;
	for (size_t i = 0; i < wakes->met_count && i < RDAM_WAKERS && !row->wakers_left_out; i++)
		row->wakers[row->waker_count++] = met[i];
	wakes->met_count = 0;
	free(met);
}

/* --- Callers ------------------------------------------------------------------------------- */

/* Returns the call chain of an event; 0: not known. */
static uint32_t chain_at(const struct rdam_thread *thread, size_t event)
{
	const struct block_chain *chains = rdam_details(thread)->chains;
	size_t count = rdam_details(thread)->chain_count;
	size_t i = find_first(k, 0, count, chains[k].event >= event);

	return i < count && chains[i].event == event ? chains[i].chain : 0;
}

static int compare_counts(const void *left, const void *right)
{
	const struct rdam_stack *a = left, *b = right;

	return compare_values(b->count, a->count) ?: compare_values(a->chain, b->chain);
}

static void count_chains(struct rdam_row *row, const uint32_t *chains, size_t count)
{
	row->stacks = xcalloc(count, sizeof(*row->stacks));
	for (size_t i = 0; i < count; i++) {
		if (!i || chains[i] != chains[i - 1])
			row->stacks[row->stack_count++].chain = chains[i];
		row->stacks[row->stack_count - 1].count++;
	}
	sort_items(row->stacks, row->stack_count, compare_counts);
}

/* Makes the stacks of the row, which owns them. */
static void count_stacks(struct rdam_row *row, const struct rdam_scope *scope,
			 const struct occurrence *occurrences, size_t count)
{
	uint32_t *chains = NULL;
	size_t known = 0, capacity = 0;
	struct rdam_place at = {0};

	for (size_t i = 0; i < count; i++) {
		uint32_t chain;

		rdam_place_at(&at, scope, occurrences[i].begin);
		chain = chain_at(&scope->trace->threads[at.thread], at.event);
		if (!chain)
			continue;
		array_reserve(&chains, &capacity, known + 1);
		chains[known++] = chain;
	}
	if (known) {
		sort_items(chains, known, compare_u32);
		count_chains(row, chains, known);
	}
	free(chains);
}

/* --- A row --------------------------------------------------------------------------------- */

struct rdam_meter {
	struct rdam_states states;
	struct rdam_wakes wakes;
};

struct rdam_meter *rdam_meter_new(const struct rdam_trace *trace)
{
	struct rdam_meter *meter = xcalloc(1, sizeof(*meter));

	states_init(&meter->states, trace);
	wakes_init(&meter->wakes, trace);
	return meter;
}

void rdam_meter_free(struct rdam_meter *meter)
{
	wakes_release(&meter->wakes);
	states_release(&meter->states);
	free(meter);
}

/* The time of a number of calls. */
struct range {
	struct rdam_span fastest, slowest; /* the first of each */
	/* Exact up to 64 bits, which sums over threads may exceed. */
	long double sum_ns, wall_ns; /* sums of all threads with such calls */
};

static uint64_t duration_of(const struct rdam_span *span)
{
	return span->end_ns - span->begin_ns;
}

/* Returns the fastest and the slowest call, and the sums; `count` > 0. */
static struct range range_of(const struct rdam_scope *scope, const struct occurrence *occurrences,
			     size_t count)
{
	struct range range = {.sum_ns = 0};
	struct rdam_place at = {0};
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);
		const struct rdam_thread *thread = &scope->trace->threads[span.thread];

		if (span.thread != last)
			range.wall_ns += (long double)(thread->end_ns - thread->begin_ns);
		last = span.thread;
		if (!i || duration_of(&span) < duration_of(&range.fastest))
			range.fastest = span;
		if (!i || duration_of(&span) > duration_of(&range.slowest))
			range.slowest = span;
		range.sum_ns += (long double)duration_of(&span);
	}
	return range;
}

static void measure_durations(struct rdam_row *row, const struct range *range, double every)
{
	uint64_t least_ns = duration_of(&range->fastest);
	long double all_fastest_ns = (long double)row->occurrences * (long double)least_ns;

	row->slowest.thread = range->slowest.thread;
	row->slowest.first = range->slowest.first;
	row->slowest.last = range->slowest.last;
	row->total_s = every * (double)range->sum_ns / NS;
	row->lost_s = every * (double)(range->sum_ns - all_fastest_ns) / NS;
	row->min_s = (double)least_ns / NS;
	row->wall_s = (double)range->wall_ns / NS;
	row->score = range->wall_ns > 0 ? row->lost_s / row->wall_s : 0;
}

/* Measures the causes, and the durations. */
static void measure_causes(struct rdam_row *row, double *durations_ns,
			   const struct rdam_scope *scope, struct rdam_meter *meter,
			   const struct occurrence *occurrences, const struct rdam_span *fastest)
{
	struct rdam_states *states = &meter->states;
	struct rdam_cursor cursor = {0};
	struct rdam_times least = states_within(states, fastest, &cursor), times;
	struct rdam_place at = {0};

	for (size_t i = 0; i < row->occurrences; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);

		durations_ns[i] = (double)duration_of(&span);
		times = states_within(states, &span, &cursor);
		split_excess(row->causes_s, &times, &least, (double)scope->trace->every);
		if (!row->wakers_left_out && wakes_add(&meter->wakes, states, &span, &cursor))
			row->wakers_left_out = true;
	}
	wakes_take(row, &meter->wakes);
}

/*
 * Returns what gsl_stats_quantile_from_sorted_data() does, interpolated between two neighbours: a
 * selection leaves the larger items behind it.
 */
static double quantile(double *data, size_t count, double share)
{
	double place = share * (double)(count - 1);
	size_t k = (size_t)place;
	double at = gsl_stats_select(data, 1, count, k);

	if (k + 1 == count)
		return at;
	return at + (place - (double)k) * (gsl_stats_min(data + k + 1, 1, count - k - 1) - at);
}

void rdam_meter_row(struct rdam_meter *meter, struct rdam_row *row, const struct rdam_scope *scope,
		    const struct occurrence *occurrences, size_t count)
{
	double *durations_ns = xreallocarray(NULL, count, sizeof(*durations_ns));
	struct range range = range_of(scope, occurrences, count);

	row->thread = scope->thread;
	row->occurrences = count;
	row->few = count < RDAM_FEW;
	measure_durations(row, &range, (double)scope->trace->every);
	measure_causes(row, durations_ns, scope, meter, occurrences, &range.fastest);
	count_stacks(row, scope, occurrences, count);
	rdam_dependence_measure(row, scope, occurrences, durations_ns, count);
	row->median_s = quantile(durations_ns, count, 0.5) / NS;
	row->p99_s = quantile(durations_ns, count, 0.99) / NS;
	free(durations_ns);
}

/* --- Spread -------------------------------------------------------------------------------- */

/* A duration of zero, without a logarithm, counts as a nanosecond. */
static double log_of(const struct rdam_span *span)
{
	uint64_t ns = duration_of(span);

	return log(ns ? (double)ns : 1);
}

static void make_classes(struct rdam *rdam, const struct range *range)
{
	double from = log_of(&range->fastest), to = log_of(&range->slowest);

	free(rdam->classes);
	rdam->class_count = to > from ? RDAM_CLASSES : 1;
	rdam->classes = xcalloc(rdam->class_count, sizeof(*rdam->classes));
	for (size_t i = 0; i < rdam->class_count; i++) {
		double width = (to - from) / (double)rdam->class_count;

		rdam->classes[i].from_s = exp(from + (double)i * width) / NS;
		rdam->classes[i].to_s = exp(from + (double)(i + 1) * width) / NS;
	}
}

static struct rdam_class *class_of(struct rdam *rdam, const struct range *range,
				   const struct rdam_span *span)
{
	double from = log_of(&range->fastest), to = log_of(&range->slowest);
	double place = to > from ? (log_of(span) - from) / (to - from) : 0;
	size_t number = (size_t)(place * (double)rdam->class_count);

	return &rdam->classes[number < rdam->class_count ? number : rdam->class_count - 1];
}

void rdam_meter_spread(const struct rdam_meter *meter, struct rdam *rdam,
		       const struct rdam_scope *scope, const struct occurrence *occurrences,
		       size_t count)
{
	struct range range = range_of(scope, occurrences, count);
	struct rdam_cursor cursor = {0};
	struct rdam_times least = states_within(&meter->states, &range.fastest, &cursor), times;
	struct rdam_place at = {0};

	make_classes(rdam, &range);
	for (size_t i = 0; i < count; i++) {
		struct rdam_span span = rdam_span_at(&at, scope, &occurrences[i]);
		struct rdam_class *class = class_of(rdam, &range, &span);

		times = states_within(&meter->states, &span, &cursor);
		split_excess(class->causes_s, &times, &least, (double)scope->trace->every);
		class->count++;
	}
}
