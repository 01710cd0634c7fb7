/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/rdam/rdam_trace.h"
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BLOCKS = 26, ROOM = 64 };

/* Capitals enter, small letters leave, "|" separates two threads. */
static size_t tokens_of(uint32_t *tokens, const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		tokens[count++] = *text == '|' ? block_token(BLOCKS, true)
					       : block_token((uint32_t)(toupper(*text) - 'A'),
							     islower(*text));
	return count;
}

/* The calls of each block that are within no other call of it: "A2:0-7 B1:1-2". */
static void write_calls(char *text, size_t room, const struct block_calls *calls)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < calls->count; i++) {
		const struct called_block *block = &calls->blocks[i];

		length += (size_t)snprintf(text + length, room - length, "%s%c%u", i ? " " : "",
					   'A' + (int)block->block, block->calls);
		for (size_t k = 0; k < block->outer_count; k++) {
			const struct occurrence *at = &calls->outer[block->outer + k];

			length += (size_t)snprintf(text + length, room - length, ":%u-%u",
						   at->begin, at->end);
		}
	}
}

static void leaves_belong_to_enters(void **state)
{
	static const struct {
		const char *text, *want;
		unsigned unbalanced;
	} table[] = {
		{"", "", 0},
		{"Aa", "A1:0-2", 0},
		{"ABbaCc", "A1:0-4 B1:1-3 C1:4-6", 0},
		{"AAaAaaAa", "A4:0-6:6-8", 0}, /* recursion */
		{"ABCa", "A1:0-4 B0 C0", 2},   /* longjmp out of C and B */
		{"ABAab", "A1:2-4 B1:1-5", 1}, /* the outer A continues */
		{"aAbBab", "A1:1-5 B0", 4},
		{"AB|ab|Aa", "A1:6-8 B0", 4}, /* not across threads */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		uint32_t tokens[ROOM], slots[BLOCKS] = {0}, none[BLOCKS] = {0};
		size_t count = tokens_of(tokens, table[i].text);
		struct block_calls calls;
		char text[256];

		block_calls_init(&calls, tokens, count, BLOCKS, slots, false);
		write_calls(text, sizeof(text), &calls);
		assert_string_equal(text, table[i].want);
		assert_int_equal(calls.unbalanced, table[i].unbalanced);
		assert_null(block_calls_of(&calls, BLOCKS - 1));
		block_calls_release(&calls);
		assert_memory_equal(slots, none, sizeof(slots));
	}
}

static void calls_are_listed_on_request(void **state)
{
	uint32_t tokens[ROOM], slots[BLOCKS] = {0};
	size_t count = tokens_of(tokens, "AAaBAabaAabBb");
	struct block_calls calls;
	char text[256];

	(void)state;
	block_calls_init(&calls, tokens, count, BLOCKS, slots, true);
	write_calls(text, sizeof(text), &calls);
	assert_string_equal(text, "A4:0-8:1-3:4-6:8-10 B2:3-7:11-13");
	assert_true(block_calls_of(&calls, 0)->has_nested);
	assert_false(block_calls_of(&calls, 1)->has_nested);
	block_calls_release(&calls);
}

/* A million enters without a leave, and for each a leave without an enter. */
static void unbalanced_events_take_no_longer(void **state)
{
	enum { MANY = 1000000 };
	uint32_t *tokens = xcalloc(2 * MANY, sizeof(*tokens)), slots[BLOCKS] = {0};
	struct block_calls calls;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		tokens[i] = block_token(0, false);
		tokens[MANY + i] = block_token(1, true);
	}
	block_calls_init(&calls, tokens, 2 * MANY, BLOCKS, slots, false);
	assert_int_equal(calls.unbalanced, 2 * MANY);
	block_calls_release(&calls);
	free(tokens);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(leaves_belong_to_enters),
	cmocka_unit_test(calls_are_listed_on_request),
	cmocka_unit_test(unbalanced_events_take_no_longer),
};

TEST_FILE(tests);
