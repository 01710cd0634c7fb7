/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "report/plot.h"
#include "report/profile/report_profile.h"
#include "report/profile_chart_template.h"
#include "report/profile_template.h"
#include "report/report.h"
#include "stats/profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double HEIGHT = .8;

/* --- T_j ----------------------------------------------------------------------------------- */

static void plot_level(struct plot_script *script, const struct level_times *levels, size_t place,
		       uint64_t wall_ns, bool unknown)
{
	plot_script_row(script,
			(double[]){(double)place, (double)wall_ns / 1e9,
				   100 * (double)wall_ns / (double)levels->total_ns, unknown},
			4);
}

/* Draws the levels. Levels of 0 s have no row: there may be thousands. */
static void plot_levels(struct plot_script *script, const struct level_times *levels)
{
	/* The bar of unknown time is beside the others, with a gap if they are thin. */
	size_t beside = levels->max_active + 1 + levels->max_active / 16;

	plot_script_begin(script, "levels", "active wall_s percent is_unknown");
	for (size_t j = 0; j <= levels->max_active; j++)
		if (levels->wall_ns[j] || !j)
			plot_level(script, levels, j, levels->wall_ns[j], false);
	if (levels->unknown_ns)
		plot_level(script, levels, beside, levels->unknown_ns, true);
	plot_script_number(script, "most_active", (double)levels->max_active);
	plot_script_number(script, "beside", (double)beside);
	plot_script_number(script, "has_unknown", levels->unknown_ns > 0);
}

/* --- Over time ----------------------------------------------------------------------------- */

/* Adds a bin: runnable threads are stacked on running ones, and unknown ones on both. */
static double plot_bin(struct plot_script *script, double second, const struct activity_bin *bin)
{
	double active = bin->running + bin->ready, up_to = active + bin->unknown;

	plot_script_row(script, (double[]){second, bin->running, active, up_to}, 4);
	return up_to;
}

static void plot_activity(struct plot_script *script, const struct activity_times *times)
{
	double most = 1, second = 0, most_running = 0;

	plot_script_begin(script, "activity", "begin_s running active up_to");
	for (size_t i = 0; i < times->count; i++) {
		most_running = fmax(most_running, times->bins[i].running);
		second = (double)(i * times->bin_ns) / 1e9;
		most = fmax(most, plot_bin(script, second, &times->bins[i]));
	}
	if (times->count) {
		second = (double)times->total_ns / 1e9;
		plot_bin(script, second, &times->bins[times->count - 1]);
	}
	plot_script_number(script, "end_s", second);
	plot_script_number(script, "top_active", 1.1 * most);
	plot_script_number(script, "has_running", most_running > 0);
}

/* --- The texts ----------------------------------------------------------------------------- */

static void plot_summary(struct plot_script *script, const struct profile *profile)
{
	double mean = profile->mean_active;
	char *parallelism = isnan(mean) ? xstrdup("unknown") : xasprintf("%.3g", mean);
	char *summary = xasprintf("wall time %.4g s, threads ready: %s on average, %zu at most",
				  (double)profile->levels.total_ns / 1e9, parallelism,
				  profile->levels.max_active);

	if (profile->cores)
		xappend(&summary, "", ", %u cores", profile->cores);
	plot_script_text(script, "summary", summary);
	plot_script_number(script, "mean_active", mean);
	plot_script_number(script, "cores", profile->cores);
	plot_script_number(script, "has_cores", profile->cores > 0);
	free(summary);
	free(parallelism);
}

static struct plot_script *draw_profile(const struct profile *profile, const char *source,
					const char *template)
{
	struct plot_script *script = plot_script_new();

	plot_script_file(script, "file", source);
	plot_summary(script, profile);
	plot_levels(script, &profile->levels);
	plot_activity(script, &profile->activity);
	plot_script_template(script, template);
	return script;
}

static int check_levels(const struct profile *profile, struct err *err)
{
	if (profile->levels.total_ns)
		return 0;
	return err_set(
		err,
		"there is nothing to draw: no time passes between the first and the last event");
}

int plot_profile(const struct profile *profile, const char *source, const char *path,
		 struct err *err)
{
	if (check_levels(profile, err))
		return -1;
	return plot_save(draw_profile(profile, source, profile_template), HEIGHT, path, err);
}

int chart_profile(struct report *report, const struct profile *profile, struct err *err)
{
	if (check_levels(profile, err))
		return -1;
	return plot_print(report, draw_profile(profile, "", profile_chart_template), err);
}
