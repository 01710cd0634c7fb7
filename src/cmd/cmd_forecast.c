/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/io/input.h"
#include "base/parse.h"
#include "base/sorted.h"
#include "cmd/forecast/against_read.h"
#include "cmd/forecast/recording_read.h"
#include "cmd/forecast/slowdown_read.h"
#include "cmd/forecast/with_read.h"
#include "cmd/model/model_wish.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "decode/trace_input.h"
#include "model/file/model_file.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/variation.h"
#include "replay/program/program_read.h"
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

struct forecast_command {
	struct trace_options trace;
	struct forecast_request request; /* borrows what follows */
	struct number_list cores;
	struct forecast_change *changes;
	int spin; /* is waiting */
	bool calibrate;
	const char *slowdown; /* as typed, or NULL */
	struct runs runs;     /* of several recordings */
	struct wall_times measured;
	struct against_list against;
	struct with_recording with;
	struct plotting plotting;
	struct model_wish wish;	      /* of a forecast with a performance model */
	struct assertions assertions; /* of enum forecast_quantity, model_wish_quantity */
	bool with_profile;	      /* its summary stands in front of the forecast */
	const struct profile_view *profile;
	char *next; /* behind that: the command to go on with; NULL: none */
};

/* --- The options --------------------------------------------------------------------------- */

static const double share_most = 100; /* work may take longer, too */

/* "0,25%,50%": the shares of a what-if. Returns 0, or -1 where one of them is none. */
static int read_shares(struct forecast_change *change, const char *text)
{
	char *copy = xstrdup(text), *rest = copy;
	int rc = 0;

	change->shares = xcalloc(FORECAST_WHAT_IFS, sizeof(*change->shares));
	for (char *item; !rc && (item = strsep(&rest, ","));) {
		double *share = &change->shares[change->share_count];

		rc = change->share_count == FORECAST_WHAT_IFS || parse_share(share, item) ||
				     !(*share >= 0 && *share <= share_most)
			     ? -1
			     : 0;
		change->share_count++;
	}
	free(copy);
	return rc;
}

/* Names may hold a "=", shares do not. */
static int read_change(void *own, char *text, struct err *err)
{
	struct forecast_command *command = own;
	size_t count = command->request.change_count;
	const char *sign = strrchr(text, '=');
	struct forecast_change *change;

	if (strcmp(text, "list") == 0) {
		command->request.list = true;
		return 0;
	}
	command->request.change_count++;
	command->changes = xreallocarray(command->changes, count + 1, sizeof(*command->changes));
	command->request.changes = command->changes;
	change = &command->changes[count];
	*change = (struct forecast_change){.text = text};
	if (!sign || sign == text || read_shares(change, sign + 1))
		return err_set(
			err,
			"--what-if %s: give SITE=SHARE or FUNCTION=SHARE, a share as .5 or 50%%, "
			"or up to %d of them with commas between",
			text, FORECAST_WHAT_IFS);
	change->site = xasprintf("%.*s", (int)(sign - text), text);
	return 0;
}

static const char *const models[] = {"closed-form", "replay", NULL};
static const char *const spins[] = {"work", "waiting", NULL};

#define AT(field) offsetof(struct forecast_command, field)

/* Beside those of performance models, of which these forecasts have the wall time alone. */
enum forecast_quantity {
	FORECAST_WALL = MODEL_WISH_WALL,
	FORECAST_SPEEDUP = MODEL_WISH_P95 + 1,
	FORECAST_EFFICIENCY
};

static const struct assertion_name forecast_names[] = {
	{"wall_s", .id = FORECAST_WALL, .takes_n = true},
	{"speedup", .id = FORECAST_SPEEDUP, .takes_n = true},
	{"efficiency", .id = FORECAST_EFFICIENCY, .takes_n = true},
	{"throughput", .id = MODEL_WISH_THROUGHPUT},
	{"response_s", .id = MODEL_WISH_RESPONSE},
	{"response_p95_s", .id = MODEL_WISH_P95},
	{.name = NULL}};

static const struct option forecast_table[] = {
	{"cores", 'n', OPTION_NUMBERS, AT(cores),
	 .help = "core counts to forecast for, as 1,2,4-16 (default: powers of two)",
	 .argument = "LIST", .min = 1, .max = CORES_MAX},
	{"quota", '\0', OPTION_SHARE, AT(request.quota_cpus),
	 .help = "under a quota of CPU time, as a container has: 1.5 or 150% of a CPU",
	 .argument = "CPUS", .min = .01, .max = CORES_MAX,
	 .refusal = "is not a quota from 0.01 CPUs on, as 1.5 or 150%"},
	{"why", '\0', OPTION_FLAG, AT(request.why),
	 .help = "cost of each wait, and of each function on the critical path"},
	BY_OPTION(AT(request.by), "a row for each site (default), name or process; with --why",
		  "site", NULL),
	{"what-if", '\0', OPTION_READ_EACH, .read = read_change,
	 .help = "forecast with SHARE of the waits at a site, or of the CPU time of a function or "
		 "of thread:NAME, as m=0 or f=50%,80%; repeatable; list: sites and functions",
	 .argument = "NAME=SHARE,..."},
	{"measured", '\0', OPTION_TEXT, AT(wish.measured_path),
	 .help = "compare with measurements: a table of cores,wall_s or threads,response_s",
	 .argument = "FILE", .rare = true},
	{.type = OPTION_TABLE, .table = assertion_options, .at = AT(assertions)},
	{.type = OPTION_TABLE, .table = plotting_options, .at = AT(plotting)},
	{"usl", '\0', OPTION_FLAG, AT(request.usl),
	 .help = "fit the Universal Scalability Law to the replay", .advanced = true},
	{"against", '\0', OPTION_TEXTS, AT(against.paths),
	 .help = "compare with a recording on other cores, and split the error into work, other "
		 "programs and structure; repeatable",
	 .argument = "FILE", .advanced = true},
	{"with", '\0', OPTION_TEXT, AT(with.path),
	 .help = "both programs on the same cores: replay this recording beside the other",
	 .argument = "FILE", .advanced = true},
	{"recorded-cores", '\0', OPTION_COUNT, AT(request.measured_cores),
	 .help = "cores of the recording (default: as recorded)", .argument = "N", .min = 1,
	 .max = CORES_MAX, .refusal = "is not a number of cores", .advanced = true},
	{"model", '\0', OPTION_CHOICE, AT(request.model), .choices = models,
	 .value = FORECAST_CLOSED_FORM,
	 .help = "replay or closed-form (default: replay where its checks pass)",
	 .argument = "MODEL", .refusal = "the models are closed-form and replay", .advanced = true},
	{"spin", '\0', OPTION_CHOICE, AT(spin), .choices = spins,
	 .help = "count busy-waiting as work (default) or as waiting", .argument = "KIND",
	 .refusal = "busy-waiting is counted as work or waiting", .advanced = true},
	{"discrepancy", '\0', OPTION_SHARE, AT(request.discrepancy),
	 .help = "extra interval width per doubling of cores (default: 6.5 %)", .argument = "SHARE",
	 .max = 1, .refusal = "is not a share from 0 to 1 or a percentage", .advanced = true},
	{"slowdown", '\0', OPTION_TEXT, AT(slowdown),
	 .help = "work is slower while more cores are busy: compute, memory, a share of memory-"
		 "bound work as 0.3, or a table of cores,slowdown",
	 .argument = "KIND", .advanced = true},
	{"calibrate", '\0', OPTION_FLAG, AT(calibrate),
	 .help = "measure the slowdown of a core while others are busy", .advanced = true},
	{"on", 'k', OPTION_GONE, .help = "is now -n or --cores"},
	{.type = OPTION_HEADING, .help = "With a performance model (see pscal model):"},
	{.type = OPTION_TABLE, .table = model_wish_options, .at = AT(wish)},
	OPTION_TABLE_END};

/* The option that asks what only a replay can answer; NULL: there is none. */
static const char *asked_of_replay(const struct forecast_command *command)
{
	const struct options *common = command->trace.common;

	return command->slowdown		     ? "--slowdown"
	       : options_text(common, "quota")	     ? "--quota"
	       : options_text(common, "spin")	     ? "--spin"
	       : options_text(common, "discrepancy") ? "--discrepancy"
						     : forecast_question(&command->request);
}

/* The first assertion from that quantity on and up to the other one; NULL: there is none. */
static const char *asserted(const struct forecast_command *command, int from, int to)
{
	for (size_t i = 0; i < command->assertions.count; i++) {
		const struct assertion *assertion = &command->assertions.items[i];

		if (assertion->name->id >= from && assertion->name->id <= to)
			return assertion->text;
	}
	return NULL;
}

/* The option that asks what no performance model can answer; NULL: there is none. */
static const char *asked_of_wall_times(const struct forecast_command *command)
{
	const char *asked = asked_of_replay(command);

	return asked				 ? asked
	       : command->request.model		 ? "--model"
	       : command->request.measured_cores ? "--recorded-cores"
	       : command->against.paths		 ? "--against"
	       : command->with.path		 ? "--with"
	       : asserted(command, FORECAST_SPEEDUP, FORECAST_EFFICIENCY)
		       ? "--assert of speedup or efficiency"
	       : command->calibrate ? "--calibrate"
				    : NULL;
}

/* The option that asks for another report than --against or --with; NULL: there is none. */
static const char *other_report(const struct forecast_command *command)
{
	return command->calibrate	     ? "--calibrate"
	       : command->wish.measured_path ? "--measured"
	       : command->assertions.count   ? "--assert"
	       : command->plotting.path	     ? "--plot"
	       : command->plotting.chart     ? "--chart"
					     : forecast_question(&command->request);
}

/* Returns 0, or -1 with a sentence. */
static int check_reports(const struct forecast_command *command, struct err *err)
{
	const char *other = other_report(command);

	if (command->against.paths && command->cores.count)
		other = "--cores";
	if (command->against.paths && other)
		return err_set(err,
			       "--against: splits the error of a forecast, and does not go with %s",
			       other);
	if (command->with.path && command->against.paths)
		other = "--against";
	if (command->with.path && command->slowdown)
		other = "--slowdown";
	if (command->with.path && command->request.quota_cpus > 0)
		other = "--quota";
	if (command->with.path && other)
		return err_set(err, "--with: is about two programs, and does not go with %s",
			       other);
	return 0;
}

/* The option that is about one recording; NULL: there is none. */
static const char *several_refuse(const struct forecast_command *command)
{
	return command->slowdown		 ? "--slowdown"
	       : command->wish.measured_path	 ? "--measured"
	       : command->against.paths		 ? "--against"
	       : command->with.path		 ? "--with"
	       : command->request.measured_cores ? "--recorded-cores"
	       : command->request.model == FORECAST_CLOSED_FORM
		       ? "--model closed-form"
		       : model_wish_asked(&command->wish, command->trace.common);
}

static int finish(void *own, struct err *err)
{
	struct forecast_command *command = own;
	struct forecast_request *request = &command->request;
	const struct options *common = command->trace.common;
	const char *of_model = model_wish_asked(&command->wish, common), *asked;

	request->spin_waits = command->spin;
	request->listed = command->cores.items;
	request->count = command->cores.count;
	if (of_model && asked_of_wall_times(command))
		return err_set(err, "%s: does not go with %s", of_model,
			       asked_of_wall_times(command));
	if (model_wish_check(&command->wish, err))
		return -1;
	if (command->calibrate && common->arg_count)
		return err_set(err, "--calibrate: measures this machine and reads no FILE ('%s')",
			       common->args[0]);
	if (common->arg_count > 1 && several_refuse(command))
		return err_set(err, "%s: takes one recording, and '%s' is a second one",
			       several_refuse(command), common->args[1]);
	if (command->calibrate && command->slowdown)
		return err_set(err, "--calibrate: makes no forecast; leave out --slowdown");
	if (command->assertions.count && (command->calibrate || request->list))
		return err_set(err, "--assert: needs a forecast, and %s makes none",
			       command->calibrate ? "--calibrate" : "--what-if list");
	if (command->assertions.count && request->change_count)
		return err_set(err, "--assert: is about the program as it is; leave out --what-if");
	if (check_reports(command, err))
		return -1;
	request->consolidated = command->with.path;
	asked = asked_of_replay(command);
	if (options_text(common, "by") && !request->why)
		return err_set(err, "--by: needs --why");
	if (asked && request->model == FORECAST_CLOSED_FORM)
		return err_set(err, "%s: needs a replay, and --model asks for the closed form",
			       asked);
	return plotting_check(&command->plotting, common, err);
}

/* --- Numbers of cores, measured times ------------------------------------------------------- */

static void add_cores(struct number_list *list, uint64_t cores)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == cores)
			return;
	list->items = xreallocarray(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = cores;
}

/* Adds the core counts of measurements, of --against and of --assert to those of -n, or to the usual ones. */
static void list_cores(struct forecast_command *command, const struct level_times *levels)
{
	struct number_list *list = &command->cores;
	const struct wall_times *measured = command->request.measured;
	bool usual = !command->request.listed && !command->against.count;

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
	if (usual)
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

/* Of a number of cores. Speedup and efficiency have the interval of the wall time. */
static struct assertion_value forecast_value(const void *result, const struct assertion *assertion)
{
	const struct forecast *forecast = result;

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct forecast_row *row = &forecast->rows[i];
		const double best[] = {row->wall_s, row->speedup, row->efficiency};
		bool is_time = assertion->name->id == FORECAST_WALL;
		double value = best[is_time ? 0 : 1 + assertion->name->id - FORECAST_SPEEDUP];
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

/* `quality` NULL: of a profile; `forecast` NULL: there is none, but the profile. */
static int print_forecast(struct forecast_command *command, const char *path,
			  const struct forecast *forecast, const struct quality *quality,
			  struct err *err)
{
	struct report *report = options_report(command->trace.common, err);
	const char **words;
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
	words = trace_words_told(command->trace.common, path);
	report_forecast(report, forecast, quality, words);
	if (command->profile)
		command->next = report_forecast_next(forecast, words);
	free(words);
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

/* The option that asks what no profile can answer; NULL: there is none. */
static const char *asked_of_recording(const struct forecast_command *command)
{
	const struct options *common = command->trace.common;
	const char *asked = asked_of_replay(command);

	return asked					   ? asked
	       : command->request.model == FORECAST_REPLAY ? "--model=replay"
	       : command->against.count			   ? "--against"
	       : model_wish_asked(&command->wish, common) ? model_wish_asked(&command->wish, common)
							  : trace_target_asked(common);
}

static int from_csv(struct forecast_command *command, const char *path, struct input *input,
		    struct err *err)
{
	const struct forecast_request *request = &command->request;
	const char *asked = asked_of_recording(command);
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

/* That may be busy at once, in the recording and on any of those asked for. */
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

/* Takes `input` over, as from_model() does. */
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
	const char *asked = asked_of_wall_times(command);

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

/* One of them is replayed, and what all of them tell goes into its forecast. */
static int read_several(struct forecast_command *command, const struct options *common,
			const char **path, struct err *err)
{
	struct runs *runs = &command->runs;

	if (runs_read(runs, &command->trace, common->args, common->arg_count, err))
		return -1;
	command->request.measured = runs->walls.count ? &runs->walls : NULL;
	command->request.learned = &runs->fit;
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
	if (model_input_is(input) ||
	    (model_wish_asked(&command->wish, common) && !levels_csv_matches(input)))
		return from_model(command, path, input, err);
	if (asserted(command, MODEL_WISH_NONE, MODEL_WISH_P95)) {
		input_close(input);
		return err_set(err,
			       "--assert %s: needs the forecast of a server; ask for one, as "
			       "with --threads 8 or --rate 2x",
			       asserted(command, MODEL_WISH_NONE, MODEL_WISH_P95));
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
	brief.arg_count = 0; /* of the command that was run */
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
				       .assertions.names = forecast_names};
	const struct trace_command command = {forecast_table, &own, finish, print_input,
					      &own.assertions};
	int status = trace_command_run_several(&command, argc, argv, err);

	for (size_t i = 0; i < own.request.change_count; i++) {
		free(own.changes[i].site);
		free(own.changes[i].shares);
	}
	free(own.changes);
	runs_release(&own.runs);
	wall_times_release(&own.measured);
	against_list_release(&own.against);
	with_recording_release(&own.with);
	return status;
}

const struct cmd cmd_forecast = {
	.name = "forecast",
	.summary = "forecast the wall time on other core counts, and what limits it",
	.run = cmd_forecast_run,
};
