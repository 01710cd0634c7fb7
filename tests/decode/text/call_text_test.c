/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/call_text.h"

#include "base/err.h"
#include "decode/open_text.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct line {
	const char *name, *text; /* name NULL: in the kernel's format of system calls in ftrace */
	enum event_kind kind;
	enum sync_call call;
	uint64_t object, object2;
	int32_t count;
};

static int parse(struct event *event, const char *name, const char *text)
{
	*event = (struct event){.tid = 5};
	return name ? call_text_parse(event, name, strlen(name), text)
		    : call_text_parse_kernel(event, text);
}

static void every_layout_of_a_call_is_read(void **state)
{
	static const struct line cases[] = {
		/* perf script */
		{"sys_enter_futex",
		 "uaddr: 0x7f6c446eea4c, op: 0x00000081, val: 0x7fffffff, utime: 0x00000000, "
		 "uaddr2: 0x00000003, val3: 0x00000000",
		 EVENT_CALL, SYNC_FUTEX_WAKE, 0x7f6c446eea4c, 0, INT32_MAX},
		{"sys_enter_futex",
		 "uaddr: 0x7f0000001000, op: 0x00000080, val: 0x00000002, utime: 0x00000000, "
		 "uaddr2: 0x00000000, val3: 0x00000000",
		 EVENT_CALL, SYNC_FUTEX_WAIT, 0x7f0000001000, 0, 2},
		{"sys_enter_futex",
		 "uaddr: 0x00001000, op: 0x00000003, val: 0x00000010, utime: 0x7fffffff, "
		 "uaddr2: 0x00002000, val3: 0x00000000",
		 EVENT_CALL, SYNC_FUTEX_MOVE, 0x1000, 0x2000, 16},
		{"sys_exit_futex", "0x0", EVENT_RETURN, SYNC_NONE, 0, 0, 0},
		{"sys_exit_futex", "0xfffffffffffffff5", EVENT_RETURN, SYNC_NONE, 0, 0, 0},
		{"sys_enter_nanosleep", "rqtp: 0x7ffd, rmtp: 0x00000000", EVENT_CALL, SYNC_SLEEP, 0,
		 0, 0},
		{"sys_enter_clock_nanosleep",
		 "which_clock: 0x00000001, flags: 0x00000001, rqtp: 0x7ffd, rmtp: 0x00000000",
		 EVENT_CALL, SYNC_SLEEP, 0, 0, 0},
		{"sys_exit_clock_nanosleep", "0x0", EVENT_RETURN, SYNC_SLEEP, 0, 0, 0},
		{"sys_enter_sched_yield", "", EVENT_CALL, SYNC_YIELD, 0, 0, 0},
		{"sys_exit_sched_yield", "0x0", EVENT_RETURN, SYNC_YIELD, 0, 0, 0},
		/* libtraceevent's plugin: a count of threads is decimal, a value to compare is
		 * not */
		{"sys_enter_futex",
		 "op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7f0000001000 val=0x00000002 utime=0x0",
		 EVENT_CALL, SYNC_FUTEX_WAIT, 0x7f0000001000, 0, 2},
		{"sys_enter_futex", "op=FUTEX_WAKE|FUTEX_PRIVATE_FLAG uaddr=0x00001000 val=10",
		 EVENT_CALL, SYNC_FUTEX_WAKE, 0x1000, 0, 10},
		{"sys_enter_futex",
		 "op=FUTEX_CMP_REQUEUE uaddr=0x00001000 val=1 val2=2147483647 uaddr2=0x00002000 "
		 "val3=0x00000002",
		 EVENT_CALL, SYNC_FUTEX_MOVE, 0x1000, 0x2000, 1},
		/* ftrace, with and without 0x, depending on the kernel */
		{NULL,
		 "sys_futex(uaddr: 0x7f22521f6a4c, op: 0x81, val: 0x10, utime: 0, uaddr2: 3, "
		 "val3: 0)",
		 EVENT_CALL, SYNC_FUTEX_WAKE, 0x7f22521f6a4c, 0, 16},
		{NULL, "sys_futex(uaddr: 7f22521f6a4c, op: 81, val: 10, utime: 0, uaddr2: 0)",
		 EVENT_CALL, SYNC_FUTEX_WAKE, 0x7f22521f6a4c, 0, 16},
		{NULL, "sys_futex -> 0x0", EVENT_RETURN, SYNC_NONE, 0, 0, 0},
		{NULL, "sys_sched_yield()", EVENT_CALL, SYNC_YIELD, 0, 0, 0},
		{NULL, "sys_sched_yield -> 0x0", EVENT_RETURN, SYNC_YIELD, 0, 0, 0},
		{NULL, "sys_nanosleep(rqtp: 0x7ffd, rmtp: 0)", EVENT_CALL, SYNC_SLEEP, 0, 0, 0},
		/* probes */
		{"mutex_lock", "(7f0012345678) object=0x7ffc12345678", EVENT_CALL, SYNC_MUTEX_LOCK,
		 0x7ffc12345678, 0, 0},
		{"mutex_unlock", "(0x7f0012345678) object=140720613643896", EVENT_CALL,
		 SYNC_MUTEX_UNLOCK, 140720613643896, 0, 0},
		{"cond_wait", "(7f0012345678) object=0x7ffc12345678 object2=0x7ffc12345600",
		 EVENT_CALL, SYNC_COND_WAIT, 0x7ffc12345678, 0x7ffc12345600, 0},
		{"barrier_init", "(7f0012345678) object=0x7ffc12345678 count=4", EVENT_CALL,
		 SYNC_BARRIER_INIT, 0x7ffc12345678, 0, 4},
		{"sem_init", "(7f0012345678) object=0x7ffc12345678 count=0x10", EVENT_CALL,
		 SYNC_SEM_INIT, 0x7ffc12345678, 0, 16},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct line *want = &cases[i];
		struct event event;

		if (parse(&event, want->name, want->text) != 1)
			fail_msg("no call: '%s'", want->text);
		if (event.kind != want->kind || event.call != want->call ||
		    event.object != want->object || event.object2 != want->object2 ||
		    event.count != want->count || event.tid != 5)
			fail_msg("kind %d, call %d, object %llx, count %d: '%s'", (int)event.kind,
				 (int)event.call, (unsigned long long)event.object, event.count,
				 want->text);
	}
}

static void other_events_are_no_call_and_damaged_ones_are_malformed(void **state)
{
	static const struct {
		const char *name, *text;
		int rc;
	} cases[] = {
		{"sys_enter_futex", "uaddr: 0x1000, op: 0x00000002, val: 0, uaddr2: 0", 0},
		{"sys_enter_futex", "uaddr: 0x1000, op: 0x0000008e, val: 0, uaddr2: 0", 0},
		{"sys_enter_write", "fd: 0x00000001, buf: 0x1000, count: 0x00000004", 0},
		{"sys_enter", "NR 202 (7f6c446eea4c, 81, 7fffffff, 0, 3, 0)", 0},
		{"lock", "(7f0012345678) object=0x7ffc12345678", 0},
		/* a probe of the same name by another program */
		{"mutex_lock", "(mutex_lock+0x0/0x40)", 0},
		{"mutex_lock", "object=0x7ffc12345678", 0},
		{NULL, "sys_write(fd: 1, buf: 0x1000, count: 4)", 0},
		{NULL, "sys_futex", 0},
		{NULL, "sys_futex_waitv(waiters: 0x1000)", 0},
		{NULL, "sys_a_name_that_is_longer_than_that_of_any_call(a: 1)", 0},
		{NULL, "do_sys_open <-do_syscall_64", 0},
		{"sys_enter_futex", "", -1},
		{"sys_enter_futex", "uaddr: 0x1000, val: 0x00000004", -1},
		{"sys_enter_futex", "op: 0x00000001, val: 0x00000004", -1},
		{"sys_enter_futex", "op=FUTEX_DANCE uaddr=0x00001000 val=10", -1},
		{"sys_enter_futex", "op=FUTEX_WAIT uaddr=", -1},
		{"cond_wait", "(7f0012345678) object=", -1},
		{NULL, "sys_futex(uaddr: 0x7f22521f6a4c", -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event;
		int rc = parse(&event, cases[i].name, cases[i].text);

		if (rc != cases[i].rc)
			fail_msg("%d: '%s'", rc, cases[i].text);
	}
}

static void lines_have_the_content_of_payloads(void **state)
{
	static const struct {
		const char *name, *fields;
		int rc;
		enum event_kind kind;
		const char *block;
		int32_t count;
		double arguments[BLOCK_ARGUMENTS];
	} cases[] = {
		{"enter", "block=main args=", 1, EVENT_ENTER, "main", 0, {0}},
		{"enter", "block=main args={}", 1, EVENT_ENTER, "main", 0, {0}},
		{"enter",
		 "block=main args=17 18446744073709551615",
		 1,
		 EVENT_ENTER,
		 "main",
		 2,
		 {17, -1}},
		{"enter",
		 "block=main args={0x11,0xffffffffffffffff}",
		 1,
		 EVENT_ENTER,
		 "main",
		 2,
		 {17, -1}},
		{"enter", "block=f args=1 2 3 4 5", 1, EVENT_ENTER, "f", 4, {1, 2, 3, 4}},
		{"leave", "block=f args=91", 1, EVENT_LEAVE, "f", 1, {91}},
		{"leave", "block=0x11 args=1 2", 1, EVENT_LEAVE, "0x11", 1, {1}},
		{"enter",
		 "block=std::f<int, A*>(char const*) args=3",
		 1,
		 EVENT_ENTER,
		 "std::f<int, A*>(char const*)",
		 1,
		 {3}},
		{"enter", "block=a args=b args=4", 1, EVENT_ENTER, "a args=b", 1, {4}},
		{"enter", "block=main", -1, 0, "", 0, {0}},
		{"enter", "block= args=1", -1, 0, "", 0, {0}},
		{"enter", "block=main args=x", -1, 0, "", 0, {0}},
		{"enter", "block=main args={1,", -1, 0, "", 0, {0}},
		{"enter", "block=main args=1  rest", -1, 0, "", 0, {0}},
		{"enter", "fd=3", 0, 0, "", 0, {0}},
		{"ent", "block=main args=1", 0, 0, "", 0, {0}},
		{"entered", "block=main args=1", 0, 0, "", 0, {0}},
		{"pscal_enter:work:", "(55d0c0de1139)", 1, EVENT_ENTER, "work", 0, {0}},
		{"pscal_enter:work:",
		 "(55d0c0de1139) arg1=0x11 arg2=-1",
		 1,
		 EVENT_ENTER,
		 "work",
		 2,
		 {17, -1}},
		{"pscal_enter:open:",
		 "(55d0c0de1139) arg1=\"/tmp\" arg2=5",
		 1,
		 EVENT_ENTER,
		 "open",
		 0,
		 {0}},
		{"pscal_leave:work:",
		 "(55d0c0de1180 <- 55d0c0de1139) ret=0x5b",
		 1,
		 EVENT_LEAVE,
		 "work",
		 1,
		 {91}},
		{"pscal_leave:work:",
		 "(55d0c0de1180 <- 55d0c0de1139)",
		 1,
		 EVENT_LEAVE,
		 "work",
		 0,
		 {0}},
		{"pscal_enter:work:", "arg1=5", -1, 0, "", 0, {0}},
		{"pscal_enter::", "(55d0c0de1139) arg1=5", -1, 0, "", 0, {0}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_SWITCH, 5);
		struct blocks blocks = {0};

		if (block_text_parse(&event, &blocks, cases[i].name, strcspn(cases[i].name, ":"),
				     cases[i].fields) != cases[i].rc)
			fail_msg("%s %s: not %d", cases[i].name, cases[i].fields, cases[i].rc);
		if (cases[i].rc <= 0) {
			assert_int_equal(event.kind, EVENT_SWITCH);
			blocks_release(&blocks);
			continue;
		}
		assert_int_equal(event.kind, cases[i].kind);
		assert_string_equal(blocks.items[event.block].name, cases[i].block);
		assert_int_equal(event.count, cases[i].count);
		for (int32_t k = 0; k < event.count; k++)
			assert_close(event.arguments[k], cases[i].arguments[k], 0);
		blocks_release(&blocks);
	}
}

static void a_text_has_calls_between_switches_or_alone(void **state)
{
	static const char text[] =
		"work 51/52 [000] 10.000001: pscal:enter: block=f(int, char) args=7\n"
		"work 51/52 [000] 10.000002: foo:enter: block=g args=\n"
		"work 51/52 [000] 10.000003: pscal:enter: block=h\n"
		"work 51/52 [000] 10.000004: pscal_enter:main: (5500) arg1=0x1\n"
		"work 51/52 [000] 10.000005:          1 pscal:leave: block=f(int, char) args=8\n";
	static const struct {
		uint64_t time_ns;
		enum event_kind kind;
		uint32_t block;
	} want[] = {
		{10000001000, EVENT_ENTER, 0},
		{10000004000, EVENT_ENTER, 1},
		{10000005000, EVENT_LEAVE, 0},
	};
	struct err err = {.text = ""};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, want[i].kind);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.block, want[i].block);
		assert_int_equal(event.tid, 52);
		assert_int_equal(event.pid, 51);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 1);
	assert_int_equal(source->blocks.count, 2);
	assert_string_equal(source->blocks.items[0].name, "f(int, char)");
	event_source_free(source);
}

/* The fields of pscal:task after a site. */
static int parse_step(struct event *event, struct blocks *blocks, const char *step)
{
	char fields[160];

	snprintf(fields, sizeof(fields), "site=f %s", step);
	return block_text_parse(event, blocks, "task", 4, fields);
}

static void lines_have_the_steps_of_tasks(void **state)
{
	static const struct {
		const char *text;
		int rc;
		enum task_step step;
		uint64_t task, parent;
		uint32_t index;
	} cases[] = {
		{"step=begin task=3 value=1 index=300", 1, TASK_BEGIN, 3, 1, 300},
		{"step=begin task=3 value=1 index=300    0 [unknown] ([unknown])", 1, TASK_BEGIN, 3,
		 1, 300},
		{"step=begin task=3 value=1 index=300 faults=2    0 [unknown] ([unknown])", 1,
		 TASK_BEGIN, 3, 1, 300},
		{"step=begin task=72057594037927935 value=0 index=4294967295", 1, TASK_BEGIN,
		 (UINT64_C(1) << 56) - 1, 0, UINT32_MAX},
		{"step=end task=3 value=0 index=0  ", 1, TASK_END, 3, 0, 0},
		{"step=spawn task=3 value=0 index=128", 1, TASK_SPAWN, 3, 0, 128},
		{"step=spawned task=3 value=0 index=0", 1, TASK_SPAWNED, 3, 0, 0},
		{"step=sync_of task=3 value=0 index=9", 1, TASK_SYNC_OF, 3, 0, 9},
		{"step=sync task=3 value=0 index=0", 1, TASK_SYNC, 3, 0, 0},
		{"step=sync task=3 value=0 index=1", 1, TASK_SYNC, 3, 0, 1},
		{"step=synced task=3 value=0 index=0", 1, TASK_SYNCED, 3, 0, 0},
		{"step=pause task=3 value=0 index=0", 1, TASK_PAUSE, 3, 0, 0},
		{"step=resume task=3 value=0 index=0", 1, TASK_RESUME, 3, 0, 0},
		{"step=barrier task=3 value=0 index=0", 1, TASK_BARRIER, 3, 0, 0},
		/* Fields that do not belong to the step. */
		{"step=sync task=3 value=5 index=5", 1, TASK_SYNC, 3, 0, 0},
		{"step=spawn task=3 value=5 index=5", 1, TASK_SPAWN, 3, 0, 5},
		{"step=beg task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=0x63 task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step= task=3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0 index=4294967296", -1, 0, 0, 0, 0},
		{"step=begin task=18446744073709551616 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=-3 value=0 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 index=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0", -1, 0, 0, 0, 0},
		{"step=begin task=3 value=0 index=0 more", -1, 0, 0, 0, 0},
		{"step=begin", -1, 0, 0, 0, 0},
		{"", -1, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_STEP, 5);

		if (parse_step(&event, NULL, cases[i].text) != cases[i].rc)
			fail_msg("'%s': not %d", cases[i].text, cases[i].rc);
		if (cases[i].rc < 0)
			continue;
		assert_int_equal(event.step, cases[i].step);
		assert_int_equal(event.object, cases[i].task);
		assert_int_equal(event.object2, cases[i].parent);
		assert_int_equal((uint32_t)event.count, cases[i].index);
	}
}

static void counts_follow_the_step(void **state)
{
#define NOT  TASK_UNCOUNTED
#define STEP "step=end task=3 value=0 index=0"
	static const struct {
		const char *text;
		int rc;
		uint64_t counted[TASK_COUNTED_MAX]; /* of a, b, c, d */
	} cases[] = {
		{STEP, 1, {NOT, NOT, NOT, NOT}},
		{STEP " a=17", 1, {17, NOT, NOT, NOT}},
		{STEP " b=0 a=18446744073709551614 ", 1, {UINT64_MAX - 1, 0, NOT, NOT}},
		{STEP " c=-1 d=4", 1, {NOT, NOT, NOT, 4}},
		{STEP " e=4", -1, {0}}, /* there are four already */
		{STEP " a=", -1, {0}},
		{STEP " a=-2", -1, {0}},
		{STEP " a=x", -1, {0}},
		{STEP " =4", -1, {0}},
		{STEP " a=4x", -1, {0}},
		{STEP " a=18446744073709551616", -1, {0}},
	};
	struct blocks blocks = {.count = 0};

	(void)state;
	for (int i = 0; i < TASK_COUNTED_MAX; i++)
		assert_int_equal(blocks_counter(&blocks, &"abcd"[i], 1), i);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct event event = event_new(EVENT_STEP, 5);

		if (parse_step(&event, &blocks, cases[i].text) != cases[i].rc)
			fail_msg("'%s': not %d", cases[i].text, cases[i].rc);
		if (cases[i].rc > 0)
			assert_memory_equal(event.counted, cases[i].counted, sizeof(event.counted));
	}
	blocks_release(&blocks);
}

static void a_text_has_steps_between_switches_or_alone(void **state)
{
	static const char text[] =
		"work 51/52 [-01] 10.000001: pscal:task: site=fib a b.c:7 step=begin task=3 "
		"value=1 "
		"index=2\n"
		"work 51/52 [-01] 10.000002: foo:task: site=g step=end task=3 value=0 index=0\n"
		"work 51/52 [-01] 10.000003: pscal:task: site=h step=end\n"
		"work 51/52 [-01] 10.000004: pscal:task: site= step=end task=3 value=0 index=0\n"
		"work 51/52 [-01] 10.000005: pscal:task: site=x step=y step=end task=3 value=0 "
		"index=0\n";
	static const struct {
		uint64_t time_ns;
		enum task_step step;
		uint32_t block;
	} want[] = {{10000001000, TASK_BEGIN, 0}, {10000005000, TASK_END, 1}};
	struct err err = {.text = ""};
	struct event_source *source = open_text(text, sizeof(text) - 1);
	struct event event;

	(void)state;
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(event_source_next(source, &event, &err), 1);
		assert_int_equal(event.kind, EVENT_STEP);
		assert_int_equal(event.step, want[i].step);
		assert_int_equal(event.time_ns, want[i].time_ns);
		assert_int_equal(event.block, want[i].block);
		assert_int_equal(event.object, 3);
		assert_int_equal(event.tid, 52);
		assert_int_equal(event.pid, 51);
	}
	assert_int_equal(event_source_next(source, &event, &err), 0);
	assert_int_equal(source->quality.malformed, 2);
	assert_int_equal(source->blocks.count, 2);
	assert_string_equal(source->blocks.items[0].name, "fib a b.c:7");
	assert_string_equal(source->blocks.items[1].name, "x step=y");
	event_source_free(source);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_layout_of_a_call_is_read),
	cmocka_unit_test(other_events_are_no_call_and_damaged_ones_are_malformed),
	cmocka_unit_test(lines_have_the_content_of_payloads),
	cmocka_unit_test(a_text_has_calls_between_switches_or_alone),
	cmocka_unit_test(lines_have_the_steps_of_tasks),
	cmocka_unit_test(counts_follow_the_step),
	cmocka_unit_test(a_text_has_steps_between_switches_or_alone),
};

TEST_FILE(tests);
