/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "cmd/forecast/forecast_replay.h"
#include "cmd/forecast/forecast_request.h"
#include "cmd/options/cmd.h"
#include "decode/trace_input.h"
#include "replay/program/program_read.h"
#include "report/forecast/plot_forecast.h"
#include "report/forecast/report_forecast.h"
#include "report/report_quality.h"
#include "stats/profile/levels_csv.h"
#include "stats/profile/overhead.h"
#include "stats/profile/profile.h"

#include <stdlib.h>
#include <string.h>

static int finish(void *own, struct err *err)
{
	return forecast_request_read(own, err);
}

static int draw(const struct forecast_request *request, const char *path, struct report *report,
		const struct forecast_view *view, struct err *err)
{
	char *source = xasprintf("%s%s", strcmp(path, "-") ? path : "standard input",
				 view->unchanged ? ", a what-if" : "");
	int rc = request->plotting.path ? plot_forecast(view, source, request->plotting.path, err)
					: 0;

	free(source);
	if (rc)
		return -1;
	return request->plotting.chart ? chart_forecast(report, view, err) : 0;
}

/* `quality` NULL: of a profile. */
static int print_forecast(const struct forecast_request *request, const char *path,
			  const struct forecast_view *view, const struct quality *quality,
			  struct err *err)
{
	struct report *report;
	int rc;

	if (!view->replay && closed_form_check(view->levels, err))
		return -1;
	report = options_report(request->trace.common, err);
	if (!report)
		return -1;
	report_forecast(report, view);
	if (quality)
		report_quality(report, quality);
	rc = draw(request, path, report, view, err);
	return report_finish(report, rc, err);
}

static struct forecast_view view_of(struct forecast_request *request,
				    const struct level_times *levels)
{
	forecast_request_list(request, levels);
	return (struct forecast_view){
		.levels = levels,
		.measured_cores = request->measured_cores,
		.cores = request->list,
		.count = request->count,
		.measured = request->has_measured ? &request->measured : NULL,
	};
}

static int from_csv(struct forecast_request *request, const char *path, struct input *input,
		    struct err *err)
{
	struct level_times levels;
	struct forecast_view view;
	int rc;

	if (request->model == MODEL_REPLAY || request->calibration.slowdown || request->spin ||
	    request->discrepancy_text || why_options_name(&request->why))
		return err_set(err,
			       "%s: is a profile, of which there is no replay: give the "
			       "recording",
			       input_name(input));
	if (!request->measured_cores)
		return err_set(err,
			       "%s: does not say on how many cores it was measured: give "
			       "--cores",
			       input_name(input));
	if (levels_csv_read(&levels, input, err))
		return -1;
	view = view_of(request, &levels);
	rc = print_forecast(request, path, &view, NULL, err);
	level_times_release(&levels);
	return rc;
}

static int from_profile(struct forecast_request *request, const char *path,
			const struct profile *profile, struct program *program,
			const struct event_source *source, struct err *err)
{
	struct forecast_recording recording = {.samples = &source->samples,
					       .chains = &source->chains,
					       .quality = &profile->quality};
	struct forecast_replay replay;
	struct overhead overhead;
	struct forecast_view view;
	int rc;

	if (!request->measured_cores)
		request->measured_cores = profile->cores;
	if (!request->measured_cores)
		return err_set(err, "the trace does not say on how many cores it was recorded: "
				    "give --cores");
	view = view_of(request, &profile->levels);
	view.attached = source->target.attached;
	overhead_init(&overhead, profile, &source->target);
	recording.overhead_share = overhead.unsure_share;
	rc = forecast_replay_init(&replay, request, &recording, program, &view, err);
	if (!rc)
		rc = print_forecast(request, path, &view, &profile->quality, err);
	forecast_replay_release(&replay);
	return rc;
}

/* The profile, and in the same pass the program where it may be replayed. */
static int read_trace(const struct forecast_request *request, struct profile *profile,
		      struct program *program, struct event_source *source, struct err *err)
{
	struct profiler *profiler = profiler_new(source, &request->trace.selection, 0);
	struct program_reader *reader = NULL;
	int rc;

	if (request->model != MODEL_CLOSED_FORM) {
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
static int from_trace(struct forecast_request *request, const char *path, struct input *input,
		      struct err *err)
{
	struct event_source *source = trace_input_read(input, err);
	struct profile profile;
	struct program program;
	int rc;

	if (!source)
		return -1;
	source->samples.timed = request->spin_waits;
	source->chains.wanted = request->why.why || request->why.changes;
	program_init(&program);
	rc = read_trace(request, &profile, &program, source, err);
	progress_end(&request->trace.progress);
	if (!rc) {
		rc = from_profile(request, path, &profile, &program, source, err);
		profile_release(&profile);
	}
	program_release(&program);
	event_source_free(source);
	return rc;
}

static int print(void *own, const struct options *common, const char *path, struct err *err)
{
	struct forecast_request *request = own;
	struct input *input;
	int rc;

	if (request->calibration.calibrate)
		return forecast_calibrate(common, err);
	if (forecast_request_read_measured(request, err))
		return -1;
	input = trace_input(&request->trace, path, common->quiet, err);
	if (!input)
		return -1;
	if (!levels_csv_matches(input))
		return from_trace(request, path, input, err);
	rc = from_csv(request, path, input, err);
	input_close(input);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct forecast_request own = {0};
	const struct poptOption table[] = {
		{"model", '\0', POPT_ARG_STRING, &own.model_text, 0,
		 "replay or closed-form (default: replay where it can be trusted)", "MODEL"},
		{"on", 'k', POPT_ARG_STRING, &own.on, 0,
		 "core counts to forecast for, as 1,2,4-16 (default: powers of two)", "LIST"},
		{"cores", '\0', POPT_ARG_STRING, &own.cores, 0,
		 "cores it was measured on (default: as the trace says)", "K1"},
		{"measured", '\0', POPT_ARG_STRING, &own.measured_path, 0,
		 "wall times measured, a table of cores,wall_s: how far off is it?", "FILE"},
		{"spin", '\0', POPT_ARG_STRING, &own.spin, 0,
		 "threads that spin do work or are waiting (default: work)", "KIND"},
		{"discrepancy", '\0', POPT_ARG_STRING, &own.discrepancy_text, 0,
		 "what intervals take for caches, memory and clock (default: 6.5 %)", "SHARE"},
		WHY_OPTIONS(&own.why),
		CALIBRATION_OPTIONS(&own.calibration),
		PLOTTING_OPTIONS(&own.plotting),
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	forecast_request_release(&own);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "how long it would take on other core counts",
	.run = run,
};
