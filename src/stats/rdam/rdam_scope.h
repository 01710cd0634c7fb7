/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The threads whose events are searched together, one behind the other, with a token between each
 * two that is nowhere else: one thread, or all of them.
 */
#ifndef PSCAL_STATS_RDAM_RDAM_SCOPE_H
#define PSCAL_STATS_RDAM_RDAM_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/block_trace.h"
#include "stats/rdam/sequences.h"

struct rdam_scope {
	const struct block_trace *trace;
	size_t *threads; /* their numbers; those without events are left out */
	size_t *begins;	 /* the place of the first event of each, ascending */
	size_t thread_count;
	uint32_t *tokens; /* at each place */
	size_t count;
	size_t thread; /* the only one; SIZE_MAX: several are meant */
};

void rdam_scope_of_thread(struct rdam_scope *scope, const struct block_trace *trace, size_t thread);
void rdam_scope_of_all(struct rdam_scope *scope, const struct block_trace *trace);
void rdam_scope_release(struct rdam_scope *scope);

/* A place and whose event is there. Begins as zero, and only goes forward. */
struct rdam_place {
	size_t nth; /* of the threads of the scope */
	size_t thread;
	size_t event;
	uint64_t time_ns;
};

void rdam_place_at(struct rdam_place *at, const struct rdam_scope *scope, size_t place);

/* An occurrence as a time in a thread. */
struct rdam_span {
	size_t thread;
	uint64_t begin_ns, end_ns;
	size_t first, last; /* its events, by their numbers in the thread */
};

struct rdam_span rdam_span_at(struct rdam_place *at, const struct rdam_scope *scope,
			      const struct occurrence *occurrence);

/* The arguments of an enter; *count is 0 where it has none, and of a leave. */
const double *rdam_arguments_of(const struct block_trace *trace, const struct rdam_place *at,
				size_t *count);

#endif
