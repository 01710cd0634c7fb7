/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "decode/timeline/timeline.h"
#include "report/report.h"
#include "report/report_json.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Rows ---------------------------------------------------------------------------------- */

/* The widths of names in text; JSON has whole names. */
enum { NAME_WIDTH = 30, LONG_NAME_WIDTH = 64, TOP_ROWS = 8 };

struct line {
	struct rdam_row row;
	int32_t tid, pid, max_tid;
	const char *first_function, *comm, *name;
	double max_s, max_begin_s, cost_s;
	uint64_t every, lost, unbalanced;
	double kinds_s[RDAM_KINDS];
	/* for text */
	char *short_name, *main_cause, *causes;
};

/*
 * The numbers of columns: in JSON those before the stacks of a row, those after them, and those in
 * the object of causes.
 */
enum { MAIN = 14, MORE = 20, CAUSES = 12 };
static const struct column columns[MAIN + MORE + CAUSES] = {
	{"function", FIELD(line, row.name)},
	{NULL, "function", UNIT_NONE, -1, FIELD(line, short_name)},
	{"tid", "thread", FIELD(line, tid), .absent = "all"},
	{NULL, "name", UNIT_NONE, -1, FIELD(line, name), .absent = "", .detail = true},
	{"calls", "calls", FIELD(line, row.occurrences)},
	{"score", "score", UNIT_SHARE, FIELD(line, row.score)},
	{"lost_s", "lost", UNIT_SPAN, FIELD(line, row.lost_s)},
	{"min_s", "min", UNIT_SPAN, FIELD(line, row.min_s), .detail = true},
	{"p50_s", "p50", UNIT_SPAN, FIELD(line, row.median_s), .detail = true},
	{"p99_s", "p99", UNIT_SPAN, FIELD(line, row.p99_s), .detail = true},
	{NULL, "max", UNIT_SPAN, FIELD(line, max_s), .detail = true},
	{NULL, "main cause", UNIT_NONE, -1, FIELD(line, main_cause)},
	{NULL, "all causes", UNIT_NONE, -1, FIELD(line, causes), .detail = true},
	{"parameter_dependent", FIELD(line, row.parameter_dependent)},

	{"first_function", FIELD(line, first_function)},
	{"pid", FIELD(line, pid)},
	{"comm", FIELD(line, comm)},
	{"name", FIELD(line, name)},
	{"events", FIELD(line, row.token_count)},
	{"any_content", FIELD(line, row.any_content)},
	{"whole_call", FIELD(line, row.is_block)},
	{"wall_s", FIELD(line, row.wall_s)},
	{"total_s", FIELD(line, row.total_s)},
	{"max_s", FIELD(line, max_s)},
	{"max_begin_s", FIELD(line, max_begin_s)},
	{"max_tid", FIELD(line, max_tid)},
	{"few_calls", FIELD(line, row.few)},
	{"overlapping", FIELD(line, row.overlapping)},
	{"known_dependent", FIELD(line, row.known_dependent)},
	{"grouped_score", FIELD(line, row.grouped_score)},
	{"every", FIELD(line, every)},
	{"call_cost_s", FIELD(line, cost_s)},
	{"events_lost", FIELD(line, lost)},
	{"unbalanced", FIELD(line, unbalanced)},

	{"run_queue_s", FIELD(line, kinds_s[RDAM_KIND_RUN_QUEUE])},
	{"blocked_s", FIELD(line, kinds_s[RDAM_KIND_BLOCKED])},
	{"page_faults_s", FIELD(line, kinds_s[RDAM_KIND_PAGE_FAULTS])},
	{"disk_s", FIELD(line, kinds_s[RDAM_KIND_DISK])},
	{"stopped_s", FIELD(line, kinds_s[RDAM_KIND_STOPPED])},
	{"unknown_s", FIELD(line, kinds_s[RDAM_KIND_UNKNOWN])},
	{"on_cpu_s", FIELD(line, kinds_s[RDAM_KIND_ON_CPU])},
	{"run_queue_own_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT_OWN])},
	{"run_queue_other_programs_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT_STRANGER])},
	{"run_queue_unattributed_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT])},
	{"blocked_own_s", FIELD(line, row.causes_s[RDAM_BLOCKED])},
	{"blocked_other_s", FIELD(line, row.causes_s[RDAM_BLOCKED_OTHER])},
};

/* Returns "blocked 93 %, on CPU 7 %": the first `most` causes with 5 % or more. */
static char *causes_text(const struct rdam_row *row, const struct rdam_kinds *kinds, size_t most)
{
	static const double WORTH_IT = 0.045;
	char *text = xstrdup("");

	for (size_t i = 0; i < most && row->lost_s > 0; i++) {
		double share = kinds->seconds[kinds->order[i]] / row->lost_s;

		if (share < WORTH_IT)
			break;
		xappend(&text, "", "%s%s %.0f %%", i ? ", " : "", rdam_kind_words(kinds->order[i]),
			100 * share);
	}
	return text;
}

/* --- Marks of rows in doubt ---------------------------------------------------------------- */

enum { FEW = 1, OVERLAPS = 2, DEPENDS = 4 };

static const struct {
	unsigned doubt;
	const char *mark, *meaning;
} marks[] = {
	{DEPENDS, " *", "* the duration depends on arguments or on calls inside"},
	{FEW, " ?", "? few calls: the score may be too low"},
	{OVERLAPS, " +", "+ recursive: time may count more than once"},
};
enum { MARKS = sizeof(marks) / sizeof(marks[0]) };

static unsigned doubts_of(const struct rdam_row *row)
{
	return (row->few ? FEW : 0) | (row->overlapping ? OVERLAPS : 0) |
	       (row->parameter_dependent ? DEPENDS : 0);
}

/* Returns "deflate *", cut to the width of the column. */
static char *short_name(const struct rdam_row *row, size_t width)
{
	unsigned doubts = doubts_of(row);
	char *all = xstrdup(""), *name;
	size_t room;

	for (size_t i = 0; i < MARKS; i++)
		xappend(&all, "", "%s", doubts & marks[i].doubt ? marks[i].mark : "");
	room = width - strlen(all);
	name = strlen(row->name) <= room ? xasprintf("%s%s", row->name, all)
					 : xasprintf("%.*s...%s", (int)room - 3, row->name, all);
	free(all);
	return name;
}

static void line_init(struct line *line, const struct rdam_view *view, const struct rdam_row *row,
		      size_t width)
{
	const struct rdam_trace *trace = view->trace;
	const struct rdam_thread *thread =
		row->thread == SIZE_MAX ? NULL : &trace->threads[row->thread];
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);

	*line = (struct line){
		.row = *row,
		.tid = thread ? thread->tid : -1,
		.pid = thread ? thread->pid : -1,
		.max_tid = trace->threads[row->slowest.thread].tid,
		.first_function = trace->blocks->items[row->block].name,
		.comm = thread && *thread_name_comm(&thread->name) ? thread_name_comm(&thread->name)
								   : NULL,
		.name = thread && *thread_name_text(&thread->name) ? thread_name_text(&thread->name)
								   : NULL,
		.cost_s = trace->cost_ns > 0 ? trace->cost_ns / 1e9 : NAN,
		.every = trace->every,
		.lost = trace->lost,
		.unbalanced = view->rdam->unbalanced,
		.short_name = short_name(row, width),
		.main_cause = causes_text(row, &kinds, 1),
		.causes = causes_text(row, &kinds, RDAM_KINDS),
	};
	memcpy(line->kinds_s, kinds.seconds, sizeof(kinds.seconds));
	if (!trace->has_faults)
		line->kinds_s[RDAM_KIND_PAGE_FAULTS] = NAN;
	line->max_s = rdam_slowest_s(view->trace, row, &line->max_begin_s);
}

static void line_release(struct line *line)
{
	free(line->short_name);
	free(line->main_cause);
	free(line->causes);
}

/* Adds the table of text and CSV. */
static void put_rows(struct report *report, const struct rdam_view *view)
{
	const struct table table = {
		.in = REPORT_TEXT | REPORT_CSV, COLUMNS(columns), .top = TOP_ROWS};
	size_t width = report_says(report, SENTENCE_DETAIL) ? LONG_NAME_WIDTH : NAME_WIDTH;
	struct line line;

	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++) {
		line_init(&line, view, view->rows[i], width);
		report_row(report, &line);
		line_release(&line);
	}
	report_end(report);
}

/* --- JSON ---------------------------------------------------------------------------------- */

struct stack_line {
	struct values functions;
	uint64_t count;
};

/* A stack by the names of its functions, which several call chains may share. */
struct named_stack {
	uint32_t name;
	uint64_t count;
};

static int compare_stacks(const void *left, const void *right)
{
	const struct named_stack *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

static size_t name_stacks(struct named_stack *stacks, const struct rdam_view *view,
			  const struct rdam_row *row)
{
	size_t count = 0;

	for (size_t i = 0; i < row->stack_count; i++) {
		uint32_t name = chain_names_find(view->names, row->stacks[i].chain);
		size_t at = 0;

		if (!name)
			continue;
		while (at < count && stacks[at].name != name)
			at++;
		count += at == count;
		stacks[at].name = name;
		stacks[at].count += row->stacks[i].count;
	}
	if (count)
		qsort(stacks, count, sizeof(*stacks), compare_stacks);
	return count;
}

static const struct column stack_columns[] = {
	{"functions", FIELD(stack_line, functions)},
	{"count", FIELD(stack_line, count)},
};
static const struct table stack_table = {.key = "stacks", COLUMNS(stack_columns)};

static void put_stacks(struct report *report, const struct rdam_view *view,
		       const struct rdam_row *row)
{
	enum { MOST = 5 };
	struct named_stack *stacks = xcalloc(row->stack_count, sizeof(*stacks));
	size_t count = view->names ? name_stacks(stacks, view, row) : 0;

	report_begin(report, &stack_table);
	for (size_t i = 0; i < count && i < MOST; i++) {
		struct stack_line line = {.count = stacks[i].count};

		line.functions.count =
			rdam_view_callers(view, row, stacks[i].name, &line.functions.texts);
		report_row(report, &line);
	}
	report_end(report);
	free(stacks);
}

struct dependence_line {
	const char *on;
	struct rdam_dependence of; /* NaN: no dependence */
	struct truth by_value;
};

static const struct column dependence_columns[] = {
	{"on", FIELD(dependence_line, on)},
	{"spearman", FIELD(dependence_line, of.spearman)},
	{"depends", FIELD(dependence_line, of.depends)},
	{"slope_s", FIELD(dependence_line, of.slope)},
	{"score", FIELD(dependence_line, of.score)},
	{"by_value", FIELD(dependence_line, by_value)},
};
static const struct table dependence_table = {.key = "dependences", COLUMNS(dependence_columns)};

static void put_dependences(struct report *report, const struct rdam_view *view,
			    const struct rdam_row *row)
{
	report_begin(report, &dependence_table);
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		const struct rdam_dependence *on = &row->dependence[i];
		char text[32];
		struct dependence_line line = {rdam_view_dependence_name(view, row, on, text),
					       *on,
					       {on->depends, on->by_value}};

		if (!on->depends)
			line.of.slope = line.of.score = NAN;
		if (on->tested)
			report_row(report, &line);
	}
	report_end(report);
}

struct waker_line {
	const char *by, *comm, *name;
	int32_t tid;
	struct rdam_waker waker;
};

static const struct column waker_columns[] = {
	{"by", FIELD(waker_line, by)},
	{"tid", FIELD(waker_line, tid)},
	{"comm", FIELD(waker_line, comm)},
	{"name", FIELD(waker_line, name)},
	{"waits", FIELD(waker_line, waker.waits)},
	{"slept_s", FIELD(waker_line, waker.slept_s)},
};
static const struct table waker_table = {.key = "wakers", COLUMNS(waker_columns)};

static const char *kind_of_waker(uint32_t by)
{
	if (by == BY_STRANGER)
		return "other_program";
	if (by == BY_INTERRUPT)
		return "interrupt";
	return by == BY_NO_THREAD ? "unknown" : "thread";
}

static void put_wakers(struct report *report, const struct rdam_view *view,
		       const struct rdam_row *row)
{
	const struct rdam_trace *trace = view->trace;

	report_begin(report, &waker_table);
	for (size_t i = 0; i < row->waker_count; i++) {
		uint32_t by = row->wakers[i].thread;
		bool known = by < trace->thread_count;

		report_row(report,
			   &(struct waker_line){
				   kind_of_waker(by),
				   known ? thread_name_comm(&trace->threads[by].name) : NULL,
				   known ? thread_name_text(&trace->threads[by].name) : NULL,
				   known ? trace->threads[by].tid : -1, row->wakers[i]});
	}
	report_end(report);
}

static void put_json_row(struct report *report, const struct rdam_view *view,
			 const struct rdam_row *row)
{
	static const struct table main_facts = {
		.layout = LAYOUT_FACTS, .columns = columns, .column_count = MAIN};
	static const struct table more = {
		.layout = LAYOUT_FACTS, .columns = columns + MAIN, .column_count = MORE};
	static const struct table causes = {.key = "causes",
					    .layout = LAYOUT_FACTS,
					    .columns = columns + MAIN + MORE,
					    .column_count = CAUSES};
	struct line line;

	line_init(&line, view, row, NAME_WIDTH);
	report_group(report, NULL);
	report_table(report, &main_facts, &line, 1);
	report_table(report, &causes, &line, 1);
	put_stacks(report, view, row);
	report_table(report, &more, &line, 1);
	put_dependences(report, view, row);
	put_wakers(report, view, row);
	report_ungroup(report);
	line_release(&line);
}

/* --- Alerts -------------------------------------------------------------------------------- */

/* Alerts of flaws that change the meaning of the verdict on a row. */
static void alert_verdict(struct report *report, const struct rdam_view *view,
			  const struct rdam_verdict *verdict)
{
	const struct rdam_row *row = verdict->row;
	const struct rdam_dependence *on = verdict->dependence;
	char text[32];

	if (on && on == &row->dependence[RDAM_CALLS])
		report_alert(report,
			     "%s takes longer with more calls inside: without that its score is "
			     "%.3g %%.",
			     row->name, 100 * on->score);
	else if (on)
		report_alert(
			report, "%s takes longer for larger %s: without that its score is %.3g %%.",
			row->name, rdam_view_dependence_name(view, row, on, text), 100 * on->score);
	report_alert_if(report, verdict->known_dependent,
			"%s works longer for larger arguments, which were not recorded.",
			row->name);
	report_alert_if(report, row->few, "Only %" PRIu64 " calls of %s: the score may be too low.",
			row->occurrences, row->name);
}

static void alert_recording(struct report *report, const struct rdam_view *view)
{
	const struct rdam_trace *trace = view->trace;

	report_alert_if(report, !trace->has_states && view->rdam->row_count,
			"The recording has no scheduling events: the causes are unknown.");
	report_alert_if(report, trace->lost,
			"%" PRIu64 " function events were lost: calls are missing, or merged.",
			trace->lost);
	report_alert_if(report, trace->blocks->dropped,
			"%" PRIu64 " events of functions beyond the first %d are left out.",
			trace->blocks->dropped, BLOCKS_MAX);
}

/* --- Notes --------------------------------------------------------------------------------- */

static void note_marks(struct report *report, const struct rdam_view *view)
{
	char *text = xstrdup("");
	unsigned doubts = 0;

	for (size_t i = 0; i < view->row_count; i++)
		doubts |= doubts_of(view->rows[i]);
	for (size_t i = 0; i < MARKS; i++)
		if (doubts & marks[i].doubt)
			xappend(&text, "", "%s%s", *text ? ". " : "", marks[i].meaning);
	report_note_if(report, doubts, "%s.", text);
	free(text);
}

static void note_rows(struct report *report, const struct rdam_view *view)
{
	bool nested = false;

	for (size_t i = 0; i < view->row_count; i++)
		nested |= view->rows[i]->token_count > 2 || view->rows[i]->any_content;
	report_note_if(report, view->below, "%zu row%s below %.3g %% %s left out; --all.",
		       view->below, plural(view->below, "", "s"), 100 * view->min_score,
		       plural(view->below, "is", "are"));
	report_detail_if(report, nested,
			 "Scores of functions within one another count the same time: do not add "
			 "them.");
	report_detail_if(report, view->row_count,
			 "lost: the time that all calls took longer than the fastest. score: lost "
			 "time as a share of the wall time of the thread.");
}

/* Notes the callers of the function that costs most, and the row with a higher score. */
static void note_verdict(struct report *report, const struct rdam_view *view,
			 const struct rdam_verdict *verdict)
{
	const struct rdam_row *row = verdict->inner, *higher = verdict->higher;
	uint32_t name = view->names && row->stack_count
				? chain_names_find(view->names, row->stacks[0].chain)
				: 0;
	const char *const *functions;
	size_t callers = name ? rdam_view_callers(view, row, name, &functions) : 0;
	char *chain = xstrdup("");

	for (size_t i = 0; i < callers; i++)
		xappend(&chain, "", "%s%s", i ? " < " : "", functions[i]);
	report_note_if(report, callers, "%s is called from %s.", row->name, chain);
	free(chain);
	if (!higher)
		return;
	if (rdam_disturbed_score(higher) > rdam_disturbed_score(verdict->row))
		report_note(report,
			    "The score of %s is higher, %.3g %%, from only %" PRIu64 " calls.",
			    higher->name, 100 * higher->score, higher->occurrences);
	else
		report_note(report,
			    "The score of %s is higher, %.3g %%, but its duration depends on its "
			    "arguments.",
			    higher->name, 100 * higher->score);
}

/* Returns the shortest function that takes hardly longer than its recording; NULL: none. */
static const struct rdam_row *shortest(const struct rdam_view *view)
{
	static const double NEAR = 10;
	const struct rdam_row *best = NULL;

	for (size_t i = 0; i < view->row_count; i++) {
		const struct rdam_row *row = view->rows[i];

		if (row->median_s * 1e9 < NEAR * view->trace->cost_ns &&
		    (!best || row->median_s < best->median_s))
			best = row;
	}
	return best;
}

static void note_recording(struct report *report, const struct rdam_view *view)
{
	const struct rdam_trace *trace = view->trace;
	const struct rdam *rdam = view->rdam;
	const struct rdam_row *brief = shortest(view);

	report_note_if(report, trace->every > 1,
		       "One in %" PRIu64 " calls is recorded: lost time, causes and scores are "
		       "estimates for all calls.",
		       trace->every);
	report_note_if(report, brief,
		       "Recording a call takes about %.0f ns, partly within its duration: short "
		       "functions like %s are faster unrecorded.",
		       trace->cost_ns, brief ? brief->name : "");
	report_detail_if(report, rdam->unbalanced,
			 "%" PRIu64 " of %" PRIu64
			 " events %s left out: calls open at the start or "
			 "the end of the recording, or left by longjmp or an exception.",
			 rdam->unbalanced, rdam->events, plural(rdam->unbalanced, "is", "are"));
}

/* --- Details on dependence ----------------------------------------------------------------- */

static void say_dependence(struct report *report, const struct rdam_view *view,
			   const struct rdam_row *row, const struct rdam_dependence *on)
{
	bool calls = on == &row->dependence[RDAM_CALLS];
	char *where = rdam_view_where(view, row), text[32];

	report_detail(report,
		      "The duration of %s in %s depends on %s (Spearman's rho %.2f). Taking off %s "
		      "leaves a score of %.1f %%.",
		      row->name, where,
		      calls ? "the number of calls inside"
			    : rdam_view_dependence_name(view, row, on, text),
		      on->spearman, on->by_value ? "the minimum of each value" : "a fitted line",
		      100 * on->score);
	free(where);
}

/*
 * Adds a detail for each function whose durations depend on something, for the thread with the
 * highest score.
 */
static void note_dependence(struct report *report, const struct rdam_view *view)
{
	enum { MOST = 5 };
	uint32_t blocks[MOST];
	size_t said = 0;

	for (size_t i = 0; i < view->row_count && said < MOST; i++) {
		const struct rdam_row *row = view->rows[i];
		const struct rdam_dependence *on = rdam_strongest_dependence(row);
		size_t same = 0;

		if (!row->parameter_dependent)
			continue;
		while (same < said && blocks[same] != row->block)
			same++;
		if (same < said)
			continue;
		if (on)
			say_dependence(report, view, row, on);
		report_detail_if(report, !on,
				 "The work of %s depends on its arguments; record them to separate "
				 "their effect.",
				 row->name);
		blocks[said++] = row->block;
	}
}

/* --- The next step ------------------------------------------------------------------------- */

/* A row that --key would take apart: the row of the verdict, or one of those that are shown. */
static const struct rdam_row *row_for_key(const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++) {
		const struct rdam_dependence *on = rdam_strongest_dependence(view->rows[i]);

		if (on && on != &view->rows[i]->dependence[RDAM_CALLS])
			return view->rows[i];
	}
	return NULL;
}

static void advise_key(struct report *report, const struct rdam_view *view,
		       const struct rdam_row *row)
{
	char *key, *quoted, text[32];

	key = xasprintf("%s:%s", view->trace->blocks->items[row->block].name,
			rdam_view_dependence_name(view, row, rdam_strongest_dependence(row), text));
	quoted = shell_quote((const char *const[]){key, NULL});
	report_next_step(report, "pscal rdam --key %s%s", quoted, view->again);
	free(quoted);
	free(key);
}

/* Proposes the timeline of the slowest call of the function that costs most. */
static void advise_timeline(struct report *report, const struct rdam_view *view,
			    const struct rdam_row *row)
{
	double begin_s, slowest_s = rdam_slowest_s(view->trace, row, &begin_s);
	int tid = (int)view->trace->threads[row->slowest.thread].tid;

	report_next_step(report, "pscal timeline --blocks --tid %d --from %.6f --to %.6f%s", tid,
			 begin_s, begin_s + slowest_s, view->again_but_tid);
}

static void advise(struct report *report, const struct rdam_view *view,
		   const struct rdam_verdict *verdict)
{
	const struct rdam_row *row = row_for_key(view);

	if (!view->again)
		return;
	if (verdict->finding == RDAM_COSTLY && view->trace->has_states && !verdict->dependence)
		advise_timeline(report, view, verdict->inner);
	else if (row)
		advise_key(report, view, row);
}

/* --- All of it ----------------------------------------------------------------------------- */

static void put_json_rows(struct report *report, const struct rdam_view *view)
{
	if (!report_shows(report, REPORT_JSON))
		return;
	report_array(report, "functions");
	for (size_t i = 0; i < view->row_count; i++)
		put_json_row(report, view, view->rows[i]);
	report_array_end(report);
}

static void put_all(struct report *report, const struct rdam_view *view)
{
	struct rdam_verdict verdict = rdam_verdict_of(view->rdam, view->trace, view->costly_score);
	char *text = rdam_view_verdict(view, &verdict);

	report_verdict(report, "%s", text);
	free(text);
	if (verdict.row && verdict.finding != RDAM_NOTHING_LOST)
		alert_verdict(report, view, &verdict);
	alert_recording(report, view);
	if (view->row_count)
		put_rows(report, view);
	put_json_rows(report, view);
	note_marks(report, view);
	note_rows(report, view);
	if (verdict.row)
		note_verdict(report, view, &verdict);
	note_recording(report, view);
	note_dependence(report, view);
	report_quality(report, &view->trace->quality);
	advise(report, view, &verdict);
}

void report_rdam(struct report *report, const struct rdam_view *view)
{
	struct rdam_view chosen = *view;

	rdam_view_init(&chosen);
	if (report_shows(report, REPORT_CSV))
		put_rows(report, &chosen);
	else
		put_all(report, &chosen);
	rdam_view_release(&chosen);
}
