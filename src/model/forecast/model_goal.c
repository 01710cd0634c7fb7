/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search for a goal: doubling up to the first configuration on the other side of the goal, then
 * bisection. A simulation ends as soon as it is sure to meet the goal or to miss it.
 */
#include "base/err.h"
#include "model/forecast/forecast_private.h"

#include <math.h>

enum { SEARCH_REQUESTS = 500000 };

/* The range of a search: a rate 1e4 times lower makes no queue, one above 1e8/s is unreal. */
static const double least_ratio = 1e-4, most_rate = 1e8;

/* The ratio of the two rates around the goal at which a search ends. */
#define SEARCH_RATIO 1.005

struct search {
	const struct model *model;
	uint32_t pool;
	const struct model_question *question;
	struct model_configuration at; /* next to try */
	double value;		       /* response time of the last one */
	double utilisation;	       /* utilisation of the pool */
};

double model_goal_value(const struct model_goal *goal, const struct model_result *result)
{
	double value = goal->metric == MODEL_GOAL_P95 ? result->response_p95_s : result->response_s;

	return isnan(value) || model_loses(result) ? INFINITY : value;
}

/* Returns 1 if the goal is met, 0 if not, or -1 and an error. */
static int search_try(struct search *search, struct err *err)
{
	const struct model_goal *goal = &search->question->goal;
	const struct model_run_request request = {
		.seed = 1,
		.requests_most = model_requests_most(search->question, SEARCH_REQUESTS),
		.mean_bound_s = goal->metric == MODEL_GOAL_MEAN ? goal->seconds : 0,
		.p95_bound_s = goal->metric == MODEL_GOAL_P95 ? goal->seconds : 0,
	};
	struct model_result result;
	struct model own;
	int rc;

	model_configure(&own, search->model, search->pool, &search->at);
	rc = model_run(&result, &own, &request, err);
	model_configured_end(&own);
	if (rc)
		return -1;
	search->value = model_goal_value(goal, &result);
	search->utilisation = search->pool < search->model->pool_count
				      ? result.pools[search->pool].utilisation
				      : NAN;
	model_result_release(&result);
	return search->value <= goal->seconds;
}

/* --- The fewest threads ----------------------------------------------------------------------- */

/* Returns whether more threads change nothing: most are idle, or their number is near its limit. */
static bool threads_are_enough(const struct search *search)
{
	return (isfinite(search->value) && search->utilisation < .25) ||
	       search->at.threads > MODEL_THREADS_MAX / 4;
}

static int search_threads(struct search *search, struct model_configuration *found, struct err *err)
{
	uint32_t fails = 0, meets;
	double least = INFINITY;
	int met;

	search->at.threads = 1;
	while ((met = search_try(search, err)) == 0) {
		if (search->value < least) {
			least = search->value;
			found->threads = search->at.threads;
		}
		fails = search->at.threads;
		if (threads_are_enough(search))
			return 0;
		search->at.threads *= 2;
	}
	for (meets = search->at.threads; met >= 0 && meets - fails > 1;) {
		search->at.threads = fails + (meets - fails) / 2;
		met = search_try(search, err);
		*(met ? &meets : &fails) = search->at.threads;
	}
	found->threads = meets;
	found->meets_goal = true;
	return met < 0 ? -1 : 0;
}

/* --- The highest load ------------------------------------------------------------------------- */

/* Doubles or halves the rate until the answer changes; sets the last rates that meet and fail. */
static int search_bracket(struct search *search, double *meets, double *fails, struct err *err)
{
	double *rate = &search->at.rate, least = least_ratio * *rate;
	int first = search_try(search, err), met = first;
	double factor = first ? 2 : .5;

	while (met >= 0 && met == first && *rate > least && *rate < most_rate) {
		*(met ? meets : fails) = *rate;
		*rate *= factor;
		met = search_try(search, err);
	}
	if (met >= 0 && met != first)
		*(met ? meets : fails) = *rate;
	return met < 0 ? -1 : 0;
}

static int search_rate(struct search *search, struct model_configuration *found, struct err *err)
{
	double meets = 0, fails = INFINITY;
	int met = 0;

	search->at.rate = isnan(search->at.rate) ? model_rate(search->model) : search->at.rate;
	if (search_bracket(search, &meets, &fails, err))
		return -1;
	found->rate = search->at.rate;
	if (meets <= 0)
		return 0;
	while (met >= 0 && isfinite(fails) && fails / meets > SEARCH_RATIO) {
		search->at.rate = sqrt(meets * fails);
		met = search_try(search, err);
		*(met ? &meets : &fails) = search->at.rate;
	}
	found->rate = meets;
	found->meets_goal = true;
	return met < 0 ? -1 : 0;
}

static int search_clients(struct search *search, struct model_configuration *found, struct err *err)
{
	uint32_t meets = 0, fails = 1;
	int met;

	search->at.clients = 1;
	while ((met = search_try(search, err)) == 1 &&
	       search->at.clients <= MODEL_THREADS_MAX / 2) {
		meets = search->at.clients;
		search->at.clients = fails = 2 * meets;
	}
	while (met >= 0 && fails - meets > 1) {
		search->at.clients = meets + (fails - meets) / 2;
		met = search_try(search, err);
		*(met ? &meets : &fails) = search->at.clients;
	}
	found->clients = meets ? meets : 1;
	found->meets_goal = meets > 0;
	return met < 0 ? -1 : 0;
}

int model_goal_search(struct model_configuration *found, const struct model *model, uint32_t pool,
		      const struct model_question *question, struct err *err)
{
	struct search search = {.model = model, .pool = pool, .question = question, .at = *found};

	if (!question->goal.load)
		return search_threads(&search, found, err);
	return model_rate(model) > 0 ? search_rate(&search, found, err)
				     : search_clients(&search, found, err);
}
