/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/kernel/tracefs.h"
#include "collect/recording/tracing_data.h"

#include <unistd.h>

static const struct traced_event events[] = {
	{"sched", "sched_switch", "sched", NULL},
	{"sched", "sched_waking", "sched", NULL},
	{"pscal", "mutex_lock", "pscal_77", NULL},
};

static void the_section_is_laid_out_as_perf_reads_it(void **state)
{
	static const char before[] = "\x17\x08\x44"
				     "tracing"
				     "0.6\0";
	static const char after[] = "header_page\0"
				    "\x05\0\0\0\0\0\0\0"
				    "page\n"
				    "header_event\0"
				    "\x06\0\0\0\0\0\0\0"
				    "event\n"
				    "\0\0\0\0"
				    "\x01\0\0\0"
				    "sched\0"
				    "\x02\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "s\n"
				    "\x03\0\0\0\0\0\0\0"
				    "wk\n"
				    "\0\0\0\0"
				    "\0\0\0\0"
				    "\0\0\0\0\0\0\0"; /* and the NUL of the literal */
	char root[64], *bytes;
	size_t size, at = sizeof(before) - 1;
	uint32_t page_size;
	struct err err;
	FILE *out = open_memstream(&bytes, &size);

	(void)state;
	dir_make(root);
	dir_put(root, "events/header_page", "page\n");
	dir_put(root, "events/header_event", "event\n");
	dir_put(root, "events/sched/sched_switch/format", "s\n");
	dir_put(root, "events/sched/sched_waking/format", "wk\n");
	assert_int_equal(tracing_data_write(out, root, events, 2, &err), 0);
	fclose(out);
	assert_int_equal(size, at + 6 + sizeof(after));
	assert_memory_equal(bytes, before, at);
	assert_int_equal(bytes[at], __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(bytes[at + 1], sizeof(long));
	memcpy(&page_size, bytes + at + 2, sizeof(page_size));
	assert_int_equal(page_size, sysconf(_SC_PAGESIZE));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_memory_equal(bytes + at + 6, after, sizeof(after));
	free(bytes);
	dir_remove(root);
}

/* A group of one run has the name that all of them have. */
static void events_of_several_systems_stand_under_their_names(void **state)
{
	static const char after[] = "\x02\0\0\0"
				    "sched\0"
				    "\x02\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "s\n"
				    "\x03\0\0\0\0\0\0\0"
				    "wk\n"
				    "pscal\0"
				    "\x01\0\0\0"
				    "\x02\0\0\0\0\0\0\0"
				    "m\n"
				    "\0\0\0\0"
				    "\0\0\0\0"
				    "\0\0\0\0\0\0\0"; /* and the NUL of the literal */
	char root[64], *bytes;
	size_t size;
	struct err err;
	FILE *out = open_memstream(&bytes, &size);

	(void)state;
	dir_make(root);
	dir_put(root, "events/header_page", "page\n");
	dir_put(root, "events/header_event", "event\n");
	dir_put(root, "events/sched/sched_switch/format", "s\n");
	dir_put(root, "events/sched/sched_waking/format", "wk\n");
	dir_put(root, "events/pscal_77/mutex_lock/format", "m\n");
	assert_int_equal(tracing_data_write(out, root, events, 3, &err), 0);
	fclose(out);
	assert_true(size > sizeof(after));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_memory_equal(bytes + size - sizeof(after), after, sizeof(after));
	free(bytes);
	dir_remove(root);
}

static void a_missing_format_is_named(void **state)
{
	char root[64], *bytes;
	size_t size;
	struct err err;
	FILE *out = open_memstream(&bytes, &size);

	(void)state;
	dir_make(root);
	dir_put(root, "events/header_page", "page\n");
	dir_put(root, "events/header_event", "event\n");
	assert_int_equal(tracing_data_write(out, root, events, 2, &err), -1);
	assert_non_null(strstr(err.text, "events/sched/sched_switch/format"));
	fclose(out);
	free(bytes);
	dir_remove(root);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_section_is_laid_out_as_perf_reads_it),
		cmocka_unit_test(events_of_several_systems_stand_under_their_names),
		cmocka_unit_test(a_missing_format_is_named),
		cmocka_unit_test(a_file_larger_than_a_page_is_read_whole),
		cmocka_unit_test(event_numbers_are_read_and_checked),
	};

	return RUN_TESTS(tests);
}
