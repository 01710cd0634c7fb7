/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/fit_claims.h"
#include "cmd/options/plotting.h"
#include "cmd/options/trace.h"
#include "report/rdam/plot_rdam.h"
#include "report/rdam/rdam_view.h"
#include "report/rdam/report_rdam.h"
#include "stats/rdam/rdam.h"
#include "stats/spin/chain_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The options of the command, read and checked. */
struct rdam_request {
	struct trace_options trace;
	struct rdam_options options; /* borrows from what was typed */
	enum rdam_order order;
	double threshold;
	size_t limit; /* of rows; SIZE_MAX: all */
	double gate;
	bool has_gate;
	struct plotting plotting;
	int all;
	/* As typed. */
	char *min, *threshold_text, *least, *sort, *limit_text, *block, *gate_text;
	char **keys; /* NULL-terminated, or NULL */
	struct rdam_key *key_list;
};

struct rdam_command {
	struct rdam_request request;
	bool is_above; /* the gate does not hold */
};

/* --- The request, from the words of the command line ---------------------------------------- */

/* Of text, which somebody reads. */
static const double TEXT_THRESHOLD = 0.2;
enum { TEXT_LIMIT = 20 };

/* FUNC:arg1. Names of C++ have colons, those of arguments have none. The text is cut there. */
static int read_key(struct rdam_key *key, char *text, struct err *err)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || colon[-1] == ':')
		return err_set(err, "--key %s: give BLOCK:ARGUMENT, as in list_search:arg1", text);
	*colon = '\0';
	*key = (struct rdam_key){text, colon + 1};
	return 0;
}

static int read_keys(struct rdam_request *request, struct err *err)
{
	size_t count = 0;

	while (request->keys && request->keys[count])
		count++;
	request->key_list = xcalloc(count, sizeof(*request->key_list));
	for (size_t i = 0; i < count; i++)
		if (read_key(&request->key_list[i], request->keys[i], err))
			return -1;
	request->options.keys = request->key_list;
	request->options.key_count = count;
	return 0;
}

static int read_min(struct rdam_request *request, struct err *err)
{
	if (!request->min || strcmp(request->min, "thread") == 0)
		request->options.min = RDAM_MIN_THREAD;
	else if (strcmp(request->min, "pooled") == 0)
		request->options.min = RDAM_MIN_POOLED;
	else
		return err_set(err, "--min %s: there are thread and pooled", request->min);
	return 0;
}

static int read_order(struct rdam_request *request, struct err *err)
{
	char *names = xstrdup("");

	for (enum rdam_order order = 0; order < RDAM_ORDERS; order++) {
		const char *name = rdam_order_name(order);
		char *longer;

		if (!request->sort || strcmp(request->sort, name) == 0) {
			request->order = order;
			free(names);
			return 0;
		}
		longer = xasprintf("%s%s%s", names, order ? ", " : "", name);
		free(names);
		names = longer;
	}
	err_set(err, "--sort %s: there are %s", request->sort, names);
	free(names);
	return -1;
}

static int read_share(double *share, const char *option, const char *text, struct err *err)
{
	if (fit_share_parse(share, text) || !(*share >= 0))
		return err_set(err, "%s %s: is not a share, like 0.2 or 20%%", option, text);
	return 0;
}

static int read_count(size_t *count, const char *option, const char *text, uint64_t least,
		      struct err *err)
{
	uint64_t value;

	if (parse_u64(&value, text, UINT32_MAX) || value < least)
		return err_set(err, "%s %s: is not a number from %llu on", option, text,
			       (unsigned long long)least);
	*count = value;
	return 0;
}

static int read_numbers(struct rdam_request *request, struct err *err)
{
	bool text = request->trace.common->format == REPORT_TEXT;

	request->threshold = text ? TEXT_THRESHOLD : 0;
	request->limit = text ? TEXT_LIMIT : SIZE_MAX;
	request->options.least = 2;
	request->has_gate = request->gate_text;
	if (request->threshold_text &&
	    read_share(&request->threshold, "--threshold", request->threshold_text, err))
		return -1;
	if (request->gate_text && read_share(&request->gate, "--gate", request->gate_text, err))
		return -1;
	if (request->limit_text &&
	    read_count(&request->limit, "--limit", request->limit_text, 1, err))
		return -1;
	return request->least
		       ? read_count(&request->options.least, "--least", request->least, 2, err)
		       : 0;
}

/* Understands what was typed into a request; -1 with a sentence is wrong usage. */
static int rdam_request_read(struct rdam_request *request, struct err *err)
{
	request->options.all_sequences = request->all;
	request->options.only = request->block;
	request->options.want_spread = request->plotting.path;
	if (read_min(request, err) || read_order(request, err) || read_numbers(request, err) ||
	    read_keys(request, err))
		return -1;
	return plotting_check(&request->plotting, request->trace.common, err);
}

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

static int show_scores(struct rdam_command *command, const struct rdam *rdam,
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
		rc = show_scores(command, &rdam, &trace, source, path, err);
	rdam_release(&rdam);
	block_trace_release(&trace);
	return rc;
}

static int print_scores(void *own, const struct options *common, const char *path, struct err *err)
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

static int cmd_rdam_run(int argc, const char **argv, struct err *err)
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
	const struct trace_command command = {table, &request->trace, &own, finish, print_scores};
	int status = trace_command_run(&command, argc, argv, err);

	free(request->key_list);
	return status == STATUS_DONE && own.is_above ? STATUS_CONDITION : status;
}

const struct cmd cmd_rdam = {
	.name = "rdam",
	.summary = "what it costs that blocks of code take longer than they could, and why",
	.run = cmd_rdam_run,
};
