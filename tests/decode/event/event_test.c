/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/event.h"

#include "support.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void the_kernels_letters_are_states(void **state)
{
	static const struct {
		const char *letters;
		enum thread_state state;
	} cases[] = {
		{"R", STATE_RUNNABLE},	 {"R+", STATE_RUNNABLE}, {"S", STATE_SLEEPING},
		{"S|W", STATE_SLEEPING}, {"I", STATE_SLEEPING},	 {"P", STATE_SLEEPING},
		{"D", STATE_DISK},	 {"D|K", STATE_DISK},	 {"D|W", STATE_DISK},
		{"T", STATE_STOPPED},	 {"t", STATE_STOPPED},	 {"X", STATE_NONE},
		{"x", STATE_NONE},	 {"Z", STATE_NONE},	 {"R ==>", STATE_RUNNABLE},
		{"", STATE_UNKNOWN},	 {"?", STATE_UNKNOWN},	 {"0x1", STATE_UNKNOWN},
		{"+", STATE_UNKNOWN},	 {"s", STATE_UNKNOWN},	 {"\xff", STATE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (thread_state_of_letters(cases[i].letters) != cases[i].state)
			fail_msg("'%s' is %s", cases[i].letters,
				 thread_state_name(thread_state_of_letters(cases[i].letters)));
}

static void the_bits_of_prev_state_are_states(void **state)
{
	static const struct {
		uint64_t bits;
		enum thread_state state;
	} cases[] = {
		{0, STATE_RUNNABLE},	  {0x100, STATE_RUNNABLE}, {0x400, STATE_RUNNABLE},
		{0x800, STATE_RUNNABLE},  {1, STATE_SLEEPING},	   {2, STATE_DISK},
		{4, STATE_STOPPED},	  {8, STATE_STOPPED},	   {0x10, STATE_NONE},
		{0x20, STATE_NONE},	  {0x40, STATE_SLEEPING},  {0x80, STATE_SLEEPING},
		{0x82, STATE_DISK},	  {0x101, STATE_SLEEPING}, {0x102, STATE_DISK},
		{0x22, STATE_NONE},	  {0x12, STATE_NONE},	   {0x200, STATE_RUNNABLE},
		{UINT64_MAX, STATE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (thread_state_of_bits(cases[i].bits) != cases[i].state)
			fail_msg("0x%x is %s", (unsigned)cases[i].bits,
				 thread_state_name(thread_state_of_bits(cases[i].bits)));
}

static void running_and_runnable_are_active_and_no_other(void **state)
{
	static const enum thread_state active[] = {STATE_ACTIVE, STATE_RUNNING, STATE_RUNNABLE};
	size_t count = 0;

	(void)state;
	for (enum thread_state one = 0; one < STATE_COUNT; one++)
		count += thread_state_is_active(one);
	assert_int_equal(count, COUNT(active));
	for (size_t i = 0; i < COUNT(active); i++)
		assert_true(thread_state_is_active(active[i]));
}

static void each_state_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (enum thread_state one = 0; one < STATE_COUNT; one++) {
		assert_non_null(thread_state_name(one));
		for (enum thread_state other = 0; other < one; other++)
			assert_string_not_equal(thread_state_name(one), thread_state_name(other));
	}
	assert_string_equal(thread_state_name(STATE_RUNNABLE), "runnable");
}

static void a_name_is_cut_ended_and_followed_by_zeros(void **state)
{
	static const struct {
		const char *name;
		size_t length;
		const char *comm;
	} cases[] = {
		{"make", 4, "make"},
		{"make", 2, "ma"},
		{"make\0old text", 13, "make"},
		{"fifteen letters", 15, "fifteen letters"},
		{"sixteen  letters", 16, "sixteen  letter"},
		{"much more than sixteen letters", 30, "much more than "},
		{"", 0, ""},
		{"\xff\xfe", 2, "\xff\xfe"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		static const char zeros[COMM_SIZE];
		size_t length = strlen(cases[i].comm);
		char comm[COMM_SIZE];

		memset(comm, 'x', sizeof(comm));
		event_set_comm(comm, cases[i].name, cases[i].length);
		assert_string_equal(comm, cases[i].comm);
		assert_memory_equal(comm + length, zeros, COMM_SIZE - length);
	}
}

static void each_call_is_found_by_its_name(void **state)
{
	(void)state;
	for (int call = SYNC_NONE + 1; call < SYNC_CALLS; call++) {
		assert_non_null(sync_call_name((enum sync_call)call));
		assert_int_equal(sync_call_of_name(sync_call_name((enum sync_call)call)), call);
	}
}

static void other_names_are_no_call(void **state)
{
	(void)state;
	assert_int_equal(sync_call_of_name("none"), SYNC_NONE);
	assert_int_equal(sync_call_of_name("mutex"), SYNC_NONE);
	assert_int_equal(sync_call_of_name(""), SYNC_NONE);
}

static int find(const char *system, const char *name)
{
	return call_event_find(system, name, strlen(name));
}

/* FUTEX_PRIVATE_FLAG is 128, FUTEX_CLOCK_REALTIME 256. */
static void the_operation_of_a_futex_tells_its_use(void **state)
{
	static const struct {
		uint64_t op;
		enum sync_call call;
		int32_t count;
		uint64_t object2;
	} cases[] = {
		{0, SYNC_FUTEX_WAIT, 3, 0},
		{128, SYNC_FUTEX_WAIT, 3, 0},
		{9 + 128 + 256, SYNC_FUTEX_WAIT, ~3, 0},
		{11 + 128, SYNC_FUTEX_WAIT, 0, 0},
		{1, SYNC_FUTEX_WAKE, 3, 0},
		{1 + 128, SYNC_FUTEX_WAKE, 3, 0},
		{10 + 128, SYNC_FUTEX_WAKE, 3, 0},
		{5 + 128, SYNC_FUTEX_WAKE, 3, 0},
		{3, SYNC_FUTEX_MOVE, 3, 0x2000},
		{4 + 128, SYNC_FUTEX_MOVE, 3, 0x2000},
		{12 + 128, SYNC_FUTEX_MOVE, 3, 0x2000},
		{6, SYNC_FUTEX_LOCK, 0, 0},
		{8 + 128, SYNC_FUTEX_LOCK, 0, 0},
		{13 + 128 + 256, SYNC_FUTEX_LOCK, 0, 0},
		{7 + 128, SYNC_FUTEX_UNLOCK, 0, 0},
		/* only 32 bits of a register are the number */
		{UINT64_C(0xffffffff00000081), SYNC_FUTEX_WAKE, 3, 0},
	};
	int futex = find("syscalls", "sys_enter_futex");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint64_t values[CALL_FIELDS] = {0x1000, 0x2000, 3, cases[i].op};
		struct event event = {.tid = 5};

		assert_true(call_event_make(&event, futex, values));
		if (event.kind != EVENT_CALL || event.call != cases[i].call ||
		    event.object != 0x1000 || event.object2 != cases[i].object2 ||
		    event.count != cases[i].count || event.tid != 5)
			fail_msg("operation %#llx: %s, count %d", (unsigned long long)cases[i].op,
				 sync_call_name(event.call), event.count);
	}
}

static void an_unknown_operation_is_no_call(void **state)
{
	static const uint64_t ops[] = {2, 14, 64, 127, 128 + 512};
	int futex = find(NULL, "sys_enter_futex");

	(void)state;
	for (size_t i = 0; i < COUNT(ops); i++) {
		const uint64_t values[CALL_FIELDS] = {1, 2, 3, ops[i]};
		struct event event = {.kind = EVENT_TASK, .call = SYNC_YIELD, .object = 77};

		assert_false(call_event_make(&event, futex, values));
		assert_int_equal(event.kind, EVENT_TASK);
		assert_int_equal(event.object, 77);
	}
}

static void any_number_that_is_not_an_int_means_all(void **state)
{
	static const struct {
		uint64_t value;
		int32_t count;
	} cases[] = {
		{0, 0},
		{1, 1},
		{0x7ffffffe, 0x7ffffffe},
		{0x7fffffff, INT32_MAX},
		{0xffffffff, INT32_MAX},
		{UINT64_MAX, INT32_MAX},
		{UINT64_C(0xabcdef0000000001), 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint64_t values[CALL_FIELDS] = {1, 2, cases[i].value, 1};
		struct event event = {.tid = 5};

		assert_true(call_event_make(&event, find(NULL, "sys_enter_futex"), values));
		assert_int_equal(event.count, cases[i].count);
		assert_true(call_event_make(&event, find(NULL, "barrier_init"), values));
		assert_int_equal(event.count, cases[i].count);
	}
}

static void each_name_is_a_call_or_its_end(void **state)
{
	static const struct {
		const char *system, *name;
		enum event_kind kind;
		enum sync_call call;
	} cases[] = {
		{"syscalls", "sys_exit_futex", EVENT_RETURN, SYNC_NONE},
		{"syscalls", "sys_enter_nanosleep", EVENT_CALL, SYNC_SLEEP},
		{"syscalls", "sys_exit_nanosleep", EVENT_RETURN, SYNC_SLEEP},
		{"syscalls", "sys_enter_clock_nanosleep", EVENT_CALL, SYNC_SLEEP},
		{"syscalls", "sys_exit_clock_nanosleep", EVENT_RETURN, SYNC_SLEEP},
		{"syscalls", "sys_enter_sched_yield", EVENT_CALL, SYNC_YIELD},
		{"syscalls", "sys_exit_sched_yield", EVENT_RETURN, SYNC_YIELD},
		{"pscal", "mutex_lock", EVENT_CALL, SYNC_MUTEX_LOCK},
		{"pscal", "cond_wait", EVENT_CALL, SYNC_COND_WAIT},
		{"pscal", "sem_post", EVENT_CALL, SYNC_SEM_POST},
		{NULL, "sys_exit_sched_yield", EVENT_RETURN, SYNC_YIELD},
		{NULL, "sem_post", EVENT_CALL, SYNC_SEM_POST},
	};
	const uint64_t values[CALL_FIELDS] = {0x1000, 0x2000, 3, 0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int number = find(cases[i].system, cases[i].name);
		struct event event = {.tid = 5};

		if (number < 0 || number >= CALL_EVENTS)
			fail_msg("'%s' has number %d", cases[i].name, number);
		assert_true(call_event_make(&event, number, values));
		assert_int_equal(event.kind, cases[i].kind);
		assert_int_equal(event.call, cases[i].call);
	}
}

static void a_probe_on_each_call_of_the_library_has_a_number_of_its_own(void **state)
{
	(void)state;
	for (int call = SYNC_MUTEX_LOCK; call < SYNC_CALLS; call++)
		assert_int_equal(find("pscal", sync_call_name((enum sync_call)call)),
				 CALL_EVENT_SOCKET + call - SYNC_MUTEX_LOCK);
}

static void events_of_sockets_have_the_socket_and_the_bytes(void **state)
{
	static const struct {
		const char *name, *object, *count;
		enum socket_event socket;
	} cases[] = {
		{"sk_data_ready", "skaddr", NULL, SOCKET_READY},
		{"sock_recv_length", "sk", "ret", SOCKET_RECEIVED},
		{"sock_send_length", "sk", "ret", SOCKET_SENT},
		{"inet_sock_set_state", "skaddr", "newstate", SOCKET_STATE},
	};
	const uint64_t values[CALL_FIELDS] = {0xffff888000001000, 0, UINT32_MAX - 10, 0};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int number = find("sock", cases[i].name);
		struct event event = {.tid = 5};

		assert_in_range(number, CALL_EVENT_SYSTEM, CALL_EVENT_SOCKET - 1);
		assert_string_equal(call_event_field(number, CALL_FIELD_OBJECT), cases[i].object);
		if (cases[i].count)
			assert_string_equal(call_event_field(number, CALL_FIELD_COUNT),
					    cases[i].count);
		else
			assert_null(call_event_field(number, CALL_FIELD_COUNT));
		assert_true(call_event_make(&event, number, values));
		assert_int_equal(event.kind, EVENT_SOCKET);
		assert_int_equal(event.socket, cases[i].socket);
		assert_int_equal(event.object, values[CALL_FIELD_OBJECT]);
		assert_int_equal(event.count, -11); /* EAGAIN */
	}
	assert_int_equal(find("syscalls", "sk_data_ready"), -1);
}

static void other_names_are_no_call_of_sockets(void **state)
{
	static const struct {
		const char *system, *name;
	} cases[] = {
		{"syscalls", "sys_enter_futex_waitv"},
		{"syscalls", "sys_enter_fute"},
		{"syscalls", "mutex_lock"},
		{"pscal", "sys_enter_futex"},
		{"pscal", "futex_wait"},
		{"pscal", "mutex_lock_1"},
		{"sched", "mutex_lock"},
		{"sched", "sys_enter_futex"},
		{NULL, ""},
		{NULL, "none"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (find(cases[i].system, cases[i].name) != -1)
			fail_msg("'%s' has a number", cases[i].name);
}

/* A damaged format text may have such a name; the part after the NUL does not match a known
 * name. */
static void a_name_with_a_nul_in_it_is_another_name(void **state)
{
	static const char name[64] = "mutex_lock";

	(void)state;
	assert_int_equal(call_event_find("pscal", name, sizeof(name)), -1);
	assert_int_equal(call_event_find("pscal", name, strlen(name) + 1), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_kernels_letters_are_states),
	cmocka_unit_test(the_bits_of_prev_state_are_states),
	cmocka_unit_test(running_and_runnable_are_active_and_no_other),
	cmocka_unit_test(each_state_has_a_name_of_its_own),
	cmocka_unit_test(a_name_is_cut_ended_and_followed_by_zeros),
	cmocka_unit_test(each_call_is_found_by_its_name),
	cmocka_unit_test(other_names_are_no_call),
	cmocka_unit_test(the_operation_of_a_futex_tells_its_use),
	cmocka_unit_test(an_unknown_operation_is_no_call),
	cmocka_unit_test(any_number_that_is_not_an_int_means_all),
	cmocka_unit_test(each_name_is_a_call_or_its_end),
	cmocka_unit_test(events_of_sockets_have_the_socket_and_the_bytes),
	cmocka_unit_test(a_probe_on_each_call_of_the_library_has_a_number_of_its_own),
	cmocka_unit_test(other_names_are_no_call_of_sockets),
	cmocka_unit_test(a_name_with_a_nul_in_it_is_another_name),
};

TEST_FILE(tests);
