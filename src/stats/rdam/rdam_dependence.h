/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the durations of a row's occurrences depend on arguments; see struct rdam_dependence. */
#ifndef PSCAL_STATS_RDAM_RDAM_DEPENDENCE_H
#define PSCAL_STATS_RDAM_RDAM_DEPENDENCE_H

#include <stddef.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/sequences.h"

enum {
	RDAM_DRAWN = 100000,	/* of more occurrences so many are drawn, always the same */
	RDAM_TESTED_LEAST = 12, /* with fewer Student's t is too far from the truth */
	RDAM_PER_VALUE = 10,	/* so many occurrences of each value make each a min of its own */
};

/* Fills in all that a row says of dependence; its score is there. `durations` in any unit. */
void rdam_dependence_measure(struct rdam_row *row, const struct rdam_scope *scope,
			     const struct occurrence *occurrences, const double *durations_ns,
			     size_t count);

/* Of two columns of numbers: tested, depends, spearman, and if so slope, by_value, and `score` as
 * the share that is left. */
struct rdam_dependence rdam_dependence_of(const double *x, const double *durations_ns,
					  size_t count);

#endif
