/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/sched_fields.h"

#include "base/alloc.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Parses fields of an event of thread 1 of process 4, called "head". */
static int parse(struct event *event, const char *name, const char *fields)
{
	*event = (struct event){.cpu = 3, .pid = 4, .tid = 1, .other_pid = -1, .other = -1};
	event_set_comm(event->comm, "head", 4);
	return sched_fields_parse(event, name, name ? strlen(name) : 0, fields);
}

struct fields {
	const char *name, *text;
	enum event_kind kind;
	int32_t tid, other;
	const char *comm, *other_comm;
};

static void assert_event(const struct fields *want)
{
	/* another thread's run time comes from elsewhere */
	bool elsewhere = want->kind == EVENT_RAN && want->tid != 1;
	struct event event;

	if (parse(&event, want->name, want->text) != 1)
		fail_msg("no event: '%s'", want->text);
	if (event.kind != want->kind || event.tid != want->tid || event.other != want->other ||
	    event.pid != (want->tid == 1 ? 4 : -1) || event.cpu != (elsewhere ? -1 : 3))
		fail_msg("kind %d, pid %d, tid %d, other %d: '%s'", (int)event.kind, event.pid,
			 event.tid, event.other, want->text);
	assert_string_equal(event.comm, want->comm);
	assert_string_equal(event.other_comm, want->other_comm);
}

static void letters_tell_the_state(void **state)
{
	static const struct {
		const char *kernel, *plugin; /* as each prints it; NULL: it does not print it */
		enum thread_state state;
	} cases[] = {
		{"R", "R", STATE_RUNNABLE},
		{"R+", NULL, STATE_RUNNABLE},
		{"S", "S", STATE_SLEEPING},
		{"D", "D", STATE_DISK},
		{"T", "T", STATE_STOPPED},
		{"t", "t", STATE_STOPPED},
		{"X", "Z", STATE_NONE},
		{"Z", "X", STATE_NONE},
		{"x", "x", STATE_NONE},
		{"I", "W", STATE_SLEEPING},
		{"P", NULL, STATE_SLEEPING},
		{"D|K", "D|W", STATE_DISK},
		{"D|W", NULL, STATE_DISK},
		{"S|W", "S|W", STATE_SLEEPING},
		{"D|N", NULL, STATE_SLEEPING},
		{"K", NULL, STATE_UNKNOWN},
		{"W", NULL, STATE_UNKNOWN},
		{"N", NULL, STATE_UNKNOWN},
		{"?", "?", STATE_UNKNOWN},
		{"", "", STATE_UNKNOWN},
		/* the bits from Linux 4.14 on */
		{"0x0", NULL, STATE_RUNNABLE},
		{"0x1", NULL, STATE_SLEEPING},
		{"2", NULL, STATE_DISK},
		{"0x10", NULL, STATE_NONE},
		{"256", NULL, STATE_RUNNABLE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases) * 2; i++) {
		const char *letters = i % 2 ? cases[i / 2].plugin : cases[i / 2].kernel;
		char *text = xasprintf(i % 2 ? "a:5 [-1] %s ==> b:6 [49]"
					     : "prev_comm=a prev_pid=5 prev_prio=-1 prev_state=%s "
					       "==> next_comm=b next_pid=6 next_prio=49",
				       letters);
		struct event event;

		if (letters &&
		    (parse(&event, "sched_switch", text) != 1 || event.state != cases[i / 2].state))
			fail_msg("'%s' is not %s", text, thread_state_name(cases[i / 2].state));
		free(text);
	}
}

static void names_in_a_switch_may_be_anything(void **state)
{
	static const char *const names[] = {
		"",
		" ",
		"a b",
		"prev_pid=7",
		" prev_pid=7",
		"next_pid=7",
		" next_pid=7",
		" ==> ",
		"==> next_com",
		"=> next_comm=",
		"a=b",
		"%s%n",
		"\xff\xfe",
		"1.5: x:",
		" prev_state=S",
		"R ==> x",
		"kworker/0:2",
		"pid=1 prio=",
		"success=0",
		"# comment",
		"a:5 [1] S ==> b",
		":7 [1]",
		"a\nb",
		"prev_comm=",
		":",
		"a:7",
		"a:1 [2] R",
		"/ next_pid=1",
	};
	(void)state;
	for (size_t i = 0; i < COUNT(names) * COUNT(names) * 2; i++) {
		const char *prev = names[i / 2 % COUNT(names)];
		const char *next = names[i / 2 / COUNT(names)];
		char *text = xasprintf(i % 2 ? "%s:5 [120] D ==> %s:6 [120]"
					     : "prev_comm=%s prev_pid=5 prev_prio=120 prev_state=D "
					       "==> next_comm=%s next_pid=6 next_prio=120 new=1",
				       prev, next);
		const struct fields want = {"sched_switch", text, EVENT_SWITCH, 5, 6, prev, next};

		/* No name of an event begins so, so the text is a field. */
		if (i % 2 == 0 || strcmp(prev, "prev_comm=") != 0)
			assert_event(&want);
		free(text);
	}
}

static void wakes_forks_exits_and_times_are_read(void **state)
{
	static const struct fields cases[] = {
		{"sched_waking", "comm=b pid=6 prio=120 target_cpu=001", EVENT_WAKE, 1, 6, "head",
		 "b"},
		{"sched_wakeup", "comm=b pid=6 prio=120 success=1 target_cpu=001", EVENT_WAKE, 1, 6,
		 "head", "b"},
		{"sched_wakeup", "comm= pid=7 pid=6 prio=-1 target_cpu=001", EVENT_WAKE, 1, 6,
		 "head", " pid=7"},
		{"sched_wakeup_new", "comm=b pid=6 prio=120 target_cpu=001", EVENT_FORK, 1, 6,
		 "head", "b"},
		{"sched_waking", "b:6 [120] CPU:001", EVENT_WAKE, 1, 6, "head", "b"},
		{"sched_wakeup", "kworker/0:2:176 [-1] success=1 CPU:001", EVENT_WAKE, 1, 176,
		 "head", "kworker/0:2"},
		{"sched_wakeup_new", "a:5 [1]:6 [120]", EVENT_FORK, 1, 6, "head", "a:5 [1]"},
		{"sched_process_fork", "comm=a pid=1 child_comm=c d child_pid=6", EVENT_FORK, 1, 6,
		 "a", "c d"},
		{"sched_process_fork", "comm= pid=1 pid=5 child_comm= child_pid=1 child_pid=6",
		 EVENT_FORK, 5, 6, " pid=1", " child_pid=1"},
		/* followed by an address, as in recordings with call chains */
		{"sched_process_fork", "comm=a pid=1 child_comm=c child_pid=6    0 [unknown]",
		 EVENT_FORK, 1, 6, "a", "c"},
		{"sched_process_exit", "comm=a pid=1 prio=120", EVENT_EXIT, 1, -1, "a", ""},
		{"sched_process_exit", "comm=a pid=5 prio=120 group_dead=true", EVENT_EXIT, 5, -1,
		 "a", ""},
		{"sched_stat_runtime", "comm=a pid=5 runtime=62814 [ns]", EVENT_RAN, 5, -1, "a",
		 ""},
		{"sched_stat_runtime", "comm=a pid=1 runtime=62814 [ns] vruntime=9 [ns]", EVENT_RAN,
		 1, -1, "a", ""},
		/* a wakeup without success only names its threads */
		{"sched_wakeup", "comm=b pid=6 prio=120 success=0 target_cpu=001", EVENT_TASK, 1, 6,
		 "head", "b"},
		{"sched_wakeup", "b:6 [120] success=0 CPU:001", EVENT_TASK, 1, 6, "head", "b"},
	};
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
	assert_int_equal(parse(&event, "sched_stat_runtime", "comm=a pid=5 runtime=62814"), 1);
	assert_int_equal(event.ran_ns, 62814);
}

static void the_fields_tell_an_event_without_a_name(void **state)
{
	static const struct fields cases[] = {
		{NULL,
		 "prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> next_comm=b next_pid=6 "
		 "next_prio=1",
		 EVENT_SWITCH, 5, 6, "a", "b"},
		{NULL, "a:5 [120] S ==> b:6 [120]", EVENT_SWITCH, 5, 6, "a", "b"},
		{NULL, "comm=b pid=6 prio=120 target_cpu=001", EVENT_WAKE, 1, 6, "head", "b"},
		{NULL, "comm=b pid=6 prio=120 success=0 target_cpu=001", EVENT_TASK, 1, 6, "head",
		 "b"},
		{NULL, "b:6 [120] CPU:001", EVENT_WAKE, 1, 6, "head", "b"},
		{NULL, "b:6 [120] success=1 CPU:001", EVENT_WAKE, 1, 6, "head", "b"},
		{NULL, "comm=a pid=5 child_comm=b child_pid=6", EVENT_FORK, 5, 6, "a", "b"},
		{NULL, "comm=a pid=5 runtime=1 [ns]", EVENT_RAN, 5, -1, "a", ""},
	};
	static const char *const others[] = {
		"",
		"filename=/bin/a pid=5 old_pid=5",
		"comm=a pid=5 prio=120 orig_cpu=0 dest_cpu=1",
		"comm=a pid=5 prio=120", /* of sched_process_exit, _free or _wait */
		"comm=a pid=5 delay=7 [ns]",
		"b:6 [120]",
	};
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_event(&cases[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		assert_int_equal(parse(&event, NULL, others[i]), 0);
}

static void incomplete_fields_are_refused(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{"sched_switch", ""},
		{"sched_switch", "a:5 [120] S ==> b:6"},
		{"sched_switch", "a:5 S ==> b:6 [120]"},
		{"sched_switch", "more than 15 chars:5 [120] S ==> b:6 [120]"},
		{"sched_switch", "prev_comm=more than 15 chars prev_pid=5 prev_prio=1 prev_state=S "
				 "==> next_comm=b next_pid=6 next_prio=1"},
		{"sched_switch", "prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> "
				 "next_comm=more than 15 chars next_pid=6 next_prio=1"},
		{"sched_switch", "a:5 [120] S ==> b:6 [140]"},
		{"sched_switch", "a:5 [120] S ==> b:6 [120]x"},
		{"sched_switch", "a:5 [120] S\" ==> b:6 [120]"},
		{"sched_switch", "prev_comm=a prev_pid=5 prev_prio=140 prev_state=S ==> "
				 "next_comm=b next_pid=6 next_prio=1"},
		{"sched_switch", "prev_comm=a prev_pid=5 prev_prio=1 prev_state=S ==> "
				 "next_comm=b next_pid=6 next_prio=1000"},
		{"sched_switch", "prev_comm=a prev_pid=5 prev_prio=1 prev_state=\"S ==> "
				 "next_comm=b next_pid=6 next_prio=1"},
		{"sched_waking", "comm=b pid=6 prio=420 target_cpu=001"},
		{"sched_waking", "comm=b pid=6\r6 prio=120 target_cpu=001"},
		{"sched_process_exit", "comm=b pid=6 prio=1x"},
		{"sched_waking", "comm=a pid=7 pid=107 child_comm=c child_pid=102"},
		{"sched_waking", "comm=b pid=6 target_cpu=001"},
		{"sched_waking", "b:6"},
		{"sched_waking", "b: [120]"},
		{"sched_stat_runtime", "comm=a pid=5"},
		{"sched_stat_runtime", "comm=a pid=5 runtime=99999999999999999999"},
		{"sched_process_fork", "comm=a pid=5 child_pid=6"},
		{"sched_process_exit", "comm=b pid=6 ffffffff81100000"},
	};
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (parse(&event, cases[i].name, cases[i].text) != -1)
			fail_msg("was enough: '%s'", cases[i].text);
		assert_int_equal(event.tid, 1); /* unchanged */
		assert_string_equal(event.comm, "head");
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(letters_tell_the_state),
	cmocka_unit_test(names_in_a_switch_may_be_anything),
	cmocka_unit_test(wakes_forks_exits_and_times_are_read),
	cmocka_unit_test(the_fields_tell_an_event_without_a_name),
	cmocka_unit_test(incomplete_fields_are_refused),
};

TEST_FILE(tests);
