/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites of a program at which threads may wait, as people name them: by number, which is their
 * index and the same in each replay of a recording, or by name.
 */
#ifndef PSCAL_REPLAY_FORECAST_WAIT_SITES_H
#define PSCAL_REPLAY_FORECAST_WAIT_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct err;

/* What is asked for: waiting at `site` costs that share of what it did, see simulation.h. */
struct wait_cost {
	uint32_t site;
	double share; /* 0..1 */
};

/* [site]: how many steps get there and may have to wait. The caller frees it. */
uint64_t *wait_sites_visits(const struct program *program);

/*
 * The site that `text` says: its name, or its number. Returns 0, or -1 with a sentence that names
 * what comes near where there is none, and the numbers where several have that name.
 */
int wait_sites_find(uint32_t *site, const struct program *program, const char *text,
		    struct err *err);

/* Can waiting there cost that? Returns 0, or -1 with a sentence. */
int wait_sites_check(const struct program *program, const struct wait_cost *cost, struct err *err);

/* For struct machine: 1 of each site, and what `costs` say of theirs. The caller frees it. */
double *wait_sites_costs(const struct program *program, const struct wait_cost *costs,
			 size_t count);

#endif
