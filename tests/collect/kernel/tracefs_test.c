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
	assert_int_equal(tracefs_event_id(&id, root, "sched:good", &err), 0);
	assert_int_equal(id, 372);
	assert_int_equal(tracefs_event_id(&id, root, "sched:bad", &err), -1);
	assert_non_null(strstr(err.text, "'many'"));
	assert_int_equal(tracefs_event_id(&id, root, "sched:none", &err), -1);
	assert_non_null(strstr(err.text, "does not offer the event sched/none"));
	dir_remove(root);
}

static void fields_are_at_the_offsets_of_the_format(void **state)
{
	static const char format_text[] =
		"name: made_up\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:long state;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc char[] comm;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] next;\toffset:20;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"%s\", __get_str(comm)\n";
	static const char *const fields[] = {"comm", "state", "gone", "next", NULL};
	static const struct tracefs_field want[] = {
		{16, 4, 1, 0}, {8, 8, 0, 0}, {0, 0, 0, 0}, {20, 4, 1, 24}};
	struct tracefs_format format;
	char root[64];
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "events/sched/made_up/format", format_text);
	dir_put(root, "events/sched/bad/format", "no event\n");
	assert_int_equal(tracefs_format_read(&format, root, "sched:made_up", fields, &err), 0);
	assert_int_equal(format.type, 7);
	assert_int_equal(format.size, 24);
	assert_int_equal(format.common_flags.offset, 2);
	assert_int_equal(format.common_pid.offset, 4);
	assert_memory_equal(format.fields, want, sizeof(want));
	assert_int_equal(tracefs_format_read(&format, root, "sched:bad", fields, &err), -1);
	assert_non_null(strstr(err.text, "is not the format of an event"));
	assert_int_equal(tracefs_format_read(&format, root, "sched:none", fields, &err), -1);
	assert_non_null(strstr(err.text, "does not offer the event sched/none"));
	dir_remove(root);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_larger_than_a_page_is_read_whole),
	cmocka_unit_test(event_numbers_are_read_and_checked),
	cmocka_unit_test(fields_are_at_the_offsets_of_the_format),
};

TEST_FILE(tests);
