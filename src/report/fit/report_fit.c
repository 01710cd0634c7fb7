/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/fit/report_fit.h"

#include "base/alloc.h"
#include "fit/fit_result.h"
#include "report/fit/report_fit_private.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The columns ----------------------------------------------------------------- */

/* "100 / time, per second". */
static void describe_value(char *out, size_t size, const struct series_origin *origin)
{
	const char *per = origin->scale != 1 ? ", per second" : "";

	switch (origin->quantity) {
	case QUANTITY_TIME:
		snprintf(out, size, "throughput is %.60s / '%.60s'%s",
			 origin->work ? origin->work : "1", origin->value, per);
		break;
	case QUANTITY_LATENCY:
		snprintf(out, size,
			 "throughput is N / '%.60s'%s, by Little's law for clients that do not "
			 "think",
			 origin->value, per);
		break;
	case QUANTITY_SPEEDUP:
		snprintf(out, size, "throughput is the speed-up '%.60s', in units of that of one",
			 origin->value);
		break;
	case QUANTITY_COUNT:
		snprintf(out, size, "'%.60s' is what was completed since the row before",
			 origin->value);
		break;
	case QUANTITY_TOTAL:
		snprintf(out, size, "'%.60s' is what was completed in all", origin->value);
		break;
	default:
		snprintf(out, size, "throughput is '%.60s'", origin->value);
	}
}

static void put_text(struct report *report, const struct series_origin *origin)
{
	char value[240];

	if (origin->usual && !origin->weights)
		return;
	describe_value(value, sizeof(value), origin);
	if (origin->weights)
		report_note(report, "Columns: N is '%s', %s; weights: %s.", origin->n, value,
			    origin->weights);
	else
		report_note(report, "Columns: N is '%s', %s.", origin->n, value);
}

static void put_json(struct report *report, const struct series_origin *origin)
{
	const struct column columns[] = {
		{"n", "N", UNIT_NONE, 0},
		{quantity_name(origin->quantity), "measured", UNIT_NONE, 0},
		{"clock", "clock", UNIT_NONE, 0},
		{"work", "work", UNIT_NONE, 0},
		{"weights", "weights", UNIT_NONE, 0},
	};
	const struct table table = {.layout = LAYOUT_FACTS,
				    .in = REPORT_JSON,
				    .columns = columns,
				    .column_count = sizeof(columns) / sizeof(columns[0])};

	report_group(report, "columns");
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(origin->n), cell_text(origin->value),
					   cell_text(origin->clock), cell_text(origin->work),
					   cell_text(origin->weights)});
	report_end(report);
	report_ungroup(report);
}

static void put_columns(struct report *report, const struct series *series)
{
	if (!series->origin.n)
		return;
	put_text(report, &series->origin);
	put_json(report, &series->origin);
}

static const char *const model_names[] = {
	[USL_FULL] = "usl", [USL_AMDAHL] = "amdahl", [USL_LINEAR] = "linear"};
static const char *const bound_names[] = {[USL_BOUND_NONE] = "none",
					  [USL_BOUND_ALPHA] = "alpha",
					  [USL_BOUND_BETA] = "beta",
					  [USL_BOUND_BOTH] = "both"};

static const struct {
	const char *name, *label; /* of the fact; for people */
} quantities[] = {
	/* By enum usl_quantity. */
	{"alpha", "alpha, contention"},	       {"beta", "beta, coherency"},
	{"gamma", "gamma, throughput of one"}, {"nc", "N_c, where throughput peaks"},
	{"xmax", "throughput there, X_max"},
};

static const char *method_name(const struct fit_result *result)
{
	return result->wish->bootstrap.refits ? "bootstrap-t" : "profile-t";
}

/* --- The facts ------------------------------------------------------------- */

#define FACTS                                                                                   \
	{"file", "file", UNIT_NONE, 0}, {"model", "model", UNIT_NONE, 0},                       \
		{"n", "points", UNIT_NONE, 0}, {"alpha", "alpha, contention", UNIT_DECIMAL, 0}, \
		{"beta", "beta, coherency", UNIT_DECIMAL, 0},                                   \
		{"gamma", "gamma, throughput of one", UNIT_DECIMAL, 0},                         \
		{"alpha_se", "standard error of alpha", UNIT_DECIMAL, 0},                       \
		{"beta_se", "standard error of beta", UNIT_DECIMAL, 0},                         \
		{"gamma_se", "standard error of gamma", UNIT_DECIMAL, 0},                       \
		{"rss", "residual sum of squares", UNIT_DECIMAL, 0},                            \
		{"df", "degrees of freedom", UNIT_NONE, 0},                                     \
		{"bound", "on the bound 0", UNIT_NONE, 0},                                      \
		{"nc", "N_c, where throughput peaks", UNIT_DECIMAL, 0},                         \
	{                                                                                       \
		"xmax", "throughput there", UNIT_DECIMAL, 0                                     \
	}

#define ENDS                                                        \
	{"payback_n", "superlinear up to N", UNIT_DECIMAL, 0},      \
		{"pole_n", "the curve ends at N", UNIT_DECIMAL, 0}, \
	{                                                           \
		"flags", "flags", UNIT_NONE, 0                      \
	}

/* From and to of a quantity: "alpha" makes alpha_low and alpha_high. */
#define INTERVAL(name)                            \
	{name "_low", "", UNIT_DECIMAL, 0},       \
	{                                         \
		name "_high", "", UNIT_DECIMAL, 0 \
	}

static const struct column fact_columns[] = {FACTS, ENDS};
static const struct column row_columns[] = {FACTS,
					    INTERVAL("alpha"),
					    INTERVAL("beta"),
					    INTERVAL("gamma"),
					    INTERVAL("nc"),
					    INTERVAL("xmax"),
					    {"level", "", UNIT_NONE, 0},
					    {"interval_method", "", UNIT_NONE, 0},
					    ENDS};

static const struct table facts = {.layout = LAYOUT_FACTS,
				   .in = REPORT_JSON,
				   .columns = fact_columns,
				   .column_count = COUNT(fact_columns)};
static const struct table row = {.layout = LAYOUT_ROWS,
				 .in = REPORT_CSV,
				 .columns = row_columns,
				 .column_count = COUNT(row_columns)};

/* The facts of text leave out what is null, but not a number that is none. */
static struct cell number_or_null(double number)
{
	return isfinite(number) ? cell_number(number) : cell_null();
}

/* Each returns the cell behind those it has filled. */

static struct cell *take_facts(struct cell *cell, const struct fit_result *result)
{
	const struct usl *usl = result->usl;

	*cell++ = cell_text(result->series->source);
	*cell++ = cell_text(model_names[usl->form.model]);
	*cell++ = cell_count((int64_t)usl->n);
	*cell++ = cell_number(usl->alpha);
	*cell++ = cell_number(usl->beta);
	*cell++ = cell_number(usl->gamma);
	*cell++ = number_or_null(usl->alpha_se);
	*cell++ = number_or_null(usl->beta_se);
	*cell++ = number_or_null(usl->gamma_se);
	*cell++ = cell_number(usl->rss);
	*cell++ = cell_count((int64_t)usl->df);
	*cell++ = cell_text(bound_names[usl->bound]);
	*cell++ = number_or_null(usl_peak_n(usl));
	*cell++ = number_or_null(usl_peak_throughput(usl));
	return cell;
}

/* `words` has room for the flags. */
static void take_ends(struct cell *cell, const char **words, const struct fit_result *result)
{
	*cell++ = number_or_null(usl_payback_n(result->usl));
	*cell++ = number_or_null(usl_pole_n(result->usl));
	*cell = cell_list(words, fit_flags(words, result));
}

static void put_row(struct report *report, const struct fit_result *result)
{
	struct cell cells[COUNT(row_columns)], *cell = take_facts(cells, result);
	const char *flags[FIT_FLAGS];

	for (size_t i = 0; i < COUNT(quantities); i++) {
		struct usl_interval interval = result->parameters[i];

		*cell++ = cell_number(interval.low);
		*cell++ = cell_number(interval.high);
	}
	*cell++ = cell_number(result->wish->level);
	*cell++ = cell_text(method_name(result));
	take_ends(cell, flags, result);
	report_begin(report, &row);
	report_row(report, cells);
	report_end(report);
}

static void put_facts(struct report *report, const struct fit_result *result)
{
	struct cell cells[COUNT(fact_columns)];
	const char *flags[FIT_FLAGS];

	take_ends(take_facts(cells, result), flags, result);
	report_begin(report, &facts);
	report_row(report, cells);
	report_end(report);
}

/* What people want to know of a fit before its parameters. */
static void put_summary(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"file", "file", UNIT_NONE, 0},
		{"model", "model", UNIT_NONE, 0},
		{"n", "points", UNIT_NONE, 0},
		{"df", "degrees of freedom", UNIT_NONE, 0},
		{"rss", "residual sum of squares", UNIT_DECIMAL, 0},
		{"bound", "on the bound 0", UNIT_NONE, 0},
		{"payback_n", "superlinear up to N", UNIT_DECIMAL, 0},
		{"pole_n", "the curve ends at N", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct usl *usl = result->usl;

	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_text(result->series->source),
				   cell_text(model_names[usl->form.model]),
				   cell_count((int64_t)usl->n),
				   cell_count((int64_t)usl->df),
				   cell_number(usl->rss),
				   cell_text(usl->bound ? bound_names[usl->bound] : NULL),
				   number_or_null(usl_payback_n(usl)),
				   number_or_null(usl_pole_n(usl)),
			   });
	report_end(report);
}

/* What there is to say in the place of a peak. */
static void put_limit(struct report *report, const struct usl *usl)
{
	double pole = usl_pole_n(usl);

	if (!isnan(pole))
		report_note(report,
			    "Without its bounds this curve ends at N = %.6g: the denominator of "
			    "the law falls to 0 there, throughput would grow without limit, and "
			    "beyond it the law says nothing.",
			    pole);
	else if (usl->beta == 0 && usl->alpha > 0)
		report_note(report,
			    "Throughput does not peak: it approaches gamma / alpha = %.6g as N "
			    "grows.",
			    usl->gamma / usl->alpha);
	else if (usl->beta == 0)
		report_note(report, "Throughput neither peaks nor levels off: it is gamma N.");
}

/* How points were distrusted, where they were. */
static void put_robust(struct report *report, const struct usl_robust *robust)
{
	static const char *const names[] = {[USL_LOSS_TUKEY] = "tukey", [USL_LOSS_HUBER] = "huber"};
	static const struct column columns[] = {
		{"robust", "robust, by the loss of", UNIT_NONE, 0},
		{"scale", "scatter of a point", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){cell_text(names[robust->loss]), cell_number(robust->scale)});
	report_end(report);
}

static void put_parameters(struct report *report, const struct fit_result *result)
{
	if (report_shows(report, REPORT_CSV))
		put_row(report, result);
	put_facts(report, result);
	put_summary(report, result);
	if (result->robust)
		put_robust(report, result->robust);
}

/* --- The intervals --------------------------------------------------------- */

/* An end that is infinite is null in JSON, "inf" for people. */
struct number {
	char text[32];
};

static struct cell shown(struct number *number, double value)
{
	if (isnan(value))
		return cell_null();
	snprintf(number->text, sizeof(number->text), "%.6g", value);
	return cell_text(number->text);
}

static void put_parameter_table(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"quantity", "", UNIT_NONE, -1},     {"best", "best", UNIT_DECIMAL, 0},
		{"error", "error", UNIT_DECIMAL, 0}, {"low", "from", UNIT_NONE, 0},
		{"high", "to", UNIT_NONE, 0},
	};
	const struct usl_interval *intervals = result->parameters;
	const struct usl *usl = result->usl;
	const double best[COUNT(quantities)] = {usl->alpha, usl->beta, usl->gamma, usl_peak_n(usl),
						usl_peak_throughput(usl)};
	const double error[COUNT(quantities)] = {usl->alpha_se, usl->beta_se, usl->gamma_se, NAN,
						 NAN};
	char title[80];
	struct table table = {.title = title,
			      .layout = LAYOUT_ROWS,
			      .in = REPORT_TEXT,
			      .columns = columns,
			      .column_count = COUNT(columns)};

	snprintf(title, sizeof(title), "Parameters, standard errors, and intervals of %.6g %%%s",
		 100 * result->wish->level,
		 result->wish->bootstrap.refits ? " by bootstrap-t" : "");
	report_begin(report, &table);
	for (size_t i = 0; i < COUNT(quantities); i++) {
		struct number low, high;

		if (isnan(best[i]) && !isfinite(intervals[i].low))
			continue;
		report_row(report,
			   (struct cell[]){cell_text(quantities[i].label), number_or_null(best[i]),
					   number_or_null(error[i]), shown(&low, intervals[i].low),
					   shown(&high, intervals[i].high)});
	}
	report_end(report);
}

static void put_bootstrap(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"refits", "refits", UNIT_NONE, 0},
		{"seed", "seed", UNIT_NONE, 0},
		{"failed", "failed", UNIT_NONE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	size_t failed;
	const struct usl_bootstrap_plan *plan = usl_intervals_plan(result->intervals, &failed);

	if (!plan)
		return;
	if (!isnan(result->parameters[USL_ALPHA].low))
		report_note(report, "From %zu refits with the seed %" PRIu32 "%s.", plan->refits,
			    plan->seed, failed ? ", without those that found no optimum" : "");
	report_group(report, "bootstrap");
	report_begin(report, &table);
	report_row(report,
		   (struct cell[]){cell_count((int64_t)plan->refits),
				   cell_count((int64_t)plan->seed), cell_count((int64_t)failed)});
	report_end(report);
	report_ungroup(report);
}

static void put_intervals(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"level", "level", UNIT_NONE, 0},
		{"interval_method", "method", UNIT_NONE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct usl_interval *intervals = result->parameters;

	if (!report_shows(report, REPORT_TEXT | REPORT_JSON))
		return;
	report_group(report, "intervals");
	for (size_t i = 0; i < COUNT(quantities); i++)
		report_numbers(report, quantities[i].name,
			       (double[]){intervals[i].low, intervals[i].high}, 2);
	report_ungroup(report);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_number(result->wish->level),
					   cell_text(method_name(result))});
	report_end(report);
	put_parameter_table(report, result);
	put_bootstrap(report, result);
	put_limit(report, result->usl);
}

/* --- The bounds ------------------------------------------------------------ */

/* A parameter that is free has the multiplier 0, of which rounding leaves a little. */
static double multiplier(const struct usl *usl, enum usl_bound bound, double value)
{
	return isnan(value) || usl->bound & bound ? value : 0;
}

static void put_active(struct report *report, const struct usl *usl, enum usl_bound bound,
		       const char *name, const char *scaled, double value)
{
	const double least = 1e-9; /* what rounding alone put there */

	if (usl->bound & bound && value > least)
		report_note(report,
			    "The bound %s = 0 is active: from there on the residual sum of squares "
			    "only grows, d ln RSS / d (%s) = %.4g (Karush-Kuhn-Tucker).",
			    name, scaled, value);
}

static void put_bounds(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"alpha", "alpha", UNIT_NONE, 0},
		{"beta", "beta", UNIT_NONE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	const struct usl *usl = result->usl;
	double alpha = multiplier(usl, USL_BOUND_ALPHA, usl->alpha_multiplier);
	double beta = multiplier(usl, USL_BOUND_BETA, usl->beta_multiplier);

	report_group(report, "kkt");
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_number(alpha), cell_number(beta)});
	report_end(report);
	report_ungroup(report);
	put_active(report, usl, USL_BOUND_ALPHA, "alpha", "alpha N", alpha);
	put_active(report, usl, USL_BOUND_BETA, "beta", "beta N^2", beta);
}

/* --- Where to measure next ------------------------------------------------------- */

static const char *const aims[] = {[USL_AIM_PEAK_N] = "nc", [USL_AIM_BETA] = "beta"};
static const char *const aim_texts[] = {[USL_AIM_PEAK_N] = "N_c", [USL_AIM_BETA] = "beta"};

static void put_suggestion_object(struct report *report, const struct usl_suggestion *suggestion)
{
	static const struct column columns[] = {
		{"aim", "", UNIT_NONE, 0},
		{"n", "", UNIT_NONE, 0},
		{"second_n", "", UNIT_NONE, 0},
	};
	static const struct table table = {.layout = LAYOUT_FACTS,
					   .in = REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};
	bool known = suggestion->aim != USL_AIM_NOTHING;
	const struct {
		const char *key;
		double low, high;
	} pairs[] = {
		{"near", suggestion->flat_low, suggestion->flat_high},
		{"now", suggestion->now.low, suggestion->now.high},
		{"then", suggestion->best.interval.low, suggestion->best.interval.high},
		{"second_then", suggestion->second.interval.low, suggestion->second.interval.high},
	};

	report_group(report, "suggestion");
	report_begin(report, &table);
	report_row(report, (struct cell[]){
				   cell_text(known ? aims[suggestion->aim] : NULL),
				   known ? cell_number(suggestion->best.n) : cell_null(),
				   known ? cell_number(suggestion->second.n) : cell_null(),
			   });
	report_end(report);
	for (size_t i = 0; i < COUNT(pairs) && known; i++)
		report_numbers(report, pairs[i].key, (double[]){pairs[i].low, pairs[i].high}, 2);
	report_ungroup(report);
}

static void put_suggestion_note(struct report *report, const struct usl_suggestion *suggestion)
{
	char second[128] = "";

	if (suggestion->aim == USL_AIM_NOTHING) {
		report_note(report, "Where to measure next these points do not tell; measure at "
				    "more N, and beyond the largest.");
		return;
	}
	if (!isnan(suggestion->second.n))
		snprintf(second, sizeof(second), " Second best is N = %g, with %.4g to %.4g.",
			 suggestion->second.n, suggestion->second.interval.low,
			 suggestion->second.interval.high);
	report_note(report,
		    "Measure N = %g next: then the interval of %s, %.4g to %.4g now, is expected "
		    "to be %.4g to %.4g%s. Any N from %g to %g does nearly as well.%s",
		    suggestion->best.n, aim_texts[suggestion->aim], suggestion->now.low,
		    suggestion->now.high, suggestion->best.interval.low,
		    suggestion->best.interval.high,
		    suggestion->aim == USL_AIM_BETA && suggestion->best.interval.low > 0
			    ? ", which tells that throughput peaks"
			    : "",
		    suggestion->flat_low, suggestion->flat_high, second);
}

static void put_suggestion(struct report *report, const struct usl_suggestion *suggestion)
{
	put_suggestion_note(report, suggestion);
	put_suggestion_object(report, suggestion);
}

/* --- The models side by side ----------------------------------------------- */

static void put_models(struct report *report, const struct fit_result *result)
{
	static const struct column columns[] = {
		{"model", "", UNIT_NONE, -1},
		{"rss", "RSS", UNIT_DECIMAL, 0},
		{"aicc", "AICc", UNIT_DECIMAL, 0},
		{"bic", "BIC", UNIT_DECIMAL, 0},
		{"loo", "left-out error", UNIT_DECIMAL, 0},
		{"p", "p", UNIT_DECIMAL, 0},
	};
	static const struct table table = {.key = "models",
					   .title = "Models",
					   .layout = LAYOUT_ROWS,
					   .in = REPORT_TEXT | REPORT_JSON,
					   .columns = columns,
					   .column_count = COUNT(columns)};

	report_begin(report, &table);
	for (size_t i = USL_MODELS; i-- > 0;) {
		const struct usl_candidate *candidate = &result->choice->candidates[i];

		if (candidate->fits)
			report_row(report, (struct cell[]){
						   cell_text(model_names[i]),
						   cell_number(candidate->usl.rss),
						   cell_number(candidate->aicc),
						   cell_number(candidate->bic),
						   cell_number(candidate->loo),
						   cell_number(candidate->p),
					   });
	}
	report_end(report);
}

static void put_verdict(struct report *report, const struct fit_result *result)
{
	static const struct column column = {"verdict", "verdict", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	char *verdict = fit_verdict(result);

	report_note(report, "%s", verdict);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_text(verdict)});
	report_end(report);
	free(verdict);
}

/* --- Warnings --------------------------------------------------------------- */

static void put_warnings(struct report *report, const struct fit_result *result)
{
	static const struct column column = {"warnings", "warnings", UNIT_NONE, 0};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .in = REPORT_JSON, .columns = &column, .column_count = 1};
	size_t count;
	char **texts = fit_warnings(&count, result);

	for (size_t i = 0; i < count; i++)
		report_warning(report, "Note: %s", texts[i]);
	report_begin(report, &table);
	report_row(report, (struct cell[]){cell_list((const char *const *)texts, count)});
	report_end(report);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

/* All but the parameters. */
static void put_whole(struct report *report, const struct fit_result *result, bool details)
{
	put_columns(report, result->series);
	report_steady(report, result->series);
	put_verdict(report, result);
	put_intervals(report, result);
	put_bounds(report, result);
	put_models(report, result);
	report_meaning(report, result);
	report_points(report, result, details);
	report_diagnosis(report, result);
	report_predictions(report, result);
	report_answers(report, result);
	report_changes(report, result);
	report_findings(report, result);
	if (result->suggestion)
		put_suggestion(report, result->suggestion);
	put_warnings(report, result);
}

void report_fit(struct report *report, const struct fit_result *result, bool details)
{
	report_group(report, NULL);
	put_parameters(report, result);
	if (report_shows(report, REPORT_TEXT | REPORT_JSON))
		put_whole(report, result, details);
	report_ungroup(report);
}
