/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Occurrences of a sequence grouped by values of arguments of the block that it begins with. */
#ifndef PSCAL_STATS_RDAM_RDAM_KEYS_H
#define PSCAL_STATS_RDAM_RDAM_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/rdam_scope.h"
#include "stats/rdam/sequences.h"

struct err;

struct rdam_keys {
	const struct blocks *blocks;
	struct rdam_resolved {
		uint32_t block;
		uint32_t argument;
	} * items; /* by block, and then by argument */
	size_t count;
};

/* Returns 0, or -1 with a sentence: a name that is of nothing. */
int rdam_keys_init(struct rdam_keys *keys, const struct block_trace *trace,
		   const struct rdam_options *options, struct err *err);
void rdam_keys_release(struct rdam_keys *keys);

/* A group: occurrences with the same values, in their order. */
struct rdam_group {
	struct occurrence *occurrences;
	size_t count;
	char *detail; /* "(n=7)" */
};

/*
 * Calls `take` with each group, in the order of values; with all of them and no detail where there
 * is no key for the block.
 */
void rdam_keys_group(const struct rdam_keys *keys, const struct rdam_scope *scope, uint32_t block,
		     const struct occurrence *occurrences, size_t count,
		     void (*take)(void *context, const struct rdam_group *group), void *context);

#endif
