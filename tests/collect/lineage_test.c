/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/lineage.h"

enum { ROOT = 100, STRANGER = 7, GIVEN_NS = 1000 };

static struct lineage make(void)
{
	struct lineage lineage = {.wide = false};

	assert_true(lineage_add(&lineage, ROOT, ROOT, GIVEN_NS));
	return lineage;
}

static void born(struct lineage *lineage, uint64_t time_ns, pid_t parent_tid, pid_t pid, pid_t tid)
{
	lineage_birth(lineage, &(struct lineage_birth){time_ns, pid, tid, parent_tid});
}

static void threads_and_children_belong_to_it(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, ROOT, 101);
	born(&lineage, 2001, 101, 102, 102);
	born(&lineage, 2002, STRANGER, 103, 103);
	lineage_settle(&lineage);
	assert_true(lineage_has_thread(&lineage, 101));
	assert_true(lineage_has_thread(&lineage, 102));
	assert_false(lineage_has_thread(&lineage, 103));
	assert_true(lineage_has_process(&lineage, ROOT));
	assert_true(lineage_has_process(&lineage, 102));
	assert_false(lineage_has_process(&lineage, 101));
	assert_false(lineage_has_process(&lineage, 103));
	lineage_release(&lineage);
}

static void births_are_judged_by_their_time_and_not_by_the_ring_they_stood_in(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2003, 102, 103, 103);
	born(&lineage, 2002, 101, 102, 102);
	born(&lineage, 2001, ROOT, 101, 101);
	lineage_settle(&lineage);
	assert_true(lineage_has_thread(&lineage, 103));
	lineage_release(&lineage);
}

static void a_stranger_with_the_id_of_a_thread_that_was_takes_it_over(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, 101, 101);
	lineage_settle(&lineage);
	born(&lineage, 2001, STRANGER, 101, 101);
	lineage_settle(&lineage);
	assert_false(lineage_has_thread(&lineage, 101));
	assert_false(lineage_has_process(&lineage, 101));
	born(&lineage, 2002, 101, 102, 102);
	lineage_settle(&lineage);
	assert_false(lineage_has_thread(&lineage, 102));
	lineage_release(&lineage);
}

static void a_strangers_thread_does_not_take_over_a_process(void **state)
{
	struct lineage lineage = make();

	(void)state;
	born(&lineage, 2000, ROOT, ROOT, 101);
	born(&lineage, 2001, STRANGER, STRANGER, 101);
	lineage_settle(&lineage);
	assert_false(lineage_has_thread(&lineage, 101));
	assert_true(lineage_has_process(&lineage, ROOT));
	lineage_release(&lineage);
}

static void who_was_given_is_not_taken_away_by_an_earlier_birth(void **state)
{
	static const struct {
		uint64_t time_ns;
		bool stays;
	} cases[] = {{GIVEN_NS - 1, true}, {GIVEN_NS, true}, {GIVEN_NS + 1, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lineage lineage = make();

		born(&lineage, cases[i].time_ns, STRANGER, ROOT, ROOT);
		lineage_settle(&lineage);
		assert_int_equal(lineage_has_thread(&lineage, ROOT), cases[i].stays);
		assert_int_equal(lineage_has_process(&lineage, ROOT), cases[i].stays);
		lineage_release(&lineage);
	}
}

static void alone_means_without_what_is_born(void **state)
{
	struct lineage lineage = make();

	(void)state;
	lineage.alone = true;
	born(&lineage, 2000, ROOT, ROOT, 101);
	lineage_settle(&lineage);
	assert_true(lineage_has_thread(&lineage, ROOT));
	assert_false(lineage_has_thread(&lineage, 101));
	lineage_release(&lineage);
}

static void wide_means_everybody(void **state)
{
	struct lineage lineage = {.wide = true};

	(void)state;
	born(&lineage, 2000, STRANGER, 101, 101);
	lineage_settle(&lineage);
	assert_true(lineage_has_thread(&lineage, STRANGER));
	assert_true(lineage_has_thread(&lineage, 0));
	assert_true(lineage_has_process(&lineage, STRANGER));
	lineage_release(&lineage);
}

static void a_process_is_new_once(void **state)
{
	struct lineage lineage = make();

	(void)state;
	assert_false(lineage_add(&lineage, ROOT, 101, GIVEN_NS));
	assert_true(lineage_add(&lineage, 102, 102, GIVEN_NS));
	assert_true(lineage_has_thread(&lineage, 101));
	lineage_release(&lineage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_children_belong_to_it),
		cmocka_unit_test(births_are_judged_by_their_time_and_not_by_the_ring_they_stood_in),
		cmocka_unit_test(a_stranger_with_the_id_of_a_thread_that_was_takes_it_over),
		cmocka_unit_test(a_strangers_thread_does_not_take_over_a_process),
		cmocka_unit_test(who_was_given_is_not_taken_away_by_an_earlier_birth),
		cmocka_unit_test(alone_means_without_what_is_born),
		cmocka_unit_test(wide_means_everybody),
		cmocka_unit_test(a_process_is_new_once),
	};

	return RUN_TESTS(tests);
}
