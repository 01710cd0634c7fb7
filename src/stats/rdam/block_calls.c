/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/block_calls.h"

#include "base/alloc.h"
#include "stats/rdam/block_trace.h"

#include <stdlib.h>

/* The enters that are not ended. */
struct open_calls {
	uint32_t *places;
	size_t depth, capacity;
};

static struct called_block *meet(struct block_calls *calls, uint32_t block)
{
	if (!calls->slots[block]) {
		array_reserve(&calls->blocks, &calls->capacity, calls->count + 1);
		calls->blocks[calls->count++].block = block;
		calls->slots[block] = (uint32_t)calls->count;
	}
	return &calls->blocks[calls->slots[block] - 1];
}

const struct called_block *block_calls_of(const struct block_calls *calls, uint32_t block)
{
	return calls->slots[block] ? &calls->blocks[calls->slots[block] - 1] : NULL;
}

/* --- Leaves -------------------------------------------------------------------------------- */

static void enter(struct open_calls *open, struct called_block *block, uint32_t place)
{
	array_reserve(&open->places, &open->capacity, open->depth + 1);
	open->places[open->depth++] = place;
	block->open++;
}

static uint32_t take_last(struct block_calls *calls, struct open_calls *open,
			  const uint32_t *tokens)
{
	uint32_t place = open->places[--open->depth];

	meet(calls, block_of_token(tokens[place]))->open--;
	return place;
}

static void leave(struct block_calls *calls, struct open_calls *open, const uint32_t *tokens,
		  uint32_t place)
{
	struct called_block *block = meet(calls, block_of_token(tokens[place]));
	uint32_t entered;

	if (!block->open) {
		calls->unbalanced++;
		return;
	}
	while (block_of_token(tokens[entered = take_last(calls, open, tokens)]) != block->block)
		calls->unbalanced++;
	calls->leaves[entered] = place;
	block->calls++;
}

static void forget_open(struct block_calls *calls, struct open_calls *open, const uint32_t *tokens)
{
	calls->unbalanced += open->depth;
	while (open->depth)
		take_last(calls, open, tokens);
}

static void match(struct block_calls *calls, const uint32_t *tokens, size_t count, size_t blocks)
{
	struct open_calls open = {0};

	for (uint32_t i = 0; i < count; i++) {
		uint32_t block = block_of_token(tokens[i]);

		calls->leaves[i] = NO_LEAVE;
		if (block >= blocks)
			forget_open(calls, &open, tokens);
		else if (block_token_leaves(tokens[i]))
			leave(calls, &open, tokens, i);
		else
			enter(&open, meet(calls, block), i);
	}
	forget_open(calls, &open, tokens);
	free(open.places);
}

/* --- Calls within no other of their block --------------------------------------------------- */

/* Calls are within one another or apart. Returns the block if the call at `place` is listed. */
static struct called_block *outer_at(struct block_calls *calls, const uint32_t *tokens,
				     uint32_t place)
{
	struct called_block *block;

	if (calls->leaves[place] == NO_LEAVE)
		return NULL;
	block = meet(calls, block_of_token(tokens[place]));
	if (block->end > place) {
		block->has_nested = true;
		return calls->each ? block : NULL;
	}
	block->end = calls->leaves[place] + 1;
	return block;
}

static void list_outer(struct block_calls *calls, const uint32_t *tokens, size_t count)
{
	struct called_block *block;
	size_t outer = 0;

	for (uint32_t i = 0; i < count; i++)
		if ((block = outer_at(calls, tokens, i)))
			block->outer_count++;
	for (size_t i = 0; i < calls->count; i++) {
		block = &calls->blocks[i];
		block->outer = outer;
		outer += block->outer_count;
		block->outer_count = block->end = 0;
	}
	calls->outer = xreallocarray(NULL, outer, sizeof(*calls->outer));
	for (uint32_t i = 0; i < count; i++)
		if ((block = outer_at(calls, tokens, i)))
			calls->outer[block->outer + block->outer_count++] =
				(struct occurrence){i, calls->leaves[i] + 1};
}

void block_calls_init(struct block_calls *calls, const uint32_t *tokens, size_t count,
		      size_t blocks, uint32_t *slots, bool each)
{
	*calls = (struct block_calls){
		.each = each,
		.leaves = xreallocarray(NULL, count, sizeof(*calls->leaves)),
		.slots = slots,
	};
	match(calls, tokens, count, blocks);
	list_outer(calls, tokens, count);
}

void block_calls_release(struct block_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->slots[calls->blocks[i].block] = 0;
	free(calls->leaves);
	free(calls->blocks);
	free(calls->outer);
}
