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
 * Intervals come from simulations with redrawn visits, with CPU times and waits that vary by some
 * per cent as between runs of a program, with other seeds, and from the residual of the self-check.
 * So they become wide and asymmetric near saturation. All rows use the same random numbers, so that
 * they differ by configuration, not by noise.
 */
#ifndef PSCAL_MODEL_FORECAST_MODEL_FORECAST_H
#define PSCAL_MODEL_FORECAST_MODEL_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/file/model.h"
#include "model/simulate/model_run.h"

struct err;

/* --- The self-check --------------------------------------------------------------------------- */

/* Relative errors of the self-check beyond which no forecast is made. */
#define MODEL_CHECK_THROUGHPUT 0.10
#define MODEL_CHECK_RESPONSE   0.15
#define MODEL_CHECK_P95	       0.25

/*
 * The share of the visits of a pool beyond which waits for its other threads, at no station,
 * prevent a forecast.
 */
#define MODEL_CHECK_UNSEEN 0.25

/*
 * Simulates the unchanged model, and fills in the simulated side of `model->check`, if any. Returns
 * 0, or -1 with an error. The caller releases *result after 0.
 */
int model_self_check(struct model_result *result, struct model *model, struct err *err);

/* Returns the error of the model, relative to the recorded number; NaN: one of them is unknown. */
double model_checked_error(const struct model_checked *checked);

/*
 * Returns the reason for no forecast: a sentence, which the caller frees. NULL: the self-check
 * passed, or was not made.
 */
char *model_check_refusal(const struct model *model);

/*
 * Return the share of arriving requests that found no room, and whether it is too large for a
 * forecast.
 */
double model_lost_share(const struct model_result *result);
bool model_loses(const struct model_result *result);

/* --- The limit of throughput ------------------------------------------------------------------ */

/* The busiest pool, lock or disk, or the cores. */
struct model_busiest {
	enum model_limit kind; /* MODEL_LIMIT_NONE: nothing is busy */
	uint32_t index;	       /* index of the pool or the station */
	double utilisation;    /* 0..1 */
	double full_per_s;     /* requests/s at which it would be saturated, if its load grows in
				  proportion */
};

struct model_busiest model_busiest_of(const struct model *model, const struct model_result *result);

/* Returns the limit in words: "worker", "lock B", "cores"; the caller frees it. NULL: none. */
char *model_limit_text(const struct model *model, enum model_limit kind, uint32_t index);

/* --- Forecasts -------------------------------------------------------------------------------- */

enum { MODEL_ROWS_MAX = 1000, MODEL_REPLICATES = 39 };

struct model_values {
	double *values;
	size_t count; /* 0: the value of the model */
};

struct model_setting {
	const char *name;
	double value;
};

/*
 * A goal: the fewest threads, or the highest rate (of closed sources the most clients), with which
 * the response time stays below a bound. The list of values that is searched is empty.
 */
enum model_goal_metric { MODEL_GOAL_NONE, MODEL_GOAL_MEAN, MODEL_GOAL_P95 };

struct model_goal {
	enum model_goal_metric metric;
	double seconds;
	bool load; /* search the highest load, not the fewest threads */
};

struct model_question {
	uint32_t pool; /* pool of the threads; MODEL_NONE: the only one that is not fixed */
	struct model_values threads, rates, clients, cores;
	double think_s; /* of closed sources; NaN: as in the model */
	const struct model_setting *settings;
	size_t setting_count;
	struct model_goal goal;
	bool trust;		/* make forecasts even if the self-check fails */
	uint64_t requests_most; /* limit of a simulation; 0: as many as its precision needs */
	double seconds_most;	/* time after which no further run of a row begins; 0: no limit. The
				   goal search, which comes first, ignores it */
	void (*show)(void *context, uint64_t done, uint64_t size); /* shows progress; or NULL */
	void *context;
};

/* The 90 % interval of a number, which contains the number. */
struct model_interval {
	double lo, hi; /* hi may be infinite: possibly overloaded */
};

struct model_forecast_row {
	uint32_t threads; /* threads of the pool; 0: no pool */
	double rate;	  /* of all open sources, 1/s; NaN: none */
	uint32_t clients; /* of all closed sources; 0: none */
	uint32_t cores;
	struct model_result result;
	struct model_interval throughput_per_s;
	struct model_interval response_s, response_p95_s; /* NaN: overloaded */
	struct model_interval wall_s;			  /* of a batch */
	/*
	 * The largest factor by which threads, load, cores or the mean length of a queue exceed the
	 * recorded ones. At most 1: all are within the recording. NaN: nothing was recorded.
	 */
	double extrapolated;
	bool meets_goal; /* the response time meets the goal */
	bool goal_sure;	 /* all of its interval meets the goal, or none of it */
};

struct model_forecast {
	struct model_forecast_row *rows;
	size_t row_count;
	uint32_t pool; /* pool of the threads in the rows; MODEL_NONE: none */
	bool refused;  /* the self-check fails: no rows */
	bool late;     /* it would take longer than seconds_most: no rows */
	char *reason;  /* reason why the self-check fails, a sentence, also with `trust`; NULL: it
			  passed */
	struct model_goal goal;
	size_t searches, goals_met; /* number of combinations of the other lists, and of those that
				       meet the goal */
	/*
	 * The first row with the highest load whose mean response is within 3 %, and its 95th
	 * percentile within 5 %, of the row with the least mean (of a batch: the wall time within
	 * 3 % of the least). SIZE_MAX: all of them are overloaded, or lose requests.
	 */
	size_t best;
};

/* Returns the rate of all open sources, 1/s; 0: none. */
double model_rate(const struct model *model);
/* Returns the number of clients of all closed sources. */
uint32_t model_clients(const struct model *model);

/* Makes a forecast. Returns 0, or -1 with an error if the question does not fit the model. */
int model_forecast_make(struct model_forecast *forecast, const struct model *model,
			const struct model_question *question, struct err *err);

void model_forecast_release(struct model_forecast *forecast);

#endif
