/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/steps.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <string.h>

/* Recorded on one core: .5 s alone, and .5 s each of two under a lock and .5 s each without it. */
static const char two[] = "m: 500ms fork(a) fork(b) join(a) join(b)\n"
			  "a: lock(l) 500ms unlock(l) 500ms\n"
			  "b: lock(l) 500ms unlock(l) 500ms\n";

static const uint64_t on[] = {1, 2};
static struct forecast_change free_lock = {.text = "lock 0=0", .site = (char[]){"0"}, .share = 0};
static struct forecast_change twice[] = {{.text = "0=0", .site = (char[]){"0"}, .share = 0},
					 {.text = "0=.5", .site = (char[]){"0"}, .share = .5}};
static struct forecast_change nowhere = {.text = "7=0", .site = (char[]){"7"}, .share = 0};

struct made {
	struct program program;
	struct profile profile;
	struct event_source source;
	struct forecast forecast;
	struct err err;
	int rc;
};

static void make(struct made *made, struct forecast_request request, bool has_wakes)
{
	static uint64_t wall_ns[] = {0, 500000000, 2000000000};

	*made = (struct made){
		.profile.levels = {.wall_ns = wall_ns, .max_active = 2, .total_ns = 2500000000}};
	steps_read(&made->program, two);
	made->program.has_wakes = has_wakes;
	made->program.wall_ns = 2500000000;
	made->program.shares.run_ns = 2500000000;
	request.measured_cores = 1;
	request.cores = on;
	request.count = 2;
	made->rc = forecast_make(&made->forecast, &request, &made->program, &made->profile,
				 &made->source, &made->err);
}

static void release(struct made *made)
{
	forecast_release(&made->forecast);
	program_release(&made->program);
}

static void the_closed_form_needs_no_replay(void **state)
{
	struct made made;

	(void)state;
	make(&made, (struct forecast_request){.model = FORECAST_CLOSED_FORM}, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.shown);
	assert_null(made.forecast.reason);
	assert_false(made.forecast.judged);
	release(&made);
}

static void without_wakes_the_closed_form_answers_and_says_why(void **state)
{
	struct made made;

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
		{{.model = FORECAST_REPLAY}, false, "--model replay: cannot say: "},
		{{.why = true}, false, "--why: cannot say: the recording holds no wakes"},
		{{.changes = &free_lock, .change_count = 1}, false, "--what-if: cannot say: "},
		{{.usl = true}, false, "--usl: cannot say: "},
		{{.model = FORECAST_REPLAY, .usl = true}, true, "--usl: cannot say: "},
		{{.model = FORECAST_REPLAY, .changes = twice, .change_count = 2},
		 true,
		 "--what-if 0=.5: this site is named twice"},
		{{.model = FORECAST_REPLAY, .changes = &nowhere, .change_count = 1},
		 true,
		 "--what-if 7=0: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made made;

		make(&made, cases[i].request, cases[i].has_wakes);
		assert_int_equal(made.rc, -1);
		if (strncmp(made.err.text, cases[i].sentence, strlen(cases[i].sentence)))
			fail_msg("case %zu: %s", i, made.err.text);
		release(&made);
	}
}

/* On two cores 2 s with the lock, and 1.5 s where it excludes nobody. */
static void all_questions_are_answered_in_one_call(void **state)
{
	const struct forecast_request request = {.model = FORECAST_REPLAY,
						 .listed = true,
						 .why = true,
						 .changes = &free_lock,
						 .change_count = 1};
	const struct forecast_request plain = {.model = FORECAST_REPLAY, .why = true};
	struct made made;

	(void)state;
	make(&made, request, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.reason);
	assert_close(forecast_points_find(made.forecast.unchanged, 2)->wall_s, 2, 1e-6);
	assert_close(forecast_points_find(made.forecast.shown, 2)->wall_s, 1.5, 1e-6);
	assert_int_equal(made.forecast.what_ifs[0].site, 0);
	assert_int_equal(made.forecast.why->count, 2);
	assert_null(made.forecast.usl);
	release(&made);

	make(&made, plain, true);
	assert_int_equal(made.rc, 0);
	assert_null(made.forecast.unchanged);
	assert_close(forecast_points_find(made.forecast.shown, 2)->wall_s, 2, 1e-6);
	assert_int_equal(made.forecast.why->count, 1); /* on that of the recording */
	release(&made);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_closed_form_needs_no_replay),
	cmocka_unit_test(without_wakes_the_closed_form_answers_and_says_why),
	cmocka_unit_test(a_question_without_an_answer_is_refused),
	cmocka_unit_test(all_questions_are_answered_in_one_call),
};

TEST_FILE(tests);
