/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What repeats in a list of tokens, by replacing pairs of neighbours that occur at least twice with
 * a token of their own, until there is none [Mosli Bouksiaa 2018; the same idea as in Larsson and
 * Moffat, "Off-line dictionary-based compression", 2000, and Nevill-Manning and Witten's Sequitur,
 * 1997]. Of "a b c b d a b e a b c" remain six tokens, with {a b} three times and {a b c} twice.
 */
#ifndef PSCAL_STATS_SEQUENCES_H
#define PSCAL_STATS_SEQUENCES_H

#include <stddef.h>
#include <stdint.h>

/* Tokens [begin, end) of the list. */
struct occurrence {
	size_t begin, end;
};

struct sequence {
	uint32_t *tokens; /* that it consists of: a run is in it once */
	uint8_t *runs;	  /* [i]: tokens[i] ends what is repeated here, and how that nests */
	size_t token_count;
	struct occurrence *occurrences; /* in their order */
	size_t count;
};

struct sequences {
	struct sequence *items;
	size_t count, capacity;
	size_t left; /* tokens that remain when nothing repeats any more */
};

/* Needs about 32 bytes for each token while it works. Tokens are less than 2^31. */
void sequences_find(struct sequences *sequences, const uint32_t *tokens, size_t count);
void sequences_release(struct sequences *sequences);

#endif
