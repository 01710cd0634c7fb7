/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

/* As Linux 6.18 writes them: common fields, addresses, the place, values, and padding to 8 n - 4
 * bytes.
 */
struct enter {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint64_t ip, place, values[2];
};
struct leave {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint64_t function, ip, place, value;
};

static void the_fetched_values_begin_with_the_place(void **state)
{
	char *enter = uprobe_record_fetches(UPROBE_ENTER, 7, 0);
	char *leave = uprobe_record_fetches(UPROBE_LEAVE, 12, 4);

	(void)state;
	assert_string_equal(enter, "block=\\7:u64");
	assert_string_equal(leave, "block=\\12:u64 ret=$retval:s64");
	free(enter);
	free(leave);
#if defined(__x86_64__)
	enter = uprobe_record_fetches(UPROBE_ENTER, 7, 4);
	assert_string_equal(enter, "block=\\7:u64 arg1=%di:s64 arg2=%si:s64 arg3=%dx:s64 "
				   "arg4=%cx:s64");
	free(enter);
#endif
}

static void the_file_has_the_function_in_place_of_the_place(void **state)
{
	const struct enter enter = {2326, 1, 2, 17, 0x401000, 5, {3, 4}};
	const struct leave leave = {2327, 0, 0, 17, 0x401000, 0x402000, 6, 9};
	uint8_t out[UPROBE_RECORD_MAX];
	uint16_t type;
	uint64_t value;

	(void)state;
	assert_int_equal(uprobe_record_place(UPROBE_ENTER, (const uint8_t *)&enter, sizeof(enter)),
			 5);
	assert_int_equal(uprobe_record_rewrite(out, UPROBE_ENTER, 40000, (const uint8_t *)&enter,
					       sizeof(enter), 2),
			 36);
	memcpy(&type, out, sizeof(type));
	assert_int_equal(type, 40000);
	assert_memory_equal(out + 2, (const uint8_t *)&enter + 2, 14);
	assert_memory_equal(out + 16, enter.values, 16);

	assert_int_equal(uprobe_record_place(UPROBE_LEAVE, (const uint8_t *)&leave, sizeof(leave)),
			 6);
	assert_int_equal(uprobe_record_rewrite(out, UPROBE_LEAVE, 40001, (const uint8_t *)&leave,
					       sizeof(leave), 2),
			 36);
	assert_memory_equal(out + 8, &leave.function, 16);
	memcpy(&value, out + 24, sizeof(value));
	assert_int_equal(value, 9);
}

static void a_record_that_is_too_short_has_no_place(void **state)
{
	const struct enter enter = {.place = 5};
	const struct leave leave = {.place = 5};

	(void)state;
	assert_true(uprobe_record_place(UPROBE_ENTER, (const uint8_t *)&enter, 23) == SIZE_MAX);
	assert_true(uprobe_record_place(UPROBE_LEAVE, (const uint8_t *)&leave, 31) == SIZE_MAX);
}

/* The kernel always writes all fetched values; missing ones are read as zero. */
static void missing_values_are_zero(void **state)
{
	const struct enter enter = {2326, 1, 2, 17, 0x401000, 5, {3, 4}};
	uint8_t *raw = test_malloc(32), out[UPROBE_RECORD_MAX];
	uint64_t values[2];

	(void)state;
	memcpy(raw, &enter, 32); /* up to the first argument */
	assert_int_equal(uprobe_record_rewrite(out, UPROBE_ENTER, 40000, raw, 32, 2), 36);
	memcpy(values, out + 16, sizeof(values));
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 0);
	test_free(raw);
}

static void the_format_tells_the_offsets_of_the_fields(void **state)
{
	char *text = uprobe_record_format("work", UPROBE_ENTER, 40000, 2);

	(void)state;
	assert_string_equal(
		text, "name: work\nID: 40000\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		      "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		      "\tfield:s64 arg1;\toffset:16;\tsize:8;\tsigned:1;\n"
		      "\tfield:s64 arg2;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		      "print fmt: \"(%lx) arg1=%Ld arg2=%Ld\", REC->__probe_ip, REC->arg1, "
		      "REC->arg2\n");
	free(text);
	text = uprobe_record_format("work", UPROBE_LEAVE, 40001, 2);
	assert_non_null(strstr(text, "\tfield:s64 ret;\toffset:24;\tsize:8;\tsigned:1;\n"));
	assert_non_null(strstr(text, "print fmt: \"(%lx <- %lx) ret=%Ld\", REC->__probe_func, "
				     "REC->__probe_ret_ip, REC->ret\n"));
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_fetched_values_begin_with_the_place),
	cmocka_unit_test(the_file_has_the_function_in_place_of_the_place),
	cmocka_unit_test(a_record_that_is_too_short_has_no_place),
	cmocka_unit_test(missing_values_are_zero),
	cmocka_unit_test(the_format_tells_the_offsets_of_the_fields),
};

TEST_FILE(tests);
