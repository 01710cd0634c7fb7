/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/line_layout.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/open_text.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parses the text after `lines`, which tell the columns of the text. */
static enum line_kind parse_behind(struct event *event, const char *lines, const char *text,
				   size_t length)
{
	struct quality quality = {.events = 0};
	struct line_reading reading = {
		.state = xcalloc(1, script_line_layout.state_bytes + 1),
		.quality = &quality,
	};
	enum line_kind kind;

	script_line_layout.begin(&reading, lines, strlen(lines));
	kind = script_line_layout.parse(&reading, event, text, length);
	free(reading.state);
	return kind;
}

static enum line_kind parse_line(struct event *event, const char *text, size_t length)
{
	return parse_behind(event, "", text, length);
}

struct line {
	const char *text;
	uint64_t time_ns;
	enum event_kind kind;
	enum thread_state state;
	int32_t cpu, pid, tid, other;
	const char *comm, *other_comm;
};

static void assert_event(const struct line *want)
{
	struct event event = {.tid = 77};

	if (parse_line(&event, want->text, strlen(want->text)) != LINE_EVENT)
		fail_msg("no event: '%s'", want->text);
	if (event.time_ns != want->time_ns || event.kind != want->kind ||
	    event.state != want->state || event.cpu != want->cpu || event.pid != want->pid ||
	    event.tid != want->tid || event.other != want->other || event.other_pid != -1)
		fail_msg("time %llu, kind %d, state %s, cpu %d, pid %d, tid %d, other %d: '%s'",
			 (unsigned long long)event.time_ns, (int)event.kind,
			 thread_state_name(event.state), event.cpu, event.pid, event.tid,
			 event.other, want->text);
	assert_string_equal(event.comm, want->comm);
	assert_string_equal(event.other_comm, want->other_comm);
}

/* The kind of the line in a text that has all columns. */
static void assert_is(const char *text, enum line_kind what)
{
	static const char before[] =
		"a 5 [003] 1.0: sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001\n";
	struct event event = {.tid = 77};

	if (parse_behind(&event, before, text, strlen(text)) != what)
		fail_msg("not as it should be: '%s'", text);
	assert_int_equal(event.tid, 77); /* unchanged */
}

static void calls_are_read_with_their_system_before_them(void **state)
{
	static const struct {
		const char *text;
		enum event_kind kind;
		enum sync_call call;
	} cases[] = {
		{"a 5 [003] 1.5: syscalls:sys_enter_futex: uaddr: 0x7f0000001000, op: 0x00000080, "
		 "val: 0x00000002, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000000",
		 EVENT_CALL, SYNC_FUTEX_WAIT},
		{"a 4/5 [003] 1.5:  syscalls:sys_exit_futex: 0x0", EVENT_RETURN, SYNC_NONE},
		{"a 5 [003] 1.5: syscalls:sys_enter_sched_yield: ", EVENT_CALL, SYNC_YIELD},
		{"a 5 [003] 1.5: pscal:mutex_lock: (7f0012345678) object=0x7ffc12345678",
		 EVENT_CALL, SYNC_MUTEX_LOCK},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		if (parse_line(&event, cases[i].text, strlen(cases[i].text)) != LINE_EVENT)
			fail_msg("no event: '%s'", cases[i].text);
		if (event.kind != cases[i].kind || event.call != cases[i].call || event.tid != 5 ||
		    event.cpu != 3 || event.time_ns != 1500000000)
			fail_msg("kind %d, call %d: '%s'", (int)event.kind, (int)event.call,
				 cases[i].text);
	}
	assert_is("a 5 [003] 1.5: other:mutex_lock: (7f0012345678) object=0x10", LINE_OTHER);
	assert_is("a 5 [003] 1.5: syscalls:sys_enter_write: fd: 0x00000001", LINE_OTHER);
	assert_is("a 5 [003] 1.5: syscalls:sys_enter_futex: op: 0x00000080", LINE_MALFORMED);
}

/* --- Text before the event ----------------------------------------------------------------- */

#define SWITCH                                                                       \
	"sched:sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> " \
	"next_comm=b next_pid=6 next_prio=120"
#define IS_SWITCH EVENT_SWITCH, STATE_SLEEPING
#define FROM_A	  "a", "b"

static void every_layout_that_keeps_tid_and_time_is_read(void **state)
{
	static const struct line cases[] = {
		/* the default, and -F comm,pid,tid,cpu,time,event,trace --ns */
		{"               a     5 [003]  1151.458239: " SWITCH, 1151458239000, IS_SWITCH, 3,
		 -1, 5, 6, FROM_A},
		{"               a     4/5     [003]  1151.458239012: " SWITCH, 1151458239012,
		 IS_SWITCH, 3, 4, 5, 6, FROM_A},
		/* a period; the event column as wide as the widest name */
		{"a 5 [003] 1.5:          1   " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a 5 [003] 1.5:        " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		/* -F misc, and period with it */
		{"a 5 [003] K     1.5: " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"K 5 Sp    1.5:  62814 " SWITCH, 1500000000, IS_SWITCH, -1, -1, 5, 6, FROM_A},
		/* no event, and flags in its place */
		{"a 5 [003] 1.5: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> "
		 "next_comm=b next_pid=6 next_prio=120",
		 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a 5 [003] 1.5: 1 a:5 [120] S ==> b:6 [120]", 1500000000, IS_SWITCH, 3, -1, 5, 6,
		 FROM_A},
		{"a 5 [003] 1.5: sched:sched_switch:                         prev_comm=a "
		 "prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b next_pid=6 next_prio=120",
		 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		/* modifiers; addr, cgroup, ip and sym after the event */
		{"a 5 [003] 1.5: sched:sched_switch:u: a:5 [120] S ==> b:6 [120]", 1500000000,
		 IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a 5 [003] 1.5: " SWITCH " /x next_pid=7 ffffffff821f7f58 __schedule+0x618 "
		 "([kernel.kallsyms])",
		 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		/* no tid; a CPU that perf does not know */
		{"a [003] 1.5: " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"1.5: " SWITCH, 1500000000, IS_SWITCH, -1, -1, 5, 6, FROM_A},
		{"a 5 [-01] 1.5: " SWITCH, 1500000000, IS_SWITCH, -1, -1, 5, 6, FROM_A},
		/* no cpu, no comm, both */
		{"a 4/5 1.5: " SWITCH, 1500000000, IS_SWITCH, -1, 4, 5, 6, FROM_A},
		{"5 [000] 1.5: " SWITCH, 1500000000, IS_SWITCH, 0, -1, 5, 6, FROM_A},
		{"4/5 1.5: " SWITCH, 1500000000, IS_SWITCH, -1, 4, 5, 6, FROM_A},
		/* large machines, other clocks */
		{"a 5 [1023] 1.5: " SWITCH, 1500000000, IS_SWITCH, 1023, -1, 5, 6, FROM_A},
		{"a 5 [003] 1700000000.123456: " SWITCH, 1700000000123456000, IS_SWITCH, 3, -1, 5,
		 6, FROM_A},
		{"a 5 [003] 0.000000: " SWITCH, 0, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a 5 [003] 9999999999.999999999: " SWITCH, 9999999999999999999U, IS_SWITCH, 3, -1,
		 5, 6, FROM_A},
		/* tabs after copying; perf before 3.x without the system */
		{"a\t5\t[003]\t1.5:\t" SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a 5 [003] 1.5: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S "
		 "==> "
		 "next_comm=b next_pid=6 next_prio=120",
		 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		/* fields of later kernels */
		{"a 5 [003] 1.5: " SWITCH " new=1", 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		/* the header of a container has other numbers */
		{"a 1/2 [003] 1.5: " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{"a -1/-1 [003] 1.5: " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
		{":5 5 [003] 1.5: " SWITCH, 1500000000, IS_SWITCH, 3, -1, 5, 6, FROM_A},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
}

/* If heads have thread numbers, a switch is of the thread of its head. */
static void a_switch_of_another_thread_than_its_head_is_malformed(void **state)
{
#define LEFT_BY(pid, tid)                                                    \
	"a 4/" pid " [0] 1.2: sched:sched_switch: prev_comm=a prev_pid=" tid \
	" prev_prio=1 prev_state=S ==> next_comm=b next_pid=6 next_prio=120"
	static const char before[] =
		LEFT_BY("5", "5") "\n" LEFT_BY("5", "5") "\n" LEFT_BY("5", "5") "\n";
	static const struct {
		const char *text;
		enum line_kind kind;
	} cases[] = {{LEFT_BY("5", "5"), LINE_EVENT},
		     {LEFT_BY("0", "0"), LINE_EVENT},
		     {LEFT_BY("5", "7"), LINE_MALFORMED},
		     {LEFT_BY("0", "7"), LINE_MALFORMED}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		assert_int_equal(parse_behind(&event, before, cases[i].text, strlen(cases[i].text)),
				 cases[i].kind);
	}
#undef LEFT_BY
}

static void the_first_lines_tell_the_columns(void **state)
{
#define WAKING "sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001"
#define SWITCH_BY(tid)                                                                   \
	"sched:sched_switch: prev_comm=a prev_pid=" tid " prev_prio=1 prev_state=S ==> " \
	"next_comm=b next_pid=6 next_prio=120"
	static const struct {
		const char *before, *text;
		int32_t tid;
		const char *comm;
	} cases[] = {
		{"", "x 7 [0] 1.5: " WAKING, 7, "x"},
		/* no tid, so that 7 belongs to the name */
		{"x [0] 1.2: " WAKING "\n", "x 7 [0] 1.5: " WAKING, -1, "x 7"},
		{"x 7 1.1: " WAKING "\nx 1.2: " WAKING "\n", "x 7 1.5: " WAKING, -1, "x 7"},
		/* the numbers are those of processes, or of a container */
		{"a 4 [0] 1.1: " SWITCH_BY("5") "\na 4 [0] 1.1: " SWITCH_BY(
			 "6") "\n"
			      "a 4 [0] 1.2: " SWITCH_BY("4") "\na 4 [0] 1.2: " SWITCH_BY("7") "\n",
		 "x 7 [0] 1.5: " WAKING, -1, ""},
		/* once may be a mistake */
		{"a 4 [0] 1.1: " SWITCH_BY("5") "\n", "x 7 [0] 1.5: " WAKING, 7, "x"},
		/* perf has no number for a thread that has ended */
		{"a -1 [0] 1.1: " SWITCH_BY("5") "\na -1 [0] 1.1: " SWITCH_BY(
			 "6") "\n"
			      "a -1 [0] 1.2: " SWITCH_BY("4") "\na -1 [0] 1.2: " SWITCH_BY(
				      "7") "\n",
		 "x 7 [0] 1.5: " WAKING, 7, "x"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		assert_int_equal(
			parse_behind(&event, cases[i].before, cases[i].text, strlen(cases[i].text)),
			LINE_EVENT);
		assert_int_equal(event.tid, cases[i].tid);
		assert_string_equal(event.comm, cases[i].comm);
		assert_int_equal(event.other, 6);
	}
}

static void time_differences_are_summed_up(void **state)
{
	static const struct {
		const char *before;
		uint64_t time_ns;
	} cases[] = {
		/* absolute; --reltime; --deltatime */
		{"a 5 3.0: " WAKING "\na 5 3.4: " WAKING "\n", 500000000},
		{"a 5 0.0: " WAKING "\na 5 0.4: " WAKING "\n", 500000000},
		{"a 5 0.0: " WAKING "\na 5 0.4: " WAKING "\na 5 0.1: x: \n", 500000000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;

		parse_behind(&event, cases[i].before, "a 5 0.5: " WAKING,
			     strlen("a 5 0.5: " WAKING));
		assert_int_equal(event.time_ns, cases[i].time_ns);
	}
}

/* The kind of `line` between these lines; from a stream, of which no later part is read. */
static enum event_kind kind_between(const char *before, const char *line, const char *follows)
{
	struct quality quality = {.events = 0};
	struct line_reading reading = {
		.state = xcalloc(1, script_line_layout.state_bytes + 1),
		.quality = &quality,
	};
	struct event event;

	script_line_layout.begin(&reading, "", 0);
	script_line_layout.parse(&reading, &event, before, strlen(before));
	assert_int_equal(script_line_layout.parse(&reading, &event, line, strlen(line)),
			 LINE_EVENT);
	if (reading.looks_ahead)
		script_line_layout.look_ahead(&reading, &event, follows, strlen(follows));
	assert_int_equal(event.tid, event.kind == EVENT_FORK ? 5 : 6);
	free(reading.state);
	return event.kind;
}

#define OTHER  "a 5 [0] 1.000000: sched:sched_stat_runtime: comm=a pid=5 runtime=1 [ns]"
#define FORKED "a 5 [0] 1.000002: sched:sched_process_fork: comm=a pid=5 child_comm=a child_pid=6\n"
#define WOKEN  "a 5 [0] 1.000002: sched:sched_wakeup_new: comm=a pid=6 prio=120 target_cpu=000\n"

static void a_record_is_ignored_if_its_tracepoint_follows(void **state)
{
	static const char fork[] = "a 5 [0] 1.000001: PERF_RECORD_FORK(5:6):(5:5)";
	static const struct {
		const char *before, *follows;
		enum event_kind kind;
	} cases[] = {
		{OTHER, FORKED, EVENT_TASK},
		{OTHER, WOKEN, EVENT_FORK},
		{OTHER, OTHER "\n", EVENT_FORK},
		{OTHER, "", EVENT_FORK},
		/* tracepoints are not enabled yet: */
		{"", FORKED, EVENT_TASK},
		{"", OTHER "\n", EVENT_TASK},
		/* there are no tracepoints: */
		{"", "", EVENT_FORK},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(kind_between(cases[i].before, fork, cases[i].follows),
				 cases[i].kind);
}

/* So many programs begin and end while perf looks for existing threads. */
static void threads_from_before_the_tracepoints_are_known_after_any_time(void **state)
{
	enum { BIRTHS = 4000, LINE = 128 };
	static char text[BIRTHS * LINE];
	size_t length = 0;
	struct err err = {.text = ""};
	struct event_source *source;
	struct event event;

	(void)state;
	for (int i = 0; i < BIRTHS; i++)
		length += (size_t)snprintf(text + length, LINE,
					   "a 5 [000] 1.%06d: PERF_RECORD_FORK(%d:%d):(5:5)\n", i,
					   10 + i, 10 + i);
	length += (size_t)snprintf(text + length, LINE, "a 5 [000] 2.000001: %s\n", WAKING);
	source = open_text(text, length);
	for (int i = 0; i < BIRTHS; i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, EVENT_TASK);
	}
	assert_int_equal(event_source_next(source, &event, &err), 1);
	assert_int_equal(event.kind, EVENT_WAKE);
	event_source_free(source);
}

/* ... of a text with switches as records: the search ends there. */
static void the_search_for_tracepoints_ends_at_the_first_switch(void **state)
{
	static const struct {
		const char *follows;
		bool enough;
	} cases[] = {
		{OTHER "\n", true},
		{"a 6 [0] 1.000002: PERF_RECORD_SWITCH IN\n", true},
		{"a 6 [0] 1.000002: PERF_RECORD_SWITCH OUT preempt\n", true},
		{"a 6 [0] 1.000002: PERF_RECORD_COMM exec: a:6/6\n", false},
		{"", false},
	};
	static const char fork[] = "a 5 [0] 1.000001: PERF_RECORD_FORK(5:6):(5:5)";

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct quality quality = {.events = 0};
		struct line_reading reading = {
			.state = xcalloc(1, script_line_layout.state_bytes + 1),
			.quality = &quality,
		};
		struct event event;

		script_line_layout.parse(&reading, &event, fork, strlen(fork));
		assert_true(reading.looks_ahead);
		assert_int_equal(script_line_layout.look_ahead(&reading, &event, cases[i].follows,
							       strlen(cases[i].follows)),
				 cases[i].enough);
		free(reading.state);
	}
}

static void an_end_is_ignored_if_its_switch_follows(void **state)
{
	static const char ends[] = "a 6 [0] 1.000001: PERF_RECORD_EXIT(5:6):(5:5)";
	static const char leaves[] =
		"a 6 [0] 1.000002: sched:sched_switch: prev_comm=a prev_pid=6 prev_prio=120 "
		"prev_state=Z ==> next_comm=b next_pid=7 next_prio=120\n";

	(void)state;
	assert_int_equal(kind_between("", ends, leaves), EVENT_LAST);
	assert_int_equal(kind_between("", ends, ""), EVENT_END);
}

static void the_name_in_front_may_be_anything(void **state)
{
	static const char *const names[] = {
		"a b c",
		"kworker/0:2-vir",
		"kworker/0:2",
		"Web Content",
		"1",
		"1 2",
		"12/34",
		"[000]",
		"a [000]",
		"1.5:",
		"1.5: a:",
		"a 1 2.5: b:",
		"1 [0] 2.5:",
		"==> next_comm=",
		"prev_pid=",
		"next_pid=3",
		"\xc3\xa4\xe2\x82\xac",
		"\xff\xfe",
		"#",
		"a:b",
		":",
		"-1",
		"sched_switch:",
		"x/",
		":12",
		"swapper/0",
		"-1/-1",
		"1 1.5: ab:",
		"1 1.5:",
		"1 1.5: 2",
		"1 1.5: comm=",
		"1 1.5: a:5 [1]",
		"x 1.5: ab:",
		"1 1 K 1.5:",
		"1 1.5: 1 ab:",
	};
	static const struct {
		int width;
		const char *rest;
	} layouts[] = {
		{16, "12/34      [-01]     7.250000: sched:sched_waking: comm=b pid=6 prio=120 "
		     "target_cpu=001"},
		{0, "12/34          7.250000: sched:sched_waking: comm=b pid=6 prio=120 "
		    "target_cpu=001"},
		{16, "12/34      K         7.250000:          1  sched:sched_waking: b:6 [120] "
		     "CPU:001"},
		{16, "12/34          7.250000: comm=b pid=6 prio=120 target_cpu=001"},
		{16, "12/34          7.250000: b:6 [120] CPU:001"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names) * COUNT(layouts); i++) {
		const char *name = names[i % COUNT(names)];
		char *text = xasprintf("%*s      %s", layouts[i / COUNT(names)].width, name,
				       layouts[i / COUNT(names)].rest);
		const struct line want = {text, 7250000000, EVENT_WAKE, STATE_NONE, -1,
					  12,	34,	    6,		name,	    "b"};

		assert_event(&want);
		free(text);
	}
}

/* ... where it could be a period, and the real time the name of an event. */
static void the_name_in_front_may_end_like_a_time(void **state)
{
	static const struct line want = {
		"          1 1.5:      34     7.250000: sched:sched_waking: comm=b pid=6 prio=120 "
		"target_cpu=001",
		7250000000,
		EVENT_WAKE,
		STATE_NONE,
		-1,
		-1,
		34,
		6,
		"1 1.5:",
		"b"};

	(void)state;
	assert_event(&want);
}

static void the_name_in_front_may_be_empty(void **state)
{
	static const struct line cases[] = {
		{"                  34 [001]  7.25: " SWITCH, 7250000000, IS_SWITCH, 1, -1, 5, 6,
		 FROM_A},
		{"\t34 [001] 7.25: sched:sched_waking: comm= pid=6 prio=120 target_cpu=001",
		 7250000000, EVENT_WAKE, STATE_NONE, 1, -1, 34, 6, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
}

/* --- Lines without an event ---------------------------------------------------------------- */

static void other_lines_are_ignored(void **state)
{
	static const char *const lines[] = {
		"",
		"   ",
		"\t",
		"# ========",
		"  # captured on : Mon",
		"#",
		"\tffffffff8e8e8e8e schedule+0x123 ([kernel.kallsyms])",
		"        7f0123456789 __libc_start_main+0x80 (/usr/lib/libc-2.31.so)",
		"           0 [unknown] ([unknown])",
		"a 5 [003] 1.5: PERF_RECORD_SWITCHES IN",
		"PERF_RECORD_SWITCH OUT", /* -F ip,sym drops all before it */
		"\t\t[0/net: 4/0xeffffff9, 1/uts: 4/0xeffffffe, 2/ipc: 4/0xefffffff, ",
		"\t\t 4/user: 4/0xeffffffd, 5/mnt: 4/0xeffffff8, 6/cgroup: 4/0xeffffffb]",
		"a 5 [003] 1.5: PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 7",
		"a 5 [003] 1.5: 1 cycles:u: 7f0123 main+0x1 (/bin/a)",
		"a 5 [003] 1.5: cpu/event=0x3c/: 7f0123 main+0x1 (/bin/a)",
		"a 5 [003] 1.5: probe_x:y: (7f0123)",
		"a 5 [003] 1.5: sched:sched_migrate_task/cpu=1/: comm=a pid=5 orig_cpu=0 "
		"dest_cpu=1",
		"a 5 [003] 1.5: sched:sched_migrate_task: comm=a pid=5 orig_cpu=0 dest_cpu=1",
		"a 5 [003] 1.5: sched:sched_process_exec: filename=/bin/a pid=5 old_pid=5",
		"a 5 [003] 1.5: sched:sched_switc: prev_comm=",
		"a 5 [003] 1.5: sched:sched_switching: prev_comm=",
		"a 5 [003] 1.5: foo:sched_switching: prev_comm=",
		/* with the name of the event dropped */
		"a 5 [003] 1.5: filename=/bin/a pid=5 old_pid=5",
		"a 5 [003] 1.5: comm=a pid=5 prio=120 orig_cpu=0 dest_cpu=1",
		"a 5 [003] 1.5:",
		/* an event with a blank in its name */
		"a 5 [003] 1.5: raw 0x1a8: 7f0123 main+0x1 (/bin/a)",
		/* a name of a program, which any user can choose, is no event */
		("a 5 [003] 1.5: sched:sched_process_exec: filename=/tmp/x 9 [0] 2.5: "
		 "sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001 pid=5 old_pid=5"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_is(lines[i], LINE_OTHER);
}

#define HEAD "a 5 [003] 1.5: sched:"

static void a_line_of_an_event_that_cannot_be_read_is_malformed(void **state)
{
	static const char *const lines[] = {
		"nonsense",
		"a 5 [003] 1.5",
		"a 5 [003] " SWITCH,
		"5 1.5 " SWITCH,
		"a [003] 1.5: " SWITCH,
		"a x [003] 1.5: " SWITCH,
		"a 5 [x] 1.5: " SWITCH,
		"a 5 [] 1.5: " SWITCH,
		"a 5 [003 1.5: " SWITCH,
		"a 5 [-2] 1.5: " SWITCH,
		"a 5 [003] 1.: " SWITCH,
		"a 5 [003] .5: " SWITCH,
		"a 5 [003] -1.5: " SWITCH,
		"a 5 [003] 1.1234567890: " SWITCH,
		"a 5 [003] 12345678901.5: " SWITCH,
		"a -5 [003] 1.5: " SWITCH,
		"a name of more than 15 5 [003] 1.5: " SWITCH,
		"a 2147483648 [003] 1.5: " SWITCH,
		"a 99999999999999999999999 [003] 1.5: " SWITCH,
		"a 2147483648/5 [003] 1.5: " SWITCH,
		"a 5 [2147483648] 1.5: " SWITCH,
		/* rests of names */
		HEAD "sched_=>waking: comm=b pid=6 prio=120 target_cpu=001",
		"a 5 [003] 1.5: sched:=>sched_waking: comm=b pid=6 prio=120 target_cpu=001",
		"a 5 [003] 1.5: shed:sched_waking: comm=b pid=6 prio=120 target_cpu=001",
		HEAD "sched_w sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001",
		"a 5 [003] 1.5: 1> next_comm= next_pid=101 next_prio=120",
		/* cut by a pager, or empty as with group reads */
		HEAD "sched_switch: ",
		HEAD "sched_switch:",
		HEAD "sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==>",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 ==> next_comm=b next_pid=6",
		HEAD "sched_switch: prev_comm=a prev_pid=5 prev_state=S ==> next_comm=b next_pid=6",
		/* invalid numbers */
		HEAD
		"sched_switch: prev_comm=a prev_pid=-5 prev_prio=120 prev_state=S ==> next_comm=b "
		"next_pid=6 next_prio=120",
		HEAD "sched_switch: prev_comm=a prev_pid=2147483648 prev_prio=120 prev_state=S ==> "
		     "next_comm=b next_pid=6 next_prio=120",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		"next_pid=-6 next_prio=120",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		"next_pid=18446744073709551616 next_prio=120",
		HEAD "sched_waking: comm=b pid= prio=120",
		HEAD "sched_waking: comm=b",
		HEAD "sched_waking: b:6 120 CPU:001",
		HEAD "sched_process_fork: comm=a pid=5 child_pid=6",
		HEAD "sched_process_fork: comm=a pid=5 child_comm=b child_pid=x",
		HEAD "sched_process_exit: pid=5",
		HEAD "sched_process_exit: comm=a pid=",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_is(lines[i], LINE_MALFORMED);
}

static void a_line_with_a_nul_inside_is_malformed(void **state)
{
	static const char line[] = "a 5 [003] 1.5: " SWITCH "\0 and more";
	struct event event;

	(void)state;
	assert_int_equal(parse_line(&event, line, sizeof(line) - 1), LINE_MALFORMED);
	assert_int_equal(parse_line(&event, line, strlen(line)), LINE_EVENT);
}

static void a_switch_cut_anywhere_is_no_other_switch(void **state)
{
	static const char line[] = "a b 4/5 [003] 1.5: " SWITCH;
	const size_t needed = sizeof(line) - 1 - strlen(" next_prio=120");

	(void)state;
	for (size_t cut = 0; cut < needed; cut++) {
		char *copy = xcalloc(cut + 1, 1); /* the sanitizer watches its end */
		struct event event;

		memcpy(copy, line, cut);
		if (parse_line(&event, copy, cut) == LINE_EVENT)
			fail_msg("'%s' was enough", copy);
		free(copy);
	}
}

struct record {
	const char *text;
	enum event_kind kind;
	enum thread_state state;
	int32_t pid, tid, other_pid, other;
	const char *comm;
	uint64_t lost;
};

/* Parts of texts about births and ends. */
#define TOLD_BIRTH "a 1 [0] 1.0: sched:sched_process_fork: comm=a pid=1 child_comm=b child_pid=2\n"
#define TOLD_END                                                                            \
	"a 1 [0] 1.0: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S " \
	"==> next_comm=b next_pid=2 next_prio=1\n"

/* Parses after the head of thread 5 of process 4, in a text that begins with these lines. */
static enum line_kind parse_record(struct event *event, uint64_t *lost, uint64_t time_ns,
				   const char *text, const char *lines)
{
	struct quality quality = {.events = 0};
	struct line_reading reading = {
		.state = xcalloc(1, script_line_layout.state_bytes + 1),
		.quality = &quality,
	};
	char *line = xasprintf("head 4/5 [003] 0.%09d: %s", (int)time_ns, text);
	enum line_kind kind;

	script_line_layout.begin(&reading, lines, strlen(lines));
	kind = script_line_layout.parse(&reading, event, line, strlen(line));
	*lost = quality.lost;
	free(line);
	free(reading.state);
	return kind;
}

static void assert_records(const struct record *cases, size_t count, uint64_t time_ns,
			   const char *lines)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *want = &cases[i];
		struct event event;
		uint64_t lost;

		if (parse_record(&event, &lost, time_ns, want->text, lines) != LINE_EVENT)
			fail_msg("no event: '%s'", want->text);
		if (event.kind != want->kind || event.state != want->state ||
		    event.pid != want->pid || event.tid != want->tid ||
		    event.other_pid != want->other_pid || event.other != want->other ||
		    event.cpu != 3 || lost != want->lost)
			fail_msg("kind %d, state %s, %d/%d, other %d/%d, lost %d: '%s'",
				 (int)event.kind, thread_state_name(event.state), event.pid,
				 event.tid, event.other_pid, event.other, (int)lost, want->text);
		assert_string_equal(event.comm, want->comm);
	}
}

static void each_record_is_an_event(void **state)
{
	static const struct record cases[] = {
		{"PERF_RECORD_SWITCH IN           ", EVENT_SWITCH_IN, STATE_NONE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH OUT          ", EVENT_SWITCH_OUT, STATE_INACTIVE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH OUT preempt  ", EVENT_SWITCH_OUT, STATE_RUNNABLE, 4, 5, -1, -1,
		 "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0    ",
		 EVENT_SWITCH_IN, STATE_NONE, 4, 5, 0, 0, "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid: 18948/7 ", EVENT_SWITCH_IN,
		 STATE_NONE, 4, 5, 18948, 7, "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid: 18948/7 ",
		 EVENT_SWITCH_OUT, STATE_INACTIVE, 4, 5, -1, -1, "head", 0},
		{"PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 18948/7 ",
		 EVENT_SWITCH_OUT, STATE_RUNNABLE, 4, 5, -1, -1, "head", 0},
		{"PERF_RECORD_COMM: a:8/9", EVENT_TASK, STATE_NONE, 8, 9, -1, -1, "a", 0},
		{"PERF_RECORD_COMM: a: 1/2:8/9", EVENT_TASK, STATE_NONE, 8, 9, -1, -1, "a: 1/2", 0},
		{"PERF_RECORD_COMM exec: a:8/8", EVENT_EXEC, STATE_NONE, 8, 8, -1, -1, "a", 0},
		{"PERF_RECORD_FORK(8:9):(6:7)", EVENT_FORK, STATE_NONE, 6, 7, 8, 9, "", 0},
		{"PERF_RECORD_EXIT(8:9):(6:7)", EVENT_END, STATE_NONE, 8, 9, -1, -1, "", 0},
		{"PERF_RECORD_LOST lost 17", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head", 17},
		{"PERF_RECORD_LOST_SAMPLES lost 18", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head",
		 18},
		{"PERF_RECORD_LOST_SAMPLES", EVENT_GAP, STATE_NONE, 4, 5, -1, -1, "head", 1},
	};

	(void)state;
	assert_records(cases, COUNT(cases), 1000, "");
}

static void records_of_existing_threads_only_name_them(void **state)
{
	static const struct record found[] = {
		{"PERF_RECORD_FORK(8:9):(6:7)", EVENT_TASK, STATE_NONE, 8, 9, 6, 7, "", 0},
		{"PERF_RECORD_COMM exec: a:8/8", EVENT_TASK, STATE_NONE, 8, 8, -1, -1, "a", 0},
	};
	struct event event;
	uint64_t lost;

	(void)state;
	assert_records(found, 2, 0, "");
	assert_records(found, 1, 1000, TOLD_BIRTH);
	assert_int_equal(parse_record(&event, &lost, 0, "PERF_RECORD_EXIT(8:9):(6:7)", ""),
			 LINE_OTHER);
	assert_int_equal(parse_record(&event, &lost, 1000, "PERF_RECORD_EXIT(8:9):(6:7)", TOLD_END),
			 LINE_EVENT);
	assert_int_equal(event.kind, EVENT_LAST);
}

static void unneeded_records_differ_from_malformed_ones(void **state)
{
	static const struct {
		const char *text;
		enum line_kind kind;
	} cases[] = {
		{"PERF_RECORD_MMAP 0/-1: [0xf0(0x1) @ 0xf0]: x [kernel]", LINE_OTHER},
		{"PERF_RECORD_NAMESPACES 1/1 - nr_namespaces: 7", LINE_OTHER},
		{"PERF_RECORD_SWITCHES IN", LINE_OTHER},
		{"PERF_RECORD_", LINE_OTHER},
		{"PERF_RECORD_SWITCH", LINE_MALFORMED},
		{"PERF_RECORD_SWITCH SIDEWAYS", LINE_MALFORMED},
		{"PERF_RECORD_SWITCH_CPU_WIDE ", LINE_MALFORMED},
		{"PERF_RECORD_COMM: a", LINE_MALFORMED},
		{"PERF_RECORD_COMM: a:8", LINE_MALFORMED},
		{"PERF_RECORD_FORK(8:9):(6:", LINE_MALFORMED},
		{"PERF_RECORD_EXIT(8:9)", LINE_MALFORMED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;
		uint64_t lost;

		if (parse_record(&event, &lost, 1000, cases[i].text, "") != cases[i].kind)
			fail_msg("not as it should be: '%s'", cases[i].text);
	}
}

static void a_switch_of_a_thread_without_a_number_is_ignored(void **state)
{
	static const char line[] = "head -1 [003] 1.5: PERF_RECORD_SWITCH OUT";
	struct event event;

	(void)state;
	assert_int_equal(parse_line(&event, line, strlen(line)), LINE_OTHER);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(calls_are_read_with_their_system_before_them),
	cmocka_unit_test(every_layout_that_keeps_tid_and_time_is_read),
	cmocka_unit_test(a_switch_of_another_thread_than_its_head_is_malformed),
	cmocka_unit_test(the_first_lines_tell_the_columns),
	cmocka_unit_test(time_differences_are_summed_up),
	cmocka_unit_test(a_record_is_ignored_if_its_tracepoint_follows),
	cmocka_unit_test(threads_from_before_the_tracepoints_are_known_after_any_time),
	cmocka_unit_test(the_search_for_tracepoints_ends_at_the_first_switch),
	cmocka_unit_test(an_end_is_ignored_if_its_switch_follows),
	cmocka_unit_test(the_name_in_front_may_be_anything),
	cmocka_unit_test(the_name_in_front_may_end_like_a_time),
	cmocka_unit_test(the_name_in_front_may_be_empty),
	cmocka_unit_test(other_lines_are_ignored),
	cmocka_unit_test(a_line_of_an_event_that_cannot_be_read_is_malformed),
	cmocka_unit_test(a_line_with_a_nul_inside_is_malformed),
	cmocka_unit_test(a_switch_cut_anywhere_is_no_other_switch),
	cmocka_unit_test(each_record_is_an_event),
	cmocka_unit_test(records_of_existing_threads_only_name_them),
	cmocka_unit_test(unneeded_records_differ_from_malformed_ones),
	cmocka_unit_test(a_switch_of_a_thread_without_a_number_is_ignored),
};

TEST_FILE(tests);
