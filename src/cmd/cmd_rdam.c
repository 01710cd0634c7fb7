/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/assertion.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/symbol_finder.h"
#include "stats/spin/thread_names.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct rdam_command {
	struct trace_options trace;
	struct rdam_options options; /* borrows from the command line */
	enum rdam_order order;
	double min_score; /* -1: the default of the format */
	struct plotting plotting;
	struct rdam_key *keys;
	struct assertions assertions; /* of enum rdam_quantity */
};

/* --- The options --------------------------------------------------------------------------- */

/* Reads FUNCTION:ARGUMENT, and cuts the text at the last colon, as names in C++ have colons. */
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

enum rdam_quantity { RDAM_QUANTITY_SCORE, RDAM_QUANTITY_LOST, RDAM_QUANTITIES };

static const struct assertion_name rdam_names[] = {
	{"score", .id = RDAM_QUANTITY_SCORE}, {"lost_s", .id = RDAM_QUANTITY_LOST}, {.name = NULL}};

static const struct option rdam_table[] = {
	{"function", '\0', OPTION_TEXT, offsetof(struct rdam_command, options.only),
	 .help = "only this function, or the row of this name", .argument = "NAME"},
	{"sort", '\0', OPTION_READ, .read = read_order,
	 .help = "by score (default), grouped, lost, total, calls, p50, p99 or name",
	 .argument = "BY"},
	{"min-score", '\0', OPTION_SHARE, offsetof(struct rdam_command, min_score),
	 .help = "leave out rows with a lower score (default: 0.2 in text, else 0)",
	 .argument = "SHARE", .refusal = NO_SHARE},
	{"plot", '\0', OPTION_TEXT, offsetof(struct rdam_command, plotting.path),
	 .help = "draw the row with the highest score into a .svg, .png or .pdf file",
	 .argument = "FILE"},
	{.type = OPTION_TABLE,
	 .table = assertion_options,
	 .at = offsetof(struct rdam_command, assertions)},
	{"key", '\0', OPTION_READ_EACH, .read = read_key,
	 .help = "a row for each value of this argument; repeatable",
	 .argument = "FUNCTION:ARGUMENT", .advanced = true},
	{"baseline", '\0', OPTION_CHOICE, offsetof(struct rdam_command, options.min),
	 .help = "the fastest call of each thread (thread, default) or of all threads (pooled)",
	 .argument = "OF", .choices = baselines, .refusal = "there are thread and pooled",
	 .advanced = true},
	{"all-sequences", '\0', OPTION_FLAG, offsetof(struct rdam_command, options.all_sequences),
	 .help = "also sequences of events that are not one whole call", .advanced = true},
	{"min", .type = OPTION_GONE, .help = "is now --baseline"},
	{"block", .type = OPTION_GONE, .help = "is now --function"},
	{"threshold", .type = OPTION_GONE, .help = "is now --min-score"},
	{"least", .type = OPTION_GONE, .help = "is gone: rows with few calls are marked '?'"},
	{"gate", .type = OPTION_GONE, .help = "is now --assert, as in 'score<=30%'"},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	struct rdam_command *command = own;

	command->options.least = 2;
	command->options.want_spread = command->plotting.path;
	return plotting_check(&command->plotting, command->trace.common, err);
}

/* --- Conditions ---------------------------------------------------------------------------- */

/* The largest value of all rows, and the name and place of its row. */
struct rdam_worst {
	double value;
	char *where;
};

/*
 * Finds the worst rows. Assertions are about interference, so scores are those after grouping by
 * arguments.
 */
static void find_worst(struct rdam_worst worst[RDAM_QUANTITIES], const struct rdam_view *view)
{
	const struct rdam_row *rows[RDAM_QUANTITIES] = {NULL};

	for (size_t i = 0; i < view->rdam->row_count; i++) {
		const struct rdam_row *row = &view->rdam->rows[i];
		const double values[RDAM_QUANTITIES] = {row->grouped_score, row->lost_s};

		for (size_t k = 0; k < RDAM_QUANTITIES; k++) {
			if (rows[k] && !(values[k] > worst[k].value))
				continue;
			worst[k].value = values[k];
			rows[k] = row;
		}
	}
	for (size_t k = 0; k < RDAM_QUANTITIES && rows[k]; k++) {
		char *where = rdam_view_where(view, rows[k]);

		worst[k].where = xasprintf("%s in %s", rows[k]->name, where);
		free(where);
	}
}

static struct assertion_value rdam_value(const void *result, const struct assertion *assertion)
{
	const struct rdam_worst *worst = (const struct rdam_worst *)result + assertion->name->id;

	return (struct assertion_value){.best = worst->value,
					.low = worst->value,
					.high = worst->value,
					.where = worst->where,
					.unknown = "nothing was called twice"};
}

static void judge(struct rdam_command *command, struct report *report, const struct rdam_view *view)
{
	struct rdam_worst worst[RDAM_QUANTITIES] = {{.value = NAN}, {.value = NAN}};

	find_worst(worst, view);
	assertions_report(&command->assertions, report, NULL, rdam_value, worst);
	for (size_t k = 0; k < RDAM_QUANTITIES; k++)
		free(worst[k].where);
}

/* --- The result ---------------------------------------------------------------------------- */

static int report(struct rdam_command *command, const struct rdam_view *view, struct err *err)
{
	struct report *report = options_report(command->trace.common, err);

	if (!report)
		return -1;
	judge(command, report, view);
	report_rdam(report, view);
	return report_finish(report, 0, err);
}

static int show_scores(struct rdam_command *command, const struct rdam *rdam,
		       const struct rdam_trace *trace, const struct event_source *source,
		       const char *path, struct err *err)
{
	const struct options *common = command->trace.common;
	bool is_short = common->format == REPORT_TEXT && !common->all;
	char *again = trace_arguments(common, &path, 1);
	char *again_but_tid = trace_arguments_but_tid(common, path);
	struct rdam_view view = {
		.rdam = rdam,
		.trace = trace,
		.path = path,
		.again = again,
		.again_but_tid = again_but_tid,
		.costly_score = command->min_score < 0 ? RDAM_COSTLY_SCORE : command->min_score,
		.min_score = command->min_score >= 0 ? command->min_score
			     : is_short		     ? RDAM_COSTLY_SCORE
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
	if (view.names)
		chain_names_free(view.names);
	free(again);
	free(again_but_tid);
	return rc;
}

static int analyse(struct rdam_command *command, struct event_source *source, const char *path,
		   struct err *err)
{
	struct trace_options *options = &command->trace;
	struct rdam_trace trace;
	struct rdam rdam;
	int rc;

	source->chains.wanted = true;
	rc = rdam_trace_read(&trace, source, &options->selection, err);
	progress_end(&options->progress);
	if (rc)
		return -1;
	thread_names_complete(trace.threads, trace.thread_count,
			      THREAD_NAME_PLACE(struct rdam_thread), source);
	rc = rdam_init(&rdam, &trace, &command->options, err);
	if (!rc)
		rc = show_scores(command, &rdam, &trace, source, path, err);
	rdam_release(&rdam);
	rdam_trace_release(&trace);
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
	struct rdam_command own = {.min_score = -1, .assertions.names = rdam_names};
	const struct trace_command command = {rdam_table, &own, finish, print_scores,
					      &own.assertions};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.keys);
	return status;
}

const struct cmd cmd_rdam = {
	.name = "rdam",
	.summary = "find functions that other threads slow down, and why",
	.run = cmd_rdam_run,
};
