/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of rdam.h: the calls of a sequence are grouped by keys, and each group is measured. */
#ifndef PSCAL_STATS_RDAM_RDAM_PRIVATE_H
#define PSCAL_STATS_RDAM_RDAM_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/rdam.h"

struct err;

/* --- Sequences ----------------------------------------------------------------------------- */

/*
 * Finds repetitions in a list of tokens, by replacing pairs of neighbours that occur at least twice
 * with a symbol of their own, until there is no such pair [Mosli Bouksiaa 2018; the same idea as in
 * Larsson and Moffat, "Off-line dictionary-based compression", 2000, and Nevill-Manning and
 * Witten's Sequitur, 1997]. "a b c b d a b e a b c" becomes six symbols, with {a b} three times and
 * {a b c} twice.
 *
 * Tokens are those of rdam_trace.h. Their enters and leaves decide which pairs are replaced first,
 * as frequency alone would tear blocks apart: in a loop "F { } G { }" the pair "leave F, enter G"
 * is as frequent as any. The first part replaces only
 *
 *	1. an enter with its leave, or with what is between them and then its leave: a whole block,
 *	2. an enter with all that is between it and its leave, if that is one symbol,
 *	3. two neighbours that consist of whole blocks,
 *
 * in this order of preference; among these the most frequent pair, and of equally frequent ones the
 * first. No such pair reaches beyond the enter and the leave around it, so all blocks with the same
 * contents become the same symbol. The second part replaces any pair of the rest, by the same rule
 * of frequency and place.
 *
 * The choice is greedy: in a list in which "B, A" occurs earlier and more often than "A, Z" or "Z,
 * B", a loop "A Z B A Z B" may become "A (Z B A)+ ...", and not a run of "A Z B".
 *
 * Runs: equal neighbours that are symbols of whole blocks, or of the second part, become one as
 * soon as they are made, so that the sequence around them does not depend on the number of
 * repetitions: "F { B B B }" and "F { B }" are calls of one sequence, F { B+ }. Equal tokens
 * ("enter F, enter F": a recursion, whose depth matters) make no pair, and so no pairs overlap.
 */

/* Tokens are below SEQUENCE_SYMBOL; sequence i has the symbol SEQUENCE_SYMBOL + i. */
#define SEQUENCE_SYMBOL ((uint32_t)1 << 30)

/* The most tokens that can be searched at once: each sequence replaces two at least. */
#define SEQUENCE_TOKENS_MAX ((size_t)1 << 31)

struct sequence {
	uint32_t parts[2];    /* each a token, or the symbol of an earlier sequence */
	bool is_run[2];	      /* the part is repeated in some call */
	bool is_whole;	      /* the sequence consists of whole blocks */
	uint32_t token_count; /* the number of tokens: a run counts once */
	uint32_t count;
	struct occurrence *occurrences; /* sorted, and without overlaps */
};

struct sequences {
	struct sequence *items;
	size_t count, capacity;
	size_t left; /* tokens and symbols that remain at the end */
};

enum sequence_kind {
	SEQUENCES_OF_BLOCKS, /* the first part alone */
	SEQUENCES_OF_ALL,
};

/*
 * Finds the sequences. Time is linear except for the heap of pairs. Memory is 16 bytes for each
 * token, 4 for each place of a pair that occurs twice, and 50 for each such pair: 20 to 25 bytes a
 * token in the first part, and up to 70 in the second for tokens without any order (make
 * bench-sequences). The result has 8 bytes for each call, of which there are fewer than tokens, and
 * 40 for each sequence.
 */
void sequences_find(struct sequences *sequences, const uint32_t *tokens, size_t count,
		    enum sequence_kind kind);
void sequences_release(struct sequences *sequences);

/*
 * The name of a sequence: "Foo { Bar+ (Baz Qux { Bar })+ }". A block without contents is its name,
 * "+" is a run, "leave Foo" a leave whose enter is not in the sequence; an enter without a leave
 * keeps its brace open. Long names end in "...".
 */
struct sequence_naming {
	const struct blocks *blocks;
	const struct sequences *sequences;
	const uint32_t *tokens; /* the tokens in which the sequences were found */
	const char *detail;	/* text behind the first name: "(n=7)"; may be empty */
	bool braces;		/* braces also around no contents */
};

/* Returns the name; the caller frees it. */
char *sequence_name(const struct sequence_naming *naming, uint32_t sequence);

/* --- Scope --------------------------------------------------------------------------------- */

/*
 * The threads whose events are searched together, one behind the other, with a unique token between
 * each two: one thread, or all of them.
 */
struct rdam_scope {
	const struct rdam_trace *trace;
	size_t *threads; /* their numbers, without threads that have no events */
	size_t *begins;	 /* the place of each thread's first event, ascending */
	size_t thread_count;
	uint32_t *tokens; /* the token at each place */
	size_t count;
	size_t thread; /* the only thread; SIZE_MAX: several */
};

/* A place, and the event there. A new one is all zero, and only moves forward. */
struct rdam_place {
	size_t nth; /* an index of scope.threads */
	size_t thread;
	size_t event;
	uint64_t time_ns;
};

void rdam_place_at(struct rdam_place *at, const struct rdam_scope *scope, size_t place);

/* A call as an interval of time in a thread. */
struct rdam_span {
	size_t thread;
	uint64_t begin_ns, end_ns;
	size_t first, last; /* the numbers of its events in the thread */
};

struct rdam_span rdam_span_at(struct rdam_place *at, const struct rdam_scope *scope,
			      const struct occurrence *occurrence);

/* Returns the arguments of an enter; *count is 0 if it has none, and for a leave. */
const double *rdam_arguments_of(const struct rdam_trace *trace, const struct rdam_place *at,
				size_t *count);

/* --- The measure of a row ------------------------------------------------------------------ */

/* Measures rows of one trace, which it borrows. */
struct rdam_meter;

struct rdam_meter *rdam_meter_new(const struct rdam_trace *trace);
void rdam_meter_free(struct rdam_meter *meter);

/*
 * Fills in the row except for its subject, which the caller has set: name, tokens, block,
 * any_content and is_block. Calls, at least one, are in the order of their places.
 */
void rdam_meter_row(struct rdam_meter *meter, struct rdam_row *row, const struct rdam_scope *scope,
		    const struct occurrence *occurrences, size_t count);

/* Replaces the classes of `rdam` by those of these calls, which are as in rdam_meter_row(). */
void rdam_meter_spread(const struct rdam_meter *meter, struct rdam *rdam,
		       const struct rdam_scope *scope, const struct occurrence *occurrences,
		       size_t count);

/* --- Dependence on arguments --------------------------------------------------------------- */

enum {
	RDAM_DRAWN = 100000,	/* the number of calls drawn from more, always the same */
	RDAM_TESTED_LEAST = 12, /* the least number of calls for which Student's t is accurate */
	RDAM_PER_VALUE = 10,	/* calls that each value needs to have a min of its own */
};

/* Fills in the dependences of a row, which has its score. The unit of durations does not matter. */
void rdam_dependence_measure(struct rdam_row *row, const struct rdam_scope *scope,
			     const struct occurrence *occurrences, const double *durations_ns,
			     size_t count);

/*
 * Tests two columns of numbers: sets tested, depends, spearman, and if it depends slope, by_value,
 * and `score` as the share that is left.
 */
struct rdam_dependence rdam_dependence_of(const double *x, const double *durations_ns,
					  size_t count);

#endif
