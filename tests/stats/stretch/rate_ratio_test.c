/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "support.h"

#include <math.h>

static struct rate_ratio ratio_of(const double *above, size_t above_runs, double above_samples,
				  const double *below, size_t below_runs, double below_samples)
{
	const struct rate one = {above, above_runs, above_samples, false, 0};
	const struct rate other = {below, below_runs, below_samples, false, 0};
	struct rate_ratio ratio;

	rate_ratio_init(&ratio, &one, &other, .95);
	return ratio;
}

/*
 * Wilson's interval of 40 of 100 at 95 % is 0.309401 to 0.497998 (R: prop.test(40, 100, correct =
 * FALSE)); its odds are those of the rates, as samples stand for equal times.
 */
static void one_run_each_has_the_interval_of_a_share(void **state)
{
	const double seconds[] = {.4, .6};
	struct rate_ratio ratio = ratio_of(&seconds[0], 1, 40, &seconds[1], 1, 60);

	(void)state;
	assert_close(ratio.value, 2. / 3, 1e-12);
	assert_close(ratio.from, .309401 / (1 - .309401), 1e-5);
	assert_close(ratio.to, .497998 / (1 - .497998), 1e-5);
}

static void samples_may_stand_for_different_times(void **state)
{
	const double seconds[] = {.8, .6};
	struct rate_ratio ratio = ratio_of(&seconds[0], 1, 40, &seconds[1], 1, 60);

	(void)state;
	assert_close(ratio.value, 4. / 3, 1e-12);
	assert_close(ratio.from, 2 * .309401 / (1 - .309401), 1e-5);
}

/*
 * Logarithms of 1, 2, 4 and of 1, 4: means ln 2 and ln 2, variances ln(2)^2 and 2 ln(2)^2, of the
 * means 1/3 and 1 of ln(2)^2; Welch's degrees of freedom (4/3)^2 / (1/9 / 2 + 1) = 1.684211, for
 * which Student's quantile is 5.198 (R: qt(.975, 1.684211) = 5.198203).
 */
static void several_runs_have_the_interval_of_their_spread(void **state)
{
	const double above[] = {1, 2, 4}, below[] = {1, 4};
	struct rate_ratio ratio = ratio_of(above, 3, 700, below, 2, 500);
	double width = sqrt(4. / 3) * log(2);

	(void)state;
	assert_close(ratio.value, 7. / 3 / 2.5, 1e-12);
	assert_close(log(ratio.to / ratio.value), -log(ratio.from / ratio.value), 1e-9);
	assert_close(log(ratio.to / ratio.value) / width, 5.198, 2e-2);
}

/* Equal runs: only the uncertainty of the samples of the single run remains, 1.96 / sqrt(100).
 */
static void a_single_run_has_the_variance_of_its_samples(void **state)
{
	const double above[] = {2, 2, 2}, below[] = {1};
	struct rate_ratio ratio = ratio_of(above, 3, 600, below, 1, 100);

	(void)state;
	assert_close(ratio.value, 2, 1e-12);
	assert_close(log(ratio.to / 2), 1.959964 / 10, 1e-3);
}

/*
 * ... or that of the runs of the other side, if they vary more: logarithms 0 and ln 2 have the
 * variance ln(2)^2 / 2, their mean half of that; degrees of freedom (3/4)^2 / ((1/4)^2 + (1/2)^2) =
 * 1.8, for which Student's quantile is 4.795 (Student's density integrated numerically: 4.79488).
 */
static void a_single_run_varies_as_the_runs_of_the_other_side(void **state)
{
	const double above[] = {1, 2}, below[] = {1};
	struct rate_ratio ratio = ratio_of(above, 2, 1e6, below, 1, 1e6);
	struct rate_ratio turned = ratio_of(below, 1, 1e6, above, 2, 1e6);
	double width = sqrt(3. / 4) * log(2);

	(void)state;
	assert_close(log(ratio.to / ratio.value) / width, 4.79488, 1e-3);
	assert_close(log(turned.to / turned.value) / width, 4.79488, 1e-3);
}

static void missing_runs_have_no_ratio(void **state)
{
	const double none[] = {0, 0}, some[] = {1, 2};
	struct rate_ratio ratio = ratio_of(some, 1, 10, none, 1, 0);

	(void)state;
	assert_true(isnan(ratio.value) && isnan(ratio.from) && isnan(ratio.to));
	ratio = ratio_of(none, 1, 0, some, 1, 10);
	assert_close(ratio.value, 0, 1e-12);
	assert_true(isnan(ratio.from));
	ratio = ratio_of(none, 2, 0, some, 2, 10);
	assert_true(isnan(ratio.from) && isnan(ratio.to));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(one_run_each_has_the_interval_of_a_share),
	cmocka_unit_test(samples_may_stand_for_different_times),
	cmocka_unit_test(several_runs_have_the_interval_of_their_spread),
	cmocka_unit_test(a_single_run_has_the_variance_of_its_samples),
	cmocka_unit_test(a_single_run_varies_as_the_runs_of_the_other_side),
	cmocka_unit_test(missing_runs_have_no_ratio),
};

TEST_FILE(tests);
