/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>

static double mean_of(const struct rate *rate)
{
	return gsl_stats_mean(rate->seconds, 1, rate->runs);
}

/* --- One run each -------------------------------------------------------------------------- */

static double odds(double p)
{
	return p < 1 ? p / (1 - p) : (double)NAN;
}

static void by_samples(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		       double level)
{
	double n = above->samples, m = below->samples, all = n + m, p = n / all;
	double z = gsl_cdf_ugaussian_Pinv((1 + level) / 2);
	double middle = (p + z * z / (2 * all)) / (1 + z * z / all);
	double half = z * sqrt(p * (1 - p) / all + z * z / (4 * all * all)) / (1 + z * z / all);
	double scale = ratio->value / (n / m); /* of the times that a sample stands for */

	if (!(n > 0) || !(m > 0))
		return;
	ratio->from = scale * odds(middle - half);
	ratio->to = scale * odds(middle + half);
}

/* --- Several ------------------------------------------------------------------------------- */

/* Of the mean of the logarithms; NAN: there is something that has none. */
struct log_mean {
	double value, variance, per_freedom; /* variance^2 / degrees of freedom */
};

static struct log_mean log_mean_of(const struct rate *rate)
{
	double sum = 0, squares = 0, n = (double)rate->runs;
	struct log_mean mean;

	for (size_t i = 0; i < rate->runs; i++)
		sum += log(rate->seconds[i]);
	mean.value = sum / n;
	for (size_t i = 0; i < rate->runs; i++)
		squares += pow(log(rate->seconds[i]) - mean.value, 2);
	if (rate->runs < 2 && rate->is_sum)
		return (struct log_mean){mean.value, rate->sum_variance,
					 pow(rate->sum_variance, 2) / (rate->samples - 1)};
	if (rate->runs < 2)
		return (struct log_mean){mean.value, 1 / rate->samples, 0};
	mean.variance = squares / (n - 1) / n;
	mean.per_freedom = mean.variance * mean.variance / (n - 1);
	return mean;
}

/* Student's, which is that of Gauss where nothing has been estimated from few runs. */
static double quantile(double p, double freedom)
{
	return freedom < 1e6 ? gsl_cdf_tdist_Pinv(p, freedom) : gsl_cdf_ugaussian_Pinv(p);
}

static void by_runs(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		    double level)
{
	struct log_mean one = log_mean_of(above), other = log_mean_of(below);
	double difference = one.value - other.value, variance = one.variance + other.variance;
	double freedom = variance * variance / (one.per_freedom + other.per_freedom), width;

	if (!isfinite(difference) || !isfinite(variance))
		return;
	width = variance > 0 ? sqrt(variance) * quantile((1 + level) / 2, freedom) : 0;
	ratio->from = ratio->value * exp(-width);
	ratio->to = ratio->value * exp(width);
}

void rate_ratio_init(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		     double level)
{
	double divisor = mean_of(below);

	*ratio = (struct rate_ratio){NAN, NAN, NAN};
	if (!(divisor > 0))
		return;
	ratio->value = mean_of(above) / divisor;
	if (above->runs == 1 && below->runs == 1 && !above->is_sum)
		by_samples(ratio, above, below, level);
	else
		by_runs(ratio, above, below, level);
}
