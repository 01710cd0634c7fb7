/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/err.h"
#include "decode/event/event_source.h"
#include "draw/task_drawing.h"
#include "stats/stretch/stretch.h"
#include "support.h"

#include <math.h>
#include <string.h>

/* A root of 2 + 5 us around a spawn, and two children of 4 us each; and the same, twice as long. */
static const char *const states[] = {"RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR", NULL};
static const char once[] =
	"0 a 1 begin 0.0; 2 a 1 spawn 0; 2 a 1 spawned; 2 a 2 begin 1.0; 6 a 2 end;"
	"6 a 3 begin 1.1; 10 a 3 end; 15 a 1 end";
static const char twice[] =
	"0 a 1 begin 0.0; 4 a 1 spawn 0; 4 a 1 spawned; 4 a 2 begin 1.0; 12 a 2 end;"
	"12 a 3 begin 1.1; 20 a 3 end; 30 a 1 end";

static void read_run(struct stretch_run *run, const char *steps, enum stretch_by by, uint32_t level)
{
	const struct stretch_options options = {.by = by, .level = level, .cores = 2};
	struct event_source *source = task_drawing(states, steps);
	struct err err;

	assert_int_equal(stretch_run_read(run, source, &options, &err), 0);
	event_source_free(source);
}

static void levels_and_subtrees_have_the_time_of_their_blocks(void **state)
{
	static const struct {
		enum stretch_by by;
		uint32_t level;
		struct {
			int32_t level;
			const char *path;
			double us;
		} want[3];
	} cases[] = {
		{STRETCH_BY_LEVEL, 0, {{0, NULL, 7}, {1, NULL, 8}}},
		{STRETCH_BY_SUBTREE, 0, {{-1, "0", 15}}},
		{STRETCH_BY_SUBTREE, 1, {{-1, "0", 7}, {-1, "0.0", 4}, {-1, "0.1", 4}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stretch_run run;
		size_t count = 0;

		read_run(&run, once, cases[i].by, cases[i].level);
		for (; count < 3 && cases[i].want[count].us > 0; count++) {
			double found = 0;

			for (size_t j = 0; j < run.work_count; j++) {
				const struct stretch_region *block = &run.work[j].block;
				const char *path = cases[i].want[count].path;

				if (block->level == cases[i].want[count].level &&
				    (path ? block->path && !strcmp(block->path, path)
					  : !block->path))
					found += run.work[j].seconds * 1e6;
			}
			assert_close(found, cases[i].want[count].us, 1e-9);
		}
		assert_int_equal(run.work_count, count);
		assert_int_equal(run.samples, 6); /* two without time, around the task in place */
		assert_close(run.work_s * 1e6, 15, 1e-9);
		stretch_run_release(&run);
	}
}

static void twice_the_time_of_tasks_is_a_stretch_of_one(void **state)
{
	struct stretch_run runs[2];
	struct stretch stretch;
	struct sampled_loss parts[3];
	double serial_s = 0, work_s = 0;
	struct err err;

	(void)state;
	read_run(&runs[0], once, STRETCH_BY_LEVEL, 1);
	read_run(&runs[1], twice, STRETCH_BY_LEVEL, 1);
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_LEVEL, &err), 0);
	assert_int_equal(stretch.row_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_close(stretch.rows[i].cells->stretch.value, 1, 1e-9);
	assert_close(stretch.columns[0].longer_s * 1e6, 15, 1e-9);
	assert_true(stretch.columns[0].has_loss);
	assert_close(stretch.columns[0].loss.work_s * 1e6, 30, 1e-9);
	assert_close(stretch.columns[0].loss.no_work_s * 1e6, 30, 1e-9);
	/* In each part half of the work is that of the serial run. */
	stretch_over_time(parts, 3, &stretch, 0, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_close(parts[i].serial_work_s * 2, parts[i].loss.work_s, 1e-6);
		serial_s += parts[i].serial_work_s;
		work_s += parts[i].loss.work_s;
	}
	assert_close(serial_s * 1e6, 15, 1e-6);
	assert_close(work_s * 1e6, 30, 1e-6);
	stretch_release(&stretch);
	for (size_t i = 0; i < 2; i++)
		stretch_run_release(&runs[i]);
}

/* Two blocks of 4 us each have no spread, two of 3 and 5 us have one: 2 of their sum of 8, by
 * Student.
 */
static void intervals_come_from_the_spread_of_blocks(void **state)
{
	static const char uneven[] =
		"0 a 1 begin 0.0; 2 a 1 spawn 0; 2 a 1 spawned; 2 a 2 begin 1.0; 5 a 2 end;"
		"5 a 3 begin 1.1; 10 a 3 end; 15 a 1 end";
	struct stretch_run runs[2];
	struct stretch stretch;
	struct err err;

	(void)state;
	read_run(&runs[0], once, STRETCH_BY_LEVEL, 1);
	read_run(&runs[1], uneven, STRETCH_BY_LEVEL, 1);
	assert_int_equal(stretch_init(&stretch, runs, 2, 1, STRETCH_BY_LEVEL, &err), 0);
	for (size_t i = 0; i < stretch.row_count; i++) {
		const struct stretch_row *row = &stretch.rows[i];

		if (row->block->level != 1)
			continue;
		assert_close(row->cells->stretch.value + 1, 1, 1e-9);
		/* s^2 = 2, n s^2 = 4 of 64: 1/4; t(.975, 1) = 12.7062 */
		assert_close(log(row->cells->stretch.to + 1), .25 * 12.7062, 1e-4);
	}
	stretch_release(&stretch);
	for (size_t i = 0; i < 2; i++)
		stretch_run_release(&runs[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(levels_and_subtrees_have_the_time_of_their_blocks),
	cmocka_unit_test(twice_the_time_of_tasks_is_a_stretch_of_one),
	cmocka_unit_test(intervals_come_from_the_spread_of_blocks),
};

TEST_FILE(tests);
