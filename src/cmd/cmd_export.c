/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/io/input.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "decode/timeline/timeline.h"
#include "report/export/export.h"
#include "report/report_text.h"
#include "stats/profile/block_spans.h"
#include "stats/tasks/task_tree.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct export_command {
	struct trace_options trace;
	const char *paths[EXPORT_KINDS];
	enum export_kind kind; /* the kind that has a path */
	enum stack_weight weight;
	const char *id;
};

static const char *const weights[] = {"cpu", "off-cpu", "run-queue", NULL};

#define EXPORT_OPTION(name, kind, what, argument_name)                                 \
	{                                                                              \
		name, '\0', OPTION_TEXT, offsetof(struct export_command, paths[kind]), \
			.help = (what), .argument = (argument_name)                    \
	}

static const struct option export_table[] = {
	EXPORT_OPTION("sqlite", EXPORT_SQLITE, "a database of all tables", "DB"),
	EXPORT_OPTION("csv", EXPORT_CSV, "a directory with a CSV file for each table", "DIR"),
	EXPORT_OPTION("chrome", EXPORT_CHROME, "JSON for chrome://tracing and Perfetto", "FILE"),
	EXPORT_OPTION("perfetto", EXPORT_PERFETTO, "a trace for ui.perfetto.dev", "FILE"),
	EXPORT_OPTION("firefox", EXPORT_FIREFOX, "JSON for profiler.firefox.com", "FILE"),
	EXPORT_OPTION("folded", EXPORT_FOLDED, "stacks for flamegraph.pl", "FILE"),
	{"flamegraph", '\0', OPTION_GONE, .help = "is --folded=FILE, for flamegraph.pl"},
	{"weight", '\0', OPTION_CHOICE, offsetof(struct export_command, weight),
	 .help = "with --folded: cpu (default), off-cpu or run-queue", .argument = "WHAT",
	 .choices = weights, .refusal = "is not cpu, off-cpu or run-queue", .rare = true},
	{"id", '\0', OPTION_TEXT, offsetof(struct export_command, id),
	 .help = "with --csv: the recording column (default: its name)", .argument = "ID",
	 .rare = true},
	OPTION_TABLE_END};

/* One pass over a recording, which writes the whole output. */
struct exporting {
	struct export_command *command;
	struct event_source *source;
	struct timeline *timeline;
	struct block_spans *spans;
	struct task_tree_reader *reader; /* NULL: this kind needs no tree */
	struct task_tree tree;
	struct export *export;
};

static int finish(void *own, struct err *err)
{
	struct export_command *command = own;
	const struct options *common = command->trace.common;
	size_t count = 0;

	for (enum export_kind i = 0; i < EXPORT_KINDS; i++) {
		if (!command->paths[i])
			continue;
		command->kind = i;
		count++;
	}
	if (count != 1)
		return err_set(err,
			       "name %s output: --sqlite DB, --csv DIR, --chrome FILE, --perfetto "
			       "FILE, --firefox FILE or --folded FILE",
			       count ? "one" : "the");
	if (command->kind != EXPORT_FOLDED && options_text(common, "weight"))
		return err_set(err, "--weight: needs --folded");
	if (command->kind != EXPORT_CSV && options_text(common, "id"))
		return err_set(err, "--id: needs --csv");
	return options_check_output(common, command->paths[command->kind], err);
}

/* --- Being told to stop -------------------------------------------------------------------- */

/*
 * Signals that stop the export are held until the draft of the output is removed, and then act as
 * usual. No step takes long without is_told_to_stop().
 */
enum { STOP_MS = 200 };
static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static void hold_stops(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

static bool is_told_to_stop(void)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		if (sigismember(&pending, stops[i]))
			return true;
	return false;
}

static void watch_input(void *context, uint64_t done, uint64_t size)
{
	struct export_command *command = context;

	progress_show(&command->trace.progress, done, size);
	if (is_told_to_stop())
		input_stop(command->trace.input);
}

/* --- The pass ------------------------------------------------------------------------------ */

/* Refuses an output that is the input: it would be overwritten while it is read. */
static int check_other(const char *path, const char *output_path, struct err *err)
{
	struct stat input, output;

	if (stat(path, &input) || stat(output_path, &output) || input.st_dev != output.st_dev ||
	    input.st_ino != output.st_ino)
		return 0;
	return err_set(err, "%s: this is the recording; choose another name for the output",
		       output_path);
}

static void take_change(void *context, const struct change *change)
{
	struct exporting *now = context;

	if (now->reader)
		task_tree_reader_change(now->reader, change);
	export_change(now->export, change, timeline_begin_ns(now->timeline));
	if (export_check(now->export, &(struct err){.text = ""}))
		input_stop(now->command->trace.input); /* nothing more can be written */
}

static void take_mark(void *context, const struct mark *mark)
{
	struct exporting *now = context;

	if (now->reader)
		task_tree_reader_mark(now->reader, mark);
}

static int read_all(struct exporting *now, struct err *err)
{
	const struct block_spans_watcher watcher = {take_change, take_mark, now};
	struct block_span span;
	int rc;

	block_spans_watch(now->spans, &watcher);
	while ((rc = block_spans_next(now->spans, &span, err)) > 0)
		export_span(now->export, &span, timeline_begin_ns(now->timeline));
	if (is_told_to_stop())
		return err_set(err, "stopped before the output was complete");
	return export_check(now->export, err) ? -1 : rc;
}

static int write_all(struct exporting *now, struct err *err)
{
	struct trace_options *trace = &now->command->trace;
	struct export_facts facts = {.spans = block_spans_counts(now->spans),
				     .progress = &trace->progress};
	int rc;

	if (read_all(now, err))
		return -1;
	progress_end(&trace->progress);
	facts.begin_ns = timeline_begin_ns(now->timeline);
	facts.cores = timeline_cpus(now->timeline);
	if (now->reader && now->tree.task_count) {
		if (task_tree_reader_finish(now->reader, facts.begin_ns, err))
			return -1;
		facts.tree = &now->tree;
	}
	progress_begin(&trace->progress, trace->common->quiet);
	rc = export_finish(now->export, &facts, err);
	progress_end(&trace->progress);
	return rc;
}

static int tell_result(const struct exporting *now, struct err *err)
{
	struct report *report = options_report(now->command->trace.common, err);

	if (!report)
		return -1;
	export_report(now->export, report);
	report_quality(report, &now->source->quality);
	return report_finish(report, 0, err);
}

static int export_source(struct exporting *now, struct err *err)
{
	enum export_kind kind = now->command->kind;
	int rc;

	now->timeline = timeline_new(now->source, &now->command->trace.selection);
	now->spans = block_spans_new(now->timeline);
	if (export_wants_nesting(kind)) {
		block_spans_want_tasks(now->spans);
		block_spans_want_begins(now->spans);
	}
	if (export_wants_task_tree(kind))
		now->reader = task_tree_reader_new(&now->tree, now->source);
	rc = write_all(now, err);
	progress_end(&now->command->trace.progress);
	if (!rc)
		rc = tell_result(now, err);
	if (now->reader)
		task_tree_reader_free(now->reader);
	task_tree_release(&now->tree);
	block_spans_free(now->spans);
	timeline_free(now->timeline);
	return rc;
}

/*
 * Returns a name and a time, as "pscal.data 2026-11-22T14:54:03Z": names alone may be the same. The
 * caller frees it.
 */
static char *make_id(const char *path)
{
	struct stat status;
	time_t when = stat(path, &status) == 0 ? status.st_mtime : time(NULL);
	char text[32];
	struct tm parts;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &parts));
	return xasprintf("%s %s", strcmp(path, "-") == 0 ? "stdin" : basename(path), text);
}

static int print_export(void *own, const struct options *common, const char *path, struct err *err)
{
	struct export_command *command = own;
	struct exporting now = {.command = command};
	char *id = command->id ? xstrdup(command->id) : make_id(path);
	const struct export_request request = {
		.kind = command->kind,
		.path = command->paths[command->kind],
		.replace = common->force,
		.stop = is_told_to_stop,
		.input = strcmp(path, "-") == 0 ? "standard input" : path,
		.id = id,
		.weight = command->weight,
	};
	sigset_t before;
	int rc = -1;

	if (!check_other(path, request.path, err))
		now.source = trace_open(&command->trace, path, common->quiet, err);
	if (!now.source) {
		free(id);
		return -1;
	}
	hold_stops(&before);
	input_watch(command->trace.input, STOP_MS, watch_input, command);
	now.export = export_open(&request, now.source, err);
	if (now.export)
		rc = export_source(&now, err);
	export_free(now.export);
	event_source_free(now.source);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(id);
	return rc;
}

static int cmd_export_run(int argc, const char **argv, struct err *err)
{
	struct export_command own = {.weight = STACK_CPU};
	const struct trace_command command = {export_table, &own, finish, print_export, NULL};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a recording for databases, trace viewers and flame graphs",
	.run = cmd_export_run,
};
