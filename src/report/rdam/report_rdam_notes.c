/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/rdam/report_rdam_notes.h"

#include "base/alloc.h"
#include "base/shell_quote.h"
#include "report/report_quality.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* --- Dependence ---------------------------------------------------------------------------- */

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

/* --- The recording ------------------------------------------------------------------------- */

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

void report_rdam_notes(struct report *report, const struct rdam_view *view)
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
