/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the programs that measure fits: a series, and the time of fits to it and to redrawn
 * ones. */
#ifndef PSCAL_TESTS_BENCH_FIT_BENCH_H
#define PSCAL_TESTS_BENCH_FIT_BENCH_H

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "fit/usl/usl.h"
#include "stats/series/series.h"
#include "table_file.h"

#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Sets alpha, beta, gamma, rss; returns 0, or -1 if the fit did not converge. */
typedef int bench_fit(double found[4], const struct series *series);

static inline struct series bench_read(const char *path)
{
	struct series series = {0};
	struct err err = {.text = ""};
	struct csv_table *table = table_file_read(path, &err);

	if (!table || table_file_series(&series, table, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	csv_table_free(table);
	return series;
}

static inline double bench_cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline void bench_fit_or_exit(double found[4], const struct series *series, bench_fit *fit)
{
	if (fit(found, series)) {
		fprintf(stderr, "%s: it cannot be fitted\n", series->source);
		exit(1);
	}
}

static inline double bench_one_s(const struct series *series, bench_fit *fit)
{
	enum { REPEATS = 2000 };
	double begin = bench_cpu_s(), found[4];

	for (int i = 0; i < REPEATS; i++)
		bench_fit_or_exit(found, series, fit);
	return (bench_cpu_s() - begin) / REPEATS;
}

/* The time of fits to the best fit with redrawn residuals; some may not converge. */
static inline double bench_refits_s(size_t *failed, const struct series *series, bench_fit *fit,
				    size_t refits)
{
	double *fitted = xcalloc(series->count, sizeof(*fitted)), begin, spent, found[4];
	struct series_point *points = xcalloc(series->count, sizeof(*points));
	struct series drawn = {.source = series->source, .points = points, .count = series->count};
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct usl usl = {0};

	bench_fit_or_exit(found, series, fit);
	usl.alpha = found[0];
	usl.beta = found[1];
	usl.gamma = found[2];
	for (size_t i = 0; i < series->count; i++)
		fitted[i] = usl_throughput(&usl, series->points[i].n);
	begin = bench_cpu_s();
	for (size_t k = 0; k < refits; k++) {
		for (size_t i = 0; i < series->count; i++) {
			size_t other = gsl_rng_uniform_int(random, series->count);
			double x = fitted[i] + series->points[other].throughput - fitted[other];

			points[i] = (struct series_point){series->points[i].n, x > 1e-9 ? x : 1e-9};
		}
		*failed += fit(found, &drawn) != 0;
	}
	spent = bench_cpu_s() - begin;
	gsl_rng_free(random);
	free(points);
	free(fitted);
	return spent;
}

/* Prints "value MEASURE READER SECONDS", of CPU time; for scripts/bench-fit. */
static inline void bench_print_times(const char *reader, const struct series *series,
				     bench_fit *fit, size_t refits)
{
	size_t failed = 0;

	printf("value fit_one %s %.9g\n", reader, bench_one_s(series, fit));
	printf("value fit_refits %s %.9g\n", reader, bench_refits_s(&failed, series, fit, refits));
	printf("value fit_failed %s %zu\n", reader, failed);
}

/* Prints "FILE FORM alpha beta gamma rss", without the end of the line. */
static inline void bench_print_numbers(const char *form, const struct series *series,
				       bench_fit *fit)
{
	double found[4];

	bench_fit_or_exit(found, series, fit);
	printf("%s %s %.15g %.15g %.15g %.15g", series->source, form, found[0], found[1], found[2],
	       found[3]);
}

#endif
