/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how often a comparison of two series finds a change where there is none, and how often
 * its interval holds a true change, for SETS pairs of series: known laws, points with normal
 * scatter. B has FACTOR times the throughput and the scatter in the rows.
 *
 *	fit_changes [SETS]
 */
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_compare.h"
#include "stats/series/series.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { POINTS = 12 };

static const double level = .95;

struct design {
	size_t count;
	double n[POINTS];
	struct usl truth;
	double sigma;
};

#define SPECSDM91 .count = 7, .n = {1, 18, 36, 72, 108, 144, 216}
#define CISCO	  .count = 12, .n = {1, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 32}

static const struct {
	const char *name;
	struct design a, b;
} rows[] = {
	{"7, 7: no change",
	 {SPECSDM91, {.alpha = .0277, .beta = .000104, .gamma = 90}, 25},
	 {SPECSDM91, {.alpha = .0277, .beta = .000104, .gamma = 90}, 25}},
	{"7, 7: 3 x the scatter",
	 {SPECSDM91, {.alpha = .0277, .beta = .000104, .gamma = 90}, 10},
	 {SPECSDM91, {.alpha = .0277, .beta = .000104, .gamma = 90}, 30}},
	{"12, 12: no change",
	 {CISCO, {.alpha = .0267, .beta = .000769, .gamma = 996}, 188},
	 {CISCO, {.alpha = .0267, .beta = .000769, .gamma = 996}, 188}},
	{"12, 12: 1/10, 3 x",
	 {CISCO, {.alpha = .0267, .beta = .000769, .gamma = 996}, 100},
	 {CISCO, {.alpha = .0267, .beta = .000769, .gamma = 99.6}, 30}},
	{"7, 12: no change",
	 {SPECSDM91, {.alpha = .0267, .beta = .0004, .gamma = 90}, 20},
	 {CISCO, {.alpha = .0267, .beta = .0004, .gamma = 90}, 20}},
	{"12, 12: both changed",
	 {CISCO, {.alpha = .0267, .beta = .000769, .gamma = 996}, 188},
	 {CISCO, {.alpha = .06, .beta = .0004, .gamma = 900}, 188}},
	{"7, 7: beta changed",
	 {SPECSDM91, {.alpha = .0277, .beta = .000104, .gamma = 90}, 25},
	 {SPECSDM91, {.alpha = .0277, .beta = .000208, .gamma = 90}, 25}},
};

static void simulate(struct series *series, struct series_point *points,
		     const struct design *design, gsl_rng *random)
{
	*series = (struct series){.points = points, .count = design->count};
	for (size_t i = 0; i < design->count; i++) {
		points[i].n = design->n[i];
		do
			points[i].throughput = usl_throughput(&design->truth, points[i].n) +
					       gsl_ran_gaussian(random, design->sigma);
		while (!(points[i].throughput > 0));
	}
}

static void true_changes(double *changes, const struct usl *a, const struct usl *b)
{
	changes[USL_ALPHA] = b->alpha - a->alpha;
	changes[USL_BETA] = b->beta - a->beta;
	changes[USL_GAMMA] = b->gamma / a->gamma;
	changes[USL_PEAK_N] = usl_peak_n(b) / usl_peak_n(a);
	changes[USL_PEAK_X] = usl_peak_throughput(b) / usl_peak_throughput(a);
}

struct tally {
	size_t sets, held[USL_COMPARED], found[USL_COMPARED], found_both;
};

static void count_one(struct tally *tally, size_t row, gsl_rng *random)
{
	const struct usl_form form = {.model = USL_FULL};
	struct series_point a_points[POINTS], b_points[POINTS];
	struct usl_comparison comparison;
	double truth[USL_COMPARED];
	struct series a, b;
	struct usl a_usl, b_usl;
	struct err err;

	simulate(&a, a_points, &rows[row].a, random);
	simulate(&b, b_points, &rows[row].b, random);
	if (usl_fit(&a_usl, &a, &form, &err) || usl_fit(&b_usl, &b, &form, &err))
		return;
	tally->sets++;
	true_changes(truth, &rows[row].a.truth, &rows[row].b.truth);
	usl_compare(&comparison, &(struct usl_sample){&a_usl, &a}, &(struct usl_sample){&b_usl, &b},
		    level);
	for (size_t k = 0; k < USL_COMPARED; k++) {
		const struct usl_shift *change = &comparison.changes[k];

		tally->found[k] += change->p <= 1 - level;
		tally->held[k] +=
			change->interval.low <= truth[k] && truth[k] <= change->interval.high;
	}
	tally->found_both += comparison.p <= 1 - level;
}

static void count_row(size_t row, size_t sets, gsl_rng *random)
{
	struct tally tally = {0};

	for (size_t i = 0; i < sets; i++)
		count_one(&tally, row, random);
	printf("%-22s", rows[row].name);
	for (size_t k = 0; k < USL_COMPARED; k++)
		printf(" %6.2f %6.2f", 100 * (double)tally.found[k] / (double)tally.sets,
		       100 * (double)tally.held[k] / (double)tally.sets);
	printf(" %6.2f\n", 100 * (double)tally.found_both / (double)tally.sets);
}

int main(int argc, char **argv)
{
	size_t sets = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);

	printf("%-22s %13s %13s %13s %13s %13s %6s\n", "changes found, held %", "alpha", "beta",
	       "gamma", "N_c", "X_max", "both");
	for (size_t row = 0; row < COUNT(rows); row++)
		count_row(row, sets, random);
	gsl_rng_free(random);
	return 0;
}
