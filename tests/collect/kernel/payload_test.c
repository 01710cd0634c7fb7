/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/collect_dir.h"

#include "base/err.h"
#include "collect/kernel/payload.h"

#define COMMON                                                                         \
	"name: made_up\nID: 7\nformat:\n"                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const fields[] = {"comm", "pid", "state", "gone", "dead", NULL};
enum { COMM, PID, STATE, GONE, DEAD };

/* Learns a format of these fields. Returns what payload_format_read() does. */
static int read_format(struct payload_format *format, const char *text, struct err *err)
{
	char root[64];
	int rc;

	dir_make(root);
	dir_put(root, "events/sched/made_up/format", text);
	rc = payload_format_read(format, root, "sched/made_up", fields, err);
	dir_remove(root);
	return rc;
}

static void fields_lie_where_the_format_says(void **state)
{
	static const char want[] = "\7\0\x18\0\x9\0\0\0"
				   "\xff\xff\xff\xff\xff\xff\xff\xff"
				   "a name\0\0\0\0\0\0\0\0\0\0"
				   "\x2a\0\0\0\1";
	struct payload_format format;
	struct payload payload;
	struct err err;

	(void)state;
	assert_int_equal(read_format(&format,
				     COMMON
				     "\tfield:long state;\toffset:8;\tsize:8;\tsigned:1;\n"
				     "\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n"
				     "\tfield:pid_t pid;\toffset:32;\tsize:4;\tsigned:1;\n"
				     "\tfield:bool dead;\toffset:36;\tsize:1;\tsigned:0;\n"
				     "\nprint fmt: \"%s\", REC->comm\n",
				     &err),
			 0);
	payload_begin(&payload, &format, 9);
	payload_put_flags(&payload, PAYLOAD_HARDIRQ | PAYLOAD_SOFTIRQ);
	payload_put_comm(&payload, COMM, "a name\0\0\0\0\0\0\0\0\0");
	payload_put_number(&payload, PID, 42);
	payload_put_number(&payload, STATE, -1);
	payload_put_number(&payload, GONE, 1);
	payload_put_number(&payload, DEAD, 1);
	assert_int_equal(payload.size, sizeof(want) - 1);
	assert_memory_equal(payload.bytes, want, sizeof(want) - 1);
}

static void names_of_any_length_stand_behind_the_fields(void **state)
{
	static const char want[] = "\7\0\0\0\x9\0\0\0"
				   "\x10\0\7\0\x2a\0\0\0"
				   "a name"; /* and its NUL */
	struct payload_format format;
	struct payload payload;
	struct err err;

	(void)state;
	assert_int_equal(
		read_format(&format,
			    COMMON
			    "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n"
			    "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
			    "\nprint fmt: \"%s\", __get_str(comm)\n",
			    &err),
		0);
	payload_begin(&payload, &format, 9);
	payload_put_comm(&payload, COMM, "a name\0\0\0\0\0\0\0\0\0");
	payload_put_number(&payload, PID, 42);
	assert_int_equal(payload.size, sizeof(want));
	assert_memory_equal(payload.bytes, want, sizeof(want));
}

static void an_event_that_is_not_there_or_no_event_is_refused(void **state)
{
	struct payload_format format;
	struct err err;

	(void)state;
	assert_int_equal(read_format(&format, "no event\n", &err), -1);
	assert_non_null(strstr(err.text, "is not the format of an event"));
	assert_int_equal(payload_format_read(&format, "/tmp", "sched/none", fields, &err), -1);
	assert_non_null(strstr(err.text, "does not offer the event sched/none"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fields_lie_where_the_format_says),
	cmocka_unit_test(names_of_any_length_stand_behind_the_fields),
	cmocka_unit_test(an_event_that_is_not_there_or_no_event_is_refused),
};

TEST_FILE(tests);
