/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/sequences.h"

#include "base/alloc.h"
#include "stats/rdam/block_trace.h"
#include "stats/rdam/digrams.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A place is where a token was. What is replaced stays at the place of its first token. */
struct search {
	struct sequences *found;
	const uint32_t *tokens;
	uint32_t count;
	uint32_t *symbols; /* at each place; RUN: repeated there */
	uint32_t *next, *before;
	struct digrams digrams;
	uint32_t *openers; /* of a sequence that lacks but its leave: its enter; else NO_TOKEN */
	size_t opener_capacity;
	bool any; /* the second part */
};

#define RUN ((uint32_t)1 << 31)
enum { NO_TOKEN = UINT32_MAX, NOT_REPLACED = UINT32_MAX };

/* In the order of preference. */
enum rank { CLOSES, FILLS, NEIGHBOURS };

/* --- Which pairs --------------------------------------------------------------------------- */

static uint32_t symbol_at(const struct search *search, uint32_t place)
{
	return search->symbols[place] & ~RUN;
}

static bool is_whole(const struct search *search, uint32_t symbol)
{
	return symbol >= SEQUENCE_SYMBOL && search->found->items[symbol - SEQUENCE_SYMBOL].is_whole;
}

static bool closes(const struct search *search, uint32_t left, uint32_t right)
{
	uint32_t opener = left < SEQUENCE_SYMBOL ? left : search->openers[left - SEQUENCE_SYMBOL];

	return opener != NO_TOKEN && right < SEQUENCE_SYMBOL && !block_token_leaves(opener) &&
	       right == block_token(block_of_token(opener), true);
}

static bool fills(const struct search *search, uint32_t left, uint32_t right, uint32_t after)
{
	return left < SEQUENCE_SYMBOL && after < search->count && is_whole(search, right) &&
	       closes(search, left, symbol_at(search, after));
}

/* The rank of the pair at `place`, or NOT_REPLACED. */
static uint32_t rank_of(const struct search *search, uint32_t place)
{
	uint32_t left = symbol_at(search, place);
	uint32_t right = symbol_at(search, search->next[place]);

	if (left == right)
		return NOT_REPLACED;
	if (search->any)
		return NEIGHBOURS;
	if (closes(search, left, right))
		return CLOSES;
	if (is_whole(search, left) && is_whole(search, right))
		return NEIGHBOURS;
	return fills(search, left, right, search->next[search->next[place]]) ? FILLS : NOT_REPLACED;
}

/* `place` may be the last one. */
static void meet_pair(struct search *search, uint32_t place)
{
	uint32_t rank;

	if (search->next[place] >= search->count)
		return;
	rank = rank_of(search, place);
	if (rank != NOT_REPLACED)
		digrams_meet(&search->digrams, place, symbol_at(search, place),
			     symbol_at(search, search->next[place]), rank);
}

/* --- Replacing ----------------------------------------------------------------------------- */

static uint32_t tokens_of(const struct search *search, uint32_t symbol)
{
	return symbol < SEQUENCE_SYMBOL
		       ? 1
		       : search->found->items[symbol - SEQUENCE_SYMBOL].token_count;
}

/* The sequence that takes the place of the pair at `place`. */
static uint32_t add_sequence(struct search *search, uint32_t place, const struct digram *digram)
{
	struct sequences *found = search->found;
	uint32_t left = symbol_at(search, place);
	uint32_t right = symbol_at(search, search->next[place]);
	struct sequence sequence = {.parts = {left, right}};
	uint32_t opener = NO_TOKEN;

	if (!search->any && digram->rank == FILLS)
		opener = left;
	sequence.is_whole = !search->any && digram->rank != FILLS;
	sequence.token_count = tokens_of(search, left) + tokens_of(search, right);
	sequence.occurrences = xreallocarray(NULL, digram->count, sizeof(*sequence.occurrences));
	array_reserve(&found->items, &found->capacity, found->count + 1);
	array_reserve(&search->openers, &search->opener_capacity, found->count + 1);
	search->openers[found->count] = opener;
	found->items[found->count] = sequence;
	return SEQUENCE_SYMBOL + (uint32_t)found->count++;
}

/*
 * Returns whether it is there by itself, and not as one more of a run. What lacks but its leave is
 * never in one, as that comes next.
 */
static bool replace_at(struct search *search, uint32_t place, uint32_t symbol)
{
	struct sequence *sequence = &search->found->items[symbol - SEQUENCE_SYMBOL];
	uint32_t second = search->next[place], after = search->next[second];
	uint32_t before = search->before[place];
	bool repeats = place && symbol_at(search, before) == symbol;

	if (place)
		digrams_remove(&search->digrams, before);
	digrams_remove(&search->digrams, place);
	digrams_remove(&search->digrams, second);
	sequence->is_run[0] |= (search->symbols[place] & RUN) != 0;
	sequence->is_run[1] |= (search->symbols[second] & RUN) != 0;
	sequence->occurrences[sequence->count++] = (struct occurrence){place, after};
	search->symbols[place] = symbol;
	if (repeats) {
		search->symbols[before] |= RUN;
		place = before;
	}
	search->next[place] = after;
	if (after < search->count)
		search->before[after] = place;
	return !repeats;
}

/* The pairs that a symbol makes at these places. It is never its own neighbour. */
static void meet_symbol(struct search *search, const uint32_t *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (places[i])
			meet_pair(search, search->before[places[i]]);
		meet_pair(search, places[i]);
	}
	digrams_count(&search->digrams);
	for (size_t i = 0; i < count; i++) {
		if (places[i])
			digrams_place(&search->digrams, search->before[places[i]]);
		digrams_place(&search->digrams, places[i]);
	}
	digrams_end(&search->digrams);
}

/* Those where it is replaced are kept where those of the pair are. */
static void replace(struct search *search, uint32_t number)
{
	struct digram digram = search->digrams.items[number];
	uint32_t symbol = add_sequence(search, digram.places[digram.first], &digram);
	size_t count = 0;

	for (uint32_t i = digram.first; i < digram.size; i++) {
		uint32_t place = digram.places[i];

		if (search->digrams.at[place] == number && replace_at(search, place, symbol))
			digram.places[count++] = place;
	}
	meet_symbol(search, digram.places, count);
	digrams_retire(&search->digrams, number);
}

static void replace_all(struct search *search)
{
	uint32_t number;

	for (uint32_t place = 0; place < search->count; place = search->next[place])
		meet_pair(search, place);
	digrams_count(&search->digrams);
	for (uint32_t place = 0; place < search->count; place = search->next[place])
		digrams_place(&search->digrams, place);
	digrams_end(&search->digrams);
	while ((number = digrams_next(&search->digrams)) != DIGRAM_NONE)
		replace(search, number);
}

/* --- All of it ----------------------------------------------------------------------------- */

static void begin(struct search *search)
{
	size_t count = search->count;

	search->symbols = xreallocarray(NULL, count, sizeof(*search->symbols));
	search->next = xreallocarray(NULL, count, sizeof(*search->next));
	search->before = xreallocarray(NULL, count, sizeof(*search->before));
	memcpy(search->symbols, search->tokens, count * sizeof(*search->symbols));
	for (uint32_t i = 0; i < count; i++) {
		search->next[i] = i + 1;
		search->before[i] = i - 1;
	}
	digrams_init(&search->digrams, count);
}

static void end(struct search *search)
{
	digrams_release(&search->digrams);
	free(search->symbols);
	free(search->next);
	free(search->before);
	free(search->openers);
}

void sequences_find(struct sequences *sequences, const uint32_t *tokens, size_t count,
		    enum sequence_kind kind)
{
	struct search search = {.found = sequences, .tokens = tokens, .count = (uint32_t)count};

	assert(count <= SEQUENCE_TOKENS_MAX);
	*sequences = (struct sequences){0};
	if (!count)
		return;
	begin(&search);
	replace_all(&search);
	if (kind == SEQUENCES_OF_ALL) {
		search.any = true;
		replace_all(&search);
	}
	for (uint32_t place = 0; place < count; place = search.next[place])
		sequences->left++;
	end(&search);
}

void sequences_release(struct sequences *sequences)
{
	for (size_t i = 0; i < sequences->count; i++)
		free(sequences->items[i].occurrences);
	free(sequences->items);
	*sequences = (struct sequences){0};
}
