/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pairs of neighbours in a list of symbols that shrinks: where each occurs, how often, and
 * which is to be replaced next. Which pairs count at all is the business of sequences.c.
 *
 * A pair is of one place: that of its left symbol. As replaced places never come back and all
 * places of a pair are met in the pass that makes its symbols, a pair is a slice of places that
 * only shrinks: dead places stay in it, and are known by having another pair, or none.
 */
#ifndef PSCAL_STATS_RDAM_DIGRAMS_H
#define PSCAL_STATS_RDAM_DIGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGRAM_NONE = UINT32_MAX };

struct digram {
	uint32_t *places; /* `size` of them, ascending; from `first` on they may be alive */
	uint32_t size, first;
	uint32_t count; /* places that are alive */
	uint32_t rank;	/* lower ones are replaced first */
	uint32_t batch; /* whose memory the places are in */
};

/* A pair while its places are counted. */
struct new_digram {
	uint64_t key; /* the two symbols */
	uint32_t count, rank;
	uint32_t slot;
	uint32_t number; /* DIGRAM_NONE: it occurs once */
};

/* The memory of all places that were found in one pass. */
struct digram_batch {
	uint32_t *places;
	uint32_t live;
};

/* An entry of the heap: what the pair was when it was put there. It can only have become worse. */
struct digram_entry {
	uint32_t rank, count, place, number;
};

struct digrams {
	uint32_t *at; /* the pair of each place; DIGRAM_NONE: it has none */
	struct digram *items;
	size_t count, capacity;
	uint32_t *unused; /* numbers */
	size_t unused_count, unused_capacity;
	struct digram_batch *batches;
	size_t batch_count, batch_capacity;
	uint32_t *unused_batches;
	size_t unused_batch_count, unused_batch_capacity;
	struct digram_entry *heap;
	size_t heap_count, heap_capacity;
	struct new_digram *fresh;
	size_t fresh_count, fresh_capacity;
	uint32_t *slots; /* a hash table of numbers in `fresh` + 1 */
	size_t slot_count;
};

/* For a list of so many places. */
void digrams_init(struct digrams *digrams, size_t places);
void digrams_release(struct digrams *digrams);

/*
 * A pass over the list: tells each pair that it has made, and then, once all are told and counted,
 * their places again, ascending. Pairs that occur once are forgotten.
 */
void digrams_meet(struct digrams *digrams, uint32_t place, uint32_t left, uint32_t right,
		  uint32_t rank);
void digrams_count(struct digrams *digrams);
void digrams_place(struct digrams *digrams, uint32_t place);
void digrams_end(struct digrams *digrams);

/* The pair at `place` is no more. */
static inline void digrams_remove(struct digrams *digrams, uint32_t place)
{
	uint32_t number = digrams->at[place];

	if (number == DIGRAM_NONE)
		return;
	digrams->items[number].count--;
	digrams->at[place] = DIGRAM_NONE;
}

/* The pair to be replaced next, with its places; DIGRAM_NONE: none occurs twice. */
uint32_t digrams_next(struct digrams *digrams);

/* It has been replaced. */
void digrams_retire(struct digrams *digrams, uint32_t number);

#endif
