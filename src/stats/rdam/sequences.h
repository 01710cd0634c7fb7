/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What repeats in a list of tokens, by replacing pairs of neighbours that occur at least twice with
 * a symbol of their own, until there is none [Mosli Bouksiaa 2018; the same idea as in Larsson and
 * Moffat, "Off-line dictionary-based compression", 2000, and Nevill-Manning and Witten's Sequitur,
 * 1997]. Of "a b c b d a b e a b c" remain six symbols, with {a b} three times and {a b c} twice.
 *
 * Tokens are those of block_trace.h. What they enter and leave decides which pairs are replaced
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
 * "F { B B B }" and "F { B }" are occurrences of one sequence, F { B+ }. Of equal tokens ("enter F,
 * enter F": a recursion, whose depth matters) no pair is made, and so none overlaps.
 */
#ifndef PSCAL_STATS_RDAM_SEQUENCES_H
#define PSCAL_STATS_RDAM_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/rdam/block_trace.h"

/* Tokens are less than SEQUENCE_SYMBOL; beyond are symbols: sequence i is SEQUENCE_SYMBOL + i. */
#define SEQUENCE_SYMBOL ((uint32_t)1 << 30)

/* At most so many tokens are searched at once: each sequence takes the place of two at least. */
#define SEQUENCE_TOKENS_MAX ((size_t)1 << 31)

struct sequence {
	uint32_t parts[2];    /* each a token, or the symbol of a sequence before this one */
	bool is_run[2];	      /* in some occurrence that part is repeated */
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
 * What it returns is 8 bytes for each occurrence, of which all sequences together have fewer than
 * there are tokens, and 40 for each sequence.
 */
void sequences_find(struct sequences *sequences, const uint32_t *tokens, size_t count,
		    enum sequence_kind kind);
void sequences_release(struct sequences *sequences);

/* --- Names ---------------------------------------------------------------------------------- */

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

#endif
