/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/task_tree.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, LEVELS = 2 };

/* Two levels of 10 us of work, and of 20 and 40 us. */
static const char *const steps[RUNS] = {
	"0 a 1 begin 0.0; 10 a 2 begin 1.0; 20 a 2 end; 20 a 1 end",
	"0 a 1 begin 0.0; 20 a 2 begin 1.0; 60 a 2 end; 60 a 1 end",
	"0 a 1 begin 0.0; 20 a 2 begin 1.0; 60 a 2 end; 60 a 1 end",
};

/* Page faults of the runs at each level, of the run or of its blocks; -1: not recorded. */
struct counted {
	int faults[RUNS][LEVELS];
	double surplus[LEVELS], cost_us[LEVELS]; /* of the second and the third run, or NAN */
};

static void read_run(struct stretch_run *run, const char *text, const int *faults)
{
	const struct stretch_options options = {.by = STRETCH_BY_LEVEL, .cores = 2};
	struct event_source *source = task_drawing(NULL, text);
	struct task_counter *counter;
	struct err err;

	assert_int_equal(stretch_run_read(run, source, &options, &err), 0);
	event_source_free(source);
	assert_int_equal(run->work_count, LEVELS);
	counter = &run->tree->counters.items[TASK_FAULTS];
	assert_null(counter->values);
	if (faults[0] < 0 && faults[1] < 0)
		return;
	counter->values = xcalloc(run->tree->interval_count, sizeof(*counter->values));
	for (size_t i = 0; i < run->work_count; i++)
		run->counts[i * run->tree->counters.count + TASK_FAULTS] =
			faults[run->work[i].block.level] < 0
				? TASK_COUNT_UNKNOWN
				: (uint64_t)faults[run->work[i].block.level];
}

static void assert_same(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		assert_close(got, want, 1e-9);
}

static void check(const struct counted *one)
{
	struct stretch_run runs[RUNS];
	struct stretch stretch;
	struct err err;

	for (size_t i = 0; i < RUNS; i++)
		read_run(&runs[i], steps[i], one->faults[i]);
	assert_int_equal(stretch_init(&stretch, runs, RUNS, 1, STRETCH_BY_LEVEL, &err), 0);
	assert_int_equal(stretch.row_count, LEVELS);
	for (size_t i = 0; i < LEVELS; i++) {
		size_t level = (size_t)stretch.rows[i].block->level;
		const struct stretch_surplus *faults = &stretch.rows[i].cells->surplus[TASK_FAULTS];

		assert_string_equal(faults->counter, "faults");
		assert_same(faults->parallel - faults->serial, one->surplus[level]);
		assert_same(faults->cost_s * 1e6, one->cost_us[level]);
		/* The scheduler is not recorded. */
		assert_true(isnan(stretch.rows[i].cells->surplus[TASK_SWITCHES].serial));
	}
	if (isnan(one->surplus[0] + one->surplus[1])) {
		assert_int_equal(stretch.columns[0].surplus_count, 0);
	} else {
		const struct stretch_surplus *all = stretch.columns[0].surplus;

		assert_int_equal(stretch.columns[0].surplus_count, 1);
		assert_close(all->parallel - all->serial, one->surplus[0] + one->surplus[1], 1e-9);
	}
	stretch_release(&stretch);
	for (size_t i = 0; i < RUNS; i++)
		stretch_run_release(&runs[i]);
}

static void each_surplus_event_costs_its_part_of_the_inflation(void **state)
{
	/* The inflation is 10 us at level 0 and 30 us at level 1. */
	static const struct counted cases[] = {
		{{{0, 10}, {100, 110}, {100, 110}}, {100, 100}, {.1, .3}},
		{{{0, 10}, {90, 100}, {110, 120}}, {100, 100}, {.1, .3}},
		/* 3 sqrt(100 + 120) is more than 20. */
		{{{100, 10}, {120, 110}, {120, 110}}, {20, 100}, {NAN, .3}},
		{{{100, 100}, {50, 100}, {50, 100}}, {-50, 0}, {NAN, NAN}},
		{{{-1, -1}, {100, 100}, {100, 100}}, {NAN, NAN}, {NAN, NAN}},
		{{{0, 0}, {100, 100}, {-1, -1}}, {NAN, NAN}, {NAN, NAN}},
		{{{0, 0}, {100, -1}, {100, 100}}, {100, NAN}, {.1, NAN}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

static void misses_that_cost_less_than_a_memory_access_overlapped(void **state)
{
	static const struct {
		const char *counter;
		double cost_s, at_once;
	} cases[] = {
		{"cache-misses", 10e-9, 10},
		{"cache-misses:u", 100e-9, 1},
		{"LLC-load-misses", 25e-9, 4},
		{"MEM_LOAD_RETIRED:L3_MISS", 200e-9, .5},
		{"LONGEST_LAT_CACHE:MISS", 50e-9, 2},
		{"cache-misses", NAN, NAN},
		{"branch-misses", 10e-9, NAN},
		{"dTLB-load-misses", 10e-9, NAN},
		{"faults", 10e-9, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_same(stretch_surplus_at_once(&(struct stretch_surplus){
				    .counter = cases[i].counter, .cost_s = cases[i].cost_s}),
			    cases[i].at_once);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_surplus_event_costs_its_part_of_the_inflation),
	cmocka_unit_test(misses_that_cost_less_than_a_memory_access_overlapped),
};

TEST_FILE(tests);
