/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam_costliest.h"

#include "stats/rdam_analysed.h"
#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void causes_are_summed_by_kind_the_largest_first(void **state)
{
	static const double causes_s[RDAM_CAUSES] = {
		[RDAM_CPU_WAIT_OWN] = 1, [RDAM_CPU_WAIT_STRANGER] = 2, [RDAM_CPU_WAIT] = 4,
		[RDAM_BLOCKED] = 8,	 [RDAM_BLOCKED_OTHER] = 16,    [RDAM_PAGE_FAULTS] = 32,
		[RDAM_DISK] = 64,	 [RDAM_STOPPED] = 3,	       [RDAM_UNKNOWN] = 5,
		[RDAM_ON_CPU] = 40};
	static const struct {
		enum rdam_kind kind;
		double seconds;
	} want[] = {
		{RDAM_KIND_DISK, 64},	 {RDAM_KIND_ON_CPU, 40},  {RDAM_KIND_PAGE_FAULTS, 32},
		{RDAM_KIND_BLOCKED, 24}, {RDAM_KIND_CPU_WAIT, 7}, {RDAM_KIND_UNKNOWN, 5},
		{RDAM_KIND_STOPPED, 3},
	};
	struct rdam_kinds kinds = rdam_kinds_of(causes_s);

	(void)state;
	assert_int_equal(COUNT(want), RDAM_KINDS);
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(kinds.order[i], want[i].kind);
		assert_close(kinds.seconds[want[i].kind], want[i].seconds, 1e-12);
	}
}

/* A has B in it, and B has C, where all of it is lost; D is beside them. */
static void what_is_lost_is_looked_for_as_deep_as_it_can_be(void **state)
{
	static const struct drawn_blocks rows[] = {
		{" RRRRRRRR.....wRRRRRR", " ABCcbaAB C     cbaDd"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};
	const struct rdam_options options = {.least = 2};
	double begin_s;
	const struct rdam_row *outer;

	(void)state;
	analyse(&of, &options);
	outer = row_of(&of.rdam, "A { B { C } }");
	assert_string_equal(rdam_innermost(&of.rdam, &of.trace, outer)->name, "C");
	assert_close(rdam_slowest_s(&of.trace, outer, &begin_s), 11e-6, 1e-9);
	assert_close(begin_s, 6e-6, 1e-9); /* since the thread was born */
	release(&of);
}

static void what_explains_most_of_a_score_is_what_it_depends_on(void **state)
{
	struct rdam_row row = {.score = 1};

	(void)state;
	assert_null(rdam_strongest_dependence(&row));
	row.dependence[0] = (struct rdam_dependence){.tested = true, .score = 0.1};
	assert_null(rdam_strongest_dependence(&row));
	row.dependence[0] = (struct rdam_dependence){.depends = true, .score = 0.3};
	row.dependence[1] = (struct rdam_dependence){.depends = true, .score = 0.2};
	row.dependence[RDAM_CALLS] = (struct rdam_dependence){.depends = true, .score = 0.25};
	assert_ptr_equal(rdam_strongest_dependence(&row), &row.dependence[1]);
}

/* Wherever it stands; one that ran rarely, if nothing else reaches the threshold. */
static void the_costliest_block_has_the_highest_score(void **state)
{
	static const struct rdam_row few = {.grouped_score = .9, .few = true},
				     mixed = {.grouped_score = .8, .overlapping = true},
				     some = {.grouped_score = .3}, more = {.grouped_score = .5};
	const struct {
		struct rdam_row rows[4];
		double threshold;
		int want;
	} cases[] = {
		{{few, some, more, some}, .2, 2},   {{few, some, more, some}, .5, 2},
		{{few, some, more, some}, .6, 0},   {{few, some, more, some}, .95, 2},
		{{some, some, some, more}, .6, 3},  {{some, mixed, more, some}, .6, 1},
		{{some, mixed, more, some}, .4, 2}, {{few, few, few, few}, .2, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdam_row rows[4];
		const struct rdam rdam = {.rows = rows, .row_count = COUNT(rows)};

		memcpy(rows, cases[i].rows, sizeof(rows));
		if (rdam_costliest(&rdam, cases[i].threshold) != &rows[cases[i].want])
			fail_msg("case %zu: not row %d", i, cases[i].want);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_costliest_block_has_the_highest_score),
	cmocka_unit_test(causes_are_summed_by_kind_the_largest_first),
	cmocka_unit_test(what_is_lost_is_looked_for_as_deep_as_it_can_be),
	cmocka_unit_test(what_explains_most_of_a_score_is_what_it_depends_on),
};

TEST_FILE(tests);
