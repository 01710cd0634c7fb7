/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/replayed_usl.h"

#include "base/alloc.h"
#include "base/err.h"
#include "replay/forecast/replayed.h"
#include "replay/forecast/scale_to_measured.h"
#include "replay/simulate/replays.h"

#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Two for each power of two, of which there are less than 64, and the largest. */
enum { POINTS_MAX = 2 * 64 + 1 };

static void list_points(struct series *series, uint64_t largest)
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

static int take_wall(struct series_point *point, const struct simulated *simulated, struct err *err)
{
	const char *cores = point->n > 1 ? "cores" : "core";

	if (simulated->stuck)
		return err_set(err,
			       "on %.0f %s %zu thread%s of the replay wait%s for what never comes",
			       point->n, cores, simulated->stuck, simulated->stuck == 1 ? "" : "s",
			       simulated->stuck == 1 ? "s" : "");
	if (!simulated->wall_ns)
		return err_set(err, "on %.0f %s the replay takes no time", point->n, cores);
	point->throughput = 1e9 / (double)simulated->wall_ns;
	return 0;
}

static int run_points(struct series *series, const struct program *program,
		      const struct machine *machine, struct err *err)
{
	struct replay *replays = xcalloc(series->count, sizeof(*replays));
	int rc;

	for (size_t i = 0; i < series->count; i++) {
		replays[i] = (struct replay){.program = program, .machine = *machine};
		replays[i].machine.cores = replayed_cores(program, (uint64_t)series->points[i].n);
	}
	rc = replays_run_mean(replays, series->count, NULL, NULL, err);
	for (size_t i = 0; !rc && i < series->count; i++)
		rc = take_wall(&series->points[i], &replays[i].simulated, err);
	free(replays);
	return rc;
}

static void scale_points(struct series *series, const struct program *program,
			 const struct replayed *scaled)
{
	for (size_t i = 0; i < series->count; i++)
		series->points[i].throughput /=
			scale_factor(scaled, program, (uint64_t)series->points[i].n);
}

double replayed_usl_error(const struct replayed_usl *replayed, size_t point)
{
	const struct series_point *of = &replayed->series.points[point];

	return usl_throughput(&replayed->usl, of->n) / of->throughput - 1;
}

static void judge(struct replayed_usl *replayed)
{
	const double least_fall = .01; /* less may be who went first where nothing decides */
	const struct series *series = &replayed->series;
	double squares = 0,
	       tss = gsl_stats_tss(&series->points->throughput,
				   sizeof(*series->points) / sizeof(double), series->count);

	for (size_t i = 0; i < series->count; i++) {
		double error = replayed_usl_error(replayed, i);

		squares += error * error;
		if (i && fabs(error) <= fabs(replayed->max_error))
			continue;
		replayed->max_error = error;
		replayed->max_error_n = series->points[i].n;
	}
	replayed->falls = series->points[series->count - 1].throughput <=
			  (1 - least_fall) * series_max_throughput(series);
	replayed->rms_error = sqrt(squares / (double)series->count);
	replayed->r2 = tss > 0 ? 1 - replayed->usl.rss / tss : NAN;
}

int replayed_usl_init(struct replayed_usl *replayed, const struct program *program,
		      const struct machine *machine, const struct replayed *scaled,
		      uint64_t largest, uint64_t active, struct err *err)
{
	const struct usl_form form = {.model = USL_FULL};

	*replayed = (struct replayed_usl){.active = active};
	if (active < REPLAYED_USL_POINTS)
		return err_set(err,
			       "no more than %" PRIu64 " thread%s active at a time, and a curve "
			       "takes %d numbers of cores: record the program with more threads",
			       active, active == 1 ? " is" : "s are", REPLAYED_USL_POINTS);
	if (largest < REPLAYED_USL_CORES)
		largest = REPLAYED_USL_CORES;
	replayed->series.source = xstrdup("the replay");
	list_points(&replayed->series, largest < active ? largest : active);

	if (run_points(&replayed->series, program, machine, err))
		return -1;
	if (scaled)
		scale_points(&replayed->series, program, scaled);
	if (usl_fit(&replayed->usl, &replayed->series, &form, err))
		return -1;
	judge(replayed);
	return 0;
}

void replayed_usl_release(struct replayed_usl *replayed)
{
	series_release(&replayed->series);
	*replayed = (struct replayed_usl){0};
}
