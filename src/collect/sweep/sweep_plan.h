/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order in which a sweep measures. Every round has each N once, in an order of its own: what
 * drifts while it goes on (heat, a neighbour, a cache) then scatters over all N, and does not look
 * like scaling.
 */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_PLAN_H
#define PSCAL_COLLECT_SWEEP_SWEEP_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "collect/sweep/sweep_levels.h"

enum { SWEEP_TURNS_MAX = 1 << 20 };

struct sweep_turn {
	uint64_t n;
	size_t repeat; /* the round, from 1 */
};

struct sweep_plan {
	struct sweep_turn *turns;
	size_t count;
};

/*
 * The same levels and seed give the same plan on any machine, and one with more rounds begins as
 * one with fewer. At most SWEEP_TURNS_MAX turns.
 */
void sweep_plan_init(struct sweep_plan *plan, const struct sweep_levels *levels, size_t rounds,
		     unsigned long seed);
void sweep_plan_release(struct sweep_plan *plan);

#endif
