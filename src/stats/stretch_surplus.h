/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted more often in parallel runs than in serial ones, and what each one more cost. */
#ifndef PSCAL_STATS_STRETCH_SURPLUS_H
#define PSCAL_STATS_STRETCH_SURPLUS_H

#include <stddef.h>

struct stretch;
struct stretch_column;
struct stretch_surplus;

/*
 * Of each counter that the base and the column have in all runs, the mean of both, in the order of
 * the base; before them how often threads have left CPUs, where the scheduler is on record. The
 * caller frees *surplus.
 */
size_t stretch_surplus_find(struct stretch_surplus **surplus, const struct stretch *stretch,
			    const struct stretch_column *column);

#endif
