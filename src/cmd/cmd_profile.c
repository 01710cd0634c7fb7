/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "cmd/options/follow.h"
#include "cmd/options/trace.h"
#include "report/profile/report_functions.h"
#include "report/profile/report_profile.h"
#include "report/report.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/function_times.h"
#include "stats/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct profile_options {
	struct trace_options trace;
	uint64_t cores;	   /* 0: the number in the trace */
	double interval_s; /* 0: no intervals */
	bool counters;	   /* print only event counts */
	enum profile_by by;
	enum profile_order order;
	bool follow; /* print piped input each second */
	struct plotting plotting;
	struct assertions assertions; /* of enum profile_quantity */
};

/* The names of each order: those of --sort, and the keys and labels of the columns. */
static const struct {
	enum profile_order order;
	const char *names[5];
} orders[] = {
	{PROFILE_BY_CPU, {"cpu", "running", "running_s"}},
	{PROFILE_BY_WAIT, {"wait", "run queue", "run-queue", "runnable", "runnable_s"}},
	{PROFILE_BY_BLOCKED, {"blocked", "sleeping", "sleeping_s"}},
	{PROFILE_BY_SWITCHES, {"switches"}},
	{PROFILE_BY_COMM, {"name", "thread", "process", "comm"}},
	{PROFILE_BY_START, {"start"}},
};

static int read_order(void *own, char *text, struct err *err)
{
	struct profile_options *options = own;

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		for (size_t j = 0; j < 5 && orders[i].names[j]; j++)
			if (strcasecmp(orders[i].names[j], text) == 0) {
				options->order = orders[i].order;
				return 0;
			}
	return err_set(err, "--sort %s: there are cpu, wait, blocked, switches, name and start",
		       text);
}

static const struct option profile_table[] = {
	BY_OPTION(offsetof(struct profile_options, by),
		  "a row for each thread (default), name, process or function", "thread",
		  "function", NULL),
	{"sort", '\0', OPTION_READ, .read = read_order,
	 .help = "order of these rows: cpu (default), wait, blocked, switches, name, start",
	 .argument = "WHAT"},
	{"cores", 'n', OPTION_COUNT, offsetof(struct profile_options, cores),
	 .help = "CPUs that the target could use (default: as recorded)", .argument = "N", .min = 1,
	 .max = UINT32_MAX, .refusal = "is not a number of cores"},
	{"interval", '\0', OPTION_SECONDS, offsetof(struct profile_options, interval_s),
	 .help = "also a profile of each interval of this length", .argument = "SECONDS",
	 .min = 1e-6, .max = 1e9, .refusal = "is not from 1us to 1000000000s"},
	{"follow", '\0', OPTION_FLAG, offsetof(struct profile_options, follow),
	 .help = "print the profile of piped input each second"},
	{"counters", '\0', OPTION_FLAG, offsetof(struct profile_options, counters),
	 .help = "only the event counts of each thread", .rare = true},
	{.type = OPTION_TABLE,
	 .table = plotting_options,
	 .at = offsetof(struct profile_options, plotting)},
	{.type = OPTION_TABLE,
	 .table = assertion_options,
	 .at = offsetof(struct profile_options, assertions)},
	OPTION_TABLE_END};

/* A profile under construction. */
struct profiling {
	const struct profile_options *options;
	struct assertions *assertions;
	const char *path;
	struct event_source *source;
	struct profiler *profiler;
	struct report *report;
	struct function_times functions; /* with --by function */
};

static bool is_drawn(const struct profile_options *options)
{
	return options->plotting.path || options->plotting.chart;
}

static int finish(void *own, struct err *err)
{
	const struct profile_options *options = own;

	if (options->follow && options->trace.common->format == REPORT_CSV)
		return err_set(err, "--follow: CSV has room for one profile only; take --format "
				    "json, which has one a line");
	if (options->follow && is_drawn(options))
		return err_set(err,
			       "--follow: draws no plots; plot the whole recording at its end");
	if (options->by == PROFILE_BY_FUNCTION && (options->follow || is_drawn(options)))
		return err_set(err, "--by function: is a table of a whole recording; leave out "
				    "--follow, --plot and --chart");
	if (options->counters && is_drawn(options))
		return err_set(err,
			       "--counters: has nothing to draw; leave out --plot and --chart");
	if (options->assertions.count && (options->follow || options->counters))
		return err_set(
			err,
			"--assert: is about the whole profile; leave out --follow and --counters");
	return plotting_check(&options->plotting, options->trace.common, err);
}

static void report_all(const struct profiling *profiling, const struct profile *profile,
		       unsigned recorded_cores)
{
	const struct profile_options *options = profiling->options;
	const struct options *common = options->trace.common;
	const struct selection *selection = &options->trace.selection;
	const struct target_info *target = &profiling->source->target;
	bool asked = !selection_is_empty(selection);
	char *again = trace_arguments(common, &profiling->path, 1);
	struct overhead overhead;
	const struct profile_view view = {
		.profile = profile,
		.overhead = &overhead,
		.targets = asked ? selection->pids : target->roots,
		.target_count = asked ? selection->pid_count : target->root_count,
		.is_machine = !asked && target->wide,
		.again = again,
		.recorded_cores = recorded_cores,
		.by = options->by,
		.has_by = options_text(common, "by"),
		.order = options->order,
		.limit = common->limit,
		.all = common->all || common->verbose,
	};

	overhead_init(&overhead, profile, target);
	report_profile(profiling->report, &view);
	free(again);
}

static void write_functions(const struct profiling *profiling)
{
	const struct options *common = profiling->options->trace.common;
	char *again = trace_arguments(common, &profiling->path, 1);

	report_choose_rows(profiling->report, common->limit, options_text(common, "sort"));
	report_functions(profiling->report, &profiling->functions, again);
	free(again);
}

/* The profile so far. */
static void write_profile(const struct profiling *profiling, struct profile *profile)
{
	unsigned recorded_cores = profile->cores;

	if (profiling->options->cores)
		profile->cores = (unsigned)profiling->options->cores;
	if (profiling->options->counters)
		report_counters(profiling->report, profile);
	else if (profiling->options->by == PROFILE_BY_FUNCTION)
		write_functions(profiling);
	else
		report_all(profiling, profile, recorded_cores);
}

/* Prints the profile so far, once it has rows. */
static int show_so_far(void *context, struct err *err)
{
	struct profiling *profiling = context;
	struct profile profile;
	int rc = 0;

	profiler_profile(&profile, profiling->profiler);
	if (profiling->options->counters ? profile.counters.row_count : profile.thread_count) {
		write_profile(profiling, &profile);
		rc = report_next(profiling->report, err);
	}
	profile_release(&profile);
	return rc;
}

static int read_following(struct profiling *profiling, struct err *err)
{
	struct follow follow;
	struct err why;
	int rc;

	profiling->report = options_report(profiling->options->trace.common, err);
	if (!profiling->report)
		return -1;
	if (report_set(profiling->report, REPORT_SERIES, err) ||
	    follow_begin(&follow, profiling->options->trace.input, show_so_far, profiling, err))
		return -1;
	rc = profiler_run(profiling->profiler, err);
	if (!follow_end(&follow, &why))
		return rc;
	*err = why;
	return -1;
}

static int draw(const struct profiling *profiling, const struct profile *profile, struct err *err)
{
	const struct plotting *plotting = &profiling->options->plotting;
	const char *source = strcmp(profiling->path, "-") ? profiling->path : "standard input";

	if (plotting->path && plot_profile(profile, source, plotting->path, err))
		return -1;
	return plotting->chart ? chart_profile(profiling->report, profile, err) : 0;
}

/* --- Conditions ------------------------------------------------------------------ */

enum profile_quantity {
	PROFILE_WALL,
	PROFILE_CPU,
	PROFILE_CPUS,
	PROFILE_OTHERS,
	PROFILE_READY,
	PROFILE_READY_MAX,
	PROFILE_FEW,
	PROFILE_WAIT,
	PROFILE_WAIT_P50,
	PROFILE_WAIT_P99,
	PROFILE_WAIT_MAX,
	PROFILE_UNKNOWN,
	PROFILE_QUANTITIES
};

static const struct assertion_name profile_names[] = {{"wall_s", .id = PROFILE_WALL},
						      {"cpu_s", .id = PROFILE_CPU},
						      {"cpus_used", .id = PROFILE_CPUS},
						      {"others_share", .id = PROFILE_OTHERS},
						      {"ready_mean", .id = PROFILE_READY},
						      {"ready_max", .id = PROFILE_READY_MAX},
						      {"one_or_none_share", .id = PROFILE_FEW},
						      {"run_queue_s", .id = PROFILE_WAIT},
						      {"run_queue_p50_s", .id = PROFILE_WAIT_P50},
						      {"run_queue_p99_s", .id = PROFILE_WAIT_P99},
						      {"run_queue_max_s", .id = PROFILE_WAIT_MAX},
						      {"unknown_share", .id = PROFILE_UNKNOWN},
						      {.name = NULL}};

/* Returns the largest amount by which a quantity may exceed its value in `usage`. */
static double profile_unsure(const struct profile *profile, const struct cpu_usage *usage,
			     enum profile_quantity quantity)
{
	double unsure_s = (double)usage->unsure_ns * 1e-9;
	bool of_ready = quantity == PROFILE_READY || quantity == PROFILE_READY_MAX ||
			quantity == PROFILE_WAIT || quantity == PROFILE_WAIT_MAX;

	if (of_ready && profile->quality.no_wakes)
		return INFINITY;
	if (quantity == PROFILE_CPUS)
		return unsure_s / ((double)profile->levels.total_ns * 1e-9);
	return quantity == PROFILE_CPU || quantity == PROFILE_WAIT ? unsure_s : 0;
}

/*
 * Returns the value of an assertion in a `struct profile`, with an interval if it is unknown what
 * threads did, or when they became ready.
 */
static struct assertion_value profile_value(const void *result, const struct assertion *assertion)
{
	const struct profile *profile = result;
	const double s = 1e-9, wall_s = (double)profile->levels.total_ns * s;
	bool no_wakes = profile->quality.no_wakes;
	struct cpu_usage usage;
	double value;

	cpu_usage_init(&usage, profile);
	if (no_wakes)
		usage.few_share = usage.wait_p50_ns = usage.wait_p99_ns = NAN;
	value = (const double[PROFILE_QUANTITIES]){
		[PROFILE_WALL] = wall_s,
		[PROFILE_CPU] = (double)usage.cpu_ns * s,
		[PROFILE_CPUS] = usage.cpus,
		[PROFILE_OTHERS] = usage.others_share,
		[PROFILE_READY] = profile->mean_active,
		[PROFILE_READY_MAX] = (double)profile->levels.max_active,
		[PROFILE_FEW] = usage.few_share,
		[PROFILE_WAIT] = (double)usage.wait_ns * s,
		[PROFILE_WAIT_P50] = usage.wait_p50_ns * s,
		[PROFILE_WAIT_P99] = usage.wait_p99_ns * s,
		[PROFILE_WAIT_MAX] = (double)usage.wait_longest_ns * s,
		[PROFILE_UNKNOWN] = (double)profile->levels.unknown_ns * s / wall_s,
	}[assertion->name->id];
	return (struct assertion_value){
		.best = value,
		.low = value,
		.high = value +
			profile_unsure(profile, &usage, (enum profile_quantity)assertion->name->id),
		.level = 1,
		.unknown =
			no_wakes ? "wakeups were not recorded" : "too little of the run is known",
	};
}

static void assert_profile(const struct profiling *profiling, const struct profile *profile)
{
	struct assertions *assertions = profiling->assertions;

	assertions_report(assertions, profiling->report, NULL, profile_value, profile);
}

static int write_result(struct profiling *profiling, struct err *err)
{
	struct profile profile;
	int rc = 0;

	profiler_profile(&profile, profiling->profiler);
	profiler_free(profiling->profiler); /* of a million threads it is larger than the result */
	profiling->profiler = NULL;
	if (profiling->options->counters && !profile.counters.row_count)
		rc = err_set(err, "%s: nothing was counted in the target; record with -e",
			     profiling->path);
	else if (!profiling->report)
		profiling->report = options_report(profiling->options->trace.common, err);
	if (profiling->options->by == PROFILE_BY_FUNCTION)
		function_times_end(&profiling->functions, &profile);
	if (!rc && profiling->report) {
		assert_profile(profiling, &profile);
		write_profile(profiling, &profile);
		rc = draw(profiling, &profile, err);
	}
	profile_release(&profile);
	return profiling->report ? rc : -1;
}

static int print_profile(void *own, const struct options *common, const char *path, struct err *err)
{
	struct profile_options *options = own;
	bool quiet = common->quiet || options->follow;
	struct profiling profiling = {
		.options = options, .assertions = &options->assertions, .path = path};
	int rc;

	profiling.source = trace_open(&options->trace, path, quiet, err);
	if (!profiling.source)
		return -1;
	profiling.profiler = profiler_new(profiling.source, &options->trace.selection,
					  (uint64_t)llround(options->interval_s * 1e9));
	if (is_drawn(options))
		profiler_want(profiling.profiler, PROFILER_ACTIVITY);
	if (options->by == PROFILE_BY_FUNCTION) {
		function_times_begin(&profiling.functions, profiling.source);
		profiler_watch(profiling.profiler, function_times_take, &profiling.functions);
	} else {
		profiler_group(profiling.profiler, options->by);
	}
	rc = options->follow ? read_following(&profiling, err)
			     : profiler_run(profiling.profiler, err);
	progress_end(&options->trace.progress);
	if (!rc)
		rc = write_result(&profiling, err);
	if (profiling.report)
		rc = report_finish(profiling.report, rc, err);
	profiler_free(profiling.profiler);
	function_times_release(&profiling.functions);
	event_source_free(profiling.source);
	return rc;
}

static int cmd_profile_run(int argc, const char **argv, struct err *err)
{
	struct profile_options own = {.assertions.names = profile_names};
	const struct trace_command command = {profile_table, &own, finish, print_profile,
					      &own.assertions};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_profile = {
	.name = "profile",
	.summary = "CPUs used, threads ready, run-queue wait: what limits the program",
	.run = cmd_profile_run,
};
