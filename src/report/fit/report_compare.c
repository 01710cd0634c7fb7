/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_compare.h"

#include "base/alloc.h"
#include "fit/usl/usl_compare.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {
	[USL_ALPHA] = "alpha", [USL_BETA] = "beta",   [USL_GAMMA] = "gamma",
	[USL_PEAK_N] = "nc",   [USL_PEAK_X] = "xmax",
};

/* --- The verdict -------------------------------------------------------------- */

/* " (p = 0.004)", no smaller than can be meant. */
static const char *p_text(char text[32], double p)
{
	const double least = 1e-6;

	if (p < least)
		snprintf(text, 32, " (p < %g)", least);
	else
		snprintf(text, 32, " (p = %.2g)", p);
	return text;
}

static char *say(const char *what, const struct usl_shift *change, double level)
{
	char p[32];

	if (!(change->p <= 1 - level))
		return xasprintf("%s: no change that these data show%s", what,
				 p_text(p, change->p));
	return xasprintf("%s %s from %.3g to %.3g%s", what, change->b < change->a ? "fell" : "rose",
			 change->a, change->b, p_text(p, change->p));
}

/* Where neither alone has changed, both together may have. */
static char *say_together(const struct usl_comparison *comparison, double level)
{
	char p[32];

	if (comparison->changes[USL_ALPHA].p <= 1 - level ||
	    comparison->changes[USL_BETA].p <= 1 - level || !(comparison->p <= 1 - level))
		return xstrdup("");
	return xasprintf(" Together they have changed%s, but these data do not tell which.",
			 p_text(p, comparison->p));
}

char *report_compare_verdict(const struct usl_comparison *comparison, double level)
{
	static const struct {
		enum usl_quantity quantity;
		const char *name;
	} said[] = {
		{USL_ALPHA, "contention"},
		{USL_BETA, "coherency"},
		{USL_GAMMA, "the throughput of one"},
	};
	char *verdict = NULL, *together = say_together(comparison, level), *whole;

	for (size_t i = 0; i < COUNT(said); i++) {
		const struct usl_shift *change = &comparison->changes[said[i].quantity];
		char *one, *longer;

		/* What changes with gamma alone is no matter of scaling, unless that is all. */
		if (isnan(change->p) || (verdict && said[i].quantity == USL_GAMMA))
			continue;
		one = say(said[i].name, change, level);
		longer = xasprintf("%s%s%s", verdict ? verdict : "", verdict ? "; " : "", one);
		free(one);
		free(verdict);
		verdict = longer;
	}
	whole = verdict ? xasprintf("%s.%s", verdict, together)
			: xstrdup("Nothing tells whether anything has changed: one of the curves "
				  "has as many parameters as there are points; measure at more N.");
	free(verdict);
	free(together);
	whole[0] = (char)toupper((unsigned char)whole[0]);
	return whole;
}

/* --- The rows ----------------------------------------------------------------- */

static void put_files(struct report *report, const struct usl_sample *a, const struct usl_sample *b,
		      double level)
{
	static const struct column columns[] = {
		{"a", "A", UNIT_NONE, 0},
		{"b", "B", UNIT_NONE, 0},
		{"level", "level of the intervals", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(a->series->source),
					   cell_text(b->series->source), cell_number(level)});
	report_end(report);
}

static void put_changes(struct report *report, const struct usl_comparison *comparison)
{
	static const struct column columns[] = {
		{"quantity", "", UNIT_NONE, -1},     {"a", "A", UNIT_DECIMAL, 0},
		{"b", "B", UNIT_DECIMAL, 0},	     {"difference", "B - A", UNIT_DECIMAL, 0},
		{"ratio", "B / A", UNIT_DECIMAL, 0}, {"low", "from", UNIT_DECIMAL, 0},
		{"high", "to", UNIT_DECIMAL, 0},     {"p", "p", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.key = "changes",
					   .title = "Changes",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_ALL,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < USL_COMPARED; i++) {
		const struct usl_shift *change = &comparison->changes[i];
		bool difference = usl_compares_difference((enum usl_quantity)i);

		if (isnan(change->a) && isnan(change->b))
			continue;
		report_row(report, (struct cell[]){
					   cell_text(names[i]),
					   cell_number(change->a),
					   cell_number(change->b),
					   difference ? cell_number(change->change) : cell_null(),
					   difference ? cell_null() : cell_number(change->change),
					   cell_number(change->interval.low),
					   cell_number(change->interval.high),
					   cell_number(change->p),
				   });
	}
	report_end(report);
}

static void put_common(struct report *report, const struct usl_comparison *comparison)
{
	static const struct column columns[] = {
		{"alpha", "alpha", UNIT_DECIMAL, 0},
		{"beta", "beta", UNIT_DECIMAL, 0},
		{"gamma_a", "gamma of A", UNIT_DECIMAL, 0},
		{"gamma_b", "gamma of B", UNIT_DECIMAL, 0},
		{"p", "p", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.title = "The same alpha and beta in both",
					   .layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (isnan(comparison->p))
		return;
	report_group(report, "common");
	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_number(comparison->alpha),
				   cell_number(comparison->beta),
				   cell_number(comparison->gamma_a),
				   cell_number(comparison->gamma_b),
				   cell_number(comparison->p),
			   });
	report_end(report);
	report_ungroup(report);
}

void report_compare(struct report *report, const struct usl_comparison *comparison,
		    const struct usl_sample *a, const struct usl_sample *b, double level)
{
	static const struct column column = {"verdict", "verdict", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	char *verdict = report_compare_verdict(comparison, level);

	put_files(report, a, b, level);
	put_changes(report, comparison);
	put_common(report, comparison);
	report_note(report, "%s", verdict);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(verdict)});
	report_end(report);
	free(verdict);
}
