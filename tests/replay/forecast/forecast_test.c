/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/steps.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* Recorded on one core: .5 s alone, and for each of two threads .5 s under a lock and .5 s without
 * it. */
static const char two[] = "m: 500ms fork(a) fork(b) join(a) join(b)\n"
			  "a: lock(l) 500ms unlock(l) 500ms\n"
			  "b: lock(l) 500ms unlock(l) 500ms\n";

static const uint64_t on[] = {1, 2};
#define CHANGE(text_, site_, ...)                                                            \
	{                                                                                    \
		.text = (text_), .site = (char[]){site_}, .shares = (double[]){__VA_ARGS__}, \
		.share_count = sizeof((double[]){__VA_ARGS__}) / sizeof(double)              \
	}

static struct forecast_change free_lock = CHANGE("lock 0=0", "0", 0);
static struct forecast_change lock_list = CHANGE("0=0,50%", "0", 0, .5);
static struct forecast_change twice[] = {CHANGE("0=0", "0", 0), CHANGE("0=.5", "0", .5)};
static struct forecast_change unequal[] = {CHANGE("0=0,.2", "0", 0, .2),
					   CHANGE("1=0,1,.5", "1", 0, 1, .5)};
static struct forecast_change nowhere = CHANGE("7=0", "7", 0);

struct made {
	struct program program;
	struct profile profile;
	struct event_source source;
	struct forecast forecast;
	struct err err;
	int rc;
};

static void make_from(struct made *made, struct forecast_request request, bool has_wakes,
		      uint64_t wall_ns)
{
	static uint64_t level_ns[] = {0, 500000000, 2000000000};

	*made = (struct made){
		.source.counts = made->source.counts,
		.profile.levels = {.wall_ns = level_ns, .max_active = 2, .total_ns = 2500000000}};
	steps_read(&made->program, two);
	made->program.has_wakes = has_wakes;
	made->program.wall_ns = wall_ns;
	made->program.shares.run_ns = 2500000000;
	request.measured_cores = 1;
	request.cores = on;
	request.count = 2;
	made->rc = forecast_make(&made->forecast, &request, &made->program, &made->profile,
				 &made->source, &made->err);
}

static void make(struct made *made, struct forecast_request request, bool has_wakes)
{
	make_from(made, request, has_wakes, 2500000000);
}

static void release(struct made *made)
{
	forecast_release(&made->forecast);
	program_release(&made->program);
}

static void the_closed_form_needs_no_replay(void **state)
{
	struct made made = {0};

	(void)state;
	make(&made, (struct forecast_request){.model = FORECAST_CLOSED_FORM}, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.shown);
	assert_null(made.forecast.reason);
	assert_false(made.forecast.judged);
	release(&made);
}

static void without_wakes_the_closed_form_answers_with_a_reason(void **state)
{
	struct made made = {0};

	(void)state;
	make(&made, (struct forecast_request){.model = FORECAST_ANY}, false);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.shown);
	assert_true(made.forecast.judged);
	assert_string_equal(made.forecast.reason, validity_words(VALIDITY_WAKES)->fails);
	release(&made);
}

static void a_question_without_an_answer_is_refused(void **state)
{
	static const struct {
		struct forecast_request request;
		bool has_wakes;
		const char *sentence;
	} cases[] = {
		{{.model = FORECAST_REPLAY}, false, "--model replay needs a replay: "},
		{{.why = true}, false, "--why needs a replay: The recording has no wakeups"},
		{{.changes = &free_lock, .change_count = 1}, false, "--what-if needs a replay: "},
		{{.usl = true}, false, "--usl needs a replay: "},
		{{.model = FORECAST_REPLAY, .usl = true}, true, "--usl: "},
		{{.changes = unequal, .change_count = 2},
		 true,
		 "--what-if 0=0,.2: has 2 values, and another one has 3"},
		{{.model = FORECAST_REPLAY, .changes = twice, .change_count = 2},
		 true,
		 "--what-if 0=.5: 'l' is named twice"},
		{{.model = FORECAST_REPLAY, .changes = &nowhere, .change_count = 1},
		 true,
		 "--what-if 7=0: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made made = {0};

		make(&made, cases[i].request, cases[i].has_wakes);
		assert_int_equal(made.rc, -1);
		if (strncmp(made.err.text, cases[i].sentence, strlen(cases[i].sentence)))
			fail_msg("case %zu: %s", i, made.err.text);
		release(&made);
	}
}

/* On two cores 2 s with the lock, and 1.5 s if it excludes no thread. */
static void one_call_answers_all_questions(void **state)
{
	const struct forecast_request request = {.model = FORECAST_REPLAY,
						 .listed = true,
						 .why = true,
						 .changes = &free_lock,
						 .change_count = 1};
	const struct forecast_request plain = {.model = FORECAST_REPLAY, .why = true};
	struct made made = {0};

	(void)state;
	make(&made, request, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.reason);
	assert_close(forecast_points_find(made.forecast.unchanged, 2)->wall_s, 2, 1e-6);
	assert_close(forecast_points_find(made.forecast.shown, 2)->wall_s, 1.5, 1e-6);
	assert_int_equal(made.forecast.what_ifs[0].changes[0].site, 0);
	assert_string_equal(made.forecast.what_ifs[0].text, "l=0%");
	assert_int_equal(made.forecast.why->count, 2);
	assert_null(made.forecast.usl);
	release(&made);

	make(&made, plain, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.unchanged);
	assert_close(forecast_points_find(made.forecast.shown, 2)->wall_s, 2, 1e-6);
	assert_int_equal(made.forecast.why->count, 1); /* on the most cores */
	assert_int_equal(made.forecast.why->points[0].cores, 2);
	release(&made);
}

/* Half of the wait of .5 s for the lock is left, or none. */
static void a_list_of_values_makes_as_many_what_ifs(void **state)
{
	struct made made = {0};

	(void)state;
	make(&made,
	     (struct forecast_request){
		     .model = FORECAST_REPLAY, .changes = &lock_list, .change_count = 1},
	     true);
	assert_int_equal(made.rc, 0);
	assert_int_equal(made.forecast.what_if_count, 2);
	assert_int_equal(made.forecast.row_count, 4);
	assert_string_equal(made.forecast.rows[1].what_if, "l=0%");
	assert_close(made.forecast.rows[1].wall_s, 1.5, 1e-6);
	assert_close(made.forecast.rows[1].unchanged_s, 2, 1e-6);
	assert_string_equal(made.forecast.rows[3].what_if, "l=50%");
	assert_int_equal(made.forecast.rows[3].cores, 2);
	assert_close(made.forecast.rows[3].wall_s, 1.75, 1e-6);
	assert_close(made.forecast.rows[3].unchanged_s, 2, 1e-6);
	assert_true(isnan(made.forecast.gain.limit_s));
	release(&made);
}

/* Too short, or with another wall time than its replay: the same answer with and without --why. */
static void a_doubtful_replay_gives_one_answer_to_every_question(void **state)
{
	static const struct {
		uint64_t wall_ns;
		enum validity_condition doubt;
	} cases[] = {{50000000, VALIDITY_LENGTH}, {3000000000, VALIDITY_REPEATS}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *doubt = validity_words(cases[i].doubt)->fails;
		struct made plain = {0}, why = {0};

		make_from(&plain, (struct forecast_request){.discrepancy = .1}, true,
			  cases[i].wall_ns);
		make_from(&why, (struct forecast_request){.why = true}, true, cases[i].wall_ns);
		assert_int_equal(plain.rc, 0);
		assert_int_equal(why.rc, 0);
		assert_null(plain.forecast.reason);
		assert_string_equal(plain.forecast.doubt, doubt);
		assert_string_equal(why.forecast.doubt, doubt);
		assert_non_null(why.forecast.why);
		for (size_t j = 0; j < 2; j++)
			assert_close(plain.forecast.rows[j].wall_s, why.forecast.rows[j].wall_s, 0);
		assert_true(plain.forecast.rows[1].lo_s < plain.forecast.rows[1].closed_form_s);
		assert_true(plain.forecast.rows[1].hi_s > plain.forecast.rows[1].closed_form_s);
		release(&plain);
		release(&why);
	}
}

/* The part under the lock is a chain of 1 s; .5 s come before it, and .5 s after it. */
static void the_gain_and_its_limit_are_known(void **state)
{
	struct made made = {0};

	(void)state;
	make(&made, (struct forecast_request){.model = FORECAST_REPLAY}, true);
	assert_int_equal(made.rc, 0);
	assert_int_equal(made.forecast.gain.best->cores, 2);
	assert_int_equal(made.forecast.gain.fewest->cores, 1);
	assert_int_equal(made.forecast.gain.most->cores, 2);
	assert_false(made.forecast.gain.beyond);
	assert_close(made.forecast.gain.limit_s, 2, 1e-6);
	assert_int_equal(made.forecast.bottleneck.kind, BOTTLENECK_LOCK);
	assert_close(made.forecast.bottleneck.held_s, 1, 1e-6);
	assert_close(made.forecast.bottleneck.eased_s, 1.5, 1e-6);
	assert_close(made.forecast.rows[0].recorded_s, 2.5, 1e-9);
	assert_true(isnan(made.forecast.rows[1].recorded_s));
	release(&made);

	make(&made, (struct forecast_request){.model = FORECAST_CLOSED_FORM}, true);
	assert_int_equal(made.forecast.gain.best->cores, 2);
	assert_close(made.forecast.gain.limit_s, 1.5, 1e-6);
	assert_false(made.forecast.gain.beyond);
	assert_int_equal(made.forecast.bottleneck.kind, BOTTLENECK_NONE);
	assert_close(made.forecast.busy_share, 1, 1e-9);
	release(&made);
}

/* The program fills its core, and gains on two. */
static void a_gain_without_counters_rests_on_an_assumption(void **state)
{
	static struct counter counters[] = {{.config = PERF_COUNT_HW_INSTRUCTIONS},
					    {.config = PERF_COUNT_HW_CACHE_MISSES}};
	static const struct {
		uint64_t misses; /* in 1e6 instructions; 0: not counted */
		const char *slowdown;
		bool assumes;
		enum validity_answer answer;
	} cases[] = {{0, NULL, true, VALIDITY_UNKNOWN},
		     {0, "memory", false, VALIDITY_UNKNOWN},
		     {9000, NULL, false, VALIDITY_HOLDS},
		     {11000, NULL, false, VALIDITY_FAILS}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct count rows[] = {{.counter = 0, .value = 1000000},
				       {.counter = 1, .value = cases[i].misses}};
		struct made made = {.source.counts = {.counters = counters,
						      .counter_count = 2,
						      .rows = rows,
						      .row_count = cases[i].misses ? 2 : 1}};

		make(&made,
		     (struct forecast_request){.model = FORECAST_REPLAY,
					       .slowdown_text = cases[i].slowdown},
		     true);
		assert_int_equal(made.rc, 0);
		assert_int_equal(made.forecast.assumes_work, cases[i].assumes);
		assert_int_equal(made.forecast.validity.findings[VALIDITY_MEMORY].answer,
				 cases[i].answer);
		release(&made);
	}
}

static void default_cores_are_powers_of_two_and_those_of_the_recording(void **state)
{
	static const struct {
		size_t max_active;
		uint64_t recorded, cores[FORECAST_DEFAULT_CORES];
	} rows[] = {
		{1, 2, {1, 2, 4, 8}},	       {8, 0, {1, 2, 4, 8}},	   {5, 6, {1, 2, 4, 6, 8}},
		{9, 64, {1, 2, 4, 8, 16, 64}}, {16, 16, {1, 2, 4, 8, 16}},
	};
	uint64_t cores[FORECAST_DEFAULT_CORES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct level_times levels = {.max_active = rows[i].max_active};
		size_t count = forecast_default_cores(cores, &levels, rows[i].recorded);

		for (size_t k = 0; k < count; k++)
			assert_int_equal(cores[k], rows[i].cores[k]);
		assert_true(count == FORECAST_DEFAULT_CORES || !rows[i].cores[count]);
	}
	assert_int_equal(
		forecast_default_cores(cores, &(struct level_times){.max_active = 1 << 30}, 3),
		FORECAST_DEFAULT_CORES);
	assert_int_equal(cores[FORECAST_DEFAULT_CORES - 1], 1 << 19);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_gain_without_counters_rests_on_an_assumption),
	cmocka_unit_test(default_cores_are_powers_of_two_and_those_of_the_recording),
	cmocka_unit_test(the_closed_form_needs_no_replay),
	cmocka_unit_test(without_wakes_the_closed_form_answers_with_a_reason),
	cmocka_unit_test(a_question_without_an_answer_is_refused),
	cmocka_unit_test(one_call_answers_all_questions),
	cmocka_unit_test(a_list_of_values_makes_as_many_what_ifs),
	cmocka_unit_test(a_doubtful_replay_gives_one_answer_to_every_question),
	cmocka_unit_test(the_gain_and_its_limit_are_known),
};

TEST_FILE(tests);
