/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/forecast_points.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/simulate/replays.h"

#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Two points for each power of two, fewer than 64, and the largest. */
enum { POINTS_MAX = 2 * 64 + 1 };

static void list_usl_points(struct series *series, uint64_t largest)
{
	series->points = xcalloc(POINTS_MAX, sizeof(*series->points));
	series->points[series->count++].n = 1;
	for (uint64_t n = 2; n < largest; n *= 2) {
		series->points[series->count++].n = (double)n;
		if (n / 2 * 3 < largest)
			series->points[series->count++].n = (double)(n / 2 * 3);
	}
	series->points[series->count++].n = (double)largest;
}

/* Keeps the points at which all threads end. Returns 0, or -1 if they are too few for a curve. */
static int take_walls(struct forecast_usl *replayed, const struct replay *replays, struct err *err)
{
	struct series *series = &replayed->series;
	size_t count = series->count;

	series->count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct simulated *simulated = &replays[i].simulated;
		double n = series->points[i].n;
		const char *cores = n > 1 ? "cores" : "core";

		if (simulated->stuck && !replayed->left_out++)
			err_set(err,
				"on %.0f %s %zu thread%s of the replay wait%s for an event that "
				"never comes",
				n, cores, simulated->stuck, simulated->stuck == 1 ? "" : "s",
				simulated->stuck == 1 ? "s" : "");
		if (simulated->stuck)
			continue;
		if (!simulated->wall_ns)
			return err_set(err, "on %.0f %s the replay takes no time", n, cores);
		series->points[series->count++] = (struct series_point){
			.n = n, .throughput = 1e9 / (double)simulated->wall_ns};
	}
	return series->count < FORECAST_USL_POINTS ? -1 : 0;
}

static int run_usl_points(struct forecast_usl *replayed, const struct program *program,
			  const struct machine *machine, struct err *err)
{
	const struct series *series = &replayed->series;
	struct replay *replays = xcalloc(series->count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < series->count; i++)
		replays[i] = replay_on(program, machine, (uint64_t)series->points[i].n);
	rc = replays_run_mean(replays, series->count, NULL, NULL, err) ||
	     take_walls(replayed, replays, err);
	free(replays);
	return rc ? -1 : 0;
}

double forecast_usl_error(const struct forecast_usl *replayed, size_t point)
{
	const struct series_point *of = &replayed->series.points[point];

	return usl_throughput(&replayed->usl, of->n) / of->throughput - 1;
}

static void judge_curve(struct forecast_usl *replayed)
{
	const struct series *series = &replayed->series;
	double squares = 0,
	       tss = gsl_stats_tss(&series->points->throughput,
				   sizeof(*series->points) / sizeof(double), series->count);

	for (size_t i = 0; i < series->count; i++) {
		double error = forecast_usl_error(replayed, i);

		squares += error * error;
		if (i && fabs(error) <= fabs(replayed->max_error))
			continue;
		replayed->max_error = error;
		replayed->max_error_n = series->points[i].n;
	}
	replayed->rms_error = sqrt(squares / (double)series->count);
	replayed->r2 = tss > 0 ? 1 - replayed->usl.rss / tss : NAN;
}

int forecast_usl_init(struct forecast_usl *replayed, const struct program *program,
		      const struct machine *machine, const struct forecast_points *scaled,
		      uint64_t largest, uint64_t active, struct err *err)
{
	const double least_fall = .01; /* less may be a random order of threads */
	const struct series *series = &replayed->series;

	*replayed = (struct forecast_usl){.active = active};
	if (active < FORECAST_USL_POINTS)
		return err_set(err,
			       "no more than %" PRIu64
			       " thread%s ready at a time, and a curve needs %d core counts; "
			       "record the program with more threads",
			       active, active == 1 ? " is" : "s are", FORECAST_USL_POINTS);
	if (largest < FORECAST_USL_CORES)
		largest = FORECAST_USL_CORES;
	replayed->series.source = xstrdup("the replay");
	list_usl_points(&replayed->series, largest < active ? largest : active);

	if (run_usl_points(replayed, program, machine, err))
		return -1;
	for (size_t i = 0; i < replayed->series.count; i++) {
		struct series_point *point = &replayed->series.points[i];

		point->throughput /= scale_factor(scaled, program, (uint64_t)point->n);
	}
	replayed->falls = series->points[series->count - 1].throughput <=
			  (1 - least_fall) * series_max_throughput(series);
	if (usl_fit(&replayed->usl, series,
		    &(struct usl_form){.model = replayed->falls ? USL_FULL : USL_AMDAHL}, err))
		return -1;
	judge_curve(replayed);
	return 0;
}

void forecast_usl_release(struct forecast_usl *replayed)
{
	series_release(&replayed->series);
	*replayed = (struct forecast_usl){0};
}
