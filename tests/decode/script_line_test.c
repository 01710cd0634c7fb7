/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/script_line.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum line_kind parse_line(struct event *event, const char *text, size_t length)
{
	struct quality quality = {.events = 0};
	struct line_reading reading = {
		.state = xcalloc(1, script_line_layout.state_bytes + 1),
		.quality = &quality,
	};
	enum line_kind kind = script_line_layout.parse(&reading, event, text, length);

	free(reading.state);
	return kind;
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

static void assert_is(const char *text, enum line_kind what)
{
	struct event event = {.tid = 77};

	if (parse_line(&event, text, strlen(text)) != what)
		fail_msg("not as it should be: '%s'", text);
	assert_int_equal(event.tid, 77); /* untouched */
}

/* --- What stands before the event ---------------------------------------------------------- */

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
		"1 1.5: 1 ab:",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		char *text = xasprintf("%16s   12/34 [001]  7.25: sched:sched_waking: comm=b pid=6 "
				       "prio=120 target_cpu=001",
				       names[i]);
		const struct line want = {text, 7250000000, EVENT_WAKE, STATE_NONE, 1,
					  12,	34,	    6,		names[i],   "b"};

		assert_event(&want);
		free(text);
	}
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

/* --- Fields -------------------------------------------------------------------------------- */

static void a_state_is_told_by_its_letters(void **state)
{
	static const struct {
		const char *letters;
		enum thread_state state;
	} cases[] = {
		{"R", STATE_RUNNABLE},	{"R+", STATE_RUNNABLE}, {"S", STATE_SLEEPING},
		{"D", STATE_DISK},	{"T", STATE_STOPPED},	{"t", STATE_STOPPED},
		{"X", STATE_NONE},	{"Z", STATE_NONE},	{"I", STATE_SLEEPING},
		{"P", STATE_SLEEPING},	{"D|K", STATE_DISK},	{"S|W", STATE_SLEEPING},
		{"D|W", STATE_DISK},	{"x", STATE_NONE},	{"?", STATE_UNKNOWN},
		{"0x1", STATE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = xasprintf("a 5 [0] 1.5: sched:sched_switch: prev_comm=a prev_pid=5 "
				       "prev_prio=-1 prev_state=%s ==> next_comm=b next_pid=6 "
				       "next_prio=49",
				       cases[i].letters);
		const struct line want = {text, 1500000000, EVENT_SWITCH, cases[i].state, 0, -1, 5,
					  6,	"a",	    "b"};

		assert_event(&want);
		free(text);
	}
}

static void names_in_a_switch_may_be_anything(void **state)
{
	static const char *const names[] = {
		"",	      " ",	     "a b",	    "prev_pid=7",   " prev_pid=7",
		"next_pid=7", " next_pid=7", " ==> ",	    "==> next_com", "=> next_comm=",
		"a=b",	      "%s%n",	     "\xff\xfe",    "1.5: x:",	    " prev_state=S",
		"R ==> x",    "kworker/0:2", "pid=1 prio=", "success=0",    "# comment",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		for (size_t k = 0; k < COUNT(names); k++) {
			char *text = xasprintf("%s 4/5 [0] 1.5: sched:sched_switch: prev_comm=%s "
					       "prev_pid=5 prev_prio=120 prev_state=D ==> "
					       "next_comm=%s next_pid=6 next_prio=120",
					       names[i], names[i], names[k]);
			const struct line want = {text, 1500000000, EVENT_SWITCH, STATE_DISK, 0, 4,
						  5,	6,	    names[i],	  names[k]};

			assert_event(&want);
			free(text);
		}
	}
}

static void wakes_forks_and_exits_are_read(void **state)
{
	static const struct line cases[] = {
		{"a 4/5 [1] 1.5: sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001",
		 1500000000, EVENT_WAKE, STATE_NONE, 1, 4, 5, 6, "a", "b"},
		{"a 5 [1] 1.5: sched:sched_wakeup: comm=b pid=6 prio=120 success=1 target_cpu=001",
		 1500000000, EVENT_WAKE, STATE_NONE, 1, -1, 5, 6, "a", "b"},
		{"a 5 [1] 1.5: sched:sched_wakeup: comm= pid=7 pid=6 prio=-1 target_cpu=001",
		 1500000000, EVENT_WAKE, STATE_NONE, 1, -1, 5, 6, "a", " pid=7"},
		{"a 5 [1] 1.5: sched:sched_wakeup_new: comm=b pid=6 prio=120 target_cpu=001",
		 1500000000, EVENT_FORK, STATE_NONE, 1, -1, 5, 6, "a", "b"},
		{"swapper 0 [1] 1.5: sched:sched_waking: comm=b pid=6 prio=120 target_cpu=001",
		 1500000000, EVENT_WAKE, STATE_NONE, 1, -1, 0, 6, "swapper", "b"},
		{"a 4/5 [1] 1.5: sched:sched_process_fork: comm=a pid=5 child_comm=c d child_pid=6",
		 1500000000, EVENT_FORK, STATE_NONE, 1, 4, 5, 6, "a", "c d"},
		{"a 5 [1] 1.5: sched:sched_process_fork: comm= pid=1 pid=5 child_comm= child_pid=1 "
		 "child_pid=6",
		 1500000000, EVENT_FORK, STATE_NONE, 1, -1, 5, 6, " pid=1", " child_pid=1"},
		{"a 4/5 [1] 1.5: sched:sched_process_exit: comm=a pid=5 prio=120", 1500000000,
		 EVENT_EXIT, STATE_NONE, 1, 4, 5, -1, "a", ""},
		{"a 4/5 [1] 1.5: sched:sched_process_exit: comm=a pid=5 prio=120 group_dead=true",
		 1500000000, EVENT_EXIT, STATE_NONE, 1, 4, 5, -1, "a", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
}

static void a_wakeup_without_success_tells_only_who_was_there(void **state)
{
	static const struct line want = {
		"a 5 [1] 1.5: sched:sched_wakeup: comm=b pid=6 prio=120 success=0 target_cpu=001",
		1500000000,
		EVENT_TASK,
		STATE_NONE,
		1,
		-1,
		5,
		6,
		"a",
		"b"};

	(void)state;
	assert_event(&want);
}

static void switch_records_are_read(void **state)
{
	static const struct line cases[] = {
		{"a 5 [003] 1.5: PERF_RECORD_SWITCH IN           ", 1500000000, EVENT_SWITCH_IN,
		 STATE_NONE, 3, -1, 5, -1, "a", ""},
		{"a 5 [003] 1.5: PERF_RECORD_SWITCH OUT          ", 1500000000, EVENT_SWITCH_OUT,
		 STATE_INACTIVE, 3, -1, 5, -1, "a", ""},
		{"a 5 [003] 1.5: PERF_RECORD_SWITCH OUT preempt  ", 1500000000, EVENT_SWITCH_OUT,
		 STATE_RUNNABLE, 3, -1, 5, -1, "a", ""},
		{"a 4/5 [003] 1.5: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     0/0 "
		 "   ",
		 1500000000, EVENT_SWITCH_IN, STATE_NONE, 3, 4, 5, -1, "a", ""},
		{"a 5 [003] 1.5: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid: 18948/7 ",
		 1500000000, EVENT_SWITCH_OUT, STATE_RUNNABLE, 3, -1, 5, -1, "a", ""},
		{"5 1.5: PERF_RECORD_SWITCH OUT", 1500000000, EVENT_SWITCH_OUT, STATE_INACTIVE, -1,
		 -1, 5, -1, "", ""},
		{"swapper 0 [001] 1.5: PERF_RECORD_SWITCH IN", 1500000000, EVENT_SWITCH_IN,
		 STATE_NONE, 1, -1, 0, -1, "swapper", ""},
		/* of a thread that has ended */
		{":-1 -1 [001] 1.5: PERF_RECORD_SWITCH OUT", 1500000000, EVENT_TASK, STATE_INACTIVE,
		 1, -1, -1, -1, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
}

/* --- What is no event ---------------------------------------------------------------------- */

static void what_a_thread_has_run_is_read(void **state)
{
	static const char *const texts[] = {
		"a 5 [003] 1.5: sched:sched_stat_runtime: comm=a pid=5 runtime=62814 [ns]",
		"a 5 [003] 1.5: sched:sched_stat_runtime: comm=a pid=5 runtime=62814 [ns] "
		"vruntime=9 [ns]",
		"a 5 [003] 1.5: sched_stat_runtime: comm=a pid=5 runtime=62814",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct event event;

		assert_int_equal(parse_line(&event, texts[i], strlen(texts[i])), LINE_EVENT);
		assert_int_equal(event.kind, EVENT_RAN);
		assert_int_equal(event.ran_ns, 62814);
		assert_int_equal(event.tid, 5);
	}
}

static void other_lines_are_passed_over(void **state)
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
		"a 5 [003] 0.000000: PERF_RECORD_COMM: a:5/5",
		"a 5 [003] 1.5: PERF_RECORD_FORK(5:5):(4:4)",
		"a 5 [003] 1.5: PERF_RECORD_LOST lost 17",
		"a 5 [003] 1.5: 1 cycles:u: 7f0123 main+0x1 (/bin/a)",
		"a 5 [003] 1.5: cpu/event=0x3c/: 7f0123 main+0x1 (/bin/a)",
		"a 5 [003] 1.5: probe_x:y: (7f0123)",
		"a 5 [003] 1.5: sched:sched_migrate_task: comm=a pid=5 orig_cpu=0 dest_cpu=1",
		"a 5 [003] 1.5: sched:sched_process_exec: filename=/bin/a pid=5 old_pid=5",
		"a 5 [003] 1.5: sched:sched_switc: prev_comm=",
		"a 5 [003] 1.5: sched:sched_switching: prev_comm=",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_is(lines[i], LINE_OTHER);
}

#define HEAD   "a 5 [003] 1.5: sched:"
#define RECORD "a 5 [003] 1.5: PERF_RECORD_SWITCH"

static void what_should_be_an_event_and_cannot_be_read_is_malformed(void **state)
{
	static const char *const lines[] = {
		RECORD,
		RECORD " ",
		RECORD " SIDEWAYS",
		RECORD "_CPU_WIDE ",
		"nonsense",
		"a 5 [003] 1.5",
		"a 5 [003] " SWITCH,
		"5 1.5 " SWITCH,
		"a [003] 1.5: " SWITCH,
		"a x [003] 1.5: " SWITCH,
		"a 5 [x] 1.5: " SWITCH,
		"a 5 [] 1.5: " SWITCH,
		"a 5 [003 1.5: " SWITCH,
		"a 5 [-1] 1.5: " SWITCH,
		"a 5 [003] 1.: " SWITCH,
		"a 5 [003] .5: " SWITCH,
		"a 5 [003] -1.5: " SWITCH,
		"a 5 [003] 1.1234567890: " SWITCH,
		"a 5 [003] 12345678901.5: " SWITCH,
		"a -5 [003] 1.5: " SWITCH,
		"a 2147483648 [003] 1.5: " SWITCH,
		"a 99999999999999999999999 [003] 1.5: " SWITCH,
		"a 2147483648/5 [003] 1.5: " SWITCH,
		"a 5 [2147483648] 1.5: " SWITCH,
		/* cut by a pager, or empty as with group reads */
		HEAD "sched_switch: ",
		HEAD "sched_switch:",
		HEAD "sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==>",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b",
		HEAD
		"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 ==> next_comm=b next_pid=6",
		HEAD "sched_switch: prev_comm=a prev_pid=5 prev_state=S ==> next_comm=b next_pid=6",
		/* numbers that are none */
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
		HEAD "sched_waking: b:6 [120] CPU:001",
		HEAD "sched_process_fork: comm=a pid=5 child_pid=6",
		HEAD "sched_process_fork: comm=a pid=5 child_comm=b child_pid=x",
		HEAD "sched_process_exit: pid=5",
		HEAD "sched_process_exit: comm=a pid=",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_is(lines[i], LINE_MALFORMED);
}

static void a_line_with_a_nul_within_is_malformed(void **state)
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
		char *copy = xcalloc(cut + 1, 1); /* its end is watched */
		struct event event;

		memcpy(copy, line, cut);
		if (parse_line(&event, copy, cut) == LINE_EVENT)
			fail_msg("'%s' was enough", copy);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout_that_keeps_tid_and_time_is_read),
		cmocka_unit_test(the_name_in_front_may_be_anything),
		cmocka_unit_test(the_name_in_front_may_be_empty),
		cmocka_unit_test(a_state_is_told_by_its_letters),
		cmocka_unit_test(names_in_a_switch_may_be_anything),
		cmocka_unit_test(wakes_forks_and_exits_are_read),
		cmocka_unit_test(a_wakeup_without_success_tells_only_who_was_there),
		cmocka_unit_test(switch_records_are_read),
		cmocka_unit_test(what_a_thread_has_run_is_read),
		cmocka_unit_test(other_lines_are_passed_over),
		cmocka_unit_test(what_should_be_an_event_and_cannot_be_read_is_malformed),
		cmocka_unit_test(a_line_with_a_nul_within_is_malformed),
		cmocka_unit_test(a_switch_cut_anywhere_is_no_other_switch),
	};

	return RUN_TESTS(tests);
}
