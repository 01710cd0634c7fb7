/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/slowdown.h"

#include "base/alloc.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* The steepest law: all cores together do the work of one. */
static const double slope_most = 1;

struct fitting {
	const struct slowdown_run *runs;
	size_t count;
	struct run_noise before;
	enum slowdown_law law;
};

static double law_at(enum slowdown_law law, double slope, double busy)
{
	switch (law) {
	case SLOWDOWN_CONTENTION:
		return 1 + slope * (busy - 1);
	case SLOWDOWN_BANDWIDTH:
		return fmax(1, slope * busy);
	default:
		return 1;
	}
}

/* Like slowdown_recorded(), but as a logarithm, and for a law instead of a table. */
static double log_recorded(const struct slowdown_run *run, enum slowdown_law law, double slope)
{
	const struct level_times *levels = run->levels;
	double ran = 0, work = 0;

	for (uint64_t j = 1; j <= levels->max_active; j++) {
		double busy = (double)(j < run->cores ? j : run->cores);
		double time = (double)levels->wall_ns[j] * busy;

		if (!levels->wall_ns[j])
			continue;
		ran += time;
		work += time / law_at(law, slope, busy);
	}
	return work > 0 ? log(ran / work) : 0;
}

/* Returns the sum of squares of the log residuals about their mean, which is ln W. */
static double squares(double slope, const struct fitting *fitting)
{
	double mean = 0, sum = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < fitting->count; i++) {
			const struct slowdown_run *run = &fitting->runs[i];
			double left = log(run->cpu_s) - log_recorded(run, fitting->law, slope);

			if (pass == 0)
				mean += left / (double)fitting->count;
			else
				sum += (left - mean) * (left - mean);
		}
	return sum;
}

/* Returns the information on the slope: the sum of squares of d ln R / ds about their mean. */
static double information(const struct fitting *fitting, double slope)
{
	const double step = 1e-4;
	double mean = 0, sum = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < fitting->count; i++) {
			const struct slowdown_run *run = &fitting->runs[i];
			double rise = (log_recorded(run, fitting->law, slope + step) -
				       log_recorded(run, fitting->law, slope)) /
				      step;

			if (pass == 0)
				mean += rise / (double)fitting->count;
			else
				sum += (rise - mean) * (rise - mean);
		}
	return sum;
}

/* Returns the best slope up to slope_most, by ever finer grids: there may be several minima. */
static double best_slope(const struct fitting *fitting)
{
	enum { GRID = 64, FINER = 16 };
	const double precise = 1e-7;
	double low = 0, high = slope_most, best = 0;

	for (double step = slope_most / GRID; step > precise; step /= FINER) {
		double least = squares(best, fitting);

		for (double slope = low; slope <= high; slope += step)
			if (squares(slope, fitting) < least) {
				least = squares(slope, fitting);
				best = slope;
			}
		low = fmax(best - step, 0);
		high = fmin(best + step, slope_most);
	}
	return best;
}

/* Sets the noise of runs after a fit of `parameters`, and its degrees of freedom. */
static void find_noise(struct slowdown_fit *fit, const struct run_noise *before, double sum,
		       size_t parameters)
{
	double left = fit->count > parameters ? (double)(fit->count - parameters) : 0;

	fit->freedom = before->freedom + left;
	fit->noise = sqrt((before->freedom * before->noise * before->noise + sum) / fit->freedom);
}

/* Takes the law if the runs show that work is slower by it, and better than by another law. */
static void try_law(struct slowdown_fit *fit, struct fitting *fitting, enum slowdown_law law)
{
	const double tail = .05, least_information = 1e-6;
	struct slowdown_fit tried = *fit;
	double told;

	fitting->law = tried.law = law;
	tried.slope = best_slope(fitting);
	find_noise(&tried, &fitting->before, squares(tried.slope, fitting), 2);
	told = information(fitting, tried.slope);
	if (!(told > least_information))
		return;
	tried.slope_error = tried.noise / sqrt(told);
	if (tried.slope > gsl_cdf_tdist_Qinv(tail, tried.freedom) * tried.slope_error) {
		if (fit->law == SLOWDOWN_NONE || tried.noise < fit->noise)
			*fit = tried;
	} else if (fit->law == SLOWDOWN_NONE) {
		fit->slope_error = tried.slope_error;
	}
}

void slowdown_learn(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t count,
		    const struct run_noise *before)
{
	static const struct run_noise presumed = {SLOWDOWN_NOISE, SLOWDOWN_FREEDOM};
	struct fitting fitting = {runs, count, before->freedom > 0 ? *before : presumed,
				  SLOWDOWN_NONE};
	size_t count_least = 0;

	*fit = (struct slowdown_fit){.slope_error = NAN, .count = count};
	for (size_t i = 0; i < count; i++) {
		uint64_t cores = runs[i].cores;
		size_t threads = runs[i].threads;

		fit->threads_least =
			!i || threads < fit->threads_least ? threads : fit->threads_least;
		fit->threads_most = threads > fit->threads_most ? threads : fit->threads_most;
		fit->cores_least = !i || cores < fit->cores_least ? cores : fit->cores_least;
		fit->cores_most = cores > fit->cores_most ? cores : fit->cores_most;
	}
	for (size_t i = 0; i < count; i++) {
		fit->count_most += runs[i].cores == fit->cores_most;
		count_least += runs[i].cores == fit->cores_least;
	}
	find_noise(fit, &fitting.before, squares(0, &fitting), 1);
	try_law(fit, &fitting, SLOWDOWN_CONTENTION);
	if (fit->count_most + count_least < count)
		try_law(fit, &fitting, SLOWDOWN_BANDWIDTH);
}

/* --- Groups of threads ---------------------------------------------------------------------- */

/* Returns Akaike's criterion, corrected for few values; infinite: too few. */
static double aicc(double squares_sum, size_t count, size_t parameters)
{
	const double least = 1e-12; /* exact fits, as of simulated recordings */
	double n = (double)count, k = (double)parameters;

	return count > parameters + 1
		       ? n * log(fmax(squares_sum / n, least)) + 2 * k * n / (n - k - 1)
		       : (double)INFINITY;
}

static double squares_of(const struct slowdown_run *runs, size_t count, enum slowdown_law law,
			 double slope)
{
	return squares(slope, &(struct fitting){.runs = runs, .count = count, .law = law});
}

/* Returns the log error; a group without a slowdown may have one within its error. */
static double group_error(const struct slowdown_group *group, double busy)
{
	enum slowdown_law law = group->law == SLOWDOWN_NONE ? SLOWDOWN_CONTENTION : group->law;

	return log(law_at(law, group->slope + group->slope_error, busy) /
		   law_at(group->law, group->slope, busy));
}

/* Returns whether the slowdowns of two groups on the most cores differ beyond their errors. */
static bool groups_differ(const struct slowdown_fit *fit)
{
	const double tail = .025;
	double errors = gsl_cdf_tdist_Qinv(tail, fit->freedom), busy = (double)fit->cores_most;

	for (size_t i = 0; i < fit->group_count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct slowdown_group *a = &fit->groups[i], *b = &fit->groups[j];
			double apart = log(law_at(a->law, a->slope, busy) /
					   law_at(b->law, b->slope, busy));

			if (fabs(apart) >
			    errors * hypot(group_error(a, busy), group_error(b, busy)))
				return true;
		}
	return false;
}

/* Parameters are each group's work, the noise, and the slope of the common law or of each law. */
void slowdown_learn_laws(struct slowdown_fit *fit, const struct slowdown_run *runs, size_t replayed,
			 const struct run_noise *before)
{
	size_t count = fit->count, groups = fit->group_count, parameters = groups + 1;
	size_t slopes = 0, values = groups * count;
	double one = 0, own = 0;

	for (size_t i = 0; i < groups; i++) {
		struct slowdown_group *group = &fit->groups[i];
		const struct slowdown_run *of = runs + i * count;
		struct slowdown_fit learned;

		slowdown_learn(&learned, of, count, before);
		group->law = learned.law;
		group->slope = learned.slope;
		group->slope_error = learned.slope_error;
		group->recorded = exp(log_recorded(&of[replayed], learned.law, learned.slope));
		slopes += learned.law != SLOWDOWN_NONE;
		own += squares_of(of, count, learned.law, learned.slope);
		one += squares_of(of, count, fit->law, fit->slope);
	}
	if (!groups_differ(fit) || !(aicc(own, values, parameters + slopes) <
				     aicc(one, values, parameters + (fit->law != SLOWDOWN_NONE))))
		fit->group_count = 0;
}

/* Returns the log error of all: groups are independent, and weighted by their work. */
static double groups_error(const struct slowdown_fit *fit, double busy)
{
	double sum = 0;

	for (size_t i = 0; i < fit->group_count; i++) {
		const struct slowdown_group *group = &fit->groups[i];

		if (group->law != SLOWDOWN_NONE)
			sum = hypot(sum, group->share * group_error(group, busy));
	}
	return sum;
}

/* --- The law ---------------------------------------------------------------------------------- */

bool slowdown_threads_differ(size_t fewer, size_t threads)
{
	const double alike = 1.2;

	return (double)threads > alike * (double)fewer;
}

double slowdown_fit_at(const struct slowdown_fit *fit, double busy)
{
	return law_at(fit->law, fit->slope, busy);
}

double slowdown_fit_error(const struct slowdown_fit *fit, double busy)
{
	if (fit->group_count)
		return groups_error(fit, busy);
	if (fit->law == SLOWDOWN_NONE)
		return 0;
	return log(law_at(fit->law, fit->slope + fit->slope_error, busy) /
		   slowdown_fit_at(fit, busy));
}

void slowdown_of_fit(struct slowdown *slowdown, const struct slowdown_fit *fit, uint64_t cores)
{
	*slowdown = (struct slowdown){.count = 0};
	slowdown->count = cores;
	slowdown->factors = xcalloc(cores, sizeof(*slowdown->factors));
	for (uint64_t b = 1; b <= cores; b++)
		slowdown->factors[b - 1] = slowdown_fit_at(fit, (double)b);
}
