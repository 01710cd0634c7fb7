/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/text/call_text.h"

#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct line {
	const char *name, *text; /* name NULL: as the kernel prints system calls in ftrace */
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
		 EVENT_CALL, SYNC_FUTEX_WAIT, 0x7f0000001000, 0, 0},
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
		/* libtraceevent's plugin: a number of threads is decimal, one to compare is not */
		{"sys_enter_futex",
		 "op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7f0000001000 val=0x00000002 utime=0x0",
		 EVENT_CALL, SYNC_FUTEX_WAIT, 0x7f0000001000, 0, 0},
		{"sys_enter_futex", "op=FUTEX_WAKE|FUTEX_PRIVATE_FLAG uaddr=0x00001000 val=10",
		 EVENT_CALL, SYNC_FUTEX_WAKE, 0x1000, 0, 10},
		{"sys_enter_futex",
		 "op=FUTEX_CMP_REQUEUE uaddr=0x00001000 val=1 val2=2147483647 uaddr2=0x00002000 "
		 "val3=0x00000002",
		 EVENT_CALL, SYNC_FUTEX_MOVE, 0x1000, 0x2000, 1},
		/* ftrace, with and without 0x, as kernels differ */
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

static void other_events_are_no_call_and_damaged_ones_are_told(void **state)
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
		/* a probe of the same name that somebody else has made */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout_of_a_call_is_read),
		cmocka_unit_test(other_events_are_no_call_and_damaged_ones_are_told),
	};
	return RUN_TESTS(tests);
}
