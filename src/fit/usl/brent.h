/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Roots and minima by Brent's methods, which need a bracket and no derivative.
 */
#ifndef PSCAL_FIT_USL_BRENT_H
#define PSCAL_FIT_USL_BRENT_H

/* Ends a search once its bracket is as short as `absolute`, or `relative` times where it is. */
struct brent_precision {
	double absolute, relative;
};

/* A root between two places at which the signs differ; where they do not, `to`. */
double brent_root(double (*function)(double x, void *data), void *data, double from, double to,
		  struct brent_precision precision);

struct brent_minimum {
	double x, value;
};

/*
 * A minimum between `low` and `high`, with `middle` between them below both; where it is not, both
 * members are NaN. A search ends early at a value that is not above `enough`.
 */
struct brent_minimum brent_minimum(double (*function)(double x, void *data), void *data, double low,
				   double middle, double high, struct brent_precision precision,
				   double enough);

#endif
