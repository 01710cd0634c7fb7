/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/err.h"
#include "base/parse.h"
#include "cmd/options/cmd.h"
#include "cmd/options/trace.h"
#include "report/profile/report_profile.h"
#include "report/profile/report_timeline.h"
#include "report/report.h"
#include "stats/profile/block_spans.h"
#include "stats/profile/profile.h"
#include "stats/spin/thread_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct timeline_options {
	struct trace_options trace;
	struct id_list threads; /* the threads to print; none: all */
	double from_s, to_s;
	uint64_t from_ns, to_ns; /* since the timeline began */
	bool audit, blocks, enter_leave;
	enum profile_by by;
};

static const struct option timeline_table[] = {
	{"thread", .type = OPTION_GONE, .help = "is now --tid, or --comm for a name"},
	{"from", '\0', OPTION_SECONDS, offsetof(struct timeline_options, from_s),
	 .help = "only from this time after the start", .argument = "SECONDS"},
	{"to", '\0', OPTION_SECONDS, offsetof(struct timeline_options, to_s),
	 .help = "only up to this time", .argument = "SECONDS"},
	BY_OPTION(offsetof(struct timeline_options, by),
		  "a row for each thread (default), name or process", "thread", NULL),
	{"audit", '\0', OPTION_FLAG, offsetof(struct timeline_options, audit),
	 .help = "list each flaw of the data, and how it was handled", .advanced = true},
	{"blocks", '\0', OPTION_FLAG, offsetof(struct timeline_options, blocks),
	 .help = "list the calls of recorded functions, and the states of their threads",
	 .advanced = true},
	{"enter-leave", '\0', OPTION_FLAG, offsetof(struct timeline_options, enter_leave),
	 .help = "print these calls as text that pscal reads", .advanced = true},
	OPTION_TABLE_END};

enum { FIRST_ROWS = 8, THREADS_NAMED = 8 };

/* The state while a timeline is printed. */
struct printing {
	const struct timeline_options *options;
	struct event_source *source;
	struct timeline *timeline;
	struct report *report;
	uint64_t marks;	    /* enters and leaves so far */
	bool met_asked_for; /* a thread of --tid has appeared */
	int32_t met_tids[THREADS_NAMED];
	size_t met;
	char *others; /* the first threads, as long as none of --tid has appeared; or NULL */
	struct change *rows;
	size_t row_count, row_capacity, rows_wanted;
};

static uint64_t in_ns(double seconds)
{
	return seconds < 1e9 ? (uint64_t)llround(seconds * 1e9) : UINT64_MAX;
}

static int finish(void *own, struct err *err)
{
	struct timeline_options *options = own;
	const struct options *common = options->trace.common;

	if (options->to_s < options->from_s)
		return err_set(err, "--to %s: is before --from %s", options_text(common, "to"),
			       options_text(common, "from"));
	if (options->audit + options->blocks + options->enter_leave > 1)
		return err_set(err, "--audit, --blocks and --enter-leave exclude one another");
	if (options->enter_leave && (common->format != REPORT_TEXT || common->sort))
		return err_set(err, "--enter-leave: is a format of its own, without --%s",
			       common->sort ? "sort" : "format");
	/* --tid chooses rows of the timeline of the whole target, so that times stay the same. */
	options->threads = options->trace.tids;
	options->trace.selection.tid_count = 0;
	options->from_ns = in_ns(options->from_s);
	options->to_ns = in_ns(options->to_s);
	return 0;
}

static bool is_thread_asked_for(const struct timeline_options *options, int32_t tid)
{
	for (size_t i = 0; i < options->threads.count; i++)
		if (options->threads.items[i] == tid)
			return true;
	return !options->threads.count;
}

static bool is_asked_for(const struct timeline_options *options, const struct change *change,
			 uint64_t origin_ns)
{
	return is_thread_asked_for(options, change->tid) && change->state != STATE_NONE &&
	       change->end_ns > change->begin_ns &&
	       change->end_ns - origin_ns >= options->from_ns &&
	       change->begin_ns - origin_ns <= options->to_ns;
}

/* Notes a thread of the target: one of --tid, or one of the first to name in an error. */
static void meet_thread(struct printing *printing, int32_t tid, const char *comm)
{
	if (!printing->options->threads.count || printing->met_asked_for)
		return;
	printing->met_asked_for = is_thread_asked_for(printing->options, tid);
	for (size_t i = 0; i < printing->met; i++)
		if (printing->met_tids[i] == tid)
			return;
	if (printing->met == THREADS_NAMED)
		return;
	printing->met_tids[printing->met++] = tid;
	xappend(&printing->others, ", ", "%d (%s)%s", (int)tid, comm,
		printing->met == THREADS_NAMED ? " ..." : "");
}

/* Refuses a --tid that names no thread of the target. Returns 0, or -1 with an error. */
static int check_met(const struct printing *printing, struct err *err)
{
	if (printing->met_asked_for || !printing->options->threads.count)
		return 0;
	return err_set(err, "--tid %s: there is no such thread%s%s",
		       options_text(printing->options->trace.common, "tid"),
		       printing->others ? "; there are " : "",
		       printing->others ? printing->others : "");
}

/* Refuses a --sort by an unknown column before there are many rows, and ends the table. */
static int refuse_order(struct report *report, struct err *err)
{
	if (!report_check_order(report, err))
		return 0;
	report_end(report);
	return -1;
}

static int print_intervals(struct printing *printing, struct err *err)
{
	struct timeline *timeline = printing->timeline;
	struct thread_names *names;
	struct change change;
	int rc = timeline_next(timeline, &change, err);

	if (rc < 0)
		return -1;
	report_timeline_begin(printing->report);
	if (refuse_order(printing->report, err))
		return -1;
	names = thread_names_new(printing->source);
	for (; rc > 0; rc = timeline_next(timeline, &change, err)) {
		meet_thread(printing, change.tid, change.comm);
		if (is_asked_for(printing->options, &change, timeline_begin_ns(timeline)))
			report_timeline_interval(printing->report, &change, names,
						 timeline_begin_ns(timeline));
	}
	report_end(printing->report);
	thread_names_free(names);
	report_quality(printing->report, &printing->source->quality);
	return rc || check_met(printing, err) ? -1 : 0;
}

/* --- In short: the threads, and the first intervals ----------------------------------------- */

static void take_change(void *context, const struct change *change)
{
	struct printing *printing = context;
	uint64_t origin_ns = timeline_begin_ns(printing->timeline);

	meet_thread(printing, change->tid, change->comm);
	if (!is_asked_for(printing->options, change, origin_ns))
		return;
	if (printing->row_count++ >= printing->rows_wanted)
		return;
	array_reserve(&printing->rows, &printing->row_capacity, printing->row_count);
	printing->rows[printing->row_count - 1] = *change;
}

static void print_first_rows(const struct printing *printing, uint64_t origin_ns)
{
	size_t count = printing->row_count < printing->rows_wanted ? printing->row_count
								   : printing->rows_wanted;
	struct thread_names *names = thread_names_new(printing->source);

	report_timeline_begin(printing->report);
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &printing->rows[i];

		report_timeline_interval(printing->report, change, names, origin_ns);
	}
	report_end(printing->report);
	thread_names_free(names);
	if (count < printing->row_count)
		report_line(printing->report, "... %zu more; --all", printing->row_count - count);
}

static void print_short(struct printing *printing, const struct profile *profile,
			uint64_t origin_ns)
{
	const struct profile_view view = {.profile = profile, .by = printing->options->by};

	report_timeline_summary(printing->report, &view);
	print_first_rows(printing, origin_ns);
	report_quality_details(printing->report, &profile->quality);
}

static int print_summary(struct printing *printing, struct err *err)
{
	const struct options *common = printing->options->trace.common;
	struct profiler *profiler =
		profiler_new(printing->source, &printing->options->trace.selection, 0);
	struct profile profile = {0};
	uint64_t origin_ns;
	int rc;

	printing->timeline = profiler_timeline(profiler);
	printing->rows_wanted = common->limit ? common->limit : FIRST_ROWS;
	profiler_group(profiler, printing->options->by);
	profiler_watch(profiler, take_change, printing);
	rc = profiler_run(profiler, err) || check_met(printing, err) ? -1 : 0;
	if (!rc)
		profiler_profile(&profile, profiler);
	origin_ns = timeline_begin_ns(printing->timeline);
	profiler_free(profiler); /* of a million threads it is larger than the result */
	printing->timeline = NULL;
	if (!rc)
		print_short(printing, &profile, origin_ns);
	profile_release(&profile);
	return rc;
}

static bool is_span_asked_for(const struct timeline_options *options, const struct block_span *span,
			      uint64_t origin_ns)
{
	return is_thread_asked_for(options, span->tid) &&
	       span->leave_ns - origin_ns >= options->from_ns &&
	       span->enter_ns - origin_ns <= options->to_ns;
}

static int print_spans(struct printing *printing, struct block_spans *spans, struct err *err)
{
	const struct event_source *source = printing->source;
	struct block_span span;
	int rc = block_spans_next(spans, &span, err);

	if (rc < 0)
		return -1;
	report_blocks_begin(printing->report);
	if (refuse_order(printing->report, err))
		return -1;
	for (; rc > 0; rc = block_spans_next(spans, &span, err)) {
		uint64_t origin_ns = timeline_begin_ns(printing->timeline);

		meet_thread(printing, span.tid, span.comm);
		if (is_span_asked_for(printing->options, &span, origin_ns))
			report_blocks_span(printing->report, &span, &source->blocks, origin_ns);
	}
	if (!rc && check_met(printing, err)) {
		report_end(printing->report);
		return -1;
	}
	report_blocks_end(printing->report, block_spans_counts(spans), source->target.blocks_every);
	report_quality(printing->report, &source->quality);
	return rc;
}

static int print_blocks(struct printing *printing, struct err *err)
{
	struct block_spans *spans = block_spans_new(printing->timeline);
	int rc;

	block_spans_want_tasks(spans);
	rc = print_spans(printing, spans, err);
	block_spans_free(spans);
	return rc;
}

static void print_mark(void *context, const struct mark *mark)
{
	struct printing *printing = context;
	const struct timeline_options *options = printing->options;
	uint64_t origin_ns = timeline_begin_ns(printing->timeline);

	if (mark->event->kind != EVENT_ENTER && mark->event->kind != EVENT_LEAVE)
		return;
	printing->marks++;
	meet_thread(printing, mark->event->tid, mark->event->comm);
	if (!is_thread_asked_for(options, mark->event->tid) ||
	    mark->time_ns - origin_ns < options->from_ns ||
	    mark->time_ns - origin_ns > options->to_ns)
		return;
	if (!printing->row_count++)
		report_enter_leave_begin(printing->report);
	report_enter_leave_event(printing->report, mark, &printing->source->blocks, origin_ns);
}

static int print_enter_leave(struct printing *printing, struct err *err)
{
	const struct change *change;
	int rc;

	timeline_want_marks(printing->timeline, print_mark, printing);
	while ((rc = timeline_borrow(printing->timeline, &change, err)) > 0)
		;
	if (!rc && !printing->marks)
		return block_spans_none(err);
	if (rc || check_met(printing, err))
		return -1;
	if (!printing->row_count)
		report_enter_leave_begin(printing->report);
	return 0;
}

static bool is_finding_asked_for(const struct timeline_options *options,
				 const struct finding *finding, uint64_t origin_ns)
{
	uint64_t since_ns =
		origin_ns && finding->time_ns > origin_ns ? finding->time_ns - origin_ns : 0;

	return is_thread_asked_for(options, finding->tid) && since_ns >= options->from_ns &&
	       since_ns <= options->to_ns;
}

static int print_findings(const struct printing *printing, struct err *err)
{
	struct timeline *timeline = printing->timeline;
	struct report_audit audit;
	struct finding finding;
	int rc = timeline_next_finding(timeline, &finding, err);

	if (rc < 0)
		return -1;
	report_audit_begin(&audit, printing->report);
	if (refuse_order(printing->report, err))
		return -1;
	for (; rc > 0; rc = timeline_next_finding(timeline, &finding, err))
		if (is_finding_asked_for(printing->options, &finding, timeline_begin_ns(timeline)))
			report_audit_finding(&audit, &finding, timeline_begin_ns(timeline));
	report_audit_end(&audit);
	report_quality(printing->report, &printing->source->quality);
	return rc;
}

/* Prints the requested rows. The heading comes with the first row. */
static int print_wanted(struct printing *printing, struct err *err)
{
	const struct timeline_options *options = printing->options;
	const struct options *common = options->trace.common;
	bool is_short = common->format == REPORT_TEXT && !common->all && !common->sort;

	if (is_short && !options->audit && !options->blocks && !options->enter_leave)
		return print_summary(printing, err);
	printing->timeline = timeline_new(printing->source, &options->trace.selection);

	if (options->enter_leave)
		return print_enter_leave(printing, err);
	if (options->blocks)
		return print_blocks(printing, err);
	return options->audit ? print_findings(printing, err) : print_intervals(printing, err);
}

static int print_timeline(void *own, const struct options *common, const char *path,
			  struct err *err)
{
	struct timeline_options *options = own;
	bool is_seen = !common->output && isatty(STDOUT_FILENO); /* the rows show the progress */
	struct event_source *source =
		trace_open(&options->trace, path, common->quiet || is_seen, err);
	struct printing printing = {.options = options, .source = source};
	struct report *report;
	int rc;

	if (!source)
		return -1;
	printing.report = report = options_report(common, err);
	if (!report) {
		event_source_free(source);
		return -1;
	}
	rc = print_wanted(&printing, err);
	progress_end(&options->trace.progress);
	timeline_free(printing.timeline);
	free(printing.others);
	free(printing.rows);
	event_source_free(source);
	return report_finish(report, rc, err);
}

static int cmd_timeline_run(int argc, const char **argv, struct err *err)
{
	struct timeline_options own = {.to_s = INFINITY};
	const struct trace_command command = {timeline_table, &own, finish, print_timeline, NULL};

	return trace_command_run(&command, argc, argv, err);
}

const struct cmd cmd_timeline = {
	.name = "timeline",
	.summary = "list the states of each thread over time, and its wakers",
	.run = cmd_timeline_run,
};
