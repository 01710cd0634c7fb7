/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/activity.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/drawing.h"
#include "stats/profile/levels.h"
#include "support.h"

#include <stdlib.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct change change_of(enum thread_state state, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct change){.begin_ns = begin_ns, .end_ns = end_ns, .state = state};
}

static void the_last_bin_is_as_long_as_time_is(void **state)
{
	static const struct change changes[] = {
		{.state = STATE_RUNNING, .begin_ns = 100, .end_ns = 104},
		{.state = STATE_UNKNOWN, .begin_ns = 102, .end_ns = 105},
		{.state = STATE_SLEEPING, .begin_ns = 104, .end_ns = 2148},
		{.state = STATE_RUNNABLE, .begin_ns = 2148, .end_ns = 2149},
	};
	struct activity *activity = activity_new();
	struct activity_times times;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		activity_add(activity, &changes[i]);
	activity_sum(activity, &times);
	/* 1024 bins of 2 ns hold one nanosecond less. */
	assert_int_equal(times.bin_ns, 4);
	assert_int_equal(times.count, 513);
	assert_int_equal(times.total_ns, 2049);
	assert_close(times.bins[0].active, 1, 1e-15);
	assert_close(times.bins[0].unknown, .5, 1e-15);
	assert_close(times.bins[1].active, 0, 0);
	assert_close(times.bins[1].unknown, .25, 1e-15);
	assert_close(times.bins[511].active, 0, 0);
	assert_close(times.bins[512].active, 1, 1e-15);
	activity_times_release(&times);
	activity_free(activity);
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? to - from : 0;
}

/* The slow and obvious way. */
static void assert_bin(const struct activity_times *times, size_t bin, const struct change *changes,
		       size_t count)
{
	uint64_t begin = bin * times->bin_ns, end = begin + times->bin_ns;
	uint64_t active = 0, unknown = 0;

	end = end < times->total_ns ? end : times->total_ns;
	for (size_t i = 0; i < count; i++) {
		uint64_t both = overlap(changes[i].begin_ns, changes[i].end_ns, begin, end);

		active += thread_state_is_active(changes[i].state) ? both : 0;
		unknown += changes[i].state == STATE_UNKNOWN ? both : 0;
	}
	assert_close(times->bins[bin].active, (double)active / (double)(end - begin), 1e-12);
	assert_close(times->bins[bin].unknown, (double)unknown / (double)(end - begin), 1e-12);
}

static void bins_hold_what_each_interval_spends_in_them(void **state)
{
	static const enum thread_state states[] = {STATE_RUNNING, STATE_RUNNABLE, STATE_ACTIVE,
						   STATE_UNKNOWN, STATE_INACTIVE, STATE_SLEEPING,
						   STATE_STOPPED};
	enum { TRIALS = 40, CHANGES = 60 };

	(void)state;
	srand(1);
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct activity *activity = activity_new();
		struct change changes[CHANGES];
		struct activity_times times;
		uint64_t end = 0;

		activity_begin(activity, 0);
		for (size_t i = 0; i < CHANGES; i++) {
			end += (uint64_t)rand() % (1 + (UINT64_C(1) << trial));
			changes[i] = change_of(states[(size_t)rand() % 7],
					       end - (uint64_t)rand() % (end + 1), end);
			activity_add(activity, &changes[i]);
		}
		activity_sum(activity, &times);
		assert_int_equal(times.total_ns, end);
		assert_true(times.count <= ACTIVITY_BINS);
		assert_true(times.count > ACTIVITY_BINS / 2 || times.bin_ns == 1);
		for (size_t bin = 0; bin < times.count; bin++)
			assert_bin(&times, bin, changes, CHANGES);
		activity_times_release(&times);
		activity_free(activity);
	}
}

/* Where nothing is unknown, the sum over all bins is the sum of j T_j. */
static void the_work_is_that_of_the_levels(void **state)
{
	struct event_source *source =
		drawing_source(ROWS(" RR..wwRRRR...R", "  RRRwwRR.R", "     R..wR"));
	struct timeline *timeline = timeline_new(source, &tree);
	struct activity *activity = activity_new();
	struct levels *levels = levels_new(0);
	struct activity_times times;
	struct level_times expected;
	struct change change;
	double work = 0;
	struct err err;

	(void)state;
	while (timeline_next(timeline, &change, &err) > 0) {
		levels_begin(levels, timeline_begin_ns(timeline));
		activity_begin(activity, timeline_begin_ns(timeline));
		levels_add(levels, &change);
		activity_add(activity, &change);
	}
	levels_sum(levels, &expected);
	activity_sum(activity, &times);
	assert_int_equal(times.total_ns, expected.total_ns);
	for (size_t i = 0; i < times.count; i++) {
		uint64_t left = times.total_ns - i * times.bin_ns;

		work += times.bins[i].active * (double)(left < times.bin_ns ? left : times.bin_ns);
		assert_close(times.bins[i].unknown, 0, 0);
	}
	assert_close(work, level_times_mean(&expected) * (double)expected.total_ns, 1e-12);
	activity_times_release(&times);
	level_times_release(&expected);
	activity_free(activity);
	levels_free(levels);
	timeline_free(timeline);
	event_source_free(source);
}

static void nothing_has_no_bins(void **state)
{
	struct activity *activity = activity_new();
	struct activity_times times;

	(void)state;
	activity_sum(activity, &times);
	assert_int_equal(times.count, 0);
	activity_times_release(&times);
	activity_free(activity);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_last_bin_is_as_long_as_time_is),
	cmocka_unit_test(bins_hold_what_each_interval_spends_in_them),
	cmocka_unit_test(the_work_is_that_of_the_levels),
	cmocka_unit_test(nothing_has_no_bins),
};

TEST_FILE(tests);
