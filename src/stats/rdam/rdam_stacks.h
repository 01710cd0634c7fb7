/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who had called the blocks that a row's occurrences begin with, where that is on record. */
#ifndef PSCAL_STATS_RDAM_RDAM_STACKS_H
#define PSCAL_STATS_RDAM_RDAM_STACKS_H

#include <stddef.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/sequences.h"

/* Fills in the stacks of the row, which owns them. */
void rdam_stacks_count(struct rdam_row *row, const struct rdam_scope *scope,
		       const struct occurrence *occurrences, size_t count);

#endif
