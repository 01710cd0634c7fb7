/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/model/model_wish.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/names.h"
#include "base/parse.h"
#include "cmd/model/model_load.h"
#include "cmd/options/assertion.h"
#include "cmd/options/trace.h"
#include "model/forecast/model_forecast.h"
#include "model/forecast/model_measured.h"
#include "report/model/report_model.h"
#include "report/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct model_wish, field)

const struct option model_wish_options[] = {
	{"threads", '\0', OPTION_TEXT, AT(threads),
	 .help = "numbers of threads of the pool, as 2,4,8 or worker=2,4,8",
	 .argument = "[POOL=]LIST"},
	{"rate", '\0', OPTION_TEXT, AT(rates),
	 .help = "requests a second; 2x: twice as many as recorded", .argument = "LIST"},
	{"clients", '\0', OPTION_NUMBERS, AT(clients),
	 .help = "numbers of clients, each of which waits for its answer", .argument = "LIST",
	 .min = 1, .max = MODEL_THREADS_MAX, .advanced = true},
	{"think", '\0', OPTION_SECONDS, AT(think_s),
	 .help = "mean time of a client between an answer and its next request", .argument = "TIME",
	 .max = DISTRIBUTION_MEAN_MAX, .refusal = "is not a think time", .advanced = true},
	{"goal", '\0', OPTION_TEXT, AT(goal),
	 .help = "find the fewest threads, or with --threads the highest load, that keep p95=TIME "
		 "or mean=TIME",
	 .argument = "GOAL"},
	{"set", '\0', OPTION_TEXTS, AT(settings),
	 .help = "change a number of the model, as lock.servers=2; repeatable",
	 .argument = "NAME=VALUE", .advanced = true},
	{"trust", '\0', OPTION_FLAG, AT(trust), .help = "forecast even if the self-check fails",
	 .advanced = true},
	OPTION_TABLE_END};

const char *model_wish_asked(const struct options *common)
{
	return options_first(common,
			     (const char *const[]){"--threads", "--rate", "--clients", "--goal",
						   "--set", "--trust", "--think", NULL});
}

/* --- From texts to a question ----------------------------------------------------------------- */

/* If `model` is NULL, these functions check the texts as far as possible without a model. */

static void take_numbers(struct model_values *values, const uint64_t *numbers, size_t count)
{
	values->values = xcalloc(count + 1, sizeof(*values->values));
	values->count = count;
	for (size_t i = 0; i < count; i++)
		values->values[i] = (double)numbers[i];
}

static int find_pool(uint32_t *pool, const struct model *model, const char *name, struct err *err)
{
	struct nearest nearest;
	char *question, *list = NULL;

	nearest_init(&nearest, name);
	for (*pool = 0; *pool < model->pool_count; (*pool)++) {
		if (strcmp(model->pools[*pool].name, name) == 0)
			return 0;
		nearest_try(&nearest, model->pools[*pool].name);
		xappend(&list, ", ", "%s", model->pools[*pool].name);
	}
	question = nearest_question(&nearest);
	if (question)
		err_set(err, "--threads: there is no pool %s; %s", name, question);
	else
		err_set(err, "--threads: there is no pool %s; there %s %s", name,
			model->pool_count == 1 ? "is" : "are", list);
	free(question);
	free(list);
	return -1;
}

/* Reads "2,4" or "worker=2,4". Returns 0, or -1 with an error. */
static int read_threads(struct model_question *question, const struct model *model,
			const char *text, struct err *err)
{
	const char *sign = strrchr(text, '='), *list = sign ? sign + 1 : text;
	char *name = sign ? xasprintf("%.*s", (int)(sign - text), text) : NULL;
	uint64_t *numbers;
	size_t count;
	int rc = name && model ? find_pool(&question->pool, model, name, err) : 0;

	free(name);
	if (rc)
		return -1;
	if (parse_list(&numbers, &count, list, 1, MODEL_THREADS_MAX, err))
		return err_wrap(err, "--threads");
	take_numbers(&question->threads, numbers, count);
	free(numbers);
	return 0;
}

/* Returns the rate of the sources, or the recorded throughput if clients make it; 0: unknown. */
static double usual_rate(const struct model *model)
{
	double rate = model_rate(model), answered = model->check.throughput_per_s.recorded;

	if (rate > 0 || !model->has_check)
		return rate;
	return answered > 0 ? answered : 0;
}

/* Reads "600", or "2x" of the model's rate. Returns 0 or -1. */
static int read_rate(double *rate, const struct model *model, char *item)
{
	size_t length = strlen(item);
	bool relative = length && item[length - 1] == 'x';

	if (relative)
		item[length - 1] = '\0';
	if (parse_double(rate, item) || !(*rate > 0))
		return -1;
	*rate *= relative && model ? usual_rate(model) : 1;
	if (*rate > 0)
		return 0;
	*rate = 1; /* a model without requests has no rate, and its forecast says so */
	return model->source_count && model->sources[0].kind == MODEL_CLOSED ? -1 : 0;
}

static int read_rates(struct model_question *question, const struct model *model, const char *text,
		      struct err *err)
{
	char *copy = xstrdup(text), *rest = copy, *item;
	struct model_values *rates = &question->rates;
	size_t capacity = 0;
	int rc = 0;

	while (!rc && (item = strsep(&rest, ","))) {
		array_reserve(&rates->values, &capacity, rates->count + 1);
		if (rates->count == MODEL_ROWS_MAX ||
		    read_rate(&rates->values[rates->count++], model, item))
			rc = err_set(err,
				     "--rate %s: give requests a second, as 600,900, or times the "
				     "recorded rate, as 2x",
				     text);
	}
	free(copy);
	return rc;
}

static int read_setting(struct model_setting *setting, char **name, const char *text,
			struct err *err)
{
	const char *sign = strrchr(text, '=');
	struct err ignored;

	if (!sign || sign == text ||
	    (parse_double(&setting->value, sign + 1) &&
	     parse_seconds(&setting->value, sign + 1, &ignored)))
		return err_set(err, "--set %s: give NAME=VALUE, as machine.cores=4", text);
	*name = xasprintf("%.*s", (int)(sign - text), text);
	setting->name = *name;
	return 0;
}

/* The texts of --set, read; a question borrows them. */
struct wish_settings {
	struct model_setting *items;
	char **names;
};

static int read_settings(struct model_question *question, struct wish_settings *settings,
			 const char **texts, struct err *err)
{
	size_t count = 0;
	int rc = 0;

	while (texts && texts[count])
		count++;
	question->settings = settings->items = xcalloc(count + 1, sizeof(*settings->items));
	settings->names = xcalloc(count + 1, sizeof(*settings->names));
	for (size_t i = 0; !rc && i < count; i++)
		rc = read_setting(&settings->items[i], &settings->names[i], texts[i], err);
	question->setting_count = count;
	return rc;
}

/* Reads "p95=20ms". Returns 0, or -1 with an error. */
static int read_goal(struct model_goal *goal, const char *text, struct err *err)
{
	static const struct {
		const char *name;
		enum model_goal_metric metric;
	} metrics[] = {{"p95=", MODEL_GOAL_P95}, {"mean=", MODEL_GOAL_MEAN}};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		size_t length = strlen(metrics[i].name);

		if (strncmp(text, metrics[i].name, length) != 0)
			continue;
		goal->metric = metrics[i].metric;
		return parse_seconds(&goal->seconds, text + length, err) ? err_wrap(err, "--goal")
									 : 0;
	}
	return err_set(err, "--goal %s: give p95=TIME or mean=TIME, as p95=20ms", text);
}

static int read_question(struct model_question *question, struct wish_settings *settings,
			 const struct model_wish *wish, const struct model *model, struct err *err)
{
	bool has_load = wish->rates || wish->clients.count;

	take_numbers(&question->clients, wish->clients.items, wish->clients.count);
	if ((wish->threads && read_threads(question, model, wish->threads, err)) ||
	    (wish->rates && read_rates(question, model, wish->rates, err)) ||
	    (wish->goal && read_goal(&question->goal, wish->goal, err)) ||
	    read_settings(question, settings, wish->settings, err))
		return -1;
	if (wish->goal && wish->threads && has_load)
		return err_set(err,
			       "--goal: looks for the number of threads or for the load; leave "
			       "out --threads or %s",
			       wish->rates ? "--rate" : "--clients");
	question->goal.load = wish->threads;
	return 0;
}

static void release_question(struct model_question *question, struct wish_settings *settings)
{
	for (size_t i = 0; i < question->setting_count; i++)
		free(settings->names[i]);
	free(settings->names);
	free(settings->items);
	free(question->threads.values);
	free(question->rates.values);
	free(question->clients.values);
	free(question->cores.values);
}

int model_wish_check(const struct model_wish *wish, struct err *err)
{
	struct model_question question = {.pool = MODEL_NONE};
	struct wish_settings settings = {NULL, NULL};
	int rc = read_question(&question, &settings, wish, NULL, err);

	release_question(&question, &settings);
	return rc;
}

/* --- The answer ------------------------------------------------------------------------------- */

/* Returns the end of the interval that is compared, signed so that less is worse. */
static double forecast_end(const struct assertion_value *value, const struct assertion *assertion)
{
	bool upper =
		assertion->relation == ASSERTION_BELOW || assertion->relation == ASSERTION_AT_MOST;
	const double ends[] = {
		[ASSERTION_WORSE_END] = upper ? value->high : value->low,
		[ASSERTION_BEST] = value->best,
		[ASSERTION_LOW] = value->low,
		[ASSERTION_HIGH] = value->high,
	};

	return upper ? -ends[assertion->side] : ends[assertion->side];
}

/* Returns the value of a row. Times are infinite if they grow without end or requests are lost. */
static struct assertion_value forecast_row_value(const struct model_forecast_row *row,
						 enum model_wish_quantity quantity)
{
	const double level = .9;
	const struct model_result *own = &row->result;
	const struct {
		double best;
		struct model_interval interval;
	} values[] =
		{
			[MODEL_WISH_WALL] = {own->wall_s, row->wall_s},
			[MODEL_WISH_THROUGHPUT] = {own->throughput_per_s, row->throughput_per_s},
			[MODEL_WISH_RESPONSE] = {own->response_s, row->response_s},
			[MODEL_WISH_P95] = {own->response_p95_s, row->response_p95_s},
		},
	  *value = &values[quantity];
	struct assertion_value here = {.best = value->best,
				       .low = value->interval.lo,
				       .high = value->interval.hi,
				       .level = level,
				       .unknown = "one row of the forecast does not have it"};

	if (quantity == MODEL_WISH_THROUGHPUT || (!own->grows && !model_loses(own)))
		return here;
	here.best = here.low = here.high = INFINITY;
	here.where = own->grows ? NULL : "as requests find no room";
	return here;
}

/* Returns the value of the worst row; a row without the value is the worst. */
static struct assertion_value forecast_value(const void *result, const struct assertion *assertion)
{
	const struct model_forecast *forecast = result;
	enum model_wish_quantity quantity = (enum model_wish_quantity)assertion->name->id;
	struct assertion_value worst = {
		.best = NAN, .low = NAN, .high = NAN, .unknown = "no row of the forecast has it"};
	double least = INFINITY;

	for (size_t i = 0; i < forecast->row_count; i++) {
		const struct model_forecast_row *row = &forecast->rows[i];
		struct assertion_value here = forecast_row_value(row, quantity);
		double end = forecast_end(&here, assertion);

		if (quantity == MODEL_WISH_WALL && (double)row->cores != assertion->n)
			continue;
		if (isnan(end))
			return here;
		if (end > least)
			continue;
		least = end;
		worst = here;
	}
	return worst;
}

static int print_forecast(const struct model_view *view, const struct model_forecast *forecast,
			  struct assertions *assertions, const struct plotting *plotting,
			  const struct options *common, struct err *err)
{
	struct report *report;
	int rc;

	if (forecast->refused)
		return err_set(err, "the self-check fails: %s; --trust forecasts anyway",
			       forecast->reason);
	report = options_report(common, err);
	if (!report)
		return -1;
	assertions_report(assertions, report, NULL, forecast_value, forecast);
	report_model_forecast(report, view, forecast);
	rc = plotting->path ? plot_model_forecast(view, forecast, plotting->path, err) : 0;
	if (!rc && plotting->chart)
		rc = chart_model_forecast(report, view, forecast, err);
	return report_finish(report, rc, err);
}

/*
 * Returns the options of a further forecast with --goal: those given, with the load, or else with
 * the threads. The caller frees the text.
 */
static char *goal_options(const struct options *common, const struct model_wish *wish)
{
	bool has_load = wish->rates || wish->clients.count;
	const char *const names[] = {"cores", has_load ? "rate" : "threads", "clients", "think"};
	char *text = xstrdup(wish->trust ? " --trust" : "");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		trace_option_append(&text, names[i], options_text(common, names[i]));
	for (const char **setting = wish->settings; setting && *setting; setting++)
		trace_option_append(&text, "set", *setting);
	return text;
}

static int make_forecast(const struct model_loaded *loaded, struct model_question *question,
			 const struct model_measured *measured, const struct model_wish *wish,
			 struct assertions *assertions, const struct options *common,
			 const char *path, struct err *err)
{
	char *again = trace_arguments(common, &path, 1), *options = goal_options(common, wish);
	const struct model_view view = {
		.model = &loaded->model,
		.findings = loaded->is_extracted ? &loaded->findings : NULL,
		.path = path,
		.measured = wish->measured_path ? measured : NULL,
		.again = again,
		.options = options,
	};
	struct model_forecast forecast;
	struct progress progress;
	int rc;

	progress_begin(&progress, common->quiet);
	question->show = progress_show;
	question->context = &progress;
	rc = model_forecast_make(&forecast, &loaded->model, question, err);
	progress_end(&progress);
	if (!rc) {
		rc = print_forecast(&view, &forecast, assertions, wish->plotting, common, err);
		model_forecast_release(&forecast);
	}
	free(options);
	free(again);
	return rc;
}

static int read_measured(struct model_measured *measured, const char *path,
			 const struct options *common, struct err *err)
{
	struct csv_table *table;
	int rc;

	*measured = (struct model_measured){NULL, 0};
	if (!path)
		return 0;
	table = options_table(common, path, err);
	if (!table)
		return -1;
	rc = model_measured_read(measured, table, err);
	csv_table_free(table);
	return rc;
}

int model_wish_print(const struct model_wish *wish, const struct number_list *cores,
		     struct assertions *assertions, struct trace_options *trace, const char *path,
		     struct input *input, struct err *err)
{
	struct model_question question = {
		.pool = MODEL_NONE, .think_s = wish->think_s, .trust = wish->trust};
	struct model_loaded loaded;
	struct wish_settings settings = {NULL, NULL};
	struct model_measured measured;
	int rc;

	if (model_load(&loaded, trace, input, false, err))
		return -1;
	take_numbers(&question.cores, cores->items, cores->count);
	rc = read_measured(&measured, wish->measured_path, trace->common, err) ||
	     read_question(&question, &settings, wish, &loaded.model, err);
	rc = rc ? -1
		: make_forecast(&loaded, &question, &measured, wish, assertions, trace->common,
				path, err);
	model_measured_release(&measured);
	release_question(&question, &settings);
	model_loaded_release(&loaded);
	return rc;
}
