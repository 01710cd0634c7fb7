/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/io/input.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "decode/timeline/timeline.h"
#include "report/export/export_sqlite.h"
#include "report/report_text.h"
#include "stats/profile/block_spans.h"
#include "stats/tasks/task_tree.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct export_command {
	struct trace_options trace;
	const char *database;
};

static const struct option export_table[] = {
	{"sqlite", '\0', OPTION_TEXT, offsetof(struct export_command, database),
	 .help = "the database to write; --force replaces an existing one", .argument = "DB"},
	OPTION_TABLE_END};

/* One pass over a recording, from which all tables are filled. */
struct exporting {
	struct export_command *command;
	struct event_source *source;
	struct timeline *timeline;
	struct block_spans *spans;
	struct task_tree_reader *reader;
	struct task_tree tree;
	struct export *export;
};

static int finish(void *own, struct err *err)
{
	const struct export_command *command = own;

	if (!command->database || !*command->database)
		return err_set(err, "name the database: --sqlite DB");
	return 0;
}

/* --- Being told to stop -------------------------------------------------------------------- */

/*
 * The draft of the database has to go away then. So these signals wait until it has, and do after
 * that what they always do; nothing takes long without asking for them.
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

/* Else it would be replaced by what is read from it. */
static int check_other(const char *path, const char *database, struct err *err)
{
	struct stat input, output;

	if (stat(path, &input) || stat(database, &output) || input.st_dev != output.st_dev ||
	    input.st_ino != output.st_ino)
		return 0;
	return err_set(err, "%s: this is the recording; choose another name for the database",
		       database);
}

static void take_change(void *context, const struct change *change)
{
	struct exporting *now = context;

	task_tree_reader_change(now->reader, change);
	export_change(now->export, change, timeline_begin_ns(now->timeline));
	if (export_check(now->export, &(struct err){.text = ""}))
		input_stop(now->command->trace.input); /* the rest could not be written */
}

static void take_mark(void *context, const struct mark *mark)
{
	struct exporting *now = context;

	task_tree_reader_mark(now->reader, mark);
}

static int read_all(struct exporting *now, struct err *err)
{
	const struct block_spans_watcher watcher = {take_change, take_mark, now};
	struct block_span span;
	int rc;

	block_spans_watch(now->spans, &watcher);
	while ((rc = block_spans_next(now->spans, &span, err)) > 0)
		export_span(now->export, &span, &now->source->blocks,
			    timeline_begin_ns(now->timeline));
	if (is_told_to_stop())
		return err_set(err, "stopped before the database was complete");
	return export_check(now->export, err) ? -1 : rc;
}

static int write_tasks(struct exporting *now, struct err *err)
{
	struct progress *progress = &now->command->trace.progress;

	if (!now->tree.task_count)
		return 0;
	if (task_tree_reader_finish(now->reader, timeline_begin_ns(now->timeline), err))
		return -1;
	export_tasks(now->export, &now->tree, progress);
	return 0;
}

static int fill_tables(struct exporting *now, const char *path, struct err *err)
{
	const struct target_info *target = &now->source->target;
	struct trace_options *trace = &now->command->trace;
	struct export_facts facts = {
		.input = strcmp(path, "-") == 0 ? "standard input" : path,
		.source = now->source,
		.spans = block_spans_counts(now->spans),
	};

	if (read_all(now, err))
		return -1;
	progress_end(&trace->progress);
	progress_begin(&trace->progress, trace->common->quiet);
	if (write_tasks(now, err))
		return -1;
	facts.origin_ns =
		export_origin_ns(now->export, now->source, timeline_begin_ns(now->timeline));
	facts.cores =
		target->affinity_count ? target->affinity_count : timeline_cpus(now->timeline);
	export_samples(now->export, now->source, facts.origin_ns, &trace->progress);
	progress_end(&trace->progress);
	return export_finish(now->export, &facts, err);
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

static int export_source(struct exporting *now, const char *path, struct err *err)
{
	int rc;

	now->source->samples.suffice = true;
	now->source->samples.timed = true;
	now->timeline = timeline_new(now->source, &now->command->trace.selection);
	now->spans = block_spans_new(now->timeline);
	now->reader = task_tree_reader_new(&now->tree, now->source);
	rc = fill_tables(now, path, err);
	progress_end(&now->command->trace.progress);
	if (!rc)
		rc = tell_result(now, err);
	task_tree_reader_free(now->reader);
	task_tree_release(&now->tree);
	block_spans_free(now->spans);
	timeline_free(now->timeline);
	return rc;
}

static int print_export(void *own, const struct options *common, const char *path, struct err *err)
{
	struct exporting now = {.command = own};
	sigset_t before;
	int rc = -1;

	if (check_other(path, now.command->database, err))
		return -1;
	now.source = trace_open(&now.command->trace, path, common->quiet, err);
	if (!now.source)
		return -1;
	hold_stops(&before);
	input_watch(now.command->trace.input, STOP_MS, watch_input, now.command);
	now.export = export_open(now.command->database, common->force, is_told_to_stop, err);
	if (now.export)
		rc = export_source(&now, path, err);
	export_free(now.export);
	event_source_free(now.source);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static int cmd_export_run(int argc, const char **argv, struct err *err)
{
	struct export_command own = {.database = NULL};
	const struct trace_command command = {export_table, &own, finish, print_export, NULL};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_export = {
	.name = "export",
	.summary = "write a recording into an SQLite database",
	.run = cmd_export_run,
};
