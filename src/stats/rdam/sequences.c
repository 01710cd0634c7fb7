/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"
#include "base/map.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Pairs --------------------------------------------------------------------------------- */

/*
 * The pairs of neighbours in a list of symbols that shrinks: the places and the number of each
 * pair, and the pair to replace next. The callers decide which pairs count.
 *
 * The place of a pair is that of its left symbol. Replaced places never come back, and one pass
 * finds all places of a pair: so a pair is a slice of places that only shrinks. Dead places stay in
 * the slice; they have another pair, or none.
 */

enum { PAIR_NONE = UINT32_MAX };

struct pair {
	uint32_t *places; /* `size` places, ascending; those from `first` on may be alive */
	uint32_t size, first;
	uint32_t count; /* the number of places that are alive */
	uint32_t rank;	/* lower ranks are replaced first */
	uint32_t batch; /* the batch with the memory of the places */
};

/* A pair while its places are counted. */
struct new_pair {
	uint32_t count, rank;
	uint32_t number; /* PAIR_NONE: it occurs once */
};

/* The memory of all places found in one pass. */
struct pair_batch {
	uint32_t *places;
	uint32_t live;
};

/* An entry of the heap: the pair when the entry was made. It may only have become worse. */
struct pair_entry {
	uint32_t rank, count, place, number;
};

struct pairs {
	uint32_t *at; /* [place]: its pair; PAIR_NONE: none */
	struct pair *items;
	size_t count, capacity;
	uint32_t *unused; /* unused numbers */
	size_t unused_count, unused_capacity;
	struct pair_batch *batches;
	size_t batch_count, batch_capacity;
	uint32_t *unused_batches;
	size_t unused_batch_count, unused_batch_capacity;
	struct pair_entry *heap;
	size_t heap_count, heap_capacity;
	struct new_pair *fresh;
	size_t fresh_count, fresh_capacity;
	struct map numbers; /* the numbers of `fresh`, by their symbols */
};

/* Makes pairs for a list with this number of places. */
static void pairs_init(struct pairs *pairs, size_t places)
{
	*pairs = (struct pairs){.at = xreallocarray(NULL, places, sizeof(*pairs->at))};
	memset(pairs->at, 0xff, places * sizeof(*pairs->at));
}

static void pairs_release(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->batch_count; i++)
		free(pairs->batches[i].places);
	free(pairs->batches);
	free(pairs->unused_batches);
	free(pairs->at);
	free(pairs->items);
	free(pairs->unused);
	free(pairs->heap);
	free(pairs->fresh);
	map_release(&pairs->numbers);
}

/* --- Pairs: counting ----------------------------------------------------------------------- */

/*
 * Counts one pair, in a pass over the list that gives each new pair, and afterwards the places of
 * all of them again, ascending. Pairs that occur once are dropped.
 */
static void pairs_meet(struct pairs *pairs, uint32_t place, uint32_t left, uint32_t right,
		       uint32_t rank)
{
	uint32_t number = map_add_u64(&pairs->numbers, (uint64_t)left << 32 | right);

	if (number == pairs->fresh_count) {
		array_reserve(&pairs->fresh, &pairs->fresh_capacity, pairs->fresh_count + 1);
		pairs->fresh[pairs->fresh_count++] = (struct new_pair){.rank = rank};
	}
	pairs->at[place] = number;
	pairs->fresh[pairs->at[place]].count++;
}

static uint32_t take_number(struct pairs *pairs)
{
	if (pairs->unused_count)
		return pairs->unused[--pairs->unused_count];
	array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1);
	return (uint32_t)pairs->count++;
}

static uint32_t take_batch(struct pairs *pairs, size_t places, uint32_t live)
{
	uint32_t batch;

	if (pairs->unused_batch_count) {
		batch = pairs->unused_batches[--pairs->unused_batch_count];
	} else {
		array_reserve(&pairs->batches, &pairs->batch_capacity, pairs->batch_count + 1);
		batch = (uint32_t)pairs->batch_count++;
	}
	pairs->batches[batch].places = xreallocarray(NULL, places, sizeof(uint32_t));
	pairs->batches[batch].live = live;
	return batch;
}

/* Gives pairs that occur at least twice a number, and room for their places. */
static void pairs_count(struct pairs *pairs)
{
	uint32_t live = 0, batch, *places;
	size_t room = 0;

	for (size_t i = 0; i < pairs->fresh_count; i++) {
		struct new_pair *fresh = &pairs->fresh[i];

		fresh->number = PAIR_NONE;
		live += fresh->count > 1;
		room += fresh->count > 1 ? fresh->count : 0;
	}
	if (!live)
		return;
	batch = take_batch(pairs, room, live);
	places = pairs->batches[batch].places;
	for (size_t i = 0; i < pairs->fresh_count; i++) {
		struct new_pair *fresh = &pairs->fresh[i];

		if (fresh->count < 2)
			continue;
		fresh->number = take_number(pairs);
		pairs->items[fresh->number] =
			(struct pair){.places = places, .rank = fresh->rank, .batch = batch};
		places += fresh->count;
	}
}

/* --- Pairs: the heap ----------------------------------------------------------------------- */

static bool entry_goes_before(const struct pair_entry *a, const struct pair_entry *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->count != b->count)
		return a->count > b->count;
	return a->place < b->place;
}

static void heap_push(struct pairs *pairs, uint32_t number)
{
	const struct pair *pair = &pairs->items[number];
	struct pair_entry entry = {pair->rank, pair->count, pair->places[pair->first], number};
	struct pair_entry *heap;
	size_t at = pairs->heap_count++;

	array_reserve(&pairs->heap, &pairs->heap_capacity, pairs->heap_count);
	heap = pairs->heap;
	for (; at && entry_goes_before(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = entry;
}

static struct pair_entry heap_pop(struct pairs *pairs)
{
	struct pair_entry *heap = pairs->heap, top = heap[0];
	size_t count = --pairs->heap_count, at = 0, child;
	struct pair_entry last = heap[count];

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && entry_goes_before(&heap[child + 1], &heap[child]))
			child++;
		if (!entry_goes_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

static void pairs_place(struct pairs *pairs, uint32_t place)
{
	uint32_t *at = &pairs->at[place];
	struct pair *pair;

	if (*at == PAIR_NONE)
		return;
	*at = pairs->fresh[*at].number;
	if (*at == PAIR_NONE)
		return;
	pair = &pairs->items[*at];
	pair->places[pair->size++] = place;
	pair->count++;
}

static void pairs_end(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->fresh_count; i++)
		if (pairs->fresh[i].number != PAIR_NONE)
			heap_push(pairs, pairs->fresh[i].number);
	pairs->fresh_count = 0;
	map_release(&pairs->numbers);
}

/* Removes the pair at `place`. */
static void pairs_remove(struct pairs *pairs, uint32_t place)
{
	uint32_t number = pairs->at[place];

	if (number == PAIR_NONE)
		return;
	pairs->items[number].count--;
	pairs->at[place] = PAIR_NONE;
}

/* --- Pairs: the next one ------------------------------------------------------------------- */

/* Frees the number of a pair that was replaced. */
static void pairs_retire(struct pairs *pairs, uint32_t number)
{
	uint32_t batch = pairs->items[number].batch;

	array_reserve(&pairs->unused, &pairs->unused_capacity, pairs->unused_count + 1);
	pairs->unused[pairs->unused_count++] = number;
	if (--pairs->batches[batch].live)
		return;
	free(pairs->batches[batch].places);
	pairs->batches[batch].places = NULL;
	array_reserve(&pairs->unused_batches, &pairs->unused_batch_capacity,
		      pairs->unused_batch_count + 1);
	pairs->unused_batches[pairs->unused_batch_count++] = batch;
}

/* Skips dead places of the pair. */
static void pairs_find_first(struct pairs *pairs, uint32_t number)
{
	struct pair *pair = &pairs->items[number];

	while (pairs->at[pair->places[pair->first]] != number)
		pair->first++;
}

/* Returns the pair to replace next, with its places; PAIR_NONE: no pair occurs twice. */
static uint32_t pairs_next(struct pairs *pairs)
{
	while (pairs->heap_count) {
		struct pair_entry entry = heap_pop(pairs);
		struct pair *pair = &pairs->items[entry.number];

		if (pair->count)
			pairs_find_first(pairs, entry.number);
		if (pair->count < 2) {
			if (pair->count)
				pairs_remove(pairs, pair->places[pair->first]);
			pairs_retire(pairs, entry.number);
			continue;
		}
		if (pair->count == entry.count && pair->places[pair->first] == entry.place)
			return entry.number;
		heap_push(pairs, entry.number);
	}
	return PAIR_NONE;
}

/* The search. A place is that of a token; a replacement has the place of its first token. */
struct search {
	struct sequences *found;
	const uint32_t *tokens;
	uint32_t count;
	uint32_t *symbols; /* [place]; RUN: repeated there */
	uint32_t *next, *before;
	struct pairs pairs;
	uint32_t *openers; /* of a sequence that lacks only its leave: its enter; else NO_TOKEN */
	size_t opener_capacity;
	bool any; /* the second part: any pair */
};

#define RUN ((uint32_t)1 << 31)
enum { NO_TOKEN = UINT32_MAX, NOT_REPLACED = UINT32_MAX };

/* Ranks, in the order of preference. */
enum rank { CLOSES, FILLS, NEIGHBOURS };

/* --- Choice of pairs ----------------------------------------------------------------------- */

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

/* Returns the rank of the pair at `place`, or NOT_REPLACED. */
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

/* Counts the pair at `place`, which may be the last place. */
static void meet_pair(struct search *search, uint32_t place)
{
	uint32_t rank;

	if (search->next[place] >= search->count)
		return;
	rank = rank_of(search, place);
	if (rank != NOT_REPLACED)
		pairs_meet(&search->pairs, place, symbol_at(search, place),
			   symbol_at(search, search->next[place]), rank);
}

/* --- Replacing ----------------------------------------------------------------------------- */

static uint32_t tokens_of(const struct search *search, uint32_t symbol)
{
	return symbol < SEQUENCE_SYMBOL
		       ? 1
		       : search->found->items[symbol - SEQUENCE_SYMBOL].token_count;
}

/* Adds the sequence that replaces the pair at `place`. */
static uint32_t add_sequence(struct search *search, uint32_t place, const struct pair *pair)
{
	struct sequences *found = search->found;
	uint32_t left = symbol_at(search, place);
	uint32_t right = symbol_at(search, search->next[place]);
	struct sequence sequence = {.parts = {left, right}};
	uint32_t opener = NO_TOKEN;

	if (!search->any && pair->rank == FILLS)
		opener = left;
	sequence.is_whole = !search->any && pair->rank != FILLS;
	sequence.token_count = tokens_of(search, left) + tokens_of(search, right);
	sequence.occurrences = xreallocarray(NULL, pair->count, sizeof(*sequence.occurrences));
	array_reserve(&found->items, &found->capacity, found->count + 1);
	array_reserve(&search->openers, &search->opener_capacity, found->count + 1);
	search->openers[found->count] = opener;
	found->items[found->count] = sequence;
	return SEQUENCE_SYMBOL + (uint32_t)found->count++;
}

/*
 * Returns false if the symbol is one more of a run. A sequence that lacks its leave is in no run,
 * as the leave comes next.
 */
static bool replace_at(struct search *search, uint32_t place, uint32_t symbol)
{
	struct sequence *sequence = &search->found->items[symbol - SEQUENCE_SYMBOL];
	uint32_t second = search->next[place], after = search->next[second];
	uint32_t before = search->before[place];
	bool repeats = place && symbol_at(search, before) == symbol;

	if (place)
		pairs_remove(&search->pairs, before);
	pairs_remove(&search->pairs, place);
	pairs_remove(&search->pairs, second);
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

/* Finds the pairs of a symbol at these places. It is never its own neighbour. */
static void meet_symbol(struct search *search, const uint32_t *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (places[i])
			meet_pair(search, search->before[places[i]]);
		meet_pair(search, places[i]);
	}
	pairs_count(&search->pairs);
	for (size_t i = 0; i < count; i++) {
		if (places[i])
			pairs_place(&search->pairs, search->before[places[i]]);
		pairs_place(&search->pairs, places[i]);
	}
	pairs_end(&search->pairs);
}

/* Replaces a pair; the places of the symbol take the memory of those of the pair. */
static void replace_pair(struct search *search, uint32_t number)
{
	struct pair pair = search->pairs.items[number];
	uint32_t symbol = add_sequence(search, pair.places[pair.first], &pair);
	size_t count = 0;

	for (uint32_t i = pair.first; i < pair.size; i++) {
		uint32_t place = pair.places[i];

		if (search->pairs.at[place] == number && replace_at(search, place, symbol))
			pair.places[count++] = place;
	}
	meet_symbol(search, pair.places, count);
	pairs_retire(&search->pairs, number);
}

static void replace_pairs(struct search *search)
{
	uint32_t number;

	for (uint32_t place = 0; place < search->count; place = search->next[place])
		meet_pair(search, place);
	pairs_count(&search->pairs);
	for (uint32_t place = 0; place < search->count; place = search->next[place])
		pairs_place(&search->pairs, place);
	pairs_end(&search->pairs);
	while ((number = pairs_next(&search->pairs)) != PAIR_NONE)
		replace_pair(search, number);
}

/* --- The whole search -------------------------------------------------------------------- */

static void search_begin(struct search *search)
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
	pairs_init(&search->pairs, count);
}

static void search_end(struct search *search)
{
	pairs_release(&search->pairs);
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
	search_begin(&search);
	replace_pairs(&search);
	if (kind == SEQUENCES_OF_ALL) {
		search.any = true;
		replace_pairs(&search);
	}
	for (uint32_t place = 0; place < count; place = search.next[place])
		sequences->left++;
	search_end(&search);
}

void sequences_release(struct sequences *sequences)
{
	for (size_t i = 0; i < sequences->count; i++)
		free(sequences->items[i].occurrences);
	free(sequences->items);
	*sequences = (struct sequences){0};
}

/* --- Names --------------------------------------------------------------------------------- */

/*
 * The largest number of tokens in a name, and the largest depth. A sequence may be as deep as it is
 * long: a deeper one is named by its first call, without runs.
 */
enum { SHOWN_MAX = 24, DEPTH_MAX = 256 };

/* Items of a name beside tokens. */
enum { GROUP = UINT32_MAX - 3, GROUP_END, REPEATED, BEYOND };

struct items {
	uint32_t list[2 * SHOWN_MAX + DEPTH_MAX];
	size_t count, tokens;
	bool cut;
};

static void items_add(struct items *items, uint32_t item)
{
	if (items->count == sizeof(items->list) / sizeof(*items->list) ||
	    (item < SEQUENCE_SYMBOL && items->tokens == SHOWN_MAX)) {
		items->cut = true;
		return;
	}
	items->tokens += item < SEQUENCE_SYMBOL;
	items->list[items->count++] = item;
}

static bool is_one_block(const struct sequence *sequence)
{
	return sequence->is_whole && sequence->parts[1] < SEQUENCE_SYMBOL;
}

struct pending {
	uint32_t stack[4 * DEPTH_MAX];
	size_t depth;
};

static void pending_push(struct pending *pending, uint32_t symbol)
{
	pending->stack[pending->depth++] = symbol;
}

static void pending_push_part(struct pending *pending, const struct sequences *sequences,
			      uint32_t symbol, bool is_run)
{
	bool group = is_run && symbol >= SEQUENCE_SYMBOL &&
		     !is_one_block(&sequences->items[symbol - SEQUENCE_SYMBOL]);

	if (is_run)
		pending_push(pending, group ? (uint32_t)GROUP_END : (uint32_t)REPEATED);
	pending_push(pending, symbol);
	if (group)
		pending_push(pending, GROUP);
}

/* Returns false if the sequence is too deep. */
static bool items_expand(struct items *items, const struct sequences *sequences, uint32_t sequence)
{
	struct pending pending = {.stack = {SEQUENCE_SYMBOL + sequence}, .depth = 1};

	while (pending.depth && !items->cut) {
		uint32_t symbol = pending.stack[--pending.depth];
		const struct sequence *of;

		if (symbol < SEQUENCE_SYMBOL || symbol >= (uint32_t)GROUP) {
			items_add(items, symbol);
			continue;
		}
		if (pending.depth + 6 > sizeof(pending.stack) / sizeof(*pending.stack))
			return false;
		of = &sequences->items[symbol - SEQUENCE_SYMBOL];
		pending_push_part(&pending, sequences, of->parts[1], of->is_run[1]);
		pending_push_part(&pending, sequences, of->parts[0], of->is_run[0]);
	}
	return true;
}

static void items_copy_first(struct items *items, const struct sequence_naming *naming,
			     uint32_t sequence)
{
	const struct occurrence *first = &naming->sequences->items[sequence].occurrences[0];

	*items = (struct items){.count = 0};
	for (uint32_t i = first->begin; i < first->end && !items->cut; i++)
		items_add(items, naming->tokens[i]);
}

/* --- Words of a name ----------------------------------------------------------------------- */

struct writing {
	FILE *to;
	const struct sequence_naming *naming;
	size_t depth; /* the number of open braces */
	bool begun;
	bool glued; /* no space before the next word */
	bool cut;   /* the tokens behind the last one are unknown */
};

static void write_space(struct writing *writing)
{
	if (writing->begun && !writing->glued)
		fputc(' ', writing->to);
	writing->begun = true;
	writing->glued = false;
}

static void write_token(struct writing *writing, uint32_t token, uint32_t after)
{
	const struct blocks *blocks = writing->naming->blocks;
	const char *name = blocks->items[block_of_token(token)].name;
	const char *detail = writing->begun ? "" : writing->naming->detail;
	bool is_empty = after == block_token(block_of_token(token), true);

	if (block_token_leaves(token) && !writing->depth) {
		write_space(writing);
		fprintf(writing->to, "leave %s%s", name, detail);
	} else if (block_token_leaves(token)) {
		write_space(writing);
		fputc('}', writing->to);
		writing->depth--;
	} else {
		bool is_last = writing->cut && after == (uint32_t)BEYOND;
		bool braces =
			(!is_empty && !is_last) || (!writing->begun && writing->naming->braces);

		write_space(writing);
		fprintf(writing->to, "%s%s%s", name, detail, braces ? " {" : "");
		writing->depth += braces;
	}
}

/* Writes an item. Returns true if it wrote the next one, too: the leave of an empty block. */
static bool write_item(struct writing *writing, uint32_t item, uint32_t after)
{
	size_t depth = writing->depth;

	if (item == (uint32_t)GROUP) {
		write_space(writing);
		fputc('(', writing->to);
		writing->glued = true;
	} else if (item == (uint32_t)GROUP_END) {
		fputs(")+", writing->to);
	} else if (item == (uint32_t)REPEATED) {
		fputc('+', writing->to);
	} else {
		write_token(writing, item, after);
		return !block_token_leaves(item) && writing->depth == depth;
	}
	return false;
}

char *sequence_name(const struct sequence_naming *naming, uint32_t sequence)
{
	struct items items = {.count = 0};
	char *name = NULL;
	size_t length;
	struct writing writing = {.to = open_memstream(&name, &length), .naming = naming};

	if (!writing.to)
		return xstrdup("...");
	if (!items_expand(&items, naming->sequences, sequence))
		items_copy_first(&items, naming, sequence);
	writing.cut = items.cut;
	for (size_t i = 0; i < items.count; i++) {
		uint32_t after = i + 1 < items.count ? items.list[i + 1] : (uint32_t)BEYOND;

		i += write_item(&writing, items.list[i], after);
	}
	if (items.cut)
		fputs(" ...", writing.to);
	fclose(writing.to);
	return name;
}
