/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row of many occurrences. */
#ifndef PSCAL_STATS_RDAM_RDAM_MEASURE_H
#define PSCAL_STATS_RDAM_RDAM_MEASURE_H

#include <stddef.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/rdam_causes.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/sequences.h"

/*
 * Fills in all but what the row is of: name, tokens, block, any_content and is_block, which are
 * there. Occurrences, at least one, are in the order of their places.
 */
void rdam_measure(struct rdam_row *row, const struct rdam_scope *scope, struct rdam_states *states,
		  struct rdam_wakes *wakes, const struct occurrence *occurrences, size_t count);

#endif
