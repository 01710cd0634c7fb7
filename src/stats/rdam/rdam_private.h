/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of rdam.h: calls of a sequence are grouped by keys, each group is measured. */
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
 * with a symbol of their own, until there is none [Mosli Bouksiaa 2018; the same idea as in Larsson
 * and Moffat, "Off-line dictionary-based compression", 2000, and Nevill-Manning and Witten's
 * Sequitur, 1997]. Of "a b c b d a b e a b c" remain six symbols, with {a b} three times and {a b
 * c} twice.
 *
 * Tokens are those of rdam_trace.h. What they enter and leave decides which pairs are replaced
 * first, as the most frequent pairs alone tear blocks apart: in a loop "F { } G { }" the pair
 * "leave F, enter G" is as frequent as any. In the first part only
 *
 *	1. an enter with its leave, or with what is between them and then its leave: a whole block,
 *	2. an enter with all that is between it and its leave, if that is one symbol,
 *	3. two neighbours that consist of whole blocks,
 *
 * in this order of preference; among these the most frequent, and of those that are as frequent the
 * one that occurs first. Nothing here reaches beyond the enter and the leave around it, so blocks
 * with the same contents become the same symbol wherever they are, all of them. In the second part
 * any pair of what is left is replaced by the same rule of frequency and place.
 *
 * The choice is greedy: in a list where "B, A" is met before and more often than what is between
 * them repeats, a loop "A Z B A Z B" may be "A (Z B A)+ ..." and another sequence than "A Z B".
 *
 * Runs: neighbours that are the same symbol of whole blocks, or of the second part, become one as
 * soon as they are made, so that what is around them is the same however often they are repeated:
 * "F { B B B }" and "F { B }" are calls of one sequence, F { B+ }. Of equal tokens ("enter F,
 * enter F": a recursion, whose depth matters) no pair is made, and so none overlaps.
 */

/* Tokens are less than SEQUENCE_SYMBOL; beyond are symbols: sequence i is SEQUENCE_SYMBOL + i. */
#define SEQUENCE_SYMBOL ((uint32_t)1 << 30)

/* At most so many tokens are searched at once: each sequence takes the place of two at least. */
#define SEQUENCE_TOKENS_MAX ((size_t)1 << 31)

struct sequence {
	uint32_t parts[2];    /* each a token, or the symbol of a sequence before this one */
	bool is_run[2];	      /* in some call that part is repeated */
	bool is_whole;	      /* it consists of whole blocks */
	uint32_t token_count; /* that it consists of: a run counts once */
	uint32_t count;
	struct occurrence *occurrences; /* in their order; none overlaps another */
};

struct sequences {
	struct sequence *items;
	size_t count, capacity;
	size_t left; /* tokens and symbols that remain when nothing repeats any more */
};

enum sequence_kind {
	SEQUENCES_OF_BLOCKS, /* the first part alone */
	SEQUENCES_OF_ALL,
};

/*
 * Time is linear but for the heap of pairs. While it works it needs 16 bytes for each token, 4 for
 * each place of a pair that occurs twice, and 50 for each such pair: 20 to 25 bytes a token in the
 * first part, and up to 70 in the second where tokens have no order at all (make bench-sequences).
 * What it returns is 8 bytes for each call, of which all sequences together have fewer than
 * there are tokens, and 40 for each sequence.
 */
void sequences_find(struct sequences *sequences, const uint32_t *tokens, size_t count,
		    enum sequence_kind kind);
void sequences_release(struct sequences *sequences);

/*
 * The name of a sequence: "Foo { Bar+ (Baz Qux { Bar })+ }". A block with nothing in it is its
 * name, "+" is a run, "leave Foo" a leave whose enter is not in the sequence; an enter without a
 * leave keeps its brace open. Long ones end in "...".
 */
struct sequence_naming {
	const struct blocks *blocks;
	const struct sequences *sequences;
	const uint32_t *tokens; /* in which they were found */
	const char *detail;	/* behind the first name: "(n=7)"; may be empty */
	bool braces;		/* also where there is nothing between them */
};

/* To be freed. */
char *sequence_name(const struct sequence_naming *naming, uint32_t sequence);

/* --- Scope --------------------------------------------------------------------------------- */

/*
 * The threads whose events are searched together, one behind the other, with a token between each
 * two that is nowhere else: one thread, or all of them.
 */
struct rdam_scope {
	const struct rdam_trace *trace;
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

/* A call as a time in a thread. */
struct rdam_span {
	size_t thread;
	uint64_t begin_ns, end_ns;
	size_t first, last; /* its events, by their numbers in the thread */
};

struct rdam_span rdam_span_at(struct rdam_place *at, const struct rdam_scope *scope,
			      const struct occurrence *occurrence);

/* The arguments of an enter; *count is 0 where it has none, and of a leave. */
const double *rdam_arguments_of(const struct rdam_trace *trace, const struct rdam_place *at,
				size_t *count);

/* --- The measure of a row ------------------------------------------------------------------ */

/* Measures rows of one trace, which it borrows. */
struct rdam_meter;

struct rdam_meter *rdam_meter_new(const struct rdam_trace *trace);
void rdam_meter_free(struct rdam_meter *meter);

/*
 * Fills in the whole row but its subject: name, tokens, block, any_content and is_block, which are
 * there. Calls, at least one, are in the order of their places.
 */
void rdam_meter_row(struct rdam_meter *meter, struct rdam_row *row, const struct rdam_scope *scope,
		    const struct occurrence *occurrences, size_t count);

/* Replaces the classes of `rdam` by those of these calls, as of rdam_meter_row(). */
void rdam_meter_spread(const struct rdam_meter *meter, struct rdam *rdam,
		       const struct rdam_scope *scope, const struct occurrence *occurrences,
		       size_t count);

/* --- Dependence on arguments --------------------------------------------------------------- */

enum {
	RDAM_DRAWN = 100000,	/* of more calls so many are drawn, always the same */
	RDAM_TESTED_LEAST = 12, /* with fewer Student's t is too far from the truth */
	RDAM_PER_VALUE = 10,	/* so many calls of each value make each a min of its own */
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
