/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the time of pscal's fit without the rest of the program, and prints its result.
 *
 *	fit_speed time FILE REFITS	"value MEASURE READER SECONDS", of CPU
 *	fit_speed numbers FILE...	"FILE FORM alpha beta gamma rss [6 ends of intervals]"
 *
 * FORM is free, or bounded: alpha, beta >= 0. fit_gsl.c and fit_nls.R fit the same series.
 */
#include "fit_bench.h"

#include "fit/usl/usl_intervals.h"

#include <string.h>

static int fit_with(struct usl *usl, double found[4], const struct series *series, bool unbounded)
{
	const struct usl_form form = {.model = USL_FULL, .unbounded = unbounded};
	struct err err;

	if (usl_fit(usl, series, &form, &err))
		return -1;
	found[0] = usl->alpha;
	found[1] = usl->beta;
	found[2] = usl->gamma;
	found[3] = usl->rss;
	return 0;
}

static int fit_bounded(double found[4], const struct series *series)
{
	struct usl usl;

	return fit_with(&usl, found, series, false);
}

static int fit_free(double found[4], const struct series *series)
{
	struct usl usl;

	return fit_with(&usl, found, series, true);
}

static void find_ends(struct usl_interval ends[3], const struct usl *usl,
		      const struct series *series)
{
	struct usl_intervals *region = usl_intervals_new(usl, series, 0.95, NULL);

	ends[0] = usl_interval_of(region, USL_ALPHA, 0);
	ends[1] = usl_interval_of(region, USL_BETA, 0);
	ends[2] = usl_interval_of(region, USL_GAMMA, 0);
	usl_intervals_free(region);
}

/* The time of the intervals of the three parameters. */
static double ends_s(const struct series *series)
{
	enum { REPEATS = 200 };
	struct usl_interval ends[3];
	double begin, found[4];
	struct usl usl;

	if (fit_with(&usl, found, series, true))
		return 0;
	begin = bench_cpu_s();
	for (int i = 0; i < REPEATS; i++)
		find_ends(ends, &usl, series);
	return (bench_cpu_s() - begin) / REPEATS;
}

static void print_ends(const struct series *series)
{
	struct usl_interval ends[3];
	double found[4];
	struct usl usl;

	if (fit_with(&usl, found, series, true))
		return;
	find_ends(ends, &usl, series);
	for (size_t i = 0; i < 3; i++)
		printf(" %.15g %.15g", ends[i].low, ends[i].high);
}

int main(int argc, char **argv)
{
	struct series series;

	if (argc == 4 && strcmp(argv[1], "time") == 0) {
		series = bench_read(argv[2]);
		bench_print_times("fit", &series, fit_bounded, strtoul(argv[3], NULL, 10));
		printf("value fit_ends fit %.9g\n", ends_s(&series));
		series_release(&series);
		return 0;
	}
	for (int i = 2; i < argc; i++) {
		series = bench_read(argv[i]);
		bench_print_numbers("free", &series, fit_free);
		print_ends(&series);
		puts("");
		bench_print_numbers("bounded", &series, fit_bounded);
		puts("");
		series_release(&series);
	}
	return 0;
}
