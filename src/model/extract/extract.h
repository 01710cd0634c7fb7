/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The extraction of a performance model from one recorded program, without its source: pools of
 * threads, the queues that they take from, their visits, locks, the disk, and the arrivals of
 * requests (Tarvo and Reiss, ASE 2014).
 *
 * A pool is the threads of a process that take from the same queue and began in the same function.
 * A visit is the work of a thread from one token to the next, without its waits for cores, locks,
 * queues and the queue of a disk, which are simulated. A request is a token with all tokens that
 * its visits put.
 */
#ifndef PSCAL_MODEL_EXTRACT_EXTRACT_H
#define PSCAL_MODEL_EXTRACT_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chain_names;
struct err;
struct model;
struct program;

/* The arrivals of requests, as recorded. */
struct model_arrivals_found {
	double slope;		   /* slope of the next gap over the response time: 0 open, 1
				      closed */
	double slope_lo, slope_hi; /* 95 % interval of the slope */
	double gap_cv;		   /* coefficient of variation of gaps; 1: Poisson process */
	double dispersion;	   /* variance over mean of the arrivals in 1 s; 1: Poisson
				      process */
	bool undecided;		   /* neither open nor closed: --rate or --clients has to say
				      which */
};

struct model_findings {
	struct model_arrivals_found arrivals; /* of the first source; NaN: unknown */
	uint64_t requests;		      /* number of recorded whole requests */
	double unjoined_share;		      /* share of tokens that belong to no whole request */
	uint64_t odd_gets;		      /* number of tokens that were taken before they were
						 put */
	uint64_t idle_locks;		      /* locks that are no stations, as no thread waits for
						 them */
	bool batch;			      /* the program processes items and ends */
	const char *reason;		      /* reason why there is no model, and advice: a fixed
						 sentence for struct err; NULL: there is a model */
	char **doubts;			      /* sentences: reasons to doubt forecasts; owned */
	size_t doubt_count;
};

void model_findings_release(struct model_findings *findings);

/*
 * Extracts a model from a program as program_read_with_gaps() has read it. Locks and queues are
 * recognised in `program`, and the costs of recording calls are taken out. `names`, or NULL, gives
 * locks their names. Returns 0, also if no model can be made, with the reason in findings->reason;
 * -1 with an error if something fails. The caller releases `model` and `findings`.
 */
int model_extract(struct model *model, struct model_findings *findings, struct program *program,
		  struct chain_names *names, struct err *err);

#endif
