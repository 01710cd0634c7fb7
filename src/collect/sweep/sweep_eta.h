/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long what is left of a sweep will take: as long at each N as it took there before. */
#ifndef PSCAL_COLLECT_SWEEP_SWEEP_ETA_H
#define PSCAL_COLLECT_SWEEP_SWEEP_ETA_H

#include <stddef.h>
#include <stdint.h>

#include "collect/sweep/sweep_levels.h"

struct sweep_eta {
	const struct sweep_levels *levels; /* borrowed */
	struct sweep_eta_level {
		size_t left, done;
		uint64_t took_ns; /* by those done */
	} * at;
};

void sweep_eta_init(struct sweep_eta *eta, const struct sweep_levels *levels);
void sweep_eta_release(struct sweep_eta *eta);

/* There is one more run to do at this N, which is one of the levels. */
void sweep_eta_expect(struct sweep_eta *eta, uint64_t n);

/* One of them is done. */
void sweep_eta_took(struct sweep_eta *eta, uint64_t n, uint64_t wall_ns);

/*
 * Sets *done_ns to what the runs have taken, with one at `n` that has been going on for elapsed_ns,
 * and returns what all are expected to take; 0 as long as nothing is known. An N that has not been
 * measured takes as long as the mean of the others.
 */
uint64_t sweep_eta_total(const struct sweep_eta *eta, uint64_t *done_ns, uint64_t n,
			 uint64_t elapsed_ns);

#endif
