/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue with a known answer, M/M/c: customers arrive at random at c servers, each of which serves
 * one customer at a time, for a random time. In the program a customer is a thread, service is CPU
 * time, and a server is a core. A thread sleeps until the customer arrives, computes, and waits
 * until the first thread wakes all after the last service; so the time in which a thread does not
 * wait is the time of its customer in the system.
 *
 * The mean time in the system is the same for every order of service that does not depend on the
 * lengths of service, such as equal slices [Kleinrock 1976].
 */
#ifndef PSCAL_TESTS_MOCK_OPEN_QUEUE_H
#define PSCAL_TESTS_MOCK_OPEN_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct open_queue {
	size_t customers;
	double load;	   /* load in Erlangs: less than the cores */
	double service_ns; /* mean */
	uint64_t seed;
};

/* The mean time in the system, by Erlang's C formula; infinite if the load is too high. */
double open_queue_theory_s(const struct open_queue *queue, unsigned cores);

/*
 * The same by a replay on each of `cores`, of a trace recorded on `recorded` of them; the replay
 * serves in order of arrival, without preemption. Returns 0, or -1 with a sentence.
 */
int open_queue_forecast(double *in_system_s, const struct open_queue *queue, unsigned recorded,
			const unsigned *cores, size_t count, struct err *err);

/* Of many such queues; the customers of one queue depend on each other, so only queues are
 * independent.
 */
struct open_queue_mean {
	double mean_s;
	double error_s; /* standard error of the mean */
};

/* The same for `queues` queues, at least two, with the seeds 1, 2, ... */
int open_queue_mean(struct open_queue_mean *means, const struct open_queue *queue, size_t queues,
		    unsigned recorded, const unsigned *cores, size_t count, struct err *err);

/* The tolerance between the mean and theory: three standard errors, exceeded by chance in 1 of 370
 * cases. */
double open_queue_tolerance_s(const struct open_queue_mean *mean);

#endif
