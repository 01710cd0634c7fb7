/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/forecast_calibration.h"
#include "cmd/plotting.h"
#include "cmd/trace.h"
#include "report/plot_forecast.h"
#include "report/report_forecast.h"
#include "report/report_quality.h"
#include "stats/levels_csv.h"
#include "stats/profile.h"
#include "stats/wall_times.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CORES_MAX = 1 << 20, DEFAULT_CORES = 20 };

struct forecast_options {
	struct trace_options trace;
	char *on, *cores; /* as typed */
	uint64_t *list;	  /* cores to forecast for */
	size_t count;
	uint64_t measured_cores; /* 0: as the trace says */
	char *measured_path;	 /* --measured, or NULL */
	struct wall_times measured;
	struct calibration_options calibration;
	struct plotting plotting;
};

static int finish(void *own, struct err *err)
{
	struct forecast_options *options = own;

	if (calibration_options_check(&options->calibration, options->trace.common, err))
		return -1;
	if (options->on &&
	    parse_list(&options->list, &options->count, options->on, 1, CORES_MAX, err))
		return err_wrap(err, "-k");
	if (options->cores && (parse_u64(&options->measured_cores, options->cores, CORES_MAX) ||
			       !options->measured_cores))
		return err_set(err, "--cores %s: is not a number of cores", options->cores);
	return plotting_check(&options->plotting, options->trace.common, err);
}

static int read_measured(struct forecast_options *options, struct err *err)
{
	struct input *input = input_open(options->measured_path, err);
	struct csv_table *table;
	int rc;

	if (!input)
		return -1;
	table = csv_table_read(input, err);
	input_close(input);
	if (!table)
		return -1;
	rc = wall_times_read(&options->measured, table, err);
	csv_table_free(table);
	return rc;
}

/* Powers of two, up to where more cores change nothing. */
static void default_list(struct forecast_options *options, const struct level_times *levels)
{
	options->list = xcalloc(DEFAULT_CORES, sizeof(*options->list));
	for (uint64_t cores = 1; options->count < DEFAULT_CORES; cores *= 2) {
		options->list[options->count++] = cores;
		if (cores >= levels->max_active && cores >= options->measured_cores)
			break;
	}
}

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_listed(const struct forecast_options *options, uint64_t cores)
{
	for (size_t i = 0; i < options->count; i++)
		if (options->list[i] == cores)
			return true;
	return false;
}

/* What was measured is forecast too: behind what was asked for, among what is usual. */
static void list_measured(struct forecast_options *options)
{
	options->list = xreallocarray(options->list, options->count + options->measured.count,
				      sizeof(*options->list));
	for (size_t i = 0; i < options->measured.count; i++)
		if (!is_listed(options, options->measured.items[i].cores))
			options->list[options->count++] = options->measured.items[i].cores;
	if (!options->on)
		qsort(options->list, options->count, sizeof(*options->list), compare);
}

static int draw(const struct forecast_options *options, const char *path, struct report *report,
		const struct forecast_view *view, struct err *err)
{
	const char *source = strcmp(path, "-") ? path : "standard input";

	if (options->plotting.path && plot_forecast(view, source, options->plotting.path, err))
		return -1;
	return options->plotting.chart ? chart_forecast(report, view, err) : 0;
}

static int print_forecast(struct forecast_options *options, const char *path,
			  const struct level_times *levels, const struct quality *quality,
			  struct err *err)
{
	struct report *report = options_report(options->trace.common, err);
	struct forecast_view view = {.levels = levels, .measured_cores = options->measured_cores};
	struct err ignored;
	int rc;

	if (!report)
		return -1;
	if (!options->count)
		default_list(options, levels);
	if (options->measured_path) {
		list_measured(options);
		view.measured = &options->measured;
	}
	view.cores = options->list;
	view.count = options->count;
	report_forecast(report, &view);
	if (quality)
		report_quality(report, quality);
	rc = draw(options, path, report, &view, err);
	return report_close(report, rc ? &ignored : err) || rc ? -1 : 0;
}

static int from_csv(struct forecast_options *options, const char *path, struct input *input,
		    struct err *err)
{
	struct level_times levels;
	int rc;

	if (!options->measured_cores)
		return err_set(err,
			       "%s: does not say on how many cores it was measured: give "
			       "--cores",
			       input_name(input));
	if (levels_csv_read(&levels, input, err))
		return -1;
	rc = print_forecast(options, path, &levels, NULL, err);
	level_times_release(&levels);
	return rc;
}

/* Takes `input` over. */
static int from_trace(struct forecast_options *options, const char *path, struct input *input,
		      struct err *err)
{
	struct event_source *source = event_source_open(input, err);
	struct profile profile;
	int rc;

	if (!source)
		return -1;
	rc = profile_init(&profile, source, &options->trace.selection, 0, err);
	progress_end(&options->trace.progress);
	if (!rc) {
		if (!options->measured_cores)
			options->measured_cores = profile.cores;
		rc = options->measured_cores
			     ? print_forecast(options, path, &profile.levels, &profile.quality, err)
			     : err_set(err, "the trace does not say on how many cores it was "
					    "recorded: give --cores");
		profile_release(&profile);
	}
	event_source_free(source);
	return rc;
}

static int print(void *own, const struct options *common, const char *path, struct err *err)
{
	struct forecast_options *options = own;
	struct input *input;
	int rc;

	if (options->calibration.calibrate)
		return forecast_calibrate(common, err);
	if (options->measured_path && read_measured(options, err))
		return -1;
	input = trace_input(&options->trace, path, common->quiet, err);
	if (!input)
		return -1;
	if (!levels_csv_matches(input))
		return from_trace(options, path, input, err);
	rc = from_csv(options, path, input, err);
	input_close(input);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct forecast_options own = {0};
	const struct poptOption table[] = {
		{"on", 'k', POPT_ARG_STRING, &own.on, 0,
		 "core counts to forecast for, as 1,2,4-16 (default: powers of two)", "LIST"},
		{"cores", '\0', POPT_ARG_STRING, &own.cores, 0,
		 "cores it was measured on (default: as the trace says)", "K1"},
		{"measured", '\0', POPT_ARG_STRING, &own.measured_path, 0,
		 "wall times measured, a table of cores,wall_s: how far off is it?", "FILE"},
		CALIBRATION_OPTIONS(&own.calibration),
		PLOTTING_OPTIONS(&own.plotting),
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.on);
	free(own.cores);
	free(own.list);
	free(own.measured_path);
	wall_times_release(&own.measured);
	plotting_release(&own.plotting);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "how long it would take on other core counts",
	.run = run,
};
