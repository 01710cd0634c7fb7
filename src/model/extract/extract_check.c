/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/extract/extraction.h"

#include "base/alloc.h"
#include "base/sorted.h"

#include <math.h>
#include <stdlib.h>

static struct model_checked recorded(double value)
{
	return (struct model_checked){.recorded = value, .model = NAN};
}

/* --- Requests --------------------------------------------------------------------------------- */

static bool is_answered(const struct request *request)
{
	return request->done_ns && request->done_ns >= request->put_ns;
}

/*
 * Returns the time of all answers at the rate of the middle nine tenths: if clients have a fixed
 * number of requests, the last answers come late, when most clients have ended.
 */
static double find_window(const struct extraction *extraction)
{
	const size_t least = 100;
	double *ends_s = xcalloc(extraction->request_count + 1, sizeof(*ends_s));
	double window_s = (double)(extraction->end_ns - extraction->begin_ns) / 1e9;
	size_t count = 0, cut;

	for (size_t i = 0; i < extraction->request_count; i++)
		if (is_answered(&extraction->requests[i]))
			ends_s[count++] = (double)extraction->requests[i].done_ns / 1e9;
	sort_items(ends_s, count, compare_doubles);
	cut = count / 20;
	if (count >= least && ends_s[count - 1 - cut] > ends_s[cut])
		window_s = (ends_s[count - 1 - cut] - ends_s[cut]) / (double)(count - 1 - 2 * cut) *
			   (double)count;
	free(ends_s);
	return window_s;
}

static void check_responses(struct extraction *extraction, double window_s)
{
	struct model_check *check = &extraction->model->check;
	double *responses_s = xcalloc(extraction->request_count + 1, sizeof(*responses_s));
	double sum_s = 0;
	size_t count = 0;

	for (size_t i = 0; i < extraction->request_count; i++) {
		const struct request *request = &extraction->requests[i];

		if (!is_answered(request))
			continue;
		responses_s[count] = (double)(request->done_ns - request->put_ns) / 1e9;
		sum_s += responses_s[count++];
	}
	sort_items(responses_s, count, compare_doubles);
	extraction->findings->requests = count;
	check->throughput_per_s = recorded(window_s > 0 ? (double)count / window_s : NAN);
	check->response_s = recorded(count ? sum_s / (double)count : NAN);
	check->response_p95_s =
		recorded(count ? responses_s[(size_t)((double)(count - 1) * .95)] : NAN);
	check->busy_cores =
		recorded(window_s > 0 ? (double)extraction->cpu_ns / 1e9 / window_s : NAN);
	check->wall_s = check->run_queue_s = recorded(NAN);
	free(responses_s);
}

double extraction_run_queue_s(const struct extraction *extraction, uint32_t thread)
{
	const struct program_gaps *gaps = &extraction->program->gaps[thread];
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < gaps->count; i++)
		sum_ns += gaps->items[i].kind == GAP_READY
				  ? gaps->items[i].end_ns - gaps->items[i].begin_ns
				  : gaps->items[i].ready_ns;
	return (double)sum_ns / 1e9;
}

/* Returns the mean run-queue wait of the threads of the pool with the most CPU time. */
static double find_run_queue(const struct extraction *extraction)
{
	const struct group *most = NULL;
	double sum_s = 0;

	for (size_t i = 0; i < extraction->group_count; i++) {
		const struct group *group = &extraction->groups[i];

		if (group->pool != MODEL_NONE && (!most || group->run_ns > most->run_ns))
			most = group;
	}
	for (uint32_t i = 0; most && i < extraction->program->thread_count; i++)
		if (group_of(extraction, i) == most)
			sum_s += extraction_run_queue_s(extraction, i);
	return most ? sum_s / extraction->model->pools[most->pool].threads : NAN;
}

/* Sets the wall time of a batch. The start of the first item is unknown: a mean visit stands in. */
static void check_wall(struct extraction *extraction)
{
	struct model_check *check = &extraction->model->check;
	double sum_s = 0, count = 0;

	for (size_t i = 0; i < extraction->visit_count; i++) {
		const struct visit *visit = &extraction->visits[i];

		if (visit->site != PROGRAM_NONE || !visit->end_ns)
			continue;
		sum_s += (double)(visit->end_ns - visit->begin_ns) / 1e9;
		count++;
	}
	check->wall_s = recorded((double)(extraction->end_ns - extraction->begin_ns) / 1e9 +
				 (count > 0 ? sum_s / count : 0));
	check->response_s = check->response_p95_s = recorded(NAN);
	check->run_queue_s = recorded(find_run_queue(extraction));
}

/* --- Pools and stations ----------------------------------------------------------------------- */

struct sums {
	double *busy_s;	  /* [pool]: busy time of its threads */
	double *queued_s; /* [station]: waiting time of its tokens */
};

static void sum_visits(struct sums *sums, const struct extraction *extraction)
{
	for (size_t i = 0; i < extraction->visit_count; i++) {
		const struct visit *visit = &extraction->visits[i];
		uint32_t pool = group_of(extraction, visit->thread)->pool;
		uint64_t put_ns = visit->put == MODEL_NONE ? 0 : extraction->puts[visit->put].at_ns;

		if (pool == MODEL_NONE)
			continue;
		if (visit->end_ns)
			sums->busy_s[pool] += (double)(visit->end_ns - visit->begin_ns) / 1e9;
		if (visit->put != MODEL_NONE && put_ns < visit->begin_ns)
			sums->queued_s[extraction->model->pools[pool].takes] +=
				(double)(visit->begin_ns - put_ns) / 1e9;
	}
}

static void add_item(struct model_check *check, uint32_t station, uint32_t pool, double utilisation,
		     double length)
{
	check->items[check->item_count++] = (struct model_station_check){
		station, pool, recorded(utilisation), recorded(length)};
}

static void check_locks(struct extraction *extraction, double window_s)
{
	struct model *model = extraction->model;

	for (size_t i = 0; i < extraction->program->site_count; i++) {
		const struct model_object *object = &extraction->objects[i];

		if (object->station == MODEL_NONE ||
		    model->stations[object->station].kind != MODEL_LOCK)
			continue;
		add_item(&model->check, object->station, MODEL_NONE,
			 (double)object->held_ns / 1e9 / window_s /
				 model->stations[object->station].servers,
			 (double)object->waited_ns / 1e9 / window_s);
	}
}

static void check_items(struct extraction *extraction, double window_s)
{
	struct model *model = extraction->model;
	struct sums sums = {xcalloc(model->pool_count + 1, sizeof(double)),
			    xcalloc(model->station_count + 1, sizeof(double))};

	model->check.items =
		xcalloc(model->pool_count + model->station_count + 1, sizeof(*model->check.items));
	sum_visits(&sums, extraction);
	for (uint32_t i = 0; i < model->pool_count; i++)
		add_item(&model->check, MODEL_NONE, i,
			 sums.busy_s[i] / window_s / model->pools[i].threads, NAN);
	for (uint32_t i = 0; i < model->station_count; i++)
		if (model->stations[i].kind == MODEL_QUEUE)
			add_item(&model->check, i, MODEL_NONE, NAN, sums.queued_s[i] / window_s);
	check_locks(extraction, window_s);
	if (extraction->disk != MODEL_NONE)
		model->check.items[model->check.item_count++] =
			extraction_check_disk(extraction, window_s);
	free(sums.busy_s);
	free(sums.queued_s);
}

void extraction_make_check(struct extraction *extraction)
{
	double whole_s = (double)(extraction->end_ns - extraction->begin_ns) / 1e9;
	double window_s = extraction->findings->batch ? whole_s : find_window(extraction);

	extraction->model->has_check = true;
	check_responses(extraction, window_s);
	if (extraction->findings->batch)
		check_wall(extraction);
	if (window_s > 0)
		check_items(extraction, window_s);
}
