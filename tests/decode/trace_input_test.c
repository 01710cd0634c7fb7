/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace_input.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "support.h"

#include <string.h>

static struct event_source *open_bytes(const void *bytes, size_t length, struct err *err)
{
	struct input *input = input_open(file_with(bytes, length), INPUT_OF_ANYONE, err);

	assert_non_null(input);
	return trace_input_read(input, err);
}

static void a_file_that_cannot_be_read_is_refused_by_its_name(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *said;
	} cases[] = {
		{"\x17\x08\x44tracing", 10, "is a trace-cmd file"},
		{"\x7f"
		 "ELF\2\1",
		 6, "is a program"},
		{"{\"levels\": []}", 14, "is JSON"},
		{"[1, 2]", 6, "is JSON"},
		{"a\0b", 3, "is neither a perf.data file nor the text of perf script"},
		{"PERFILE2", 8, "is a perf.data file cut off within its header"},
		{"2ELIFREP\0\0\0\0", 12, "is a perf.data file cut off within its header"},
		{"PERFFILE\0\0\0\0", 12, "is a perf.data file cut off within its header"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.text = ""};

		assert_null(open_bytes(cases[i].bytes, cases[i].length, &err));
		if (!strstr(err.text, cases[i].said))
			fail_msg("said '%s', not '%s'", err.text, cases[i].said);
	}
}

static void text_is_read_line_by_line_and_other_lines_ignored(void **state)
{
	static const char text[] =
		"# a comment\n"
		"\n"
		"a 5 [003] 1.5: sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001\n"
		"        ffffffff81a0 schedule+0x1 ([kernel])\n"
		"a 5 [003] 2.5: sched:sched_waking: comm=b pid=\n"
		"a 5 [003] 3.5: sched:sched_process_exit: comm=a pid=5 prio=120";
	struct err err = {.text = ""};
	struct event_source *source = open_bytes(text, sizeof(text) - 1, &err);
	struct event event;

	(void)state;
	assert_non_null(source);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_WAKE);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_EXIT);
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 1);
	event_source_free(source);
}

#define WAKING "sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001\n"
#define NONE   "holds no scheduling events that can be read; record some with 'pscal record'"
#define WITH   "print them with 'perf script --ns -F comm,pid,tid,cpu,time,event,trace'"

static void text_without_events_is_refused_with_a_way_to_print_them(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"hello\nworld\n", NONE},
		{"a 5 [0] " WAKING, "without their times; " WITH},
		{"prev_comm=a prev_pid=5\n", "without their times; " WITH},
		/* a name that looks like a time is not a time */
		{"a 5 " WAKING "b 5 " WAKING "1 [0] 2.5: 21115 " WAKING, "without their times"},
		{"a 5 [0] 1.5: sched:sched_switch: \n", "without their fields (trace); " WITH},
		{"a [0] 1.5: PERF_RECORD_SWITCH OUT\n",
		 "without their thread (tid); print them with"},
		{"a 5 [0] 1.5: cycles:u: \n", NONE},
		{"  0.000 ( 0.003 ms): sleep/123 brk() = 0x55\n", "is output of perf trace"},
		/* a record that only names a thread is no event */
		{"a 5 [0] 1.5: PERF_RECORD_COMM: a:5/5\n", NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {.text = ""};
		struct event_source *source =
			open_bytes(cases[i].text, strlen(cases[i].text), &err);
		struct event event;
		int rc;

		assert_non_null(source);
		while ((rc = event_source_next(source, &event, &err)) > 0)
			assert_int_equal(event.kind, EVENT_TASK);
		assert_int_equal(rc, -1);
		if (!strstr(err.text, cases[i].said))
			fail_msg("'%s' is not said of: %s", err.text, cases[i].text);
		event_source_free(source);
	}
}

static void a_cpu_in_brackets_is_no_json(void **state)
{
	static const char text[] = "[000] 1.5: " WAKING;
	struct err err = {.text = ""};
	struct event_source *source = open_bytes(text, sizeof(text) - 1, &err);
	struct event event;

	(void)state;
	assert_non_null(source);
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.cpu, 0);
	assert_int_equal(event.place, 1);
	event_source_free(source);
}

static void freeing_null_is_allowed(void **state)
{
	(void)state;
	event_source_free(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_file_that_cannot_be_read_is_refused_by_its_name),
	cmocka_unit_test(text_is_read_line_by_line_and_other_lines_ignored),
	cmocka_unit_test(text_without_events_is_refused_with_a_way_to_print_them),
	cmocka_unit_test(a_cpu_in_brackets_is_no_json),
	cmocka_unit_test(freeing_null_is_allowed),
};

TEST_FILE(tests);
