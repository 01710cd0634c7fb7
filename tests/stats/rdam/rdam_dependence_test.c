/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"
#include "random.h"
#include "stats/rdam_analysed.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

enum { MANY = 2000 };

/* In (0, 1) */
static double uniform(struct random *random)
{
	return ((double)random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* Time that is lost in a tenth of the calls: exponential. */
static double disturbance(struct random *random)
{
	return random_one_in(random, 10) ? -1000 * log(uniform(random)) : 0;
}

static void durations_that_grow_with_an_argument_depend_on_it(void **state)
{
	struct random random = {1};
	double x[MANY], y[MANY];
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		x[i] = (double)random_below(&random, 100000);
		y[i] = 500 + 0.25 * x[i] + 20 * uniform(&random);
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.tested && dependence.depends && !dependence.by_value);
	assert_true(dependence.spearman > 0.999);
	assert_close(dependence.slope, 0.25e-9, 1e-3);
	assert_true(dependence.score < 0.002);
}

/* Quadratic: a line leaves much variation, a min for each value only the noise. */
static void few_values_each_have_a_min_of_their_own(void **state)
{
	struct random random = {2};
	double x[MANY], y[MANY], noise = 0, all = 0;
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		double more = 20 * uniform(&random);

		x[i] = (double)(i % 10);
		y[i] = 100 * x[i] * x[i] + more;
		noise += more;
		all += y[i];
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.depends && dependence.by_value);
	assert_close(dependence.score, noise / all, 0.02);
}

static void the_residuals_of_the_line_are_the_disturbance(void **state)
{
	struct random random = {3};
	double x[MANY], y[MANY], lost = 0, disturbed = 0;
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		double more = disturbance(&random);

		x[i] = (double)i;
		y[i] = 3 * x[i] + more;
		disturbed += more;
		lost += y[i];
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.depends);
	assert_close(dependence.score, disturbed / lost, 0.05);
}

/* Significant, but it explains little: the rank correlation is about 0.3. */
static void a_weak_dependence_is_ignored(void **state)
{
	struct random random = {5};
	double x[MANY], y[MANY];
	struct rdam_dependence dependence;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		x[i] = uniform(&random);
		y[i] = 0.3 * x[i] + uniform(&random);
	}
	dependence = rdam_dependence_of(x, y, MANY);
	assert_true(dependence.tested && dependence.spearman > 0.2 && dependence.spearman < 0.4);
	assert_false(dependence.depends);
}

/* At most one argument in a thousand, also with few values and many ties. */
static void random_durations_hardly_ever_depend_on_an_argument(void **state)
{
	enum { TRIALS = 4000 };
	static const size_t counts[] = {12, 16, 24, 44};
	struct random random = {4};

	(void)state;
	for (size_t c = 0; c < 4; c++) {
		size_t wrong = 0;

		for (size_t i = 0; i < TRIALS; i++) {
			double x[44], y[44];

			for (size_t k = 0; k < counts[c]; k++) {
				x[k] = (double)random_below(&random, i % 2 ? 4 : 1000);
				y[k] = 100 + disturbance(&random) + 5 * uniform(&random);
			}
			wrong += rdam_dependence_of(x, y, counts[c]).depends;
		}
		if (wrong > 2 * TRIALS / 1000)
			fail_msg("%zu of %d with %zu calls", wrong, TRIALS, counts[c]);
	}
}

static void untestable_arguments_are_not_tested(void **state)
{
	static const double y[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	static const double cases[][12] = {
		{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
		{1, 2, 3, 4, (double)NAN, 6, 7, 8, 9, 10, 11, 12},
		{1, 2, 3, 4, (double)INFINITY, 6, 7, 8, 9, 10, 11, 12},
		{0x1p46, 0x1.1p46, 0x1.2p46, 0x1.3p46, 0x1.4p46, 0x1.5p46, 0x1.6p46, 0x1.7p46,
		 0x1.8p46, 0x1.9p46, 0x1.ap46, 0x1.bp46},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_false(rdam_dependence_of(cases[i], y, 12).tested);
		assert_false(rdam_dependence_of(cases[i], y, 12).depends);
	}
	assert_true(rdam_dependence_of(y, y, 12).depends);
	assert_false(rdam_dependence_of(y, y, RDAM_TESTED_LEAST - 1).tested);
	assert_true(rdam_dependence_of(y, cases[0], 12).tested);
	assert_false(rdam_dependence_of(y, cases[0], 12).depends);
	assert_close(rdam_dependence_of(y, cases[0], 12).spearman, 0, 0);
}

/* Six values, each of which occurs 10 times, or one of them only 9 times. */
static void ten_calls_of_each_value_are_enough_for_a_min_of_its_own(void **state)
{
	double x[60], y[60];

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		x[i] = (double)(i / 10);
		y[i] = 100 + 50 * x[i] + (double)(i % 10);
	}
	assert_true(rdam_dependence_of(x, y, 60).by_value);
	assert_false(rdam_dependence_of(x, y, 59).by_value);
}

/* Differences of these are infinite, or quotients, or both. */
static void the_largest_and_the_smallest_values_give_numbers(void **state)
{
	static const double scales[] = {0x1p1013, 0x1p-1073, 0x1p64, 0x1p53};

	(void)state;
	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		double x[MANY], y[MANY];
		struct rdam_dependence dependence;

		for (size_t k = 0; k < MANY; k++) {
			x[k] = scales[i] * ((double)(k % 1900) + 0.5);
			x[k] *= k % 2 ? -1 : 1;
			y[k] = 1000 + (x[k] < 0 ? -1. : 1.) * (double)(k % 1900) / 2;
		}
		dependence = rdam_dependence_of(x, y, MANY);
		assert_true(dependence.tested && dependence.depends);
		assert_true(isfinite(dependence.slope) && dependence.slope >= 0);
		assert_true(dependence.score >= 0 && dependence.score <= 1);
		assert_true(dependence.spearman > 0.99 && dependence.spearman <= 1);
	}
}

/* --- Known functions ----------------------------------------------------------------------- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { KNOWN_MOST = 64 };

/* Each name is a block that is called twice. */
static void assert_known(const char *const *names, size_t count, bool known)
{
	struct event events[4 * KNOWN_MOST];
	struct analysed of = {0};

	assert_true(count <= KNOWN_MOST);
	for (size_t i = 0; i < 4 * count; i++) {
		events[i] = event_new(i % 2 ? EVENT_LEAVE : EVENT_ENTER, 1000 + 10 * i);
		events[i].tid = 100;
		events[i].block = (uint32_t)(i / 4);
	}
	of.source = array_source(events, 4 * count);
	for (size_t i = 0; i < count; i++)
		blocks_number(&of.source->blocks, names[i], strlen(names[i]));
	analyse(&of, &(struct rdam_options){0});
	assert_int_equal(of.rdam.row_count, count);
	for (size_t i = 0; i < count; i++)
		if (row_of(&of.rdam, names[i])->known_dependent != known)
			fail_msg("%s", names[i]);
	release(&of);
}

/* From the begin, the middle and the end of the list, which is sorted for a binary search. */
static void functions_whose_work_is_an_argument_are_known(void **state)
{
	static const char *const names[] = {
		"memcpy",
		"memmove",
		"memset",
		"memcmp",
		"qsort",
		"qsort_r",
		"bsearch",
		"read",
		"write",
		"send",
		"recv",
		"sendto",
		"recvmsg",
		"malloc",
		"calloc",
		"realloc",
		"free",
		"fread",
		"fwrite",
		"nanosleep",
		"clock_nanosleep",
		"usleep",
		"sleep",
		"poll",
		"ppoll",
		"select",
		"epoll_wait",
		"strlen",
		"strcmp",
		"strdup",
		"bcmp",
		"writev",
		"pread64",
		"getline",
		"deflate",
		"inflate",
		"mmap",
		"munmap",
		"copy_file_range",
		"vsnprintf",
		"wmemset",
		"sendfile",
		/* under other names */
		"__memcpy_chk",
		"memcpy@plt",
		"__memmove_avx_unaligned_erms",
		"libc.so.6:memcpy",
		"__libc_malloc",
		"__GI___libc_write",
		"memcpy@@GLIBC_2.14",
		"__read_nocancel",
		"__memset_evex_unaligned",
		"__strlen_sse2",
	};

	(void)state;
	assert_known(names, COUNT(names), true);
}

static void other_functions_are_unknown(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"main",
		"pthread_mutex_lock",
		"pthread_cond_wait",
		"sem_wait",
		"memcpy2",
		"my_memcpy",
		"reader",
		"memcp",
		"pthread_barrier_wait",
		"fsync",
		"a:b",
		"_chk",
		"a_name_that_is_far_longer_than_any_function_of_the_c_library_will_ever_have_it",
	};

	(void)state;
	assert_known(names, COUNT(names), false);
}

/* --- The slope ----------------------------------------------------------------------------- */

enum { ALL_PAIRS = 400, SLOPES_MOST = ALL_PAIRS * (ALL_PAIRS - 1) / 2 };

/* The slow way: of all pairs with different x. */
static double median_slope(const double *x, const double *y, size_t count)
{
	double *slopes = xcalloc(SLOPES_MOST, sizeof(*slopes)), median;
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (x[i] < x[k] || x[i] > x[k])
				slopes[found++] = (y[k] - y[i]) / (x[k] - x[i]);
	gsl_sort(slopes, 1, found);
	median = gsl_stats_median_from_sorted_data(slopes, 1, found);
	free(slopes);
	return median;
}

/* Many x are equal, and such pairs have no slope. */
static void the_slope_is_the_median_of_all_pairs(void **state)
{
	static const size_t counts[] = {12, 13, 57, ALL_PAIRS};
	struct random random = {6};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		double x[ALL_PAIRS], y[ALL_PAIRS];

		for (size_t k = 0; k < counts[i]; k++) {
			x[k] = (double)(k % (counts[i] / 2));
			y[k] = 100 + 5 * x[k] + 3 * uniform(&random);
		}
		assert_close(rdam_dependence_of(x, y, counts[i]).slope,
			     median_slope(x, y, counts[i]) / 1e9, 1e-12);
	}
}

/* An eighth of the points is far above the line, with few points and with many. */
static void wild_points_do_not_decide(void **state)
{
	static const size_t counts[] = {ALL_PAIRS, 20 * ALL_PAIRS};
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		size_t count = counts[i];
		double *x = xcalloc(count, sizeof(*x)), *y = xcalloc(count, sizeof(*y));
		struct rdam_dependence one, again;

		for (size_t k = 0; k < count; k++) {
			x[k] = (double)random_below(&random, 1000);
			y[k] = 7 + 3 * x[k] + (double)random_below(&random, 100);
			y[k] += random_one_in(&random, 8) ? 1e5 : 0;
		}
		one = rdam_dependence_of(x, y, count);
		again = rdam_dependence_of(x, y, count);
		assert_true(one.depends);
		assert_close(one.slope, 3e-9, 0.05);
		assert_memory_equal(&one.slope, &again.slope, sizeof(one.slope));
		free(x);
		free(y);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(durations_that_grow_with_an_argument_depend_on_it),
	cmocka_unit_test(few_values_each_have_a_min_of_their_own),
	cmocka_unit_test(the_residuals_of_the_line_are_the_disturbance),
	cmocka_unit_test(a_weak_dependence_is_ignored),
	cmocka_unit_test(random_durations_hardly_ever_depend_on_an_argument),
	cmocka_unit_test(untestable_arguments_are_not_tested),
	cmocka_unit_test(ten_calls_of_each_value_are_enough_for_a_min_of_its_own),
	cmocka_unit_test(the_largest_and_the_smallest_values_give_numbers),
	cmocka_unit_test(functions_whose_work_is_an_argument_are_known),
	cmocka_unit_test(other_functions_are_unknown),
	cmocka_unit_test(the_slope_is_the_median_of_all_pairs),
	cmocka_unit_test(wild_points_do_not_decide),
};

TEST_FILE(tests);
