/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_answers.h"

#include "base/alloc.h"
#include "base/err.h"
#include "fit/usl/usl.h"
#include "fit/usl/usl_questions.h"
#include "report/fit/fit_view.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- At which N ------------------------------------------------------------ */

static const char *const subject_names[] = {[USL_THROUGHPUT_REACHED] = "throughput",
					    [USL_LATENCY_WITHIN] = "latency",
					    [USL_EFFICIENCY_AT_LEAST] = "efficiency"};
static const char *const branch_names[] = {
	[USL_NO_BRANCH] = NULL, [USL_RISING] = "rising", [USL_FALLING] = "falling"};

enum { FLAGS = 4 };

static size_t flags_of(const char *flags[FLAGS], const struct usl_answer *answer,
		       const struct usl *usl)
{
	const struct usl_interval *interval = &answer->interval;
	bool never = answer->branch != USL_RISING && interval->low == 0;
	size_t count = 0;

	if (isnan(answer->n))
		flags[count++] = "not-reached";
	if (isinf(answer->n))
		flags[count++] = "always";
	else if (answer->n < 1)
		flags[count++] = "below-one";
	if (never || (isinf(interval->high) && !isinf(interval->low)))
		flags[count++] = "open";
	if (isfinite(answer->n) && usl_is_extrapolated(usl, answer->n))
		flags[count++] = "extrapolation";
	return count;
}

static void put_answer(struct report *report, const struct usl_question *question,
		       const struct usl_answer *answer, const struct usl *usl)
{
	const char *flags[FLAGS];
	size_t count = flags_of(flags, answer, usl);

	report_row(report, (struct cell[]){
				   cell_text(subject_names[question->subject]),
				   cell_number(question->target),
				   cell_number(answer->n),
				   cell_number(answer->interval.low),
				   cell_number(answer->interval.high),
				   cell_text(branch_names[answer->branch]),
				   cell_list(flags, count),
			   });
}

/* What there is in the place of a throughput that is not reached. */
static void note_most(struct report *report, const struct usl_question *question,
		      const struct usl *usl)
{
	double peak = usl_peak_n(usl);

	if (isfinite(peak))
		report_note(report,
			    "A throughput of %.6g is not reached: the most is %.4g near N = %.3g.",
			    question->target, usl_peak_throughput(usl), peak);
	else if (usl->alpha > 0 && usl->alpha < 1)
		report_note(report,
			    "A throughput of %.6g is not reached: it approaches %.4g as N grows.",
			    question->target, usl->gamma / usl->alpha);
	else
		report_note(report, "A throughput of %.6g is not reached at any N.",
			    question->target);
}

static void note_unreached(struct report *report, const struct usl_question *question,
			   const struct usl_answer *answer, const struct usl *usl)
{
	if (!isnan(answer->n))
		return;
	if (question->subject == USL_THROUGHPUT_REACHED)
		note_most(report, question, usl);
	else if (question->subject == USL_LATENCY_WITHIN)
		report_note(report, "No N has a latency within %.6g; that of one is %.4g.",
			    question->target, 1 / usl->gamma);
	else
		report_note(report, "No N has an efficiency of %.6g.", question->target);
}

void report_answers(struct report *report, const struct fit_view *view)
{
	static const struct column columns[] = {
		{"question", "asked for", UNIT_NONE, -1},
		{"target", "", UNIT_DECIMAL, 0},
		{"n", "N", UNIT_DECIMAL, 0},
		{"n_low", "from", UNIT_DECIMAL, 0},
		{"n_high", "to", UNIT_DECIMAL, 0},
		{"branch", "branch", UNIT_NONE, -1},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "answers",
					   .title = "Reached at",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	struct usl_answer(*answers)[USL_ANSWERS];

	if (!view->question_count && !report_shows(report, REPORT_JSON))
		return;
	answers = xcalloc(view->question_count + 1, sizeof(*answers));
	report_begin(report, &table);
	for (size_t i = 0; i < view->question_count; i++) {
		size_t count = usl_answer(answers[i], &view->questions[i], view->intervals);

		for (size_t k = 0; k < count; k++)
			put_answer(report, &view->questions[i], &answers[i][k], view->usl);
	}
	report_end(report);
	for (size_t i = 0; i < view->question_count; i++)
		note_unreached(report, &view->questions[i], &answers[i][0], view->usl);
	free(answers);
}

/* --- Other parameters ------------------------------------------------------ */

/* X_max, or what throughput approaches; NaN where it grows without end or only falls. */
static double most_of(const struct usl *usl)
{
	if (usl->beta == 0 && usl->alpha > 0 && usl->alpha < 1)
		return usl->gamma / usl->alpha;
	return usl_peak_throughput(usl);
}

static void put_change(struct report *report, const struct usl_change *change,
		       const struct usl *usl, double n)
{
	static const char *const extrapolated[] = {"extrapolation"};
	struct usl changed;
	struct err err;
	double throughput;

	if (usl_change_apply(&changed, usl, change, &err))
		return;
	throughput = usl_throughput(&changed, n);
	report_row(report, (struct cell[]){
				   cell_text(change->text),
				   cell_number(n),
				   cell_number(throughput),
				   cell_number(throughput / usl_throughput(usl, n)),
				   cell_number(usl_peak_n(&changed)),
				   cell_number(most_of(&changed)),
				   cell_list(extrapolated, usl_is_extrapolated(usl, n)),
				   cell_number(changed.alpha),
				   cell_number(changed.beta),
				   cell_number(changed.gamma),
			   });
}

/* Text has the first columns only. */
void report_changes(struct report *report, const struct fit_view *view)
{
	enum { TEXT_COLUMNS = 7 };
	static const struct column columns[] = {
		{"change", "with", UNIT_NONE, -1},
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"gain", "gain", UNIT_FACTOR, 0},
		{"nc", "N_c", UNIT_DECIMAL, 0},
		{"xmax", "at most", UNIT_DECIMAL, 0},
		{"flags", "flags", UNIT_NONE, -1},
		{"alpha", "alpha", UNIT_DECIMAL, 0},
		{"beta", "beta", UNIT_DECIMAL, 0},
		{"gamma", "gamma", UNIT_DECIMAL, 0},
	};
	const struct table table = {
		.key = "what_if",
		.title = "What if",
		.layout = LAYOUT_ROWS,
		.in = REPORT_TEXT | REPORT_JSON,
		.columns = columns,
		.column_count = report_shows(report, REPORT_TEXT) ? TEXT_COLUMNS : COUNT(columns)};

	if (!view->change_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->change_count; i++) {
		put_change(report, &view->changes[i], view->usl, view->usl->largest_n);
		for (size_t k = 0; k < view->at_count; k++)
			put_change(report, &view->changes[i], view->usl, view->at[k]);
	}
	report_end(report);
}

/* --- Claims ---------------------------------------------------------------- */

static char *say_unknown(const struct usl_finding *finding)
{
	static const char *const reasons[] = {
		[USL_KNOWN] = "",
		[USL_NO_FREEDOM] = "there are as many parameters as points, and no interval",
		[USL_NOT_FITTED] = "the law that is fitted takes it for granted",
		[USL_NO_PEAK] = "the best curve has no peak",
	};

	return xasprintf("does not hold, as nothing is known of it: %s", reasons[finding->unknown]);
}

/* Of 6 digits, or what it means that there is no end to it. */
static char *say_value(const struct usl_finding *finding, double value)
{
	if (isfinite(value))
		return xasprintf("%.6g", value);
	return xstrdup(finding->claim->quantity == USL_PEAK_N ? "no peak" : "no limit");
}

/* "at most 0.0641 with 95 %" */
static char *say_end(const struct usl_finding *finding, double level)
{
	if (isinf(finding->value))
		return xasprintf("with %.6g %% perhaps %s", 100 * level,
				 finding->claim->quantity == USL_PEAK_N ? "no peak" : "no limit");
	return xasprintf("%s %.6g with %.6g %%", finding->side == USL_LOW ? "at least" : "at most",
			 finding->value, 100 * level);
}

char *report_finding(const struct usl_finding *finding, double level)
{
	const char *outcome = finding->holds ? "holds" : "does not hold";
	char *best, *end, *text;

	if (finding->unknown)
		return say_unknown(finding);
	if (finding->claim->quantity == USL_POINTS)
		return xasprintf("%s: %.6g points", outcome, finding->best);
	best = say_value(finding, finding->best);
	end = say_end(finding, level);
	if (finding->side == USL_BEST || (isinf(finding->best) && isinf(finding->value)))
		text = xasprintf("%s: %s", outcome, best);
	else
		text = xasprintf("%s: %s, %s", outcome, best, end);
	free(best);
	free(end);
	return text;
}

void report_findings(struct report *report, const struct fit_view *view)
{
	enum { TEXT_COLUMNS = 2 };
	static const struct column columns[] = {
		{"assertion", "claim", UNIT_NONE, -1}, {"finding", "finding", UNIT_NONE, -1},
		{"holds", "holds", UNIT_NONE, 0},      {"value", "compared", UNIT_DECIMAL, 0},
		{"best", "best", UNIT_DECIMAL, 0},
	};
	const struct table table = {
		.key = "assertions",
		.title = "Asserted",
		.layout = LAYOUT_ROWS,
		.in = REPORT_TEXT | REPORT_JSON,
		.columns = columns,
		.column_count = report_shows(report, REPORT_TEXT) ? TEXT_COLUMNS : COUNT(columns)};

	if (!view->finding_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < view->finding_count; i++) {
		const struct usl_finding *finding = &view->findings[i];
		char *text = report_finding(finding, view->level);

		report_row(report, (struct cell[]){
					   cell_text(finding->claim->text),
					   cell_text(text),
					   cell_bool(finding->holds),
					   cell_number(finding->value),
					   cell_number(finding->best),
				   });
		free(text);
	}
	report_end(report);
}
