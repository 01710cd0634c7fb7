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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_letters_are_states),
		cmocka_unit_test(the_bits_of_prev_state_are_states),
		cmocka_unit_test(running_and_runnable_are_active_and_no_other),
		cmocka_unit_test(each_state_has_a_name_of_its_own),
		cmocka_unit_test(a_name_is_cut_ended_and_followed_by_zeros),
	};

	return RUN_TESTS(tests);
}
