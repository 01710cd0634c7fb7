/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/calls_private.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* An entry as the kernel writes it: the number of the kind is before the arguments. */
struct entry {
	uint16_t type;
	uint8_t flags, count;
	int32_t pid;
	uint64_t ip, kind, arguments[SYNC_ARGUMENTS];
};

static const struct entry entry = {2326, 1, 2, 17, 0x401000, 9, {0xaa, 0xbb, 0xcc00000003}};

static void a_record_has_the_arguments_of_the_function(void **state)
{
	static const struct {
		enum sync_values values;
		size_t size, more;
		uint64_t want;
	} cases[] = {{SYNC_OBJECT, 28, 0, 0}, {SYNC_OBJECT2, 36, 8, 0xbb}, {SYNC_COUNT, 28, 4, 3}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		uint8_t out[UPROBE_RECORD_MAX];
		uint64_t object, more = 0;
		uint16_t type;

		assert_int_equal(sync_record_rewrite(out, cases[i].values, 41000,
						     (const uint8_t *)&entry, sizeof(entry)),
				 cases[i].size);
		memcpy(&type, out, sizeof(type));
		assert_int_equal(type, 41000);
		assert_memory_equal(out + 2, (const uint8_t *)&entry + 2, 14);
		memcpy(&object, out + 16, sizeof(object));
		assert_int_equal(object, 0xaa);
		memcpy(&more, out + 24, cases[i].more);
		assert_int_equal(more, cases[i].want);
	}
}

static void the_return_address_follows_the_arguments(void **state)
{
	const struct {
		struct entry entry;
		uint64_t returns_to;
	} raw = {entry, 0x402000};

	(void)state;
	assert_int_equal(sync_record_return((const uint8_t *)&raw, sizeof(raw)), 0x402000);
	assert_int_equal(sync_record_return((const uint8_t *)&raw, sizeof(entry)), 0);
}

/* The kernel's format: see enter_event in kernel/trace/trace_syscalls.c. */
static void a_function_that_is_a_system_call_is_recorded_as_one(void **state)
{
	uint8_t out[UPROBE_RECORD_MAX];
	int32_t number, pid;
	uint16_t type;

	(void)state;
	assert_int_equal(sync_record_rewrite(out, SYNC_SYSTEM_CALL, 388, (const uint8_t *)&entry,
					     sizeof(entry)),
			 20);
	memcpy(&type, out, sizeof(type));
	memcpy(&pid, out + 4, sizeof(pid));
	memcpy(&number, out + 8, sizeof(number));
	assert_int_equal(type, 388);
	assert_int_equal(pid, entry.pid);
	assert_int_equal(number, SYS_sched_yield);
}

static void missing_arguments_are_zero(void **state)
{
	uint8_t out[UPROBE_RECORD_MAX], *raw = test_malloc(24);
	uint64_t values[2];

	(void)state;
	memcpy(raw, &entry, 24);
	assert_int_equal(sync_record_rewrite(out, SYNC_OBJECT2, 41000, raw, 24), 36);
	memcpy(values, out + 16, sizeof(values));
	assert_int_equal(values[0], 0);
	assert_int_equal(values[1], 0);
	test_free(raw);
}

static void the_format_is_that_of_a_probe_for_each_kind(void **state)
{
	char *text = sync_record_format("barrier_init", SYNC_COUNT, 41000);

	(void)state;
	assert_non_null(strstr(text, "name: barrier_init\nID: 41000\nformat:\n"));
	assert_non_null(strstr(text, "\tfield:u64 object;\toffset:16;\tsize:8;\tsigned:0;\n"
				     "\tfield:u32 count;\toffset:24;\tsize:4;\tsigned:0;\n\n"
				     "print fmt: \"(%lx) object=0x%Lx count=%u\", "
				     "REC->__probe_ip, REC->object, REC->count\n"));
	free(text);
	text = sync_record_format("mutex_lock", SYNC_OBJECT, 41001);
	assert_non_null(strstr(text, "signed:0;\n\nprint fmt: \"(%lx) object=0x%Lx\", "
				     "REC->__probe_ip, REC->object\n"));
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_record_has_the_arguments_of_the_function),
	cmocka_unit_test(the_return_address_follows_the_arguments),
	cmocka_unit_test(a_function_that_is_a_system_call_is_recorded_as_one),
	cmocka_unit_test(missing_arguments_are_zero),
	cmocka_unit_test(the_format_is_that_of_a_probe_for_each_kind),
};

TEST_FILE(tests);
