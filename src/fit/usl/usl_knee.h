/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the points from some N on follow another curve, as where threads begin to share cores or
 * reach a second socket? The law in one piece,
 *
 *	X = N / D(N),  D(N) = p + q (N - 1) + r N (N - 1),
 *
 * against all in two that share r, the lower one to the last N before the knee:
 *
 *	D(N) + s + t (N - first)  from the first N behind it on
 *
 * Both without bounds, so that one is part of the other, and the F-test for s = t = 0 has 2 and
 * n - 5 degrees of freedom. Its p is that of the best place times the number of places tried
 * (Bonferroni). Each piece has three different N or more.
 *
 * Where all points count alike, that is tried a second time with the weights that they would have
 * if they scattered in proportion to throughput, and the larger p is taken: large scatter where
 * throughput is large must not look like a knee.
 */
#ifndef PSCAL_FIT_USL_USL_KNEE_H
#define PSCAL_FIT_USL_USL_KNEE_H

#include <stdbool.h>
#include <stddef.h>

struct usl;
struct usl_mean;
struct usl_units;

/* More different N than that are taken together, and more places are not tried. */
enum { USL_KNEE_POINTS = 500, USL_KNEE_PLACES = 100 };

struct usl_knee {
	size_t places;	    /* tried; 0 where there are too few N or points, and all else is NaN */
	double last, first; /* N on both sides of the best place */
	double one_rss;	    /* in one piece */
	double rss;	    /* in two, there */
	double p;
	/* How far both curves are apart: the root of the mean square over the points, as a share
	 * of that of their throughput. */
	double distance_share;
};

/*
 * Of what the means are of (usl_means with the limit USL_KNEE_POINTS), beginning from a fit.
 * `weighted` says that the weights are known ones.
 */
void usl_knee(struct usl_knee *knee, const struct usl *usl, const struct usl_mean *means,
	      size_t count, const struct usl_units *units, bool weighted);

/* Is it one: p < 0.01, and the curves apart by 1 % or more? */
bool usl_knee_is_clear(const struct usl_knee *knee);

#endif
