/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of which the answer is known, M/M/c: customers come at random to c servers, each of whom
 * serves one of them at a time, for a random time. As a program a customer is a thread, service is
 * CPU time, and a server is a core. It sleeps until it comes, computes, and waits until all have
 * been served, which is when the first thread wakes them all; so the time that threads do not wait
 * is the time that customers spend in the system.
 *
 * Whatever order the queue is served in that does not look at lengths of service, and slices that
 * give everybody the same do not, it has the same mean length, and so customers are there for the
 * same time [Kleinrock 1976].
 */
#ifndef PSCAL_TESTS_MOCK_OPEN_QUEUE_H
#define PSCAL_TESTS_MOCK_OPEN_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct open_queue {
	size_t customers;
	double load;	   /* services begun in the time of one: less than the cores */
	double service_ns; /* mean */
	uint64_t seed;
};

/* The mean time in the system, by Erlang's C formula; infinite where the load is too high. */
double open_queue_theory_s(const struct open_queue *queue, unsigned cores);

/*
 * The same of a replay on each of `cores`, of a trace taken on `recorded` of them: who comes first
 * is served first then, to the end. Returns 0, or -1 with a sentence.
 */
int open_queue_forecast(double *in_system_s, const struct open_queue *queue, unsigned recorded,
			const unsigned *cores, size_t count, struct err *err);

/* Of many such queues; customers of one wait for each other, so that only queues are independent.
 */
struct open_queue_mean {
	double mean_s;
	double error_s; /* the standard error of that: what chance leaves of it */
};

/* The same of `queues` queues at least two, which have the seeds 1, 2, ... */
int open_queue_mean(struct open_queue_mean *means, const struct open_queue *queue, size_t queues,
		    unsigned recorded, const unsigned *cores, size_t count, struct err *err);

/* How far the mean may be from theory: by more only chance of 1 in 370 takes it. */
double open_queue_tolerance_s(const struct open_queue_mean *mean);

#endif
