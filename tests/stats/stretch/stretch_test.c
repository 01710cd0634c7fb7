/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include "base/err.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* Work of a run by hand; a work without a name ends the list. */
enum { WORKS_MAX = 4 };

struct made {
	struct stretch_run run;
	struct stretch_work work[WORKS_MAX];
};

static void make(struct made *made, const char *program, double cores, size_t threads,
		 const char *const *names, const double *seconds)
{
	*made = (struct made){
		.run = {.program = (char *)(uintptr_t)program, .cores = cores, .threads = threads}};
	for (size_t i = 0; i < WORKS_MAX && names[i]; i++) {
		made->work[i] = (struct stretch_work){
			.block = {.function = (char *)(uintptr_t)names[i],
				  .object = (char *)(uintptr_t)program},
			.seconds = seconds[i],
			.samples = (uint64_t)(1000 * seconds[i]),
		};
		made->run.work_s += seconds[i];
		made->run.work_count++;
	}
	made->run.work = made->work;
}

static const struct stretch_row *row_of(const struct stretch *stretch, const char *function)
{
	for (size_t i = 0; i < stretch->row_count; i++)
		if (strcmp(stretch->rows[i].block->function, function) == 0)
			return &stretch->rows[i];
	fail_msg("there is no %s", function);
	return NULL;
}

/*
 * The results of table 2 of Huynh, Nakashima and Taura: inflations of 17.168, 51.621 and 72.718 %.
 * The times are made up to give these.
 */
static void inflations_are_those_of_the_paper(void **state)
{
	static const char *const names[WORKS_MAX] = {"one", "two", "three"};
	static const double serial[] = {10, 20, 30};
	static const double parallel[] = {11.7168, 30.3242, 51.8154};
	static const double stretches[] = {.17168, .51621, .72718};
	struct made made[2];
	struct stretch_run runs[2];
	struct stretch stretch;
	struct err err;

	(void)state;
	make(&made[0], "p", 4, 1, names, serial);
	make(&made[1], "p", 4, 4, names, parallel);
	for (size_t i = 0; i < 2; i++)
		runs[i] = made[i].run;
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.row_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct stretch_cell *cell = row_of(&stretch, names[i])->cells;

		assert_close(cell->stretch.value, stretches[i], 1e-9);
		assert_true(cell->stretch.from < stretches[i] && cell->stretch.to > stretches[i]);
		assert_close(cell->share, (parallel[i] - serial[i]) / 33.8564, 1e-9);
	}
	assert_string_equal(stretch.rows[0].block->function, "three");
	assert_close(stretch.columns[0].longer_s, 33.8564, 1e-9);
	assert_false(stretch.columns[0].has_loss);
	stretch_release(&stretch);
}

static void a_block_on_one_side_or_with_few_samples_has_no_stretch(void **state)
{
	static const char *const before[WORKS_MAX] = {"work", "gone", "rare"};
	static const char *const after[WORKS_MAX] = {"work", "new", "rare"};
	static const double seconds[] = {1, .5, .009};
	struct made made[2];
	struct stretch_run runs[2];
	struct stretch stretch;
	struct err err;

	(void)state;
	make(&made[0], "p", 2, 1, before, seconds);
	make(&made[1], "p", 2, 2, after, seconds);
	for (size_t i = 0; i < 2; i++)
		runs[i] = made[i].run;
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_close(row_of(&stretch, "gone")->cells->longer_s, -.5, 1e-12);
	assert_close(row_of(&stretch, "new")->cells->longer_s, .5, 1e-12);
	assert_true(isnan(row_of(&stretch, "gone")->cells->stretch.value));
	assert_true(isnan(row_of(&stretch, "new")->cells->stretch.value));
	assert_true(isnan(row_of(&stretch, "rare")->cells->stretch.value));
	/* One row has less, another one as much more: the sum, which shares divide, is zero. */
	assert_true(isnan(row_of(&stretch, "work")->cells->share));
	stretch_release(&stretch);
}

static void runs_with_equal_threads_and_cores_are_repeats(void **state)
{
	static const char *const names[WORKS_MAX] = {"work"};
	static const struct {
		double cores;
		size_t threads;
		double seconds;
	} cases[] = {{4, 1, 1}, {4, 1, 1.1}, {4, 2, 1.4}, {4, 4, 2}, {4, 2, 1.6}, {8, 4, 3}};
	struct made made[6];
	struct stretch_run runs[6];
	struct stretch stretch;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		make(&made[i], "p", cases[i].cores, cases[i].threads, names, &cases[i].seconds);
		runs[i] = made[i].run;
	}
	assert_int_equal(stretch_init(&stretch, runs, 6, 2, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.column_count, 3);
	assert_int_equal(stretch.columns[0].run_count, 2);
	assert_int_equal(stretch.columns[1].threads, 4);
	assert_close(stretch.rows[0].serial_s, 1.05, 1e-12);
	assert_close(stretch.rows[0].cells[0].stretch.value, 1.5 / 1.05 - 1, 1e-12);
	assert_close(stretch.rows[0].cells[2].seconds, 3, 1e-12);
	stretch_release(&stretch);
}

static void programs_without_a_function_in_common_are_not_compared(void **state)
{
	static const char *const mine[WORKS_MAX] = {"work", "main"}, *const yours[WORKS_MAX] = {
									     "play", "main"};
	static const double seconds[] = {1, 1};
	struct made made[3];
	struct stretch_run runs[2];
	struct stretch stretch;
	struct err err;

	(void)state;
	make(&made[0], "fib", 2, 1, mine, seconds);
	make(&made[1], "fib-tasks", 2, 2, mine, seconds);
	make(&made[2], "other", 2, 2, yours, seconds);
	runs[0] = made[0].run;
	runs[1] = made[1].run;
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.row_count, 2);
	stretch_release(&stretch);
	runs[1] = made[2].run;
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), -1);
	assert_string_equal(err.text,
			    "the recordings are of different programs, fib and other, with no "
			    "function in common except main; compare runs of one program");
	stretch_release(&stretch);
}

/* 1 s of inflation; some counts differ by chance, some by more. */
static void counts_that_differ_by_more_than_chance_have_a_cost(void **state)
{
	static const char *const names[WORKS_MAX] = {"work"};
	static const double seconds[] = {1, 2};
	struct counter counters[] = {{.name = (char[]){"misses"}}, {.name = (char[]){"faults"}}};
	struct counter_value values[][2] = {{{1e6, 1}, {100, 1}}, {{3e6, 1}, {140, 1}}};
	struct made made[2];
	struct stretch_run runs[2];
	struct stretch stretch;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		make(&made[i], "p", 2, 1 + i, names, &seconds[i]);
		runs[i] = made[i].run;
		runs[i].counters = (struct counter_table){
			.counters = counters, .totals = values[i], .counter_count = 2};
	}
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.columns[0].surplus_count, 2); /* switches are unknown */
	assert_close(stretch.columns[0].surplus[0].cost_s, 1 / 2e6, 1e-12);
	assert_true(isnan(stretch.columns[0].surplus[1].cost_s));
	stretch_release(&stretch);
	/* Switches come first if the scheduler is recorded on both sides. */
	for (size_t i = 0; i < 2; i++) {
		runs[i].has_states = true;
		runs[i].switches = 100 + 1000 * i;
		runs[i].counters.counter_count = 0;
	}
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.columns[0].surplus_count, 1);
	assert_string_equal(stretch.columns[0].surplus[0].counter, "switches");
	assert_close(stretch.columns[0].surplus[0].cost_s, 1e-3, 1e-12);
	stretch_release(&stretch);
	runs[0].has_states = false;
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
	assert_int_equal(stretch.columns[0].surplus_count, 0);
	stretch_release(&stretch);
}

/*
 * The results of table 4 of Huynh, Nakashima and Taura: 33.253, 7.602 and 5.444 cycles of inflation
 * for each surplus event. The cycles (whole ones, of 2 GHz) and events are made up to give these.
 */
static void costs_of_surplus_events_are_those_of_the_paper(void **state)
{
	static const char *const names[WORKS_MAX] = {"work"};
	static const struct {
		double serial_s, parallel_s, serial, parallel, cycles;
	} cases[] = {
		{10, 11.66265, 1e6, 101e6, 33.253},
		{10, 13.801, 2e9, 3e9, 7.602},
		{10, 12.722, 0, 1e9, 5.444},
	};
	struct counter counters[] = {{.name = (char[]){"events"}}};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct counter_value values[] = {{cases[k].serial, 1}, {cases[k].parallel, 1}};
		const double seconds[] = {cases[k].serial_s, cases[k].parallel_s};
		struct made made[2];
		struct stretch_run runs[2];
		struct stretch stretch;
		struct err err;

		for (size_t i = 0; i < 2; i++) {
			make(&made[i], "p", 4, i ? 4 : 1, names, &seconds[i]);
			runs[i] = made[i].run;
			runs[i].counters = (struct counter_table){
				.counters = counters, .totals = &values[i], .counter_count = 1};
		}
		assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_FUNCTION, &err), 0);
		assert_close(stretch.columns[0].surplus[0].cost_s * 2e9, cases[k].cycles, 1e-9);
		stretch_release(&stretch);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(inflations_are_those_of_the_paper),
	cmocka_unit_test(a_block_on_one_side_or_with_few_samples_has_no_stretch),
	cmocka_unit_test(runs_with_equal_threads_and_cores_are_repeats),
	cmocka_unit_test(programs_without_a_function_in_common_are_not_compared),
	cmocka_unit_test(costs_of_surplus_events_are_those_of_the_paper),
	cmocka_unit_test(counts_that_differ_by_more_than_chance_have_a_cost),
};

TEST_FILE(tests);
