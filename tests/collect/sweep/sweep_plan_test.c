/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/sweep/sweep_plan.h"

#include <stdbool.h>
#include <string.h>

static uint64_t some[] = {1, 2, 4, 8, 16, 32};
static const struct sweep_levels levels = {some, 6};

static void every_round_has_each_n_once(void **state)
{
	(void)state;
	for (unsigned long seed = 0; seed < 50; seed++) {
		struct sweep_plan plan;

		sweep_plan_init(&plan, &levels, 5, seed);
		assert_int_equal(plan.count, 30);
		for (size_t round = 0; round < 5; round++) {
			uint64_t seen = 0;

			for (size_t i = round * 6; i < round * 6 + 6; i++) {
				assert_int_equal(plan.turns[i].repeat, round + 1);
				seen |= plan.turns[i].n;
			}
			assert_int_equal(seen, 63);
		}
		sweep_plan_release(&plan);
	}
}

static void a_longer_plan_begins_as_a_shorter_one(void **state)
{
	struct sweep_plan shorter, longer;

	(void)state;
	sweep_plan_init(&shorter, &levels, 3, 7);
	sweep_plan_init(&longer, &levels, 9, 7);
	assert_memory_equal(shorter.turns, longer.turns, shorter.count * sizeof(*shorter.turns));
	sweep_plan_release(&shorter);
	sweep_plan_release(&longer);
}

/* Where an N stands in its round, over many rounds: each place should have a sixth. */
static void no_n_has_a_place_of_its_own(void **state)
{
	enum { ROUNDS = 6000 };
	struct sweep_plan plan;
	size_t at[6][6] = {{0}};

	(void)state;
	sweep_plan_init(&plan, &levels, ROUNDS, 1);
	for (size_t i = 0; i < plan.count; i++)
		for (size_t n = 0; n < 6; n++)
			at[n][i % 6] += plan.turns[i].n == some[n];
	/* 1000 expected, with a standard deviation of 29. */
	for (size_t n = 0; n < 6; n++)
		for (size_t place = 0; place < 6; place++)
			assert_in_range(at[n][place], 870, 1130);
	sweep_plan_release(&plan);
}

static void another_seed_is_another_order(void **state)
{
	struct sweep_plan one, two;

	(void)state;
	sweep_plan_init(&one, &levels, 4, 1);
	sweep_plan_init(&two, &levels, 4, 2);
	assert_memory_not_equal(one.turns, two.turns, one.count * sizeof(*one.turns));
	sweep_plan_release(&one);
	sweep_plan_release(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_round_has_each_n_once),
		cmocka_unit_test(a_longer_plan_begins_as_a_shorter_one),
		cmocka_unit_test(no_n_has_a_place_of_its_own),
		cmocka_unit_test(another_seed_is_another_order),
	};

	return RUN_TESTS(tests);
}
