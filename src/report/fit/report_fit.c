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

/* Writes "100 / 'elapsed' per second". */
static void describe_value(char *out, size_t size, const struct series_origin *origin)
{
	const char *per = origin->scale != 1 ? " per second" : "";

	switch (origin->quantity) {
	case QUANTITY_TIME:
		snprintf(out, size, "%.60s / '%.60s'%s", origin->work ? origin->work : "1",
			 origin->value, per);
		break;
	case QUANTITY_LATENCY:
		snprintf(out, size, "N / '%.60s'%s (Little's law, no think time)", origin->value,
			 per);
		break;
	case QUANTITY_SPEEDUP:
		snprintf(out, size, "the speedup '%.60s'", origin->value);
		break;
	case QUANTITY_COUNT:
		snprintf(out, size, "'%.60s' per time, counted since the row before",
			 origin->value);
		break;
	case QUANTITY_TOTAL:
		snprintf(out, size, "'%.60s' per time, counted since the start", origin->value);
		break;
	default:
		snprintf(out, size, "'%.60s'", origin->value);
	}
}

static void put_text(struct report *report, const struct series_origin *origin)
{
	char value[240];

	if (origin->usual && !origin->weights)
		return;
	describe_value(value, sizeof(value), origin);
	report_warning(report, "Columns: N = '%s', throughput = %s%s%s.", origin->n, value,
		       origin->weights ? "; weights: " : "",
		       origin->weights ? origin->weights : "");
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
	const char *active; /* the bound that is active in the fit; NULL: none */
	struct usl usl;
	double peak_n, peak_x, payback_n, pole_n, full_n, level;
	size_t cpus;
	struct usl_interval parameters[FIT_PARAMETERS];
	struct values flags;
};

/* A row of CSV also has the intervals. Text has them with the parameters. */
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
	{NULL, "residual sum of squares", UNIT_SHORT, FIELD(fact_line, usl.rss)},
	{"bound", FIELD(fact_line, bound)},
	{NULL, "at the limit 0", FIELD(fact_line, active)},
	{"nc", FIELD(fact_line, peak_n)},
	{"xmax", FIELD(fact_line, peak_x)},
	INTERVAL("alpha", USL_ALPHA),
	INTERVAL("beta", USL_BETA),
	INTERVAL("gamma", USL_GAMMA),
	INTERVAL("nc", USL_PEAK_N),
	INTERVAL("xmax", USL_PEAK_X),
	{"level", FIELD(fact_line, level), .needs = IS_ROW},
	{"interval_method", FIELD(fact_line, method), .needs = IS_ROW},
	{"payback_n", "superlinear up to N", UNIT_SHORT, FIELD(fact_line, payback_n)},
	{"pole_n", "curve ends at N", UNIT_SHORT, FIELD(fact_line, pole_n)},
	{"cpus", FIELD(fact_line, cpus), .needs = HAS_LOADS},
	{"cpus_full_n", FIELD(fact_line, full_n), .needs = HAS_LOADS},
	{"flags", FIELD(fact_line, flags)},
};

static void put_facts(struct report *report, const struct fit_result *result)
{
	bool row = report_shows(report, REPORT_CSV);
	const struct table table = {.layout = row ? LAYOUT_ROWS : LAYOUT_FACTS,
				    .in = REPORT_ALL,
				    .detail = true,
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

struct robust_line {
	const char *loss;
	double scale;
};

static const struct column robust_columns[] = {
	{"robust", "robust loss", FIELD(robust_line, loss)},
	{"scale", "scatter of a point", UNIT_SHORT, FIELD(robust_line, scale)},
};

/* Adds the loss and the scale of a robust fit. */
static void put_robust(struct report *report, const struct usl_robust *robust)
{
	static const char *const names[] = {[USL_LOSS_TUKEY] = "tukey", [USL_LOSS_HUBER] = "huber"};
	static const struct table table = {
		.layout = LAYOUT_FACTS, .detail = true, COLUMNS(robust_columns)};
	const struct robust_line line = {names[robust->loss], robust->scale};

	report_table(report, &table, &line, 1);
}

/* --- The intervals --------------------------------------------------------- */

struct parameter_line {
	const char *label;
	double best, error;
	const char *low, *high; /* an end may be unlimited */
	const char *meaning;	/* share at the largest N */
};

/* Rounds a percentage to two digits, and above 10 to whole numbers. */
static double percent(double share)
{
	double size = 100 * fabs(share), unit = size < 1 ? .01 : size < 10 ? .1 : 1;

	return round(100 * share / unit) * unit;
}

/* Returns "50 % lost (22 to 81)": the share of a parameter at the largest N. NULL: unknown. */
static char *share_text(const struct fit_result *result, enum fit_part part)
{
	const struct usl_interval *interval = &result->share_interval[part];
	double share = result->share[part];
	const char *word = part == FIT_USEFUL ? "useful" : "lost";

	if (isnan(share))
		return NULL;
	if (isnan(interval->low) || isnan(interval->high))
		return xasprintf("%.4g %% %s", percent(share), word);
	return xasprintf("%.4g %% %s (%.4g to %.4g)", percent(share), word, percent(interval->low),
			 percent(interval->high));
}

static const struct {
	const char *label;
	enum fit_part part; /* FIT_PARTS: none */
	bool detail;
} parameter_rows[FIT_PARAMETERS] = {
	[USL_ALPHA] = {"contention, alpha", FIT_CONTENTION, false},
	[USL_BETA] = {"coherency, beta", FIT_COHERENCY, false},
	[USL_GAMMA] = {"throughput of one, gamma", FIT_USEFUL, false},
	[USL_PEAK_N] = {"peak, N_c", FIT_PARTS, true},
	[USL_PEAK_X] = {"throughput there, X_max", FIT_PARTS, true},
};

static const char *end_text(char out[VALUE_SIZE], double value)
{
	return isinf(value) ? "no limit" : format_value(out, value, UNIT_SHORT);
}

/* Returns whether the parameter is alpha or beta of a model without it. */
static bool is_taken_for_granted(const struct usl_interval *interval, double best)
{
	return best == 0 && interval->low == 0 && interval->high == 0;
}

static void put_parameter(struct report *report, const struct fit_result *result,
			  enum usl_quantity i)
{
	const struct usl *usl = result->usl;
	const double best[FIT_PARAMETERS] = {usl->alpha, usl->beta, usl->gamma, usl_peak_n(usl),
					     usl_peak_throughput(usl)};
	const double errors[FIT_PARAMETERS] = {usl->alpha_se, usl->beta_se, usl->gamma_se, NAN,
					       NAN};
	const struct usl_interval *interval = &result->parameters[i];
	enum fit_part part = parameter_rows[i].part;
	char *meaning = part == FIT_PARTS ? NULL : share_text(result, part);
	char low[VALUE_SIZE], high[VALUE_SIZE];
	const struct parameter_line line = {
		parameter_rows[i].label,	best[i], errors[i], end_text(low, interval->low),
		end_text(high, interval->high), meaning};

	if (!is_taken_for_granted(interval, best[i]) &&
	    (!isnan(best[i]) || isfinite(interval->low)))
		report_row(report, &line);
	free(meaning);
}

/* Adds the parameters with their costs at the largest N. */
static void put_parameters(struct report *report, const struct fit_result *result)
{
	char low[32], at[32];
	const struct column columns[] = {
		{NULL, "", UNIT_NONE, -1, FIELD(parameter_line, label)},
		{NULL, "best", UNIT_SHORT, FIELD(parameter_line, best)},
		{NULL, "error", UNIT_SHORT, FIELD(parameter_line, error), .detail = true},
		{NULL, low, FIELD(parameter_line, low)},
		{NULL, "to", FIELD(parameter_line, high)},
		{NULL, at, UNIT_NONE, -1, FIELD(parameter_line, meaning), .absent = "",
		 .optional = true},
	};
	const struct table table = {.in = REPORT_TEXT, COLUMNS(columns)};

	snprintf(low, sizeof(low), "%.6g %% from", 100 * result->wish->level);
	snprintf(at, sizeof(at), "at N = %.6g", result->largest_n);
	report_begin(report, &table);
	for (enum usl_quantity i = USL_ALPHA; i <= USL_PEAK_X; i++)
		if (!parameter_rows[i].detail || report_says(report, SENTENCE_DETAIL))
			put_parameter(report, result, i);
	report_end(report);
}

#define PART(name, part)                                                    \
	{name, FIELD(fit_result, share[part])},                             \
		{name "_low", FIELD(fit_result, share_interval[part].low)}, \
	{                                                                   \
		name "_high", FIELD(fit_result, share_interval[part].high)  \
	}

static const struct column meaning_columns[] = {
	{"n", FIELD(fit_result, largest_n)},
	PART("useful_share", FIT_USEFUL),
	PART("contention_share", FIT_CONTENTION),
	PART("coherency_share", FIT_COHERENCY),
};

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
	report_detail_if(report, !isnan(result->parameters[USL_ALPHA].low),
			 "Intervals by bootstrap-t: %zu refits, seed %" PRIu32 ", %zu failed.",
			 plan->refits, plan->seed, line.failed);
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
	report_facts(report, "meaning", meaning_columns, result);
	put_bootstrap(report, result);
}

/* --- The bounds ------------------------------------------------------------ */

struct bound_line {
	double alpha, beta;
};

static const struct column bound_columns[] = {
	{"alpha", FIELD(bound_line, alpha)},
	{"beta", FIELD(bound_line, beta)},
};

/* Returns the multiplier of a bound; 0, without the rounding error, for a free parameter. */
static double multiplier(const struct usl *usl, enum usl_bound bound, double value)
{
	return isnan(value) || usl->bound & bound ? value : 0;
}

static void put_bounds(struct report *report, const struct fit_result *result)
{
	const struct usl *usl = result->usl;
	const struct bound_line line = {multiplier(usl, USL_BOUND_ALPHA, usl->alpha_multiplier),
					multiplier(usl, USL_BOUND_BETA, usl->beta_multiplier)};

	report_facts(report, "kkt", bound_columns, &line);
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
		report_note(report,
			    "No suggestion: these points have no error estimate. Measure at "
			    "more N, and beyond the largest.");
		return;
	}
	if (!isnan(suggestion->second.n))
		snprintf(second, sizeof(second), " Second best: N = %g (%.3g to %.3g).",
			 suggestion->second.n, suggestion->second.interval.low,
			 suggestion->second.interval.high);
	report_note(report,
		    "Measure N = %g next (any N from %g to %g is nearly as good): the interval of "
		    "%s should shrink from %.3g - %.3g to %.3g - %.3g%s.%s",
		    suggestion->best.n, suggestion->flat.low, suggestion->flat.high,
		    aims[suggestion->aim], suggestion->now.low, suggestion->now.high,
		    suggestion->best.interval.low, suggestion->best.interval.high,
		    suggestion->aim == USL_AIM_BETA && suggestion->best.interval.low > 0
			    ? ", which shows that throughput peaks"
			    : "",
		    second);
}

/* --- The models side by side ----------------------------------------------- */

struct model_line {
	const char *name;
	struct usl_candidate candidate;
};

static const struct column model_columns[] = {
	{"model", "", UNIT_NONE, -1, FIELD(model_line, name)},
	{"rss", "RSS", UNIT_SHORT, FIELD(model_line, candidate.usl.rss)},
	{"aicc", "AICc", UNIT_SHORT, FIELD(model_line, candidate.aicc)},
	{"bic", "BIC", UNIT_SHORT, FIELD(model_line, candidate.bic)},
	{"loo", "left-out error", UNIT_SHORT, FIELD(model_line, candidate.loo)},
	{"p", "p", UNIT_SHORT, FIELD(model_line, candidate.p)},
};

static void put_models(struct report *report, const struct fit_result *result)
{
	static const struct table table = {
		.key = "models", .title = "Models", .detail = true, COLUMNS(model_columns)};

	report_begin(report, &table);
	for (size_t i = USL_MODELS; i-- > 0;) {
		const struct model_line line = {model_names[i], result->choice->candidates[i]};

		if (line.candidate.fits)
			report_row(report, &line);
	}
	report_end(report);
}

/* --- Sentences --------------------------------------------------------------- */

static void put_verdict(struct report *report, const struct fit_result *result, bool several)
{
	char *verdict = fit_verdict(result);

	report_note_if(report, several, "%s:", result->series->source);
	report_verdict(report, "%s", verdict);
	free(verdict);
	fit_say_notes(report, SENTENCE_ALERT, result);
}

static void put_meaning(struct report *report, const struct fit_result *result)
{
	report_detail_if(report, result->usl->alpha > 0,
			 "Contention (alpha): serialised work - locks, queues, serial phases.");
	report_detail_if(report, result->usl->beta > 0,
			 "Coherency (beta): cost of keeping shared data consistent between cores "
			 "(false sharing, shared counters).");
	report_detail(report, "Useful and lost: shares of N gamma on the curve. Efficiency of a "
			      "point: throughput / (N X(1)) with the X(1) measured, else gamma.");
	report_detail_if(report, result->usl->form.model != USL_FULL,
			 "The verdict is about the USL; the tables are about the model asked for.");
}

/* Adds everything but the facts. */
static void put_whole(struct report *report, const struct fit_result *result)
{
	put_columns(report, result->series);
	report_steady(report, result->series);
	report_predictions(report, result);
	report_answers(report, result);
	report_changes(report, result);
	if (result->suggestion) {
		put_suggestion_note(report, result->suggestion);
		put_suggestion_object(report, result->suggestion);
	}
	put_parameters(report, result);
	put_intervals(report, result);
	put_meaning(report, result);
	put_bounds(report, result);
	put_models(report, result);
	report_points(report, result);
	report_diagnosis(report, result);
	fit_say_notes(report, SENTENCE_DETAIL, result);
}

void report_fit(struct report *report, const struct fit_result *result, bool several)
{
	bool whole = report_shows(report, REPORT_TEXT | REPORT_JSON);

	if (whole)
		put_verdict(report, result, several);
	put_facts(report, result);
	if (result->robust)
		put_robust(report, result->robust);
	if (whole)
		put_whole(report, result);
}

void report_fit_next(struct report *report, const struct fit_result *result)
{
	const double worth_a_look = .95;
	double n = result->largest_n;

	if (result->full.n < n && result->full.others >= FIT_DISTURBED)
		report_next_step(report, "measure again on an idle machine");
	else if (result->full.n < n)
		report_next_step(report, "measure on more than %zu CPUs, or fit N up to %.6g only",
				 result->series->cpus, result->full.n);
	else if (isnan(result->full_useful.low))
		report_next_step(report, "pscal sweep measures a command at more N");
	else if (!(result->share[FIT_USEFUL] < worth_a_look) && !result->suggestion)
		report_next_step(report, "pscal fit --suggest: which N to measure");
	else if (!(result->share[FIT_COHERENCY] > result->share[FIT_CONTENTION]))
		report_next_step(report,
				 "pscal record -- COMMAND; pscal forecast --why  # at N = %.6g", n);
	else
		report_next_step(report,
				 "perf c2c record -- COMMAND; perf c2c report  # at N = %.6g: "
				 "shared cache lines",
				 n);
}
