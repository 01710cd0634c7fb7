/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/open_text.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Lines --------------------------------------------------------------------------------- */

/* A text without earlier lines, which could change the meaning of a line. */
struct text {
	struct quality quality;
	struct line_reading reading;
};

static struct text *text_new(const char *first)
{
	struct text *text = xcalloc(1, sizeof(*text));

	text->reading.quality = &text->quality;
	text->reading.state = xcalloc(1, ftrace_line_layout.state_bytes);
	ftrace_line_layout.begin(&text->reading, first, strlen(first));
	return text;
}

static void text_free(struct text *text)
{
	free(text->reading.state);
	free(text);
}

static enum line_kind text_parse(struct text *text, struct event *event, const char *line)
{
	return ftrace_line_layout.parse(&text->reading, event, line, strlen(line));
}

static enum line_kind parse_alone(struct event *event, const char *line)
{
	struct text *text = text_new(line);
	enum line_kind kind = text_parse(text, event, line);

	text_free(text);
	return kind;
}

#define FIELDS                                                                               \
	"prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b next_pid=6 next_" \
	"prio=120"
#define SWITCH "sched_switch: " FIELDS

struct line {
	const char *text;
	uint64_t time_ns;
	int32_t cpu, pid;
};

static void assert_switch(const struct line *want)
{
	struct event event = {.tid = 77};

	if (parse_alone(&event, want->text) != LINE_EVENT)
		fail_msg("no event: '%s'", want->text);
	if (event.kind != EVENT_SWITCH || event.time_ns != want->time_ns ||
	    event.cpu != want->cpu || event.pid != want->pid || event.tid != 5 ||
	    event.other != 6 || event.state != STATE_SLEEPING)
		fail_msg("kind %d, time %llu, cpu %d, pid %d, tid %d, other %d: '%s'",
			 (int)event.kind, (unsigned long long)event.time_ns, event.cpu, event.pid,
			 event.tid, event.other, want->text);
	assert_string_equal(event.comm, "a");
	assert_string_equal(event.other_comm, "b");
}

static void every_layout_is_read(void **state)
{
	static const struct line cases[] = {
		/* the kernel: the default, and without irq-info */
		{"               a-5       [003] d..2.  1151.458239: " SWITCH, 1151458239000, 3,
		 -1},
		{"               a-5       [003]  1151.458239: " SWITCH, 1151458239000, 3, -1},
		{"           <...>-5       [003] d..2.  1151.458239: " SWITCH, 1151458239000, 3,
		 -1},
		/* record-tgid, also if it was set too late; older kernels have fewer flags */
		{"               a-5       (      4) [003] d..2.  1151.458239: " SWITCH,
		 1151458239000, 3, 4},
		{"               a-5     (    4) [003] d..2  1151.458239: " SWITCH, 1151458239000,
		 3, 4},
		{"               a-5     (-----) [003] d..2  1151.458239: " SWITCH, 1151458239000,
		 3, -1},
		{"               a-5       (      4) [003]  1151.458239: " SWITCH, 1151458239000, 3,
		 4},
		/* latency-format, and its marks of long delays */
		{"       a-5         3d..2. 423607us!: " SWITCH, 423607000, 3, -1},
		{"       a-5         3d..2. 423607us : " SWITCH, 423607000, 3, -1},
		{"       a-5         3..... 0us: " SWITCH, 0, 3, -1},
		/* trace-cmd report: the default, -t and -l */
		{"               a-5     [003]  1151.458239: sched_switch:         " FIELDS,
		 1151458239000, 3, -1},
		{"               a-5     [003] 1151.458239012: sched_switch:         " FIELDS,
		 1151458239012, 3, -1},
		{"               a-5     [003] 1151.458239: sched:sched_switch: " FIELDS,
		 1151458239000, 3, -1},
		{"       a-5       3d..2. 22309.534784: sched_switch:         " FIELDS,
		 22309534784000, 3, -1},
		/* ... and -R */
		{"               a-5     [003]  1151.458239: sched_switch:          prev_comm=a "
		 "prev_pid=5 prev_prio=120 prev_state=1 next_comm=b next_pid=6 next_prio=120",
		 1151458239000, 3, -1},
		{"               a-5     [003]  1151.458239: sched_switch:         a:5 [120] S ==> "
		 "b:6 [120]",
		 1151458239000, 3, -1},
		/* no name; large machines; tabs after copying */
		{"                -5       [003] d..2.  1151.458239: " SWITCH, 1151458239000, 3,
		 -1},
		{"  a-5 [1023] d..2. 1795240936.954509: " SWITCH, 1795240936954509000, 1023, -1},
		{"a-5\t[003]\td..2.\t1.5:\t" SWITCH, 1500000000, 3, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_switch(&cases[i]);
}

static void the_flags_tell_interrupts(void **state)
{
	static const struct {
		const char *head;
		bool want;
	} cases[] = {
		{"a-5 [003] d..2. 1.5: ", false},
		{"a-5 [003] dN.3. 1.5: ", false},
		{"a-5 [003] d.h3. 1.5: ", true},
		{"a-5 [003] d.s3 1.5: ", true},
		{"a-5 (    4) [003] dNH2. 1.5: ", true},
		{"a-5 [003] d.Z2. 1.5: ", true},
		{"a-5 3d.h2. 423607us!: ", true},
		{"a-5 3d..2. 423607us!: ", false},
		{"a-5 [003] 1.5: ", false},
		{"a-5 [003]  1151.458239: ", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;
		char *line = xasprintf("%ssched_waking: comm=b pid=6 prio=120 target_cpu=001",
				       cases[i].head);

		assert_int_equal(parse_alone(&event, line), LINE_EVENT);
		assert_int_equal(event.kind, EVENT_WAKE);
		if (event.interrupt != cases[i].want)
			fail_msg("'%s'", line);
		free(line);
	}
}

static void the_name_in_front_may_be_anything(void **state)
{
	static const char *const names[] = {
		"a b c",
		"kworker/0:2-vir",
		"a-b-1",
		"-1",
		"1-1 [0]",
		"-1 [0] 1.5: ab:",
		"-1 [0] 2:",
		"-1 (2) [3] 1.5:",
		"-1 2d..2. 3us:",
		"a-1 ",
		"[000]",
		"a-1 [0] ",
		"\xc3\xa4",
		"\xff\xfe",
		"#",
		":",
		"(4)",
		"-1 2d..2. 1.5:",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char *whole = xasprintf("%16s-5     (   4) [001] d..2.  7.25: " SWITCH, names[i]);
		const struct line want = {whole, 7250000000, 1, 4};

		assert_switch(&want);
		free(whole);
	}
}

static void a_name_in_front_is_that_of_another_time(void **state)
{
	struct event event;

	(void)state;
	assert_int_equal(parse_alone(&event, "later-34 (12) [001] d..2. 7.25: sched_waking: comm=b "
					     "pid=6 prio=120 target_cpu=001"),
			 LINE_EVENT);
	assert_int_equal(event.kind, EVENT_WAKE);
	assert_int_equal(event.tid, 34);
	assert_int_equal(event.pid, 12);
	assert_int_equal(event.other, 6);
	assert_string_equal(event.comm, "");
	assert_string_equal(event.other_comm, "b");
}

static void births_are_read_with_the_names_of_the_fields(void **state)
{
	struct event event;

	(void)state;
	assert_int_equal(parse_alone(&event, "a-5 [000] 22309.535876: sched_process_fork:    "
					     "parent_comm=a b parent_pid=5 child_comm=c "
					     "child_pid=6"),
			 LINE_EVENT);
	assert_int_equal(event.kind, EVENT_FORK);
	assert_int_equal(event.tid, 5);
	assert_int_equal(event.other, 6);
	assert_string_equal(event.comm, "a b");
	assert_string_equal(event.other_comm, "c");
}

static void calls_are_read_as_the_kernel_and_trace_cmd_print_them(void **state)
{
	static const struct {
		const char *text;
		enum event_kind kind;
		enum sync_call call;
	} cases[] = {
		{"     a-5       [003] .....  1151.458239: sys_futex(uaddr: 0x7f22521f6a4c, op: "
		 "0x81, val: 0x7fffffff, utime: 0, uaddr2: 3, val3: 0)",
		 EVENT_CALL, SYNC_FUTEX_WAKE},
		{"     a-5       [003]  1151.458239: sys_futex -> 0x0", EVENT_RETURN, SYNC_NONE},
		{"     a-5       [003] 1151.458239: sys_enter_futex:      op=FUTEX_WAIT "
		 "uaddr=0x7f22521f6a4c val=0x00000002 utime=0x0",
		 EVENT_CALL, SYNC_FUTEX_WAIT},
		{"     a-5       [003] 1151.458239: syscalls:sys_exit_sched_yield: 0x0",
		 EVENT_RETURN, SYNC_YIELD},
		{"     a-5       [003] d.... 1151.458239: mutex_lock: (0x7f22521f6a4c) object=0x10",
		 EVENT_CALL, SYNC_MUTEX_LOCK},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		if (parse_alone(&event, cases[i].text) != LINE_EVENT)
			fail_msg("no event: '%s'", cases[i].text);
		if (event.kind != cases[i].kind || event.call != cases[i].call || event.tid != 5 ||
		    event.cpu != 3 || event.time_ns != 1151458239000)
			fail_msg("kind %d, call %d: '%s'", (int)event.kind, (int)event.call,
				 cases[i].text);
	}
}

static void other_lines_are_ignored(void **state)
{
	static const char *const lines[] = {
		"",
		"# tracer: nop",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"cpus=8",
		"version = 7",
		"CPU 3 is empty",
		"          a-5       [003] d..2.  1151.458239: irq_handler_entry: irq=1 name=x",
		"          a-5       [003] d..2.  1151.458239: do_timer <-tick_do_update",
		"          a-5       [003] d..2.  1151.458239: <stack trace>",
		"          a-5       [003] .....  1151.458239: sys_write(fd: 1, buf: 1000)",
		"          a-5       [003] .....  1151.458239: sys_write -> 0x4",
		" => __schedule",
		"5 3 1151458239012 type: 366",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct event event = {.tid = 77};

		if (parse_alone(&event, lines[i]) != LINE_OTHER)
			fail_msg("not passed over: '%s'", lines[i]);
		assert_int_equal(event.tid, 77);
	}
}

static void a_line_of_an_event_that_cannot_be_read_is_malformed(void **state)
{
	static const char *const lines[] = {
		"a 5 [003] d..2.  1151.458239: " SWITCH,
		"a-x [003] d..2.  1151.458239: " SWITCH,
		"a-5 003] d..2.  1151.458239: " SWITCH,
		"a-5 [003] d..2.  1151.: " SWITCH,
		"a-5 [003] d..2.  .458239: " SWITCH,
		"a-5 [003] d..2.  11111111111.5: " SWITCH,
		"a-5 [003] d..2.  1.1234567890: " SWITCH,
		"a-5 [-1] d..2.  1.5: " SWITCH,
		"a-99999999999 [003] d..2.  1.5: " SWITCH,
		"a-5 [003] d..2.  1.5: sched_switch: prev_comm=a",
		"a-5   \r  [003] d..2.  1.5: " SWITCH,
		"a-5 [003] d..2.  1.5: sche,d_waking: comm=a pid=5 prio=1 target_cpu=0",
		"a-5 [003] d..2.  1.5: sched_w\xff\xff\xff comm=a",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct event event = {.tid = 77};

		if (parse_alone(&event, lines[i]) != LINE_MALFORMED)
			fail_msg("not malformed: '%s'", lines[i]);
		assert_int_equal(event.tid, 77);
	}
}

/* --- Texts --------------------------------------------------------------------------------- */

static void lost_records_are_counted_and_leave_a_gap(void **state)
{
	static const struct {
		const char *line;
		uint64_t lost;
		int32_t cpu;
	} cases[] = {
		{"CPU:3 [LOST 123 EVENTS]", 123, 3},
		{"CPU:3 [LOST EVENTS]", 1, 3},
		{"CPU:0 [1234 EVENTS DROPPED]", 1234, 0},
		{"CPU:0 [EVENTS DROPPED]", 1, 0},
		{"# entries-in-buffer/entries-written: 219/20063   #P:2", 19844, -1},
		{"##### CPU 1 buffer started ####", 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text *text = text_new("");
		struct event event;

		assert_int_equal(text_parse(text, &event, "a-5 [003] 1.5: " SWITCH), LINE_EVENT);
		assert_false(ftrace_line_layout.more(&text->reading, &event));
		assert_int_equal(text_parse(text, &event, cases[i].line), LINE_OTHER);
		assert_int_equal(text_parse(text, &event, "a-5 [003] 2.5: " SWITCH), LINE_EVENT);
		assert_int_equal(event.kind, EVENT_GAP);
		assert_int_equal(event.cpu, cases[i].cpu);
		assert_int_equal(event.time_ns, 1500000000);
		assert_true(ftrace_line_layout.more(&text->reading, &event));
		assert_int_equal(event.kind, EVENT_SWITCH);
		assert_int_equal(event.time_ns, 2500000000);
		assert_false(ftrace_line_layout.more(&text->reading, &event));
		assert_int_equal(text->quality.lost, cases[i].lost);
		text_free(text);
	}
}

static void records_that_were_not_lost_leave_no_gap(void **state)
{
	struct text *text = text_new("");
	struct event event;

	(void)state;
	assert_int_equal(
		text_parse(text, &event, "# entries-in-buffer/entries-written: 632/632   #P:2"),
		LINE_OTHER);
	assert_int_equal(text_parse(text, &event, "a-5 [003] 2.5: " SWITCH), LINE_EVENT);
	assert_int_equal(event.kind, EVENT_SWITCH);
	assert_int_equal(text->quality.lost, 0);
	text_free(text);
}

static void only_the_trace_in_a_web_page_is_read(void **state)
{
	static const struct {
		const char *line;
		enum line_kind kind;
	} lines[] = {
		{"<!DOCTYPE html>", LINE_OTHER},
		{"a-5 [003] 0.5: " SWITCH, LINE_OTHER},
		{"<script class=\"trace-data\" type=\"application/text\">", LINE_OTHER},
		{"# tracer: nop", LINE_OTHER},
		{"a-5 [003] 1.5: " SWITCH, LINE_EVENT},
		{"</script>", LINE_OTHER},
		{"a-5 [003] 2.5: " SWITCH, LINE_OTHER},
	};
	struct text *text = text_new(lines[0].line);
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		if (text_parse(text, &event, lines[i].line) != lines[i].kind)
			fail_msg("not as it should be: '%s'", lines[i].line);
	text_free(text);
}

static void a_clock_that_counts_something_else_is_refused_by_name(void **state)
{
	static const char *const lines[] = {
		"a-5       [003] d..2. 56571135709862: " SWITCH,
		"a-5       [003] d..2.            3: " SWITCH,
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct text *text = text_new("# tracer: nop");
		struct event event;

		assert_null(strstr(ftrace_line_layout.complaint(&text->reading), "clock"));
		assert_int_equal(text_parse(text, &event, lines[i]), LINE_OTHER);
		assert_non_null(strstr(ftrace_line_layout.complaint(&text->reading), "clock"));
		text_free(text);
	}
}

static void lines_of_a_name_with_newlines_are_joined(void **state)
{
	static const char lines[] =
		"# tracer: nop\n"
		"               a-5       [003] d..2. 1.5: " SWITCH "\n"
		"             a\n"
		"b-5       [003] d..2. 2.5: sched_switch: prev_comm=a\n"
		"b prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b next_pid=6 next_prio=120\n"
		"               a-5       [003] d..2. 3.5: sched_switch: prev_comm=a prev_\n"
		"               a-5       [003] d..2. 4.5: " SWITCH "\n";
	static const uint64_t times_ns[] = {1500000000, 2500000000, 4500000000};
	struct err err = {.text = ""};
	struct event_source *source = open_text(lines, strlen(lines));
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(times_ns); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.time_ns, times_ns[i]);
		assert_int_equal(event.other, 6);
		assert_string_equal(event.comm, i == 1 ? "a\nb" : "a");
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 1);
	assert_int_equal(source->quality.fragments, 2);
	event_source_free(source);
}

/* --- Is it ftrace? ------------------------------------------------------------------------- */

static void the_layout_is_known_from_the_first_lines(void **state)
{
	static const struct first_lines cases[] = {
		{"# tracer: nop\n#\n", true},
		{"capturing trace... done\nTRACE:\n# tracer: nop\n", true},
		{"cpus=8\n", true},
		{"version = 7\ncpus=8\n", true},
		{"CPU 3 is empty\ncpus=8\n", true},
		{"CPU:3 [LOST 5 EVENTS]\n", true},
		{"<!DOCTYPE html>\n<html>\n", true},
		{"<html>", true},
		{"   a-5       [003] d..2.  1151.458239: " SWITCH "\n", true},
		{"   a-5       [003] 1151.458239: sched_waking:        comm=b\n", true},
		{"       a-5         3d..2. 423607us!: " SWITCH "\n", true},
		/* perf script, with such names */
		{"   a     5 [003]  1151.458239: sched:" SWITCH "\n", false},
		{"   a-5     5 [003]  1151.458239: sched:" SWITCH "\n", false},
		{"   a-5 4/5 [003]  1151.458239: " SWITCH "\n", false},
		{"   a-5 [003]  1151.458239: sched:" SWITCH "\n", false},
		{"   :-1    -1 [003]  1151.458239: " SWITCH "\n", false},
		{"   a-5     5 1151.458239: sched_switch:\n", false},
		{"# ========\n# captured on: today\n", false},
		{"# tracer", false},
		{"\n", false},
		{"", false},
	};

	(void)state;
	assert_told_from_first_lines(ftrace_line_layout.is, cases, COUNT(cases));
}

static void a_switch_cut_anywhere_is_no_other_switch(void **state)
{
	static const char line[] = "a b-5 (  4) [003] d..2. 1.5: " SWITCH;
	const size_t needed = sizeof(line) - 1 - strlen(" next_prio=120");

	(void)state;
	for (size_t cut = 0; cut < needed; cut++) {
		char *copy = xcalloc(cut + 1, 1); /* the sanitizer watches its end */
		struct event event;

		memcpy(copy, line, cut);
		if (parse_alone(&event, copy) == LINE_EVENT)
			fail_msg("'%s' was enough", copy);
		free(copy);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_layout_is_read),
	cmocka_unit_test(the_flags_tell_interrupts),
	cmocka_unit_test(the_name_in_front_may_be_anything),
	cmocka_unit_test(a_name_in_front_is_that_of_another_time),
	cmocka_unit_test(births_are_read_with_the_names_of_the_fields),
	cmocka_unit_test(calls_are_read_as_the_kernel_and_trace_cmd_print_them),
	cmocka_unit_test(other_lines_are_ignored),
	cmocka_unit_test(a_line_of_an_event_that_cannot_be_read_is_malformed),
	cmocka_unit_test(lost_records_are_counted_and_leave_a_gap),
	cmocka_unit_test(records_that_were_not_lost_leave_no_gap),
	cmocka_unit_test(only_the_trace_in_a_web_page_is_read),
	cmocka_unit_test(a_clock_that_counts_something_else_is_refused_by_name),
	cmocka_unit_test(lines_of_a_name_with_newlines_are_joined),
	cmocka_unit_test(the_layout_is_known_from_the_first_lines),
	cmocka_unit_test(a_switch_cut_anywhere_is_no_other_switch),
};

TEST_FILE(tests);
