/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit_private.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "report/fit/report_fit.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Questions ------------------------------------------------------------------- */

/*
 * Returns whether a report leaves out answers: text without questions, while JSON has an empty
 * array.
 */
static bool passes_over(const struct report *report, size_t count)
{
	return !count && !report_shows(report, REPORT_JSON);
}

/* Returns the flags of rows that have only this one. */
static struct values extrapolated(const struct usl *usl, double n)
{
	static const char *const words[] = {"extrapolation"};

	return (struct values){.texts = words, .count = usl_is_extrapolated(usl, n)};
}

struct prediction_line {
	double n;
	struct fit_prediction at;
	struct values flags;
};

static const struct column prediction_columns[] = {
	{"n", "N", UNIT_SHORT, FIELD(prediction_line, n)},
	{"throughput", "throughput", UNIT_SHORT, FIELD(prediction_line, at.throughput)},
	{"throughput_low", "from", UNIT_SHORT, FIELD(prediction_line, at.curve.low)},
	{"throughput_high", "to", UNIT_SHORT, FIELD(prediction_line, at.curve.high)},
	{"measured_low", "measured from", UNIT_SHORT, FIELD(prediction_line, at.measured.low)},
	{"measured_high", "to", UNIT_SHORT, FIELD(prediction_line, at.measured.high)},
	{"flags", "flags", UNIT_NONE, -1, FIELD(prediction_line, flags)},
};

void report_predictions(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.key = "predictions", .title = "Predicted", COLUMNS(prediction_columns)};

	if (passes_over(report, result->wish->at_count))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < result->wish->at_count; i++) {
		double n = result->wish->at[i];

		report_row(report, &(struct prediction_line){n, result->predictions[i],
							     extrapolated(result->usl, n)});
	}
	report_end(report);
}

/* --- At which N ------------------------------------------------------------ */

enum { ANSWER_FLAGS = 4 };

struct answer_line {
	const char *question, *branch;
	const char *shown; /* the target with its unit */
	double target;
	struct usl_answer answer;
	struct values flags;
	const char *words[ANSWER_FLAGS];
};

static const struct column answer_columns[] = {
	{"question", "asked for", UNIT_NONE, -1, FIELD(answer_line, question)},
	{"target", FIELD(answer_line, target)},
	{NULL, "", FIELD(answer_line, shown)},
	{"n", "N", UNIT_SHORT, FIELD(answer_line, answer.n)},
	{"n_low", "from", UNIT_SHORT, FIELD(answer_line, answer.interval.low)},
	{"n_high", "to", UNIT_SHORT, FIELD(answer_line, answer.interval.high)},
	{"branch", "branch", UNIT_NONE, -1, FIELD(answer_line, branch)},
	{"flags", "flags", UNIT_NONE, -1, FIELD(answer_line, flags)},
};

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

/* Writes a value of the quantity of a question. */
static const char *target_text(char out[VALUE_SIZE], const struct usl_question *question,
			       double value)
{
	enum unit unit = question->in_seconds				? UNIT_SPAN
			 : question->subject == USL_EFFICIENCY_AT_LEAST ? UNIT_SHARE
									: UNIT_SHORT;

	return format_value(out, value, unit);
}

static void put_answer(struct report *report, const struct usl_question *question,
		       const struct usl_answer *answer, const struct usl *usl)
{
	static const char *const subjects[] = {[USL_THROUGHPUT_REACHED] = "throughput",
					       [USL_LATENCY_WITHIN] = "latency",
					       [USL_EFFICIENCY_AT_LEAST] = "efficiency"};
	static const char *const branches[] = {
		[USL_NO_BRANCH] = NULL, [USL_RISING] = "rising", [USL_FALLING] = "falling"};
	char shown[VALUE_SIZE];
	struct answer_line line = {.shown = target_text(shown, question, question->target),
				   .question = subjects[question->subject],
				   .branch = branches[answer->branch],
				   .target = question->target,
				   .answer = *answer,
				   .flags = {.texts = line.words}};

	line.flags.count = answer_flags(line.words, answer, usl);
	report_row(report, &line);
}

/* Notes the largest throughput, as an answer to one that is not reached. */
static void note_most(struct report *report, const struct usl_question *question,
		      const struct usl *usl)
{
	double peak = usl_peak_n(usl);

	if (isfinite(peak))
		report_note(report,
			    "A throughput of %.6g is not reached: the maximum is %.4g at N = %.3g.",
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
	char target[VALUE_SIZE], first[VALUE_SIZE];

	if (!isnan(answer->n))
		return;
	target_text(target, question, question->target);
	if (question->subject == USL_THROUGHPUT_REACHED)
		note_most(report, question, usl);
	else if (question->subject == USL_LATENCY_WITHIN)
		report_note(report, "No N has a latency within %s; N = 1 has %s.", target,
			    target_text(first, question, 1 / usl->gamma));
	else
		report_note(report, "No N has an efficiency of %s.", target);
}

/* A table of run times has no requests: its users mean the run time. */
static void note_run_time(struct report *report, const struct usl_question *question,
			  const struct series_origin *origin)
{
	char target[VALUE_SIZE];

	report_note_if(report,
		       question->subject == USL_LATENCY_WITHIN &&
			       origin->quantity == QUANTITY_TIME && !origin->work,
		       "Of run times, latency is N times '%s'. For a run within %s ask --find "
		       "throughput=%.6g.",
		       origin->value, target_text(target, question, question->target),
		       1 / question->target);
}

void report_answers(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.key = "answers", .title = "Reached at", COLUMNS(answer_columns)};
	const struct fit_wish *wish = result->wish;

	if (passes_over(report, wish->question_count))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < wish->question_count; i++)
		for (size_t k = 0; k < result->answers[i].count; k++)
			put_answer(report, &wish->questions[i], &result->answers[i].answers[k],
				   result->usl);
	report_end(report);
	for (size_t i = 0; i < wish->question_count; i++) {
		note_unreached(report, &wish->questions[i], &result->answers[i].answers[0],
			       result->usl);
		note_run_time(report, &wish->questions[i], &result->series->origin);
	}
}

/* --- Other parameters ------------------------------------------------------ */

/* Returns X_max, or the limit of throughput; NaN: it grows without limit, or only falls. */
static double change_most(const struct usl *usl)
{
	if (usl->beta == 0 && usl->alpha > 0 && usl->alpha < 1)
		return usl->gamma / usl->alpha;
	return usl_peak_throughput(usl);
}

struct change_line {
	const char *text;
	double n, throughput, gain, peak_n, most;
	struct values flags;
	struct usl usl;
};

static const struct column change_columns[] = {
	{"change", "with", UNIT_NONE, -1, FIELD(change_line, text)},
	{"n", "N", UNIT_SHORT, FIELD(change_line, n)},
	{"throughput", "throughput", UNIT_SHORT, FIELD(change_line, throughput)},
	{"gain", "gain", UNIT_FACTOR, FIELD(change_line, gain)},
	{"nc", "N_c", UNIT_SHORT, FIELD(change_line, peak_n)},
	{"xmax", "at most", UNIT_SHORT, FIELD(change_line, most)},
	{"flags", "flags", UNIT_NONE, -1, FIELD(change_line, flags)},
	{"alpha", FIELD(change_line, usl.alpha)},
	{"beta", FIELD(change_line, usl.beta)},
	{"gamma", FIELD(change_line, usl.gamma)},
};

static void put_change(struct report *report, const struct fit_result *result, size_t change,
		       double n)
{
	const struct usl *changed = &result->changed[change];
	double throughput = usl_throughput(changed, n);

	report_row(report, &(struct change_line){
				   .text = result->wish->changes[change].text,
				   .n = n,
				   .throughput = throughput,
				   .gain = throughput / usl_throughput(result->usl, n),
				   .peak_n = usl_peak_n(changed),
				   .most = change_most(changed),
				   .flags = extrapolated(result->usl, n),
				   .usl = *changed,
			   });
}

void report_changes(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.key = "what_if", .title = "What if", COLUMNS(change_columns)};
	const struct fit_wish *wish = result->wish;

	if (passes_over(report, wish->change_count))
		return;
	report_begin(report, &table);
	for (size_t i = 0; i < wish->change_count; i++) {
		put_change(report, result, i, result->usl->largest_n);
		for (size_t k = 0; k < wish->at_count; k++)
			put_change(report, result, i, wish->at[k]);
	}
	report_end(report);
}
