/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* From here on a function is costly. */
static const double COSTLY_SCORE = 0.2;

struct rdam_command {
	struct trace_options trace;
	struct rdam_options options; /* borrows from what was typed */
	enum rdam_order order;
	double min_score; /* -1: as the format has it */
	double gate;	  /* -1: none */
	struct plotting plotting;
	struct rdam_key *keys;
	bool is_above; /* the gate does not hold */
};

/* --- The options --------------------------------------------------------------------------- */

/* FUNC:arg1. Names of C++ have colons, those of arguments have none. The text is cut there. */
static int read_key(void *own, char *text, struct err *err)
{
	struct rdam_command *command = own;
	size_t *count = &command->options.key_count;
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || colon[-1] == ':')
		return err_set(err, "--key %s: give FUNCTION:ARGUMENT, as in list_search:arg1",
			       text);
	*colon = '\0';
	command->keys = xreallocarray(command->keys, *count + 1, sizeof(*command->keys));
	command->keys[(*count)++] = (struct rdam_key){text, colon + 1};
	command->options.keys = command->keys;
	return 0;
}

static int read_order(void *own, char *text, struct err *err)
{
	struct rdam_command *command = own;
	char *names = xstrdup(""), *longer;

	for (enum rdam_order order = 0; order < RDAM_ORDERS; order++) {
		const char *name = rdam_order_name(order);

		if (strcmp(text, name) == 0) {
			command->order = order;
			free(names);
			return 0;
		}
		longer = xasprintf("%s%s%s", names, order ? ", " : "", name);
		free(names);
		names = longer;
	}
	err_set(err, "--sort %s: there are %s", text, names);
	free(names);
	return -1;
}

static const char *const baselines[] = {
	[RDAM_MIN_THREAD] = "thread", [RDAM_MIN_POOLED] = "pooled", NULL};

#define NO_SHARE "is not a share, like 0.2 or 20%"

static const struct option rdam_table[] = {
	{"function", '\0', OPTION_TEXT, offsetof(struct rdam_command, options.only),
	 .help = "only this function, or the row of this name", .argument = "NAME"},
	{"sort", '\0', OPTION_READ, .read = read_order,
	 .help = "by score (default), grouped, lost, total, calls, p50, p99 or name",
	 .argument = "BY"},
	{"min-score", '\0', OPTION_SHARE, offsetof(struct rdam_command, min_score),
	 .help = "no rows with a lower score (default: 0.2 in text, else 0)", .argument = "SHARE",
	 .refusal = NO_SHARE},
	{"plot", '\0', OPTION_TEXT, offsetof(struct rdam_command, plotting.path),
	 .help = "draw the row with the highest score into a .svg, .png or .pdf file",
	 .argument = "FILE"},
	{"gate", '\0', OPTION_SHARE, offsetof(struct rdam_command, gate),
	 .help = "fail with status 3 if a score is above", .argument = "SHARE",
	 .refusal = NO_SHARE},
	{"key", '\0', OPTION_READ_EACH, .read = read_key,
	 .help = "a row for each value of this argument; repeatable",
	 .argument = "FUNCTION:ARGUMENT", .advanced = true},
	{"baseline", '\0', OPTION_CHOICE, offsetof(struct rdam_command, options.min),
	 .help = "the fastest call of each thread (thread, default) or of all threads (pooled)",
	 .argument = "OF", .choices = baselines, .refusal = "there are thread and pooled",
	 .advanced = true},
	{"all-sequences", '\0', OPTION_FLAG, offsetof(struct rdam_command, options.all_sequences),
	 .help = "also sequences of events that are no whole call", .advanced = true},
	{"min", .type = OPTION_GONE, .help = "is now --baseline"},
	{"block", .type = OPTION_GONE, .help = "is now --function"},
	{"threshold", .type = OPTION_GONE, .help = "is now --min-score"},
	{"least", .type = OPTION_GONE, .help = "is gone: rows with few calls are marked '?'"},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	struct rdam_command *command = own;

	command->options.least = 2;
	command->options.want_spread = command->plotting.path;
	return plotting_check(&command->plotting, command->trace.common, err);
}

/* --- The gate ------------------------------------------------------------------------------ */

/* What durations depend on is taken into account: a gate is against interference. */
static void judge(struct rdam_command *command, const struct rdam_view *view, struct err *err)
{
	const struct rdam *rdam = view->rdam;
	const struct rdam_row *worst = NULL;
	size_t above = 0;
	char *where;

	for (size_t i = 0; i < rdam->row_count && command->gate >= 0; i++) {
		const struct rdam_row *row = &rdam->rows[i];

		if (row->grouped_score <= command->gate)
			continue;
		above++;
		if (!worst || row->grouped_score > worst->grouped_score)
			worst = row;
	}
	command->is_above = worst;
	if (!worst)
		return;
	where = rdam_view_where(view, worst);
	err_set(err, "--gate %s: %zu row%s above it; the highest score is %.3g %%, of %s in %s",
		options_text(command->trace.common, "gate"), above, above == 1 ? " is" : "s are",
		100 * worst->grouped_score, worst->name, where);
	free(where);
}

/* --- The result ---------------------------------------------------------------------------- */

static int report(const struct rdam_command *command, const struct rdam_view *view, struct err *err)
{
	struct report *report = options_report(command->trace.common, err);

	if (!report)
		return -1;
	report_set(report, REPORT_ARRAY, err);
	report_rdam(report, view);
	return report_finish(report, 0, err);
}

static int show_scores(struct rdam_command *command, const struct rdam *rdam,
		       const struct block_trace *trace, const struct event_source *source,
		       const char *path, struct err *err)
{
	const struct options *common = command->trace.common;
	bool is_short = common->format == REPORT_TEXT && !common->all;
	struct rdam_view view = {
		.rdam = rdam,
		.trace = trace,
		.path = path,
		.costly_score = command->min_score < 0 ? COSTLY_SCORE : command->min_score,
		.min_score = command->min_score >= 0 ? command->min_score
			     : is_short		     ? COSTLY_SCORE
						     : 0,
		.order = command->order,
		.min = command->options.min,
	};
	int rc;

	if (source->chains.count)
		view.names = chain_names_new(&source->chains, &source->samples);
	rc = report(command, &view, err);
	if (!rc && command->plotting.path)
		rc = plot_rdam(&view, command->plotting.path, err);
	if (!rc)
		judge(command, &view, err);
	if (view.names)
		chain_names_free(view.names);
	return rc;
}

static int analyse(struct rdam_command *command, struct event_source *source, const char *path,
		   struct err *err)
{
	struct trace_options *options = &command->trace;
	struct block_trace trace;
	struct rdam rdam;
	int rc;

	source->chains.wanted = true;
	rc = block_trace_read(&trace, source, &options->selection, err);
	progress_end(&options->progress);
	if (rc)
		return -1;
	thread_names_complete(trace.threads, trace.thread_count,
			      THREAD_NAME_PLACE(struct block_thread), source);
	rc = rdam_init(&rdam, &trace, &command->options, err);
	if (!rc)
		rc = show_scores(command, &rdam, &trace, source, path, err);
	rdam_release(&rdam);
	block_trace_release(&trace);
	return rc;
}

static int print_scores(void *own, const struct options *common, const char *path, struct err *err)
{
	struct rdam_command *command = own;
	struct event_source *source = trace_open(&command->trace, path, common->quiet, err);
	int rc;

	if (!source)
		return -1;
	rc = analyse(command, source, path, err);
	event_source_free(source);
	return rc;
}

static int cmd_rdam_run(int argc, const char **argv, struct err *err)
{
	struct rdam_command own = {.min_score = -1, .gate = -1};
	const struct trace_command command = {rdam_table, &own, finish, print_scores, NULL};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.keys);
	return status == STATUS_DONE && own.is_above ? STATUS_CONDITION : status;
}

const struct cmd cmd_rdam = {
	.name = "rdam",
	.summary = "find functions that other threads slow down, and why",
	.run = cmd_rdam_run,
};
