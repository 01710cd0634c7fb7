/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/interval.h"

#include "replay/forecast/replayed.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

/* Of each side. */
#define TAIL .05

static double least(size_t threads, uint64_t cores)
{
	return threads && threads < cores ? (double)threads : (double)cores;
}

double interval_discrepancy(double per_doubling, uint64_t recorded_cores, uint64_t cores,
			    size_t threads)
{
	double asked = fabs(log2((double)cores / (double)recorded_cores));
	double used = fabs(log2(least(threads, cores) / least(threads, recorded_cores)));

	return per_doubling * sqrt(fmax(used, fmin(asked, 1)));
}

void interval_set(struct replayed_point *point, const struct interval_terms *terms)
{
	double spread = gsl_cdf_ugaussian_Qinv(TAIL) * terms->discrepancy;
	double shorter = isnan(terms->steps_shorter) ? 0 : terms->steps_shorter;
	double longer = isnan(terms->steps_longer) ? 0 : terms->steps_longer;

	point->discrepancy = terms->discrepancy;
	point->lo_s = point->hi_s = NAN;
	if ((isnan(terms->steps_shorter) && !(terms->discrepancy > 0)) || isnan(terms->miss))
		return;
	shorter = hypot(shorter, spread) + terms->miss + fmax(terms->overhead, 0);
	longer = hypot(longer, spread) + terms->miss;
	point->lo_s = point->least_s * exp(-shorter);
	/* What takes no time does so however far off it may be: 0 times infinity is no number. */
	point->hi_s = point->most_s > 0 ? point->most_s * exp(longer) : 0;
}

const char *interval_names(char *text, size_t size, const struct replayed *replayed)
{
	const struct {
		const char *name;
		int is_in;
	} terms[] = {
		{"steps", replayed->replicates > 0},
		{"discrepancy", replayed->discrepancy > 0},
		{"miss", fabs(replayed_self_error(replayed)) > 0},
		{"overhead", replayed->overhead_share > 0},
		{"pools", replayed->alternatives & REPLAYED_WITHOUT_POOLS},
		{"even-work", replayed->alternatives & REPLAYED_EVEN_WORK},
		{"own-work", replayed->alternatives & REPLAYED_OWN_WORK},
		{"closed-form", replayed->alternatives & REPLAYED_CLOSED_FORM},
	};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms) && used < size; i++)
		if (terms[i].is_in)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 terms[i].name);
	return text;
}
