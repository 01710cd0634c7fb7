/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_forecast_usl.h"

#include <inttypes.h>
#include <math.h>

/* Of a point by which the law may miss it and still be said to describe the program. */
static const double usual_error = .05;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The facts of text leave out what is null. */
static struct cell number_or_null(double number)
{
	return isfinite(number) ? cell_number(number) : cell_null();
}

static void put_facts(struct report *report, const struct replayed_usl *replayed)
{
	static const struct column columns[] = {
		{"alpha", "alpha, contention", UNIT_DECIMAL, 0},
		{"beta", "beta, coherency", UNIT_DECIMAL, 0},
		{"gamma", "gamma, runs per second on one", UNIT_DECIMAL, 0},
		{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, 0},
		{"xmax", "throughput there, X_max", UNIT_DECIMAL, 0},
		{"r2", "R^2", UNIT_DECIMAL, 0},
		{"rms_error", "misses the replay by (RMS)", UNIT_SHARE, 0},
		{"max_error", "... at worst by", UNIT_SHARE, 0},
		{"max_error_n", "... on cores", UNIT_DECIMAL, 0},
		{"falls", "", UNIT_NONE, 0},
	};
	static const struct table table = {.title = "Universal Scalability Law through the replay",
					   .layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct usl *usl = &replayed->usl;

	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){cell_number(usl->alpha), cell_number(usl->beta),
				   cell_number(usl->gamma), number_or_null(usl_peak_n(usl)),
				   number_or_null(usl_peak_throughput(usl)),
				   number_or_null(replayed->r2), cell_number(replayed->rms_error),
				   cell_number(replayed->max_error),
				   cell_number(replayed->max_error_n),
				   report_shows(report, REPORT_JSON) ? cell_bool(replayed->falls)
								     : cell_null()});
	report_end(report);
}

static void put_points(struct report *report, const struct replayed_usl *replayed)
{
	static const struct column columns[] = {{"cores", "", UNIT_NONE, 0},
						{"wall_s", "", UNIT_SECONDS, 0},
						{"throughput", "", UNIT_DECIMAL, 0},
						{"fitted", "", UNIT_DECIMAL, 0},
						{"error", "", UNIT_SHARE, 0}};
	static const struct table table = {.key = "points",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < replayed->series.count; i++) {
		const struct series_point *point = &replayed->series.points[i];

		report_row(report,
			   (struct cell[]){cell_count((int64_t)point->n),
					   cell_number(1 / point->throughput),
					   cell_number(point->throughput),
					   cell_number(usl_throughput(&replayed->usl, point->n)),
					   cell_number(replayed_usl_error(replayed, i))});
	}
	report_end(report);
}

static void note_trust(struct report *report, const struct replayed_usl *replayed)
{
	double largest = series_max_n(&replayed->series);

	report_note(report,
		    "Fitted to %zu replays, up to %.0f cores. What the curve misses there is that "
		    "the law is not the program's, and no scatter, so that there are no intervals. "
		    "How far the replay is from the truth comes on top.",
		    replayed->series.count, largest);
	if (fabs(replayed->max_error) > usual_error)
		report_note(report,
			    "The law does not describe this program: take the replayed wall times, "
			    "and parameters and peak for no more than a summary.");
	if (!replayed->falls && usl_peak_n(&replayed->usl) < largest)
		report_note(
			report,
			"The peak is the curve's alone: replayed throughput does not fall up to "
			"%.0f cores.",
			largest);
	if (largest >= (double)replayed->active)
		report_note(report,
			    "No more than %" PRIu64 " threads are active at a time, so that more "
			    "cores change nothing: beyond, the curve is that of a program with "
			    "more threads.",
			    replayed->active);
}

void report_forecast_usl(struct report *report, const struct replayed_usl *replayed)
{
	report_group(report, "usl");
	put_facts(report, replayed);
	put_points(report, replayed);
	report_ungroup(report);
	note_trust(report, replayed);
}
