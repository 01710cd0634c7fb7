/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/kernel/tracefs.h"

#include "base/err.h"
#include "collect/collect_dir.h"

static void a_file_larger_than_a_page_is_read_whole(void **state)
{
	char root[64], big[10001], *text;
	size_t length;
	struct err err;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	dir_make(root);
	dir_put(root, "big", big);
	text = tracefs_read(root, "big", &length, &err);
	assert_int_equal(length, sizeof(big) - 1);
	assert_string_equal(text, big);
	free(text);
	dir_remove(root);
}

static void event_numbers_are_read_and_checked(void **state)
{
	char root[64];
	uint64_t id;
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "events/sched/good/id", "372\n");
	dir_put(root, "events/sched/bad/id", "many\n");
	assert_int_equal(tracefs_event_id(&id, root, "sched/good", &err), 0);
	assert_int_equal(id, 372);
	assert_int_equal(tracefs_event_id(&id, root, "sched/bad", &err), -1);
	assert_non_null(strstr(err.text, "'many'"));
	assert_int_equal(tracefs_event_id(&id, root, "sched/none", &err), -1);
	assert_non_null(strstr(err.text, "does not offer the event sched/none"));
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_larger_than_a_page_is_read_whole),
	cmocka_unit_test(event_numbers_are_read_and_checked),
};

TEST_FILE(tests);
