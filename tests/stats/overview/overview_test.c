/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/overview/overview.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* All changes of a drawing, and the results for them. */
struct seen {
	struct overview_reader *reader;
	struct change changes[4000];
	size_t count;
	uint64_t begin_ns;
};

static void take(void *context, const struct change *change)
{
	struct seen *seen = context;

	assert_true(seen->count < sizeof(seen->changes) / sizeof(seen->changes[0]));
	seen->changes[seen->count++] = *change;
	overview_reader_take(seen->reader, change);
}

static void overview_under(struct overview *overview, struct profile *profile, struct seen *seen,
			   const char *const *rows, const struct target_quota *quota)
{
	struct event_source *source = drawing_source(rows);
	struct profiler *profiler;
	struct err err = {.text = ""};

	source->target.quota = *quota;
	profiler = profiler_new(source, &tree, 0);
	seen->count = 0;
	seen->reader = overview_reader_new(profiler);
	profiler_watch(profiler, take, seen);
	if (profiler_run(profiler, &err))
		fail_msg("%s", err.text);
	seen->begin_ns = timeline_begin_ns(profiler_timeline(profiler));
	profiler_profile(profile, profiler);
	overview_init(overview, seen->reader, profile);
	overview_reader_free(seen->reader);
	profiler_free(profiler);
	event_source_free(source);
}

static void overview_of(struct overview *overview, struct profile *profile, struct seen *seen,
			const char *const *rows)
{
	overview_under(overview, profile, seen, rows, &(struct target_quota){0});
}

static double overlap(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t from = a > c ? a : c, to = b < d ? b : d;

	return to > from ? (double)(to - from) : 0;
}

/* Compares with the slow way. */
static void assert_cpus(const struct overview *overview, const struct overview_cpus *cpus,
			const struct seen *seen)
{
	for (size_t bin = 0; bin < cpus->count; bin++) {
		uint64_t from = bin * cpus->bin_ns, to = from + cpus->bin_ns;
		double running = 0, runnable = 0;

		to = to < overview->total_ns ? to : overview->total_ns;
		for (size_t i = 0; i < seen->count; i++) {
			const struct change *change = &seen->changes[i];
			double both = overlap(change->begin_ns, change->end_ns,
					      seen->begin_ns + from, seen->begin_ns + to);

			running += change->state == STATE_RUNNING ? both : 0;
			runnable += change->state == STATE_RUNNABLE ? both : 0;
		}
		assert_close(cpus->running[bin], running / (double)(to - from), 1e-12);
		assert_close(cpus->runnable[bin], runnable / (double)(to - from), 1e-12);
	}
}

/* The CPUs that threads with known states could have used in the bin, and did not get. */
static double others_of(const struct seen *seen, uint64_t from, uint64_t to, unsigned cores)
{
	double others_ns = 0;

	for (uint64_t now = from, next = to; now < to; now = next, next = to) {
		unsigned running = 0, ready = 0;

		for (size_t i = 0; i < seen->count; i++) {
			const struct change *change = &seen->changes[i];
			bool is_ready =
				change->state == STATE_RUNNING || change->state == STATE_RUNNABLE;

			if (change->begin_ns > now && change->begin_ns < next)
				next = change->begin_ns;
			if (change->end_ns > now && change->end_ns < next)
				next = change->end_ns;
			if (change->begin_ns > now || change->end_ns <= now)
				continue;
			running += change->state == STATE_RUNNING;
			ready += is_ready;
		}
		ready = ready < cores ? ready : cores;
		others_ns += ((double)ready - (double)running) * (double)(next - now);
	}
	return others_ns > 0 ? others_ns / (double)(to - from) : 0;
}

static void cpus_of_other_programs_are_those_that_ready_threads_did_not_get(void **state)
{
	static struct seen seen;
	struct overview overview;
	struct profile profile;
	const struct overview_cpus *cpus;

	(void)state;
	overview_of(&overview, &profile, &seen,
		    ROWS(" RRwwwwRRRRRRRRRRRR..wwRR", "   RRRRRwwwwRR....wwwwRRR",
			 "    RRRRRRRR....RRRRwRRRR"));
	assert_true(profile.cores > 0);
	for (size_t level = 0; level < OVERVIEW_LEVELS; level++) {
		cpus = &overview.cpus[level];
		for (size_t bin = 0; bin < cpus->count; bin++) {
			uint64_t from = seen.begin_ns + bin * cpus->bin_ns;
			uint64_t to = from + cpus->bin_ns, end = seen.begin_ns + overview.total_ns;

			assert_close(cpus->others[bin],
				     others_of(&seen, from, to < end ? to : end, profile.cores),
				     1e-9);
			assert_close(cpus->idle[bin],
				     profile.cores - cpus->running[bin] - cpus->others[bin], 1e-9);
		}
	}
	overview_release(&overview);
	profile_release(&profile);
}

static void cpus_beyond_a_quota_are_idle_and_not_of_other_programs(void **state)
{
	static struct seen seen;
	const struct target_quota one_cpu = {.quota_ns = 100000000, .period_ns = 100000000};
	struct overview overview;
	struct profile profile;

	(void)state;
	overview_under(&overview, &profile, &seen, ROWS(" RwRwRwRwRw", " wRwRwRwRwR"), &one_cpu);
	assert_int_equal(profile.cores, 2);
	for (size_t bin = 0; bin < overview.cpus[0].count; bin++) {
		assert_close(overview.cpus[0].running[bin], 1, 1e-9);
		assert_close(overview.cpus[0].others[bin], 0, 1e-9);
		assert_close(overview.cpus[0].idle[bin], 1, 1e-9);
	}
	overview_release(&overview);
	profile_release(&profile);
}

enum { THREADS = 4, LENGTH = 900 };

static void draw_by_chance(char rows[THREADS][LENGTH + 1])
{
	static const char letters[] = "Rw.D";

	for (size_t row = 0; row < THREADS; row++)
		for (size_t i = 0, run = 0; i<LENGTH; i++, run -= run> 0) {
			if (!run)
				run = 1 + (size_t)(rand() % (1 << rand() % 7));
			rows[row][i] = run > 1 && i ? rows[row][i - 1] : letters[rand() % 4];
		}
}

static void bins_have_the_mean_of_their_time(void **state)
{
	static char drawn[THREADS][LENGTH + 1];
	static struct seen seen;

	(void)state;
	srand(7);
	for (size_t round = 0; round < 20; round++) {
		struct overview overview;
		struct profile profile;

		draw_by_chance(drawn);
		overview_of(&overview, &profile, &seen,
			    ROWS(drawn[0], drawn[1], drawn[2], drawn[3]));
		for (size_t i = 0; i < OVERVIEW_LEVELS; i++)
			assert_cpus(&overview, &overview.cpus[i], &seen);
		assert_true(overview.cpus[0].count <= OVERVIEW_BINS / 32);
		assert_true(overview.cpus[2].count > OVERVIEW_BINS / 32);
		overview_release(&overview);
		profile_release(&profile);
	}
}

static void bins_of_ready_threads_add_up_to_the_profile(void **state)
{
	static char drawn[THREADS][LENGTH + 1];
	static struct seen seen;

	(void)state;
	srand(9);
	for (size_t round = 0; round < 20; round++) {
		struct overview overview;
		struct profile profile;
		uint64_t sums[THREADS + 1] = {0}, known_ns = 0;

		draw_by_chance(drawn);
		overview_of(&overview, &profile, &seen,
			    ROWS(drawn[0], drawn[1], drawn[2], drawn[3]));
		assert_true(overview.ready.count > OVERVIEW_BINS / 64);
		assert_int_equal(overview.ready.ends[overview.ready.count - 1],
				 overview.ready.time_count);
		for (size_t i = 0, at = 0; i < overview.ready.count; i++) {
			uint64_t bin_ns = 0;

			for (; at < overview.ready.ends[i]; at++) {
				sums[overview.ready.times[at].threads] +=
					overview.ready.times[at].wall_ns;
				bin_ns += overview.ready.times[at].wall_ns;
			}
			assert_true(bin_ns <= overview.ready.bin_ns);
			known_ns += bin_ns;
		}
		assert_int_equal(known_ns, profile.levels.total_ns - profile.levels.unknown_ns);
		for (size_t j = 0; j <= profile.levels.max_active; j++)
			assert_int_equal(sums[j], profile.levels.wall_ns[j]);
		overview_release(&overview);
		profile_release(&profile);
	}
}

static int compare_lengths(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one < other) - (one > other);
}

static void the_longest_waits_are_exact(void **state)
{
	static char drawn[THREADS][LENGTH + 1];
	static struct seen seen;
	static uint64_t lengths[4000];
	struct overview overview;
	struct profile profile;
	size_t count = 0;

	(void)state;
	srand(8);
	draw_by_chance(drawn);
	overview_of(&overview, &profile, &seen, ROWS(drawn[0], drawn[1], drawn[2], drawn[3]));
	for (size_t i = 0; i < seen.count; i++)
		if (seen.changes[i].state >= STATE_RUNNABLE &&
		    seen.changes[i].end_ns > seen.changes[i].begin_ns)
			lengths[count++] = seen.changes[i].end_ns - seen.changes[i].begin_ns;
	qsort(lengths, count, sizeof(*lengths), compare_lengths);
	assert_int_equal(overview.longest_count,
			 count < OVERVIEW_LONGEST ? count : OVERVIEW_LONGEST);
	for (size_t i = 0; i < overview.longest_count; i++)
		assert_int_equal(overview.longest[i].end_ns - overview.longest[i].begin_ns,
				 lengths[i]);
	overview_release(&overview);
	profile_release(&profile);
}

/* The thread with the most CPU time comes first. */
static void a_wakeup_names_its_threads_by_their_rank(void **state)
{
	static struct seen seen;
	struct overview overview;
	struct profile profile;

	(void)state;
	overview_of(&overview, &profile, &seen,
		    ROWS("RR......................wRRR", " wRRRRRRRRRRRRRRRRRRRRRRRRR."));
	assert_int_equal(overview.thread_count, 2);
	assert_int_equal(overview.threads[0].number, 1);
	assert_int_equal(overview.longest[0].thread, 1);
	assert_int_equal(overview.longest[0].letter, 'B');
	assert_int_equal(overview.longest[0].end_ns - overview.longest[0].begin_ns,
			 22 * DRAWING_STEP_NS);
	overview_release(&overview);
	profile_release(&profile);
}

/* The thread has the least CPU time of too many threads. */
static void the_thread_of_the_longest_wait_is_shown(void **state)
{
	enum { MANY = OVERVIEW_THREADS + 2 };
	static struct seen seen;
	const char *rows[MANY + 1] = {"R......................wR"};
	struct overview overview;
	struct profile profile;

	(void)state;
	for (size_t i = 1; i < MANY; i++)
		rows[i] = " RRRR";
	overview_of(&overview, &profile, &seen, rows);
	assert_int_equal(overview.thread_count, OVERVIEW_THREADS);
	assert_int_equal(overview.left_out, 2);
	assert_int_equal(overview.longest[0].thread, OVERVIEW_THREADS - 1);
	assert_int_equal(overview.threads[OVERVIEW_THREADS - 1].number, 0);
	overview_release(&overview);
	profile_release(&profile);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cpus_beyond_a_quota_are_idle_and_not_of_other_programs),
	cmocka_unit_test(bins_have_the_mean_of_their_time),
	cmocka_unit_test(cpus_of_other_programs_are_those_that_ready_threads_did_not_get),
	cmocka_unit_test(bins_of_ready_threads_add_up_to_the_profile),
	cmocka_unit_test(the_longest_waits_are_exact),
	cmocka_unit_test(a_wakeup_names_its_threads_by_their_rank),
	cmocka_unit_test(the_thread_of_the_longest_wait_is_shown),
};

TEST_FILE(tests);
