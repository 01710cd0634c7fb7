/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/io/input.h"
#include "base/sorted.h"
#include "cmd/forecast/against_read.h"
#include "cmd/forecast/forecast_command.h"
#include "cmd/forecast/recording_read.h"
#include "cmd/forecast/slowdown_read.h"
#include "cmd/forecast/with_read.h"
#include "cmd/model/model_wish.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "model/file/model_file.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/variation.h"
#include "replay/simulate/slowdown.h"
#include "report/forecast/report_forecast.h"
#include "report/profile/report_profile.h"
#include "report/progress.h"
#include "report/report_text.h"
#include "stats/profile/levels.h"
#include "stats/profile/levels_csv.h"
#include "stats/profile/profile.h"
#include "stats/profile/wall_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Core counts and measured times ---------------------------------------------------------- */

static void add_cores(struct number_list *list, uint64_t cores)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == cores)
			return;
	list->items = xreallocarray(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = cores;
}

/*
 * Adds the core counts of --measured, --against and --assert to those of -n, or to the default
 * ones, and sorts them; without additions the order is that of -n.
 */
static void list_cores(struct forecast_command *command, const struct level_times *levels)
{
	struct number_list *list = &command->cores;
	const struct wall_times *measured = command->request.measured;
	bool usual = !command->request.listed && !command->against.count;
	size_t listed = list->count;

	if (usual) {
		list->items = xcalloc(FORECAST_DEFAULT_CORES, sizeof(*list->items));
		list->count = forecast_default_cores(
			list->items,
			&(struct level_times){.max_active = levels->max_active +
							    with_recording_active(&command->with)},
			command->request.measured_cores);
	}
	for (size_t i = 0; measured && i < measured->count; i++)
		add_cores(list, measured->items[i].cores);
	for (size_t i = 0; i < command->against.count; i++)
		add_cores(list, against_list_cores(&command->against, i));
	for (size_t i = 0; i < command->assertions.count; i++) {
		double n = command->assertions.items[i].n;

		if (n >= 1 && n <= CORES_MAX && n == floor(n))
			add_cores(list, (uint64_t)n);
	}
	if (list->count > listed)
		sort_items(list->items, list->count, compare_u64);
	command->request.cores = list->items;
	command->request.count = list->count;
}

static int read_measured(struct forecast_command *command, struct err *err)
{
	struct csv_table *table;
	int rc;

	if (!command->wish.measured_path)
		return 0;
	table = options_table(command->trace.common, command->wish.measured_path, err);
	if (!table)
		return -1;
	rc = wall_times_read(&command->measured, table, err);
	csv_table_free(table);
	command->request.measured = &command->measured;
	return rc;
}

/* --- The result ----------------------------------------------------------------------------- */

static int draw(const struct forecast_command *command, const char *path, struct report *report,
		const struct forecast *forecast, struct err *err)
{
	char *source = xasprintf("%s%s", strcmp(path, "-") ? path : "standard input",
				 forecast->unchanged ? ", a what-if" : "");
	int rc = command->plotting.path
			 ? plot_forecast(forecast, source, command->plotting.path, err)
			 : 0;

	free(source);
	if (rc)
		return -1;
	return command->plotting.chart ? chart_forecast(report, forecast, err) : 0;
}

/*
 * Returns the value of an assertion on one core count. The intervals of speedup and efficiency
 * follow from that of the wall time.
 */
static struct assertion_value forecast_value(const void *result, const struct assertion *assertion)
{
	const struct forecast *forecast = result;

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct forecast_row *row = &forecast->rows[i];
		int quantity = assertion->name->id;
		bool is_time = quantity == FORECAST_WALL;
		double value = is_time			      ? row->wall_s
			       : quantity == FORECAST_SPEEDUP ? row->speedup
							      : row->efficiency;
		double shorter = row->lo_s / row->wall_s, longer = row->hi_s / row->wall_s;

		if (row->what_if || (double)row->cores != assertion->n)
			continue;
		return (struct assertion_value){
			.best = value,
			.low = is_time ? row->lo_s : value / longer,
			.high = is_time ? row->hi_s : value / shorter,
			.level = .9, /* variation.h */
			.unknown = "this forecast has no interval; compare with .best"};
	}
	return (struct assertion_value){.best = NAN,
					.low = NAN,
					.high = NAN,
					.unknown = "there is no forecast for this number of cores"};
}

/* Prints the forecast, or only the profile if `forecast` is NULL. `quality` is NULL for a CSV. */
static int print_forecast(struct forecast_command *command, const char *path,
			  const struct forecast *forecast, const struct quality *quality,
			  struct err *err)
{
	struct report *report = options_report(command->trace.common, err);
	bool several = command->trace.common->arg_count > 1;
	char *again;
	int rc;

	if (!report)
		return -1;
	if (command->profile) {
		report_group(report, "profile");
		report_profile(report, command->profile);
		report_ungroup(report);
	}
	if (!forecast)
		return report_finish(report, 0, err);
	if (command->profile)
		report_group(report, "forecast");
	assertions_report(&command->assertions, report, NULL, forecast_value, forecast);
	again = trace_arguments(command->trace.common,
				several ? command->trace.common->args : &path,
				several ? command->trace.common->arg_count : 1);
	report_forecast(report, forecast, quality, again);
	if (command->profile)
		command->next = report_forecast_next(forecast, again);
	free(again);
	if (command->profile)
		report_ungroup(report);
	rc = draw(command, path, report, forecast, err);
	return report_finish(report, rc, err);
}

static struct forecast_request request_of(struct forecast_command *command,
					  const struct level_times *levels)
{
	list_cores(command, levels);
	command->request.part = command->trace.selection.comm || command->trace.selection.tid_count;
	command->request.compared = command->against.count > 0;
	command->request.slowdown_text = command->slowdown;
	return command->request;
}

static int from_levels(struct forecast_command *command, const char *path,
		       const struct profile *profile, struct err *err)
{
	struct forecast_request request = request_of(command, &profile->levels);
	struct forecast forecast;
	struct program none = {0};
	int rc;

	request.model = FORECAST_CLOSED_FORM;
	rc = forecast_make(&forecast, &request, &none, profile, NULL, err);
	if (!rc)
		rc = print_forecast(command, path, &forecast, NULL, err);
	forecast_release(&forecast);
	program_release(&none);
	return rc;
}

static int from_csv(struct forecast_command *command, const char *path, struct input *input,
		    struct err *err)
{
	const struct forecast_request *request = &command->request;
	const char *asked = forecast_command_beyond_profile(command);
	struct profile profile = {.cores = 0};
	int rc;

	if (asked) {
		err_set(err, "%s: is a profile, and %s needs a recording", input->name, asked);
		return STATUS_USAGE;
	}
	if (!request->measured_cores)
		return err_set(err,
			       "%s: does not say on how many cores it was recorded: give "
			       "--recorded-cores",
			       input->name);
	if (levels_csv_read(&profile.levels, input, err))
		return -1;
	rc = from_levels(command, path, &profile, err);
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

/* The largest number of cores that may be busy at once, in the recording or in a forecast. */
static uint64_t most_cores(const struct forecast_request *request)
{
	uint64_t most = request->measured_cores;

	for (size_t i = 0; i < request->count; i++)
		most = request->cores[i] > most ? request->cores[i] : most;
	return most < SLOWDOWN_CORES_MAX ? most : SLOWDOWN_CORES_MAX;
}

static int make_forecast(struct forecast *forecast, struct forecast_command *command,
			 const struct profile *profile, struct program *program,
			 const struct event_source *source, struct err *err)
{
	struct watched watched = {.quiet = command->trace.common->quiet};
	const struct forecast_watch watch = {begin_piece, show_piece, end_piece, &watched};
	struct forecast_request request = request_of(command, &profile->levels);
	struct slowdown slowdown;
	int rc;

	*forecast = (struct forecast){.shown = NULL};
	if (slowdown_read(&slowdown, command->slowdown, command->trace.common, err))
		return -1;
	if (request.learned &&
	    (request.learned->law != SLOWDOWN_NONE || request.learned->group_count)) {
		slowdown_of_fit(&slowdown, request.learned, most_cores(&request));
		request.slowdown_text = "learned from recordings";
	}
	request.slowdown = &slowdown;
	request.speed = speed_read(source);
	request.watch = &watch;
	rc = forecast_make(forecast, &request, program, profile, source, err);
	slowdown_release(&slowdown);
	return rc;
}

static int from_profile(struct forecast_command *command, const char *path,
			struct forecast_recording *recording, struct err *err)
{
	struct forecast_request *request = &command->request;
	const struct profile *profile = &recording->profile;
	const struct event_source *source = recording->source;
	struct profile_view view = {
		.profile = profile,
		.targets = source->target.roots,
		.target_count = source->target.root_count,
		.is_machine = source->target.wide && selection_is_empty(&command->trace.selection),
		.summary = true,
	};
	struct forecast forecast;
	int rc;

	if (command->with.path &&
	    with_recording_check_first(path, source, &command->trace.selection, err))
		return -1;
	command->profile = command->with_profile ? &view : NULL;
	request->is_machine = view.is_machine;
	request->recording_cores = profile->cores;
	request->measured_cores = request->measured_cores ?: profile->cores;
	if (!request->measured_cores)
		return err_set(err, "the trace does not say on how many cores it was recorded: "
				    "give --recorded-cores, or print it with 'perf script --ns -F "
				    "comm,pid,tid,cpu,time,event,trace'");
	rc = make_forecast(&forecast, command, profile, &recording->program, source, err);
	view.has_forecast = !rc;
	view.others_told = !rc && forecast_is_of_shared_cpus(&forecast);
	if (!rc && command->against.paths)
		rc = against_list_print(&command->against, &command->trace, path, &forecast, err);
	else if (!rc && command->with.path)
		rc = with_recording_print(&command->with, path, &forecast, &profile->quality,
					  &command->request, command->trace.common, err);
	else if (!rc)
		rc = print_forecast(command, path, &forecast, &profile->quality, err);
	else if (command->with_profile)
		print_forecast(command, path, NULL, NULL, &(struct err){.text = ""});
	forecast_release(&forecast);
	return rc;
}

/* Takes ownership of `input`, as from_model() does. */
static int from_trace(struct forecast_command *command, const char *path, struct input *input,
		      struct err *err)
{
	const struct forecast_request *request = &command->request;
	const struct recording_wish wish = {
		.selection = &command->trace.selection,
		.sums = !command->with_profile,
		.program = request->model != FORECAST_CLOSED_FORM || command->against.paths,
		.spin_timed = request->spin_waits,
		.functions = request->change_count || request->list || request->why,
	};
	struct forecast_recording recording;
	int rc = forecast_recording_read(&recording, input, &wish, err);

	progress_end(&command->trace.progress);
	if (rc)
		return -1;
	rc = from_profile(command, path, &recording, err);
	forecast_recording_release(&recording);
	return rc;
}

static int from_model(struct forecast_command *command, const char *path, struct input *input,
		      struct err *err)
{
	const char *asked = forecast_command_beyond_model(command);

	if (!asked && model_input_is(input))
		asked = trace_target_asked(command->trace.common);
	command->wish.plotting = &command->plotting;
	if (!asked)
		return model_wish_print(&command->wish, &command->cores, &command->assertions,
					&command->trace, path, input, err);
	err_set(err, "%s: is a model, and %s needs a recording", input->name, asked);
	input_close(input);
	return STATUS_USAGE;
}

/* Reads all recordings. One is replayed; the variation and slowdown in all go into its forecast. */
static int read_several(struct forecast_command *command, const struct options *common,
			const char **path, struct err *err)
{
	struct runs *runs = &command->runs;

	if (runs_read(runs, &command->trace, common->args, common->arg_count, err))
		return -1;
	command->request.measured = runs->walls.count ? &runs->walls : NULL;
	command->request.learned = &runs->fit;
	if (runs->commands[0])
		command->request.commands = (const char *const *)runs->commands;
	*path = runs->typical;
	return 0;
}

static int print_input(void *own, const struct options *common, const char *path, struct err *err)
{
	struct forecast_command *command = own;
	struct input *input;
	int rc;

	if (command->calibrate)
		return slowdown_calibrate(common, err);
	if (against_list_read(&command->against, &command->trace, command->request.spin_waits, err))
		return -1;
	if (with_recording_read(&command->with, &command->trace, path, command->request.spin_waits,
				err))
		return -1;
	if (common->arg_count > 1 && read_several(command, common, &path, err))
		return -1;
	input = trace_input(&command->trace, path, common->quiet, err);
	if (!input)
		return -1;
	if (model_input_is(input) || (model_wish_asked(common) && !levels_csv_matches(input)))
		return from_model(command, path, input, err);
	if (forecast_command_about_server(command)) {
		input_close(input);
		return err_set(err,
			       "--assert %s: needs the forecast of a server; ask for one, as "
			       "with --threads 8 or --rate 2x",
			       forecast_command_about_server(command));
	}
	if (read_measured(command, err)) {
		input_close(input);
		return -1;
	}
	if (!levels_csv_matches(input))
		return from_trace(command, path, input, err);
	rc = from_csv(command, path, input, err);
	input_close(input);
	return rc;
}

int forecast_with_profile(char **next, const struct options *common, const char *path,
			  const struct number_list *cores, struct err *err)
{
	struct options brief = *common;
	struct forecast_command command = {
		.trace.common = &brief,
		.request = {.discrepancy = INTERVAL_DISCREPANCY,
			    .listed = cores->items,
			    .profiled = true},
		.wish.think_s = NAN,
		.with_profile = true,
	};
	struct number_list *list = &command.cores;
	int rc;

	brief.quiet = !common->verbose;
	brief.arg_count = 0; /* the arguments are those of the recorded command */
	list->count = cores->count;
	if (cores->count) {
		list->items = xcalloc(cores->count, sizeof(*list->items));
		memcpy(list->items, cores->items, cores->count * sizeof(*list->items));
	}
	rc = print_input(&command, &brief, path, err);
	*next = command.next;
	free(list->items);
	return rc;
}

static int cmd_forecast_run(int argc, const char **argv, struct err *err)
{
	struct forecast_command own = {.request = {.discrepancy = INTERVAL_DISCREPANCY},
				       .wish.think_s = NAN,
				       .assertions.names = forecast_command_quantities};
	const struct trace_command command = {forecast_command_options, &own,
					      forecast_command_check, print_input, &own.assertions};
	int status = trace_command_run_several(&command, argc, argv, err);

	forecast_command_release(&own);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "forecast the wall time on other core counts, and what limits it",
	.run = cmd_forecast_run,
};
