/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was counted more often in parallel runs than in serial ones, and what each one more cost. */
#ifndef PSCAL_STATS_STRETCH_STRETCH_SURPLUS_H
#define PSCAL_STATS_STRETCH_STRETCH_SURPLUS_H

#include <stdbool.h>
#include <stddef.h>

struct stretch;
struct stretch_cell;
struct stretch_column;
struct stretch_surplus;

/*
 * Of each counter that the base and the column have in all runs, the mean of both, in the order of
 * the base; before them how often threads have left CPUs, where the scheduler is on record. Of
 * tasks it is what happened in their blocks. The caller frees *surplus.
 */
size_t stretch_surplus_find(struct stretch_surplus **surplus, const struct stretch *stretch,
			    const struct stretch_column *column);

/*
 * Of tasks: what each counter of stretch->counters counted in one block, [run][counter]: 0 so far,
 * or NAN where the run has not counted it. To be freed; NULL by samples.
 */
double *stretch_counts_new(const struct stretch *stretch);

/* Adds what work number `work` of a run has. */
void stretch_counts_add(double *counts, const struct stretch *stretch, size_t run, size_t work);

/* The surplus of a block, to be freed. `compared`: it ran on both sides. */
struct stretch_surplus *stretch_surplus_of_block(const struct stretch *stretch,
						 const struct stretch_column *column,
						 const double *counts,
						 const struct stretch_cell *cell, bool compared);

/*
 * Of a counter of what memory has to answer, misses of the last cache: how many of those that came
 * beside the serial ones were on their way at once on average, where memory takes
 * STRETCH_MEMORY_S to answer and nothing else has stretched the work. NAN: it is not one of these,
 * or nothing is known.
 */
#define STRETCH_MEMORY_S 100e-9
double stretch_surplus_at_once(const struct stretch_surplus *surplus);

#endif
