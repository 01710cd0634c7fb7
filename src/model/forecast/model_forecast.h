/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forecasts of a performance model in other configurations: a row for each combination of numbers
 * of threads, rates, clients and cores, with 90 % intervals and a self-check.
 *
 *	model_self_check(&result, &model, err);
 *	model_forecast_make(&forecast, &model, &question, err);
 *	... forecast.refused, forecast.rows ...
 *	model_forecast_release(&forecast);
 *
 * Intervals are of simulations with redrawn visits, CPU times and waits that differ by some per
 * cent as runs of one program do, other seeds, and the residual of the self-check. So they become
 * wide and asymmetric near saturation. All rows use the same random numbers, so that they differ by
 * configuration, not by noise.
 */
#ifndef PSCAL_MODEL_FORECAST_MODEL_FORECAST_H
#define PSCAL_MODEL_FORECAST_MODEL_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/file/model.h"
#include "model/simulate/model_run.h"

struct err;

/* --- The self-check ---------------------------------------------------------------------------- */

/* Beyond these relative errors of the self-check no forecast is made. */
#define MODEL_CHECK_THROUGHPUT 0.10
#define MODEL_CHECK_RESPONSE   0.15
#define MODEL_CHECK_P95	       0.25

/* Nor where this share of the visits of a pool are waits for other threads of it, at no station. */
#define MODEL_CHECK_UNSEEN 0.25

/*
 * Simulates the model as it stands, and fills in the model's side of `model->check` where it has
 * one. The caller releases *result after 0; -1 with a sentence.
 */
int model_self_check(struct model_result *result, struct model *model, struct err *err);

/* The error of the model: relative to the recorded number; NaN: one of them is not known. */
double model_checked_error(const struct model_checked *checked);

/*
 * The reason for no forecast: a sentence, to be freed. NULL: the self-check passed, or was not
 * made.
 */
char *model_check_refusal(const struct model *model);

/* Of the requests that came, those that found no room; and whether they are too many for a forecast. */
double model_lost_share(const struct model_result *result);
bool model_loses(const struct model_result *result);

/* --- Which part limits it ---------------------------------------------------------------------- */

/* The pool, lock or disk that is busiest, or the cores. */
struct model_busiest {
	enum model_limit kind; /* MODEL_LIMIT_NONE: nothing is busy at all */
	uint32_t index;	       /* of the pool or the station */
	double utilisation;    /* 0..1 */
	double full_per_s; /* requests a second at which it would be full, if its load grew as they do */
};

struct model_busiest model_busiest_of(const struct model *model, const struct model_result *result);

/* "worker", "lock B", "cores": in words, to be freed; NULL: nothing. */
char *model_limit_text(const struct model *model, enum model_limit kind, uint32_t index);

/* --- Forecasts --------------------------------------------------------------------------------- */

enum { MODEL_ROWS_MAX = 1000, MODEL_REPLICATES = 39 };

struct model_values {
	double *values;
	size_t count; /* 0: as in the model */
};

struct model_setting {
	const char *name;
	double value;
};

/*
 * The fewest threads, or the highest rate (of closed sources the most clients), with which the
 * response time keeps to a bound. The list that is searched has no values.
 */
enum model_goal_metric { MODEL_GOAL_NONE, MODEL_GOAL_MEAN, MODEL_GOAL_P95 };

struct model_goal {
	enum model_goal_metric metric;
	double seconds;
	bool load; /* the highest load is asked for, and not the fewest threads */
};

struct model_question {
	uint32_t pool; /* to have these threads; MODEL_NONE: the only one that is not fixed */
	struct model_values threads, rates, clients, cores;
	double think_s; /* of closed sources; NaN: as in the model */
	const struct model_setting *settings;
	size_t setting_count;
	struct model_goal goal;
	bool trust;		/* forecasts are wanted though the self-check fails */
	uint64_t requests_most; /* of a simulation; 0: as many as its precision needs */
	double seconds_most; /* then no further run of a row begins; 0: any. The search for a goal,
				which comes before them, does not look at it */
	void (*show)(void *context, uint64_t done, uint64_t size); /* progress, or NULL */
	void *context;
};

/* The 90 % interval of a number, which is within it. */
struct model_interval {
	double lo, hi; /* hi may be infinite: it may grow */
};

struct model_forecast_row {
	uint32_t threads; /* of the pool; 0: no pool is meant */
	double rate;	  /* of all open sources, 1/s; NaN: there is none */
	uint32_t clients; /* of all closed sources; 0: there is none */
	uint32_t cores;
	struct model_result result;
	struct model_interval throughput_per_s;
	struct model_interval response_s, response_p95_s; /* NaN: it grows */
	struct model_interval wall_s;			  /* of a batch */
	/*
	 * The largest factor beyond the recording of these: threads, load, cores, mean length of a
	 * queue. At most 1: all of it was seen. NaN: nothing was recorded.
	 */
	double extrapolated;
	bool meets_goal; /* the number; ... */
	bool goal_sure;	 /* ... its whole interval does, or does not */
};

struct model_forecast {
	struct model_forecast_row *rows;
	size_t row_count;
	uint32_t pool; /* its threads are those of the rows; MODEL_NONE: no pool is meant */
	bool refused;  /* the self-check fails: there are no rows */
	bool late;     /* it would take longer than seconds_most: nor are there any */
	char *reason;  /* a sentence why it fails, also with `trust`; NULL: it does not */
	struct model_goal goal;
	size_t searches, goals_met; /* combinations of the other lists, and those that meet it */
	/*
	 * The first row that nothing is gained beyond: its mean response (of a closed system its
	 * throughput, of a batch its wall time) is within 3 % of the best. SIZE_MAX: all grow, or
	 * lose requests.
	 */
	size_t best;
};

/* The rate of all open sources, 1/s; 0: there is none. */
double model_rate(const struct model *model);
/* The clients of all closed sources. */
uint32_t model_clients(const struct model *model);

/* Returns 0, or -1 with a sentence where the question makes no sense for this model. */
int model_forecast_make(struct model_forecast *forecast, const struct model *model,
			const struct model_question *question, struct err *err);

void model_forecast_release(struct model_forecast *forecast);

#endif
