/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "decode/timeline/timeline.h"
#include "report/rdam/rdam_view.h"
#include "report/report_quality.h"
#include "stats/spin/chain_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Notes below the rows of text ---------------------------------------------------------- */

static void note_left_out(struct report *report, const struct rdam_view *view)
{
	if (view->below)
		report_note(report,
			    "%zu row%s with a score below %.3g %% %s left out; --threshold 0 shows "
			    "%s.",
			    view->below, view->below == 1 ? "" : "s", 100 * view->threshold,
			    view->below == 1 ? "is" : "are", view->below == 1 ? "it" : "them");
	if (view->beyond)
		report_note(report, "%zu more rows are left out; --limit shows more of them.",
			    view->beyond);
}

static void note_nested(struct report *report, const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		if (view->rows[i]->token_count > 2 || view->rows[i]->any_content) {
			report_note(report,
				    "Scores do not add up: of blocks within one another both count "
				    "the same time.");
			return;
		}
}

static void note_few(struct report *report, const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		if (view->rows[i]->few) {
			report_note(report,
				    "few: of less than %d occurrences even the fastest may have "
				    "been disturbed; the score may be too low.",
				    RDAM_FEW);
			return;
		}
}

static void note_overlapping(struct report *report, const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		if (view->rows[i]->overlapping) {
			report_note(report,
				    "overlaps: as %s calls itself, and one in %" PRIu64
				    " calls is on record, it is not known which calls are within "
				    "others: each counts, and time may be counted more than once.",
				    view->rows[i]->name, view->trace->every);
			return;
		}
}

/* Where to look: at the slowest occurrence of what costs most of the rows that are shown. */
static void note_slowest(struct report *report, const struct rdam_view *view)
{
	const struct rdam_row *row =
		view->row_count ? rdam_view_innermost(view, view->rows[0]) : NULL;
	double begin_s, slowest_s;

	if (!row || !(row->lost_s > 0) || !view->trace->has_states)
		return;
	slowest_s = rdam_view_slowest_s(view, row, &begin_s);
	report_note(report,
		    "To see the slowest %s: pscal timeline --blocks --thread %d --from %.6f --to "
		    "%.6f%s%s",
		    row->name, (int)view->trace->threads[row->slowest.thread].tid, begin_s,
		    begin_s + slowest_s, strcmp(view->path, "-") ? " " : "",
		    strcmp(view->path, "-") ? view->path : "");
}

/* --- Notes on dependence ------------------------------------------------------------------- */

static void say_known(struct report *report, const struct rdam_row *row)
{
	report_note(report,
		    "depends: what %s has to do is known to depend on its arguments; recorded with "
		    "--arguments, they tell how much of its score that is.",
		    row->name);
}

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
		const struct rdam_dependence *on = rdam_view_dependence(view->rows[i]);

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
			rdam_view_dependence_name(view, row, rdam_view_dependence(row), text));
	words[3] = key;
	words[4] = strcmp(view->path, "-") ? view->path : NULL;
	line = shell_quote(words);
	report_note(report, "To have a row for each value: %s", line);
	free(line);
	free(key);
}

/* The same of many threads is said once, of the one with the highest score. */
static bool is_said(const struct rdam_view *view, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (view->rows[i]->block == view->rows[row]->block &&
		    view->rows[i]->parameter_dependent)
			return true;
	return false;
}

static void note_dependence(struct report *report, const struct rdam_view *view)
{
	enum { MOST = 5 };
	size_t said = 0;

	for (size_t i = 0; i < view->row_count && said < MOST; i++) {
		const struct rdam_row *row = view->rows[i];
		const struct rdam_dependence *on = rdam_view_dependence(row);

		if (!row->parameter_dependent || is_said(view, i))
			continue;
		if (on)
			say_dependence(report, view, row, on);
		else
			say_known(report, row);
		said++;
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

static void note_cost(struct report *report, const struct rdam_view *view)
{
	const struct rdam_row *row = shortest(view);

	if (row)
		report_note(report,
			    "To record an enter and its leave takes about %.0f ns, of which "
			    "durations have a part: short blocks like %s are shorter "
			    "without.",
			    view->trace->cost_ns, row->name);
}

static void note_recording(struct report *report, const struct rdam_view *view)
{
	const struct block_trace *trace = view->trace;

	if (trace->every > 1)
		report_note(report,
			    "One in %" PRIu64 " calls of a block is on record: what is lost, its "
			    "causes and scores are estimates for all of them.",
			    trace->every);
	note_cost(report, view);
	if (trace->lost)
		report_note(report,
			    "%" PRIu64
			    " events of blocks were lost while recording: the calls that "
			    "they are of are left out, or have run together with others.",
			    trace->lost);
	if (view->rdam->unbalanced)
		report_note(report,
			    "%" PRIu64 " of %" PRIu64 " events %s left out, as an enter has no "
			    "leave or a leave no enter: at the edge of the recording, or where a "
			    "block was left by longjmp or an exception.",
			    view->rdam->unbalanced, view->rdam->events,
			    view->rdam->unbalanced == 1 ? "is" : "are");
	if (trace->blocks->dropped)
		report_note(report,
			    "%" PRIu64 " events of blocks beyond the first %d are left out.",
			    trace->blocks->dropped, BLOCKS_MAX);
	if (!trace->has_states && view->rdam->row_count)
		report_note(report,
			    "Where the time went is unknown, as the recording has no scheduling "
			    "events.");
}

static void write_notes(struct report *report, const struct rdam_view *view)
{
	note_left_out(report, view);
	note_nested(report, view);
	note_few(report, view);
	note_overlapping(report, view);
	note_dependence(report, view);
	note_slowest(report, view);
	note_recording(report, view);
	if (report_shows(report, REPORT_TEXT))
		report_quality(report, &view->trace->quality);
}

/* --- Rows of CSV and JSON ------------------------------------------------------------------ */

#define MAIN_COLUMNS                                                                               \
	{"block", "", UNIT_NONE, 0}, {"tid", "", UNIT_NONE, 0}, {"occurrences", "", UNIT_NONE, 0}, \
		{"score", "", UNIT_SHARE, 0}, {"lost_s", "", UNIT_SECONDS, 0},                     \
		{"min_s", "", UNIT_SECONDS, 0}, {"median_s", "", UNIT_SECONDS, 0},                 \
		{"p99_s", "", UNIT_SECONDS, 0},                                                    \
	{                                                                                          \
		"parameter_dependent", "", UNIT_NONE, 0                                            \
	}

#define MAIN_CELLS(view, row)                                                                     \
	cell_text((row)->name), cell_tid(view, row), cell_count((int64_t)(row)->occurrences),     \
		cell_number((row)->score), cell_number((row)->lost_s), cell_number((row)->min_s), \
		cell_number((row)->median_s), cell_number((row)->p99_s),                          \
		cell_bool((row)->parameter_dependent)

#define MORE_COLUMNS                                                                              \
	{"first_block", "", UNIT_NONE, 0}, {"pid", "", UNIT_NONE, 0}, {"comm", "", UNIT_NONE, 0}, \
		{"events", "", UNIT_NONE, 0}, {"any_content", "", UNIT_NONE, 0},                  \
		{"whole_block", "", UNIT_NONE, 0}, {"wall_s", "", UNIT_SECONDS, 0},               \
		{"total_s", "", UNIT_SECONDS, 0}, {"max_s", "", UNIT_SECONDS, 0},                 \
		{"max_begin_s", "", UNIT_STAMP, 0}, {"max_tid", "", UNIT_NONE, 0},                \
		{"few", "", UNIT_NONE, 0}, {"overlapping", "", UNIT_NONE, 0},                     \
		{"known_dependent", "", UNIT_NONE, 0}, {"grouped_score", "", UNIT_SHARE, 0},      \
		{"every", "", UNIT_NONE, 0}, {"block_cost_s", "", UNIT_SECONDS, 0},               \
		{"events_lost", "", UNIT_NONE, 0},                                                \
	{                                                                                         \
		"unbalanced", "", UNIT_NONE, 0                                                    \
	}

struct slowest {
	double seconds, begin_s;
};

#define MORE_CELLS(view, row, slowest)                                                   \
	cell_text((view)->trace->blocks->items[(row)->block].name), cell_pid(view, row), \
		cell_comm(view, row), cell_count((row)->token_count),                    \
		cell_bool((row)->any_content), cell_bool((row)->is_block),               \
		cell_number((row)->wall_s), cell_number((row)->total_s),                 \
		cell_number((slowest).seconds), cell_number((slowest).begin_s),          \
		cell_count((view)->trace->threads[(row)->slowest.thread].tid),           \
		cell_bool((row)->few), cell_bool((row)->overlapping),                    \
		cell_bool((row)->known_dependent), cell_number((row)->grouped_score),    \
		cell_count((int64_t)(view)->trace->every), cell_cost(view),              \
		cell_count((int64_t)(view)->trace->lost),                                \
		cell_count((int64_t)(view)->rdam->unbalanced)

static struct slowest slowest_of(const struct rdam_view *view, const struct rdam_row *row)
{
	struct slowest slowest;

	slowest.seconds = rdam_view_slowest_s(view, row, &slowest.begin_s);
	return slowest;
}

static const struct block_thread *thread_of(const struct rdam_view *view,
					    const struct rdam_row *row)
{
	return row->thread == SIZE_MAX ? NULL : &view->trace->threads[row->thread];
}

static struct cell cell_tid(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct block_thread *thread = thread_of(view, row);

	return thread ? cell_count(thread->tid) : cell_null();
}

static struct cell cell_pid(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct block_thread *thread = thread_of(view, row);

	return thread && thread->pid >= 0 ? cell_count(thread->pid) : cell_null();
}

static struct cell cell_cost(const struct rdam_view *view)
{
	return view->trace->cost_ns > 0 ? cell_number(view->trace->cost_ns / 1e9) : cell_null();
}

static struct cell cell_comm(const struct rdam_view *view, const struct rdam_row *row)
{
	const struct block_thread *thread = thread_of(view, row);

	return cell_text(thread && *thread->comm ? thread->comm : NULL);
}

/* The kinds, each with what it is the sum of: -1 for the sum of a kind. */
struct cause_column {
	struct column column;
	enum rdam_kind kind;
	int cause;
};

enum { ALL_OF_IT = -1 };

static const struct cause_column cause_columns[] = {
	{{"cpu_wait_s", "", UNIT_SECONDS, 0}, RDAM_KIND_CPU_WAIT, ALL_OF_IT},
	{{"blocked_s", "", UNIT_SECONDS, 0}, RDAM_KIND_BLOCKED, ALL_OF_IT},
	{{"page_faults_s", "", UNIT_SECONDS, 0}, RDAM_KIND_PAGE_FAULTS, ALL_OF_IT},
	{{"disk_s", "", UNIT_SECONDS, 0}, RDAM_KIND_DISK, ALL_OF_IT},
	{{"stopped_s", "", UNIT_SECONDS, 0}, RDAM_KIND_STOPPED, ALL_OF_IT},
	{{"unknown_s", "", UNIT_SECONDS, 0}, RDAM_KIND_UNKNOWN, ALL_OF_IT},
	{{"on_cpu_s", "", UNIT_SECONDS, 0}, RDAM_KIND_ON_CPU, ALL_OF_IT},
	{{"cpu_wait_own_s", "", UNIT_SECONDS, 0}, RDAM_KIND_CPU_WAIT, RDAM_CPU_WAIT_OWN},
	{{"cpu_wait_stranger_s", "", UNIT_SECONDS, 0}, RDAM_KIND_CPU_WAIT, RDAM_CPU_WAIT_STRANGER},
	{{"cpu_wait_other_s", "", UNIT_SECONDS, 0}, RDAM_KIND_CPU_WAIT, RDAM_CPU_WAIT},
	{{"blocked_own_s", "", UNIT_SECONDS, 0}, RDAM_KIND_BLOCKED, RDAM_BLOCKED},
	{{"blocked_other_s", "", UNIT_SECONDS, 0}, RDAM_KIND_BLOCKED, RDAM_BLOCKED_OTHER},
};

static void put_causes(struct cell cells[COUNT(cause_columns)], const struct rdam_view *view,
		       const struct rdam_row *row)
{
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);

	for (size_t i = 0; i < COUNT(cause_columns); i++) {
		const struct cause_column *cause = &cause_columns[i];

		cells[i] = cell_number(cause->cause == ALL_OF_IT ? kinds.seconds[cause->kind]
								 : row->causes_s[cause->cause]);
		if (cause->kind == RDAM_KIND_PAGE_FAULTS && !view->trace->has_faults)
			cells[i] = cell_null();
	}
}

static void copy_cause_columns(struct column columns[COUNT(cause_columns)])
{
	for (size_t i = 0; i < COUNT(cause_columns); i++)
		columns[i] = cause_columns[i].column;
}

static void put_fact_row(struct report *report, const struct column *columns, size_t count,
			 const struct cell *cells)
{
	const struct table table = {.layout = LAYOUT_FACTS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = count};

	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
}

/* --- CSV ----------------------------------------------------------------------------------- */

static const struct column main_columns[] = {MAIN_COLUMNS}, more_columns[] = {MORE_COLUMNS};

static void write_csv(struct report *report, const struct rdam_view *view)
{
	enum { MAIN = COUNT(main_columns), MORE = COUNT(more_columns) };
	struct column columns[MAIN + MORE + COUNT(cause_columns)] = {MAIN_COLUMNS, MORE_COLUMNS};
	const struct table table = {.key = "rows",
				    .layout = LAYOUT_ROWS,
				    .in = REPORT_CSV,
				    .columns = columns,
				    .column_count = COUNT(columns)};

	copy_cause_columns(columns + MAIN + MORE);
	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++) {
		const struct rdam_row *row = view->rows[i];
		struct slowest slowest = slowest_of(view, row);
		struct cell cells[COUNT(columns)] = {MAIN_CELLS(view, row),
						     MORE_CELLS(view, row, slowest)};

		put_causes(cells + MAIN + MORE, view, row);
		report_row(report, cells);
	}
	report_end(report);
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void put_cause_group(struct report *report, const struct rdam_view *view,
			    const struct rdam_row *row)
{
	struct column columns[COUNT(cause_columns)];
	struct cell cells[COUNT(cause_columns)];

	copy_cause_columns(columns);
	put_causes(cells, view, row);
	report_group(report, "causes");
	put_fact_row(report, columns, COUNT(columns), cells);
	report_ungroup(report);
}

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

static void put_stacks(struct report *report, const struct rdam_view *view,
		       const struct rdam_row *row)
{
	enum { MOST = 5 };
	static const struct column columns[] = {{"functions", "", UNIT_NONE, 0},
						{"count", "", UNIT_NONE, 0}};
	static const struct table table = {.key = "stacks",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	struct named_stack *stacks = xcalloc(row->stack_count, sizeof(*stacks));
	size_t count = view->names ? name_stacks(stacks, view, row) : 0;

	report_begin(report, &table);
	for (size_t i = 0; i < count && i < MOST; i++) {
		const char *const *functions;
		size_t callers = rdam_view_callers(view, row, stacks[i].name, &functions);

		report_row(report, (struct cell[]){cell_list(functions, callers),
						   cell_count((int64_t)stacks[i].count)});
	}
	report_end(report);
	free(stacks);
}

static void put_dependences(struct report *report, const struct rdam_view *view,
			    const struct rdam_row *row)
{
	static const struct column columns[] = {
		{"on", "", UNIT_NONE, 0},      {"spearman", "", UNIT_DECIMAL, 0},
		{"depends", "", UNIT_NONE, 0}, {"slope_s", "", UNIT_SECONDS, 0},
		{"score", "", UNIT_SHARE, 0},  {"by_value", "", UNIT_NONE, 0}};
	static const struct table table = {.key = "dependences",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < RDAM_DEPENDENCES; i++) {
		const struct rdam_dependence *on = &row->dependence[i];
		char text[32];

		if (!on->tested)
			continue;
		report_row(
			report,
			(struct cell[]){cell_text(rdam_view_dependence_name(view, row, on, text)),
					cell_number(on->spearman), cell_bool(on->depends),
					on->depends ? cell_number(on->slope) : cell_null(),
					on->depends ? cell_number(on->score) : cell_null(),
					on->depends ? cell_bool(on->by_value) : cell_null()});
	}
	report_end(report);
}

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
	static const struct column columns[] = {{"by", "", UNIT_NONE, 0},
						{"tid", "", UNIT_NONE, 0},
						{"comm", "", UNIT_NONE, 0},
						{"waits", "", UNIT_NONE, 0},
						{"slept_s", "", UNIT_SECONDS, 0}};
	static const struct table table = {.key = "wakers",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < row->waker_count; i++) {
		const struct rdam_waker *waker = &row->wakers[i];
		const struct block_thread *thread = waker->thread < view->trace->thread_count
							    ? &view->trace->threads[waker->thread]
							    : NULL;

		report_row(report, (struct cell[]){cell_text(kind_of_waker(waker->thread)),
						   thread ? cell_count(thread->tid) : cell_null(),
						   cell_text(thread ? thread->comm : NULL),
						   cell_count((int64_t)waker->waits),
						   cell_number(waker->slept_s)});
	}
	report_end(report);
}

static void put_row(struct report *report, const struct rdam_view *view, const struct rdam_row *row)
{
	const struct cell main_cells[] = {MAIN_CELLS(view, row)};
	const struct slowest slowest = slowest_of(view, row);
	const struct cell more_cells[] = {MORE_CELLS(view, row, slowest)};

	report_group(report, NULL);
	put_fact_row(report, main_columns, COUNT(main_columns), main_cells);
	put_cause_group(report, view, row);
	put_stacks(report, view, row);
	put_fact_row(report, more_columns, COUNT(more_columns), more_cells);
	put_dependences(report, view, row);
	put_wakers(report, view, row);
	report_quality_flaws(report, &view->trace->quality);
	report_ungroup(report);
}

static void write_json(struct report *report, const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		put_row(report, view, view->rows[i]);
}

/* --- Text ---------------------------------------------------------------------------------- */

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 48 };

/* "blocked 93 %, on CPU 7 %": what there is 5 % of. */
static char *main_causes(const struct rdam_row *row)
{
	static const double WORTH_IT = 0.045;
	struct rdam_kinds kinds = rdam_kinds_of(row->causes_s);
	char *text = xstrdup("");

	for (size_t i = 0; i < RDAM_KINDS && row->lost_s > 0; i++) {
		double share = kinds.seconds[kinds.order[i]] / row->lost_s;
		char *longer;

		if (share < WORTH_IT)
			break;
		longer = xasprintf("%s%s%s %.0f %%", text, i ? ", " : "",
				   rdam_kind_words(kinds.order[i]), 100 * share);
		free(text);
		text = longer;
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

static bool has_doubts(const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		if (*doubts(view->rows[i]))
			return true;
	return false;
}

static char *short_name(const char *name)
{
	size_t length = strlen(name);

	if (length <= NAME_WIDTH)
		return xstrdup(name);
	return xasprintf("%.*s...", NAME_WIDTH - 3, name);
}

static void put_text_row(struct report *report, const struct rdam_view *view,
			 const struct rdam_row *row)
{
	char *causes = main_causes(row), *name = short_name(row->name);
	const struct block_thread *thread =
		row->thread == SIZE_MAX ? NULL : &view->trace->threads[row->thread];

	double begin_s, slowest_s = rdam_view_slowest_s(view, row, &begin_s);

	report_row(report, (struct cell[]){cell_text(name),
					   thread ? cell_count(thread->tid) : cell_text("all"),
					   cell_text(thread ? thread->comm : ""),
					   cell_count((int64_t)row->occurrences),
					   cell_number(row->score), cell_number(row->lost_s),
					   cell_number(row->min_s), cell_number(row->median_s),
					   cell_number(row->p99_s), cell_number(slowest_s),
					   cell_text(causes), cell_text(doubts(row))});
	free(causes);
	free(name);
}

static void write_table(struct report *report, const struct rdam_view *view)
{
	static const struct column columns[] = {
		{"", "block", UNIT_NONE, -1},
		{"", "tid", UNIT_NONE, 0},
		{"", "thread", UNIT_NONE, -1},
		{"", "times", UNIT_NONE, 0},
		{"", "score", UNIT_SHARE, 0},
		{"", "lost", UNIT_SPAN, 0},
		{"", "min", UNIT_SPAN, 0},
		{"", "median", UNIT_SPAN, 0},
		{"", "p99", UNIT_SPAN, 0},
		{"", "max", UNIT_SPAN, 0},
		{"", "where it went", UNIT_NONE, -1},
		{"", "in doubt", UNIT_NONE, -1},
	};
	const struct table table = {.layout = LAYOUT_ROWS,
				    .in = REPORT_TEXT,
				    .columns = columns,
				    .column_count = COUNT(columns) - !has_doubts(view)};

	if (!view->row_count)
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->row_count; i++)
		put_text_row(report, view, view->rows[i]);
	report_end(report);
}

void report_rdam(struct report *report, const struct rdam_view *view)
{
	if (report_shows(report, REPORT_JSON))
		write_json(report, view);
	if (report_shows(report, REPORT_CSV))
		write_csv(report, view);
	if (report_shows(report, REPORT_TEXT)) {
		char *verdict = rdam_view_verdict(view);

		report_note(report, "%s", verdict);
		write_table(report, view);
		write_notes(report, view);
		free(verdict);
	}
}
