/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model in another configuration, and the functions that the files of this folder share. */
#ifndef PSCAL_MODEL_FORECAST_FORECAST_PRIVATE_H
#define PSCAL_MODEL_FORECAST_FORECAST_PRIVATE_H

#include "model/forecast/model_forecast.h"

/* The configuration of a row; 0 and NaN: as in the model. */
struct model_configuration {
	uint32_t threads;
	double rate;
	uint32_t clients;
	uint32_t cores;
	bool meets_goal; /* a goal search found it */
};

/*
 * Makes `own` from `model` in this configuration. Pools, their visits and sources are copies and
 * may be changed; all else is borrowed. The caller ends it with model_configured_end().
 */
void model_configure(struct model *own, const struct model *model, uint32_t pool,
		     const struct model_configuration *configuration);
void model_configured_end(struct model *own);

/*
 * Searches, from *found on, the configuration with the fewest threads or the highest load that
 * meets the goal, and writes it to *found. If none meets it, *found is the best one. Returns 0, or
 * -1 with an error.
 */
int model_goal_search(struct model_configuration *found, const struct model *model, uint32_t pool,
		      const struct model_question *question, struct err *err);

/* Returns the largest number of requests to simulate, `usual` or fewer. */
uint64_t model_requests_most(const struct model_question *question, uint64_t usual);

/* Returns the response time of a goal; infinite: overloaded, or requests are lost. */
double model_goal_value(const struct model_goal *goal, const struct model_result *result);

/* --- Replicates ------------------------------------------------------------------------------- */

/* Another possible run, with redrawn visits. */
struct model_replicate {
	double throughput_per_s, response_s, response_p95_s, wall_s; /* infinite: overloaded */
	bool failed;
};

/*
 * Simulates replicate `number`, from 1 on, of a configured model, whose visits are redrawn. Returns
 * 0 or -1.
 */
int model_replicate_run(struct model_replicate *replicate, struct model *own,
			const struct model_check *check, const struct model_question *question,
			size_t number, struct err *err);

/* Sets the intervals of a row from `replicates`, which are sorted. */
void model_intervals_set(struct model_forecast_row *row, const struct model_replicate *replicates,
			 size_t count);

#endif
