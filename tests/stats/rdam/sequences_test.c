/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_private.h"

#include "base/alloc.h"
#include "random.h"
#include "stats/rdam/rdam_trace.h"
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- The same, slow and obvious ------------------------------------------------------------ */

enum { SLOW_MAX = 256, CLOSES = 0, FILLS, NEIGHBOURS, NEVER };

struct slow {
	struct {
		uint32_t symbol;
		uint32_t begin, end;
	} list[SLOW_MAX];
	size_t count;
	bool whole[SLOW_MAX];	  /* of each sequence */
	uint32_t lacks[SLOW_MAX]; /* the leave that would complete a block; 0: none */
	bool any;
};

static bool slow_is_whole(const struct slow *slow, uint32_t symbol)
{
	return symbol >= SEQUENCE_SYMBOL && slow->whole[symbol - SEQUENCE_SYMBOL];
}

static uint32_t slow_lacks(const struct slow *slow, uint32_t symbol)
{
	if (symbol >= SEQUENCE_SYMBOL)
		return slow->lacks[symbol - SEQUENCE_SYMBOL];
	return symbol % 2 ? 0 : symbol + 1;
}

static int slow_rank(const struct slow *slow, size_t i)
{
	uint32_t left = slow->list[i].symbol, right = slow->list[i + 1].symbol;
	uint32_t after = i + 2 < slow->count ? slow->list[i + 2].symbol : 0;

	if (left == right)
		return NEVER;
	if (slow->any)
		return NEIGHBOURS;
	if (slow_lacks(slow, left) && slow_lacks(slow, left) == right)
		return CLOSES;
	if (left < SEQUENCE_SYMBOL && slow_is_whole(slow, right) && slow_lacks(slow, left) &&
	    slow_lacks(slow, left) == after)
		return FILLS;
	return slow_is_whole(slow, left) && slow_is_whole(slow, right) ? NEIGHBOURS : NEVER;
}

static bool slow_is_pair(const struct slow *slow, size_t i, size_t k)
{
	return slow->list[i].symbol == slow->list[k].symbol &&
	       slow->list[i + 1].symbol == slow->list[k + 1].symbol &&
	       slow_rank(slow, i) == slow_rank(slow, k);
}

static size_t slow_count(const struct slow *slow, size_t i)
{
	size_t count = 0;

	for (size_t k = 0; k + 1 < slow->count; k++)
		count += slow_is_pair(slow, i, k);
	return count;
}

/* The best pair, by its first place; `count` if none is left. */
static size_t slow_choose(const struct slow *slow, int *rank)
{
	size_t best = slow->count, best_count = 0;

	*rank = NEVER;
	for (size_t i = 0; i + 1 < slow->count; i++) {
		int rank_here = slow_rank(slow, i);
		size_t count = rank_here < NEVER ? slow_count(slow, i) : 0;

		if (count < 2 || rank_here > *rank || (rank_here == *rank && count <= best_count))
			continue;
		best = i;
		best_count = count;
		*rank = rank_here;
	}
	return best;
}

static void slow_cut(struct slow *slow, size_t i)
{
	slow->list[i].end = slow->list[i + 1].end;
	memmove(&slow->list[i + 1], &slow->list[i + 2],
		(slow->count - i - 2) * sizeof(slow->list[0]));
	slow->count--;
}

/* Replaces it, and compares every place with the result. */
static void slow_replace(struct slow *slow, size_t chosen, int rank, size_t number,
			 const struct sequence *found)
{
	uint32_t left = slow->list[chosen].symbol, right = slow->list[chosen + 1].symbol;
	uint32_t symbol = SEQUENCE_SYMBOL + (uint32_t)number;
	size_t count = 0;

	assert_int_equal(found->parts[0], left);
	assert_int_equal(found->parts[1], right);
	slow->whole[number] = !slow->any && rank != FILLS;
	slow->lacks[number] = !slow->any && rank == FILLS ? left + 1 : 0;
	assert_int_equal(found->is_whole, slow->whole[number]);
	for (size_t i = 0; i + 1 < slow->count; i++) {
		if (slow->list[i].symbol != left || slow->list[i + 1].symbol != right ||
		    slow_rank(slow, i) != rank)
			continue;
		slow_cut(slow, i);
		slow->list[i].symbol = symbol;
		assert_true(count < found->count);
		assert_int_equal(found->occurrences[count].begin, slow->list[i].begin);
		assert_int_equal(found->occurrences[count].end, slow->list[i].end);
		count++;
	}
	assert_int_equal(count, found->count);
	for (size_t i = 0; i + 1 < slow->count; i++)
		while ((slow->any || slow->whole[number]) && i + 1 < slow->count &&
		       slow->list[i].symbol == symbol && slow->list[i + 1].symbol == symbol)
			slow_cut(slow, i);
}

static void assert_as_slow(const uint32_t *tokens, size_t count, enum sequence_kind kind)
{
	struct slow slow = {.count = count};
	struct sequences found;
	size_t number = 0;

	sequences_find(&found, tokens, count, kind);
	for (size_t i = 0; i < count; i++) {
		slow.list[i].symbol = tokens[i];
		slow.list[i].begin = (uint32_t)i;
		slow.list[i].end = (uint32_t)i + 1;
	}
	for (int part = 0; part <= (kind == SEQUENCES_OF_ALL); part++) {
		size_t chosen;
		int rank;

		slow.any = part;
		while ((chosen = slow_choose(&slow, &rank)) < slow.count) {
			assert_true(number < found.count);
			slow_replace(&slow, chosen, rank, number, &found.items[number]);
			number++;
		}
	}
	assert_int_equal(number, found.count);
	assert_int_equal(slow.count, found.left);
	sequences_release(&found);
}

/* --- Replaced files ------------------------------------------------------------------------ */

/* [i]: a place in the list may be at tokens[i]. */
struct ends {
	bool at[SLOW_MAX + 1];
};

/* From possible places, to possible places after `symbol`, repeated if it may be. */
static struct ends match(const struct sequences *found, const uint32_t *tokens, size_t end,
			 struct ends from, uint32_t symbol, bool is_run)
{
	struct ends to = {{false}};
	bool is_new = true;

	while (is_new) {
		struct ends next = {{false}};

		if (symbol < SEQUENCE_SYMBOL) {
			for (size_t i = 0; i < end; i++)
				next.at[i + 1] = from.at[i] && tokens[i] == symbol;
		} else {
			const struct sequence *sequence = &found->items[symbol - SEQUENCE_SYMBOL];

			next = match(found, tokens, end, from, sequence->parts[0],
				     sequence->is_run[0]);
			next = match(found, tokens, end, next, sequence->parts[1],
				     sequence->is_run[1]);
		}
		is_new = false;
		for (size_t i = 0; i <= end; i++) {
			is_new |= is_run && next.at[i] && !to.at[i];
			to.at[i] |= next.at[i];
		}
		from = next;
	}
	return to;
}

static bool is_expansion(const struct sequences *found, const uint32_t *tokens,
			 const struct occurrence *at, uint32_t symbol)
{
	struct ends from = {{true}};
	size_t length = at->end - at->begin;

	return match(found, tokens + at->begin, length, from, symbol, false).at[length];
}

static size_t expansion(const struct sequences *found, uint32_t symbol, uint32_t *tokens)
{
	const struct sequence *sequence = &found->items[symbol - SEQUENCE_SYMBOL];
	size_t count;

	if (symbol < SEQUENCE_SYMBOL) {
		*tokens = symbol;
		return 1;
	}
	count = expansion(found, sequence->parts[0], tokens);
	return count + expansion(found, sequence->parts[1], tokens + count);
}

static void assert_expands(const uint32_t *tokens, size_t count, enum sequence_kind kind)
{
	struct sequences found;
	size_t removed = 0;

	sequences_find(&found, tokens, count, kind);
	for (size_t i = 0; i < found.count; i++) {
		const struct sequence *sequence = &found.items[i];
		uint32_t expanded[SLOW_MAX];
		uint32_t symbol = SEQUENCE_SYMBOL + (uint32_t)i;

		assert_true(sequence->count >= 2);
		assert_int_equal(expansion(&found, symbol, expanded), sequence->token_count);
		removed += sequence->count;
		for (size_t k = 0; k < sequence->count; k++) {
			const struct occurrence *at = &sequence->occurrences[k];

			assert_true(!k || at->begin >= at[-1].end);
			assert_true(at->end - at->begin >= sequence->token_count);
			assert_true(is_expansion(&found, tokens, at, symbol));
		}
	}
	assert_true(removed + found.left <= count || !count);
	sequences_release(&found);
}

/* --- Cases --------------------------------------------------------------------------------- */

/* Each letter enters a block, without a leave; or small letters leave the blocks of capitals. */
static size_t tokens_of(uint32_t *tokens, const char *text, bool blocks)
{
	size_t count = 0;

	for (; *text; text++)
		if (isalpha(*text))
			tokens[count++] = block_token((uint32_t)(toupper(*text) - 'A'),
						      blocks && islower(*text));
	return count;
}

static void write_symbol(const struct sequences *found, uint32_t symbol, bool is_run, bool blocks,
			 char **text)
{
	const struct sequence *sequence = &found->items[symbol - SEQUENCE_SYMBOL];
	int base = blocks && !block_token_leaves(symbol) ? 'A' : 'a';

	if (symbol < SEQUENCE_SYMBOL) {
		*(*text)++ = (char)(base + (int)block_of_token(symbol));
		return;
	}
	if (is_run)
		*(*text)++ = '(';
	write_symbol(found, sequence->parts[0], sequence->is_run[0], blocks, text);
	write_symbol(found, sequence->parts[1], sequence->is_run[1], blocks, text);
	if (is_run)
		*(*text)++ = ')', *(*text)++ = '+';
}

/* "ab*3 abc*2 6" */
static void assert_found(const char *text, bool blocks, enum sequence_kind kind, const char *want)
{
	uint32_t tokens[SLOW_MAX];
	size_t count = tokens_of(tokens, text, blocks);
	char got[1024], *at = got;
	struct sequences found;

	sequences_find(&found, tokens, count, kind);
	for (size_t i = 0; i < found.count; i++) {
		write_symbol(&found, SEQUENCE_SYMBOL + (uint32_t)i, false, blocks, &at);
		at += snprintf(at, 16, "*%u ", found.items[i].count);
	}
	snprintf(at, 24, "%zu", found.left);
	assert_string_equal(got, want);
	sequences_release(&found);
	assert_as_slow(tokens, count, kind);
	assert_expands(tokens, count, kind);
}

static void pairs_that_repeat_are_replaced(void **state)
{
	static const struct {
		const char *text, *want;
	} table[] = {
		{"", "0"},
		{"a", "1"},
		{"a b c d", "4"},
		{"a b c b d a b e a b c", "ab*3 abc*2 6"}, /* the published example */
		{"a b a b", "ab*2 1"},			   /* a run is one sequence */
		{"a b c a b a b c", "ab*3 (ab)+c*2 1"},
		{"a a a", "3"},
		{"a a a a b a a a a b", "ab*2 aab*2 aaab*2 aaaab*2 1"},
		{"a b b a b b", "ab*2 abb*2 1"},
		{"a b a c a b a c a", "ab*2 aba*2 abac*2 2"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_found(table[i].text, false, SEQUENCES_OF_ALL, table[i].want);
}

static void blocks_stay_whole(void **state)
{
	static const struct {
		const char *text, *want;
	} table[] = {
		{"Aa", "2"},
		{"AaAa", "Aa*2 1"},
		{"Aa Bb Aa Bb Aa Bb", "Aa*3 Bb*3 AaBb*3 1"},
		/* runs of any length */
		{"F Bb Bb Bb f F Bb f F Bb Bb f", "Bb*6 F(Bb)+*3 F(Bb)+f*3 1"},
		{"F Bb Cc Bb Cc f F Bb Cc f", "Bb*3 Cc*3 BbCc*3 F(BbCc)+*2 F(BbCc)+f*2 1"},
		/* different contents, different blocks */
		{"F Bb f F Bb Cc f F Bb f F Bb Cc f",
		 "Bb*4 Cc*2 FBb*2 FBbf*2 BbCc*2 FBbCc*2 FBbCcf*2 FBbfFBbCcf*2 1"},
		/* no sequence crosses the end of a block that is there once */
		{"M Aa Bb m Aa Bb", "Aa*2 Bb*2 AaBb*2 4"},
		/* recursion: each depth is a sequence of its own */
		{"AAA aaa AAA aaa", "Aa*2 AAa*2 AAaa*2 AAAaa*2 AAAaaa*2 1"},
		/* leaves without an enter, enters without a leave */
		{"a Bb a a Bb A A Bb", "Bb*3 8"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_found(table[i].text, true, SEQUENCES_OF_BLOCKS, table[i].want);
}

/* --- By chance ----------------------------------------------------------------------------- */

enum { LISTS = 6000 };

static void random_lists_agree_with_the_slow_way(void **state)
{
	struct random random = {1};

	(void)state;
	for (size_t i = 0; i < LISTS; i++) {
		uint32_t tokens[SLOW_MAX];
		size_t count = random_below(&random, i % 16 ? 48 : SLOW_MAX);
		size_t letters = 1 + random_below(&random, 7);

		for (size_t k = 0; k < count; k++)
			tokens[k] = (uint32_t)random_below(&random, letters);
		assert_as_slow(tokens, count, i % 2 ? SEQUENCES_OF_ALL : SEQUENCES_OF_BLOCKS);
		assert_expands(tokens, count, i % 2 ? SEQUENCES_OF_ALL : SEQUENCES_OF_BLOCKS);
	}
}

/* Nested calls. Sometimes one or two lack their leave. */
static size_t draw_calls(struct random *random, uint32_t *tokens, size_t room, size_t blocks,
			 size_t unbalanced)
{
	uint32_t stack[SLOW_MAX];
	size_t depth = 0, count = 0;

	while (count + depth + 2 < room) {
		bool leaves = depth && (depth > 4 || random_one_in(random, 2));

		if (!leaves) {
			stack[depth] = (uint32_t)random_below(random, blocks);
			tokens[count++] = block_token(stack[depth++], false);
		} else if (unbalanced && random_one_in(random, unbalanced)) {
			depth--;
		} else {
			tokens[count++] = block_token(stack[--depth], true);
		}
	}
	while (depth)
		tokens[count++] = block_token(stack[--depth], true);
	return count;
}

/* Finds the leave of each enter, if all have one. */
static void match_all(size_t *leaves, const uint32_t *tokens, size_t count)
{
	size_t stack[SLOW_MAX], depth = 0;

	for (size_t i = 0; i < count; i++)
		if (tokens[i] % 2)
			leaves[stack[--depth]] = i;
		else
			stack[depth++] = i;
}

static bool occurs(const struct sequence *sequence, size_t begin, size_t end)
{
	for (size_t i = 0; i < sequence->count; i++)
		if (sequence->occurrences[i].begin == begin && sequence->occurrences[i].end == end)
			return true;
	return false;
}

static void assert_one_sequence_has_both(const struct sequences *found, size_t a, size_t b,
					 size_t length)
{
	for (size_t i = 0; i < found->count; i++)
		if (occurs(&found->items[i], a, a + length))
			return assert_true(occurs(&found->items[i], b, b + length));
	fail_msg("no sequence has the block at %zu", a);
}

static void blocks_with_equal_contents_are_one_sequence(void **state)
{
	struct random random = {2};
	size_t pairs = 0;

	(void)state;
	for (size_t i = 0; i < LISTS; i++) {
		uint32_t tokens[SLOW_MAX];
		size_t leaves[SLOW_MAX];
		size_t count = draw_calls(&random, tokens, 4 + random_below(&random, 100),
					  1 + random_below(&random, 4), 0);
		struct sequences found;

		match_all(leaves, tokens, count);
		sequences_find(&found, tokens, count, SEQUENCES_OF_BLOCKS);
		for (size_t a = 0; a < count; a++) {
			size_t length = tokens[a] % 2 ? 0 : leaves[a] - a + 1;

			for (size_t b = a + 1; length && b + length <= count; b++) {
				if (memcmp(tokens + a, tokens + b, length * sizeof(*tokens)))
					continue;
				assert_one_sequence_has_both(&found, a, b, length);
				pairs++;
			}
		}
		sequences_release(&found);
	}
	assert_true(pairs > 100000);
}

static void random_calls_agree_with_the_slow_way(void **state)
{
	struct random random = {3};

	(void)state;
	for (size_t i = 0; i < LISTS / 2; i++) {
		uint32_t tokens[SLOW_MAX];
		size_t count = draw_calls(&random, tokens, 8 + random_below(&random, 90),
					  1 + random_below(&random, 4), i % 3 * 8);

		assert_as_slow(tokens, count, i % 2 ? SEQUENCES_OF_ALL : SEQUENCES_OF_BLOCKS);
		assert_expands(tokens, count, i % 2 ? SEQUENCES_OF_ALL : SEQUENCES_OF_BLOCKS);
	}
}

static void deep_recursion_is_handled(void **state)
{
	enum { DEPTH = 200000 };
	uint32_t *tokens = xcalloc(4 * DEPTH, sizeof(*tokens));
	struct sequences found;

	(void)state;
	for (size_t i = 0; i < DEPTH; i++) {
		tokens[i] = block_token(7, false);
		tokens[DEPTH + i] = block_token(7, true);
	}
	sequences_find(&found, tokens, 2 * DEPTH, SEQUENCES_OF_ALL);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.left, 2 * DEPTH);
	sequences_release(&found);
	memcpy(tokens + 2 * DEPTH, tokens, 2 * DEPTH * sizeof(*tokens));
	sequences_find(&found, tokens, 4 * DEPTH, SEQUENCES_OF_BLOCKS);
	assert_int_equal(found.count, 2 * DEPTH - 1);
	assert_int_equal(found.left, 1);
	assert_int_equal(found.items[found.count - 1].token_count, 2 * DEPTH);
	sequences_release(&found);
	free(tokens);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pairs_that_repeat_are_replaced),
	cmocka_unit_test(blocks_stay_whole),
	cmocka_unit_test(random_lists_agree_with_the_slow_way),
	cmocka_unit_test(random_calls_agree_with_the_slow_way),
	cmocka_unit_test(blocks_with_equal_contents_are_one_sequence),
	cmocka_unit_test(deep_recursion_is_handled),
};

TEST_FILE(tests);
