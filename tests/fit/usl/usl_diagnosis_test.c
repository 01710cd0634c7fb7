/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_diagnosis.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "fit/fitting.h"
#include "support.h"
#include "table_file.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct usl_form free_form = {.unbounded = true};

static struct usl_diagnosis *diagnose_form(const struct series *series, const struct usl_form *form)
{
	const struct usl_interval any = {0, INFINITY};
	struct usl usl = fitting_fit_form(series, form);

	return usl_diagnosis_new(&usl, series, &any, .95);
}

static struct usl_diagnosis *diagnose(const struct series *series)
{
	const struct usl_form form = {.model = USL_FULL};

	return diagnose_form(series, &form);
}

/* --- Certified numbers: of fits without bounds -------------------------------- */

static double cell(const struct csv_table *table, size_t row, const char *column)
{
	int where = csv_table_find(table, column);
	struct err err = {.text = ""};
	double value = NAN;

	assert_true(where >= 0);
	if (csv_table_number(table, &value, row, (size_t)where, &err))
		fail_msg("%s", err.text);
	return value;
}

static void check_point(const struct usl_point_diagnosis *point, const struct csv_table *table,
			size_t row)
{
	const double digits = 1e-6;

	assert_close(point->residual, cell(table, row, "resid"), digits);
	assert_close(point->fitted_se, cell(table, row, "se_fit"), digits);
	assert_close(point->fitted.low, cell(table, row, "conf_lo"), digits);
	assert_close(point->fitted.high, cell(table, row, "conf_hi"), digits);
	assert_close(point->measured.low, cell(table, row, "pred_lo"), digits);
	assert_close(point->measured.high, cell(table, row, "pred_hi"), digits);
	assert_close(point->hat, cell(table, row, "hat"), digits);
	assert_close(point->standardised, cell(table, row, "rstandard"), digits);
	assert_close(point->studentised, cell(table, row, "rstudent"), digits);
	assert_close(point->cook, cell(table, row, "cookD"), digits);
	assert_close(point->left_out.alpha, cell(table, row, "loo_alpha"), digits);
	assert_close(point->left_out.beta, cell(table, row, "loo_beta"), digits);
	assert_close(point->left_out.gamma, cell(table, row, "loo_gamma"), digits);
	assert_close(point->left_out.residual, cell(table, row, "loo_resid"), digits);
}

/* Returns the number of rows of the set in the table, from `row` on. */
static size_t check_set(const char *set, const struct csv_table *table, size_t row)
{
	struct series series = fitting_read(set);
	struct usl_diagnosis *diagnosis = diagnose_form(&series, &free_form);

	for (size_t i = 0; i < series.count; i++) {
		assert_string_equal(csv_table_cell(table, row + i, 0), set);
		assert_true(series.points[i].n == cell(table, row + i, "N"));
		check_point(&diagnosis->points[i], table, row + i);
	}
	row += series.count;
	usl_diagnosis_free(diagnosis);
	series_release(&series);
	return row;
}

static void every_point_meets_the_certified_numbers(void **state)
{
	static const char *const sets[] = {"raytracer6", "specsdm91", "codahale_example", "cisco",
					   "cisco10",	 "raytracer", "seed_table4"};
	struct err err = {.text = ""};
	struct csv_table *table = table_file_read("tests/data/fit/diagnostics.csv", &err);
	size_t row = 0;

	(void)state;
	if (!table)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < COUNT(sets); i++)
		row = check_set(sets[i], table, row);
	assert_int_equal(row, csv_table_rows(table));
	csv_table_free(table);
}

/* --- Weights, computed with R 4.2.2: nls() and the QR of its gradient ---------- */

static void all_numbers_of_a_point_use_the_weights(void **state)
{
	static const struct {
		size_t point;
		double hat, r, t, cook, se;
	} cases[] = {
		{0, 0.107875532, 0.06857968571, 0.06467444858, 0.000189568959, 0.146261004},
		{6, 0.2851644185, 0.2449601756, 0.2317244458, 0.007979191499, 0.3363022255},
		{11, 0.4673303627, 1.0720467359, 1.0821914153, 0.3361028839, 0.6088482620},
	};
	struct series_point points[] = {{1, 10.1},  {1, 9.9},	{2, 18.7},  {2, 19.1},
					{4, 33.5},  {4, 34.3},	{8, 52.2},  {8, 51.0},
					{16, 66.4}, {16, 65.1}, {32, 60.2}, {32, 61.9}};
	double weights[] = {4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1};
	struct series series = {.points = points, .weights = weights, .count = COUNT(points)};
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct usl_point_diagnosis *point = &diagnosis->points[cases[i].point];

		assert_close(point->hat, cases[i].hat, 1e-6);
		/* Residuals as large as the error of nls(). */
		assert_close(point->standardised, cases[i].r, 2e-5);
		assert_close(point->studentised, cases[i].t, 2e-5);
		assert_close(point->cook, cases[i].cook, 4e-5);
		assert_close(point->fitted_se, cases[i].se, 1e-6);
	}
	usl_diagnosis_free(diagnosis);
}

/* --- Outliers ------------------------------------------------------------------ */

static void an_outlier_is_named_and_a_scattering_point_is_not(void **state)
{
	struct series_point points[] = {{1, 10},   {2, 19.4},  {3, 28},	   {4, 35.4},  {6, 48.9},
					{8, 59.4}, {12, 75.5}, {16, 86.1}, {24, 96.2}, {32, 98.4}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_diagnosis *calm = diagnose(&series), *wild;

	(void)state;
	points[5].throughput *= .8;
	wild = diagnose(&series);
	assert_int_equal(calm->outliers, 0);
	assert_int_equal(wild->outliers, 1);
	assert_int_equal(wild->outlier.point, 5);
	assert_true(wild->points[5].outlier && !wild->points[4].outlier);
	assert_true(wild->sure_outlier);
	/* qt(1 - .05 / 20, 6) */
	assert_close(wild->outlier_limit, 4.316827, 1e-6);
	usl_diagnosis_free(calm);
	usl_diagnosis_free(wild);
}

static void the_drift_of_the_peak_names_the_point_that_moves_it(void **state)
{
	struct series series = fitting_read("specsdm91");
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	/* From the certified alpha and beta without N = 216 and without N = 36. */
	assert_close(diagnosis->drift.low, 82.146, 1e-4);
	assert_close(diagnosis->drift.high, 105.207, 1e-4);
	assert_int_equal(diagnosis->drift.point, 6);
	assert_false(diagnosis->drift.leaves);
	usl_diagnosis_free(diagnosis);
	series_release(&series);
}

static void a_peak_that_one_point_makes_leaves_its_interval(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18.3}, {4, 31}, {8, 47}, {16, 64.2}, {32, 45}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	assert_true(diagnosis->drift.leaves);
	assert_int_equal(diagnosis->drift.point, 5);
	usl_diagnosis_free(diagnosis);
}

/* --- Cases without a sentence --------------------------------------------------- */

static void points_on_a_curve_are_not_tested(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 20}, {4, 40}, {8, 80}, {8, 80}, {16, 160}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	assert_true(diagnosis->exact && diagnosis->distinct == 5);
	assert_true(isnan(diagnosis->outlier.value) && isnan(diagnosis->influence.value));
	assert_true(isnan(diagnosis->runs.p) && isnan(diagnosis->lack_of_fit.p));
	assert_true(isnan(diagnosis->knee.p) && !diagnosis->has_knee);
	assert_int_equal(diagnosis->outliers, 0);
	assert_false(usl_diagnosis_has_few_runs(diagnosis) || usl_diagnosis_lacks_fit(diagnosis));
	usl_diagnosis_free(diagnosis);
}

static void as_many_parameters_as_points_leave_nothing_to_compare(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18}, {4, 28}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		assert_close(diagnosis->points[i].hat, 1, 1e-9);
		assert_true(isnan(diagnosis->points[i].studentised));
		assert_true(isnan(diagnosis->points[i].cook));
		assert_true(isnan(diagnosis->points[i].fitted_se));
		assert_true(isnan(diagnosis->points[i].left_out.alpha));
	}
	assert_true(isnan(diagnosis->outlier_limit) && isnan(diagnosis->drift.low));
	usl_diagnosis_free(diagnosis);
}

/* On both bounds one parameter is left: h = n^2 / sum n^2. */
static void parameters_on_a_bound_have_no_share_in_the_hat_values(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 21}, {4, 43}, {8, 90}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_diagnosis *diagnosis = diagnose(&series);

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		assert_close(diagnosis->points[i].hat, points[i].n * points[i].n / 85, 1e-12);
		assert_true(diagnosis->points[i].left_out.alpha == 0);
		assert_true(isinf(diagnosis->points[i].left_out.peak_n));
	}
	assert_true(isnan(diagnosis->drift.low));
	usl_diagnosis_free(diagnosis);
}

static void many_points_have_no_refits_and_very_many_no_diagnosis(void **state)
{
	enum { MANY = USL_DIAGNOSIS_POINTS + 1 };
	static struct series_point points[MANY];
	struct series series = {.points = points, .count = MANY};
	struct usl_diagnosis *diagnosis;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		points[i] = (struct series_point){(double)(1 + i),
						  (double)(100 + (i * 7919 + i / 20) % 13)};
	diagnosis = diagnose(&series);
	assert_int_equal(diagnosis->distinct, MANY);
	assert_true(isnan(diagnosis->runs.p) && isnan(diagnosis->knee.p));
	usl_diagnosis_free(diagnosis);
	for (size_t i = 0; i < MANY; i++)
		points[i].n = (double)(1 + i % 20);
	diagnosis = diagnose(&series);
	assert_null(diagnosis->points);
	assert_false(diagnosis->left_out);
	assert_true(diagnosis->lack_of_fit.p >= 0);
	usl_diagnosis_free(diagnosis);
	series.count = USL_LEAVE_OUT_POINTS + 1;
	diagnosis = diagnose(&series);
	assert_non_null(diagnosis->points);
	assert_false(diagnosis->left_out);
	assert_true(isnan(diagnosis->points[0].left_out.alpha));
	assert_true(diagnosis->points[0].hat > 0);
	usl_diagnosis_free(diagnosis);
}

/* --- A knee ----------------------------------------------------------------------- */

static struct usl_knee knee_of(const struct series *series)
{
	struct usl_diagnosis *diagnosis = diagnose(series);
	struct usl_knee knee = diagnosis->knee;

	usl_diagnosis_free(diagnosis);
	return knee;
}

static bool has_knee(const struct series *series)
{
	struct usl_diagnosis *diagnosis = diagnose(series);
	bool has = diagnosis->has_knee;

	usl_diagnosis_free(diagnosis);
	return has;
}

/* Eight cores with two threads each: from N = 10 on a thread more brings less. */
static struct series_point hyperthreads[] = {{1, 100},	{2, 198},  {3, 295},  {4, 391},
					     {5, 484},	{6, 577},  {8, 761},  {10, 770},
					     {12, 808}, {14, 843}, {16, 881}, {20, 950}};

/* Newton's method in arithmetic with 50 digits, in one piece and in two at each place. */
static void a_knee_is_found_at_its_place(void **state)
{
	struct series series = {.points = hyperthreads, .count = COUNT(hyperthreads)};
	struct usl_knee knee = knee_of(&series);

	(void)state;
	assert_true(has_knee(&series));
	assert_int_equal(knee.places, 7);
	assert_true(knee.last == 8 && knee.first == 10);
	assert_close(knee.one_rss, 11352.4111834096, 1e-12);
	assert_close(knee.rss, 27.5598965936, 1e-9);
	assert_close(knee.distance_share, .0471679039617, 1e-9);
}

/* Then the weights are not estimated again. */
static void known_weights_are_taken(void **state)
{
	double weights[COUNT(hyperthreads)];
	struct series series = {
		.points = hyperthreads, .weights = weights, .count = COUNT(hyperthreads)};
	struct usl_knee once, twice;

	(void)state;
	for (size_t i = 0; i < COUNT(weights); i++)
		weights[i] = 1;
	once = knee_of(&series);
	series.weights = NULL;
	twice = knee_of(&series);
	/* 7 places, and F = 1438.21219972 for 2 and 7 degrees of freedom. */
	assert_close(once.p, 4.93470491799e-09, 1e-9);
	assert_close(once.rss, twice.rss, 1e-9);
	assert_true(twice.p > once.p);
}

static void one_curve_has_no_knee(void **state)
{
	static const char *const sets[] = {"raytracer", "raytracer6", "specsdm91", "cisco10",
					   "seed_table4"};

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		struct series series = fitting_read(sets[i]);
		struct usl_knee knee = knee_of(&series);

		assert_true(knee.places && knee.p >= .01);
		assert_false(has_knee(&series));
		series_release(&series);
	}
}

/* Even if it is certain. */
static void a_knee_of_less_than_one_percent_is_none(void **state)
{
	struct series_point points[16];
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_knee knee;

	(void)state;
	for (size_t i = 0; i < COUNT(points); i++) {
		double n = (double)i + 1, wave = i % 2 ? 1e-5 : -1e-5;

		points[i] = (struct series_point){n, 100 * n / (1 + .03 * (n - 1)) * (1 + wave) *
							     (n > 8 ? .995 : 1)};
	}
	knee = knee_of(&series);
	assert_true(knee.p < 1e-6);
	assert_true(knee.last == 8 && knee.first == 9);
	assert_false(has_knee(&series));
}

static void too_few_points_have_no_place_for_a_knee(void **state)
{
	struct series_point points[] = {{1, 10}, {2, 18.3}, {4, 31}, {4, 32},
					{8, 47}, {8, 46},   {16, 64}};
	struct series series = {.points = points, .count = COUNT(points)};
	struct usl_knee knee = knee_of(&series);

	(void)state;
	assert_int_equal(knee.places, 0);
	assert_true(isnan(knee.p) && isnan(knee.last) && isnan(knee.rss));
	assert_false(has_knee(&series));
}

/* --- Lack of fit ------------------------------------------------------------------ */

static struct usl_lack_of_fit lack_of_fit_of(const struct series *series)
{
	struct usl_diagnosis *diagnosis = diagnose(series);
	struct usl_lack_of_fit lack = diagnosis->lack_of_fit;

	usl_diagnosis_free(diagnosis);
	return lack;
}

static struct series_point repeated[] = {{1, 10.1},  {1, 9.9},	 {2, 18.7},  {2, 19.1},
					 {4, 33.5},  {4, 34.3},	 {8, 52.2},  {8, 51.0},
					 {16, 66.4}, {16, 65.1}, {32, 60.2}, {32, 61.9}};

/* R 4.2.2: nls() against lm(x ~ factor(n)), the second with weights. */
static void lack_of_fit_agrees_with_r(void **state)
{
	double weights[] = {4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1};
	static const double want[][3] = {{0.756086414814251, 0.802717010840, 0.536313529784},
					 {0.891627725006356, 0.993286376424, 0.457245493010}};

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		struct series series = {.points = repeated,
					.weights = i ? weights : NULL,
					.count = COUNT(repeated)};
		struct usl_lack_of_fit lack = lack_of_fit_of(&series);

		assert_int_equal(lack.distinct, 6);
		assert_int_equal(lack.pure_df, 6);
		assert_int_equal(lack.lack_df, 3);
		assert_close(lack.pure_error, want[i][0], 1e-12);
		assert_close(lack.f, want[i][1], 1e-9);
		assert_close(lack.p, want[i][2], 1e-9);
	}
}

static void there_is_no_test_without_pure_error_or_freedom(void **state)
{
	static struct {
		struct series_point points[6];
		size_t count, pure_df, lack_df;
		double pure_error;
	} cases[] = {
		/* no repeated N */
		{{{1, 10}, {2, 18}, {4, 30}, {8, 40}}, 4, 0, 1, NAN},
		/* copies */
		{{{1, 10}, {1, 10}, {2, 18}, {4, 30}, {8, 40}, {8, 40}}, 6, 2, 1, 0},
		/* three N, three parameters */
		{{{1, 10}, {1, 11}, {2, 18}, {2, 19}, {4, 28}, {4, 29}}, 6, 3, 0, .70710678118655},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series series = {.points = cases[i].points, .count = cases[i].count};
		struct usl_lack_of_fit lack = lack_of_fit_of(&series);

		assert_int_equal(lack.pure_df, cases[i].pure_df);
		assert_int_equal(lack.lack_df, cases[i].lack_df);
		assert_true(isnan(lack.f) && isnan(lack.p));
		if (isnan(cases[i].pure_error))
			assert_true(isnan(lack.pure_error));
		else
			assert_close(lack.pure_error, cases[i].pure_error, 1e-12);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_point_meets_the_certified_numbers),
	cmocka_unit_test(all_numbers_of_a_point_use_the_weights),
	cmocka_unit_test(an_outlier_is_named_and_a_scattering_point_is_not),
	cmocka_unit_test(the_drift_of_the_peak_names_the_point_that_moves_it),
	cmocka_unit_test(a_peak_that_one_point_makes_leaves_its_interval),
	cmocka_unit_test(points_on_a_curve_are_not_tested),
	cmocka_unit_test(as_many_parameters_as_points_leave_nothing_to_compare),
	cmocka_unit_test(parameters_on_a_bound_have_no_share_in_the_hat_values),
	cmocka_unit_test(many_points_have_no_refits_and_very_many_no_diagnosis),
	cmocka_unit_test(a_knee_is_found_at_its_place),
	cmocka_unit_test(known_weights_are_taken),
	cmocka_unit_test(one_curve_has_no_knee),
	cmocka_unit_test(a_knee_of_less_than_one_percent_is_none),
	cmocka_unit_test(too_few_points_have_no_place_for_a_knee),
	cmocka_unit_test(lack_of_fit_agrees_with_r),
	cmocka_unit_test(there_is_no_test_without_pure_error_or_freedom),
};

TEST_FILE(tests);
