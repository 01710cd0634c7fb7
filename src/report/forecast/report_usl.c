/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/forecast_words.h"

#include "replay/forecast/forecast.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

/* The largest error of a point at which the law still describes the program. */
static const double usual_error = .05;

struct law {
	struct forecast_usl replayed;
	double peak_n, peak_throughput;
};

static const struct column law_columns[] = {
	{"alpha", "alpha, contention", UNIT_DECIMAL, FIELD(law, replayed.usl.alpha)},
	{"beta", "beta, coherency", UNIT_DECIMAL, FIELD(law, replayed.usl.beta)},
	{"gamma", "gamma, runs per second on one", UNIT_DECIMAL, FIELD(law, replayed.usl.gamma)},
	{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, FIELD(law, peak_n)},
	{"xmax", "throughput there, X_max", UNIT_DECIMAL, FIELD(law, peak_throughput)},
	{"r2", "R^2", UNIT_DECIMAL, FIELD(law, replayed.r2)},
	{"rms_error", "error against the replay (RMS)", UNIT_SHARE, FIELD(law, replayed.rms_error)},
	{"max_error", "... largest", UNIT_SHARE, FIELD(law, replayed.max_error)},
	{"max_error_n", "... at cores", UNIT_DECIMAL, FIELD(law, replayed.max_error_n)},
	{"falls", FIELD(law, replayed.falls)},
};
static const struct table law_table = {.title = "Universal Scalability Law through the replay",
				       .layout = LAYOUT_FACTS,
				       COLUMNS(law_columns)};

struct law_point {
	uint64_t cores;
	double wall_s, throughput, fitted, error;
};

static const struct column point_columns[] = {
	{"cores", FIELD(law_point, cores)},	      {"wall_s", FIELD(law_point, wall_s)},
	{"throughput", FIELD(law_point, throughput)}, {"fitted", FIELD(law_point, fitted)},
	{"error", FIELD(law_point, error)},
};
static const struct table point_table = {.key = "points", COLUMNS(point_columns)};

static void detail_usl(struct report *report, const struct forecast_usl *replayed)
{
	double largest = series_max_n(&replayed->series);

	report_alert_if(
		report, fabs(replayed->max_error) > usual_error,
		"The law misses the replay by up to %.0f %%: rely on the wall times instead.",
		100 * fabs(replayed->max_error));
	report_alert_if(report, replayed->left_out,
			"The curve leaves out %zu core count%s, where the replay never ends.",
			replayed->left_out, plural(replayed->left_out, "", "s"));
	report_detail(report,
		      "The law is fitted to %zu replays, up to %.0f cores. Replays have no "
		      "scatter, so the parameters have no intervals.",
		      replayed->series.count, largest);
	report_detail_if(report, !replayed->falls,
			 "Replayed throughput does not fall up to %.0f cores: beta is 0.", largest);
	report_detail_if(report, largest >= (double)replayed->active,
			 "The program has %" PRIu64
			 " threads at most: beyond that the curve assumes more threads.",
			 replayed->active);
}

/* Reports the law, except in CSV. */
void report_forecast_usl(struct report *report, const struct forecast_usl *replayed)
{
	const struct law law = {*replayed, usl_peak_n(&replayed->usl),
				usl_peak_throughput(&replayed->usl)};

	report_group(report, "usl");
	report_table(report, &law_table, &law, 1);
	report_begin(report, &point_table);
	for (size_t i = 0; i < replayed->series.count; i++) {
		const struct series_point *point = &replayed->series.points[i];

		report_row(report, &(struct law_point){(uint64_t)point->n, 1 / point->throughput,
						       point->throughput,
						       usl_throughput(&replayed->usl, point->n),
						       forecast_usl_error(replayed, i)});
	}
	report_end(report);
	report_ungroup(report);
	detail_usl(report, replayed);
}
