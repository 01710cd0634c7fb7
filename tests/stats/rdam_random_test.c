/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "base/alloc.h"
#include "random.h"
#include "stats/rdam/rdam_private.h"
#include "stats/rdam/rdam_trace.h"
#include "stats/rdam_analysed.h"

#include <math.h>

enum { TRACES = 400, EVENTS_MOST = 400, INTERVALS_MOST = 60, THREADS_MOST = 4, OUTSIDE_NS = 3 };

static void draw_intervals(struct random *random, struct rdam_thread *thread)
{
	uint64_t time_ns = thread->begin_ns;

	thread->interval_count = random_below(random, INTERVALS_MOST);
	thread->intervals = xcalloc(thread->interval_count, sizeof(*thread->intervals));
	for (size_t i = 0; i < thread->interval_count; i++) {
		time_ns += 1 + random_below(random, 500);
		thread->intervals[i] = (struct block_interval){
			.end_ns = time_ns,
			.state = (enum thread_state)(1 + random_below(random, STATE_COUNT - 1)),
			.by = UINT32_MAX - (uint32_t)random_below(random, 3),
			.holder = random_one_in(random, 2) ? BY_NO_THREAD : BY_STRANGER,
		};
		if (random_one_in(random, 2))
			thread->intervals[i].by = (uint32_t)random_below(random, THREADS_MOST);
		if (random_one_in(random, 2))
			thread->intervals[i].holder = 0;
	}
}

static void draw_thread(struct random *random, struct rdam_thread *thread)
{
	uint64_t time_ns = 1000 + random_below(random, 100);
	size_t depth = 0;
	uint32_t stack[EVENTS_MOST];

	thread->begin_ns = time_ns;
	draw_intervals(random, thread);
	thread->count = random_below(random, EVENTS_MOST);
	thread->tokens = xcalloc(thread->count, sizeof(*thread->tokens));
	thread->times_ns = xcalloc(thread->count, sizeof(*thread->times_ns));
	for (size_t i = 0; i < thread->count; i++) {
		bool leave = depth && random_below(random, 8) < 3 + depth;

		time_ns += random_below(random, 40);
		if (leave && random_one_in(random, 20))
			depth--;
		if (!leave)
			stack[depth] = (uint32_t)random_below(random, 4);
		thread->tokens[i] = leave && depth ? block_token(stack[--depth], true)
				    : leave	   ? block_token(3, true)
						   : block_token(stack[depth++], false);
		thread->times_ns[i] = time_ns;
	}
	thread->end_ns = time_ns;
}

/* From the first event of the thread to its last. */
static void draw_faults(struct random *random, struct rdam_thread *thread)
{
	for (uint64_t time_ns = thread->begin_ns; time_ns < thread->end_ns;) {
		block_faults_take(thread, EVENT_FAULT, time_ns += random_below(random, 300));
		if (!random_one_in(random, 9))
			block_faults_take(thread, EVENT_FAULT_END,
					  time_ns += 1 + random_below(random, 100));
	}
	block_faults_measure(thread, OUTSIDE_NS);
}

static void draw_trace(struct random *random, struct rdam_trace *trace, struct blocks *blocks)
{
	*trace = (struct rdam_trace){.blocks = blocks, .every = 1, .has_states = true};
	trace->thread_count = trace->thread_capacity = 1 + random_below(random, THREADS_MOST);
	trace->threads = xcalloc(trace->thread_count, sizeof(*trace->threads));
	for (size_t i = 0; i < trace->thread_count; i++) {
		draw_thread(random, &trace->threads[i]);
		if (random_one_in(random, 2))
			draw_faults(random, &trace->threads[i]);
		trace->events += trace->threads[i].count;
	}
}

static enum rdam_cause slow_cause(const struct block_interval *interval)
{
	bool by_own = interval->by < THREADS_MOST;

	switch (interval->state) {
	case STATE_RUNNING:
		return RDAM_ON_CPU;
	case STATE_RUNNABLE:
		return interval->holder == 0		 ? RDAM_CPU_WAIT_OWN
		       : interval->holder == BY_STRANGER ? RDAM_CPU_WAIT_STRANGER
							 : RDAM_CPU_WAIT;
	case STATE_SLEEPING:
	case STATE_INACTIVE:
		return by_own ? RDAM_BLOCKED : RDAM_BLOCKED_OTHER;
	case STATE_DISK:
		return RDAM_DISK;
	case STATE_STOPPED:
		return RDAM_STOPPED;
	default:
		return RDAM_UNKNOWN;
	}
}

static enum rdam_cause slow_at(const struct rdam_thread *thread, uint64_t at_ns)
{
	size_t i = 0;

	while (i < thread->interval_count && thread->intervals[i].end_ns <= at_ns)
		i++;
	return i == thread->interval_count ? RDAM_UNKNOWN : slow_cause(&thread->intervals[i]);
}

/* The slow way: of faults that begin inside; at most the time that there is. */
static void slow_faults(double times[RDAM_CAUSES], const struct rdam_thread *thread,
			uint64_t begin_ns, uint64_t end_ns)
{
	double within[RDAM_CAUSES] = {0};
	static const enum rdam_cause parts[] = {RDAM_ON_CPU, RDAM_DISK};
	const struct rdam_details *details = rdam_details(thread);

	for (size_t i = 0; i < details->fault_count; i++) {
		const struct block_fault *fault = &details->faults[i];

		if (fault->begin_ns < begin_ns || fault->begin_ns >= end_ns)
			continue;
		within[RDAM_ON_CPU] += OUTSIDE_NS;
		for (uint64_t at = fault->begin_ns; at < fault->end_ns; at++)
			within[slow_at(thread, at)]++;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		double moved = fmin(within[parts[i]], times[parts[i]]);

		times[parts[i]] -= moved;
		times[RDAM_PAGE_FAULTS] += moved;
	}
}

/* The slow way: nanosecond by nanosecond. */
static void slow_within(double times[RDAM_CAUSES], const struct rdam_thread *thread,
			uint64_t begin_ns, uint64_t end_ns)
{
	memset(times, 0, RDAM_CAUSES * sizeof(*times));
	for (uint64_t at = begin_ns; at < end_ns; at++)
		times[slow_at(thread, at)]++;
	slow_faults(times, thread, begin_ns, end_ns);
}

/* Calls of a block that are within no other call of it, found from each leave. */
static size_t slow_calls(struct occurrence *calls, const struct rdam_thread *thread, uint32_t block)
{
	size_t stack[EVENTS_MOST], ends[EVENTS_MOST] = {0}, depth = 0, count = 0, place;

	for (size_t i = 0; i < thread->count; i++) {
		uint32_t of = block_of_token(thread->tokens[i]);

		if (!block_token_leaves(thread->tokens[i])) {
			stack[depth++] = i;
			continue;
		}
		for (place = depth; place; place--)
			if (block_of_token(thread->tokens[stack[place - 1]]) == of)
				break;
		if (!place)
			continue;
		depth = place - 1;
		ends[stack[depth]] = of == block ? i : 0;
	}
	for (size_t i = 0; i < thread->count; i++)
		if (ends[i] && (!count || ends[i] > calls[count - 1].end))
			calls[count++] = (struct occurrence){(uint32_t)i, (uint32_t)ends[i]};
	return count;
}

static double slow_duration(const struct rdam_thread *thread, const struct occurrence *call)
{
	return (double)(thread->times_ns[call->end] - thread->times_ns[call->begin]);
}

/* Compares the row of a block, with any content, with the definitions. */
static void assert_row_as_slow(const struct rdam_row *row, const struct rdam_thread *thread)
{
	double want[RDAM_CAUSES] = {0}, least[RDAM_CAUSES], times[RDAM_CAUSES], lost = 0;
	struct occurrence calls[EVENTS_MOST] = {{0}};
	size_t count = slow_calls(calls, thread, row->block), fastest = 0;

	assert_int_equal(row->occurrences, count);
	for (size_t i = 1; i < count; i++)
		if (slow_duration(thread, &calls[i]) < slow_duration(thread, &calls[fastest]))
			fastest = i;
	slow_within(least, thread, thread->times_ns[calls[fastest].begin],
		    thread->times_ns[calls[fastest].end]);
	for (size_t i = 0; i < count; i++) {
		double excess =
			slow_duration(thread, &calls[i]) - slow_duration(thread, &calls[fastest]);
		double more = 0;

		slow_within(times, thread, thread->times_ns[calls[i].begin],
			    thread->times_ns[calls[i].end]);
		for (size_t k = 0; k < RDAM_CAUSES; k++)
			more += fmax(times[k] - least[k], 0);
		for (size_t k = 0; k < RDAM_CAUSES && more > 0; k++)
			want[k] += fmax(times[k] - least[k], 0) * excess / more;
		lost += excess;
	}
	assert_true(fabs(row->lost_s - lost / 1e9) <= 1e-12 * lost / 1e9);
	for (size_t k = 0; k < RDAM_CAUSES; k++)
		assert_true(fabs(row->causes_s[k] - want[k] / 1e9) <= 1e-12 * lost / 1e9);
}

/* Invariants of every row. */
static void assert_row(const struct rdam_row *row)
{
	double sum = 0;

	for (size_t k = 0; k < RDAM_CAUSES; k++) {
		assert_true(row->causes_s[k] >= 0);
		sum += row->causes_s[k];
	}
	assert_true(fabs(sum - row->lost_s) <= 1e-9 * row->lost_s);
	assert_true(row->score >= 0 && row->score <= 1 + 1e-12);
	assert_true(row->grouped_score >= 0 && row->grouped_score <= row->score);
	assert_true(row->min_s <= row->median_s && row->median_s <= row->p99_s);
	assert_true(row->occurrences >= 2 && *row->name);
	assert_true(row->total_s <= row->wall_s * (1 + 1e-12));
	for (size_t k = 1; k < row->waker_count; k++)
		assert_true(row->wakers[k].slept_s <= row->wakers[k - 1].slept_s);
}

static void rows_of_random_traces_agree_with_the_definitions(void **state)
{
	struct random random = {4};
	size_t slow = 0, rows = 0;

	(void)state;
	for (size_t i = 0; i < TRACES; i++) {
		struct rdam_options options = {.least = 2, .all_sequences = i % 4 == 0};
		struct analysed of = {.source = listed("")};
		struct err err;

		options.min = i % 3 ? RDAM_MIN_THREAD : RDAM_MIN_POOLED;
		draw_trace(&random, &of.trace, &of.source->blocks);
		assert_int_equal(rdam_init(&of.rdam, &of.trace, &options, &err), 0);
		for (size_t k = 0; k < of.rdam.row_count; k++) {
			const struct rdam_row *row = &of.rdam.rows[k];

			assert_row(row);
			assert_true(!k || row->score <= row[-1].score);
			rows++;
			if (!row->any_content || options.min == RDAM_MIN_POOLED)
				continue;
			assert_row_as_slow(row, &of.trace.threads[row->thread]);
			slow++;
		}
		release(&of);
	}
	assert_true(slow > 500 && rows > 5000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_of_random_traces_agree_with_the_definitions),
};

TEST_FILE(tests);
