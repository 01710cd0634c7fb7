/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_private.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "decode/timeline/timeline.h"
#include "report/report.h"
#include "stats/spin/symbol_finder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Rows ---------------------------------------------------------------------------------- */

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 48 };

struct line {
	struct rdam_row row;
	int32_t tid, pid, max_tid;
	const char *first_block, *comm;
	double max_s, max_begin_s, cost_s;
	uint64_t every, lost, unbalanced;
	double kinds_s[RDAM_KINDS];
	/* Of text. */
	char *short_name, *causes;
	const char *thread, *doubts;
};

enum { HAS_DOUBTS = 1 };

/* The columns that JSON has first, behind the stacks of a row, and in its object of causes. */
enum { MAIN = 14, MORE = 19, CAUSES = 12 };
static const struct column columns[MAIN + MORE + CAUSES] = {
	{"block", FIELD(line, row.name)},
	{NULL, "block", UNIT_NONE, -1, FIELD(line, short_name)},
	{"tid", "tid", FIELD(line, tid), .absent = "all"},
	{NULL, "thread", UNIT_NONE, -1, FIELD(line, thread)},
	{"occurrences", "times", FIELD(line, row.occurrences)},
	{"score", "score", UNIT_SHARE, FIELD(line, row.score)},
	{"lost_s", "lost", UNIT_SPAN, FIELD(line, row.lost_s)},
	{"min_s", "min", UNIT_SPAN, FIELD(line, row.min_s)},
	{"median_s", "median", UNIT_SPAN, FIELD(line, row.median_s)},
	{"p99_s", "p99", UNIT_SPAN, FIELD(line, row.p99_s)},
	{NULL, "max", UNIT_SPAN, FIELD(line, max_s)},
	{NULL, "where it went", UNIT_NONE, -1, FIELD(line, causes)},
	{NULL, "in doubt", UNIT_NONE, -1, FIELD(line, doubts), .needs = HAS_DOUBTS},
	{"parameter_dependent", FIELD(line, row.parameter_dependent)},

	{"first_block", FIELD(line, first_block)},
	{"pid", FIELD(line, pid)},
	{"comm", FIELD(line, comm)},
	{"events", FIELD(line, row.token_count)},
	{"any_content", FIELD(line, row.any_content)},
	{"whole_block", FIELD(line, row.is_block)},
	{"wall_s", FIELD(line, row.wall_s)},
	{"total_s", FIELD(line, row.total_s)},
	{"max_s", FIELD(line, max_s)},
	{"max_begin_s", FIELD(line, max_begin_s)},
	{"max_tid", FIELD(line, max_tid)},
	{"few", FIELD(line, row.few)},
	{"overlapping", FIELD(line, row.overlapping)},
	{"known_dependent", FIELD(line, row.known_dependent)},
	{"grouped_score", FIELD(line, row.grouped_score)},
	{"every", FIELD(line, every)},
	{"block_cost_s", FIELD(line, cost_s)},
	{"events_lost", FIELD(line, lost)},
	{"unbalanced", FIELD(line, unbalanced)},

	{"cpu_wait_s", FIELD(line, kinds_s[RDAM_KIND_CPU_WAIT])},
	{"blocked_s", FIELD(line, kinds_s[RDAM_KIND_BLOCKED])},
	{"page_faults_s", FIELD(line, kinds_s[RDAM_KIND_PAGE_FAULTS])},
	{"disk_s", FIELD(line, kinds_s[RDAM_KIND_DISK])},
	{"stopped_s", FIELD(line, kinds_s[RDAM_KIND_STOPPED])},
	{"unknown_s", FIELD(line, kinds_s[RDAM_KIND_UNKNOWN])},
	{"on_cpu_s", FIELD(line, kinds_s[RDAM_KIND_ON_CPU])},
	{"cpu_wait_own_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT_OWN])},
	{"cpu_wait_stranger_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT_STRANGER])},
	{"cpu_wait_other_s", FIELD(line, row.causes_s[RDAM_CPU_WAIT])},
	{"blocked_own_s", FIELD(line, row.causes_s[RDAM_BLOCKED])},
	{"blocked_other_s", FIELD(line, row.causes_s[RDAM_BLOCKED_OTHER])},
};

/* "blocked 93 %, on CPU 7 %": what there is 5 % of. */
static char *main_causes(const struct rdam_row *row, const struct rdam_kinds *kinds)
{
	static const double WORTH_IT = 0.045;
	char *text = xstrdup("");

	for (size_t i = 0; i < RDAM_KINDS && row->lost_s > 0; i++) {
		double share = kinds->seconds[kinds->order[i]] / row->lost_s;

		if (share < WORTH_IT)
			break;
		xappend(&text, "", "%s%s %.0f %%", i ? ", " : "", rdam_kind_words(kinds->order[i]),
			100 * share);
	}
	return text;
}

static const char *doubts(const struct rdam_row *row)
{
	static const char *const words[2][2][2] = {
		{{"", "depends"}, {"overlaps", "overlaps, depends"}},
		{{"few", "few, depends"}, {"few, overlaps", "few, overlaps, depends"}},
	};

	return words[row->few][row->overlapping][row->parameter_dependent];
}

static char *short_name(const char *name)
{
	if (strlen(name) <= NAME_WIDTH)
		return xstrdup(name);
	return xasprintf("%.*s...", NAME_WIDTH - 3, name);
}

static void line_init(struct line *line, const struct rdam_view *view, const struct rdam_row *row)
{
	const struct block_trace *trace = view->trace;
	const struct block_thread *thread =
		row->thread == SIZE_MAX ? NULL : &trace->threads[row->thread];
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);

	*line = (struct line){
		.row = *row,
		.tid = thread ? thread->tid : -1,
		.pid = thread ? thread->pid : -1,
		.max_tid = trace->threads[row->slowest.thread].tid,
		.first_block = trace->blocks->items[row->block].name,
		.comm = thread && *thread->comm ? thread->comm : NULL,
		.cost_s = trace->cost_ns > 0 ? trace->cost_ns / 1e9 : NAN,
		.every = trace->every,
		.lost = trace->lost,
		.unbalanced = view->rdam->unbalanced,
		.short_name = short_name(row->name),
		.causes = main_causes(row, &kinds),
		.thread = thread ? thread->comm : "",
		.doubts = doubts(row),
	};
	memcpy(line->kinds_s, kinds.seconds, sizeof(kinds.seconds));
	if (!trace->has_faults)
		line->kinds_s[RDAM_KIND_PAGE_FAULTS] = NAN;
	line->max_s = rdam_slowest_s(view->trace, row, &line->max_begin_s);
}

static void line_release(struct line *line)
{
	free(line->short_name);
	free(line->causes);
}

/* In text and CSV a row is all there is. */
static void put_rows(struct report *report, const struct rdam_view *view)
{
	struct table table = {.in = REPORT_TEXT | REPORT_CSV, COLUMNS(columns)};
	struct line line;

	for (size_t i = 0; i < view->row_count; i++)
		table.has |= *doubts(view->rows[i]) ? HAS_DOUBTS : 0;
	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++) {
		line_init(&line, view, view->rows[i]);
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

/* A stack by the names of its functions; several chains may have the same. */
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
	struct rdam_dependence of; /* NaN: it does not depend */
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
	const char *by, *comm;
	int32_t tid;
	struct rdam_waker waker;
};

static const struct column waker_columns[] = {
	{"by", FIELD(waker_line, by)},
	{"tid", FIELD(waker_line, tid)},
	{"comm", FIELD(waker_line, comm)},
	{"waits", FIELD(waker_line, waker.waits)},
	{"slept_s", FIELD(waker_line, waker.slept_s)},
};
static const struct table waker_table = {.key = "wakers", COLUMNS(waker_columns)};

static const char *kind_of_waker(uint32_t by)
{
	if (by == BY_STRANGER)
		return "stranger";
	if (by == BY_INTERRUPT)
		return "interrupt";
	return by == BY_NOBODY ? "unknown" : "thread";
}

static void put_wakers(struct report *report, const struct rdam_view *view,
		       const struct rdam_row *row)
{
	const struct block_trace *trace = view->trace;

	report_begin(report, &waker_table);
	for (size_t i = 0; i < row->waker_count; i++) {
		uint32_t by = row->wakers[i].thread;
		bool known = by < trace->thread_count;

		report_row(report, &(struct waker_line){kind_of_waker(by),
							known ? trace->threads[by].comm : NULL,
							known ? trace->threads[by].tid : -1,
							row->wakers[i]});
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

	line_init(&line, view, row);
	report_group(report, NULL);
	report_table(report, &main_facts, &line, 1);
	report_table(report, &causes, &line, 1);
	put_stacks(report, view, row);
	report_table(report, &more, &line, 1);
	put_dependences(report, view, row);
	put_wakers(report, view, row);
	report_quality_flaws(report, &view->trace->quality);
	report_ungroup(report);
	line_release(&line);
}

/* --- Notes on rows ------------------------------------------------------------------------- */

/* The path for commands that are proposed; NULL: standard input. */
static const char *input_path(const struct rdam_view *view)
{
	return strcmp(view->path, "-") ? view->path : NULL;
}

static void note_rows(struct report *report, const struct rdam_view *view)
{
	const struct rdam_row *overlapping = NULL;
	bool nested = false, few = false;

	for (size_t i = view->row_count; i-- > 0;) {
		const struct rdam_row *row = view->rows[i];

		nested |= row->token_count > 2 || row->any_content;
		few |= row->few;
		overlapping = row->overlapping ? row : overlapping;
	}
	report_note_if(report, view->below,
		       "%zu row%s with a score below %.3g %% %s left out; --threshold 0 shows %s.",
		       view->below, plural(view->below, "", "s"), 100 * view->threshold,
		       plural(view->below, "is", "are"), plural(view->below, "it", "them"));
	report_note_if(report, view->beyond,
		       "%zu more rows are left out; --limit shows more of them.", view->beyond);
	report_note_if(report, nested,
		       "Scores do not add up: of blocks within one another both count the same "
		       "time.");
	report_note_if(report, few,
		       "few: of less than %d occurrences even the fastest may have been disturbed; "
		       "the score may be too low.",
		       RDAM_FEW);
	report_note_if(report, overlapping,
		       "overlaps: as %s calls itself, and one in %" PRIu64
		       " calls is on record, it is not known which calls are within others: each "
		       "counts, and time may be counted more than once.",
		       overlapping ? overlapping->name : "", view->trace->every);
}

/* Where to look: at the slowest occurrence of what costs most of the rows that are shown. */
static void note_slowest(struct report *report, const struct rdam_view *view)
{
	const struct rdam_row *row =
		view->row_count ? rdam_innermost(view->rdam, view->trace, view->rows[0]) : NULL;
	const char *path = input_path(view);
	double begin_s, slowest_s;

	if (!row || !(row->lost_s > 0) || !view->trace->has_states)
		return;
	slowest_s = rdam_slowest_s(view->trace, row, &begin_s);
	report_note(report,
		    "To see the slowest %s: pscal timeline --blocks --thread %d --from %.6f --to "
		    "%.6f%s%s",
		    row->name, (int)view->trace->threads[row->slowest.thread].tid, begin_s,
		    begin_s + slowest_s, path ? " " : "", path ? path : "");
}

/* --- Notes on dependence ------------------------------------------------------------------- */

static void say_dependence(struct report *report, const struct rdam_view *view,
			   const struct rdam_row *row, const struct rdam_dependence *on)
{
	bool calls = on == &row->dependence[RDAM_CALLS];
	char *where = rdam_view_where(view, row);
	double share = row->score > 0 ? 1 - on->score / row->score : 0;
	char text[32];

	report_note(report,
		    "depends: how long %s takes in %s depends on %s (Spearman's rho %.2f), which "
		    "explains %.0f %% of its score; with %s taken off the score is %.1f %%.",
		    row->name, where,
		    calls ? "how much is called within it"
			  : rdam_view_dependence_name(view, row, on, text),
		    on->spearman, 100 * share,
		    on->by_value ? "the minimum of each value" : "a line", 100 * on->score);
	free(where);
}

/* A row that --key would take apart; NULL. */
static const struct rdam_row *row_for_key(const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++) {
		const struct rdam_dependence *on = rdam_strongest_dependence(view->rows[i]);

		if (on && on != &view->rows[i]->dependence[RDAM_CALLS])
			return view->rows[i];
	}
	return NULL;
}

static void advise_key(struct report *report, const struct rdam_view *view)
{
	const struct rdam_row *row = row_for_key(view);
	const char *words[6] = {"pscal", "rdam", "--key"};
	char *key, *line, text[32];

	if (!row)
		return;
	key = xasprintf("%s:%s", view->trace->blocks->items[row->block].name,
			rdam_view_dependence_name(view, row, rdam_strongest_dependence(row), text));
	words[3] = key;
	words[4] = input_path(view);
	line = shell_quote(words);
	report_note(report, "To have a row for each value: %s", line);
	free(line);
	free(key);
}

/* The same of many threads is said once, of the one with the highest score. */
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
		report_note_if(
			report, !on,
			"depends: what %s has to do is known to depend on its arguments; "
			"recorded with --arguments, they tell how much of its score that is.",
			row->name);
		blocks[said++] = row->block;
	}
	advise_key(report, view);
}

/* --- Notes on the recording ---------------------------------------------------------------- */

/* A block that is hardly longer than what is done to it. */
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
	const struct block_trace *trace = view->trace;
	const struct rdam *rdam = view->rdam;
	const struct rdam_row *brief = shortest(view);

	report_note_if(report, trace->every > 1,
		       "One in %" PRIu64 " calls of a block is on record: what is lost, its causes "
		       "and scores are estimates for all of them.",
		       trace->every);
	report_note_if(report, brief,
		       "To record an enter and its leave takes about %.0f ns, of which durations "
		       "have a part: short blocks like %s are shorter without.",
		       trace->cost_ns, brief ? brief->name : "");
	report_note_if(report, trace->lost,
		       "%" PRIu64 " events of blocks were lost while recording: the calls that "
		       "they are of are left out, or have run together with others.",
		       trace->lost);
	report_note_if(report, rdam->unbalanced,
		       "%" PRIu64 " of %" PRIu64 " events %s left out, as an enter has no leave or "
		       "a leave no enter: at the edge of the recording, or where a block was left "
		       "by longjmp or an exception.",
		       rdam->unbalanced, rdam->events, plural(rdam->unbalanced, "is", "are"));
	report_note_if(report, trace->blocks->dropped,
		       "%" PRIu64 " events of blocks beyond the first %d are left out.",
		       trace->blocks->dropped, BLOCKS_MAX);
	report_note_if(report, !trace->has_states && rdam->row_count,
		       "Where the time went is unknown, as the recording has no scheduling "
		       "events.");
}

static void put_text(struct report *report, const struct rdam_view *view)
{
	char *verdict = rdam_view_verdict(view);

	report_note(report, "%s", verdict);
	free(verdict);
	if (view->row_count)
		put_rows(report, view);
	note_rows(report, view);
	note_dependence(report, view);
	note_slowest(report, view);
	note_recording(report, view);
	report_quality(report, &view->trace->quality);
}

void report_rdam(struct report *report, const struct rdam_view *view)
{
	struct rdam_view chosen = *view;

	rdam_view_init(&chosen);
	for (size_t i = 0; i < chosen.row_count && report_shows(report, REPORT_JSON); i++)
		put_json_row(report, &chosen, chosen.rows[i]);
	if (report_shows(report, REPORT_CSV))
		put_rows(report, &chosen);
	if (report_shows(report, REPORT_TEXT))
		put_text(report, &chosen);
	rdam_view_release(&chosen);
}
