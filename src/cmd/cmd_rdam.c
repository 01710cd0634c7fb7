/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/symbol_finder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Of text, which is for people. */
static const double TEXT_THRESHOLD = 0.2;
enum { TEXT_LIMIT = 20 };

struct rdam_command {
	struct trace_options trace;
	struct rdam_options options; /* borrows from what was typed */
	enum rdam_order order;
	double threshold;      /* -1: as the format has it */
	uint64_t least, limit; /* of rows; 0: the same */
	double gate;	       /* -1: none */
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
		return err_set(err, "--key %s: give BLOCK:ARGUMENT, as in list_search:arg1", text);
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

static const char *const minima[] = {
	[RDAM_MIN_THREAD] = "thread", [RDAM_MIN_POOLED] = "pooled", NULL};

#define NO_SHARE "is not a share, like 0.2 or 20%"

static const struct option rdam_table[] = {
	{"min", '\0', OPTION_CHOICE, offsetof(struct rdam_command, options.min),
	 .help = "the fastest is that of each thread (thread, default) or of all (pooled)",
	 .argument = "OF", .choices = minima, .refusal = "there are thread and pooled"},
	{"block", '\0', OPTION_TEXT, offsetof(struct rdam_command, options.only),
	 .help = "only this block, or row", .argument = "NAME"},
	{"key", '\0', OPTION_READ_EACH, .read = read_key,
	 .help = "a row for each value of this argument; repeatable", .argument = "BLOCK:ARGUMENT"},
	{"all-sequences", '\0', OPTION_FLAG, offsetof(struct rdam_command, options.all_sequences),
	 .help = "also sequences of events that are no block"},
	{"least", '\0', OPTION_COUNT, offsetof(struct rdam_command, least),
	 .help = "leave out what occurs less often (default: 2)", .argument = "N", .min = 2,
	 .max = UINT32_MAX, .refusal = "is not a number from 2 on"},
	{"threshold", '\0', OPTION_SHARE, offsetof(struct rdam_command, threshold),
	 .help = "leave out rows with a lower score (default: 0.2 in text, else 0)",
	 .argument = "SHARE", .refusal = NO_SHARE},
	{"limit", '\0', OPTION_COUNT, offsetof(struct rdam_command, limit),
	 .help = "show so many rows (default: 20 in text, else all)", .argument = "N", .min = 1,
	 .max = UINT32_MAX, .refusal = "is not a number from 1 on"},
	{"sort", '\0', OPTION_READ, .read = read_order,
	 .help = "by score (default), grouped, lost, total, occurrences, median, p99 or name",
	 .argument = "BY"},
	{"plot", '\0', OPTION_TEXT, offsetof(struct rdam_command, plotting.path),
	 .help = "draw the row with the highest score into a .svg, .png or .pdf file",
	 .argument = "FILE"},
	{"gate", '\0', OPTION_SHARE, offsetof(struct rdam_command, gate),
	 .help = "fail with status 3 if a score is above", .argument = "SHARE",
	 .refusal = NO_SHARE},
	OPTION_TABLE_END};

static int finish(void *own, struct err *err)
{
	struct rdam_command *command = own;
	bool text = command->trace.common->format == REPORT_TEXT;

	if (command->threshold < 0)
		command->threshold = text ? TEXT_THRESHOLD : 0;
	if (!command->limit)
		command->limit = text ? TEXT_LIMIT : SIZE_MAX;
	command->options.least = command->least;
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
	struct rdam_view view = {
		.rdam = rdam,
		.trace = trace,
		.path = path,
		.threshold = command->threshold,
		.limit = command->limit,
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
	struct rdam_command own = {.least = 2, .threshold = -1, .gate = -1};
	const struct trace_command command = {rdam_table, &own, finish, print_scores, NULL};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.keys);
	return status == STATUS_DONE && own.is_above ? STATUS_CONDITION : status;
}

const struct cmd cmd_rdam = {
	.name = "rdam",
	.summary = "what it costs that blocks of code take longer than they could, and why",
	.run = cmd_rdam_run,
};
