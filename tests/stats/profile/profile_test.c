/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "base/alloc.h"
#include "base/err.h"
#include "draw/drawing.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

#define ROWS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void profile_of(struct profile *profile, const char *const *rows, uint64_t interval_ns)
{
	struct event_source *source = drawing_source(rows);
	struct err err = {.text = ""};

	if (profile_init(profile, source, &tree, interval_ns, &err))
		fail_msg("%s", err.text);
	event_source_free(source);
}

static uint64_t columns(const struct thread_profile *thread, enum thread_state state)
{
	assert_int_equal(thread->state_ns[state] % DRAWING_STEP_NS, 0);
	return thread->state_ns[state] / DRAWING_STEP_NS;
}

static void each_thread_has_its_time_in_each_state(void **state)
{
	struct profile profile;

	(void)state;
	profile_of(&profile, ROWS(" RRR..wRDDwRRTT", "   wwRR...wRR"), 0);
	assert_int_equal(profile.thread_count, 2);
	assert_int_equal(profile.threads[0].tid, DRAWING_TID);
	assert_int_equal(columns(&profile.threads[0], STATE_RUNNING), 6);
	assert_int_equal(columns(&profile.threads[0], STATE_SLEEPING), 2);
	assert_int_equal(columns(&profile.threads[0], STATE_RUNNABLE), 2);
	assert_int_equal(columns(&profile.threads[0], STATE_DISK), 2);
	assert_int_equal(columns(&profile.threads[0], STATE_STOPPED), 2);
	assert_int_equal(profile.threads[1].tid, DRAWING_TID + 1);
	assert_int_equal(columns(&profile.threads[1], STATE_RUNNING), 4);
	assert_int_equal(columns(&profile.threads[1], STATE_RUNNABLE), 3);
	assert_int_equal(columns(&profile.threads[1], STATE_SLEEPING), 3);
	profile_release(&profile);
}

static void all_threads_together_have_sums(void **state)
{
	struct event_source *source = drawing_source(ROWS(" RRR..wRDDwRRTT", "   wwRR...wRR"));
	struct profiler *profiler = profiler_new(source, &tree, 0);
	struct profile profile;
	struct err err = {.text = ""};

	(void)state;
	profiler_want(profiler, PROFILER_SUMS);
	assert_int_equal(profiler_run(profiler, &err), 0);
	profiler_profile(&profile, profiler);
	assert_int_equal(profile.thread_count, 1);
	assert_int_equal(columns(&profile.threads[0], STATE_RUNNING), 10);
	assert_int_equal(columns(&profile.threads[0], STATE_RUNNABLE), 5);
	assert_int_equal(profile.levels.max_active, 2);
	profile_release(&profile);
	profiler_free(profiler);
	event_source_free(source);
}

/* The state of the target is unknown when recording begins, and known later from its first
 * events. */
static void the_time_before_the_first_change_counts(void **state)
{
	static const struct event events[] = {
		{.time_ns = 2000, .kind = EVENT_FORK, .tid = 1, .other = DRAWING_TID},
		{.time_ns = 3000,
		 .kind = EVENT_SWITCH,
		 .state = STATE_SLEEPING,
		 .cpu = 1,
		 .pid = DRAWING_TID,
		 .tid = 105},
	};
	struct event_source *source = array_source(events, 2);
	struct profile profile;
	struct err err = {.text = ""};

	(void)state;
	source->target.attached = true;
	source->target.start_ns = 1000;
	source->target.end_ns = 5000;
	if (profile_init(&profile, source, &tree, 0, &err))
		fail_msg("%s", err.text);
	assert_int_equal(profile.levels.total_ns, 4000);
	assert_int_equal(profile.levels.unknown_ns, 2000);
	assert_int_equal(profile.threads[1].begin_ns, 1000);
	profile_release(&profile);
	event_source_free(source);
}

static void switches_and_wakes_are_counted(void **state)
{
	static const struct {
		const char *row;
		uint64_t switches, wakes;
	} cases[] = {
		{" RRRR", 1, 0},			     /* its end is a switch */
		{" RRwwRR", 2, 0},			     /* preempted: no thread woke it */
		{" RR..wRR", 2, 1},	  {" RR..RR", 2, 1}, /* woken, and on a CPU at once */
		{" RRDDwRRTTwR..", 3, 2}, {" R.wR.wR.wR", 4, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile profile;

		profile_of(&profile, ROWS(cases[i].row), 0);
		if (profile.threads[0].switches != cases[i].switches ||
		    profile.threads[0].wakes != cases[i].wakes)
			fail_msg("'%s': %d switches, %d wakes", cases[i].row,
				 (int)profile.threads[0].switches, (int)profile.threads[0].wakes);
		profile_release(&profile);
	}
}

static void the_states_of_a_thread_add_up_to_its_life(void **state)
{
	static const char *const drawings[][4] = {
		{" RRRRRRRRRR"},
		{" RRR..wwRRDDwRTTwRR", "   wwRR...wRR"},
		{" RR...whhh..R", "  RRR...HH..wR", "      wR"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
		struct profile profile;

		profile_of(&profile, drawings[i], 0);
		for (size_t k = 0; k < profile.thread_count; k++) {
			const char *row = drawings[i][k];
			uint64_t life = 0;

			for (enum thread_state one = 0; one < STATE_COUNT; one++)
				life += columns(&profile.threads[k], one);
			assert_int_equal(life, strlen(row) - strspn(row, " "));
			assert_int_equal(profile.threads[k].state_ns[STATE_NONE], 0);
		}
		profile_release(&profile);
	}
}

static void active_time_of_all_threads_is_the_area_below_the_levels(void **state)
{
	struct profile profile;
	uint64_t threads_ns = 0, levels_ns = 0;

	(void)state;
	profile_of(&profile, ROWS(" RRR..wwRRDDwRTTwRR", "   wwRR...wRR", "     RR.wR"), 0);
	for (size_t i = 0; i < profile.thread_count; i++)
		threads_ns += profile.threads[i].state_ns[STATE_RUNNING] +
			      profile.threads[i].state_ns[STATE_RUNNABLE];
	for (size_t j = 0; j <= profile.levels.max_active; j++)
		levels_ns += j * profile.levels.wall_ns[j];
	assert_int_equal(threads_ns, levels_ns);
	profile_release(&profile);
}

static void intervals_are_made_on_request(void **state)
{
	struct profile profile;

	(void)state;
	profile_of(&profile, ROWS(" RRRRRRRR"), 0);
	assert_int_equal(profile.interval_count, 0);
	assert_null(profile.intervals);
	profile_release(&profile);
	profile_of(&profile, ROWS(" RRRRRRRR"), 3 * DRAWING_STEP_NS);
	assert_int_equal(profile.interval_count, 3);
	assert_int_equal(profile.intervals[2].total_ns, 2 * DRAWING_STEP_NS);
	profile_release(&profile);
}

static void cores_are_the_affinity_or_the_cpus_seen(void **state)
{
	struct event_source *source = drawing_source(ROWS(" RRRR", "  RRR", "   ..."));
	struct profile profile;
	struct err err;

	(void)state;
	profile_of(&profile, ROWS(" RRRR", "  RRR", "   RR"), 0);
	assert_int_equal(profile.cores, 3);
	profile_release(&profile);
	source->target.affinity_count = 7;
	assert_int_equal(profile_init(&profile, source, &tree, 0, &err), 0);
	assert_int_equal(profile.cores, 7);
	profile_release(&profile);
	event_source_free(source);
}

static void counts_belong_to_the_threads(void **state)
{
	struct event_source *source = drawing_source(ROWS(" RRRR", "  RRR"));
	struct profile profile;
	struct err err;

	(void)state;
	source->counts.counters = xcalloc(1, sizeof(*source->counts.counters));
	source->counts.counters[0].name = xstrdup("page-faults");
	source->counts.counter_count = 1;
	source->counts.rows = xcalloc(3, sizeof(*source->counts.rows));
	source->counts.row_count = 3;
	for (int i = 0; i < 3; i++) /* the last one is another program */
		source->counts.rows[i] = (struct count){
			.tid = DRAWING_TID + i, .time_ns = 2 * DRAWING_BEGIN_NS, .value = 7};
	assert_int_equal(profile_init(&profile, source, &tree, 0, &err), 0);
	event_source_free(source);
	assert_int_equal(profile.counters.row_count, 2);
	assert_int_equal(profile.counters.rows[1].thread, 1);
	assert_string_equal(profile.counters.counters[0].name, "page-faults");
	assert_close(profile.counters.totals[0].value, 14, 1e-12);
	profile_release(&profile);
}

static void the_profile_has_the_quality_of_the_data(void **state)
{
	struct profile profile;

	(void)state;
	profile_of(&profile, ROWS(" RR...HH...wR"), 0);
	assert_int_equal(profile.quality.missed_switch_ins, 1);
	assert_true(profile.quality.events > 4);
	profile_release(&profile);
}

/* Known time is most of both the wall time and the time of threads. */
static void the_mean_is_of_more_than_half_of_the_time_of_threads(void **state)
{
	static const struct {
		const char *rows[5];
		bool is_known;
	} cases[] = {
		{{" RRRR..HH...wRRRR"}, true},
		{{" RR.HHHHHHHHHHHH.wRR"}, false},
		{{" RRRRRRRRRRRRRRRRRRRR", "   RRRRR", "   RRRRR", "   RRRRR"}, true},
		{{" RRRRRRRRRRRRRRRRRRRR", "   R.HHHHHHHHR", "   R.HHHHHHHHR", "   R.HHHHHHHHR"},
		 false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile profile;

		profile_of(&profile, cases[i].rows, 0);
		assert_true(cases[i].is_known == (profile.mean_active > 0));
		profile_release(&profile);
	}
}

static void a_trace_without_the_target_is_refused_with_a_sentence(void **state)
{
	static const int32_t nobody[] = {4711};
	static const struct selection other = {.pids = nobody, .pid_count = 1};
	struct event_source *source = drawing_source(ROWS(" RRRR"));
	struct profile profile;
	struct err err = {.text = ""};

	(void)state;
	assert_int_equal(profile_init(&profile, source, &other, 1000, &err), -1);
	assert_non_null(strstr(err.text, "--pid 4711"));
	assert_null(profile.threads);
	event_source_free(source);
}

/* --- So far -------------------------------------------------------------------------------- */

/* A source that ends early, or that reads the profile before each event. */
static struct {
	int (*next)(struct event_source *source, struct event *event, struct err *err);
	size_t given, end;
	struct profiler *profiler;
	struct profile *profiles; /* [i]: after i events */
	size_t capacity;
} tap;

static int next_or_end(struct event_source *source, struct event *event, struct err *err)
{
	return tap.given++ < tap.end ? tap.next(source, event, err) : 0;
}

static int next_after_a_look(struct event_source *source, struct event *event, struct err *err)
{
	array_reserve(&tap.profiles, &tap.capacity, tap.given + 1);
	profiler_profile(&tap.profiles[tap.given++], tap.profiler);
	return tap.next(source, event, err);
}

static void assert_same_profile(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->levels.total_ns, b->levels.total_ns);
	assert_int_equal(a->levels.unknown_ns, b->levels.unknown_ns);
	assert_int_equal(a->levels.max_active, b->levels.max_active);
	for (size_t j = 0; j <= a->levels.max_active; j++)
		assert_int_equal(a->levels.wall_ns[j], b->levels.wall_ns[j]);
	assert_int_equal(a->interval_count, b->interval_count);
	assert_int_equal(a->thread_count, b->thread_count);
	for (size_t i = 0; i < a->thread_count; i++)
		assert_memory_equal(&a->threads[i], &b->threads[i], sizeof(a->threads[i]));
}

/* Returns the number of events. Without these reads the final profile must be the same. */
static size_t look_before_each_event(const char *const *rows)
{
	struct event_source *source = drawing_source(rows);
	struct profile profile, unseen;
	struct err err = {.text = ""};

	tap.next = source->next;
	tap.given = 0;
	source->next = next_after_a_look;
	tap.profiler = profiler_new(source, &tree, DRAWING_STEP_NS);
	assert_int_equal(profiler_run(tap.profiler, &err), 0);
	profiler_profile(&profile, tap.profiler);
	profiler_free(tap.profiler);
	event_source_free(source);
	profile_of(&unseen, rows, DRAWING_STEP_NS);
	assert_same_profile(&profile, &unseen);
	profile_release(&profile);
	profile_release(&unseen);
	return tap.given;
}

static void a_profile_so_far_is_that_of_a_trace_that_ends_there(void **state)
{
	const char *const *const drawings[] = {
		ROWS(" RRR..wRDDwRRTT", "   wwRR...wRR"),
		ROWS(" R.wR", "  ..wwRRR", "   RR..."),
		ROWS(" RRwwRRwR", "  wwRRwwRR", "      wRRR"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]); i++) {
		size_t looks = look_before_each_event(drawings[i]);

		assert_true(looks > 10);
		for (tap.end = 0; tap.end < looks; tap.end++) {
			struct event_source *source = drawing_source(drawings[i]);
			struct profile *so_far = &tap.profiles[tap.end], cut;
			struct err err = {.text = ""};

			tap.given = 0;
			source->next = next_or_end;
			if (profile_init(&cut, source, &tree, DRAWING_STEP_NS, &err)) {
				assert_int_equal(so_far->thread_count, 0);
			} else {
				assert_same_profile(so_far, &cut);
				profile_release(&cut);
			}
			profile_release(so_far);
			event_source_free(source);
		}
	}
	free(tap.profiles);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_thread_has_its_time_in_each_state),
	cmocka_unit_test(all_threads_together_have_sums),
	cmocka_unit_test(the_time_before_the_first_change_counts),
	cmocka_unit_test(switches_and_wakes_are_counted),
	cmocka_unit_test(the_states_of_a_thread_add_up_to_its_life),
	cmocka_unit_test(active_time_of_all_threads_is_the_area_below_the_levels),
	cmocka_unit_test(intervals_are_made_on_request),
	cmocka_unit_test(cores_are_the_affinity_or_the_cpus_seen),
	cmocka_unit_test(counts_belong_to_the_threads),
	cmocka_unit_test(the_profile_has_the_quality_of_the_data),
	cmocka_unit_test(a_trace_without_the_target_is_refused_with_a_sentence),
	cmocka_unit_test(the_mean_is_of_more_than_half_of_the_time_of_threads),
	cmocka_unit_test(a_profile_so_far_is_that_of_a_trace_that_ends_there),
};

TEST_FILE(tests);
