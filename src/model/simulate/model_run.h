/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One simulation of a performance model: throughput, response times, utilisation and the saturated
 * resource. Threads run on the simulated cores of the replay (replay/simulate).
 *
 *	struct model_result result;
 *	if (model_run(&result, &model, &(struct model_run_request){.seed = 1}, err))
 *	...
 *	model_result_release(&result);
 *
 * A warm-up is cut off (MSER-5, White 1997). Means have standard errors of 32 groups of batches. A
 * run ends when the half width of the 95 % interval of the mean response is within `precision` of
 * it, and of the 95th percentile within five times that, or after `requests_most`. An open system
 * whose queue grows over the last half of the run by more than three standard errors, in two
 * checks, is overloaded: it has no response time, and all other results are those of the second
 * half. Every run also ends after 1000 steps for each of `requests_most`, or with half a million
 * requests inside.
 *
 * A batch runs to its end, or to `requests_most` items, with a wall time in proportion to all
 * items. The response time of an item begins when a thread takes it.
 *
 * The limit of a queue is for waiting tokens, without those that a woken thread is about to take. A
 * request that finds no room in one of its queues is lost, and its client thinks again; threads and
 * batches wait until there is room.
 *
 * Each source and each pool has its own stream of random numbers, by `seed`: so runs of models with
 * other numbers of threads or other rates differ by these, and little by chance.
 */
#ifndef PSCAL_MODEL_SIMULATE_MODEL_RUN_H
#define PSCAL_MODEL_SIMULATE_MODEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct model;

#define MODEL_PRECISION	    0.01
#define MODEL_REQUESTS_MOST 10000000

struct model_run_request {
	uint64_t seed;		/* the same seed makes the same run */
	double precision;	/* relative half width of the interval; 0: MODEL_PRECISION */
	uint64_t requests_most; /* 0: MODEL_REQUESTS_MOST */
	/*
	 * Bounds of the mean and of the 95th percentile of the response time: the run also ends
	 * when it is sure, by six standard errors, on which side of one of them it is; 0: none.
	 */
	double mean_bound_s, p95_bound_s;
	void (*show)(void *context, uint64_t done,
		     uint64_t size); /* progress in requests, or NULL */
	void *context;
};

/* The saturated part, which limits throughput. */
enum model_limit {
	MODEL_LIMIT_NONE,
	MODEL_LIMIT_CORES,
	MODEL_LIMIT_POOL,
	MODEL_LIMIT_STATION,
	MODEL_LIMIT_SOURCE, /* the threads of its clients */
};

struct model_pool_result {
	double utilisation; /* 0..1: share of its threads that do not wait for a token */
	double blocked;	    /* 0..1: share of its threads that wait for room in a queue */
	double visits_per_s;
	double visit_s;	    /* mean length of a visit */
	double cpu_s;	    /* mean CPU time of a visit, with the slowdown of busy cores */
	double run_queue_s; /* mean run-queue wait of a visit */
};

struct model_station_result {
	double utilisation; /* 0..1, of a lock or a disk; of a delay: mean number of threads
			       there */
	double length;	    /* mean number of waiting tokens or threads */
	double wait_s;	    /* mean wait of an arrival, including waits of 0 s, without its
			       service */
	double arrivals_per_s;
};

struct model_result {
	uint64_t requests;	 /* answered after the warm-up */
	uint64_t lost;		 /* requests that found no room */
	double throughput_per_s; /* answered; of open sources that it keeps up with, their rate */
	double throughput_se;	 /* standard error */
	double response_s, response_se; /* mean; NaN: overloaded */
	double response_p50_s, response_p95_s, response_p99_s;
	double response_p95_se;
	double wall_s;			 /* of a batch: time until all items are done; else NaN */
	double busy_cores;		 /* mean */
	bool grows;			 /* overloaded: queues grow ... */
	double growth_per_s;		 /* ... by so many requests a second */
	bool precise;			 /* the precision that was asked for was reached */
	enum model_limit limit;		 /* the part with the highest utilisation, above 95 % */
	uint32_t limit_index;		 /* of the pool, the station or the source */
	struct model_pool_result *pools; /* as in the model; owned */
	struct model_station_result *stations; /* as in the model; owned */
	double *client_utilisations;	       /* [source]: 0..1, utilisation of the threads of its
						  clients; 0: it has none; owned */
	size_t stuck;			       /* number of threads that wait forever for locks of
						  each other */
};

/*
 * Simulates `model`. Returns 0, or -1 with an error if `model` is invalid, stops because threads
 * wait for each other, or answers no request.
 */
int model_run(struct model_result *result, const struct model *model,
	      const struct model_run_request *request, struct err *err);

void model_result_release(struct model_result *result);

#endif
