/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sites of calls, one for each address in each process; and where call chains are on record,
 * those of pauses, one for each chain.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_SITES_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

struct program_sites {
	uint32_t *slots; /* number of the site, from 1 on; 0: empty */
	size_t slot_count, used;
	uint64_t *calls; /* at each site, so far */
	size_t call_capacity;
	uint32_t *pauses; /* [chain * 4 + kind of pause]: number of the site, from 1 on; 0: none */
	size_t pause_capacity;
};

/* The site of the object at `address` of process `pid`, new if need be. */
uint32_t program_sites_find(struct program_sites *sites, struct program *program, int32_t pid,
			    uint64_t address);

/* One more call there, of that event: `count` of its step. */
uint32_t program_sites_call(struct program_sites *sites, struct program *program, uint32_t site,
			    enum sync_call call, const struct event *event);

/*
 * The site of pauses (STEP_SLEEP, ...) that were made in that call chain, new if need be;
 * PROGRAM_NONE: the chain is 0, not known.
 */
uint32_t program_sites_pause(struct program_sites *sites, struct program *program, enum step_op op,
			     uint32_t chain);

void program_sites_release(struct program_sites *sites);

#endif
