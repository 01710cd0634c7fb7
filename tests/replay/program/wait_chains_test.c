/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/wait_chains.h"

#include "support.h"

static void an_edge_has_the_chain_of_who_waited(void **state)
{
	struct wait_chains chains = {0}, copy;

	(void)state;
	wait_chains_note_edge(&chains, 3, 7);
	wait_chains_note_edge(&chains, 4, 0);
	wait_chains_copy(&copy, &chains);
	wait_chains_release(&chains);
	assert_int_equal(wait_chains_of_edge(&copy, 3), 7);
	assert_int_equal(wait_chains_of_edge(&copy, 2), 0);
	assert_int_equal(wait_chains_of_edge(&copy, 4), 0);
	assert_int_equal(wait_chains_of_edge(&copy, UINT32_MAX), 0);
	wait_chains_release(&copy);
}

static void visits_of_one_chain_at_one_site_are_added_up(void **state)
{
	enum { VISITS = 100000 };
	static const struct site_chain want[] = {
		{1, 5, VISITS / 4}, {1, 6, VISITS / 4}, {2, 5, VISITS / 2}};
	struct wait_chains chains = {0};

	(void)state;
	for (uint32_t i = 0; i < VISITS; i++)
		wait_chains_note_site(&chains, 2 - i % 2, i % 4 == 1 ? 6 : 5);
	wait_chains_note_site(&chains, 1, 0);
	assert_true(chains.capacity < VISITS / 2);
	wait_chains_sort(&chains);
	assert_int_equal(chains.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(chains.sites[i].site, want[i].site);
		assert_int_equal(chains.sites[i].chain, want[i].chain);
		assert_int_equal(chains.sites[i].count, want[i].count);
	}
	wait_chains_release(&chains);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_edge_has_the_chain_of_who_waited),
	cmocka_unit_test(visits_of_one_chain_at_one_site_are_added_up),
};

TEST_FILE(tests);
