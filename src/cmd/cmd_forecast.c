/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "cmd/forecast/forecast_calibration.h"
#include "cmd/forecast/forecast_options.h"
#include "cmd/options/cmd.h"
#include "decode/trace_input.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program_read.h"
#include "report/forecast/report_forecast.h"
#include "report/progress.h"
#include "report/report_quality.h"
#include "stats/profile/levels.h"
#include "stats/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static int finish(void *own, struct err *err)
{
	return forecast_options_read(own, err);
}

static int draw(const struct forecast_options *options, const char *path, struct report *report,
		const struct forecast *forecast, struct err *err)
{
	char *source = xasprintf("%s%s", strcmp(path, "-") ? path : "standard input",
				 forecast->unchanged ? ", a what-if" : "");
	int rc = options->plotting.path
			 ? plot_forecast(forecast, source, options->plotting.path, err)
			 : 0;

	free(source);
	if (rc)
		return -1;
	return options->plotting.chart ? chart_forecast(report, forecast, err) : 0;
}

/* `quality` NULL: of a profile. */
static int print_forecast(const struct forecast_options *options, const char *path,
			  const struct forecast *forecast, const struct quality *quality,
			  struct err *err)
{
	struct report *report = options_report(options->trace.common, err);
	int rc;

	if (!report)
		return -1;
	report_forecast(report, forecast);
	if (quality)
		report_quality(report, quality);
	rc = draw(options, path, report, forecast, err);
	return report_finish(report, rc, err);
}

static struct forecast_request request_of(struct forecast_options *options,
					  const struct level_times *levels)
{
	forecast_options_list(options, levels);
	options->request.measured = options->has_measured ? &options->measured : NULL;
	options->request.slowdown_text = options->calibration.slowdown;
	return options->request;
}

static int from_levels(struct forecast_options *options, const char *path,
		       const struct profile *profile, struct err *err)
{
	struct forecast_request request = request_of(options, &profile->levels);
	struct forecast forecast;
	struct program none;
	int rc;

	request.model = FORECAST_CLOSED_FORM;
	program_init(&none);
	rc = forecast_make(&forecast, &request, &none, profile, NULL, err);
	if (!rc)
		rc = print_forecast(options, path, &forecast, NULL, err);
	forecast_release(&forecast);
	program_release(&none);
	return rc;
}

static int from_csv(struct forecast_options *options, const char *path, struct input *input,
		    struct err *err)
{
	const struct forecast_request *request = &options->request;
	struct profile profile = {.cores = 0};
	int rc;

	if (request->model == FORECAST_REPLAY || options->calibration.slowdown || options->spin ||
	    options->discrepancy || forecast_question(request))
		return err_set(err,
			       "%s: is a profile, of which there is no replay: give the "
			       "recording",
			       input->name);
	if (!request->measured_cores)
		return err_set(err,
			       "%s: does not say on how many cores it was measured: give "
			       "--cores",
			       input->name);
	if (levels_csv_read(&profile.levels, input, err))
		return -1;
	rc = from_levels(options, path, &profile, err);
	level_times_release(&profile.levels);
	return rc;
}

/* --- Long pieces of work -------------------------------------------------------------------- */

struct watched {
	struct progress progress;
	bool quiet;
};

static void begin_piece(void *context)
{
	struct watched *watched = context;

	progress_begin(&watched->progress, watched->quiet);
}

static void show_piece(void *context, uint64_t done, uint64_t size)
{
	struct watched *watched = context;

	progress_show(&watched->progress, done, size);
}

static void end_piece(void *context)
{
	struct watched *watched = context;

	progress_end(&watched->progress);
}

/* --- Recordings ----------------------------------------------------------------------------- */

static int make_forecast(struct forecast *forecast, struct forecast_options *options,
			 const struct profile *profile, struct program *program,
			 const struct event_source *source, struct err *err)
{
	struct watched watched = {.quiet = options->trace.common->quiet};
	const struct forecast_watch watch = {begin_piece, show_piece, end_piece, &watched};
	struct forecast_request request = request_of(options, &profile->levels);
	struct slowdown slowdown;
	int rc;

	*forecast = (struct forecast){.shown = NULL};
	if (forecast_slowdown(&slowdown, &options->calibration, options->trace.common, err))
		return -1;
	request.slowdown = &slowdown;
	request.watch = &watch;
	rc = forecast_make(forecast, &request, program, profile, source, err);
	slowdown_release(&slowdown);
	return rc;
}

static int from_profile(struct forecast_options *options, const char *path,
			const struct profile *profile, struct program *program,
			const struct event_source *source, struct err *err)
{
	struct forecast_request *request = &options->request;
	struct forecast forecast;
	int rc;

	if (!request->measured_cores)
		request->measured_cores = profile->cores;
	if (!request->measured_cores)
		return err_set(err, "the trace does not say on how many cores it was recorded: "
				    "give --cores");
	rc = make_forecast(&forecast, options, profile, program, source, err);
	if (!rc)
		rc = print_forecast(options, path, &forecast, &profile->quality, err);
	forecast_release(&forecast);
	return rc;
}

/* The profile, and in the same pass the program where it may be replayed. */
static int read_trace(const struct forecast_options *options, struct profile *profile,
		      struct program *program, struct event_source *source, struct err *err)
{
	struct profiler *profiler = profiler_new(source, &options->trace.selection, 0);
	struct program_reader *reader = NULL;
	int rc;

	if (options->request.model != FORECAST_CLOSED_FORM) {
		reader = program_reader_new(program, profiler_timeline(profiler), source);
		profiler_watch(profiler, program_reader_take, reader);
	}
	rc = profiler_run(profiler, err);
	if (!rc)
		profiler_profile(profile, profiler);
	if (!rc && reader)
		program_reader_finish(reader);
	program_reader_free(reader);
	profiler_free(profiler);
	return rc;
}

/* Takes `input` over. */
static int from_trace(struct forecast_options *options, const char *path, struct input *input,
		      struct err *err)
{
	const struct forecast_request *request = &options->request;
	struct event_source *source = trace_input_read(input, err);
	struct profile profile;
	struct program program;
	int rc;

	if (!source)
		return -1;
	source->samples.timed = request->spin_waits;
	source->chains.wanted = request->why || request->change_count;
	program_init(&program);
	rc = read_trace(options, &profile, &program, source, err);
	progress_end(&options->trace.progress);
	if (!rc) {
		rc = from_profile(options, path, &profile, &program, source, err);
		profile_release(&profile);
	}
	program_release(&program);
	event_source_free(source);
	return rc;
}

static int print_input(void *own, const struct options *common, const char *path, struct err *err)
{
	struct forecast_options *options = own;
	struct input *input;
	int rc;

	if (options->calibration.calibrate)
		return forecast_calibrate(common, err);
	if (forecast_options_read_measured(options, err))
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

static int cmd_forecast_run(int argc, const char **argv, struct err *err)
{
	struct forecast_options own = {0};
	const struct poptOption table[] = {
		{"model", '\0', POPT_ARG_STRING, &own.model, 0,
		 "replay or closed-form (default: replay where it can be trusted)", "MODEL"},
		{"on", 'k', POPT_ARG_STRING, &own.on, 0,
		 "core counts to forecast for, as 1,2,4-16 (default: powers of two)", "LIST"},
		{"cores", '\0', POPT_ARG_STRING, &own.measured_on, 0,
		 "cores it was measured on (default: as the trace says)", "K1"},
		{"measured", '\0', POPT_ARG_STRING, &own.measured_path, 0,
		 "wall times measured, a table of cores,wall_s: how far off is it?", "FILE"},
		{"spin", '\0', POPT_ARG_STRING, &own.spin, 0,
		 "threads that spin do work or are waiting (default: work)", "KIND"},
		{"discrepancy", '\0', POPT_ARG_STRING, &own.discrepancy, 0,
		 "what intervals take for caches, memory and clock (default: 6.5 %)", "SHARE"},
		{"why", '\0', POPT_ARG_NONE, &own.why, 0,
		 "what would be saved if waiting cost nothing, for each site", NULL},
		{"what-if", '\0', POPT_ARG_ARGV, &own.what_ifs, 0,
		 "forecast with SHARE of the waiting time at SITE; repeatable", "SITE=SHARE"},
		{"usl", '\0', POPT_ARG_NONE, &own.usl, 0,
		 "fit the Universal Scalability Law to the replay", NULL},
		CALIBRATION_OPTIONS(&own.calibration),
		PLOTTING_OPTIONS(&own.plotting),
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print_input};
	int status = trace_command_run(&command, argc, argv, err);

	forecast_options_release(&own);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "how long it would take on other core counts",
	.run = cmd_forecast_run,
};
