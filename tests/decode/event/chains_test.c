/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/chains.h"

#include "support.h"

#include <linux/perf_event.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define KERNEL	 (uint64_t) PERF_CONTEXT_KERNEL
#define USER	 (uint64_t) PERF_CONTEXT_USER
#define DEFERRED (UINT64_MAX - 639) /* PERF_CONTEXT_USER_DEFERRED, with a number behind it */

static void the_part_of_the_user_stands_behind_its_mark(void **state)
{
	static const struct {
		uint64_t ips[8];
		size_t count;
		uint64_t want[4];
		size_t found;
	} cases[] = {
		{{USER, 0x10, 0x20}, 3, {0x10, 0x20}, 2},
		{{KERNEL, 0xffffffff81000000, USER, 0x10}, 4, {0x10}, 1},
		{{USER, 0x10, KERNEL, 0x99, USER, 0x20}, 6, {0x10, 0x20}, 2},
		{{USER}, 1, {0}, 0},
		{{KERNEL, 0x99}, 2, {0}, 0},
		{{0x10, 0x20}, 2, {0}, 0}, /* nobody says whose */
		{{USER, 0x10, DEFERRED, 77}, 4, {0x10}, 1},
		{{USER, 0, UINT64_MAX - 4095}, 3, {0, UINT64_MAX - 4095}, 2},
		{{0}, 0, {0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t frames[CHAIN_FRAMES_MAX];
		char odd[1 + sizeof(cases[i].ips)];
		size_t found;

		memcpy(odd + 1, cases[i].ips, sizeof(cases[i].ips));
		found = chain_user_part(frames, odd + 1, cases[i].count);
		if (found != cases[i].found || memcmp(frames, cases[i].want, found * 8) != 0)
			fail_msg("case %zu has %zu frames", i, found);
	}
}

static void what_is_deeper_than_the_kernel_takes_is_left_out(void **state)
{
	uint64_t ips[300] = {USER}, frames[CHAIN_FRAMES_MAX];

	(void)state;
	assert_int_equal(chain_user_part(frames, ips, COUNT(ips)), CHAIN_FRAMES_MAX);
}

static void chains_that_are_alike_have_one_number(void **state)
{
	static const uint64_t frames[] = {0x10, 0x20, 0x30};
	struct chains chains = {0};
	uint32_t first, second;
	struct chain chain;

	(void)state;
	first = chains_add(&chains, 7, 100, frames, 3);
	second = chains_add(&chains, 7, 200, frames, 2);
	assert_int_not_equal(first, 0);
	assert_int_not_equal(second, first);
	assert_int_equal(chains_add(&chains, 7, 300, frames, 3), first);
	assert_int_not_equal(chains_add(&chains, 8, 300, frames, 3), first);
	assert_int_equal(chains_add(&chains, 7, 300, frames, 0), 0);
	chain = chains_get(&chains, first);
	assert_int_equal(chain.pid, 7);
	assert_int_equal(chain.time_ns, 100);
	assert_int_equal(chain.count, 3);
	assert_memory_equal(chain.frames, frames, sizeof(frames));
	assert_int_equal(chains_get(&chains, 0).count, 0);
	assert_int_equal(chains_get(&chains, 4).count, 0);
	chains_release(&chains);
}

static void many_chains_stay_apart(void **state)
{
	enum { MANY = 20000 };
	struct chains chains = {0};

	(void)state;
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < MANY; i++) {
			const uint64_t frames[] = {i % 100, i / 100};

			assert_int_equal(chains_add(&chains, 1, i, frames, 2), i + 1);
		}
	assert_int_equal(chains.count, MANY);
	assert_int_equal(chains.dropped, 0);
	chains_release(&chains);
}

static void chains_beyond_the_room_are_counted(void **state)
{
	const size_t room = CHAINS_FRAMES_MAX / CHAIN_FRAMES_MAX;
	uint64_t frames[CHAIN_FRAMES_MAX] = {0};
	struct chains chains = {0};

	(void)state;
	for (frames[0] = 0; frames[0] < room + 5; frames[0]++)
		assert_int_equal(chains_add(&chains, 1, 0, frames, CHAIN_FRAMES_MAX),
				 frames[0] < room ? frames[0] + 1 : 0);
	assert_int_equal(chains.dropped, 5);
	frames[0] = 3; /* is known */
	assert_int_equal(chains_add(&chains, 1, 0, frames, CHAIN_FRAMES_MAX), 4);
	chains_release(&chains);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_part_of_the_user_stands_behind_its_mark),
	cmocka_unit_test(what_is_deeper_than_the_kernel_takes_is_left_out),
	cmocka_unit_test(chains_that_are_alike_have_one_number),
	cmocka_unit_test(many_chains_stay_apart),
	cmocka_unit_test(chains_beyond_the_room_are_counted),
};

TEST_FILE(tests);
