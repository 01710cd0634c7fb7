/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_difference_is_found_if_the_interval_excludes_zero(void **state)
{
	static const struct {
		struct rate_ratio stretch;
		enum stretch_finding want;
	} cases[] = {
		{{.1, .02, .2}, STRETCH_MORE},	  {{.1, -.02, .2}, STRETCH_EQUAL},
		{{.1, 0, .2}, STRETCH_EQUAL},	  {{.1, NAN, NAN}, STRETCH_MORE},
		{{-.1, -.2, -.02}, STRETCH_LESS}, {{-.1, -.2, .02}, STRETCH_EQUAL},
		{{0, 0, 0}, STRETCH_EQUAL},	  {{NAN, NAN, NAN}, STRETCH_UNSURE},
		{{-.1, NAN, NAN}, STRETCH_LESS},
	};
	static const struct stretch_run run = {.named_s = 3, .work_s = 4};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct stretch_column column = {.work_s = 2, .stretch = cases[i].stretch};
		struct stretch_cell cells[] = {
			{.seconds = 0, .stretch = cases[i].stretch, .share = .5},
			{.seconds = 2, .stretch = {NAN, NAN, NAN}}};
		struct stretch_row rows[] = {{.serial_s = 1, .cells = &cells[0]},
					     {.serial_s = 0, .cells = &cells[1]}};
		const struct stretch_row *shown[] = {&rows[0], &rows[1]};
		const struct stretch stretch = {.runs = &run,
						.run_count = 1,
						.serial_s = 4,
						.rows = rows,
						.row_count = COUNT(rows),
						.columns = &column,
						.column_count = 1};
		struct stretch_verdict verdict = stretch_verdict_of(&stretch, shown, COUNT(shown));

		if (verdict.finding != cases[i].want)
			fail_msg("case %zu: finding %d", i, (int)verdict.finding);
		assert_ptr_equal(verdict.row, cases[i].want == STRETCH_MORE ? &rows[0] : NULL);
		assert_int_equal(verdict.is_most, cases[i].want == STRETCH_MORE);
		assert_close(verdict.serial_alone, .25, 1e-12);
		assert_close(verdict.parallel_alone, 1, 1e-12);
		assert_close(verdict.unnamed_share, .25, 1e-12);
		assert_true(isnan(verdict.run_queue_share));
		assert_null(stretch_verdict_of(&stretch, shown, 0).row);
	}
}

static void the_parts_of_core_time_add_up(void **state)
{
	static const struct time_loss loss = {.cores = 2,
					      .wall_s = 10,
					      .work_s = 9,
					      .overhead_s = 1,
					      .delay_s = 6,
					      .no_work_s = 4,
					      .preempted_s = 5};
	static const double want[STRETCH_PARTS] = {8, 1, 1, 5, 1, 4};
	double parts[STRETCH_PARTS], sum = 0;

	(void)state;
	stretch_parts_of(parts, &loss, 8);
	for (size_t i = 0; i < STRETCH_PARTS; i++) {
		assert_close(parts[i], want[i], 1e-12);
		sum += parts[i];
	}
	assert_close(sum, loss.cores * loss.wall_s, 1e-12);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_difference_is_found_if_the_interval_excludes_zero),
	cmocka_unit_test(the_parts_of_core_time_add_up),
};

TEST_FILE(tests);
