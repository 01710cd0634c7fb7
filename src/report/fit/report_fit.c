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
#include <string.h>

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
		{"n", FIELD(series_origin, n)},
		{quantity_name(origin->quantity), FIELD(series_origin, value)},
		{"clock", FIELD(series_origin, clock)},
		{"work", FIELD(series_origin, work)},
		{"weights", FIELD(series_origin, weights)},
	};

	report_facts(report, "columns", columns, origin);
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

static const char *method_name(const struct fit_result *result)
{
	return result->wish->bootstrap.refits ? "bootstrap-t" : "profile-t";
}

/* --- The facts ------------------------------------------------------------- */

struct fact_line {
	const char *file, *series, *model, *bound, *method;
	const char *active; /* the bound that the fit ended on; NULL: none */
	struct usl usl;
	double peak_n, peak_x, payback_n, pole_n, full_n, level;
	size_t cpus;
	struct usl_interval parameters[FIT_PARAMETERS];
	struct values flags;
};

/* A row of CSV has the intervals too. Text has less, as they follow with the parameters. */
enum { IS_ROW = 1, HAS_SERIES = 2, HAS_LOADS = 4 };
#define INTERVAL(name, quantity)                                                           \
	{name "_low", FIELD(fact_line, parameters[quantity].low), .needs = IS_ROW},        \
	{                                                                                  \
		name "_high", FIELD(fact_line, parameters[quantity].high), .needs = IS_ROW \
	}

static const struct column fact_columns[] = {
	{"file", "file", FIELD(fact_line, file)},
	{"series", "series", FIELD(fact_line, series), .needs = HAS_SERIES},
	{"model", "model", FIELD(fact_line, model)},
	{"n", "points", FIELD(fact_line, usl.n)},
	{"alpha", FIELD(fact_line, usl.alpha)},
	{"beta", FIELD(fact_line, usl.beta)},
	{"gamma", FIELD(fact_line, usl.gamma)},
	{"alpha_se", FIELD(fact_line, usl.alpha_se)},
	{"beta_se", FIELD(fact_line, usl.beta_se)},
	{"gamma_se", FIELD(fact_line, usl.gamma_se)},
	{"rss", FIELD(fact_line, usl.rss)},
	{"df", "degrees of freedom", FIELD(fact_line, usl.df)},
	{NULL, "residual sum of squares", UNIT_DECIMAL, FIELD(fact_line, usl.rss)},
	{"bound", FIELD(fact_line, bound)},
	{NULL, "on the bound 0", FIELD(fact_line, active)},
	{"nc", FIELD(fact_line, peak_n)},
	{"xmax", FIELD(fact_line, peak_x)},
	INTERVAL("alpha", USL_ALPHA),
	INTERVAL("beta", USL_BETA),
	INTERVAL("gamma", USL_GAMMA),
	INTERVAL("nc", USL_PEAK_N),
	INTERVAL("xmax", USL_PEAK_X),
	{"level", FIELD(fact_line, level), .needs = IS_ROW},
	{"interval_method", FIELD(fact_line, method), .needs = IS_ROW},
	{"payback_n", "superlinear up to N", UNIT_DECIMAL, FIELD(fact_line, payback_n)},
	{"pole_n", "the curve ends at N", UNIT_DECIMAL, FIELD(fact_line, pole_n)},
	{"cpus", FIELD(fact_line, cpus), .needs = HAS_LOADS},
	{"cpus_full_n", FIELD(fact_line, full_n), .needs = HAS_LOADS},
	{"flags", FIELD(fact_line, flags)},
};

static void put_facts(struct report *report, const struct fit_result *result)
{
	bool row = report_shows(report, REPORT_CSV);
	const struct table table = {.layout = row ? LAYOUT_ROWS : LAYOUT_FACTS,
				    .in = REPORT_ALL,
				    COLUMNS(fact_columns),
				    .has = (row			    ? IS_ROW
					    : result->series->loads ? HAS_LOADS
								    : 0) |
					   (result->series->name ? HAS_SERIES : 0)};
	const struct usl *usl = result->usl;
	const char *words[FIT_FLAGS];
	struct fact_line line = {.file = result->series->file,
				 .series = result->series->name,
				 .model = model_names[usl->form.model],
				 .bound = bound_names[usl->bound],
				 .method = method_name(result),
				 .active = usl->bound ? bound_names[usl->bound] : NULL,
				 .usl = *usl,
				 .peak_n = usl_peak_n(usl),
				 .peak_x = usl_peak_throughput(usl),
				 .payback_n = usl_payback_n(usl),
				 .pole_n = usl_pole_n(usl),
				 .full_n = result->full.n,
				 .cpus = result->series->cpus,
				 .level = result->wish->level,
				 .flags = {.texts = words, .count = fit_flags(words, result)}};

	memcpy(line.parameters, result->parameters, sizeof(line.parameters));
	report_table(report, &table, &line, 1);
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

struct robust_line {
	const char *loss;
	double scale;
};

static const struct column robust_columns[] = {
	{"robust", "robust, by the loss of", FIELD(robust_line, loss)},
	{"scale", "scatter of a point", UNIT_DECIMAL, FIELD(robust_line, scale)},
};

/* How points were distrusted, where they were. */
static void put_robust(struct report *report, const struct usl_robust *robust)
{
	static const char *const names[] = {[USL_LOSS_TUKEY] = "tukey", [USL_LOSS_HUBER] = "huber"};
	const struct robust_line line = {names[robust->loss], robust->scale};

	report_facts(report, NULL, robust_columns, &line);
}

/* --- The intervals --------------------------------------------------------- */

struct parameter_line {
	const char *label;
	double best, error;
	const char *low, *high; /* an end that is infinite is "inf" */
};

static const struct column parameter_columns[] = {
	{NULL, "", UNIT_NONE, -1, FIELD(parameter_line, label)},
	{NULL, "best", UNIT_DECIMAL, FIELD(parameter_line, best)},
	{NULL, "error", UNIT_DECIMAL, FIELD(parameter_line, error)},
	{NULL, "from", FIELD(parameter_line, low)},
	{NULL, "to", FIELD(parameter_line, high)},
};

static const char *end_text(char out[32], double value)
{
	snprintf(out, 32, "%.6g", value);
	return isnan(value) ? NULL : out;
}

static void put_parameters(struct report *report, const struct fit_result *result)
{
	const struct usl *usl = result->usl;
	const struct {
		const char *label;
		double best, error;
	} parameters[FIT_PARAMETERS] = {
		[USL_ALPHA] = {"alpha, contention", usl->alpha, usl->alpha_se},
		[USL_BETA] = {"beta, coherency", usl->beta, usl->beta_se},
		[USL_GAMMA] = {"gamma, throughput of one", usl->gamma, usl->gamma_se},
		[USL_PEAK_N] = {"N_c, where throughput peaks", usl_peak_n(usl), NAN},
		[USL_PEAK_X] = {"throughput there, X_max", usl_peak_throughput(usl), NAN},
	};
	char title[80];
	const struct table table = {.title = title, .in = REPORT_TEXT, COLUMNS(parameter_columns)};

	snprintf(title, sizeof(title), "Parameters, standard errors, and intervals of %.6g %%%s",
		 100 * result->wish->level,
		 result->wish->bootstrap.refits ? " by bootstrap-t" : "");
	report_begin(report, &table);
	for (size_t i = 0; i < FIT_PARAMETERS; i++) {
		struct usl_interval interval = result->parameters[i];
		char low[32], high[32];
		const struct parameter_line line = {
			.label = parameters[i].label,
			.best = parameters[i].best,
			.error = parameters[i].error,
			.low = end_text(low, interval.low),
			.high = end_text(high, interval.high),
		};

		if (!isnan(line.best) || isfinite(interval.low))
			report_row(report, &line);
	}
	report_end(report);
}

struct bootstrap_line {
	size_t refits, failed;
	uint32_t seed;
};

static const struct column bootstrap_columns[] = {
	{"refits", FIELD(bootstrap_line, refits)},
	{"seed", FIELD(bootstrap_line, seed)},
	{"failed", FIELD(bootstrap_line, failed)},
};

static void put_bootstrap(struct report *report, const struct fit_result *result)
{
	struct bootstrap_line line;
	const struct usl_bootstrap_plan *plan = usl_intervals_plan(result->intervals, &line.failed);

	if (!plan)
		return;
	line.refits = plan->refits;
	line.seed = plan->seed;
	report_note_if(report, !isnan(result->parameters[USL_ALPHA].low),
		       "From %zu refits with the seed %" PRIu32 "%s.", plan->refits, plan->seed,
		       line.failed ? ", without those that found no optimum" : "");
	report_facts(report, "bootstrap", bootstrap_columns, &line);
}

struct interval_line {
	struct values ends[FIT_PARAMETERS];
	double level;
	const char *method;
};

static const struct column interval_columns[] = {
	{"alpha", FIELD(interval_line, ends[USL_ALPHA])},
	{"beta", FIELD(interval_line, ends[USL_BETA])},
	{"gamma", FIELD(interval_line, ends[USL_GAMMA])},
	{"nc", FIELD(interval_line, ends[USL_PEAK_N])},
	{"xmax", FIELD(interval_line, ends[USL_PEAK_X])},
};
static const struct column method_columns[] = {
	{"level", FIELD(interval_line, level)},
	{"interval_method", FIELD(interval_line, method)},
};

static struct values ends_of(const struct usl_interval *interval)
{
	return (struct values){.numbers = &interval->low, .count = 2};
}

static void put_intervals(struct report *report, const struct fit_result *result)
{
	struct interval_line line = {.level = result->wish->level, .method = method_name(result)};

	for (size_t i = 0; i < FIT_PARAMETERS; i++)
		line.ends[i] = ends_of(&result->parameters[i]);
	report_facts(report, "intervals", interval_columns, &line);
	report_facts(report, NULL, method_columns, &line);
	put_parameters(report, result);
	put_bootstrap(report, result);
	put_limit(report, result->usl);
}

/* --- The bounds ------------------------------------------------------------ */

struct bound_line {
	double alpha, beta;
};

static const struct column bound_columns[] = {
	{"alpha", FIELD(bound_line, alpha)},
	{"beta", FIELD(bound_line, beta)},
};

/* A parameter that is free has the multiplier 0, of which rounding leaves a little. */
static double multiplier(const struct usl *usl, enum usl_bound bound, double value)
{
	return isnan(value) || usl->bound & bound ? value : 0;
}

static void put_active(struct report *report, const struct usl *usl, enum usl_bound bound,
		       const char *name, const char *scaled, double value)
{
	const double least = 1e-9; /* what rounding alone put there */

	report_note_if(report, usl->bound & bound && value > least,
		       "The bound %s = 0 is active: from there on the residual sum of squares "
		       "only grows, d ln RSS / d (%s) = %.4g (Karush-Kuhn-Tucker).",
		       name, scaled, value);
}

static void put_bounds(struct report *report, const struct fit_result *result)
{
	const struct usl *usl = result->usl;
	const struct bound_line line = {multiplier(usl, USL_BOUND_ALPHA, usl->alpha_multiplier),
					multiplier(usl, USL_BOUND_BETA, usl->beta_multiplier)};

	report_facts(report, "kkt", bound_columns, &line);
	put_active(report, usl, USL_BOUND_ALPHA, "alpha", "alpha N", line.alpha);
	put_active(report, usl, USL_BOUND_BETA, "beta", "beta N^2", line.beta);
}

/* --- Where to measure next ------------------------------------------------------- */

struct suggestion_line {
	const char *aim;
	double n, second_n;
	struct values near, now, then, second_then;
};

enum { HAS_AIM = 1 };

static const struct column suggestion_columns[] = {
	{"aim", FIELD(suggestion_line, aim)},
	{"n", FIELD(suggestion_line, n)},
	{"second_n", FIELD(suggestion_line, second_n)},
	{"near", FIELD(suggestion_line, near), .needs = HAS_AIM},
	{"now", FIELD(suggestion_line, now), .needs = HAS_AIM},
	{"then", FIELD(suggestion_line, then), .needs = HAS_AIM},
	{"second_then", FIELD(suggestion_line, second_then), .needs = HAS_AIM},
};

static void put_suggestion_object(struct report *report, const struct usl_suggestion *suggestion)
{
	static const char *const aims[] = {[USL_AIM_PEAK_N] = "nc", [USL_AIM_BETA] = "beta"};
	bool known = suggestion->aim != USL_AIM_NOTHING;
	const struct table table = {.key = "suggestion",
				    .layout = LAYOUT_FACTS,
				    .has = known ? HAS_AIM : 0,
				    COLUMNS(suggestion_columns)};
	const struct suggestion_line line = {
		.aim = known ? aims[suggestion->aim] : NULL,
		.n = known ? suggestion->best.n : NAN,
		.second_n = known ? suggestion->second.n : NAN,
		.near = ends_of(&suggestion->flat),
		.now = ends_of(&suggestion->now),
		.then = ends_of(&suggestion->best.interval),
		.second_then = ends_of(&suggestion->second.interval),
	};

	report_table(report, &table, &line, 1);
}

static void put_suggestion_note(struct report *report, const struct usl_suggestion *suggestion)
{
	static const char *const aims[] = {[USL_AIM_PEAK_N] = "N_c", [USL_AIM_BETA] = "beta"};
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
		    suggestion->best.n, aims[suggestion->aim], suggestion->now.low,
		    suggestion->now.high, suggestion->best.interval.low,
		    suggestion->best.interval.high,
		    suggestion->aim == USL_AIM_BETA && suggestion->best.interval.low > 0
			    ? ", which tells that throughput peaks"
			    : "",
		    suggestion->flat.low, suggestion->flat.high, second);
}

/* --- The models side by side ----------------------------------------------- */

struct model_line {
	const char *name;
	struct usl_candidate candidate;
};

static const struct column model_columns[] = {
	{"model", "", UNIT_NONE, -1, FIELD(model_line, name)},
	{"rss", "RSS", UNIT_DECIMAL, FIELD(model_line, candidate.usl.rss)},
	{"aicc", "AICc", UNIT_DECIMAL, FIELD(model_line, candidate.aicc)},
	{"bic", "BIC", UNIT_DECIMAL, FIELD(model_line, candidate.bic)},
	{"loo", "left-out error", UNIT_DECIMAL, FIELD(model_line, candidate.loo)},
	{"p", "p", UNIT_DECIMAL, FIELD(model_line, candidate.p)},
};

static void put_models(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.key = "models", .title = "Models", COLUMNS(model_columns)};

	report_begin(report, &table);
	for (size_t i = USL_MODELS; i-- > 0;) {
		const struct model_line line = {model_names[i], result->choice->candidates[i]};

		if (line.candidate.fits)
			report_row(report, &line);
	}
	report_end(report);
}

/* --- Sentences --------------------------------------------------------------- */

struct warnings_line {
	struct values texts;
};

static const struct column warning_columns[] = {{"warnings", FIELD(warnings_line, texts)}};

static void put_verdict(struct report *report, const struct fit_result *result)
{
	char *verdict = fit_verdict(result);

	report_note(report, "%s", verdict);
	report_sentence(report, "verdict", verdict);
	free(verdict);
}

static void put_warnings(struct report *report, const struct fit_result *result)
{
	size_t count;
	char **texts = fit_warnings(&count, result);
	const struct warnings_line line = {{.texts = (const char *const *)texts, .count = count}};

	for (size_t i = 0; i < count; i++)
		report_warning(report, "Note: %s", texts[i]);
	report_facts(report, NULL, warning_columns, &line);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

/* All but the facts. */
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
	if (result->suggestion) {
		put_suggestion_note(report, result->suggestion);
		put_suggestion_object(report, result->suggestion);
	}
	put_warnings(report, result);
}

void report_fit(struct report *report, const struct fit_result *result, bool details)
{
	put_facts(report, result);
	if (result->robust)
		put_robust(report, result->robust);
	if (report_shows(report, REPORT_TEXT | REPORT_JSON))
		put_whole(report, result, details);
}
