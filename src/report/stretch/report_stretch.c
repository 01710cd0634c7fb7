/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stretch/report_stretch.h"

#include "base/alloc.h"
#include "report/report_text.h"
#include "report/stretch/report_stretch_private.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/task_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Of text; JSON has all of a name. */
enum { NAME_WIDTH = 48, COUNTED_NAME_WIDTH = 32 };

/* --- Counters ------------------------------------------------------------------------------ */

static const struct column counted_columns[] = {
	{"", "block", UNIT_NONE, -1},
	{"", "source", UNIT_NONE, -1},
	{"", "counted", UNIT_NONE, -1},
	{"", "serial", UNIT_DECIMAL, 0},
	{"", "parallel", UNIT_DECIMAL, 0},
	{"", "more", UNIT_DECIMAL, 0},
	{"", "stretch for each one more", UNIT_SPAN, 0},
};

/* The first two are of blocks only. */
static const struct table block_table = {.layout = LAYOUT_ROWS,
					 .in = REPORT_TEXT,
					 .columns = counted_columns,
					 .column_count = COUNT(counted_columns)};
static const struct table all_table = {.layout = LAYOUT_ROWS,
				       .in = REPORT_TEXT,
				       .columns = counted_columns + 2,
				       .column_count = COUNT(counted_columns) - 2};

static void put_surplus(struct report *report, const struct stretch_surplus *surplus,
			const char *name, const char *place)
{
	double unit = surplus->in_ns ? 1e-9 : 1;
	const struct cell cells[] = {
		cell_text(name),
		cell_text(place),
		cell_text(surplus->counter),
		cell_number(surplus->serial * unit),
		cell_number(surplus->parallel * unit),
		cell_number((surplus->parallel - surplus->serial) * unit),
		cell_number(surplus->cost_s),
	};

	report_row(report, name ? cells : cells + 2);
}

static void put_counted_block(struct report *report, const struct stretch_view *view,
			      const struct stretch_row *row)
{
	char *name = stretch_view_name(row), *place = stretch_view_place(row);

	if (strlen(name) > COUNTED_NAME_WIDTH)
		memcpy(name + COUNTED_NAME_WIDTH - 3, "...", 4);
	for (size_t i = 0; i < view->shown_count; i++)
		put_surplus(report, &stretch_view_cell(view, row)->surplus[view->shown[i]], name,
			    place ? place : "");
	free(name);
	free(place);
}

static void put_counted_blocks(struct report *report, const struct stretch_view *view)
{
	if (!view->shown_count || !view->row_count)
		return;
	report_begin(report, &block_table);
	for (size_t i = 0; i < view->row_count; i++)
		put_counted_block(report, view, view->rows[i]);
	report_end(report);
}

/* Of the last column: of all work, and of each block that is shown those that are to be. */
static void write_counters(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	put_counted_blocks(report, view);
	if (column->surplus_count < 2) /* switches alone say little of work */
		return;
	report_begin(report, &all_table);
	for (size_t i = 0; i < column->surplus_count; i++)
		put_surplus(report, &column->surplus[i], NULL, NULL);
	report_end(report);
}

/* --- Counters: memory ---------------------------------------------------------------------- */

/* Between the two they were waited for one after the other, as far as that can be told. */
static const double SEVERAL_AT_ONCE = 1.5, LESS_THAN_ONE = .5;

static void note_memory(struct report *report, const struct stretch_surplus *surplus)
{
	double at_once = stretch_surplus_at_once(surplus);
	char cost[VALUE_SIZE], *meaning;

	if (isnan(at_once))
		return;
	if (at_once >= SEVERAL_AT_ONCE)
		meaning = xasprintf("some %.2g of them were on their way at once", at_once);
	else if (at_once > LESS_THAN_ONE)
		meaning = xstrdup("they were waited for one after the other");
	else
		meaning = xstrdup("something else has stretched it, or memory was busy");
	report_note(report,
		    "If nothing but %s has stretched the work, each one more has cost %s; where "
		    "memory answers in %.0f ns, %s.",
		    surplus->counter, format_value(cost, surplus->cost_s, UNIT_SPAN),
		    1e9 * STRETCH_MEMORY_S, meaning);
	free(meaning);
}

/* A sentence on memory from the misses of the last cache, if there are more in parallel. */
static void write_memory(struct report *report, const struct stretch_view *view)
{
	const struct stretch_column *column = stretch_view_last(view);

	for (size_t i = 0; i < column->surplus_count; i++)
		note_memory(report, &column->surplus[i]);
}

/* --- Notes --------------------------------------------------------------------------------- */

/* A serial run may start and end threads, and have helpers; more than this is not serial. */
static const double SEVERAL_MOST = .05;

/* Of all time: where for more it is not known whether threads ran, that is said. */
static const double UNKNOWN_MOST = .01;

/* Of work: where more is in blocks that only one side has, that is said. */
static const double ALONE_MOST = .1;

/* Of work: where less has names, that is said. */
static const double NAMED_LEAST = .5;

static void note_left_out(struct report *report, const struct stretch_view *view)
{
	if (view->below)
		report_note(
			report,
			"%zu row%s with less than %.3g %% of the work on each side %s left out; "
			"--min-share 0 shows them.",
			view->below, view->below == 1 ? "" : "s", 100 * view->min_share,
			view->below == 1 ? "is" : "are");
	if (view->beyond)
		report_note(report, "%zu more row%s left out; --limit shows more.", view->beyond,
			    view->beyond == 1 ? " is" : "s are");
}

static void note_base(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->base_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];
		double several = stretch_run_several_share(run);

		if (several > SEVERAL_MOST)
			report_note(
				report,
				"%s is not of a serial run: for %.0f %% of the time in which it "
				"ran several threads did at once. What it takes for serial work "
				"may be stretched already.",
				view->paths[i], 100 * several);
	}
}

/* Such blocks are no stretch of anything, though they count among all of it. */
static void note_alone(struct report *report, const struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;
	double serial_s = 0, parallel_s = 0, serial_share, parallel_share;

	for (size_t i = 0; i < stretch->row_count; i++) {
		const struct stretch_row *row = &stretch->rows[i];
		double seconds = stretch_view_cell(view, row)->seconds;

		serial_s += seconds > 0 ? 0 : row->serial_s;
		parallel_s += row->serial_s > 0 ? 0 : seconds;
	}
	serial_share = serial_s > 0 ? serial_s / stretch->serial_s : 0;
	parallel_share = parallel_s > 0 ? parallel_s / stretch_view_last(view)->work_s : 0;
	if (fmax(serial_share, parallel_share) > ALONE_MOST)
		report_note(report,
			    "%.0f %% of the work in serial and %.0f %% of that in parallel is in "
			    "blocks that the other does not have: these cannot be compared%s.",
			    100 * serial_share, 100 * parallel_share,
			    stretch->by == STRETCH_BY_PATH
				    ? ", as threads begin elsewhere; --by function compares what "
				      "they do"
				    : "");
}

/* Of the recording that has the fewest. */
static void note_names(struct report *report, const struct stretch_view *view)
{
	double least = 1;
	size_t worst = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];

		if (run->named_s >= least * run->work_s)
			continue;
		least = run->named_s / run->work_s;
		worst = i;
	}
	if (least < NAMED_LEAST)
		report_note(report,
			    "For %.0f %% of the work of %s the function is not known: files have "
			    "no symbols, are gone, or have changed since it was recorded; see "
			    "--symfs.",
			    100 * (1 - least), view->paths[worst]);
}

static void note_programs(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;

	for (size_t i = 1; i < view->stretch->run_count; i++)
		if (runs[0].program && runs[i].program &&
		    strcmp(runs[0].program, runs[i].program) != 0) {
			report_note(
				report, "%s is of %s and %s of %s: functions are compared by name.",
				view->paths[0], runs[0].program, view->paths[i], runs[i].program);
			return;
		}
}

static void note_files(struct report *report, const struct stretch_view *view)
{
	const struct stretch_run *runs = view->stretch->runs;

	for (size_t i = 1; i < view->stretch->run_count; i++) {
		const char *path;
		size_t changed = stretch_files_changed(&path, &runs[0].files, &runs[i].files);
		char *more = changed > 1 ? xasprintf(" (and %zu more)", changed - 1) : xstrdup("");

		if (changed)
			report_note(report,
				    "%s%s is another file in %s than in %s: it has been built "
				    "again or replaced, so that functions of one name may not be "
				    "the same code.",
				    path, more, view->paths[i], view->paths[0]);
		free(more);
		if (changed)
			return;
	}
}

static void note_lines(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++)
		if (view->stretch->runs[i].unread_lines)
			report_warning(report, "%s: %s.", view->paths[i],
				       view->stretch->runs[i].unread_lines);
}

static void note_states(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct stretch_run *run = &view->stretch->runs[i];

		if (!run->has_states)
			report_note(report,
				    "%s has samples only: seconds are their number times %.3g ms, "
				    "and where cores had no work is not known. pscal record -F 997 "
				    "takes along what the scheduler does.",
				    view->paths[i], 1e3 * run->tick_s);
		else if (run->unknown_s > UNKNOWN_MOST * run->cores * run->wall_s)
			report_note(report,
				    "%s: for %.3g s of its threads nothing says that they ran, and "
				    "nothing that they did not; that is delay or no work.",
				    view->paths[i], run->unknown_s);
	}
}

/* Steps of tasks that make no sense; the words for one, and for several. */
static void note_count(struct report *report, const char *path, uint64_t count, const char *one,
		       const char *several)
{
	if (count)
		report_warning(report, "%s: %" PRIu64 " %s", path, count,
			       count == 1 ? one : several);
}

static void note_tasks(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->run_count; i++) {
		const struct task_tree *tree = view->stretch->runs[i].tree;
		const char *path = view->paths[i];

		if (!tree)
			continue;
		note_count(report, path, tree->lost,
			   "step of a task was lost while it was recorded: a block is missing, or "
			   "ends too late.",
			   "steps of tasks were lost while it was recorded: blocks are missing, or "
			   "end too late.");
		note_count(report, path, tree->orphans,
			   "step is of a task that is not known, and is left out.",
			   "steps are of tasks that are not known, and are left out.");
		note_count(report, path, tree->never_begun,
			   "task is known only by its children; its own work is missing.",
			   "tasks are known only by their children; their own work is missing.");
		note_count(
			report, path, tree->never_run,
			"task was spawned and has not begun; that it waited is not in the delay.",
			"tasks were spawned and have not begun; that they waited is not in the "
			"delay.");
		note_count(report, path, tree->never_ended,
			   "task has not ended; a block that it is in lasts to the end of its "
			   "thread.",
			   "tasks have not ended; blocks that they are in last to the end of their "
			   "threads.");
		note_count(report, path, tree->never_synced,
			   "task has begun for which no sync waits; who waited for it without "
			   "saying so counts as a task that could run.",
			   "tasks have begun for which no sync waits; who waited for them without "
			   "saying so counts as a task that could run.");
	}
}

static void note_cores(struct report *report, const struct stretch_view *view)
{
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		const struct stretch_column *column = &view->stretch->columns[i];

		if (column->loss.crowded_s > 0 && !column->has_loss)
			report_note(
				report,
				"%zu threads ran at once where there should have been %g core%s, "
				"so that it is not known where the time of the cores went; see "
				"--cores.",
				column->threads, column->cores, column->cores == 1 ? "" : "s");
	}
}

static void note_repeats(struct report *report, const struct stretch_view *view)
{
	bool several = view->stretch->base_count > 1;

	for (size_t i = 0; i < view->stretch->column_count; i++)
		several |= view->stretch->columns[i].run_count > 1;
	if (!several)
		report_note(report,
			    "Intervals are those of %s; how much runs vary is not in them. Give "
			    "several recordings of each, see --base.",
			    stretch_by_tasks(view->stretch->by)
				    ? "blocks that take differently long"
				    : "counting samples");
}

/* Without events of the scheduler what is missing of them is no news. */
static bool is_flaw(const struct stretch_run *run, enum quality_fact fact)
{
	return quality_value(&run->quality, fact) && quality_words(fact)->meaning &&
	       (run->has_states || fact == QUALITY_LOST || fact == QUALITY_DROPPED_SAMPLES);
}

static void note_quality(struct report *report, const struct stretch_view *view,
			 enum quality_fact fact)
{
	const struct quality_words *words = quality_words(fact);
	char *where = xstrdup("");
	uint64_t sum = 0;

	for (size_t i = 0; i < view->stretch->run_count; i++) {
		char *longer;

		if (!is_flaw(&view->stretch->runs[i], fact))
			continue;
		longer = xasprintf("%s%s%s", where, *where ? ", " : "", view->paths[i]);
		sum += quality_value(&view->stretch->runs[i].quality, fact);
		free(where);
		where = longer;
	}
	if (sum && quality_kind(fact) == QUALITY_COUNT)
		report_warning(report, "Data quality of %s: %s: %" PRIu64 ". %s", where,
			       words->what, sum, words->meaning);
	else if (sum)
		report_warning(report, "Data quality of %s: %s", where, words->meaning);
	free(where);
}

/* Sentences on the limits of the numbers; in text only. */
static void write_notes(struct report *report, const struct stretch_view *view)
{
	note_left_out(report, view);
	note_base(report, view);
	note_programs(report, view);
	note_files(report, view);
	note_alone(report, view);
	note_names(report, view);
	note_lines(report, view);
	note_states(report, view);
	note_tasks(report, view);
	note_cores(report, view);
	note_repeats(report, view);
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		note_quality(report, view, fact);
}

/* --- Wide tables --------------------------------------------------------------------------- */

/* Columns of a table that is as wide as there are columns of recordings, and a row of its cells. */
struct wide {
	struct table table;
	struct column *columns;
	struct cell *cells;
	char **labels; /* to be freed, as many as columns */
	size_t count;
};

static void wide_init(struct wide *wide, size_t most)
{
	*wide = (struct wide){
		.columns = xcalloc(most, sizeof(*wide->columns)),
		.cells = xcalloc(most, sizeof(*wide->cells)),
		.labels = xcalloc(most, sizeof(*wide->labels)),
	};
}

static void wide_release(struct wide *wide)
{
	for (size_t i = 0; i < wide->count; i++)
		free(wide->labels[i]);
	free(wide->columns);
	free(wide->cells);
	free(wide->labels);
}

/* Takes the label. */
static void wide_add(struct wide *wide, char *label, enum unit unit, int width)
{
	wide->labels[wide->count] = label;
	wide->columns[wide->count++] = (struct column){"", label, unit, width};
}

static void wide_begin(struct report *report, struct wide *wide)
{
	wide->table = (struct table){.layout = LAYOUT_ROWS,
				     .in = REPORT_TEXT,
				     .columns = wide->columns,
				     .column_count = wide->count};
	report_begin(report, &wide->table);
}

/* How many threads it had is said where that alone tells columns apart. */
static char *cores_label(const struct stretch *stretch, size_t column)
{
	const struct stretch_column *one = &stretch->columns[column];
	const char *plural = one->threads == 1 ? "" : "s";
	bool alone = true;

	for (size_t i = 0; i < stretch->column_count; i++)
		alone &= i == column || stretch->columns[i].cores != one->cores;
	if (!(one->cores > 0))
		return alone ? xstrdup("parallel")
			     : xasprintf("%zu thread%s", one->threads, plural);
	if (!alone)
		return xasprintf("%zu thread%s, %g core%s", one->threads, plural, one->cores,
				 one->cores == 1 ? "" : "s");
	return xasprintf("%g core%s", one->cores, one->cores == 1 ? "" : "s");
}

/* --- Blocks -------------------------------------------------------------------------------- */

/* Of rows that are shown: what columns they need. */
struct needs {
	bool places, doubts;
};

static const char *doubt(const struct stretch_view *view, const struct stretch_row *row)
{
	const struct stretch_cell *cell = stretch_view_cell(view, row);

	if (!(cell->seconds > 0))
		return "only in serial";
	if (!(row->serial_s > 0))
		return "only in parallel";
	return isnan(cell->stretch.value) ? "few samples" : "";
}

static struct needs needs_of(const struct stretch_view *view)
{
	struct needs needs = {.places = false};

	for (size_t i = 0; i < view->row_count; i++) {
		needs.places |= view->rows[i]->block->file != NULL;
		needs.doubts |= *doubt(view, view->rows[i]) != '\0';
	}
	return needs;
}

static void add_block_columns(struct wide *wide, const struct stretch_view *view,
			      const struct needs *needs)
{
	const struct stretch *stretch = view->stretch;
	bool one = stretch->column_count == 1;

	wide_add(wide,
		 xstrdup(stretch_by_name(stretch->by == STRETCH_BY_LINE ? STRETCH_BY_FUNCTION
									: stretch->by)),
		 UNIT_NONE, -1);
	if (needs->places)
		wide_add(wide, xstrdup("source"), UNIT_NONE, -1);
	if (stretch_by_tasks(stretch->by))
		wide_add(wide, xstrdup("times"), UNIT_NONE, 0);
	wide_add(wide, xstrdup("serial"), UNIT_SPAN, 0);
	for (size_t i = 0; i < stretch->column_count; i++) {
		wide_add(wide, cores_label(stretch, i), UNIT_SPAN, 0);
		wide_add(wide, xstrdup("stretch"), UNIT_SHARE, 0);
	}
	if (one) {
		wide_add(wide, xstrdup("95 % from"), UNIT_SHARE, 0);
		wide_add(wide, xstrdup("to"), UNIT_SHARE, 0);
	}
	wide_add(wide, xstrdup("of all stretch"), UNIT_SHARE, 0);
	if (needs->doubts)
		wide_add(wide, xstrdup(""), UNIT_NONE, -1);
}

static char *short_name(const struct stretch_row *row)
{
	char *name = stretch_view_name(row), *text;

	if (strlen(name) <= NAME_WIDTH)
		return name;
	text = xasprintf("%.*s...", NAME_WIDTH - 3, name);
	free(name);
	return text;
}

static void put_row(struct report *report, struct wide *wide, const struct stretch_view *view,
		    const struct stretch_row *row, const struct needs *needs)
{
	char *name = short_name(row), *place = stretch_view_place(row);
	const struct stretch_cell *last = stretch_view_cell(view, row);
	struct cell *cell = wide->cells;

	*cell++ = cell_text(name);
	if (needs->places)
		*cell++ = cell_text(place ? place : "");
	if (stretch_by_tasks(view->stretch->by))
		*cell++ =
			cell_count(stretch_view_times(view, row, view->stretch->column_count - 1));
	*cell++ = cell_number(row->serial_s);
	for (size_t i = 0; i < view->stretch->column_count; i++) {
		*cell++ = cell_number(row->cells[i].seconds);
		*cell++ = cell_number(row->cells[i].stretch.value);
	}
	if (view->stretch->column_count == 1) {
		*cell++ = cell_number(last->stretch.from);
		*cell++ = cell_number(last->stretch.to);
	}
	*cell++ = cell_number(last->share);
	*cell++ = cell_text(doubt(view, row));
	report_row(report, wide->cells);
	free(name);
	free(place);
}

static void put_blocks(struct report *report, const struct stretch_view *view)
{
	struct needs needs = needs_of(view);
	struct wide wide;

	if (!view->row_count)
		return;
	wide_init(&wide, 9 + 2 * view->stretch->column_count);
	add_block_columns(&wide, view, &needs);
	wide_begin(report, &wide);
	for (size_t i = 0; i < view->row_count; i++)
		put_row(report, &wide, view, view->rows[i], &needs);
	report_end(report);
	wide_release(&wide);
}

/* --- The loss ------------------------------------------------------------------------------ */

static void put_loss(struct report *report, const struct stretch_view *view)
{
	const struct stretch *stretch = view->stretch;
	double seconds[STRETCH_PARTS];
	struct wide wide;

	if (!stretch_view_last(view)->has_loss)
		return;
	wide_init(&wide, 1 + 2 * stretch->column_count);
	wide_add(&wide, xstrdup("cores x wall time"), UNIT_NONE, -1);
	for (size_t i = 0; i < stretch->column_count; i++) {
		wide_add(&wide, cores_label(stretch, i), UNIT_SPAN, 0);
		wide_add(&wide, xstrdup("share"), UNIT_SHARE, 0);
	}
	wide_begin(report, &wide);
	for (enum stretch_part part = 0; part < STRETCH_PARTS; part++) {
		wide.cells[0] = cell_text(stretch_part_name(part));
		for (size_t i = 0; i < stretch->column_count; i++) {
			const struct time_loss *loss = &stretch->columns[i].loss;

			stretch_view_loss(seconds, view, &stretch->columns[i]);
			wide.cells[1 + 2 * i] = cell_number(seconds[part]);
			wide.cells[2 + 2 * i] =
				cell_number(seconds[part] / (loss->cores * loss->wall_s));
		}
		report_row(report, wide.cells);
	}
	report_end(report);
	wide_release(&wide);
}

static void put_parts(struct report *report, const struct stretch_view *view)
{
	static const struct column columns[] = {
		{"", "from", UNIT_SECONDS, 0},	    {"", "wall time", UNIT_SECONDS, 0},
		{"", "serial work", UNIT_SHARE, 0}, {"", "stretch", UNIT_SHARE, 0},
		{"", "overhead", UNIT_SHARE, 0},    {"", "delay", UNIT_SHARE, 0},
		{"", "no work", UNIT_SHARE, 0},
	};
	static const struct table table = {.layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (!view->part_count)
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->part_count; i++) {
		const struct sampled_loss *part = &view->parts[i];
		double all = part->loss.cores * part->loss.wall_s;

		report_row(report,
			   (struct cell[]){
				   cell_number(part->begin_s),
				   cell_number(part->loss.wall_s),
				   cell_number(part->serial_work_s / all),
				   cell_number((part->loss.work_s - part->serial_work_s) / all),
				   cell_number(part->loss.overhead_s / all),
				   cell_number(part->loss.delay_s / all),
				   cell_number(part->loss.no_work_s / all),
			   });
	}
	report_end(report);
}

/* --- All of it ----------------------------------------------------------------------------- */

void report_stretch(struct report *report, const struct stretch_view *view)
{
	if (report_shows(report, REPORT_JSON))
		report_stretch_json(report, view);
	if (report_shows(report, REPORT_CSV))
		report_stretch_csv(report, view);
	if (report_shows(report, REPORT_TEXT)) {
		char *verdict = stretch_view_verdict(view);

		report_note(report, "%s", verdict);
		put_blocks(report, view);
		put_loss(report, view);
		put_parts(report, view);
		write_counters(report, view);
		write_memory(report, view);
		write_notes(report, view);
		free(verdict);
	}
}
