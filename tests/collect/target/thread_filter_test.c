/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/target/thread_filter.h"

#include "collect/collect_dir.h"

#include <string.h>

static struct thread_filter filter_of(size_t count)
{
	struct thread_filter filter = {0};

	for (size_t i = 0; i < count; i++)
		thread_filter_add(&filter, (pid_t)(4194000 + i));
	return filter;
}

static void an_empty_filter_passes_all_threads(void **state)
{
	const struct thread_filter filter = {0};

	(void)state;
	assert_true(thread_filter_passes_all(&filter));
	assert_true(thread_filter_passes(&filter, 5));
}

static void descendants_have_higher_ids(void **state)
{
	const struct thread_filter filter = {.first = 100};
	char text[THREAD_FILTER_TEXT_SIZE];

	(void)state;
	assert_false(thread_filter_passes_all(&filter));
	assert_false(thread_filter_passes(&filter, 99));
	assert_true(thread_filter_passes(&filter, 100));
	assert_true(thread_filter_passes(&filter, 4000));
	thread_filter_text(text, &filter, "prev_pid", "next_pid");
	assert_string_equal(text, "prev_pid>=100||next_pid>=100");
	thread_filter_text(text, &filter, "pid", NULL);
	assert_string_equal(text, "pid>=100");
}

static void a_few_threads_are_listed_one_by_one(void **state)
{
	const struct thread_filter filter = filter_of(2);
	char text[THREAD_FILTER_TEXT_SIZE];

	(void)state;
	assert_false(thread_filter_passes(&filter, 4194002));
	assert_true(thread_filter_passes(&filter, 4194001));
	thread_filter_text(text, &filter, "pid", NULL);
	assert_string_equal(text, "pid==4194000||pid==4194001");
	thread_filter_text(text, &filter, "prev_pid", "next_pid");
	assert_string_equal(text, "prev_pid==4194000||next_pid==4194000||"
				  "prev_pid==4194001||next_pid==4194001");
}

static void threads_and_their_future_children_are_one_range(void **state)
{
	struct thread_filter filter = filter_of(2);
	char text[THREAD_FILTER_TEXT_SIZE];

	(void)state;
	filter.first = 4194100;
	thread_filter_add(&filter, 4194001); /* again */
	assert_false(thread_filter_passes_all(&filter));
	assert_true(thread_filter_passes(&filter, 4194001));
	assert_false(thread_filter_passes(&filter, 4194002));
	assert_false(thread_filter_passes(&filter, 4194099));
	assert_true(thread_filter_passes(&filter, 4194100));
	thread_filter_text(text, &filter, "pid", NULL);
	assert_string_equal(text, "pid==4194000||pid==4194001||pid>=4194100");
	filter = filter_of(THREAD_FILTER_MAX + 1);
	filter.first = 4194100;
	assert_true(thread_filter_passes_all(&filter));
}

static void the_longest_filter_has_room(void **state)
{
	struct thread_filter filter = filter_of(THREAD_FILTER_MAX);
	char text[THREAD_FILTER_TEXT_SIZE];

	(void)state;
	filter.first = 4194100;
	assert_false(thread_filter_passes_all(&filter));
	thread_filter_text(text, &filter, "prev_pid", "next_pid");
	assert_int_equal(strlen(text),
			 (THREAD_FILTER_MAX + 1) * strlen("||prev_pid==4194000") * 2 - 2);
}

static void too_many_threads_pass_all_threads(void **state)
{
	const struct thread_filter filter = filter_of(THREAD_FILTER_MAX + 100);

	(void)state;
	assert_true(thread_filter_passes_all(&filter));
	assert_true(thread_filter_passes(&filter, 5));
}

/* --- The order of ids ---------------------------------------------------------------------- */

/* Id 500 is the last one of 4 million. */
static void make_ids(char root[64])
{
	dir_make(root);
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 500\n");
	dir_put(root, "sys/kernel/pid_max", "4194304\n");
}

static void ids_are_used_only_far_from_the_largest_one(void **state)
{
	struct thread_filter filter = {.first = 0};
	char root[64];

	(void)state;
	make_ids(root);
	assert_false(thread_filter_follow(&filter, 4000000, root));
	assert_true(thread_filter_passes_all(&filter));
	assert_true(thread_filter_follow(&filter, 400, root));
	assert_int_equal(filter.first, 400);
	assert_true(thread_filter_follow(&filter, 0, root));
	assert_int_equal(filter.first, 501);
	dir_put(root, "loadavg", "nonsense");
	assert_false(thread_filter_follow(&filter, 501, root));
	dir_remove(root);
}

static void a_restart_of_ids_is_noticed(void **state)
{
	struct thread_filter filter = {.first = 0};
	char root[64];

	(void)state;
	make_ids(root);
	assert_false(thread_filter_has_wrapped(&filter, root));
	assert_true(thread_filter_follow(&filter, 501, root));
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 9000\n");
	assert_false(thread_filter_has_wrapped(&filter, root));
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 302\n");
	assert_true(thread_filter_has_wrapped(&filter, root));
	dir_put(root, "loadavg", "0.00 0.00 0.00 1/80 303\n");
	assert_false(thread_filter_has_wrapped(&filter, root));
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_empty_filter_passes_all_threads),
	cmocka_unit_test(descendants_have_higher_ids),
	cmocka_unit_test(a_few_threads_are_listed_one_by_one),
	cmocka_unit_test(threads_and_their_future_children_are_one_range),
	cmocka_unit_test(the_longest_filter_has_room),
	cmocka_unit_test(too_many_threads_pass_all_threads),
	cmocka_unit_test(ids_are_used_only_far_from_the_largest_one),
	cmocka_unit_test(a_restart_of_ids_is_noticed),
};

TEST_FILE(tests);
