/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_replicates.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_means.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* The sums of squares about the means, and of the means about 0: scaled. */
struct squares {
	double spread, total;
};

static struct squares squares_of(const struct usl_mean *means, size_t count)
{
	struct squares squares = {0};

	for (size_t i = 0; i < count; i++) {
		squares.spread += (double)means[i].spread;
		squares.total += (double)(means[i].weight * means[i].x * means[i].x);
	}
	return squares;
}

void usl_lack_of_fit(struct usl_lack_of_fit *lack, const struct usl *usl,
		     const struct usl_mean *means, size_t count, const struct usl_units *units)
{
	struct squares squares = squares_of(means, count);
	double unit = units->x * units->x * units->weight;
	size_t parameters = usl->n - usl->df;

	*lack = (struct usl_lack_of_fit){.distinct = count,
					 .pure_df = usl->n - count,
					 .lack_df = count > parameters ? count - parameters : 0,
					 .pure_error = NAN,
					 .f = NAN,
					 .p = NAN};
	if (!lack->pure_df)
		return;
	lack->pure_error = sqrt(squares.spread * unit / (double)lack->pure_df);
	if (!lack->lack_df || squares.spread <= pow(8 * DBL_EPSILON, 2) * squares.total)
		return;
	lack->f = fmax(0, usl->rss / unit - squares.spread) / (double)lack->lack_df /
		  (squares.spread / (double)lack->pure_df);
	lack->p = gsl_cdf_fdist_Q(lack->f, (double)lack->lack_df, (double)lack->pure_df);
}
