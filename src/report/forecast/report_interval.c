/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/forecast/report_interval.h"

#include "replay/forecast/replayed.h"
#include "replay/forecast/variation.h"
#include "report/report.h"

#include <stdbool.h>

static const struct column columns[] = {
	{"interval_terms", "", UNIT_NONE, 0},
	{"discrepancy_per_doubling", "", UNIT_SHARE, 0},
	{"overhead_share", "", UNIT_SHARE, 0},
};

static const struct table table = {
	.layout = LAYOUT_FACTS,
	.in = REPORT_JSON,
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
};

static void put_facts(struct report *report, const struct replayed *replayed)
{
	bool known = replayed_has_interval(replayed);
	char names[INTERVAL_NAMES_SIZE];

	interval_names(names, sizeof(names), replayed);
	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_text(known ? names : NULL),
				   known ? cell_number(replayed->discrepancy) : cell_null(),
				   known ? cell_number(replayed->overhead_share) : cell_null(),
			   });
	report_end(report);
}

/* The number of replays that an interval is made from is limited by what they would take. */
static void note_replicates(struct report *report, const struct replayed *replayed)
{
	size_t most = variation_replicates(replayed->size, replayed->count);

	if (replayed->replicates && replayed->replicates < VARIATION_REPLICATES)
		report_note(report,
			    "The program is large: the interval is made from %zu replays and not "
			    "from %d. Fewer numbers of cores (-k) leave time for more.",
			    replayed->replicates, VARIATION_REPLICATES);
	else if (!most && replayed->size)
		report_note(report,
			    "The program is too large to find out within some seconds how much its "
			    "steps vary. Fewer numbers of cores (-k) leave time for it.");
}

/* Of steps that vary the condition `steps` says why it has nothing. */
static void note_discrepancy(struct report *report, const struct replayed *replayed)
{
	const char *lack = replayed->replicates ? "" : " It has nothing for steps that vary.";

	if (replayed->discrepancy > 0)
		report_note(report,
			    "For each doubling of cores the interval takes %.3g %% for what that "
			    "changes in caches, memory and clock (--discrepancy).%s",
			    100 * replayed->discrepancy, lack);
	else
		report_note(report, "The interval takes nothing for what other numbers of cores "
				    "change in caches, memory and clock (--discrepancy).");
}

static void note_alternatives(struct report *report, const struct replayed *replayed)
{
	if (replayed->alternatives & REPLAYED_CLOSED_FORM)
		report_note(report,
			    "What threads wait for is in part a guess: the interval reaches "
			    "to the closed form.");
	if (replayed->alternatives & REPLAYED_WITHOUT_POOLS)
		report_note(report, "That any thread can do what is taken from a queue is a guess: "
				    "the interval reaches to the wall time without that.");
	if (replayed->alternatives & REPLAYED_EVEN_WORK)
		report_note(report,
			    "Threads end together, so that they may have shared their work as it "
			    "came: the interval reaches to the wall time with the same for all.");
	if (replayed->alternatives & REPLAYED_OWN_WORK)
		report_note(report,
			    "More threads than cores end together, so that they are taken to share "
			    "their work as it comes: the interval reaches to the wall time with "
			    "each doing what it did.");
}

void report_interval(struct report *report, const struct replayed *replayed)
{
	put_facts(report, replayed);
	if (!replayed_has_interval(replayed))
		return;
	note_replicates(report, replayed);
	note_discrepancy(report, replayed);
	note_alternatives(report, replayed);
}
