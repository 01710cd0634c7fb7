/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of one pool of threads, "worker", that serves requests of the source "main" in exponential
 * times without a core, and their exact results.
 */
#ifndef PSCAL_TESTS_MODEL_FORECAST_SERVED_MODEL_H
#define PSCAL_TESTS_MODEL_FORECAST_SERVED_MODEL_H

#include "model/file/model.h"

/* The caller releases the model. */
struct model served_open(unsigned threads, double rate, double service_s);
struct model served_closed(unsigned threads, unsigned clients, double think_s, double service_s);
struct model served_batch(unsigned threads, unsigned items, double service_s);

/* Makes the self-check with these recorded values; NaN: unknown. */
void served_check(struct model *model, double rate, double mean_s, double p95_s);

/* The mean response of M/M/c with rate of arrivals `lambda` and of service `mu`; infinite:
 * overloaded. */
double served_mean_s(unsigned threads, double lambda, double mu);
double served_p95_s(unsigned threads, double lambda, double mu);

#endif
