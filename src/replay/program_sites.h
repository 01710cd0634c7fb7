/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sites of calls: one for each address in each process. */
#ifndef PSCAL_REPLAY_PROGRAM_SITES_H
#define PSCAL_REPLAY_PROGRAM_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program.h"

struct program_sites {
	uint32_t *slots; /* number of the site, from 1 on; 0: empty */
	size_t slot_count, used;
	uint64_t *calls; /* at each site, so far */
	size_t call_capacity;
};

/* The site of the object at `address` of process `pid`, new if need be. */
uint32_t program_sites_find(struct program_sites *sites, struct program *program, int32_t pid,
			    uint64_t address);

/* One more call there: `count` of its step. */
uint32_t program_sites_call(struct program_sites *sites, uint32_t site, enum sync_call call);

void program_sites_release(struct program_sites *sites);

#endif
