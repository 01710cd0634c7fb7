/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_plan.h"

#include "base/alloc.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

void sweep_plan_init(struct sweep_plan *plan, const struct sweep_levels *levels, size_t rounds,
		     unsigned long seed)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	struct sweep_turn *turn;

	gsl_rng_set(random, seed);
	plan->count = levels->count * rounds;
	plan->turns = turn = xcalloc(plan->count, sizeof(*plan->turns));
	for (size_t round = 1; round <= rounds; round++, turn += levels->count) {
		for (size_t i = 0; i < levels->count; i++)
			turn[i] = (struct sweep_turn){levels->n[i], round};
		gsl_ran_shuffle(random, turn, levels->count, sizeof(*turn));
	}
	gsl_rng_free(random);
}

void sweep_plan_release(struct sweep_plan *plan)
{
	free(plan->turns);
	*plan = (struct sweep_plan){0};
}
