/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Helpers for tests of fits. A failure ends the test with the sentence.
 */
#ifndef PSCAL_TESTS_FIT_FITTING_H
#define PSCAL_TESTS_FIT_FITTING_H

#include "fit/usl/usl.h"
#include "stats/series/series.h"

/* The series in tests/data/usl/SET.csv. The caller releases. */
struct series fitting_read(const char *set);

/* Gives each point its weight: 1 / X^2, for an error in proportion to X; or 1, 2, 3, 1, 2, ...
 */
void fitting_weigh(struct series *series, double (*weight)(size_t i, double throughput));
double fitting_weight_relative(size_t i, double throughput);
double fitting_weight_123(size_t i, double throughput);

struct usl fitting_fit_form(const struct series *series, const struct usl_form *form);
/* A fit under the bounds. */
struct usl fitting_fit(const struct series *series, enum usl_model model);

#endif
