/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "report/fit/report_fit.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The parts of the capacity --------------------------------------------------- */

/* Two digits, and no more than that of what is above 10. */
static double percent(double share)
{
	double unit = 100 * share < 1 ? .01 : 100 * share < 10 ? .1 : 1;

	return round(100 * share / unit) * unit;
}

/* "8.5 % (7 to 10)" */
static char *say_share(const struct fit_result *result, enum fit_part part)
{
	const struct usl_interval *interval = &result->share_interval[part];
	double share = percent(result->share[part]);

	if (isnan(interval->low) || isnan(interval->high))
		return xasprintf("%.4g %%", share);
	return xasprintf("%.4g %% (%.4g to %.4g)", share, percent(interval->low),
			 percent(interval->high));
}

static void note_shares(struct report *report, const struct fit_result *result)
{
	char *useful = say_share(result, FIT_USEFUL);
	char *contention = say_share(result, FIT_CONTENTION);
	char *coherency = say_share(result, FIT_COHERENCY);

	if (result->usl->form.model == USL_FULL)
		report_note(report,
			    "At N = %.6g, %s of the capacity N gamma does useful work; %s is lost "
			    "to contention, %s to coherency.",
			    result->usl->largest_n, useful, contention, coherency);
	else
		report_note(report,
			    "At N = %.6g, %s of the capacity N gamma does useful work; %s is lost "
			    "to contention, as Amdahl's law knows of nothing else.",
			    result->usl->largest_n, useful, contention);
	free(useful);
	free(contention);
	free(coherency);
}

/* Only tools that exist, and what they show. */
static void note_where(struct report *report, const struct fit_result *result)
{
	if (result->share[FIT_CONTENTION] >= result->share[FIT_COHERENCY])
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
static void note_superlinear(struct report *report, const struct fit_result *result)
{
	const struct usl *usl = result->usl;

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

static void put_meaning(struct report *report, const struct fit_result *result)
{
	const double worth_a_look = .95;
	const struct usl *usl = result->usl;

	if (!(result->usl->largest_n > 1) ||
	    usl->form.model == USL_LINEAR) /* which takes it for granted */
		return;
	if (usl->alpha < 0) {
		note_superlinear(report, result);
	} else if (usl->beta < 0) {
		report_note(report, "beta is below 0, which no cost can be: the curve describes "
				    "these points and explains nothing.");
	} else if (usl->alpha == 0 && usl->beta == 0) {
		report_note(report, "Up to N = %.6g nothing is lost to contention or coherency.",
			    result->usl->largest_n);
	} else {
		note_shares(report, result);
		if (result->share[FIT_USEFUL] < worth_a_look)
			note_where(report, result);
	}
}

void report_meaning(struct report *report, const struct fit_result *result)
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
					   .column_count = COUNT(columns)};
	struct cell cells[COUNT(columns)] = {cell_number(result->usl->largest_n)};

	for (int part = 0; part < FIT_PARTS; part++) {
		cells[1 + 3 * part] = cell_number(result->share[part]);
		cells[2 + 3 * part] = cell_number(result->share_interval[part].low);
		cells[3 + 3 * part] = cell_number(result->share_interval[part].high);
	}
	report_group(report, "meaning");
	report_begin(report, &table);
	report_row(report, cells);
	report_end(report);
	report_ungroup(report);
	put_meaning(report, result);
}

static const char *const extrapolated[] = {"extrapolation"};

/* --- The predictions ------------------------------------------------------- */

void report_predictions(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"n", "N", UNIT_DECIMAL, 0},
		{"throughput", "throughput", UNIT_DECIMAL, 0},
		{"throughput_low", "from", UNIT_DECIMAL, 0},
		{"throughput_high", "to", UNIT_DECIMAL, 0},
		{"measured_low", "measured from", UNIT_DECIMAL, 0},
		{"measured_high", "to", UNIT_DECIMAL, 0},
		{"flags", "flags", UNIT_NONE, -1},
	};
	static const struct table table = {.key = "predictions",
					   .title = "Predicted",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	if (!result->wish->at_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < result->wish->at_count; i++) {
		double n = result->wish->at[i];
		const struct fit_prediction *at = &result->predictions[i];

		report_row(report,
			   (struct cell[]){
				   cell_number(n),
				   cell_number(at->throughput),
				   cell_number(at->curve.low),
				   cell_number(at->curve.high),
				   cell_number(at->measured.low),
				   cell_number(at->measured.high),
				   cell_list(extrapolated, usl_is_extrapolated(result->usl, n)),
			   });
	}
	report_end(report);
}

/* --- At which N ------------------------------------------------------------ */

static const char *const subject_names[] = {[USL_THROUGHPUT_REACHED] = "throughput",
					    [USL_LATENCY_WITHIN] = "latency",
					    [USL_EFFICIENCY_AT_LEAST] = "efficiency"};
static const char *const branch_names[] = {
	[USL_NO_BRANCH] = NULL, [USL_RISING] = "rising", [USL_FALLING] = "falling"};

enum { ANSWER_FLAGS = 4 };

static size_t answer_flags(const char *flags[ANSWER_FLAGS], const struct usl_answer *answer,
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
	const char *flags[ANSWER_FLAGS];
	size_t count = answer_flags(flags, answer, usl);

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

void report_answers(struct report *report, const struct fit_result *result)
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

	if (!result->wish->question_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < result->wish->question_count; i++)
		for (size_t k = 0; k < result->answers[i].count; k++)
			put_answer(report, &result->wish->questions[i],
				   &result->answers[i].answers[k], result->usl);
	report_end(report);
	for (size_t i = 0; i < result->wish->question_count; i++)
		note_unreached(report, &result->wish->questions[i], &result->answers[i].answers[0],
			       result->usl);
}

/* --- Other parameters ------------------------------------------------------ */

/* X_max, or what throughput approaches; NaN where it grows without end or only falls. */
static double change_most(const struct usl *usl)
{
	if (usl->beta == 0 && usl->alpha > 0 && usl->alpha < 1)
		return usl->gamma / usl->alpha;
	return usl_peak_throughput(usl);
}

static void put_change(struct report *report, const struct fit_result *result, size_t change,
		       double n)
{
	const struct usl *usl = result->usl, *changed = &result->changed[change];
	double throughput = usl_throughput(changed, n);

	report_row(report, (struct cell[]){
				   cell_text(result->wish->changes[change].text),
				   cell_number(n),
				   cell_number(throughput),
				   cell_number(throughput / usl_throughput(usl, n)),
				   cell_number(usl_peak_n(changed)),
				   cell_number(change_most(changed)),
				   cell_list(extrapolated, usl_is_extrapolated(usl, n)),
				   cell_number(changed->alpha),
				   cell_number(changed->beta),
				   cell_number(changed->gamma),
			   });
}

/* Text has the first columns only. */
void report_changes(struct report *report, const struct fit_result *result)
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

	if (!result->wish->change_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < result->wish->change_count; i++) {
		put_change(report, result, i, result->usl->largest_n);
		for (size_t k = 0; k < result->wish->at_count; k++)
			put_change(report, result, i, result->wish->at[k]);
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

void report_findings(struct report *report, const struct fit_result *result)
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

	if (!result->wish->claim_count && !report_shows(report, REPORT_JSON))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < result->wish->claim_count; i++) {
		const struct usl_finding *finding = &result->findings[i];
		char *text = report_finding(finding, result->wish->level);

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
