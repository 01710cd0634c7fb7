/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_sweep.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "support.h"
#include "table_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD  "# cpus: all that are allowed\n# cpus_allowed: 0-1\n"
#define NAMES "n,throughput,wall_s,cpu_s,repeat,load,others\n"

static int read_text(struct series_sweep *sweep, const char *text, struct err *err)
{
	struct csv_table *table = table_file_read(file_with(text, strlen(text)), err);
	int rc;

	assert_non_null(table);
	rc = series_sweep_read(sweep, table, err);
	csv_table_free(table);
	return rc;
}

static void each_n_has_medians_and_ranges_of_its_runs(void **state)
{
	struct series_sweep sweep;
	struct err err;

	(void)state;
	assert_int_equal(read_text(&sweep,
				   HEAD NAMES "2,190,0.5,1.0,1,0.1,0.0\n"
					      "1,100,1.0,1.0,1,0.1,0.0\n"
					      "2,150,1.0,1.9,2,0.1,0.5\n"
					      "1,104,1.0,0.8,2,0.1,\n"
					      "2,200,1.0,1.6,3,0.1,0.25\n",
				   &err),
			 0);
	assert_int_equal(sweep.count, 2);
	assert_int_equal(sweep.runs, 5);
	assert_int_equal(sweep.cpus, 2);
	assert_int_equal(sweep.levels[0].runs, 2);
	assert_close(sweep.levels[0].throughput, 102, 1e-15);
	assert_close(sweep.levels[0].cpus, .9, 1e-15);
	assert_close(sweep.levels[1].throughput, 190, 1e-15);
	assert_close(sweep.levels[1].least, 150, 1e-15);
	assert_close(sweep.levels[1].most, 200, 1e-15);
	assert_close(sweep.levels[1].speedup, 190. / 102, 1e-15);
	assert_close(sweep.levels[1].wall_s, 1, 1e-15);
	assert_close(sweep.levels[1].cpu_s, 1.6, 1e-15);
	assert_close(sweep.levels[1].others, .25, 1e-15);
	assert_close(sweep.levels[0].inflation, 1, 1e-15);
	assert_close(sweep.levels[1].inflation, 1.6 / 190 / (.9 / 102), 1e-12);
	assert_int_equal(sweep.inflated, 1);
	assert_int_equal(sweep.best, 1);
	assert_int_equal(sweep.widest, 1);
	assert_true(sweep.levels[1].full && !sweep.levels[0].full);
	assert_close(sweep.full_n, 2, 1e-15);
	series_sweep_release(&sweep);
}

/* Each N had CPUs of its own, or another program placed the runs. */
static void without_common_cpus_no_n_is_full(void **state)
{
	static const char *const heads[] = {"# cpus: the first n of 0,1\n# cpus_allowed: 0-1\n",
					    ("# launcher: srun\n" HEAD), ""};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		char text[300];
		struct series_sweep sweep;

		snprintf(text, sizeof(text), "%s" NAMES "2,190,0.5,1.0,1,0.1,0.0\n", heads[i]);
		assert_int_equal(read_text(&sweep, text, &err), 0);
		assert_int_equal(sweep.cpus, 0);
		assert_true(isnan(sweep.full_n) != 0);
		series_sweep_release(&sweep);
	}
}

static void missing_columns_are_unknown(void **state)
{
	struct series_sweep sweep;
	struct err err;

	(void)state;
	assert_int_equal(read_text(&sweep, NAMES "1,10,,,1,,\n", &err), 0);
	assert_close(sweep.levels[0].throughput, 10, 1e-15);
	assert_true(sweep.levels[0].wall_s != sweep.levels[0].wall_s);
	assert_true(isnan(sweep.others) != 0);
	series_sweep_release(&sweep);
	assert_int_equal(read_text(&sweep, NAMES, &err), 0);
	assert_int_equal(sweep.count, 0);
	series_sweep_release(&sweep);
	assert_int_equal(read_text(&sweep, NAMES "1,fast,,,1,,\n", &err), -1);
	assert_non_null(strstr(err.text, "'fast' is not a number"));
	series_sweep_release(&sweep);
	assert_int_equal(read_text(&sweep, "a,b\n1,2\n", &err), -1);
	assert_non_null(strstr(err.text, "has no columns n and throughput"));
	series_sweep_release(&sweep);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_n_has_medians_and_ranges_of_its_runs),
	cmocka_unit_test(without_common_cpus_no_n_is_full),
	cmocka_unit_test(missing_columns_are_unknown),
};

TEST_FILE(tests);
