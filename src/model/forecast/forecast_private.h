/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of this folder: a model in another configuration. */
#ifndef PSCAL_MODEL_FORECAST_FORECAST_PRIVATE_H
#define PSCAL_MODEL_FORECAST_FORECAST_PRIVATE_H

#include "model/forecast/model_forecast.h"

/* The numbers of a row; 0 and NaN: as the model has it. */
struct model_configuration {
	uint32_t threads;
	double rate;
	uint32_t clients;
	uint32_t cores;
	bool meets_goal; /* found by a search for it */
};

/*
 * `own` becomes `model` in this configuration. Pools, their visits and sources are its own and may be
 * changed; all else is borrowed. To be ended with model_configured_end.
 */
void model_configure(struct model *own, const struct model *model, uint32_t pool,
		     const struct model_configuration *configuration);
void model_configured_end(struct model *own);

/*
 * The configuration with the fewest threads or the highest load that meets the goal, on from the one
 * at *found, which is changed. Without one that does, the best that was found. 0, or -1 with a
 * sentence.
 */
int model_goal_search(struct model_configuration *found, const struct model *model, uint32_t pool,
		      const struct model_question *question, struct err *err);

/* So many requests are simulated at most, of `usual` ones. */
uint64_t model_requests_most(const struct model_question *question, uint64_t usual);

/* The response time that a goal is about; infinite: it grows, or requests are lost. */
double model_goal_value(const struct model_goal *goal, const struct model_result *result);

/* --- Replicates -------------------------------------------------------------------------------- */

/* Another run that might have been; see variation. */
struct model_replicate {
	double throughput_per_s, response_s, response_p95_s, wall_s; /* infinite: it grows */
	bool failed;
};

/* Number `number`, from 1 on, of a configured model, whose visits are redrawn here. 0, or -1. */
int model_replicate_run(struct model_replicate *replicate, struct model *own,
			const struct model_check *check, const struct model_question *question,
			size_t number, struct err *err);

/* Sets the intervals of a row, of which `replicates` are sorted here. */
void model_intervals_set(struct model_forecast_row *row, const struct model_replicate *replicates,
			 size_t count);

#endif
