/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/model/report_model.h"

#include "base/alloc.h"
#include "base/printable.h"
#include "report/report.h"
#include "report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- Words ----------------------------------------------------------------------------------- */

static const char *const dispatch_words[MODEL_DISPATCHES] = {
	[MODEL_SHARED] = "shared", [MODEL_PINNED] = "pinned", [MODEL_CONNECTION] = "connection"};
static const char *const station_words[MODEL_STATION_KINDS] = {[MODEL_QUEUE] = "queue",
							       [MODEL_LOCK] = "lock",
							       [MODEL_DISK] = "disk",
							       [MODEL_DELAY] = "delay"};
static const char *const source_words[MODEL_SOURCE_KINDS] = {
	[MODEL_OPEN] = "open", [MODEL_CLOSED] = "closed", [MODEL_BATCH] = "batch"};

static const char *span(char text[VALUE_SIZE], double seconds)
{
	return format_value(text, seconds, UNIT_SPAN);
}

/* --- The answer ------------------------------------------------------------------------------ */

static void put_batch_verdict(struct report *report, const struct model_view *view)
{
	double recorded_s = view->model->has_check ? view->model->check.wall_s.recorded : NAN;
	double wall_s = isnan(recorded_s) ? view->result->wall_s : recorded_s;
	char wall[VALUE_SIZE], items[VALUE_SIZE];
	uint64_t count = 0;

	for (size_t i = 0; i < view->model->source_count; i++)
		count += view->model->sources[i].items;
	report_verdict(report, "The program processes %" PRIu64 " item%s in %s: %s a second.",
		       count, plural(count, "", "s"), span(wall, wall_s),
		       format_value(items, (double)count / wall_s, UNIT_SHORT));
}

static void put_verdict(struct report *report, const struct model_view *view)
{
	const struct model_result *result = view->result;
	const struct model_check *check = &view->model->check;
	/* all numbers are recorded, or all are simulated */
	bool recorded = view->model->has_check && !isnan(check->throughput_per_s.recorded) &&
			!isnan(check->response_s.recorded) &&
			!isnan(check->response_p95_s.recorded);
	const char *name = recorded ? "The program" : "The model";
	double rate = recorded ? check->throughput_per_s.recorded : result->throughput_per_s;
	double mean_s = recorded ? check->response_s.recorded : result->response_s;
	double p95_s = recorded ? check->response_p95_s.recorded : result->response_p95_s;
	char *limit = model_limit_text(view->model, result->limit, result->limit_index);
	char per_s[VALUE_SIZE], more[VALUE_SIZE], mean[VALUE_SIZE], p95[VALUE_SIZE];

	format_value(per_s, rate, UNIT_SHORT);
	if (!isnan(result->wall_s))
		put_batch_verdict(report, view);
	else if (result->grows)
		report_verdict(report,
			       "%s is overloaded: it answers %s requests a second, and %s more "
			       "arrive than %s can handle.",
			       name, per_s, format_value(more, result->growth_per_s, UNIT_SHORT),
			       limit ? limit : "it");
	else if (isnan(mean_s))
		report_verdict(report, "%s answers %s requests a second.", name, per_s);
	else
		report_verdict(report,
			       "%s answers %s requests a second in %s on average, 95 %% of them "
			       "within %s.",
			       name, per_s, span(mean, mean_s), span(p95, p95_s));
	free(limit);
}

/* --- Warnings -------------------------------------------------------------------------------- */

/* The largest difference of the utilisation of a pool between model and recording. */
static const double most_off = .1;

static void put_station_alerts(struct report *report, const struct model *model)
{
	for (size_t i = 0; i < model->check.item_count && model->has_check; i++) {
		const struct model_station_check *item = &model->check.items[i];
		const struct model_checked *busy = &item->utilisation;

		if (item->pool < model->pool_count)
			report_alert_if(report, fabs(busy->model - busy->recorded) > most_off,
					"Threads of %s are busy for %.0f %% of the time in the "
					"model, and for %.0f %% in the recording.",
					model->pools[item->pool].name, 100 * busy->model,
					100 * busy->recorded);
	}
}

static void put_alerts(struct report *report, const struct model_view *view)
{
	const struct model *model = view->model;
	char *refusal = model_check_refusal(model);

	report_alert_if(report, refusal, "No forecast without --trust: %s.", refusal);
	free(refusal);
	put_station_alerts(report, model);
	for (size_t i = 0; view->findings && i < view->findings->doubt_count; i++)
		report_alert(report, "%s", view->findings->doubts[i]);
	for (size_t i = 0; i < model->pool_count; i++)
		report_alert_if(report, model->pools[i].fixed && !view->findings,
				"The program itself sets the number of threads of %s%s%s.",
				model->pools[i].name, model->pools[i].why_fixed ? ": " : "",
				model->pools[i].why_fixed ? model->pools[i].why_fixed : "");
	report_alert_if(report, model_loses(view->result),
			"%.1f %% of the requests find no room in a queue, and are lost.",
			100 * model_lost_share(view->result));
	report_alert_if(report, view->result->stuck,
			"%zu thread%s of the simulation wait for an event that never comes.",
			view->result->stuck, plural(view->result->stuck, "", "s"));
}

/* --- Pools ----------------------------------------------------------------------------------- */

struct pool_line {
	const char *name, *takes, *dispatch;
	uint32_t threads;
	size_t visits;
	double recorded_utilisation, waits_s, cpu_growth;
	struct model_pool_result result;
	const char *longest_wait;
	double longest_wait_s; /* mean in a visit */
};

static const struct column pool_columns[] = {
	{"pool", "pool", UNIT_NONE, -1, FIELD(pool_line, name)},
	{"threads", "threads", FIELD(pool_line, threads)},
	{"takes", "takes from", UNIT_NONE, -1, FIELD(pool_line, takes)},
	{"dispatch", FIELD(pool_line, dispatch)},
	{"utilisation", "busy", UNIT_SHARE, FIELD(pool_line, result.utilisation)},
	{"recorded_utilisation", "recorded", UNIT_SHARE, FIELD(pool_line, recorded_utilisation),
	 .detail = true},
	{"visits_per_s", "visits/s", UNIT_SHORT, FIELD(pool_line, result.visits_per_s)},
	{"visit_s", FIELD(pool_line, result.visit_s)},
	{"cpu_s", "CPU", UNIT_SPAN, FIELD(pool_line, result.cpu_s)},
	{"run_queue_s", "run queue", UNIT_SPAN, FIELD(pool_line, result.run_queue_s)},
	{"waits_s", "other waits", UNIT_SPAN, FIELD(pool_line, waits_s)},
	{"visits", FIELD(pool_line, visits)},
	{"cpu_growth", FIELD(pool_line, cpu_growth)},
	{"longest_wait", FIELD(pool_line, longest_wait)},
	{"longest_wait_s", FIELD(pool_line, longest_wait_s)},
};
static const struct table pool_table = {
	.key = "pools", .title = "In the model", .in = REPORT_ALL, .top = 8, COLUMNS(pool_columns)};

static const struct model_station_check *check_of(const struct model *model, uint32_t pool,
						  uint32_t station)
{
	for (size_t i = 0; i < model->check.item_count && model->has_check; i++)
		if (model->check.items[i].pool == pool && model->check.items[i].station == station)
			return &model->check.items[i];
	return NULL;
}

static void note_growth(struct report *report, const struct model_pool *pool)
{
	const double sure = 1.96;
	char error[VALUE_SIZE] = "";

	if (pool->cpu_growth_se > 0)
		snprintf(error, sizeof(error), " +- %.1f", 100 * sure * pool->cpu_growth_se);
	report_note_if(report, fabs(pool->cpu_growth) > 0,
		       "The CPU time of a visit of %s %s by %.1f%s %% for each other visit at the "
		       "same time.",
		       pool->name, pool->cpu_growth > 0 ? "grows" : "falls",
		       100 * fabs(pool->cpu_growth), error);
}

/* Returns the node with the longest total wait of recorded visits; NULL: unknown. */
static const struct model_node *longest_wait(double *mean_s, const struct model_pool *pool)
{
	double *sums = xcalloc(pool->node_count + 1, sizeof(*sums));
	const struct model_node *longest = NULL;

	*mean_s = NAN;
	for (size_t i = 0; i < pool->step_count; i++)
		sums[pool->steps[i].node] += (double)pool->steps[i].seconds * pool->wait_scale;
	for (size_t i = 0; i < pool->node_count; i++)
		if (pool->nodes[i].kind == MODEL_WAIT && sums[i] > 0 &&
		    (!longest || sums[i] > sums[longest - pool->nodes]))
			longest = &pool->nodes[i];
	if (longest)
		*mean_s = sums[longest - pool->nodes] / (double)pool->visit_count;
	free(sums);
	return longest;
}

static const char *wait_name(const struct model *model, const struct model_node *node)
{
	if (!node || node->station == MODEL_NONE)
		return node ? node->where : NULL;
	return model->stations[node->station].name;
}

static void note_wait(struct report *report, const struct pool_line *line)
{
	const double much = .5;
	char mean[VALUE_SIZE];

	report_note_if(report, line->longest_wait && line->longest_wait_s > much * line->waits_s,
		       "Most other waits of %s: %s, %s a visit.", line->name, line->longest_wait,
		       span(mean, line->longest_wait_s));
}

static void put_pools(struct report *report, const struct model_view *view)
{
	const struct model *model = view->model;

	struct pool_line *lines = xcalloc(model->pool_count + 1, sizeof(*lines));

	for (uint32_t i = 0; i < model->pool_count; i++) {
		const struct model_pool *pool = &model->pools[i];
		const struct model_pool_result *result = &view->result->pools[i];
		const struct model_station_check *check = check_of(model, i, MODEL_NONE);
		double wait_s;
		const char *wait = wait_name(model, longest_wait(&wait_s, pool));

		lines[i] = (struct pool_line){
			.name = pool->name,
			.takes = model->stations[pool->takes].name,
			.dispatch = dispatch_words[pool->dispatch],
			.threads = pool->threads,
			.visits = pool->visit_count,
			.recorded_utilisation = check ? check->utilisation.recorded : NAN,
			.waits_s = fmax(0, result->visit_s - result->cpu_s - result->run_queue_s),
			.cpu_growth = pool->cpu_growth,
			.result = *result,
			.longest_wait = wait,
			.longest_wait_s = wait_s,
		};
	}
	report_table(report, &pool_table, lines, model->pool_count);
	for (uint32_t i = 0; i < model->pool_count; i++) {
		note_wait(report, &lines[i]);
		note_growth(report, &model->pools[i]);
	}
	free(lines);
}

/* --- Stations -------------------------------------------------------------------------------- */

struct station_line {
	const char *name, *kind;
	uint32_t servers;
	double busy; /* for text: NaN of delays and queues */
	struct model_station_result result;
	double recorded_utilisation, recorded_length;
};

static const struct column station_columns[] = {
	{"station", "waits at", UNIT_NONE, -1, FIELD(station_line, name)},
	{"kind", "kind", UNIT_NONE, -1, FIELD(station_line, kind)},
	{"servers", FIELD(station_line, servers)},
	{"arrivals_per_s", "times/s", UNIT_SHORT, FIELD(station_line, result.arrivals_per_s)},
	{NULL, "busy", UNIT_SHARE, FIELD(station_line, busy)},
	{"utilisation", FIELD(station_line, result.utilisation)},
	{"recorded_utilisation", FIELD(station_line, recorded_utilisation)},
	{"length", "waiting", UNIT_SHORT, FIELD(station_line, result.length)},
	{"recorded_length", "recorded", UNIT_SHORT, FIELD(station_line, recorded_length),
	 .detail = true},
	{"wait_s", "mean wait", UNIT_SPAN, FIELD(station_line, result.wait_s)},
};
static const struct table station_table = {.key = "stations", .top = 6, COLUMNS(station_columns)};

/* Returns whether threads or tokens wait at the station, or it is busy. */
static bool station_matters(const struct model_station *station,
			    const struct model_station_result *result)
{
	const double little = .01;

	return station->kind == MODEL_QUEUE || station->kind == MODEL_DELAY ||
	       result->utilisation > little || result->length > little;
}

static void put_station(struct report *report, const struct model_view *view, uint32_t number)
{
	const struct model_station *station = &view->model->stations[number];
	const struct model_station_check *check = check_of(view->model, MODEL_NONE, number);
	const struct model_station_result *result = &view->result->stations[number];
	bool has_servers = station->kind == MODEL_LOCK || station->kind == MODEL_DISK;

	report_row(report,
		   &(struct station_line){station->name,
					  station->group_commit ? "group commit"
								: station_words[station->kind],
					  has_servers ? station->servers : UINT32_MAX,
					  has_servers ? result->utilisation : NAN, *result,
					  check ? check->utilisation.recorded : NAN,
					  check ? check->length.recorded : NAN});
}

/* Adds the stations: first those that matter, and without --all only these. */
static void put_stations(struct report *report, const struct model_view *view)
{
	const struct model *model = view->model;
	uint64_t idle = view->findings ? view->findings->idle_locks : 0;
	struct table table = station_table;
	size_t matter = 0;

	for (uint32_t i = 0; i < model->station_count; i++)
		matter += station_matters(&model->stations[i], &view->result->stations[i]);
	table.top = matter && matter < table.top ? matter : table.top;
	report_begin(report, &table);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < model->station_count; i++)
			if (station_matters(&model->stations[i], &view->result->stations[i]) ==
			    (pass == 0))
				put_station(report, view, i);
	report_end(report);
	for (size_t i = 0; i < model->station_count; i++)
		report_note_if(
			report,
			model->stations[i].kind == MODEL_DISK && !model->stations[i].group_commit,
			"%s serves %u request%s at a time.", model->stations[i].name,
			model->stations[i].servers, plural(model->stations[i].servers, "", "s"));
	report_detail_if(
		report, idle > 0,
		"%" PRIu64
		" lock%s %s left out, as threads hardly ever held %s or never waited for it.",
		idle, plural(idle, "", "s"), plural(idle, "is", "are"), plural(idle, "it", "each"));
}

/* --- Sources --------------------------------------------------------------------------------- */

struct source_line {
	const char *name, *kind;
	double rate, gap_cv, think_s;
	uint32_t clients, threads;
	uint64_t items;
};

static const struct column source_columns[] = {
	{"source", FIELD(source_line, name)},	  {"kind", FIELD(source_line, kind)},
	{"rate_per_s", FIELD(source_line, rate)}, {"gap_cv", FIELD(source_line, gap_cv)},
	{"clients", FIELD(source_line, clients)}, {"think_s", FIELD(source_line, think_s)},
	{"threads", FIELD(source_line, threads)}, {"items", FIELD(source_line, items)},
};
static const struct table source_table = {
	.key = "arrivals", .in = REPORT_JSON, COLUMNS(source_columns)};

static double gap_cv(const struct model_source *source)
{
	return source->gaps.kind == DISTRIBUTION_NONE ? 1 : sqrt(source->gaps.cv2);
}

static void note_source(struct report *report, const struct model_source *source)
{
	char think[VALUE_SIZE], rate[VALUE_SIZE];
	double cv = gap_cv(source);

	if (source->kind == MODEL_BATCH)
		report_note(report, "All work exists from the start, in %" PRIu64 " item%s.",
			    source->items, plural(source->items, "", "s"));
	else if (source->threads)
		report_note(report,
			    "Requests come from %" PRIu32 " client%s of %" PRIu32
			    " thread%s, each of which serves the think time of one client at a "
			    "time: %s (closed).",
			    source->clients, plural(source->clients, "", "s"), source->threads,
			    plural(source->threads, "", "s"), span(think, source->think.mean));
	else if (source->kind == MODEL_CLOSED)
		report_note(report,
			    "Requests come from %" PRIu32 " client%s, each of which waits for its "
			    "answer and thinks for %s (closed). If they send at a rate, forecast "
			    "with --rate.",
			    source->clients, plural(source->clients, "", "s"),
			    span(think, source->think.mean));
	else
		report_note(report,
			    "Requests arrive at %s a second, independent of response times (open), "
			    "%s (CV of gaps %.2f).",
			    format_value(rate, source->rate, UNIT_SHORT),
			    cv < .85	? "more regular than a Poisson process"
			    : cv < 1.15 ? "as a Poisson process"
					: "burstier than a Poisson process",
			    cv);
}

enum { SOURCES_TOLD = 2 };

static void put_sources(struct report *report, const struct model *model)
{
	report_begin(report, &source_table);
	for (size_t i = 0; i < model->source_count; i++) {
		const struct model_source *source = &model->sources[i];

		report_row(report,
			   &(struct source_line){
				   source->name, source_words[source->kind],
				   source->kind == MODEL_OPEN ? source->rate : NAN,
				   source->kind == MODEL_OPEN ? gap_cv(source) : NAN,
				   source->kind == MODEL_CLOSED ? source->think.mean : NAN,
				   source->kind == MODEL_CLOSED ? source->clients : UINT32_MAX,
				   source->threads ? source->threads : UINT32_MAX,
				   source->kind == MODEL_BATCH ? source->items : UINT64_MAX});
	}
	report_end(report);
	for (size_t i = 0; i < model->source_count; i++)
		if (i < SOURCES_TOLD)
			note_source(report, &model->sources[i]);
		else
			report_detail(report, "Requests of %s: %s.", model->sources[i].name,
				      source_words[model->sources[i].kind]);
}

/* --- The self-check -------------------------------------------------------------------------- */

struct check_line {
	const char *what;
	double recorded, model, error;
};

static const struct column check_columns[] = {
	{"number", FIELD(check_line, what)},
	{"recorded", FIELD(check_line, recorded)},
	{"model", FIELD(check_line, model)},
	{"error", FIELD(check_line, error)},
};
static const struct table check_table = {.key = "check", .in = REPORT_JSON, COLUMNS(check_columns)};

static void note_check(struct report *report, const struct model_view *view, bool batch)
{
	const struct model_check *check = &view->model->check;
	char rate[VALUE_SIZE], mean[VALUE_SIZE], p95[VALUE_SIZE];

	if (batch)
		report_note(report, "Self-check: %s%s, %.0f %% off the recording.",
			    span(mean, check->wall_s.model),
			    check->wall_s.model > 1.05 * view->result->wall_s
				    ? " including waits for cores that other programs used"
				    : "",
			    100 * fabs(model_checked_error(&check->wall_s)));
	else if (isnan(check->response_s.recorded))
		report_note(report, "Self-check: %s requests a second, %.0f %% off the recording.",
			    format_value(rate, check->throughput_per_s.model, UNIT_SHORT),
			    100 * fabs(model_checked_error(&check->throughput_per_s)));
	else
		report_note(report,
			    "Self-check: the model gives %s requests a second, %s and %s, which is "
			    "%.0f, %.0f and %.0f %% off the recording.",
			    format_value(rate, check->throughput_per_s.model, UNIT_SHORT),
			    span(mean, check->response_s.model),
			    span(p95, check->response_p95_s.model),
			    100 * fabs(model_checked_error(&check->throughput_per_s)),
			    100 * fabs(model_checked_error(&check->response_s)),
			    100 * fabs(model_checked_error(&check->response_p95_s)));
}

static void put_check(struct report *report, const struct model_view *view)
{
	const struct model_check *check = &view->model->check;
	const struct {
		const char *what;
		const struct model_checked *checked;
	} numbers[] = {
		{"throughput_per_s", &check->throughput_per_s},
		{"response_s", &check->response_s},
		{"response_p95_s", &check->response_p95_s},
		{"busy_cores", &check->busy_cores},
		{"wall_s", &check->wall_s},
		{"run_queue_s", &check->run_queue_s},
	};

	if (!view->model->has_check) {
		report_detail(report,
			      "The model does not come from a recording: there is no self-check.");
		return;
	}
	report_begin(report, &check_table);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct model_checked *checked = numbers[i].checked;

		if (!isnan(checked->recorded))
			report_row(report, &(struct check_line){numbers[i].what, checked->recorded,
								checked->model,
								model_checked_error(checked)});
	}
	report_end(report);
	note_check(report, view, !isnan(view->result->wall_s));
}

/* --- All of it ------------------------------------------------------------------------------- */

struct model_facts {
	const char *made_from, *limit;
	uint32_t cores;
	double throughput_per_s, response_s, response_p95_s, wall_s, busy_cores, full_per_s;
	double slope, slope_lo, slope_hi, gap_cv, dispersion, unjoined_share;
	uint64_t requests, odd_gets, idle_locks;
};

static const struct column fact_columns[] = {
	{"made_from", FIELD(model_facts, made_from)},
	{"cores", FIELD(model_facts, cores)},
	{"throughput_per_s", FIELD(model_facts, throughput_per_s)},
	{"response_s", FIELD(model_facts, response_s)},
	{"response_p95_s", FIELD(model_facts, response_p95_s)},
	{"wall_s", FIELD(model_facts, wall_s)},
	{"busy_cores", FIELD(model_facts, busy_cores)},
	{"busiest", FIELD(model_facts, limit)},
	{"full_per_s", FIELD(model_facts, full_per_s)},
	{"recorded_requests", FIELD(model_facts, requests)},
	{"arrivals_slope", FIELD(model_facts, slope)},
	{"arrivals_slope_lo", FIELD(model_facts, slope_lo)},
	{"arrivals_slope_hi", FIELD(model_facts, slope_hi)},
	{"gap_cv", FIELD(model_facts, gap_cv)},
	{"dispersion", FIELD(model_facts, dispersion)},
	{"unjoined_share", FIELD(model_facts, unjoined_share)},
	{"odd_gets", FIELD(model_facts, odd_gets)},
	{"idle_locks", FIELD(model_facts, idle_locks)},
};
static const struct table fact_table = {
	.layout = LAYOUT_FACTS, .in = REPORT_JSON, COLUMNS(fact_columns)};

static void put_facts(struct report *report, const struct model_view *view,
		      const struct model_busiest *busiest, const char *limit)
{
	static const struct model_findings none = {
		.arrivals = {NAN, NAN, NAN, NAN, NAN, false},
		.requests = UINT64_MAX,
		.unjoined_share = NAN,
		.odd_gets = UINT64_MAX,
		.idle_locks = UINT64_MAX,
	};
	const struct model_findings *findings = view->findings ? view->findings : &none;
	const struct model_arrivals_found *arrivals = &findings->arrivals;
	const struct model_result *result = view->result;

	report_table(report, &fact_table,
		     (&(struct model_facts){
			     view->model->made_from, limit, view->model->machine.cores,
			     result->throughput_per_s, result->response_s, result->response_p95_s,
			     result->wall_s, result->busy_cores, busiest->full_per_s,
			     arrivals->slope, arrivals->slope_lo, arrivals->slope_hi,
			     arrivals->gap_cv, arrivals->dispersion, findings->unjoined_share,
			     findings->requests, findings->odd_gets, findings->idle_locks}),
		     1);
}

static void put_limit(struct report *report, const struct model_view *view)
{
	const struct model_busiest busiest = model_busiest_of(view->model, view->result);
	char *limit = model_limit_text(view->model, busiest.kind, busiest.index);
	bool open = !view->result->grows && isnan(view->result->wall_s);
	char full[VALUE_SIZE];

	put_facts(report, view, &busiest, limit);
	report_note_if(report, limit && open,
		       "Busiest: %s, %.0f %%; full at about %s requests a second.", limit,
		       100 * busiest.utilisation,
		       format_value(full, busiest.full_per_s, UNIT_SHORT));
	report_note_if(report, limit && !open, "Busiest: %s, %.0f %%.", limit,
		       100 * busiest.utilisation);
	free(limit);
}

/* With twice as many threads of the pool that is busiest, or else of the first. */
static void put_next(struct report *report, const struct model_view *view)
{
	const struct model *model = view->model;
	const struct model_busiest busiest = model_busiest_of(model, view->result);
	uint32_t at = busiest.kind == MODEL_LIMIT_POOL ? busiest.index : 0;
	const struct model_pool *pool = at < model->pool_count ? &model->pools[at] : NULL;
	char *name, *refusal;

	if (!view->again || !pool || pool->fixed || busiest.kind == MODEL_LIMIT_SOURCE)
		return;
	refusal = model_check_refusal(model);
	name = model->pool_count > 1 ? shell_quote((const char *const[]){pool->name, NULL})
				     : xstrdup("");
	report_next_step(report, "pscal forecast %s--threads %s%s%" PRIu32 ",%" PRIu32 "%s",
			 refusal ? "--trust " : "", name, *name ? "=" : "", pool->threads,
			 2 * pool->threads, view->again);
	free(refusal);
	free(name);
}

void report_model(struct report *report, const struct model_view *view)
{
	put_verdict(report, view);
	put_alerts(report, view);
	put_pools(report, view);
	put_stations(report, view);
	put_sources(report, view->model);
	put_limit(report, view);
	put_check(report, view);
	put_next(report, view);
}
