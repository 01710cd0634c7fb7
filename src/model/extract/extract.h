/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A performance model from one recorded program, without its source: pools of threads, the queues
 * that they take from, their visits, locks, the disk, and how requests arrive (Tarvo and Reiss, ASE
 * 2014).
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
	double slope;		   /* of the next gap on the response time: 0 open, 1 closed */
	double slope_lo, slope_hi; /* its 95 % interval */
	double gap_cv;	   /* coefficient of variation of gaps; 1: as of a Poisson process */
	double dispersion; /* of counts in 1 s: variance over mean; 1: Poisson */
	bool undecided;	   /* neither open nor closed: --rate or --clients must say */
};

struct model_findings {
	struct model_arrivals_found arrivals; /* of the first source; NaN: not known */
	uint64_t requests;		      /* recorded, whole ones */
	double unjoined_share;		      /* of tokens that belong to no whole request */
	uint64_t odd_gets;		      /* takes of a token before it was put */
	uint64_t idle_locks;		      /* no stations, as no thread waits for them */
	bool batch;    /* the program has an end of its own, and works off items */
	char *reason;  /* why there is no model, and what to do, for struct err; NULL: there is */
	char **doubts; /* sentences: what makes forecasts doubtful; owned */
	size_t doubt_count;
};

void model_findings_release(struct model_findings *findings);

/*
 * From a program as program_read_with_gaps() has read it; locks and queues are recognised in it here,
 * and what recording its calls has cost is taken out. Threads may have names for people; `names`, or
 * NULL, are for locks. Returns 0, also where no model can be made, which `findings->reason` then says; -1 with a sentence where
 * something fails. The caller releases both.
 */
int model_extract(struct model *model, struct model_findings *findings, struct program *program,
		  struct chain_names *names, struct err *err);

#endif
