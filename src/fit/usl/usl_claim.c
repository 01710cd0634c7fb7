/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_claim.h"

#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "fit/usl/usl_inverse.h"

#include <math.h>

/* --- The quantities -------------------------------------------------------- */

struct estimate {
	double best;
	struct usl_interval interval;
};

static double best_peak_n(const struct usl *usl)
{
	return usl->beta > 0 || usl_is_retrograde(usl) ? usl_peak_n(usl) : INFINITY;
}

static double best_peak_throughput(const struct usl *usl)
{
	if (usl->beta != 0 || usl_is_retrograde(usl))
		return usl_peak_throughput(usl);
	return usl->alpha > 0 ? usl->gamma / usl->alpha : INFINITY;
}

static struct estimate estimate(const struct usl_claim *claim,
				const struct usl_intervals *intervals)
{
	const struct usl *usl = intervals->usl;
	double count = (double)usl->n;

	switch (claim->quantity) {
	case USL_ALPHA:
		return (struct estimate){usl->alpha, usl_intervals_alpha(intervals)};
	case USL_BETA:
		return (struct estimate){usl->beta, usl_intervals_beta(intervals)};
	case USL_GAMMA:
		return (struct estimate){usl->gamma, usl_intervals_gamma(intervals)};
	case USL_PEAK_N:
		return (struct estimate){best_peak_n(usl), usl_intervals_peak_n(intervals)};
	case USL_PEAK_X:
		return (struct estimate){best_peak_throughput(usl),
					 usl_intervals_peak_throughput(intervals)};
	case USL_X:
		return (struct estimate){usl_throughput(usl, claim->at),
					 usl_intervals_throughput(intervals, claim->at)};
	case USL_E:
		return (struct estimate){usl_efficiency_at(usl, claim->at),
					 usl_intervals_share(intervals, USL_USEFUL, claim->at)};
	case USL_POINTS:
		break;
	}
	return (struct estimate){count, {count, count}};
}

/* What the form of the fit takes for granted is not something that the points show. */
static bool is_fitted(enum usl_quantity quantity, const struct usl_form *form)
{
	if (quantity == USL_GAMMA)
		return !form->gamma_first;
	if (quantity == USL_ALPHA)
		return form->model != USL_LINEAR;
	if (quantity == USL_BETA || quantity == USL_PEAK_N)
		return form->model == USL_FULL;
	return true;
}

/* --- The judgement --------------------------------------------------------- */

static enum usl_side side_of(const struct usl_claim *claim)
{
	if (claim->side != USL_WORSE_END)
		return claim->side;
	return claim->relation == USL_BELOW || claim->relation == USL_AT_MOST ? USL_HIGH : USL_LOW;
}

static double value_of(const struct estimate *estimate, enum usl_side side)
{
	if (side == USL_BEST)
		return estimate->best;
	return side == USL_LOW ? estimate->interval.low : estimate->interval.high;
}

/* A comparison with NaN is false. */
static bool compare(double value, enum usl_relation relation, double bound)
{
	switch (relation) {
	case USL_BELOW:
		return value < bound;
	case USL_AT_MOST:
		return value <= bound;
	case USL_ABOVE:
		return value > bound;
	case USL_AT_LEAST:
		break;
	}
	return value >= bound;
}

static enum usl_unknown why_unknown(const struct usl_finding *finding,
				    const struct usl_intervals *intervals)
{
	if (!is_fitted(finding->claim->quantity, &intervals->usl->form))
		return USL_NOT_FITTED;
	if (!isnan(finding->value))
		return USL_KNOWN;
	return finding->side != USL_BEST && isnan(usl_intervals_gamma(intervals).low)
		       ? USL_NO_FREEDOM
		       : USL_NO_PEAK;
}

struct usl_finding usl_claim_judge(const struct usl_claim *claim,
				   const struct usl_intervals *intervals)
{
	struct estimate known = estimate(claim, intervals);
	struct usl_finding finding = {.claim = claim, .side = side_of(claim), .best = known.best};

	finding.value = value_of(&known, finding.side);
	finding.unknown = why_unknown(&finding, intervals);
	if (finding.unknown)
		finding.value = NAN;
	finding.holds = compare(finding.value, claim->relation, claim->bound);
	return finding;
}
