/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/io/output_file.h"
#include "cmd/forecast/slowdown_read.h"
#include "cmd/model/model_load.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "decode/timeline/timeline.h"
#include "model/forecast/model_forecast.h"
#include "replay/forecast/forecast.h"
#include "replay/forecast/variation.h"
#include "replay/program/program_read.h"
#include "report/dag/report_dag.h"
#include "report/model/report_model.h"
#include "report/page/report_page.h"
#include "report/profile/report_profile.h"
#include "report/rdam/report_rdam.h"
#include "report/report.h"
#include "report/stretch/report_stretch.h"
#include "stats/overview/overview.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"
#include "stats/stacks/flame_tree.h"
#include "stats/stacks/folded_stacks.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/dag.h"
#include "stats/tasks/task_tree.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Limits for large recordings, as replays take seconds and grow with the changes of state. Beyond
 * CHANGES_MAX changes the forecast is the closed form, unless --forecast=always. Beyond
 * WHY_ALL_SIZE_MAX, the size of one replay (simulation_size) times the core counts, the cost of
 * waits is that on the most cores, without what-ifs. The size also counts slices, as thousands of
 * threads that only compute have few changes and many slices.
 */
enum { CHANGES_MAX = 4000000, WHY_ALL_SIZE_MAX = 1800000 };

enum { PAGE_NODES = 1000 }; /* the most nodes of a task graph */

struct report_command {
	struct trace_options trace;
	const char *path; /* the path of the page */
	enum { FORECAST_AUTO, FORECAST_ALWAYS, FORECAST_NEVER } forecast;
	size_t sampled, tasked; /* recordings with samples, or with tasks, that can be read again */
};

static const char *const forecast_choices[] = {"auto", "always", "never", NULL};

static const struct option report_table[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct report_command, path),
	 .help = "the page to write (default: pscal-report.html)", .argument = "FILE"},
	{"forecast", '\0', OPTION_CHOICE, offsetof(struct report_command, forecast),
	 .help = "auto (default: no replay of very large recordings), always or never",
	 .argument = "WHEN", .choices = forecast_choices,
	 .refusal = "there are auto, always and never"},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	const struct report_command *command = own;
	const struct options *common = command->trace.common;

	if (common->format != REPORT_TEXT)
		return err_set(err, "--format: the page is HTML; 'pscal profile' and 'pscal "
				    "forecast' print the same as CSV and JSON");
	if (common->sort || common->limit)
		return err_set(err,
			       "--%s: is for printed tables; the page has its own order. 'pscal "
			       "profile' takes it",
			       common->sort ? "sort" : "limit");
	if (common->arg_count > PAGE_RECORDINGS)
		return err_set(err, "%s: a page compares two recordings; name one or two",
			       common->args[PAGE_RECORDINGS]);
	return 0;
}

/* --- One recording ------------------------------------------------------------------------- */

/* The results of one pass over a recording. */
struct reading {
	const struct report_command *command;
	const char *path;
	char *again; /* arguments that name it; NULL: it cannot be read again */
	struct event_source *source;
	struct profiler *profiler;
	struct program_reader *reader; /* NULL: no replay */
	uint64_t changes;
	bool has_program;
	struct overview_reader *overview_reader;
	struct stack_folder *folder;
	struct profile profile;
	struct program program;
	struct overview overview;
	uint64_t cores[FORECAST_DEFAULT_CORES]; /* the core counts of the forecast */
};

_Static_assert((int)PAGE_CORES >= (int)FORECAST_DEFAULT_CORES, "all cores are shown");

static void drop_program(struct reading *reading)
{
	timeline_want_marks(profiler_timeline(reading->profiler), NULL, NULL);
	program_reader_free(reading->reader);
	program_release(&reading->program);
	reading->reader = NULL;
	reading->program = (struct program){0};
}

static void take_change(void *context, const struct change *change)
{
	struct reading *reading = context;

	reading->changes++;
	if (reading->reader && reading->changes > CHANGES_MAX &&
	    reading->command->forecast == FORECAST_AUTO)
		drop_program(reading);
	if (reading->reader)
		program_reader_take(reading->reader, change);
	overview_reader_take(reading->overview_reader, change);
	stack_folder_take(reading->folder, change);
}

static int read_recording(struct reading *reading, struct err *err)
{
	int rc;

	reading->source->chains.wanted = true; /* to name the sites of waits */
	reading->folder = stack_folder_new(reading->source);
	reading->profiler = profiler_new(reading->source, &reading->command->trace.selection, 0);
	stack_folder_want_bins(reading->folder, profiler_timeline(reading->profiler));
	if (reading->command->forecast != FORECAST_NEVER)
		reading->reader = program_reader_new(
			&reading->program, profiler_timeline(reading->profiler), reading->source);
	if (reading->reader && reading->source->samples.timed)
		program_reader_want_gaps(reading->reader);
	reading->overview_reader = overview_reader_new(reading->profiler);
	profiler_watch(reading->profiler, take_change, reading);
	rc = profiler_run(reading->profiler, err);
	if (!rc) {
		profiler_profile(&reading->profile, reading->profiler);
		if (reading->reader)
			program_reader_finish(reading->reader);
		overview_init(&reading->overview, reading->overview_reader, &reading->profile);
	}
	overview_reader_free(reading->overview_reader);
	reading->has_program = reading->reader;
	program_reader_free(reading->reader);
	profiler_free(reading->profiler);
	return rc;
}

static bool is_machine(const struct reading *reading)
{
	return reading->source->target.wide &&
	       selection_is_empty(&reading->command->trace.selection);
}

/* Returns 0 and the forecast, or -1 and an error. */
static int make_forecast(struct forecast *forecast, struct reading *reading, struct err *err)
{
	static const char too_large[] = "the recording is so large that a replay takes longer than "
					"the rest of the page (--forecast=always replays it)";
	const struct forecast_request request = {
		.model = reading->has_program ? FORECAST_ANY : FORECAST_CLOSED_FORM,
		.measured_cores = reading->profile.cores,
		.recording_cores = reading->profile.cores,
		.cores = reading->cores,
		.count = forecast_default_cores(reading->cores, &reading->profile.levels,
						reading->profile.cores),
		.discrepancy = INTERVAL_DISCREPANCY,
		.speed = speed_read(reading->source),
		.is_machine = is_machine(reading),
	};

	if (reading->command->forecast == FORECAST_NEVER)
		return err_set(err, "no forecast was asked for; leave out --forecast=never");
	if (!request.measured_cores)
		return err_set(err, "the trace does not say on how many cores it was recorded");
	if (forecast_make(forecast, &request, &reading->program, &reading->profile, reading->source,
			  err))
		return -1;
	if (!reading->has_program)
		forecast->reason = too_large;
	return 0;
}

/* Adds the what-ifs of the waits with the largest savings, up to one that cannot be made. */
static void add_what_ifs(struct page *page, struct forecast *forecast, struct program *program)
{
	const struct why *why = forecast->why;
	struct page_what_if what_ifs[PAGE_WHAT_IFS];
	size_t count = 0;
	struct err ignored;

	if (why->count != forecast->request.count)
		return;
	for (const struct why_saving *wait;
	     count < PAGE_WHAT_IFS && (wait = why_wait(why, &why->points[0], count)); count++) {
		const struct wait_cost half = {wait->site, .5};

		if (forecast_ask_what_if(what_ifs[count].half_s, forecast, &half, program,
					 &ignored))
			break;
	}
	page_what_ifs(page, forecast, what_ifs, count);
}

static void add_forecast(struct page *page, struct reading *reading)
{
	struct forecast forecast = {.shown = NULL};
	struct err err;

	if (make_forecast(&forecast, reading, &err)) {
		page_forecast(page, NULL, &err);
	} else {
		bool on_all = forecast.replay.size * forecast.request.count <= WHY_ALL_SIZE_MAX;

		page_forecast(page, &forecast, NULL);
		if (reading->has_program &&
		    !forecast_ask_why(&forecast, on_all, &reading->program, &reading->profile,
				      reading->source, &err))
			page_forecast(page, &forecast, NULL);
		if (forecast.why)
			add_what_ifs(page, &forecast, &reading->program);
	}
	forecast_release(&forecast);
}

static void add_flame(struct page *page, const struct reading *reading)
{
	struct flame_tree trees[STACK_WEIGHTS];

	for (size_t i = 0; i < STACK_WEIGHTS; i++) {
		struct folded_stacks stacks;

		folded_stacks_init(&stacks, reading->folder, (enum stack_weight)i);
		flame_tree_init(&trees[i], &stacks);
		folded_stacks_release(&stacks);
	}
	page_flame(page, trees);
	for (size_t i = 0; i < STACK_WEIGHTS; i++)
		flame_tree_release(&trees[i]);
}

static bool can_open_again(const struct reading *reading)
{
	struct stat status;

	return strcmp(reading->path, "-") != 0 && stat(reading->path, &status) == 0 &&
	       S_ISREG(status.st_mode);
}

/*
 * Opens the recording for another pass. *options has to live as long as the source. Returns NULL if
 * that is not possible.
 */
static struct event_source *open_again(struct trace_options *options, const struct reading *reading)
{
	struct err ignored;

	*options = reading->command->trace;
	return can_open_again(reading) ? trace_open(options, reading->path, true, &ignored) : NULL;
}

static void add_functions(struct page *page, const struct reading *reading)
{
	const struct rdam_options options = {.least = 2};
	const struct selection *selection = &reading->command->trace.selection;
	struct trace_options again;
	struct event_source *source = open_again(&again, reading);
	struct rdam_trace trace;
	struct rdam rdam;
	char *again_but_tid =
		trace_arguments_but_tid(reading->command->trace.common, reading->path);
	struct rdam_view view = {.rdam = &rdam,
				 .trace = &trace,
				 .path = reading->path,
				 .again = reading->again,
				 .again_but_tid = again_but_tid,
				 .costly_score = RDAM_COSTLY_SCORE};
	struct err ignored;

	if (!source) {
		free(again_but_tid);
		return;
	}
	source->chains.wanted = true;
	if (!rdam_trace_read(&trace, source, selection, &ignored)) {
		thread_names_complete(trace.threads, trace.thread_count,
				      THREAD_NAME_PLACE(struct rdam_thread), source);
		if (source->chains.count)
			view.names = chain_names_new(&source->chains, &source->samples);
		if (!rdam_init(&rdam, &trace, &options, &ignored))
			page_blocks(page, &view, NULL);
		chain_names_free(view.names);
		rdam_release(&rdam);
		rdam_trace_release(&trace);
	}
	event_source_free(source);
	free(again_but_tid);
}

static void add_tasks(struct page *page, const struct reading *reading)
{
	struct dag_view view = {.again = reading->again,
				.options = {.level = UINT32_MAX, .max_nodes = PAGE_NODES}};
	struct trace_options again;
	struct event_source *source = open_again(&again, reading);
	struct task_tree tree;
	struct err ignored;
	struct dag dag;

	if (!source)
		return;
	if (!task_tree_read(&tree, source, &reading->command->trace.selection, &ignored)) {
		dag_init(&dag, &tree, &view.options);
		view.dag = &dag;
		view.tree = &tree;
		page_blocks(page, NULL, &view);
		dag_release(&dag);
		task_tree_release(&tree);
	}
	event_source_free(source);
}

/* --- Its performance model ----------------------------------------------------------------- */

/* The most time for the forecasts of a performance model, without --forecast=always. */
static const double MODEL_SECONDS = 10;

/*
 * The questions to a model: one to four times the threads of a pool, with 0.5, 1 and 2 times the
 * load.
 */
struct model_grid {
	double threads[4], rates[3], clients[3];
	struct model_question question;
};

/* Returns the largest pool whose number of threads may change; MODEL_NONE: none. */
static uint32_t largest_pool(const struct model *model)
{
	uint32_t largest = MODEL_NONE;

	for (uint32_t i = 0; i < model->pool_count; i++)
		if (!model->pools[i].fixed &&
		    (largest == MODEL_NONE ||
		     model->pools[i].threads > model->pools[largest].threads))
			largest = i;
	return largest;
}

static void ask_grid(struct model_grid *grid, const struct model *model)
{
	struct model_question *question = &grid->question;
	uint32_t pool = largest_pool(model), clients = model_clients(model);
	double rate = model_rate(model);

	*question = (struct model_question){.pool = pool, .think_s = NAN};
	for (uint32_t i = 0; pool != MODEL_NONE && i < 4; i++)
		if ((i + 1) * model->pools[pool].threads <= MODEL_THREADS_MAX)
			grid->threads[question->threads.count++] =
				(i + 1) * model->pools[pool].threads;
	for (int i = 0; i < 3; i++) {
		const double factor = ldexp(1, i - 1), count = floor(clients * factor);

		if (rate > 0)
			grid->rates[question->rates.count++] = rate * factor;
		else if (count >= 1 && count <= MODEL_THREADS_MAX)
			grid->clients[question->clients.count++] = count;
	}
	question->threads.values = grid->threads;
	question->rates.values = grid->rates;
	question->clients.values = grid->clients;
}

static void forecast_model(struct page *page, const struct reading *reading,
			   const struct model_view *view)
{
	const struct report_command *command = reading->command;
	struct model_forecast forecast;
	struct progress progress;
	struct model_grid grid;
	struct err err;
	int rc;

	ask_grid(&grid, view->model);
	progress_begin(&progress, command->trace.common->quiet);
	grid.question.show = progress_show;
	grid.question.context = &progress;
	grid.question.seconds_most = command->forecast == FORECAST_AUTO ? MODEL_SECONDS : 0;
	rc = model_forecast_make(&forecast, view->model, &grid.question, &err);
	progress_end(&progress);
	if (!rc && forecast.refused)
		err_set(&err, "the self-check fails: %s", forecast.reason);
	else if (!rc && forecast.late)
		err_set(&err, "forecasts of it take longer than %g s; --forecast=always makes them",
			MODEL_SECONDS);
	page_model(page, view, rc || !forecast.row_count ? NULL : &forecast, &err);
	if (!rc)
		model_forecast_release(&forecast);
}

/* Adds the performance model of a recording with calls; few are of servers and have one. */
static void add_model(struct page *page, const struct reading *reading)
{
	struct trace_options options = reading->command->trace;
	const struct timeline_calls *calls = &reading->profile.calls;
	struct model_loaded loaded;
	struct input *input;
	struct err err;

	if ((!calls->library && !calls->system) || reading->command->forecast == FORECAST_NEVER ||
	    !can_open_again(reading))
		return;
	if (reading->changes > CHANGES_MAX && reading->command->forecast == FORECAST_AUTO) {
		err_set(&err, "the recording is so large that a performance model takes longer "
			      "than the rest of the page; --forecast=always makes one");
		page_model(page, NULL, NULL, &err);
		return;
	}
	input = trace_input(&options, reading->path, true, &err);
	if (!input || model_load(&loaded, &options, input, true, &err))
		return;
	forecast_model(page, reading,
		       &(struct model_view){.model = &loaded.model,
					    .findings = &loaded.findings,
					    .result = &loaded.result,
					    .path = reading->path,
					    .again = reading->again});
	model_loaded_release(&loaded);
}

/* --- All of it ----------------------------------------------------------------------------- */

static void add_recording(struct page *page, struct reading *reading)
{
	const struct target_info *target = &reading->source->target;
	const struct selection *selection = &reading->command->trace.selection;
	bool asked = !selection_is_empty(selection);
	struct overhead overhead;
	const struct profile_view view = {
		.profile = &reading->profile,
		.overhead = &overhead,
		.targets = asked ? selection->pids : target->roots,
		.target_count = asked ? selection->pid_count : target->root_count,
		.is_machine = is_machine(reading),
		.again = reading->again,
		.recorded_cores = reading->profile.cores,
	};
	const struct page_recording recording = {
		.file = strcmp(reading->path, "-") ? reading->path : "standard input",
		.profile = &view,
		.target = target,
	};

	struct chain_names *names;

	overhead_init(&overhead, &reading->profile, target);
	page_begin(page, &recording);
	add_forecast(page, reading);
	names = chain_names_new(&reading->source->chains, &reading->source->samples);
	page_overview(page, &reading->overview, names);
	chain_names_free(names);
	add_flame(page, reading);
	if (reading->profile.calls.blocks || reading->profile.calls.probed)
		add_functions(page, reading);
	if (reading->profile.calls.steps)
		add_tasks(page, reading);
	add_model(page, reading);
	page_end(page);
}

/*
 * Adds the comparison of both recordings: by functions if both have samples, else by tasks. Adds
 * nothing if they cannot be compared.
 */
static void add_stretch(struct page *page, const struct report_command *command)
{
	const char *const *paths = command->trace.common->args;
	const struct stretch_options options = {
		.by = command->sampled == PAGE_RECORDINGS ? STRETCH_BY_FUNCTION : STRETCH_BY_TASK,
		.target = command->trace.selection};
	struct stretch_run runs[PAGE_RECORDINGS] = {{0}};
	struct stretch stretch = {.row_count = 0};
	struct err ignored;
	int rc = 0;

	for (size_t i = 0; !rc && i < PAGE_RECORDINGS; i++) {
		struct trace_options trace = command->trace;
		struct event_source *source = trace_open(&trace, paths[i], true, &ignored);

		rc = source ? stretch_run_read(&runs[i], source, &options, &ignored) : -1;
		event_source_free(source);
	}
	if (!rc && !stretch_init(&stretch, runs, PAGE_RECORDINGS, 1, options.by, &ignored))
		page_stretch(page, &(struct stretch_view){.stretch = &stretch, .paths = paths});
	stretch_release(&stretch);
	for (size_t i = 0; i < PAGE_RECORDINGS; i++)
		stretch_run_release(&runs[i]);
}

static int add_path(struct page *page, struct report_command *command, const char *path,
		    struct err *err)
{
	struct reading reading = {.command = command, .path = path};
	int rc;

	reading.source = trace_open(&command->trace, path, command->trace.common->quiet, err);
	if (!reading.source)
		return -1;
	reading.again = trace_arguments(command->trace.common, &path, 1);
	rc = read_recording(&reading, err);
	progress_end(&command->trace.progress);
	if (!rc) {
		add_recording(page, &reading);
		command->sampled += reading.source->samples.row_count && can_open_again(&reading);
		command->tasked += reading.profile.calls.steps && can_open_again(&reading);
		profile_release(&reading.profile);
		overview_release(&reading.overview);
	}
	program_release(&reading.program);
	stack_folder_free(reading.folder);
	event_source_free(reading.source);
	free(reading.again);
	return rc;
}

/* --- The page ------------------------------------------------------------------------------ */

/* Refuses to overwrite a file that is not a page, as a recording named in the wrong place. */
static int check_output(const char *path, struct err *err)
{
	static const char beginning[] = "<!doctype html";
	char head[sizeof(beginning) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t size = -1;

	if (fd < 0)
		return 0; /* a later write reports its own error */
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		size = read(fd, head, sizeof(head));
	close(fd);
	if (size <= 0 ||
	    ((size_t)size == sizeof(head) && strncasecmp(head, beginning, sizeof(head)) == 0))
		return 0;
	return err_set(err,
		       "%s: exists and is not a page of pscal; choose another name for the page",
		       path);
}

static int write_page(const struct page *page, const char *path, struct err *err)
{
	static const struct output_kind kind = {
		.mode = 0666, .keeps_mode = true, .keeps = report_keeps};
	struct output_file file;
	struct err ignored;
	char *text = NULL;
	size_t size, written;
	FILE *out = open_memstream(&text, &size);
	int rc = -1;

	if (!out)
		return err_set(err, "%s: cannot write: %m", path);
	page_write(page, out);
	fclose(out);
	if (!output_file_open(&file, path, &kind, err)) {
		rc = output_file_write(&file, text, size, &written, err);
		if (!rc)
			rc = output_file_publish(&file, OUTPUT_REPLACES, err);
	}
	rc = output_file_close(&file, rc ? &ignored : err) ? -1 : rc;
	free(text);
	return rc;
}

static int tell_page(const struct options *common, const char *path, struct err *err)
{
	struct report *report = options_report(common, err);

	if (!report)
		return -1;
	report_verdict(report, "%s is complete; open it in a browser.", path);
	return report_finish(report, 0, err);
}

static int print_report(void *own, const struct options *common, const char *path, struct err *err)
{
	struct report_command *command = own;
	struct page *page;
	int rc;

	if (!common->quiet && options_check_output(common, command->path, err))
		return -1;
	if (check_output(command->path, err))
		return -1;
	page = page_new(common->arg_count ? common->arg_count : 1);
	rc = add_path(page, command, path, err);
	for (size_t i = 1; !rc && i < common->arg_count; i++)
		rc = add_path(page, command, common->args[i], err);
	if (!rc && (command->sampled == PAGE_RECORDINGS || command->tasked == PAGE_RECORDINGS))
		add_stretch(page, command);
	if (!rc)
		rc = write_page(page, command->path, err);
	page_free(page);
	return rc || common->quiet ? rc : tell_page(common, command->path, err);
}

static int cmd_report_run(int argc, const char **argv, struct err *err)
{
	struct report_command own = {.path = "pscal-report.html"};
	const struct trace_command command = {
		.table = report_table, .own = &own, .finish = finish, .print = print_report};

	return trace_command_run_several(&command, argc, argv, err);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "write a page for browsers that shows a recording, or compares two",
	.run = cmd_report_run,
};
