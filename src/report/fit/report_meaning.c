/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_meaning.h"

#include "base/alloc.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_intervals.h"
#include "report/fit/fit_view.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The parts of D(N), from USL_USEFUL on. */
enum { USEFUL, CONTENTION, COHERENCY, PARTS };

struct meaning {
	const struct usl *usl;
	double n;
	double share[PARTS];
	struct usl_interval interval[PARTS];
};

static struct meaning meaning_of(const struct fit_view *view)
{
	const struct usl *usl = view->usl;
	double n = usl->largest_n;
	double d = 1 + usl->alpha * (n - 1) + usl->beta * n * (n - 1);
	struct meaning meaning = {
		.usl = usl,
		.n = n,
		.share = {1 / d, usl->alpha * (n - 1) / d, usl->beta * n * (n - 1) / d}};

	for (int part = 0; part < PARTS; part++)
		meaning.interval[part] =
			usl_interval_of(view->intervals, (enum usl_quantity)(USL_USEFUL + part), n);
	return meaning;
}

/* --- In words -------------------------------------------------------------- */

/* Two digits, and no more than that of what is above 10. */
static double percent(double share)
{
	double unit = 100 * share < 1 ? .01 : 100 * share < 10 ? .1 : 1;

	return round(100 * share / unit) * unit;
}

/* "8.5 % (7 to 10)" */
static char *say_share(const struct meaning *meaning, int part)
{
	const struct usl_interval *interval = &meaning->interval[part];
	double share = percent(meaning->share[part]);

	if (isnan(interval->low) || isnan(interval->high))
		return xasprintf("%.4g %%", share);
	return xasprintf("%.4g %% (%.4g to %.4g)", share, percent(interval->low),
			 percent(interval->high));
}

static void note_shares(struct report *report, const struct meaning *meaning)
{
	char *useful = say_share(meaning, USEFUL);
	char *contention = say_share(meaning, CONTENTION);
	char *coherency = say_share(meaning, COHERENCY);

	if (meaning->usl->form.model == USL_FULL)
		report_note(report,
			    "At N = %.6g, %s of the capacity N gamma does useful work; %s is lost "
			    "to contention, %s to coherency.",
			    meaning->n, useful, contention, coherency);
	else
		report_note(report,
			    "At N = %.6g, %s of the capacity N gamma does useful work; %s is lost "
			    "to contention, as Amdahl's law knows of nothing else.",
			    meaning->n, useful, contention);
	free(useful);
	free(contention);
	free(coherency);
}

/* Only tools that exist, and what they show. */
static void note_where(struct report *report, const struct meaning *meaning)
{
	if (meaning->share[CONTENTION] >= meaning->share[COHERENCY])
		report_note(report,
			    "Contention (alpha) is what is done one at a time: locks, queues, "
			    "serial phases, a shared device. Look at 'pscal profile' for the time "
			    "with one thread active, at 'perf sched timehist -w' for who wakes "
			    "whom, at 'perf trace -s -e futex' for waits for locks, and at 'perf "
			    "lock contention' for those of the kernel.");
	else
		report_note(report,
			    "Coherency (beta) is what pairs spend to agree: shared counters, "
			    "false sharing, data that all exchange with all. Look at 'perf c2c "
			    "record' and 'perf c2c report' for the cache lines that move between "
			    "cores.");
}

/* alpha < 0, as unbounded fits have it: D = 1 again at N = -alpha / beta. */
static void note_superlinear(struct report *report, const struct meaning *meaning)
{
	const struct usl *usl = meaning->usl;

	if (usl->beta > 0)
		report_note(report,
			    "alpha is below 0: up to N = %.4g each does more than one alone, as "
			    "where every N brings cache or memory of its own; beyond that, "
			    "coherency costs more than this gains.",
			    usl_payback_n(usl));
	else
		report_note(report,
			    "alpha is below 0: each does more than one alone, as where every N "
			    "brings cache or memory of its own. That ends somewhere; the curve "
			    "does not show where.");
}

static void put_words(struct report *report, const struct meaning *meaning)
{
	const double worth_a_look = .95;
	const struct usl *usl = meaning->usl;

	if (!(meaning->n > 1) || usl->form.model == USL_LINEAR) /* which takes it for granted */
		return;
	if (usl->alpha < 0) {
		note_superlinear(report, meaning);
	} else if (usl->beta < 0) {
		report_note(report, "beta is below 0, which no cost can be: the curve describes "
				    "these points and explains nothing.");
	} else if (usl->alpha == 0 && usl->beta == 0) {
		report_note(report, "Up to N = %.6g nothing is lost to contention or coherency.",
			    meaning->n);
	} else {
		note_shares(report, meaning);
		if (meaning->share[USEFUL] < worth_a_look)
			note_where(report, meaning);
	}
}

/* --- In numbers ------------------------------------------------------------ */

void report_meaning(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_NONE, 0},
		{"useful_share", "useful", UNIT_SHARE, 0},
		{"useful_share_low", "from", UNIT_SHARE, 0},
		{"useful_share_high", "to", UNIT_SHARE, 0},
		{"contention_share", "lost to contention", UNIT_SHARE, 0},
		{"contention_share_low", "from", UNIT_SHARE, 0},
		{"contention_share_high", "to", UNIT_SHARE, 0},
		{"coherency_share", "lost to coherency", UNIT_SHARE, 0},
		{"coherency_share_low", "from", UNIT_SHARE, 0},
		{"coherency_share_high", "to", UNIT_SHARE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = sizeof(columns) / sizeof(columns[0])};
	struct meaning meaning = meaning_of(view);
	struct cell cells[sizeof(columns) / sizeof(columns[0])] = {cell_number(meaning.n)};

	for (int part = 0; part < PARTS; part++) {
		cells[1 + 3 * part] = cell_number(meaning.share[part]);
		cells[2 + 3 * part] = cell_number(meaning.interval[part].low);
		cells[3 + 3 * part] = cell_number(meaning.interval[part].high);
	}
	report_group(report, "meaning");
	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
	report_ungroup(report);
	put_words(report, &meaning);
}
