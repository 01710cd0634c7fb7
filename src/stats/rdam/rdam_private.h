/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of rdam.h: occurrences of a sequence are grouped by keys, each group is measured. */
#ifndef PSCAL_STATS_RDAM_RDAM_PRIVATE_H
#define PSCAL_STATS_RDAM_RDAM_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam.h"
#include "stats/rdam/sequences.h"

struct err;

/* --- Scope --------------------------------------------------------------------------------- */

/*
 * The threads whose events are searched together, one behind the other, with a token between each
 * two that is nowhere else: one thread, or all of them.
 */
struct rdam_scope {
	const struct block_trace *trace;
	size_t *threads; /* their numbers; those without events are left out */
	size_t *begins;	 /* the place of the first event of each, ascending */
	size_t thread_count;
	uint32_t *tokens; /* at each place */
	size_t count;
	size_t thread; /* the only one; SIZE_MAX: several are meant */
};

/* A place, and the event there. Begins as zero, and only goes forward. */
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

/* --- The measure of a row ------------------------------------------------------------------ */

/* Measures rows of one trace, which it borrows. */
struct rdam_meter;

struct rdam_meter *rdam_meter_new(const struct block_trace *trace);
void rdam_meter_free(struct rdam_meter *meter);

/*
 * Fills in the whole row but its subject: name, tokens, block, any_content and is_block, which are
 * there. Occurrences, at least one, are in the order of their places.
 */
void rdam_meter_row(struct rdam_meter *meter, struct rdam_row *row, const struct rdam_scope *scope,
		    const struct occurrence *occurrences, size_t count);

/* Replaces the classes of `rdam` by those of these occurrences, as of rdam_meter_row(). */
void rdam_meter_spread(const struct rdam_meter *meter, struct rdam *rdam,
		       const struct rdam_scope *scope, const struct occurrence *occurrences,
		       size_t count);

/* --- Dependence on arguments --------------------------------------------------------------- */

enum {
	RDAM_DRAWN = 100000,	/* of more occurrences so many are drawn, always the same */
	RDAM_TESTED_LEAST = 12, /* with fewer Student's t is too far from the truth */
	RDAM_PER_VALUE = 10,	/* so many occurrences of each value make each a min of its own */
};

/* Fills in all that a row says of dependence; its score is there. `durations` in any unit. */
void rdam_dependence_measure(struct rdam_row *row, const struct rdam_scope *scope,
			     const struct occurrence *occurrences, const double *durations_ns,
			     size_t count);

/* Of two columns of numbers: tested, depends, spearman, and if so slope, by_value, and `score` as
 * the share that is left. */
struct rdam_dependence rdam_dependence_of(const double *x, const double *durations_ns,
					  size_t count);

#endif
