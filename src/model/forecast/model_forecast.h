/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of a performance model in other configurations: a row for each combination of numbers of
 * threads, rates, clients and cores, with 90 % intervals, and how far it can be believed.
 *
 * Intervals are of simulations with redrawn visits, CPU times and waits that differ by some per cent
 * as runs of one program do, other seeds, and the residual of the self-check. So they become wide
 * and lopsided near saturation by themselves.
 */
#ifndef PSCAL_MODEL_FORECAST_MODEL_FORECAST_H
#define PSCAL_MODEL_FORECAST_MODEL_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/file/model.h"
#include "model/simulate/model_run.h"

struct err;

/* Beyond these relative errors of the self-check no forecast is made. */
#define MODEL_CHECK_THROUGHPUT 0.10
#define MODEL_CHECK_RESPONSE   0.15
#define MODEL_CHECK_P95	       0.25

struct model_values {
	double *values;
	size_t count; /* 0: as in the model */
};

struct model_setting {
	const char *name;
	double value;
};

/* The fewest threads, or the highest rate, with which the response time keeps to a bound. */
enum model_goal_metric { MODEL_GOAL_NONE, MODEL_GOAL_MEAN, MODEL_GOAL_P95 };

struct model_goal {
	enum model_goal_metric metric;
	double seconds;
	bool rate; /* the highest rate is asked for, and not the fewest threads */
};

struct model_question {
	uint32_t pool; /* whose threads; MODEL_NONE: the only one that is not fixed */
	struct model_values threads, rates, clients, cores;
	double think_s; /* NaN: as in the model */
	const struct model_setting *settings;
	size_t setting_count;
	struct model_goal goal;
	bool trust; /* forecasts are wanted though the self-check fails */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

struct model_forecast_row {
	uint32_t threads; /* of the pool; 0: no pool is meant */
	double rate;	  /* 1/s; NaN: no open source */
	uint32_t clients; /* 0: no closed source */
	uint32_t cores;
	struct model_result result;
	double throughput_lo, throughput_hi; /* 1/s, 90 % interval, as the next ones */
	double response_lo_s, response_hi_s; /* NaN: it grows */
	double response_p95_lo_s, response_p95_hi_s;
	double wall_lo_s, wall_hi_s; /* of a batch */
	double extrapolated; /* how many times what was recorded the largest of: threads, rate,
				clients, queue length is; at most 1: inside */
};

struct model_forecast {
	struct model_forecast_row *rows;
	size_t row_count;
	bool refused;  /* the self-check fails: there are no rows */
	char *reason;  /* ... a sentence why, and what to record; or NULL */
	bool goal_met; /* by rows[row_count - 1] */
};

/* Simulates the recorded configuration and fills in `model->check`'s model side. */
int model_self_check(struct model *model, struct err *err);

/* Returns 0, or -1 with a sentence where the question makes no sense for this model. */
int model_forecast_make(struct model_forecast *forecast, const struct model *model,
			const struct model_question *question, struct err *err);

void model_forecast_release(struct model_forecast *forecast);

#endif
