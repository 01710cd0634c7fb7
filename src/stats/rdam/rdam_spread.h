/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the durations of a row's occurrences are spread, and with them what was lost. */
#ifndef PSCAL_STATS_RDAM_RDAM_SPREAD_H
#define PSCAL_STATS_RDAM_RDAM_SPREAD_H

#include <stddef.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/rdam_causes.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/sequences.h"

/* Replaces the classes of `rdam`. The occurrences are at least one, in the order of their places.
 */
void rdam_spread_measure(struct rdam *rdam, const struct rdam_scope *scope,
			 const struct rdam_states *states, const struct occurrence *occurrences,
			 size_t count);

#endif
