/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/forecast/model_forecast.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/monotonic.h"
#include "model/forecast/forecast_private.h"
#include "replay/simulate/replays.h"
#include "replay/simulate/simulation.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_REQUESTS_MOST = 1000000 };

/* --- A model in another configuration --------------------------------------------------------- */

double model_rate(const struct model *model)
{
	double rate = 0;

	for (size_t i = 0; i < model->source_count; i++)
		rate += model->sources[i].kind == MODEL_OPEN ? model->sources[i].rate : 0;
	return rate;
}

uint32_t model_clients(const struct model *model)
{
	uint32_t clients = 0;

	for (size_t i = 0; i < model->source_count; i++)
		clients += model->sources[i].kind == MODEL_CLOSED ? model->sources[i].clients : 0;
	return clients;
}

static void *copied(const void *items, size_t count, size_t size)
{
	void *copy = xcalloc(count + 1, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

/* Drops closed sources without a client. */
static void drop_idle_sources(struct model *own)
{
	size_t kept = 0;

	for (size_t i = 0; i < own->source_count; i++)
		if (own->sources[i].kind != MODEL_CLOSED || own->sources[i].clients)
			own->sources[kept++] = own->sources[i];
	own->source_count = kept;
}

/* Gives each open source its share of the rate, and each closed one of the clients. */
static void share_load(struct model *own, const struct model_configuration *configuration)
{
	double rate = model_rate(own), clients = model_clients(own), before = 0;

	for (size_t i = 0; i < own->source_count; i++) {
		struct model_source *source = &own->sources[i];

		if (source->kind == MODEL_OPEN && configuration->rate > 0)
			source->rate *= configuration->rate / rate;
		if (source->kind == MODEL_CLOSED && configuration->clients) {
			double scale = configuration->clients / clients;
			double after = before + source->clients;

			source->clients =
				(uint32_t)(floor(after * scale + .5) - floor(before * scale + .5));
			before = after;
		}
	}
}

static uint32_t threads_of(const struct model_pool *pool,
			   const struct model_configuration *configuration, bool asked)
{
	if (asked && configuration->threads)
		return configuration->threads;
	return pool->forks && configuration->clients ? configuration->clients : pool->threads;
}

/* Sets the threads; clients of each thread are known only for the recorded number. */
static void set_threads(struct model_pool *pool, uint32_t threads)
{
	if (threads != pool->threads)
		pool->connection_count = 0;
	pool->threads = threads;
}

void model_configure(struct model *own, const struct model *model, uint32_t pool,
		     const struct model_configuration *configuration)
{
	*own = *model;
	own->sources = copied(model->sources, model->source_count, sizeof(*own->sources));
	own->pools = copied(model->pools, model->pool_count, sizeof(*own->pools));
	for (size_t i = 0; i < own->pool_count; i++) {
		own->pools[i].visits = copied(model->pools[i].visits, model->pools[i].visit_count,
					      sizeof(*own->pools[i].visits));
		set_threads(&own->pools[i], threads_of(&model->pools[i], configuration, i == pool));
	}
	share_load(own, configuration);
	if (configuration->clients)
		drop_idle_sources(own);
	if (configuration->cores)
		own->machine.cores = configuration->cores;
}

void model_configured_end(struct model *own)
{
	for (size_t i = 0; i < own->pool_count; i++)
		free(own->pools[i].visits);
	free(own->pools);
	free(own->sources);
}

/* --- Checks of the question ------------------------------------------------------------------- */

static int check_values(const struct model_values *list, const char *option, double most,
			bool is_whole, struct err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		double value = list->values[i];

		if (!(value >= (is_whole ? 1 : 0) && value <= most && value > 0) ||
		    (is_whole && value != floor(value)))
			return err_set(err, "%s %.10g: is %s", option, value,
				       is_whole ? "not a number from 1 on, or too many"
						: "not a rate in requests a second");
	}
	return 0;
}

/* Returns the pools whose threads may be chosen: "a, b and c"; the caller frees it. */
static char *free_pools(const struct model *model)
{
	char *list = NULL;

	for (size_t i = 0; i < model->pool_count; i++)
		if (!model->pools[i].fixed)
			xappend(&list, ", ", "%s", model->pools[i].name);
	return list;
}

static bool takes_requests(const struct model *model, const struct model_pool *pool)
{
	for (size_t i = 0; i < model->source_count; i++)
		for (size_t j = 0; j < model->sources[i].to_count; j++)
			if (model->sources[i].to[j] == pool->takes)
				return true;
	return false;
}

/* Returns the only pool that is not fixed (`taking`: and takes requests); MODEL_NONE: several. */
static uint32_t only_pool(const struct model *model, bool taking)
{
	uint32_t only = MODEL_NONE;

	for (uint32_t i = 0; i < model->pool_count; i++) {
		if (model->pools[i].fixed || (taking && !takes_requests(model, &model->pools[i])))
			continue;
		if (only != MODEL_NONE)
			return MODEL_NONE;
		only = i;
	}
	return only;
}

/* Sets the pool of --threads if the user named none; MODEL_NONE: unclear. */
static void choose_pool(uint32_t *pool, const struct model *model)
{
	if (*pool < model->pool_count)
		return;
	*pool = only_pool(model, false);
	if (*pool == MODEL_NONE)
		*pool = only_pool(model, true);
}

static int check_pool(uint32_t pool, const struct model *model, struct err *err)
{
	const struct model_pool *fixed = pool < model->pool_count ? &model->pools[pool] : NULL;
	char *list;

	if (fixed && !fixed->fixed)
		return 0;
	if (fixed || model->pool_count == 1) {
		fixed = fixed ? fixed : model->pools;
		return err_set(err,
			       "--threads: the program itself sets the number of threads of %s%s%s",
			       fixed->name, fixed->why_fixed ? ": " : "",
			       fixed->why_fixed ? fixed->why_fixed : "");
	}
	list = free_pools(model);
	if (list)
		err_set(err, "--threads: name the pool as POOL=LIST; there are %s", list);
	else
		err_set(err,
			"--threads: the program itself sets the number of threads of its pools");
	free(list);
	return -1;
}

/* Returns whether the only source is open, and the question is about clients. */
static bool becomes_closed(const struct model *model, const struct model_question *question)
{
	return question->clients.count && !isnan(question->think_s) && !question->rates.count &&
	       model->source_count == 1 && model->sources[0].kind == MODEL_OPEN;
}

/* Returns whether the only source is closed, and the question is about a rate. */
static bool becomes_open(const struct model *model, const struct model_question *question)
{
	return question->rates.count && !question->clients.count && isnan(question->think_s) &&
	       model->source_count == 1 && model->sources[0].kind == MODEL_CLOSED;
}

static int check_load(const struct model *model, const struct model_question *question,
		      struct err *err)
{
	double rate = model_rate(model);
	uint32_t clients = model_clients(model);
	bool batch = !(rate > 0) && !clients;

	if (question->rates.count && batch)
		return err_set(err, "--rate: all items exist from the start, and none arrive");
	if (question->rates.count && !(rate > 0) && !becomes_open(model, question))
		return err_set(
			err,
			"--rate: the rate follows from %u clients that wait for their answers; "
			"give a number as --rate 600 for independent requests, or --clients LIST",
			clients);
	if ((question->clients.count || !isnan(question->think_s)) && batch)
		return err_set(err, "%s: all items exist from the start; say --threads LIST",
			       question->clients.count ? "--clients" : "--think");
	if ((question->clients.count || !isnan(question->think_s)) && !clients &&
	    !becomes_closed(model, question))
		return err_set(err,
			       "%s: requests arrive independently of earlier answers; say --rate "
			       "LIST, or for clients that wait --clients LIST --think TIME",
			       question->clients.count ? "--clients" : "--think");
	if (!isnan(question->think_s) &&
	    !(question->think_s >= 0 && question->think_s <= DISTRIBUTION_MEAN_MAX))
		return err_set(err, "--think %g: is not a time", question->think_s);
	return 0;
}

static int check_goal(const struct model *model, const struct model_question *question,
		      struct err *err)
{
	const struct model_goal *goal = &question->goal;
	bool batch = !(model_rate(model) > 0) && !model_clients(model);

	if (goal->metric == MODEL_GOAL_NONE)
		return 0;
	if (batch)
		return err_set(err, "--goal: is for response times, and a program that processes a "
				    "batch has none");
	if (!(goal->seconds > 0))
		return err_set(err, "--goal: give a response time above 0");
	return 0;
}

static int check_question(uint32_t *pool, const struct model *model,
			  const struct model_question *question, struct err *err)
{
	const struct model_goal *goal = &question->goal;
	bool asks_threads = question->threads.count || question->pool != MODEL_NONE ||
			    (goal->metric != MODEL_GOAL_NONE && !goal->load);

	if (check_values(&question->threads, "--threads", MODEL_THREADS_MAX, true, err) ||
	    check_values(&question->clients, "--clients", MODEL_THREADS_MAX, true, err) ||
	    check_values(&question->cores, "--cores", SIMULATION_CORES_MAX, true, err) ||
	    check_values(&question->rates, "--rate", 1e9, false, err) ||
	    check_load(model, question, err) || check_goal(model, question, err))
		return -1;
	*pool = question->pool;
	choose_pool(pool, model);
	return asks_threads ? check_pool(*pool, model, err) : 0;
}

/* --- Requested rows --------------------------------------------------------------------------- */

/* Sets the think time; each client then thinks by itself. */
static void set_think(struct model_source *source, double think_s)
{
	struct distribution *think = &source->think;

	source->threads = 0;
	if (think->mean > 0 && think_s > 0) {
		distribution_scale(think, think_s / think->mean);
		return;
	}
	distribution_release(think);
	*think = (struct distribution){.kind = DISTRIBUTION_NONE};
	if (think_s > 0)
		*think = (struct distribution){
			.kind = DISTRIBUTION_EXPONENTIAL, .mean = think_s, .cv2 = 1};
}

/* Copies the model, and applies --set and --think. The caller releases it after 0. */
static int set_model(struct model *changed, const struct model *model,
		     const struct model_question *question, struct err *err)
{
	int rc = 0;

	model_copy(changed, model);
	for (size_t i = 0; !rc && i < question->setting_count; i++) {
		const struct model_setting *setting = &question->settings[i];

		if (model_set(changed, setting->name, setting->value, err))
			rc = err_wrap(err, "--set %s", setting->name);
	}
	if (!rc && becomes_closed(changed, question)) {
		changed->sources[0].kind = MODEL_CLOSED;
		changed->sources[0].clients = 1;
	}
	if (!rc && becomes_open(changed, question)) {
		changed->sources[0].kind = MODEL_OPEN;
		changed->sources[0].clients = changed->sources[0].threads = 0;
		changed->sources[0].rate = 1; /* each row has its own rate */
	}
	for (size_t i = 0; !rc && i < changed->source_count && !isnan(question->think_s); i++)
		if (changed->sources[i].kind == MODEL_CLOSED)
			set_think(&changed->sources[i], question->think_s);
	if (rc)
		model_release(changed);
	return rc;
}

static size_t list_size(const struct model_values *list)
{
	return list->count ? list->count : 1;
}

static double list_value(const struct model_values *list, size_t i, double usual)
{
	return list->count ? list->values[i] : usual;
}

/* Makes all combinations. Returns 0, or -1 and an error if they are too many. */
static int make_grid(struct model_configuration **grid, size_t *count,
		     const struct model_question *question, struct err *err)
{
	const struct model_values *lists[] = {&question->threads, &question->rates,
					      &question->clients, &question->cores};
	size_t size = 1;

	for (size_t i = 0; i < 4; i++) {
		if (list_size(lists[i]) > MODEL_ROWS_MAX / size)
			return err_set(err, "the lists make more than %d combinations",
				       MODEL_ROWS_MAX);
		size *= list_size(lists[i]);
	}
	*grid = xcalloc(size, sizeof(**grid));
	for (size_t i = 0; i < size; i++) {
		size_t at[4], rest = i;

		for (size_t j = 4; j-- > 0; rest /= list_size(lists[j]))
			at[j] = rest % list_size(lists[j]);
		(*grid)[i] = (struct model_configuration){
			.threads = (uint32_t)list_value(&question->threads, at[0], 0),
			.rate = list_value(&question->rates, at[1], NAN),
			.clients = (uint32_t)list_value(&question->clients, at[2], 0),
			.cores = (uint32_t)list_value(&question->cores, at[3], 0),
		};
	}
	*count = size;
	return 0;
}

/* --- Parallel work ---------------------------------------------------------------------------- */

struct forecast_work {
	const struct model *model;    /* model with the settings of the question */
	const struct model *recorded; /* model without these settings */
	const struct model_question *question;
	uint32_t pool;
	struct model_configuration *grid;
	size_t count;
	struct model_forecast_row *rows;
	struct model_replicate *replicates; /* [row][MODEL_REPLICATES] */
	struct err *errors;		    /* [row]; empty: no error */
	uint64_t deadline_ns;		    /* 0: none */
	atomic_bool late;
};

uint64_t model_requests_most(const struct model_question *question, uint64_t usual)
{
	return question->requests_most && question->requests_most < usual ? question->requests_most
									  : usual;
}

static void search_piece(void *context, size_t i)
{
	struct forecast_work *work = context;

	model_goal_search(&work->grid[i], work->model, work->pool, work->question,
			  &work->errors[i]);
}

static void run_row(struct forecast_work *work, size_t i)
{
	const struct model_run_request request = {
		.seed = 1,
		.requests_most = model_requests_most(work->question, ROW_REQUESTS_MOST),
	};
	struct model own;

	model_configure(&own, work->model, work->pool, &work->grid[i]);
	if (model_run(&work->rows[i].result, &own, &request, &work->errors[i]))
		work->rows[i].result = (struct model_result){0};
	model_configured_end(&own);
}

static int run_replicate(struct forecast_work *work, size_t i, struct err *err)
{
	const struct model_configuration *configuration = &work->grid[i / MODEL_REPLICATES];
	struct model own;
	int rc;

	model_configure(&own, work->model, work->pool, configuration);
	rc = model_replicate_run(&work->replicates[i], &own, &work->recorded->check, work->question,
				 1 + i % MODEL_REPLICATES, err);
	model_configured_end(&own);
	return rc;
}

/* Runs a piece: first the rows, which take longest, then their replicates. */
static void row_piece(void *context, size_t piece)
{
	struct forecast_work *work = context;
	struct err ignored;
	size_t i = piece - work->count;

	if (work->deadline_ns && monotonic_ns() > work->deadline_ns)
		work->late = true;
	if (work->late)
		return;
	if (piece < work->count)
		run_row(work, piece);
	else if (run_replicate(work, i, &ignored))
		work->replicates[i].failed = true;
}

struct forecast_progress {
	const struct model_question *question;
	uint64_t size;
};

static void show_pieces(void *context, size_t done)
{
	struct forecast_progress *progress = context;

	if (progress->question->show)
		progress->question->show(progress->question->context, done, progress->size);
}

/* Returns 0, or -1 and the first error. */
static int first_failure(struct forecast_work *work, size_t replicates, struct err *err)
{
	for (size_t i = 0; i < work->count; i++)
		if (*work->errors[i].text) {
			*err = work->errors[i];
			return -1;
		}
	for (size_t i = 0; i < replicates; i++)
		if (work->replicates[i].failed)
			return run_replicate(work, i, err);
	return 0;
}

static int work_in_pieces(struct forecast_work *work, void (*piece)(void *context, size_t i),
			  size_t pieces, struct err *err)
{
	struct forecast_progress progress = {work->question, pieces};
	int rc;

	work->errors = xcalloc(work->count, sizeof(*work->errors));
	side_by_side_run(&(struct side_by_side){piece, work, 0, show_pieces, &progress}, pieces);
	rc = work->late ? 0 : first_failure(work, work->replicates ? pieces - work->count : 0, err);
	free(work->errors);
	return rc;
}

/* --- A goal ----------------------------------------------------------------------------------- */

/* Adds a row with one thread less for each goal that is met, for comparison. */
static void add_neighbours(struct forecast_work *work)
{
	struct model_configuration *grid = xcalloc(2 * work->count, sizeof(*grid));
	size_t count = 0;

	for (size_t i = 0; i < work->count; i++) {
		const struct model_configuration *found = &work->grid[i];

		if (found->meets_goal && found->threads > 1) {
			grid[count] = *found;
			grid[count].threads--;
			grid[count++].meets_goal = false;
		}
		grid[count++] = *found;
	}
	free(work->grid);
	work->grid = grid;
	work->count = count;
}

static int search_all(struct forecast_work *work, struct err *err)
{
	if (work->question->goal.metric == MODEL_GOAL_NONE)
		return 0;
	if (work_in_pieces(work, search_piece, work->count, err))
		return -1;
	if (!work->question->goal.load)
		add_neighbours(work);
	return 0;
}

/* --- The values of a row ---------------------------------------------------------------------- */

static double queue_recorded(const struct model *recorded, size_t station)
{
	const struct model_check *check = &recorded->check;

	for (size_t i = 0; i < check->item_count; i++) {
		const struct model_station_check *item = &check->items[i];
		uint32_t own = item->pool < recorded->pool_count ? recorded->pools[item->pool].takes
								 : item->station;

		if (own == station && !isnan(item->length.recorded))
			return item->length.recorded;
	}
	return NAN;
}

/* Returns whether a batch fills the queue, whose length then means nothing. */
static bool is_of_batch(const struct model *model, size_t station)
{
	for (size_t i = 0; i < model->source_count; i++)
		for (size_t j = 0;
		     model->sources[i].kind == MODEL_BATCH && j < model->sources[i].to_count; j++)
			if (model->sources[i].to[j] == station)
				return true;
	return false;
}

static double extrapolated_by(const struct model_forecast_row *row, const struct model *recorded,
			      uint32_t pool)
{
	uint32_t clients = model_clients(recorded);
	double rate = model_rate(recorded);
	double most = (double)row->cores / recorded->machine.cores;

	if (!recorded->has_check)
		return NAN;
	if (pool < recorded->pool_count)
		most = fmax(most, (double)row->threads / recorded->pools[pool].threads);
	if (rate > 0)
		most = fmax(most, row->rate / rate);
	if (clients)
		most = fmax(most, (double)row->clients / clients);
	for (size_t i = 0; i < recorded->station_count && !row->result.grows; i++) {
		double length = row->result.stations[i].length;

		if (recorded->stations[i].kind == MODEL_QUEUE && length > 1 &&
		    !is_of_batch(recorded, i))
			most = fmax(most, length / fmax(1, queue_recorded(recorded, i)));
	}
	return most;
}

static void finish_row(struct model_forecast_row *row, const struct forecast_work *work,
		       uint32_t pool, size_t i)
{
	const struct model_configuration *configuration = &work->grid[i];
	const struct model_goal *goal = &work->question->goal;
	const struct model *model = work->model;
	const struct model_interval *aim;
	double rate = model_rate(model);

	row->threads = pool < model->pool_count
			       ? threads_of(&model->pools[pool], configuration, true)
			       : configuration->threads;
	row->rate = configuration->rate > 0 ? configuration->rate : rate > 0 ? rate : NAN;
	row->clients = configuration->clients ? configuration->clients : model_clients(model);
	row->cores = configuration->cores ? configuration->cores : model->machine.cores;
	model_intervals_set(row, &work->replicates[i * MODEL_REPLICATES], MODEL_REPLICATES);
	row->extrapolated = extrapolated_by(row, work->recorded, pool);
	aim = goal->metric == MODEL_GOAL_P95 ? &row->response_p95_s : &row->response_s;
	row->meets_goal = configuration->meets_goal;
	row->goal_sure = row->meets_goal ? aim->hi <= goal->seconds : !(aim->lo <= goal->seconds);
}

/* --- The best --------------------------------------------------------------------------------- */

/* Returns the time that a row takes; infinite: overloaded, or requests are lost. */
static double time_of(const struct model_forecast_row *row)
{
	const struct model_result *result = &row->result;

	if (result->grows || model_loses(result))
		return INFINITY;
	if (!isnan(result->wall_s))
		return result->wall_s;
	return isnan(result->response_s) ? 1 / result->throughput_per_s : result->response_s;
}

/* Returns whether a row is hardly worse than the other one, or not at all. */
static bool is_as_good(const struct model_forecast_row *row, const struct model_forecast_row *other)
{
	const double same = 1.03, same_p95 = 1.05;

	return time_of(row) <= same * time_of(other) &&
	       !(row->result.response_p95_s > same_p95 * other->result.response_p95_s);
}

static double load_of(const struct model_forecast_row *row)
{
	return (row->rate > 0 ? row->rate : 0) + row->clients;
}

/* Returns the best row with the highest load. */
static size_t best_row(const struct model_forecast *forecast)
{
	double load = 0, least = INFINITY;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < forecast->row_count; i++)
		load = fmax(load, load_of(&forecast->rows[i]));
	for (size_t i = 0; i < forecast->row_count; i++)
		if (load_of(&forecast->rows[i]) >= load && time_of(&forecast->rows[i]) < least) {
			least = time_of(&forecast->rows[i]);
			best = i;
		}
	for (size_t i = 0; i < best && best != SIZE_MAX; i++)
		if (load_of(&forecast->rows[i]) >= load &&
		    is_as_good(&forecast->rows[i], &forecast->rows[best]))
			return i;
	return best;
}

/* --- All of the forecast ---------------------------------------------------------------------- */

static void drop_rows(struct model_forecast *forecast)
{
	for (size_t i = 0; i < forecast->row_count; i++)
		model_result_release(&forecast->rows[i].result);
	free(forecast->rows);
	forecast->rows = NULL;
	forecast->row_count = 0;
}

static int make_rows(struct model_forecast *forecast, struct forecast_work *work, struct err *err)
{
	int rc;

	forecast->searches = work->count;
	if (search_all(work, err))
		return -1;
	for (size_t i = 0; i < work->count; i++)
		forecast->goals_met += work->grid[i].meets_goal;
	forecast->rows = work->rows = xcalloc(work->count, sizeof(*work->rows));
	forecast->row_count = work->count;
	work->replicates = xcalloc(work->count * MODEL_REPLICATES, sizeof(*work->replicates));
	rc = work_in_pieces(work, row_piece, work->count * (1 + MODEL_REPLICATES), err);
	forecast->late = work->late;
	for (size_t i = 0; !rc && !work->late && i < work->count; i++)
		finish_row(&forecast->rows[i], work, forecast->pool, i);
	free(work->replicates);
	if (work->late)
		drop_rows(forecast);
	forecast->best = rc ? SIZE_MAX : best_row(forecast);
	return rc;
}

int model_forecast_make(struct model_forecast *forecast, const struct model *model,
			const struct model_question *question, struct err *err)
{
	struct forecast_work work = {.recorded = model, .question = question};
	double most_ns = 1e9 * question->seconds_most;
	struct model changed;
	int rc;

	*forecast = (struct model_forecast){.pool = MODEL_NONE, .best = SIZE_MAX};
	if (check_question(&work.pool, model, question, err) ||
	    set_model(&changed, model, question, err))
		return -1;
	forecast->pool = work.pool == MODEL_NONE && model->pool_count == 1 ? 0 : work.pool;
	forecast->goal = question->goal;
	forecast->reason = model_check_refusal(model);
	forecast->refused = forecast->reason && !question->trust;
	work.model = &changed;
	work.deadline_ns = most_ns > 0 ? monotonic_ns() + (uint64_t)most_ns : 0;
	rc = make_grid(&work.grid, &work.count, question, err);
	if (!rc && !forecast->refused)
		rc = make_rows(forecast, &work, err);
	free(work.grid);
	model_release(&changed);
	if (rc)
		model_forecast_release(forecast);
	return rc;
}

void model_forecast_release(struct model_forecast *forecast)
{
	drop_rows(forecast);
	free(forecast->reason);
	*forecast = (struct model_forecast){.pool = MODEL_NONE, .best = SIZE_MAX};
}
