/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_questions.h"

#include "fit/usl/usl.h"
#include "support.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double digits = 1e-12;

static const double alphas[] = {-.3, -.01, 0, 1e-6, .0277, .5, .999, 1, 1.5};
static const double betas[] = {-1e-4, 0, 1e-9, 1.04e-4, .002, .3, 2};
static const double gammas[] = {1e-3, 1, 90, 4e7};
static const double concurrencies[] = {.1, .5, 1, 1.5, 2, 7, 31.5, 96, 500, 1e4};

/* Calls `check` for each law, and each N at which the law is valid: D > 0. */
static void over_the_grid(void (*check)(const struct usl *usl, double n))
{
	for (size_t a = 0; a < COUNT(alphas); a++)
		for (size_t b = 0; b < COUNT(betas); b++)
			for (size_t g = 0; g < COUNT(gammas); g++)
				for (size_t k = 0; k < COUNT(concurrencies); k++) {
					const struct usl usl = {.alpha = alphas[a],
								.beta = betas[b],
								.gamma = gammas[g]};
					double x = usl_throughput(&usl, concurrencies[k]);

					if (isfinite(x) && x > 0)
						check(&usl, concurrencies[k]);
				}
}

/* X(N) with more digits than a double, which the law lacks near D = 0. */
static double exact_throughput(const struct usl *usl, double n)
{
	long double alpha = usl->alpha, beta = usl->beta, m = (long double)n - 1;

	return (double)(usl->gamma * (long double)n / (1 + alpha * m + beta * n * m));
}

/* Near the peak N has half as many digits as X: there X must come back. */
static void check_throughput(const struct usl *usl, double n)
{
	double x = exact_throughput(usl, n);
	double slope =
		(1 - usl->alpha - usl->beta * n * n) * x / (usl->gamma * n); /* d ln X / d ln N */
	struct usl_branches got = usl_n_of_throughput(usl, x);

	if (slope == 0 && usl->beta == 0)
		return; /* X is gamma everywhere */
	if (slope > 1e-3)
		assert_close(got.rising, n, 1e3 * digits);
	if (slope < -1e-3)
		assert_close(got.falling, n, 1e3 * digits);
	assert_true(isfinite(got.rising) || isfinite(got.falling));
	if (isfinite(got.rising))
		assert_close(exact_throughput(usl, got.rising), x, digits);
	if (isfinite(got.falling))
		assert_close(exact_throughput(usl, got.falling), x, digits);
}

static void the_inverse_of_a_throughput_is_its_n_on_its_branch(void **state)
{
	(void)state;
	over_the_grid(check_throughput);
}

/* The inverse is on the branch of rising latency; with alpha, beta >= 0 that is from N = 1/2 on. */
static void check_latency(const struct usl *usl, double n)
{
	double r = n / usl_throughput(usl, n), e = usl_efficiency_at(usl, n);

	assert_close(r * usl_throughput(usl, n), n, digits);
	assert_close(e, usl_throughput(usl, n) / (n * usl_throughput(usl, 1)), digits);
	if (usl->beta < 0 && usl->alpha + usl->beta <= 0)
		return; /* latency falls from N = 1 on */
	if (!(2 * usl->beta * (n - 1) + usl->alpha + usl->beta > 1e-6 * (1 + n)))
		return;
	assert_close(usl_n_of_latency(usl, r), n, 1e-9);
	assert_close(usl_n_of_efficiency(usl, e), n, 1e-9);
	assert_close(usl_n_of_latency(usl, r) / usl_throughput(usl, usl_n_of_latency(usl, r)), r,
		     digits);
	assert_close(usl_efficiency_at(usl, usl_n_of_efficiency(usl, e)), e, digits);
}

static void the_inverse_of_latency_and_efficiency_is_their_n(void **state)
{
	(void)state;
	over_the_grid(check_latency);
}

/* Gunther, Subramanyam and Parvu 2011, tables 2 and 3: the peak is where both branches meet. */
static void both_branches_meet_at_the_published_peaks(void **state)
{
	static const struct {
		double alpha, beta, peak_n, digits;
	} published[] = {
		{.0255, .0210, 6.8121, 1e-5}, {.0821, .0207, 6.6591, 1e-5},
		{.0988, .0209, 6.5666, 1e-5}, {1.49e-5, 6.7e-9, 12216.85, 1e-6},
		{0, 2.4e-7, 2041.24, 2e-6},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(published); i++) {
		const struct usl usl = {
			.alpha = published[i].alpha, .beta = published[i].beta, .gamma = 20};
		double most = usl_peak_throughput(&usl);
		struct usl_branches peak = usl_n_of_throughput(&usl, most);
		struct usl_branches below = usl_n_of_throughput(&usl, .9 * most);

		assert_close(peak.rising, published[i].peak_n, published[i].digits);
		assert_close(peak.falling, published[i].peak_n, published[i].digits);
		assert_close(sqrt(below.rising * below.falling), usl_peak_n(&usl), 1e-12);
	}
}

static void small_cases_agree_with_answers_by_hand(void **state)
{
	static const struct {
		struct usl usl;
		double x, rising, falling;
	} cases[] = {
		/* 8 D = 6 + N + N^2, so X = 80 N / (6 + N + N^2): 10 at N = 1 and 6 */
		{{.alpha = .25, .beta = .125, .gamma = 10}, 10, 1, 6},
		/* ... and 40/3 at 2 and 3 */
		{{.alpha = .25, .beta = .125, .gamma = 10}, 40. / 3, 2, 3},
		/* Amdahl: X = 40 N / (3 + N), at most 40 */
		{{.alpha = .25, .gamma = 10}, 30, 9, NAN},
		{{.alpha = .25, .gamma = 10}, 40, NAN, NAN},
		{{.alpha = .25, .gamma = 10}, 41, NAN, NAN},
		/* linear */
		{{.gamma = 10}, 35, 3.5, NAN},
		/* no contention: X = 40 N / (4 - N + N^2), at most 40/3 at 2 */
		{{.beta = .25, .gamma = 10}, 40. / 3, 2, 2},
		{{.beta = .25, .gamma = 10}, 13.4, NAN, NAN},
		/* alpha = 1: X = 10 / (1 + (N - 1)/2) falls from the first on */
		{{.alpha = 1, .beta = .5, .gamma = 10}, 5, NAN, 3},
		/* superlinear: X = 10 N / (1.5 - N/2) has a pole at 3 */
		{{.alpha = -.5, .gamma = 10}, 40, 2, NAN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usl_branches got = usl_n_of_throughput(&cases[i].usl, cases[i].x);

		assert_int_equal(isnan(got.rising), isnan(cases[i].rising));
		assert_int_equal(isnan(got.falling), isnan(cases[i].falling));
		if (!isnan(got.rising))
			assert_close(got.rising, cases[i].rising, 1e-7);
		if (!isnan(got.falling))
			assert_close(got.falling, cases[i].falling, 1e-7);
	}
}

/* D = 1 + (N - 1)/4 + N (N - 1)/8 is 1, 1.5, 2.25 and 3.25 at 1, 2, 3 and 4. */
static void a_target_that_is_never_or_always_met_has_no_n_or_every_n(void **state)
{
	static const struct {
		struct usl usl;
		double slowdown, n;
	} cases[] = {
		{{.alpha = .25, .beta = .125, .gamma = 8}, 1, 1},
		{{.alpha = .25, .beta = .125, .gamma = 8}, 2.25, 3},
		{{.alpha = .25, .beta = .125, .gamma = 8}, 3.25, 4},
		{{.alpha = .25, .beta = .125, .gamma = 8}, .1, NAN},
		{{.alpha = .25, .gamma = 8}, 2, 5},
		{{.gamma = 8}, 1, INFINITY},
		{{.gamma = 8}, .99, NAN},
		/* falls below 1 first: D = 1 - (N - 1)/4 + N (N - 1)/8 is 1 at 1 and 2, 1.25 at 3..
		 */
		{{.alpha = -.25, .beta = .125, .gamma = 8}, 1, 2},
		{{.alpha = -.25, .beta = .125, .gamma = 8}, 1.75, 4},
		{{.alpha = -.25, .beta = .125, .gamma = 8}, .5, NAN},
		{{.alpha = -.25, .gamma = 8}, 1, INFINITY},
		{{.alpha = -.125, .beta = .125, .gamma = 8}, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double by_latency = usl_n_of_latency(&cases[i].usl, cases[i].slowdown / 8);
		double by_share = usl_n_of_efficiency(&cases[i].usl, 1 / cases[i].slowdown);

		if (!isfinite(cases[i].n)) {
			assert_int_equal(isnan(by_latency), isnan(cases[i].n));
			assert_int_equal(isnan(by_share), isnan(cases[i].n));
			assert_int_equal(isinf(by_share), isinf(cases[i].n));
			continue;
		}
		assert_close(by_latency, cases[i].n, digits);
		assert_close(by_share, cases[i].n, digits);
	}
}

static void extreme_magnitudes_neither_overflow_nor_vanish(void **state)
{
	const struct usl usl = {.alpha = .03, .beta = 1e-4, .gamma = 1e-150};
	struct usl_branches tiny = usl_n_of_throughput(&usl, 1e-300);

	(void)state;
	assert_close(usl_throughput(&usl, tiny.rising), 1e-300, 1e-12);
	assert_close(usl_throughput(&usl, tiny.falling), 1e-300, 1e-12);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_inverse_of_a_throughput_is_its_n_on_its_branch),
	cmocka_unit_test(the_inverse_of_latency_and_efficiency_is_their_n),
	cmocka_unit_test(both_branches_meet_at_the_published_peaks),
	cmocka_unit_test(small_cases_agree_with_answers_by_hand),
	cmocka_unit_test(a_target_that_is_never_or_always_met_has_no_n_or_every_n),
	cmocka_unit_test(extreme_magnitudes_neither_overflow_nor_vanish),
};

TEST_FILE(tests);
