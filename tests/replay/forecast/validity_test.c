/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/validity.h"

#include "draw/steps.h"
#include "replay/forecast/forecast_points.h"
#include "replay/program/spin.h"
#include "support.h"

/* A program that meets all conditions. */
static void good_program(struct program *program)
{
	*program = (struct program){0};
	program_add_thread(program, 1, 1, "a");
	for (int i = 0; i < 100; i++)
		program_add_step(program, 0, 10000000, STEP_NONE);
	program->wall_ns = 1000000000;
	program->has_wakes = true;
	program->shares = (struct program_shares){
		.run_ns = 1000000000, .edge_ns = 500, .waits = 100, .edges = 100};
}

/* The first condition that fails for a good program after `change`; -1: none. */
static int judged(void (*change)(struct program *program, struct quality *quality), double self_s)
{
	struct forecast_point points[] = {{.cores = 1, .wall_s = 1}};
	const struct forecast_points replayed = {.points = points,
						 .count = 1,
						 .recorded_cores = 1,
						 .recorded_s = 1,
						 .self_s = self_s};
	struct quality quality = {0};
	struct program program;
	struct validity validity;

	good_program(&program);
	if (change)
		change(&program, &quality);
	validity_init(&validity, &program, &quality, 0);
	validity_add_replay(&validity, &program, &replayed);
	program_release(&program);
	return validity_objection(&validity);
}

static void lose_wakes(struct program *program, struct quality *quality)
{
	(void)quality;
	program->has_wakes = false;
}

static void lose_records(struct program *program, struct quality *quality)
{
	(void)program;
	quality->lost = 1;
}

static void shorten(struct program *program, struct quality *quality)
{
	(void)quality;
	program->wall_ns = 10000000;
}

static void forget(struct program *program, struct quality *quality)
{
	(void)quality;
	program->shares.unknown_ns = program->shares.unsure_ns = 1000000000;
}

static void guess(struct program *program, struct quality *quality)
{
	(void)quality;
	program->shares.guessed = 6;
}

static void wait_outside(struct program *program, struct quality *quality)
{
	(void)quality;
	program->shares.external_ns = 1000;
}

static void a_replay_is_trusted_unless_a_condition_fails(void **state)
{
	static const struct {
		void (*change)(struct program *program, struct quality *quality);
		double self_s;
		int want;
	} cases[] = {
		{NULL, 1, -1},
		{lose_wakes, 1, VALIDITY_WAKES},
		{lose_records, 1, VALIDITY_COMPLETE},
		{shorten, 1, VALIDITY_LENGTH},
		{forget, 1, VALIDITY_KNOWN},
		{guess, 1, VALIDITY_CERTAIN},
		{wait_outside, 1, -1},
		{NULL, 1.09, -1},
		{NULL, 1.11, VALIDITY_REPEATS},
		{NULL, .89, VALIDITY_REPEATS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(judged(cases[i].change, cases[i].self_s), cases[i].want);
}

static void loops_of_sched_yield_are_polls_and_calls_may_tell_their_condition(void **state)
{
	static const struct {
		double share;
		uint64_t call_ns;
		int want;
		bool advises;
	} cases[] = {{.04, 0, -1, false},
		     {.3, 0, VALIDITY_POLLS, true},
		     {.3, 100, VALIDITY_POLLS, false}};
	struct forecast_point points[] = {{.cores = 1, .wall_s = 1}};
	const struct quality quality = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct forecast_points replayed = {.points = points,
							 .count = 1,
							 .recorded_cores = 1,
							 .recorded_s = 1,
							 .loops_share = cases[i].share,
							 .self_s = 1};
		struct program program;
		struct validity validity;

		good_program(&program);
		program.costs.call_ns = cases[i].call_ns;
		validity_init(&validity, &program, &quality, 0);
		validity_add_replay(&validity, &program, &replayed);
		assert_int_equal(validity_objection(&validity), cases[i].want);
		assert_close(validity.findings[VALIDITY_POLLS].value, cases[i].share, 1e-9);
		assert_int_equal(validity_advice(&validity, VALIDITY_POLLS) != NULL,
				 cases[i].advises);
		assert_int_equal(validity_asks_for_calls(&validity), cases[i].advises);
		program_release(&program);
	}
}

static void calls_are_asked_for_if_they_can_be_recorded(void **state)
{
	static const struct {
		bool library, other, unused, asks;
	} cases[] = {{true, false, false, true},
		     {true, true, false, true},
		     {false, true, false, false},
		     {false, false, false, true},
		     {true, false, true, false}};
	const struct quality quality = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct validity validity;

		good_program(&program);
		program_add_site(&program, SITE_FUTEX);
		program_add_site(&program, SITE_FUTEX);
		program.sites[0].waits_as_mutex = cases[i].library;
		program.sites[1].waits_as_mutex = program.sites[1].hides_calls = cases[i].other;
		validity_init(&validity, &program, &quality, 0);
		validity.locks_unused = cases[i].unused;
		assert_false(validity_asks_for_calls(&validity));
		validity.findings[VALIDITY_LOCKS].answer = VALIDITY_FAILS;
		assert_int_equal(validity_asks_for_calls(&validity), cases[i].asks);
		program_release(&program);
	}
}

static void a_replay_that_depends_on_timed_waits_is_not_trusted(void **state)
{
	static const struct {
		double share;
		int want;
	} cases[] = {{0, -1}, {.05, -1}, {.06, VALIDITY_POLLS}};
	const struct quality quality = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_point points[] = {{.cores = 1, .wall_s = 1}};
		const struct forecast_points replayed = {.points = points,
							 .count = 1,
							 .recorded_cores = 1,
							 .recorded_s = 1,
							 .polls_share = cases[i].share,
							 .self_s = 1};
		struct program program;
		struct validity validity;

		good_program(&program);
		validity_init(&validity, &program, &quality, 0);
		validity_add_replay(&validity, &program, &replayed);
		assert_int_equal(validity_objection(&validity), cases[i].want);
		program_release(&program);
	}
}

static void lock_waits_matter_if_more_cores_gain(void **state)
{
	static const struct {
		uint64_t recorded, lock_waits, preempted;
		double share, on_eight_s;
		int want;
	} cases[] = {
		{2, 100, 0, .05, .5, -1},
		{2, 100, 0, .06, .5, VALIDITY_LOCKS},
		{2, 100, 0, .06, .96, VALIDITY_LOCKS},
		{2, 100, 0, .06, .98, -1},
		{2, 100, 0, .06, 1.2, -1},
		{8, 100, 0, .06, .5, -1},
		{1, 50, 0, .01, .5, -1},
		{1, 51, 0, .01, .5, VALIDITY_CONTENTION},
		{1, 250, 0, .01, .5, VALIDITY_CONTENTION}, /* handovers can outnumber the waits */
		{1, 51, 0, .01, .98, -1},
		/* Seven other cores hold the lock for a quarter of the time, or for more. */
		{1, 100, 4 * 7 * 100, .01, .5, -1},
		{1, 100, 4 * 7 * 100 - 1, .01, .5, VALIDITY_CONTENTION},
	};
	const struct quality quality = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct forecast_point points[] = {{.cores = 1, .wall_s = 1},
						  {.cores = 2, .wall_s = 1},
						  {.cores = 8, .wall_s = cases[i].on_eight_s}};
		const struct forecast_points replayed = {.points = points,
							 .count = 3,
							 .recorded_cores = cases[i].recorded,
							 .recorded_s = 1,
							 .lock_waits = cases[i].lock_waits,
							 .locks_share = cases[i].share,
							 .self_s = 1};
		struct program program;
		struct validity validity;

		good_program(&program);
		program.shares.preempted = cases[i].preempted;
		validity_init(&validity, &program, &quality, 0);
		validity_add_replay(&validity, &program, &replayed);
		assert_int_equal(validity_objection(&validity), cases[i].want);
		program_release(&program);
	}
}

static void presumed_waits_at_barriers_are_few_or_reported(void **state)
{
	static const struct {
		uint64_t presumed;
		enum validity_answer answer;
	} cases[] = {{0, VALIDITY_HOLDS}, {5, VALIDITY_HOLDS}, {6, VALIDITY_FAILS}};
	const struct quality quality = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct recognised recognised = {.presumed = cases[i].presumed,
						      .extent = RECOGNISE_ALL};
		struct program program;
		struct validity validity;

		good_program(&program);
		validity_init(&validity, &program, &quality, 0);
		validity_add_recognised(&validity, &program, &recognised);
		assert_int_equal(validity.findings[VALIDITY_BARRIERS].answer, cases[i].answer);
		assert_int_equal(validity_objection(&validity), -1);
		program_release(&program);
	}
}

static void every_condition_has_its_words(void **state)
{
	(void)state;
	for (enum validity_condition i = 0; i < VALIDITY_CONDITIONS; i++) {
		assert_non_null(validity_words(i)->key);
		assert_non_null(validity_words(i)->what);
		assert_non_null(validity_words(i)->fails);
	}
}

static void calls_that_slow_a_program_down_are_reported(void **state)
{
	static const struct {
		double calls_s;
		enum validity_answer want;
	} cases[] = {{0, VALIDITY_HOLDS}, {.1, VALIDITY_HOLDS}, {.12, VALIDITY_FAILS}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct forecast_points replay = {.recorded_s = 1,
						       .self_s = 1,
						       .calls_s = cases[i].calls_s,
						       .bounds = {.work_ns = 1000000000}};
		struct validity validity;
		struct program program;
		struct quality quality = {0};

		good_program(&program);
		validity_init(&validity, &program, &quality, 0);
		validity_add_replay(&validity, &program, &replay);
		assert_int_equal(validity.findings[VALIDITY_COSTS].answer, cases[i].want);
		program_release(&program);
	}
}

static void all_kinds_of_missing_records_count(void **state)
{
	static const struct quality cases[] = {
		{.lost = 1}, {.late = 1}, {.missed_wakes = 1}, {.clock_back = 1}};
	struct program program;
	struct validity validity;

	(void)state;
	good_program(&program);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		validity_init(&validity, &program, &cases[i], 0);
		assert_int_equal(validity.findings[VALIDITY_COMPLETE].answer, VALIDITY_FAILS);
		assert_int_equal(validity_objection(&validity), VALIDITY_COMPLETE);
	}
	program_release(&program);
}

static void conditions_without_evidence_stay_open(void **state)
{
	const struct quality quality = {0};
	struct program program;
	struct validity validity;

	(void)state;
	good_program(&program);
	validity_init(&validity, &program, &quality, .5);
	assert_int_equal(validity.findings[VALIDITY_THREADS].answer, VALIDITY_UNKNOWN);
	assert_int_equal(validity.findings[VALIDITY_SPINNING].answer, VALIDITY_UNKNOWN);
	assert_int_equal(validity.findings[VALIDITY_REPEATS].answer, VALIDITY_UNKNOWN);
	assert_int_equal(validity.findings[VALIDITY_ALONE].answer, VALIDITY_FAILS);
	assert_int_equal(validity_objection(&validity), -1);
	program_release(&program);
}

static void samples_and_calls_tell_if_threads_spin(void **state)
{
	static const struct {
		struct spun spun;
		bool as_waits;
		enum validity_answer answer;
	} cases[] = {
		{{.share = {.samples = 0}}, false, VALIDITY_UNKNOWN},
		{{.share = {.samples = 149}}, false, VALIDITY_UNKNOWN},
		{{.share = {.samples = 150}}, false, VALIDITY_HOLDS},
		{{.share = {.samples = 1000, .waiting = 20}}, false, VALIDITY_HOLDS},
		{{.share = {.samples = 1000, .waiting = 21}}, false, VALIDITY_FAILS},
		{{.share = {.samples = 10, .waiting = 9}}, false, VALIDITY_FAILS},
		{{.share = {.samples = 1000, .unknown = 21}}, false, VALIDITY_UNKNOWN},
		{{.share = {.samples = 1000, .waiting = 500}}, true, VALIDITY_HOLDS},
		/* of calls that yield, only too many are known */
		{{.yielded = {.calls = 9, .waiting_ns = 21, .run_ns = 1000}},
		 false,
		 VALIDITY_FAILS},
		{{.yielded = {.calls = 9, .waiting_ns = 20, .run_ns = 1000}},
		 false,
		 VALIDITY_UNKNOWN},
		{{.yielded = {.calls = 9, .waiting_ns = 21, .run_ns = 1000}},
		 true,
		 VALIDITY_UNKNOWN},
		/* both: the share is no less than either, and no more than their sum */
		{{.share = {.samples = 1000, .waiting = 10},
		  .yielded = {.calls = 9, .waiting_ns = 10, .run_ns = 1000}},
		 false,
		 VALIDITY_HOLDS},
		{{.share = {.samples = 1000, .waiting = 10},
		  .yielded = {.calls = 9, .waiting_ns = 11, .run_ns = 1000}},
		 false,
		 VALIDITY_UNKNOWN},
		{{.share = {.samples = 1000, .waiting = 10},
		  .yielded = {.calls = 9, .waiting_ns = 21, .run_ns = 1000}},
		 false,
		 VALIDITY_FAILS},
		{{.share = {.samples = 1000, .waiting = 10},
		  .yielded = {.calls = 9, .waiting_ns = 21, .run_ns = 1000}},
		 true,
		 VALIDITY_HOLDS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct validity validity = {.findings[VALIDITY_SPINNING].answer = VALIDITY_UNKNOWN};

		validity_add_spin(&validity, &cases[i].spun, cases[i].as_waits);
		assert_int_equal(validity.findings[VALIDITY_SPINNING].answer, cases[i].answer);
	}
}

/* In unknown time a thread may have been on a core. */
static void unknown_time_does_not_tell_which_program_had_the_cores(void **state)
{
	const struct quality quality = {0};
	struct program program;
	struct validity validity;

	(void)state;
	good_program(&program);
	forget(&program, NULL);
	validity_init(&validity, &program, &quality, .5);
	assert_int_equal(validity.findings[VALIDITY_ALONE].answer, VALIDITY_UNKNOWN);
	program.shares.unsure_ns = program.shares.run_ns / 2; /* they had a quarter at least */
	validity_init(&validity, &program, &quality, .5);
	assert_int_equal(validity.findings[VALIDITY_ALONE].answer, VALIDITY_FAILS);
	program.shares.unknown_ns = program.shares.unsure_ns = 0;
	validity_init(&validity, &program, &quality, .5);
	assert_int_equal(validity.findings[VALIDITY_ALONE].answer, VALIDITY_FAILS);
	program_release(&program);
}

static void answers_are_counted(void **state)
{
	struct validity validity = {0};

	(void)state;
	assert_int_equal(validity_count(&validity, VALIDITY_HOLDS), VALIDITY_CONDITIONS);
	validity.findings[VALIDITY_ALONE].answer = VALIDITY_FAILS;
	validity.findings[VALIDITY_THREADS].answer = VALIDITY_UNKNOWN;
	validity.findings[VALIDITY_SPINNING].answer = VALIDITY_UNKNOWN;
	assert_int_equal(validity_count(&validity, VALIDITY_HOLDS), VALIDITY_CONDITIONS - 3);
	assert_int_equal(validity_count(&validity, VALIDITY_FAILS), 1);
	assert_int_equal(validity_count(&validity, VALIDITY_UNKNOWN), 2);
}

/* Threads were ready on idle CPUs: an idle machine would not help. */
static void a_limit_of_cpu_time_is_distinguished_from_other_programs(void **state)
{
	static const struct {
		double others, lacked;
		bool withheld;
	} cases[] = {
		{0, .04, false}, {0, .5, true}, {.5, .5, false}, {.5, .6, false}, {.2, .5, true}};
	const struct quality quality = {0};
	struct validity validity;
	struct program program;

	(void)state;
	good_program(&program);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *advice;

		validity_init(&validity, &program, &quality, cases[i].others);
		validity_add_lacked(&validity, cases[i].lacked);
		advice = validity_advice(&validity, VALIDITY_REPEATS);
		assert_int_equal(strstr(advice, "cgroup") != NULL, cases[i].withheld);
		assert_null(strchr(".?", advice[strlen(advice) - 1])); /* a full stop follows */
		assert_int_equal(strstr(advice, "Record it again") != NULL, !cases[i].withheld);
	}
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_limit_of_cpu_time_is_distinguished_from_other_programs),
	cmocka_unit_test(answers_are_counted),
	cmocka_unit_test(a_replay_is_trusted_unless_a_condition_fails),
	cmocka_unit_test(loops_of_sched_yield_are_polls_and_calls_may_tell_their_condition),
	cmocka_unit_test(calls_are_asked_for_if_they_can_be_recorded),
	cmocka_unit_test(a_replay_that_depends_on_timed_waits_is_not_trusted),
	cmocka_unit_test(lock_waits_matter_if_more_cores_gain),
	cmocka_unit_test(presumed_waits_at_barriers_are_few_or_reported),
	cmocka_unit_test(every_condition_has_its_words),
	cmocka_unit_test(calls_that_slow_a_program_down_are_reported),
	cmocka_unit_test(all_kinds_of_missing_records_count),
	cmocka_unit_test(conditions_without_evidence_stay_open),
	cmocka_unit_test(samples_and_calls_tell_if_threads_spin),
	cmocka_unit_test(unknown_time_does_not_tell_which_program_had_the_cores),
};

TEST_FILE(tests);
