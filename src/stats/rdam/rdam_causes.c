/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_causes.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "stats/rdam/block_faults.h"

#include <stdlib.h>

const char *rdam_cause_name(enum rdam_cause cause)
{
	static const char *const names[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = "cpu_wait_own",
		[RDAM_CPU_WAIT_STRANGER] = "cpu_wait_stranger",
		[RDAM_CPU_WAIT] = "cpu_wait_other",
		[RDAM_BLOCKED] = "blocked_own",
		[RDAM_BLOCKED_OTHER] = "blocked_other",
		[RDAM_PAGE_FAULTS] = "page_faults",
		[RDAM_DISK] = "disk",
		[RDAM_STOPPED] = "stopped",
		[RDAM_UNKNOWN] = "unknown",
		[RDAM_ON_CPU] = "on_cpu",
	};

	return names[cause];
}

/* --- Totals -------------------------------------------------------------------------------- */

static enum rdam_cause cause_of_wait(uint32_t who, enum rdam_cause own, enum rdam_cause stranger,
				     enum rdam_cause other)
{
	if (who < BY_INTERRUPT)
		return own;
	return who == BY_STRANGER ? stranger : other;
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

static struct rdam_times *totals_of(const struct block_thread *thread)
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

void rdam_states_init(struct rdam_states *states, const struct block_trace *trace)
{
	enum { WALKS_EACH = 64, WALKS_MORE = 1000000 };

	*states = (struct rdam_states){
		.trace = trace,
		.totals = xcalloc(trace->thread_count, sizeof(*states->totals)),
		.walks_left = WALKS_MORE,
	};
	for (size_t i = 0; i < trace->thread_count; i++) {
		const struct block_thread *thread = &trace->threads[i];

		if (!thread->count)
			continue;
		states->totals[i] = totals_of(thread);
		states->walks_left += WALKS_EACH * (thread->interval_count + thread->count);
	}
}

void rdam_states_release(struct rdam_states *states)
{
	for (size_t i = 0; i < states->trace->thread_count; i++)
		free(states->totals[i]);
	free(states->totals);
}

/* --- Within -------------------------------------------------------------------------------- */

/* The first interval in [low, high) that ends later, or `high`. */
static size_t search(const struct block_thread *thread, uint64_t time_ns, size_t low, size_t high)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (thread->intervals[middle].end_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The same of all, beginning with a guess which is most often right, or nearly. */
static size_t find_interval(const struct block_thread *thread, uint64_t time_ns, size_t guess)
{
	size_t count = thread->interval_count, step = 1;

	if (guess >= count || (guess && thread->intervals[guess - 1].end_ns > time_ns))
		return search(thread, time_ns, 0, guess < count ? guess : count);
	while (guess + step < count && thread->intervals[guess + step - 1].end_ns <= time_ns) {
		guess += step;
		step *= 2;
	}
	return search(thread, time_ns, guess, guess + step < count ? guess + step : count);
}

static uint64_t begin_of(const struct block_thread *thread, size_t interval)
{
	return interval ? thread->intervals[interval - 1].end_ns : thread->begin_ns;
}

/* Adds, or takes off, all from the thread's beginning to `time_ns`. */
static void add_up_to(struct rdam_times *times, const struct rdam_states *states, size_t number,
		      uint64_t time_ns, size_t interval, uint64_t sign)
{
	const struct block_thread *thread = &states->trace->threads[number];
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

/* What begins within is within: a thread enters and leaves nothing while it waits for memory. */
static void take_faults(struct rdam_times *times, const struct block_thread *thread,
			uint64_t begin_ns, uint64_t end_ns, struct rdam_cursor *cursor)
{
	const struct block_fault *first, *behind;

	if (!thread->fault_count)
		return;
	cursor->fault = block_faults_find(thread, begin_ns, cursor->fault);
	first = &thread->faults[cursor->fault];
	behind = &thread->faults[block_faults_find(thread, end_ns, cursor->fault)];
	move_ns(times, RDAM_ON_CPU, behind->cpu_ns - first->cpu_ns);
	move_ns(times, RDAM_DISK, behind->disk_ns - first->disk_ns);
}

void rdam_states_within(struct rdam_times *times, const struct rdam_states *states, size_t thread,
			uint64_t begin_ns, uint64_t end_ns, struct rdam_cursor *cursor)
{
	const struct block_thread *of = &states->trace->threads[thread];
	uint64_t covered_ns = 0;

	*times = (struct rdam_times){{0}};
	cursor->begin = find_interval(of, begin_ns, cursor->begin);
	cursor->end = find_interval(of, end_ns, cursor->begin);
	add_up_to(times, states, thread, end_ns, cursor->end, 1);
	add_up_to(times, states, thread, begin_ns, cursor->begin, -(uint64_t)1);
	for (size_t i = 0; i < RDAM_CAUSES; i++)
		covered_ns += times->ns[i];
	times->ns[RDAM_UNKNOWN] += end_ns - begin_ns - covered_ns;
	take_faults(times, of, begin_ns, end_ns, cursor);
}

void rdam_split(double causes_s[RDAM_CAUSES], const struct rdam_times *times,
		const struct rdam_times *fastest, double every)
{
	double more[RDAM_CAUSES], all = 0, excess = 0;

	for (size_t i = 0; i < RDAM_CAUSES; i++) {
		double difference = (double)times->ns[i] - (double)fastest->ns[i];

		excess += difference;
		more[i] = difference > 0 ? difference : 0;
		all += more[i];
	}
	for (size_t i = 0; i < RDAM_CAUSES && excess > 0; i++)
		causes_s[i] += every * more[i] * (excess / all) / 1e9;
}

/* --- Wakers -------------------------------------------------------------------------------- */

/* Threads have their numbers, the others those behind. */
enum { OTHERS = 3 };

static size_t place_of(uint32_t by, size_t threads)
{
	return by < BY_INTERRUPT && by < threads ? by : threads + (UINT32_MAX - by) % OTHERS;
}

void rdam_wakes_init(struct rdam_wakes *wakes, const struct block_trace *trace)
{
	*wakes = (struct rdam_wakes){
		.wakers = xcalloc(trace->thread_count + OTHERS, sizeof(*wakes->wakers))};
}

void rdam_wakes_release(struct rdam_wakes *wakes)
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
	waker->slept_s += (double)slept_ns / 1e9;
}

int rdam_wakes_add(struct rdam_wakes *wakes, struct rdam_states *states, size_t thread,
		   uint64_t begin_ns, uint64_t end_ns, struct rdam_cursor *cursor)
{
	const struct block_thread *of = &states->trace->threads[thread];

	cursor->begin = find_interval(of, begin_ns, cursor->begin);
	for (size_t i = cursor->begin; i < of->interval_count; i++) {
		const struct block_interval *interval = &of->intervals[i];
		uint64_t from_ns = begin_of(of, i) > begin_ns ? begin_of(of, i) : begin_ns;
		uint64_t to_ns = interval->end_ns < end_ns ? interval->end_ns : end_ns;

		if (from_ns >= end_ns)
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

static bool goes_before(const struct rdam_waker *a, const struct rdam_waker *b)
{
	if (a->slept_s > b->slept_s || a->slept_s < b->slept_s)
		return a->slept_s > b->slept_s;
	return a->thread < b->thread;
}

static void insert(struct rdam_row *row, const struct rdam_waker *waker)
{
	size_t place = row->waker_count;

	while (place && goes_before(waker, &row->wakers[place - 1]))
		place--;
	if (place == RDAM_WAKERS)
		return;
	if (row->waker_count < RDAM_WAKERS)
		row->waker_count++;
	for (size_t i = row->waker_count - 1; i > place; i--)
		row->wakers[i] = row->wakers[i - 1];
	row->wakers[place] = *waker;
}

void rdam_wakes_take(struct rdam_row *row, struct rdam_wakes *wakes)
{
	row->waker_count = 0;
	for (size_t i = 0; i < wakes->met_count; i++) {
		struct rdam_waker *waker = &wakes->wakers[wakes->met[i]];

		if (!row->wakers_left_out)
			insert(row, waker);
		*waker = (struct rdam_waker){0};
	}
	wakes->met_count = 0;
}
