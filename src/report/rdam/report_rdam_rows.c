/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_rows.h"

#include "base/alloc.h"
#include "decode/timeline/timeline.h"
#include "report/report_quality.h"
#include "stats/spin/chain_names.h"

#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- What CSV and JSON have in common ------------------------------------------------------ */

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

void report_rdam_csv(struct report *report, const struct rdam_view *view)
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

void report_rdam_json(struct report *report, const struct rdam_view *view)
{
	for (size_t i = 0; i < view->row_count; i++)
		put_row(report, view, view->rows[i]);
}
