/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void profile_of(struct profile *profile, struct event_source *source)
{
	struct profiler *profiler = profiler_new(source, &tree, 0);
	struct err err = {.text = ""};

	profiler_want(profiler, PROFILER_ACTIVITY);
	if (profiler_run(profiler, &err))
		fail_msg("%s", err.text);
	profiler_profile(profile, profiler);
	profiler_free(profiler);
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? to - from : 0;
}

/* Compares with the slow way. */
static void assert_bin(const struct activity_times *times, size_t bin, uint64_t begin_ns,
		       const struct change *changes, size_t count)
{
	uint64_t begin = bin * times->bin_ns, end = begin + times->bin_ns;
	uint64_t running = 0, ready = 0, unknown = 0;
	const struct activity_bin *sum = &times->bins[bin];

	end = end < times->total_ns ? end : times->total_ns;
	for (size_t i = 0; i < count; i++) {
		uint64_t both = overlap(changes[i].begin_ns, changes[i].end_ns, begin_ns + begin,
					begin_ns + end);

		running += changes[i].state == STATE_RUNNING ? both : 0;
		ready += changes[i].state == STATE_RUNNABLE || changes[i].state == STATE_ACTIVE
				 ? both
				 : 0;
		unknown += changes[i].state == STATE_UNKNOWN ? both : 0;
	}
	assert_close(sum->running, (double)running / (double)(end - begin), 1e-12);
	assert_close(sum->ready, (double)ready / (double)(end - begin), 1e-12);
	assert_close(sum->unknown, (double)unknown / (double)(end - begin), 1e-12);
}

enum { THREADS = 4, EVENTS = 60, CHANGES = 3 * EVENTS };

/* Makes threads of the target that leave CPUs in all states. */
static void make_events(struct event events[THREADS + EVENTS], uint64_t step_ns)
{
	static const enum thread_state states[] = {STATE_RUNNABLE, STATE_SLEEPING, STATE_STOPPED};
	uint64_t time_ns = 100;

	for (int32_t i = 0; i < THREADS; i++)
		events[i] = (struct event){.time_ns = time_ns,
					   .kind = EVENT_FORK,
					   .tid = i ? DRAWING_TID : 1,
					   .pid = DRAWING_TID,
					   .other_pid = DRAWING_TID,
					   .other = DRAWING_TID + i};
	for (size_t i = THREADS; i < THREADS + EVENTS; i++) {
		time_ns += (uint64_t)rand() % (1 + step_ns);
		events[i] = (struct event){.time_ns = time_ns,
					   .kind = EVENT_SWITCH,
					   .state = states[(size_t)rand() % 3],
					   .cpu = rand() % 2,
					   .tid = DRAWING_TID + rand() % (THREADS + 1),
					   .other = DRAWING_TID + rand() % (THREADS + 1)};
	}
}

static size_t changes_of(struct change changes[CHANGES], uint64_t *begin_ns,
			 struct event_source *source)
{
	struct timeline *timeline = timeline_new(source, &tree);
	struct err err = {.text = ""};
	size_t count = 0;

	while (timeline_next(timeline, &changes[count], &err) > 0)
		assert_true(++count < CHANGES);
	*begin_ns = timeline_begin_ns(timeline);
	timeline_free(timeline);
	return count;
}

static void bins_hold_what_each_interval_spends_in_them(void **state)
{
	enum { TRIALS = 40 };

	(void)state;
	srand(1);
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		struct event events[THREADS + EVENTS];
		struct change changes[CHANGES];
		struct event_source *one, *other;
		struct profile profile;
		uint64_t begin_ns;
		size_t count;

		make_events(events, UINT64_C(1) << trial);
		one = array_source(events, THREADS + EVENTS);
		other = array_source(events, THREADS + EVENTS);
		count = changes_of(changes, &begin_ns, one);
		profile_of(&profile, other);
		assert_int_equal(profile.activity.total_ns, profile.levels.total_ns);
		assert_true(profile.activity.count <= ACTIVITY_BINS);
		assert_true(profile.activity.count > ACTIVITY_BINS / 2 ||
			    profile.activity.bin_ns == 1);
		for (size_t bin = 0; bin < profile.activity.count; bin++)
			assert_bin(&profile.activity, bin, begin_ns, changes, count);
		profile_release(&profile);
		event_source_free(one);
		event_source_free(other);
	}
}

/* Without unknown time the sum over all bins is the sum of j T_j. */
static void the_work_is_that_of_the_levels(void **state)
{
	struct event_source *source =
		drawing_source(ROWS(" RR..wwRRRR...R", "  RRRwwRR.R", "     R..wR"));
	const struct activity_times *times;
	struct profile profile;
	double work = 0;

	(void)state;
	profile_of(&profile, source);
	times = &profile.activity;
	assert_int_equal(times->total_ns, profile.levels.total_ns);
	for (size_t i = 0; i < times->count; i++) {
		uint64_t left = times->total_ns - i * times->bin_ns;

		work += (times->bins[i].running + times->bins[i].ready) *
			(double)(left < times->bin_ns ? left : times->bin_ns);
		assert_close(times->bins[i].unknown, 0, 0);
	}
	assert_close(work, level_times_mean(&profile.levels) * (double)profile.levels.total_ns,
		     1e-12);
	profile_release(&profile);
	event_source_free(source);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(bins_hold_what_each_interval_spends_in_them),
	cmocka_unit_test(the_work_is_that_of_the_levels),
};

TEST_FILE(tests);
