/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The slope of a line through points of which many may be wild: the median of the slopes through
 * two points each [Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968].
 * The median of pairs that were drawn is, with a standard deviation of 0.2 % of them, that of all.
 */
#ifndef PSCAL_STATS_RDAM_THEIL_SEN_H
#define PSCAL_STATS_RDAM_THEIL_SEN_H

#include <stddef.h>

enum {
	THEIL_SEN_EXACT = 400,	 /* up to so many points all pairs are taken */
	THEIL_SEN_DRAWN = 50000, /* beyond, so many that are drawn, always the same */
};

/* Of pairs whose x differ. NAN when there are none. */
double theil_sen_slope(const double *x, const double *y, size_t count);

#endif
