/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The intervals of a fit by the method that was asked for: profile-t (usl_region.h), or bootstrap-t
 * (usl_bootstrap.h).
 */
#ifndef PSCAL_REPORT_FIT_INTERVALS_H
#define PSCAL_REPORT_FIT_INTERVALS_H

#include "fit/usl_region.h"

struct fit_view;
struct usl_bootstrap;

enum fit_quantity { FIT_ALPHA, FIT_BETA, FIT_GAMMA, FIT_PEAK_N, FIT_PEAK_THROUGHPUT };

/* The bootstrap of the full law; NULL where there is none, or it is of another one. */
struct usl_bootstrap *fit_full_bootstrap(const struct fit_view *view);

/* "profile-t" or "bootstrap-t" */
const char *fit_interval_method(const struct fit_view *view);

struct usl_interval fit_interval(const struct fit_view *view, enum fit_quantity quantity);

/* Of the throughput at N: of the mean of many measurements, and of a single one. */
struct usl_interval fit_interval_throughput(const struct fit_view *view, double n);
struct usl_interval fit_interval_measurement(const struct fit_view *view, double n);

#endif
