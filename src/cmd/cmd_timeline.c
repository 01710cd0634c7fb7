/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"
#include "report/report_audit.h"
#include "report/report_quality.h"
#include "report/report_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct timeline_options {
	struct trace_options trace;
	char *threads, *from, *to; /* as typed */
	uint64_t *thread_list;	   /* tids to print; none: all */
	size_t thread_count;
	uint64_t from_ns, to_ns; /* since the timeline began */
	int audit;
};

static int finish(void *own, struct err *err)
{
	struct timeline_options *options = own;
	double from_s = 0, to_s = INFINITY;

	if (options->threads && parse_list(&options->thread_list, &options->thread_count,
					   options->threads, 1, INT32_MAX, err))
		return err_wrap(err, "--thread");
	if (options->from && parse_seconds(&from_s, options->from, err))
		return err_wrap(err, "--from");
	if (options->to && parse_seconds(&to_s, options->to, err))
		return err_wrap(err, "--to");
	if (to_s < from_s)
		return err_set(err, "--to %s: is before --from %s", options->to, options->from);
	options->from_ns = from_s < 1e9 ? (uint64_t)llround(from_s * 1e9) : UINT64_MAX;
	options->to_ns = to_s < 1e9 ? (uint64_t)llround(to_s * 1e9) : UINT64_MAX;
	return 0;
}

static bool is_thread_asked_for(const struct timeline_options *options, int32_t tid)
{
	for (size_t i = 0; i < options->thread_count; i++)
		if (options->thread_list[i] == (uint64_t)tid)
			return true;
	return !options->thread_count;
}

static bool is_asked_for(const struct timeline_options *options, const struct change *change,
			 uint64_t origin_ns)
{
	return is_thread_asked_for(options, change->tid) && change->state != STATE_NONE &&
	       change->end_ns > change->begin_ns &&
	       change->end_ns - origin_ns >= options->from_ns &&
	       change->begin_ns - origin_ns <= options->to_ns;
}

static int print_intervals(const struct timeline_options *options, struct timeline *timeline,
			   struct report *report, struct err *err)
{
	struct change change;
	int rc;

	report_timeline_begin(report);
	while ((rc = timeline_next(timeline, &change, err)) > 0)
		if (is_asked_for(options, &change, timeline_begin_ns(timeline)))
			report_timeline_interval(report, &change, timeline_begin_ns(timeline));
	report_timeline_end(report);
	return rc;
}

static bool is_finding_asked_for(const struct timeline_options *options,
				 const struct finding *finding, uint64_t origin_ns)
{
	uint64_t since_ns =
		origin_ns && finding->time_ns > origin_ns ? finding->time_ns - origin_ns : 0;

	return is_thread_asked_for(options, finding->tid) && since_ns >= options->from_ns &&
	       since_ns <= options->to_ns;
}

static int print_findings(const struct timeline_options *options, struct timeline *timeline,
			  struct report *report, struct err *err)
{
	struct report_audit audit;
	struct finding finding;
	int rc;

	report_audit_begin(&audit, report);
	while ((rc = timeline_next_finding(timeline, &finding, err)) > 0)
		if (is_finding_asked_for(options, &finding, timeline_begin_ns(timeline)))
			report_audit_finding(&audit, &finding, timeline_begin_ns(timeline));
	report_audit_end(&audit);
	return rc;
}

static int print(void *own, const struct options *common, const char *path, struct err *err)
{
	struct timeline_options *options = own;
	bool is_seen = !common->output && isatty(STDOUT_FILENO); /* the rows show how far it is */
	struct event_source *source =
		trace_open(&options->trace, path, common->quiet || is_seen, err);
	struct timeline *timeline;
	struct report *report;
	int rc;

	if (!source)
		return -1;
	report = options_report(common, err);
	if (!report) {
		event_source_free(source);
		return -1;
	}
	timeline = timeline_new(source, &options->trace.selection);
	rc = (options->audit ? print_findings : print_intervals)(options, timeline, report, err);
	progress_end(&options->trace.progress);
	report_quality(report, &source->quality);
	timeline_free(timeline);
	event_source_free(source);
	if (!rc)
		return report_close(report, err);
	report_close(report, &(struct err){""});
	return rc;
}

static int run(int argc, const char **argv, struct err *err)
{
	struct timeline_options own = {0};
	const struct poptOption table[] = {
		{"thread", '\0', POPT_ARG_STRING, &own.threads, 0, "print these tids only", "LIST"},
		{"from", '\0', POPT_ARG_STRING, &own.from, 0,
		 "leave out what ends before, counted from the beginning", "SECONDS"},
		{"to", '\0', POPT_ARG_STRING, &own.to, 0, "leave out what begins after", "SECONDS"},
		{"audit", '\0', POPT_ARG_NONE, &own.audit, 0,
		 "print what is wrong with the data, case by case, and what was done", NULL},
		POPT_TABLEEND};
	const struct trace_command command = {table, &own.trace, &own, finish, print};
	int status = trace_command_run(&command, argc, argv, err);

	free(own.threads);
	free(own.from);
	free(own.to);
	free(own.thread_list);
	return status;
}

const struct cmd cmd_timeline = {
	.name = "timeline",
	.summary = "what each thread was doing, when",
	.run = run,
};
