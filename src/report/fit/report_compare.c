/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "base/alloc.h"
#include "fit/usl/usl_compare.h"
#include "report/report.h"
#include "stats/series/series.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The verdict -------------------------------------------------------------- */

/* Returns " (p = 0.004)"; very small p have no precise value. */
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
		return xasprintf("%s: no significant change%s", what, p_text(p, change->p));
	return xasprintf("%s %s from %.3g to %.3g%s", what, change->b < change->a ? "fell" : "rose",
			 change->a, change->b, p_text(p, change->p));
}

/* Returns the sentence on alpha and beta together, which may have changed if neither has alone. */
static char *say_together(const struct usl_comparison *comparison, double level)
{
	char p[32];

	if (comparison->changes[USL_ALPHA].p <= 1 - level ||
	    comparison->changes[USL_BETA].p <= 1 - level || !(comparison->p <= 1 - level))
		return xstrdup("");
	return xasprintf(" Together alpha and beta changed%s; the points do not show which one.",
			 p_text(p, comparison->p));
}

char *report_compare_verdict(const struct usl_comparison *comparison, double level)
{
	static const struct {
		enum usl_quantity quantity;
		const char *name;
	} said[] = {
		{USL_ALPHA, "contention (alpha)"},
		{USL_BETA, "coherency (beta)"},
		{USL_GAMMA, "the throughput of one (gamma)"},
	};
	char *verdict = xstrdup(""), *together = say_together(comparison, level);

	for (size_t i = 0; i < COUNT(said); i++) {
		const struct usl_shift *change = &comparison->changes[said[i].quantity];
		char *one;

		/* gamma is not about scaling: it is named only if nothing else is known */
		if (isnan(change->p) || (*verdict && said[i].quantity == USL_GAMMA))
			continue;
		one = say(said[i].name, change, level);
		xappend(&verdict, "", "%s%s", *verdict ? "; " : "", one);
		free(one);
	}
	if (*verdict)
		xappend(&verdict, "", ".%s", together);
	else
		xappend(&verdict, "",
			"No error estimate: one of the curves has as many parameters as there "
			"are points. Measure at more N.");
	free(together);
	*verdict = (char)toupper((unsigned char)*verdict);
	return verdict;
}

/* --- The rows ----------------------------------------------------------------- */

struct files_line {
	const char *a, *b;
	double level;
};

static const struct column file_columns[] = {
	{"a", "A", FIELD(files_line, a)},
	{"b", "B", FIELD(files_line, b)},
	{"level", "level of the intervals", UNIT_SHORT, FIELD(files_line, level), .detail = true},
};

struct shift_line {
	const char *quantity;
	struct usl_shift shift;
	double difference, ratio;
};

static const struct column shift_columns[] = {
	{"quantity", "", UNIT_NONE, -1, FIELD(shift_line, quantity)},
	{"a", "A", UNIT_SHORT, FIELD(shift_line, shift.a)},
	{"b", "B", UNIT_SHORT, FIELD(shift_line, shift.b)},
	{"difference", "B - A", UNIT_SHORT, FIELD(shift_line, difference)},
	{"ratio", "B / A", UNIT_SHORT, FIELD(shift_line, ratio)},
	{"low", "from", UNIT_SHORT, FIELD(shift_line, shift.interval.low)},
	{"high", "to", UNIT_SHORT, FIELD(shift_line, shift.interval.high)},
	{"p", "p", UNIT_SHORT, FIELD(shift_line, shift.p)},
};

static const struct column common_columns[] = {
	{"alpha", "alpha", UNIT_SHORT, FIELD(usl_comparison, alpha)},
	{"beta", "beta", UNIT_SHORT, FIELD(usl_comparison, beta)},
	{"gamma_a", "gamma of A", UNIT_SHORT, FIELD(usl_comparison, gamma_a)},
	{"gamma_b", "gamma of B", UNIT_SHORT, FIELD(usl_comparison, gamma_b)},
	{"p", "p", UNIT_SHORT, FIELD(usl_comparison, p)},
};

static void put_shifts(struct report *report, const struct usl_comparison *comparison)
{
	static const char *const names[] = {
		[USL_ALPHA] = "alpha", [USL_BETA] = "beta",   [USL_GAMMA] = "gamma",
		[USL_PEAK_N] = "nc",   [USL_PEAK_X] = "xmax",
	};
	static const struct table table = {
		.key = "changes", .in = REPORT_ALL, COLUMNS(shift_columns)};

	report_begin(report, &table);
	for (size_t i = 0; i < USL_COMPARED; i++) {
		const struct usl_shift *shift = &comparison->changes[i];
		bool difference = usl_compares_difference((enum usl_quantity)i);

		if (!isnan(shift->a) || !isnan(shift->b))
			report_row(report, &(struct shift_line){names[i], *shift,
								difference ? shift->change : NAN,
								difference ? NAN : shift->change});
	}
	report_end(report);
}

void report_compare(struct report *report, const struct usl_comparison *comparison,
		    const struct usl_sample *a, const struct usl_sample *b, double level)
{
	static const struct table common = {.key = "common",
					    .title = "The same alpha and beta in both",
					    .layout = LAYOUT_FACTS,
					    .detail = true,
					    COLUMNS(common_columns)};
	const struct files_line line = {a->series->source, b->series->source, level};
	char *verdict = report_compare_verdict(comparison, level);

	report_verdict(report, "%s", verdict);
	report_facts(report, NULL, file_columns, &line);
	put_shifts(report, comparison);
	if (!isnan(comparison->p))
		report_table(report, &common, comparison, 1);
	free(verdict);
}
