/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One simulation of a performance model in its configuration: throughput, response times and the
 * full resource. Threads run on the simulated cores of the replay (replay/simulate).
 *
 *	struct model_result result;
 *	if (model_run(&result, &model, &(struct model_run_request){.seed = 1}, err))
 *	...
 *	model_result_release(&result);
 *
 * A warm-up is cut off (MSER-5, White 1997). Means have standard errors of 32 groups of batches. A run
 * ends when the half width of the 95 % interval of the mean response is within `precision` of it,
 * and of the 95th percentile within five times that, or after `requests_most`. An open system whose
 * queue grows over the last half of the run by more than three standard errors, in two looks, is
 * overloaded: it has no response time, and all else is of the time after the first half. Every run
 * ends: after 1000 steps for each of `requests_most`, too, or with half a million requests inside.
 *
 * A batch is run to its end, or where it has more than `requests_most` items for so many of them,
 * and its wall time is that of all in proportion. The response time of an item is from when a thread
 * takes it.
 *
 * A limited queue counts tokens that wait and that no thread is on its way to take. A request that
 * finds no room in one of its queues is lost, and its client thinks again; a thread waits until there
 * is room, which a batch does, too.
 *
 * Each source and each pool draws from a stream of random numbers of its own, by `seed`: runs of
 * models that differ in a number of threads or a rate differ by that, and little by chance.
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
	double precision;	/* relative; 0: MODEL_PRECISION */
	uint64_t requests_most; /* 0: MODEL_REQUESTS_MOST */
	void (*show)(void *context, uint64_t done,
		     uint64_t size); /* progress in requests, or NULL */
	void *context;
};

/* The part that is full where throughput grows no more. */
enum model_limit {
	MODEL_LIMIT_NONE,
	MODEL_LIMIT_CORES,
	MODEL_LIMIT_POOL,
	MODEL_LIMIT_STATION,
	MODEL_LIMIT_SOURCE, /* the threads of its clients */
};

struct model_pool_result {
	double utilisation; /* 0..1, of its threads: not waiting for a token */
	double blocked;	    /* 0..1, of its threads: waiting for room in a queue */
	double visits_per_s;
	double visit_s;	    /* mean length of a visit */
	double cpu_s;	    /* mean CPU time of a visit, with the slowdown of busy cores */
	double run_queue_s; /* mean wait for a core of a visit */
};

struct model_station_result {
	double utilisation; /* 0..1, of a lock or a disk; of a delay: mean number there */
	double length;	    /* mean number that wait */
	double wait_s;	    /* mean wait of each that comes, 0 s ones too; without its service */
	double arrivals_per_s;
};

struct model_result {
	double simulated_s; /* after the warm-up */
	double warm_up_s;
	uint64_t requests;	 /* answered after it */
	uint64_t lost;		 /* that had no room */
	double throughput_per_s; /* answered; of open sources that it keeps up with, their rate */
	double throughput_se;	 /* standard error */
	double response_s, response_se; /* mean; NaN: it grows */
	double response_p50_s, response_p95_s, response_p99_s;
	double response_p95_se;
	double wall_s;		/* of a batch: until all items are done; NaN: of no batch */
	double busy_cores;	/* mean */
	double switches_per_s;	/* of cores */
	bool grows;		/* overloaded: queues grow ... */
	double growth_per_s;	/* ... by so many requests a second */
	bool precise;		/* the precision that was asked for was reached */
	enum model_limit limit; /* what is busy beyond 95 %, and most so */
	uint32_t limit_index;	/* of the pool, the station or the source */
	struct model_pool_result *pools;       /* as in the model; owned */
	struct model_station_result *stations; /* as in the model; owned */
	double *client_utilisations; /* of sources as in the model: 0..1, of the threads of their
					clients; 0: they have none; owned */
	size_t stuck; /* threads that wait for locks of each other at the end, and so for ever */
};

/*
 * Returns 0, or -1 with a sentence where `model` is not valid, or comes to a stop as threads wait for
 * each other, or answers no request.
 */
int model_run(struct model_result *result, const struct model *model,
	      const struct model_run_request *request, struct err *err);

void model_result_release(struct model_result *result);

#endif
