/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/input.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"
#include "report/report_forecast.h"
#include "report/report_quality.h"
#include "stats/levels_csv.h"
#include "stats/profile.h"

#include <stdlib.h>

enum { CORES_MAX = 1 << 20, DEFAULT_CORES = 20 };

struct forecast_options {
	struct trace_options trace;
	char *on, *cores; /* as typed */
	uint64_t *list;	  /* cores to forecast for */
	size_t count;
	uint64_t measured_cores; /* 0: as the trace says */
};

static int finish(void *own, struct err *err)
{
	struct forecast_options *options = own;
	if (options->on &&
	    parse_list(&options->list, &options->count, options->on, 1, CORES_MAX, err))
		return err_wrap(err, "-k");
	if (options->cores && (parse_u64(&options->measured_cores, options->cores, CORES_MAX) ||
			       !options->measured_cores))
		return err_set(err, "--cores %s: is not a number of cores", options->cores);
	return 0;
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

static int print_forecast(struct forecast_options *options, const struct options *common,
			  const struct level_times *levels, const struct quality *quality,
			  struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	if (!options->count)
		default_list(options, levels);
	report_forecast(report, levels, options->measured_cores, options->list, options->count);
	if (quality)
		report_quality(report, quality);
	return report_close(report, err);
}

static int from_csv(struct forecast_options *options, const struct options *common,
		    struct input *input, struct err *err)
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
	rc = print_forecast(options, common, &levels, NULL, err);
	level_times_release(&levels);
	return rc;
}

/* Takes `input` over. */
static int from_trace(struct forecast_options *options, const struct options *common,
		      struct input *input, struct err *err)
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
			     ? print_forecast(options, common, &profile.levels, &profile.quality,
					      err)
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
	struct input *input = trace_input(&options->trace, path, common->quiet, err);
	int rc;

	if (!input)
		return -1;
	if (!levels_csv_matches(input))
		return from_trace(options, common, input, err);
	rc = from_csv(options, common, input, err);
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
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.on);
	free(own.cores);
	free(own.list);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "how long it would take on other core counts",
	.run = run,
};
