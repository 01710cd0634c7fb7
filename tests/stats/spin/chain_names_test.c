/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/symbol_finder.h"

#include "decode/event/samples.h"
#include "stats/own_code.h"
#include "stats/spin/chain_functions.h"
#include "support.h"

#include <stdlib.h>

static struct samples own;

static int map_own_code(void **state)
{
	(void)state;
	own_code_map(&own);
	return own.map_count ? 0 : -1;
}

static int unmap_own_code(void **state)
{
	(void)state;
	samples_release(&own);
	return 0;
}

struct named {
	uint64_t frames[4];
	size_t count;
	const char *text; /* NULL: no name */
};

static void assert_names(const struct named *cases, size_t count)
{
	struct chains chains = {0};
	struct chain_names *names;

	for (size_t i = 0; i < count; i++)
		chains_add(&chains, OWN_PID, 1, cases[i].frames, cases[i].count);
	names = chain_names_new(&chains, &own);
	for (size_t i = 0; i < count; i++) {
		uint32_t name = chain_names_find(names, (uint32_t)i + 1);
		const char *text = name ? chain_names_get(names, name)->text : "nothing";

		if (strcmp(text, cases[i].text ? cases[i].text : "nothing") != 0)
			fail_msg("chain %zu is %s", i, text);
	}
	chain_names_free(names);
	chains_release(&chains);
}

#define ASSERT_NAMES(cases) assert_names((cases), sizeof(cases) / sizeof((cases)[0]))

static void the_functions_of_the_program_are_named_from_the_innermost_on(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint64_t libc = own_code_libc();
	const struct named cases[] = {
		{{r.innermost, r.middle}, 2, "own_middle < own_outer"},
		{{r.innermost - 1}, 1, "own_middle"},
		{{libc}, 1, NULL},
		{{libc, r.innermost, r.middle}, 3, "own_innermost < own_middle < own_outer"},
		{{r.innermost, r.middle, libc}, 3, "own_middle < own_outer"},
		{{r.innermost, r.innermost, r.middle},
		 3,
		 "own_middle < own_innermost < own_middle "
		 "< own_outer"},
	};

	(void)state;
	ASSERT_NAMES(cases);
}

static void a_caller_without_a_frame_is_known_from_its_call(void **state)
{
	const struct own_returns r = own_code_returns();
	const struct named cases[] = {
		/* functions of the library have no frame, so the frame of own_innermost or
		 * own_middle is missing */
		{{own_code_libc(), r.innermost}, 2, "own_innermost < own_middle"},
		{{own_code_libc(), r.middle}, 2, "own_middle < own_outer"},
		{{own_code_libc(), own_code_pointer_return()}, 2, "own_by_pointer"},
	};

	(void)state;
	ASSERT_NAMES(cases);
}

/* Words of the stack before the frames: see CHAIN_FRAMES_FROM. */
static void a_caller_on_top_of_the_stack_is_named_but_no_earlier_call(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint64_t libc = own_code_libc(), frames = CHAIN_FRAMES_FROM;
	const uint64_t inside = own_code_libc_return(), pointer = own_code_pointer_return();
	const struct named cases[] = {
		{{libc, pointer, frames}, 3, "own_by_pointer"},
		{{libc, inside, pointer, frames}, 4, "own_by_pointer"},
		{{libc, pointer, frames, r.middle}, 4, "own_by_pointer < own_middle < own_outer"},
		/* a word that is no return address of a call into the library is older than the
		 * wait */
		{{libc, r.innermost, pointer, frames}, 4, "own_by_pointer"},
		{{libc, pointer, r.middle, frames}, 4, "own_by_pointer"},
		{{libc, 0x1234, pointer, frames}, 4, "own_by_pointer"},
		{{libc, frames, r.middle}, 3, "own_middle < own_outer"},
		{{libc, inside, frames}, 3, NULL},
	};

	(void)state;
	ASSERT_NAMES(cases);
}

static void a_thread_is_in_the_function_that_it_began_with(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint64_t libc = own_code_libc(), began = CHAIN_BEGAN_WITH;
	const uint64_t start = own_code_libc_return();
	const uint64_t outer = own_code_function(own_outer);
	const struct named cases[] = {
		{{libc, start, began, outer}, 4, "own_outer"},
		{{libc, start, began, 0}, 4, "main"},
		{{libc, began, outer}, 3, NULL},
		{{0x1234, began, outer}, 3, NULL},
		/* ... but functions in between are unknown in a chain that is cut off */
		{{r.innermost, began, outer}, 3, "own_middle"},
		{{libc, start, began, outer + 1}, 4, NULL},
		{{libc, began, 0}, 3, NULL},
		{{libc, r.middle, began, 0}, 4, "own_middle < own_outer"},
		{{0x1234, began, 0}, 3, NULL},
		{{libc, r.middle, began, outer}, 4, "own_middle < own_outer"},
	};

	(void)state;
	ASSERT_NAMES(cases);
}

/* Appends " NAME", or " library". */
static bool append_function(void *context, const struct symbol *symbol)
{
	char *text = context;

	strcat(strcat(text, " "), symbol->of_library ? "library" : symbol->function);
	return true;
}

static void the_library_calls_the_function_that_a_thread_began_with_once(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint64_t libc = own_code_libc(), began = CHAIN_BEGAN_WITH;
	const uint64_t start = own_code_libc_return();
	const uint64_t outer = own_code_function(own_outer);
	const struct {
		uint64_t frames[5];
		size_t count;
		const char *text;
	} cases[] = {
		{{libc, start, began, outer}, 4, " library own_outer library"},
		{{r.innermost, start, began, outer}, 4, " own_middle own_outer library"},
		{{r.innermost, r.middle, start, began, outer}, 5, " own_middle own_outer library"},
		{{libc, start, began, 0}, 4, " library main library"},
		{{r.innermost, start, began, 0}, 4, " own_middle library"},
		{{r.innermost, r.middle, began, outer}, 4, " own_middle own_outer"},
	};
	struct symbol_finder finder;

	(void)state;
	symbol_finder_init(&finder, &own);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct chain chain = {OWN_PID, 1, cases[i].frames, cases[i].count};
		char text[128] = "";

		chain_functions(&finder, &chain, append_function, text);
		assert_string_equal(text, cases[i].text);
	}
	symbol_finder_release(&finder);
}

static void a_chain_ends_at_a_place_that_is_no_return_address(void **state)
{
	const struct own_returns r = own_code_returns();
	const struct named cases[] = {
		{{r.innermost, 0x6f72726520646165, r.middle}, 3, "own_middle"},
		{{r.innermost, r.middle + 1, r.outer}, 3, "own_middle"},
		{{0x1234, r.middle}, 2, NULL},
	};

	(void)state;
	ASSERT_NAMES(cases);
}

static void code_without_symbols_is_named_by_its_place(void **state)
{
	static char path[] = "/nowhere/stripped";
	struct mapped maps[] = {
		{.pid = OWN_PID, .begin = 0x10000, .end = 0x20000, .offset = 0x2000, .path = path}};
	const struct samples samples = {.maps = maps, .map_count = 1};
	static const uint64_t frames[] = {0x11234, 0x12001};
	struct chains chains = {0};
	struct chain_names *names;
	uint32_t number = chains_add(&chains, OWN_PID, 1, frames, 2);

	(void)state;
	names = chain_names_new(&chains, &samples);
	assert_int_equal(chain_names_find(names, number), 1);
	assert_string_equal(chain_names_get(names, 1)->text, "stripped+0x3234 < stripped+0x4000");
	chain_names_free(names);
	chains_release(&chains);
}

static void chains_with_equal_names_have_one_number(void **state)
{
	const struct own_returns r = own_code_returns();
	const uint64_t frames[][2] = {
		{r.innermost, r.middle}, {r.innermost - 1, r.middle}, {r.innermost, 1}};
	struct chains chains = {0};
	struct chain_names *names;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		chains_add(&chains, OWN_PID, 1, frames[i], 2);
	names = chain_names_new(&chains, &own);
	assert_int_equal(chain_names_find(names, 1), 1);
	assert_int_equal(chain_names_find(names, 2), 1);
	assert_int_equal(chain_names_find(names, 3), 2);
	assert_int_equal(chain_names_find(names, 1), 1);
	assert_int_equal(chain_names_find(names, 0), 0);
	assert_int_equal(chain_names_find(names, 4), 0);
	assert_int_equal(chain_names_count(names), 2);
	assert_string_equal(chain_names_get(names, 1)->functions[1], "own_outer");
	chain_names_free(names);
	chains_release(&chains);
}

static void of_deep_chains_the_outer_functions_are_left_out(void **state)
{
	const struct own_returns r = own_code_returns();
	uint64_t frames[CHAIN_FRAMES_MAX];
	struct chains chains = {0};
	struct chain_names *names;

	(void)state;
	for (size_t i = 0; i < CHAIN_FRAMES_MAX; i++)
		frames[i] = i % 2 ? r.innermost : r.middle;
	chains_add(&chains, OWN_PID, 1, frames, CHAIN_FRAMES_MAX);
	names = chain_names_new(&chains, &own);
	assert_int_equal(chain_names_get(names, chain_names_find(names, 1))->count,
			 CHAIN_NAME_FUNCTIONS);
	chain_names_free(names);
	chains_release(&chains);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_functions_of_the_program_are_named_from_the_innermost_on),
	cmocka_unit_test(a_caller_without_a_frame_is_known_from_its_call),
	cmocka_unit_test(a_caller_on_top_of_the_stack_is_named_but_no_earlier_call),
	cmocka_unit_test(a_thread_is_in_the_function_that_it_began_with),
	cmocka_unit_test(the_library_calls_the_function_that_a_thread_began_with_once),
	cmocka_unit_test(a_chain_ends_at_a_place_that_is_no_return_address),
	cmocka_unit_test(code_without_symbols_is_named_by_its_place),
	cmocka_unit_test(chains_with_equal_names_have_one_number),
	cmocka_unit_test(of_deep_chains_the_outer_functions_are_left_out),
};

TEST_FILE_WITH(tests, map_own_code, unmap_own_code);
