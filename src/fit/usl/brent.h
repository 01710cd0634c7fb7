/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Roots and minima by Brent's methods, which need a bracket and no derivative.
 */
#ifndef PSCAL_FIT_USL_BRENT_H
#define PSCAL_FIT_USL_BRENT_H

/* The end of a search: a bracket as short as `absolute`, or `relative` times its place. */
struct brent_precision {
	double absolute, relative;
};

/* Returns a root between two places with different signs; `to` if the signs are equal. */
double brent_root(double (*function)(double x, void *data), void *data, double from, double to,
		  struct brent_precision precision);

struct brent_minimum {
	double x, value;
};

/*
 * Returns a minimum between `low` and `high`, if `middle` between them is below both; else both
 * members are NaN. The search ends early at a value of `enough` or less.
 */
struct brent_minimum brent_minimum(double (*function)(double x, void *data), void *data, double low,
				   double middle, double high, struct brent_precision precision,
				   double enough);

#endif
