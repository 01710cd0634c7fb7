/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch.h"

#include "base/err.h"
#include "report/report.h"
#include "stats/stretch/stretch.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each row's share of 10 s of serial and 20 s of parallel work. */
static const struct {
	char name[2];
	double serial_s, parallel_s;
} work[] = {{"a", 4, 8}, {"b", 3, 1}, {"c", 1, 4}, {"d", .5, .5}};

static void write_report(const char *path, double min_share, enum report_format format)
{
	static const struct rate_ratio unknown = {NAN, NAN, NAN};
	static const char *const paths[] = {"serial", "parallel"};
	static const struct stretch_run runs[2];
	struct stretch_region blocks[COUNT(work)];
	struct stretch_cell cells[COUNT(work)];
	struct stretch_row rows[COUNT(work)];
	size_t parallel = 1;
	struct stretch_column column = {.cores = 2,
					.threads = 2,
					.runs = &parallel,
					.run_count = 1,
					.work_s = 20,
					.stretch = unknown};
	const struct stretch stretch = {.runs = runs,
					.run_count = 2,
					.base_count = 1,
					.serial_s = 10,
					.rows = rows,
					.row_count = COUNT(rows),
					.columns = &column,
					.column_count = 1};
	const struct stretch_view view = {
		.stretch = &stretch, .paths = paths, .min_share = min_share};
	struct err err;
	struct report *report = report_open(path, format, &err);

	for (size_t i = 0; i < COUNT(rows); i++) {
		blocks[i] = (struct stretch_region){.function = (char *)(uintptr_t)work[i].name,
						    .level = -1};
		cells[i] = (struct stretch_cell){
			.seconds = work[i].parallel_s, .stretch = unknown, .share = NAN};
		rows[i] = (struct stretch_row){
			.block = &blocks[i], .serial_s = work[i].serial_s, .cells = &cells[i]};
	}
	assert_non_null(report);
	report_stretch(report, &view);
	assert_int_equal(report_finish(report, 0, &err), 0);
}

/* CSV has only the shown rows; text tells the number of the rest. */
static void rows_with_little_of_the_work_are_left_out(void **state)
{
	static const struct {
		double min_share;
		const char *rows, *below;
	} cases[] = {
		{0, "abcd", NULL},
		{.2, "abc", "\n1 function with less than 20 % of the work is left out; --all."},
		{.3, "ab", "\n2 functions with less than 30 % of the work are left out; --all."},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *path = file_with("", 0);
		char text[4096] = "", names[8] = "", line[512];
		FILE *file;

		write_report(path, cases[i].min_share, REPORT_CSV);
		file = fopen(path, "re");
		assert_non_null(fgets(line, sizeof(line), file)); /* the header */
		for (size_t k = 0; fgets(line, sizeof(line), file) && k < sizeof(names) - 1; k++)
			names[k] = line[0];
		fclose(file);
		assert_string_equal(names, cases[i].rows);

		write_report(path, cases[i].min_share, REPORT_TEXT);
		file = fopen(path, "re");
		assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
		fclose(file);
		if (cases[i].below ? !strstr(text, cases[i].below) : !!strstr(text, "with less"))
			fail_msg("case %zu: not as it should be, below: %s", i, text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rows_with_little_of_the_work_are_left_out),
};

TEST_FILE(tests);
