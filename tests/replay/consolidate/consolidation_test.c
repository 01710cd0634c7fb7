/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/consolidate/consolidation.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/random_program.h"
#include "draw/steps.h"
#include "replay/forecast/forecast.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A program that was recorded on one core for so long, and its forecast. */
struct run {
	struct program program;
	struct profile profile;
	uint64_t level_ns[2];
	struct event_source source;
	struct forecast forecast;
};

static const uint64_t some_cores[] = {1, 2, 3, 4};
enum { SOME_CORES = sizeof(some_cores) / sizeof(*some_cores) };

/* No thread is ready outside of CPU time; 0: the wall time is unknown. */
static void make_forecast(struct run *run, uint64_t wall_ns, const uint64_t *cores, size_t count)
{
	const struct forecast_request request = {
		.measured_cores = 1, .cores = cores, .count = count, .bare = true};
	uint64_t work_ns = program_work_ns(&run->program);
	struct err err;

	run->level_ns[0] = wall_ns > work_ns ? wall_ns - work_ns : 1;
	run->level_ns[1] = work_ns;
	run->profile.levels.wall_ns = run->level_ns;
	run->profile.levels.total_ns = run->level_ns[0] + run->level_ns[1];
	run->profile.levels.max_active = 1;
	run->program.wall_ns = wall_ns;
	run->program.has_wakes = true;
	run->program.shares.run_ns = work_ns;
	if (forecast_make(&run->forecast, &request, &run->program, &run->profile, &run->source,
			  &err))
		fail_msg("%s", err.text);
}

static void run_text(struct run *run, const char *text, uint64_t wall_ms)
{
	*run = (struct run){0};
	steps_read(&run->program, text);
	run->program.costs.wakes_preempt = true;
	run->source.target.online_count = 1;
	make_forecast(run, wall_ms * 1000000, some_cores, SOME_CORES);
}

static void release_run(struct run *run)
{
	forecast_release(&run->forecast);
	program_release(&run->program);
}

/* Two threads, of which one has the lock. */
#define LOCKED "a: lock(m) 40ms unlock(m)\nb: lock(m) 40ms unlock(m)\n"

static const struct {
	const char *what, *first, *second;
	uint64_t cores;
	double alone_ms[2], together_ms[2], taken_ms[2], both_ms, in_turn_ms;
} on_paper[] = {
	{"on one core each takes twice as long, until the shorter one ends",
	 "a: 60ms",
	 "b: 120ms",
	 1,
	 {60, 120},
	 {120, 180},
	 {60, 60},
	 180,
	 180},
	{"on two cores nothing changes",
	 "a: 60ms",
	 "b: 120ms",
	 2,
	 {60, 120},
	 {60, 120},
	 {0, 0},
	 120,
	 180},
	{"two threads have twice the CPU time of one",
	 "a: 60ms\nb: 60ms",
	 "c: 60ms",
	 1,
	 {120, 60},
	 {180, 180},
	 {120, 60},
	 180,
	 180},
	{"a program that sleeps leaves its core to the other",
	 "a: sleep(200ms) 50ms",
	 "b: 150ms",
	 1,
	 {250, 150},
	 {250, 150},
	 {0, 0},
	 250,
	 400},
	{"threads of which one has a lock need one core",
	 LOCKED,
	 "c: 80ms",
	 2,
	 {80, 80},
	 {80, 80},
	 {0, 0},
	 80,
	 160},
	{"a lock of one is none of the other",
	 LOCKED,
	 LOCKED,
	 2,
	 {80, 80},
	 {80, 80},
	 {0, 0},
	 80,
	 160},
	{"tokens, barriers, wakes, forks and joins go to the own program",
	 "m: fork(w) 30ms give(q) wake(w,0) barrier(x:2) join(w)\n"
	 "w: take(q) block(0) 30ms barrier(x:2)",
	 "m: 20ms fork(w) give(q) barrier(x:2) wake(w,0) join(w) 10ms\n"
	 "w: barrier(x:2) take(q) 10ms block(0) sleep(10ms)",
	 2,
	 {60, 50},
	 {60, 50},
	 {0, 0},
	 60,
	 110},
	{"none", "a:", "b: 10ms", 1, {0, 10}, {0, 10}, {0, 0}, 10, 10},
};

static void assert_row(const char *what, const struct consolidation_row *row, double alone_s,
		       double together_s, double taken_s, size_t side)
{
	const double within_s = .004; /* slices, and another order */
	const struct consolidation_side *got = &row->sides[side];

	if (!(fabs(got->alone_s - alone_s) < 1e-6) ||
	    !(fabs(got->together_s - together_s) < within_s) ||
	    !(fabs(got->taken_s - taken_s) < within_s))
		fail_msg("%s: %zu alone %g s, together %g s, takes %g s", what, side, got->alone_s,
			 got->together_s, got->taken_s);
}

static void wall_times_are_those_on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(on_paper) / sizeof(*on_paper); i++) {
		struct consolidation consolidation;
		const struct consolidation_row *row = NULL;
		struct run runs[CONSOLIDATED];
		struct err err = {.text = ""};

		run_text(&runs[0], on_paper[i].first, 0);
		run_text(&runs[1], on_paper[i].second, 0);
		if (consolidation_init(&consolidation, &runs[0].forecast, &runs[1].forecast,
				       &on_paper[i].cores, 1, &err))
			fail_msg("%s: %s", on_paper[i].what, err.text);
		row = consolidation.rows;
		assert_int_equal(row->cores, on_paper[i].cores);
		for (size_t j = 0; j < CONSOLIDATED; j++)
			assert_row(on_paper[i].what, row, on_paper[i].alone_ms[j] / 1e3,
				   on_paper[i].together_ms[j] / 1e3, on_paper[i].taken_ms[j] / 1e3,
				   j);
		if (!(fabs(row->both_s - on_paper[i].both_ms / 1e3) < .004) ||
		    !(fabs(row->in_turn_s - on_paper[i].in_turn_ms / 1e3) < 1e-6))
			fail_msg("%s: both %g s, in turn %g s", on_paper[i].what, row->both_s,
				 row->in_turn_s);
		consolidation_release(&consolidation);
		release_run(&runs[1]);
		release_run(&runs[0]);
	}
}

/* Each of three threads waits while the two other ones have their 60 ms. */
static void run_queue_waits_are_of_all_threads(void **state)
{
	struct consolidation consolidation;
	struct run a, b;
	struct err err;

	(void)state;
	run_text(&a, "a: 60ms\nb: 60ms", 0);
	run_text(&b, "c: 60ms", 0);
	assert_int_equal(
		consolidation_init(&consolidation, &a.forecast, &b.forecast, some_cores, 1, &err),
		0);
	assert_close(consolidation.rows[0].sides[0].queue_alone_s, .12, .05);
	assert_true(consolidation.rows[0].sides[1].queue_alone_s == 0);
	assert_close(consolidation.rows[0].sides[0].queue_s, .24, .05);
	assert_close(consolidation.rows[0].sides[1].queue_s, .12, .05);
	consolidation_release(&consolidation);
	release_run(&b);
	release_run(&a);
}

/*
 * A thread that wakes at 15 ms has the core at once if wakes preempt, else after the slice. With
 * EEVDF it gains nothing from the time for which it slept: it waits for the next tick, 2.15
 * ms on average of the seeds, whatever slices were recorded.
 */
static void slices_and_preemption_are_those_of_both_recordings(void **state)
{
	static struct {
		uint64_t slice_ms[CONSOLIDATED];
		bool preempt[CONSOLIDATED];
		char kernels[CONSOLIDATED][8];
		double together_s;
	} cases[] = {
		{{20, 20}, {true, true}, {"6.5.13", "6.1.0"}, .016},
		{{20, 20}, {true, true}, {"6.1.0", "6.18.4"}, .016},
		{{20, 20}, {true, true}, {"7.0", "5.19.0"}, .016},
		{{20, 20}, {true, true}, {"6.6.1", "7.0"}, .01815},
		{{20, 0}, {true, true}, {"", "6.18.4"}, .01815},
		{{20, 20}, {true, false}, {"6.1.0", "6.1.0"}, .021},
		{{20, 20}, {false, true}, {"6.1.0", "6.1.0"}, .021},
		{{20, 0}, {false, false}, {"6.1.0", "6.1.0"}, .021},
		{{0, 20}, {false, false}, {"6.1.0", "6.1.0"}, .021},
		{{10, 30}, {false, false}, {"6.1.0", "6.1.0"}, .021},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct consolidation consolidation;
		struct run runs[CONSOLIDATED];
		struct err err;
		char *kernel;

		run_text(&runs[0], "a@1us: 100ms", 0);
		run_text(&runs[1], "b: sleep(15ms) 1ms", 0);
		for (size_t j = 0; j < CONSOLIDATED; j++) {
			runs[j].program.costs.slice_ns = cases[i].slice_ms[j] * 1000000;
			runs[j].program.costs.wakes_preempt = cases[i].preempt[j];
			kernel = cases[i].kernels[j];
			runs[j].source.target.kernel = *kernel ? kernel : NULL;
		}
		assert_int_equal(consolidation_init(&consolidation, &runs[0].forecast,
						    &runs[1].forecast, some_cores, 1, &err),
				 0);
		assert_close(consolidation.rows[0].sides[1].alone_s, .016, 1e-9);
		assert_close(consolidation.rows[0].sides[1].together_s, cases[i].together_s, 1e-3);
		consolidation_release(&consolidation);
		release_run(&runs[1]);
		release_run(&runs[0]);
	}
}

/*
 * b runs for 1 ms from the first tick at which the slice of a is over. The seeds have ticks at
 * 0.361, 0.944, 1.305, 1.889, 2.472, 2.833, 3.416 and 4 ms, and so on every 4 ms.
 */
static void slices_of_eevdf_are_those_of_the_kernel(void **state)
{
	static struct {
		char kernel[8];
		unsigned cpus;
		double together_s;
	} cases[] = {
		{"6.18.4", 1, .0036525},  /* 0.7 ms */
		{"6.18.4", 2, .0046525},  /* 1.4 ms */
		{"6.15.0", 7, .0051525},  /* 2.1 ms */
		{"6.15.0", 8, .0056525},  /* 2.8 ms */
		{"6.14.9", 64, .0061525}, /* 3 ms */
		{"7.0", 0, .0056525},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct consolidation consolidation;
		struct run a, b;
		struct err err;

		run_text(&a, "a: 100ms", 0);
		run_text(&b, "b@1us: 1ms", 0);
		a.source.target = b.source.target = (struct target_info){
			.kernel = cases[i].kernel, .online_count = cases[i].cpus};
		assert_int_equal(consolidation_init(&consolidation, &a.forecast, &b.forecast,
						    some_cores, 1, &err),
				 0);
		assert_close(consolidation.rows[0].sides[1].together_s, cases[i].together_s, 1e-3);
		consolidation_release(&consolidation);
		release_run(&b);
		release_run(&a);
	}
}

/* The forecast for one core is set to the recorded 66 ms. */
static void times_set_to_the_recording_stay_so(void **state)
{
	struct consolidation consolidation;
	struct run a, b;
	struct err err;

	(void)state;
	run_text(&a, "a: 60ms", 66);
	run_text(&b, "b: 120ms", 120);
	assert_int_equal(consolidation_init(&consolidation, &a.forecast, &b.forecast, some_cores,
					    SOME_CORES, &err),
			 0);
	assert_close(consolidation.cpu_s[0], .06, 1e-9);
	assert_close(consolidation.cpu_s[1], .12, 1e-9);
	assert_close(consolidation.rows[0].sides[0].alone_s, .066, 1e-9);
	assert_close(consolidation.rows[0].sides[0].together_s, .132, .03);
	assert_close(consolidation.rows[0].sides[1].together_s, .18, .03);
	assert_close(consolidation.rows[1].sides[0].together_s, .066, 1e-9);
	assert_close(consolidation.rows[1].sides[1].together_s, .12, 1e-9);
	consolidation_release(&consolidation);
	release_run(&b);
	release_run(&a);
}

/* a ends at twice its time; a third of the interval of b is that of a. */
static void an_interval_has_the_part_of_the_other_program(void **state)
{
	struct consolidation consolidation;
	struct consolidation_side *sides;
	struct run a, b;
	struct err err;

	(void)state;
	run_text(&a, "a: 60ms", 0);
	run_text(&b, "b: 120ms", 0);
	a.forecast.rows[0].lo_s = .06 / exp(.03);
	a.forecast.rows[0].hi_s = .06 * exp(.06);
	b.forecast.rows[0].lo_s = .12 / exp(.08);
	b.forecast.rows[0].hi_s = .12 * exp(.16);
	assert_int_equal(
		consolidation_init(&consolidation, &a.forecast, &b.forecast, some_cores, 2, &err),
		0);
	sides = consolidation.rows[0].sides;
	assert_close(log(sides[0].together_s / sides[0].lo_s), .05, .03);
	assert_close(log(sides[0].hi_s / sides[0].together_s), .10, .03);
	assert_close(log(sides[1].together_s / sides[1].lo_s), hypot(.08, .01), .03);
	assert_close(log(sides[1].hi_s / sides[1].together_s), hypot(.16, .02), .03);
	assert_true(isnan(consolidation.rows[1].sides[0].lo_s));
	consolidation_release(&consolidation);
	release_run(&b);
	release_run(&a);
}

/* In a slice of its own x has both locks. A thread that wakes ends that slice: y has the other
 * lock. */
static void threads_that_wait_for_ever_together_have_no_wall_time(void **state)
{
	struct consolidation consolidation;
	struct run a, b;
	struct err err = {.text = ""};

	(void)state;
	run_text(&a,
		 "x: lock(m) 2900us lock(n) unlock(n) unlock(m)\n"
		 "y: lock(n) 2900us lock(m) unlock(m) unlock(n)\n",
		 0);
	run_text(&b, "b: sleep(2500us) 100us", 0);
	b.source.target.kernel = (char[]){"6.1.0"};
	assert_int_equal(
		consolidation_init(&consolidation, &a.forecast, &b.forecast, some_cores, 1, &err),
		-1);
	assert_non_null(strstr(err.text, "on 1 core threads of both programs together wait for"));
	consolidation_release(&consolidation);
	release_run(&b);
	release_run(&a);
}

/* Without locks, whose order is random. */
static void programs_with_cores_enough_are_as_if_alone(void **state)
{
	static const uint64_t many = 1000;
	struct random random = {.state = 7};

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct consolidation consolidation;
		struct run runs[CONSOLIDATED] = {{.source = {0}}, {.source = {0}}};
		struct err err = {.text = ""};

		for (size_t j = 0; j < CONSOLIDATED; j++) {
			random_program(&runs[j].program, &random, RANDOM_PAUSES | RANDOM_BARRIERS);
			make_forecast(&runs[j], 0, &many, 1);
		}
		if (consolidation_init(&consolidation, &runs[0].forecast, &runs[1].forecast, &many,
				       1, &err))
			fail_msg("%s", err.text);
		for (size_t j = 0; j < CONSOLIDATED; j++) {
			const struct consolidation_side *side = &consolidation.rows[0].sides[j];

			assert_close(side->factor, 1, 1e-9);
			assert_true(side->queue_s == 0 && side->taken_s == 0);
		}
		consolidation_release(&consolidation);
		release_run(&runs[1]);
		release_run(&runs[0]);
	}
}

/* Invalid steps of one program do not lead into the other one. */
static void programs_with_any_steps_end(void **state)
{
	struct random random = {.state = 11};

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct forecast_row row = {.cores = 2, .wall_s = 1, .lo_s = NAN, .hi_s = NAN};
		struct forecast forecasts[CONSOLIDATED];
		struct program programs[CONSOLIDATED];
		struct consolidation consolidation;
		struct err err = {.text = ""};

		for (size_t j = 0; j < CONSOLIDATED; j++) {
			random_garbage(&programs[j], &random);
			forecasts[j] = (struct forecast){
				.program = &programs[j], .rows = &row, .row_count = 1};
		}
		if (consolidation_init(&consolidation, &forecasts[0], &forecasts[1], &row.cores, 1,
				       &err))
			assert_non_null(strstr(err.text, "for an event that never comes"));
		consolidation_release(&consolidation);
		for (size_t j = 0; j < CONSOLIDATED; j++)
			program_release(&programs[j]);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(wall_times_are_those_on_paper),
	cmocka_unit_test(run_queue_waits_are_of_all_threads),
	cmocka_unit_test(slices_and_preemption_are_those_of_both_recordings),
	cmocka_unit_test(slices_of_eevdf_are_those_of_the_kernel),
	cmocka_unit_test(times_set_to_the_recording_stay_so),
	cmocka_unit_test(an_interval_has_the_part_of_the_other_program),
	cmocka_unit_test(threads_that_wait_for_ever_together_have_no_wall_time),
	cmocka_unit_test(programs_with_cores_enough_are_as_if_alone),
	cmocka_unit_test(programs_with_any_steps_end),
};

TEST_FILE(tests);
