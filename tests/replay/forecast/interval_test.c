/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/interval.h"

#include "replay/forecast/replayed.h"
#include "support.h"

#include <math.h>

/* Of a point at 10 s whose answers reach from 8 to 12 s where `apart`. */
static void every_term_makes_it_wider(void **state)
{
	static const struct {
		struct interval_terms terms;
		bool apart;
		double lo_s, hi_s;
	} cases[] = {
		/* Steps alone: as they are. */
		{{.steps_shorter = .1, .steps_longer = .2}, false, 9.0483742, 12.2140276},
		/* The discrepancy alone: 1.6448536 standard deviations. */
		{{.steps_shorter = NAN, .steps_longer = NAN, .discrepancy = .1},
		 false,
		 8.4833016,
		 11.7878633},
		/* Both: .3 and .4 make .5. */
		{{.steps_shorter = .3, .steps_longer = .3, .discrepancy = .4 / 1.6448536},
		 false,
		 6.0653066,
		 16.4872127},
		/* What is missed is on both sides, and added; overhead on one: .3 + .1 + .05. */
		{{.steps_shorter = .3, .steps_longer = .3, .miss = .1},
		 false,
		 6.7032005,
		 14.9182470},
		{{.steps_shorter = .3, .steps_longer = .3, .miss = .1, .overhead = .05},
		 false,
		 6.3762815,
		 14.9182470},
		{{.steps_shorter = .1, .steps_longer = .2}, true, 7.2386993, 14.6568331},
		/* Neither steps nor a discrepancy. */
		{{.steps_shorter = NAN, .steps_longer = NAN, .miss = .1}, true, NAN, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct replayed_point point = {.wall_s = 10, .least_s = 10, .most_s = 10};

		if (cases[i].apart)
			point = (struct replayed_point){.wall_s = 10, .least_s = 8, .most_s = 12};
		interval_set(&point, &cases[i].terms);
		if (isnan(cases[i].lo_s)) {
			assert_true(isnan(point.lo_s) && isnan(point.hi_s));
			continue;
		}
		assert_close(point.lo_s, cases[i].lo_s, 1e-6);
		assert_close(point.hi_s, cases[i].hi_s, 1e-6);
	}
}

/* As in a damaged recording whose replay takes infinitely longer than it did. */
static void what_takes_no_time_has_an_interval_of_none(void **state)
{
	const struct interval_terms terms = {.steps_shorter = 0.1,
					     .steps_longer = 0.1,
					     .discrepancy = 0.05,
					     .miss = (double)INFINITY};
	struct replayed_point point = {.wall_s = 0};

	(void)state;
	interval_set(&point, &terms);
	assert_close(point.lo_s, 0, 0);
	assert_close(point.hi_s, 0, 0);
}

static void the_discrepancy_goes_by_doublings_of_cores_that_are_used(void **state)
{
	static const struct {
		uint64_t recorded, cores;
		size_t threads;
		double expected;
	} cases[] = {
		{1, 1, 8, 0},
		{4, 4, 8, 0},
		{1, 2, 8, .05},
		{2, 1, 8, .05},
		{1, 16, 16, .1},
		{16, 1, 16, .1},
		{2, 32, 64, .1},
		{1, 4, 16, .0707106781},
		{1, 16, 4, .0707106781}, /* four cores of 16 are used */
		{1, 64, 1, .05},	 /* one of 64, which is another machine all the same */
		{4, 8, 2, .05},
		{2, 3, 8, .0382414}, /* log2(1.5) = .5849625 of a doubling */
		{1, 2, 0, .05},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_close(interval_discrepancy(.05, cases[i].recorded, cases[i].cores,
						  cases[i].threads),
			     cases[i].expected, 1e-6);
}

static void what_it_is_made_from_has_names(void **state)
{
	struct replayed replayed = {.recorded_s = 1, .self_s = 1.02, .discrepancy = .05};
	char text[INTERVAL_NAMES_SIZE], small[8];

	(void)state;
	assert_string_equal(interval_names(text, sizeof(text), &replayed), "discrepancy, miss");
	replayed.self_s = 1;
	replayed.discrepancy = 0;
	replayed.replicates = 39;
	assert_string_equal(interval_names(text, sizeof(text), &replayed), "steps");
	replayed = (struct replayed){.recorded_s = 1,
				     .self_s = 1.02,
				     .replicates = 5,
				     .discrepancy = .05,
				     .overhead_share = .01,
				     .alternatives = REPLAYED_WITHOUT_POOLS | REPLAYED_EVEN_WORK |
						     REPLAYED_CLOSED_FORM};
	assert_string_equal(interval_names(text, sizeof(text), &replayed),
			    "steps, discrepancy, miss, overhead, pools, even-work, closed-form");
	assert_string_equal(interval_names(small, sizeof(small), &replayed), "steps, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_term_makes_it_wider),
		cmocka_unit_test(what_takes_no_time_has_an_interval_of_none),
		cmocka_unit_test(the_discrepancy_goes_by_doublings_of_cores_that_are_used),
		cmocka_unit_test(what_it_is_made_from_has_names),
	};

	return RUN_TESTS(tests);
}
