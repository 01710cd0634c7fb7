/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "cmd/options/cmd.h"
#include "cmd/rdam_request.h"
#include "report/rdam/plot_rdam.h"
#include "report/rdam/report_rdam.h"
#include "stats/spin/chain_names.h"

#include <stdlib.h>
#include <string.h>

struct rdam_command {
	struct rdam_request request;
	bool is_above; /* the gate does not hold */
};

static int finish(void *own, struct err *err)
{
	struct rdam_command *command = own;

	return rdam_request_read(&command->request, err);
}

/* --- The gate ------------------------------------------------------------------------------ */

/* What durations depend on is taken into account: a gate is against interference. */
static void judge(struct rdam_command *command, const struct rdam_view *view, struct err *err)
{
	const struct rdam *rdam = view->rdam;
	const struct rdam_row *worst = NULL;
	size_t above = 0;
	char *where;

	for (size_t i = 0; i < rdam->row_count && command->request.has_gate; i++) {
		const struct rdam_row *row = &rdam->rows[i];

		if (row->grouped_score <= command->request.gate)
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
		command->request.gate_text, above, above == 1 ? " is" : "s are",
		100 * worst->grouped_score, worst->name, where);
	free(where);
}

/* --- The result ---------------------------------------------------------------------------- */

static int report(const struct rdam_command *command, const struct rdam_view *view, struct err *err)
{
	struct report *report = options_report(command->request.trace.common, err);

	if (!report)
		return -1;
	report_set_array(report);
	report_rdam(report, view);
	return report_close(report, err);
}

static int show(struct rdam_command *command, const struct rdam *rdam,
		const struct block_trace *trace, const struct event_source *source,
		const char *path, struct err *err)
{
	const struct rdam_request *request = &command->request;
	struct rdam_view view = {
		.rdam = rdam,
		.trace = trace,
		.path = path,
		.threshold = request->threshold,
		.limit = request->limit,
		.order = request->order,
		.min = request->options.min,
	};
	int rc;

	if (source->chains.count)
		view.names = chain_names_new(&source->chains, &source->samples);
	rdam_view_init(&view);
	rc = report(command, &view, err);
	if (!rc && request->plotting.path)
		rc = plot_rdam(&view, request->plotting.path, err);
	if (!rc)
		judge(command, &view, err);
	rdam_view_release(&view);
	if (view.names)
		chain_names_free(view.names);
	return rc;
}

static int analyse(struct rdam_command *command, struct event_source *source, const char *path,
		   struct err *err)
{
	struct trace_options *options = &command->request.trace;
	struct block_trace trace;
	struct rdam rdam;
	int rc;

	source->chains.wanted = true;
	rc = block_trace_read(&trace, source, &options->selection, err);
	progress_end(&options->progress);
	if (rc)
		return -1;
	rc = rdam_init(&rdam, &trace, &command->request.options, err);
	if (!rc)
		rc = show(command, &rdam, &trace, source, path, err);
	rdam_release(&rdam);
	block_trace_release(&trace);
	return rc;
}

static int print(void *own, const struct options *common, const char *path, struct err *err)
{
	struct rdam_command *command = own;
	struct event_source *source = trace_open(&command->request.trace, path, common->quiet, err);
	int rc;

	if (!source)
		return -1;
	rc = analyse(command, source, path, err);
	event_source_free(source);
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct rdam_command own = {.is_above = false};
	struct rdam_request *request = &own.request;
	const struct poptOption table[] = {
		{"min", '\0', POPT_ARG_STRING, &request->min, 0,
		 "the fastest is that of each thread (thread, default) or of all (pooled)", "OF"},
		{"block", '\0', POPT_ARG_STRING, &request->block, 0, "only this block, or row",
		 "NAME"},
		{"key", '\0', POPT_ARG_ARGV, &request->keys, 0,
		 "a row for each value of this argument; repeatable", "BLOCK:ARGUMENT"},
		{"all", '\0', POPT_ARG_NONE, &request->all, 0,
		 "also sequences of events that are no block", NULL},
		{"least", '\0', POPT_ARG_STRING, &request->least, 0,
		 "leave out what occurs less often (default: 2)", "N"},
		{"threshold", '\0', POPT_ARG_STRING, &request->threshold_text, 0,
		 "leave out rows with a lower score (default: 0.2 in text, else 0)", "SHARE"},
		{"limit", '\0', POPT_ARG_STRING, &request->limit_text, 0,
		 "show so many rows (default: 20 in text, else all)", "N"},
		{"sort", '\0', POPT_ARG_STRING, &request->sort, 0,
		 "by score (default), grouped, lost, total, occurrences, median, p99 or name",
		 "BY"},
		{"plot", '\0', POPT_ARG_STRING, &request->plotting.path, 0,
		 "draw the row with the highest score into a .svg, .png or .pdf file", "FILE"},
		{"gate", '\0', POPT_ARG_STRING, &request->gate_text, 0,
		 "fail with status 3 if a score is above", "SHARE"},
		POPT_TABLEEND};
	const struct trace_command command = {table, &request->trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	rdam_request_release(request);
	return status == STATUS_DONE && own.is_above ? STATUS_CONDITION : status;
}

const struct cmd cmd_rdam = {
	.name = "rdam",
	.summary = "what it costs that blocks of code take longer than they could, and why",
	.run = run,
};
