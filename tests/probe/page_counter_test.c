/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/thread_counters.h"

#include "support.h"

#include <string.h>

/* The simulated machine: values of its counters and its clock, and changes during a read. */
static struct {
	struct perf_event_mmap_page page;
	uint64_t count, time;
	uint32_t asked; /* the last counter that was read */
	unsigned times; /* the number of reads */
	unsigned moves; /* the kernel changes the page during so many reads */
} now;

static uint64_t count_of(uint32_t index)
{
	now.asked = index;
	now.times++;
	if (now.moves) {
		now.moves--;
		now.page.lock += 2;
		now.page.offset += 1000;
		return 77777; /* a counter of another thread */
	}
	return now.count;
}

static uint64_t time_of(void)
{
	return now.time;
}

static const struct page_counter_machine machine = {count_of, time_of};

static uint64_t value(void)
{
	uint64_t value = 0;

	assert_true(page_counter_read(&value, &now.page, &machine));
	return value;
}

static void reset(void)
{
	memset(&now, 0, sizeof(now));
	now.page.cap_user_rdpmc = 1;
	now.page.lock = 2;
	now.page.pmc_width = 48;
	now.page.index = 3;
	now.page.time_enabled = now.page.time_running = 1000;
}

static void the_count_of_the_cpu_is_added_to_the_sum_of_the_kernel(void **state)
{
	static const struct {
		uint32_t index;
		uint16_t width;
		int64_t offset;
		uint64_t count, want;
	} cases[] = {
		{3, 48, 500, 42, 542},
		/* The kernel starts counters below zero, so that they overflow in time. */
		{1, 48, 0x7fffffff, 0xffff80000001, 0},
		{1, 48, 0x80000000, 0xffff80000005, 5},
		{1, 32, 0x80000000, 0x80000007, 7},
		{1, 32, 0, 0xffffffff, UINT64_MAX},
		{1, 64, 1, 0x8000000000000000, 0x8000000000000001},
		/* On no CPU: the count so far. */
		{0, 48, 500, 42, 500},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reset();
		now.page.index = cases[i].index;
		now.page.pmc_width = cases[i].width;
		now.page.offset = cases[i].offset;
		now.count = cases[i].count;
		assert_true(value() == cases[i].want);
		assert_int_equal(now.times, cases[i].index ? 1 : 0);
		assert_int_equal(now.asked, cases[i].index ? cases[i].index - 1 : 0);
	}
}

static void a_page_that_changes_meanwhile_is_read_again(void **state)
{
	(void)state;
	reset();
	now.page.offset = 500;
	now.count = 42;
	now.moves = 3;
	assert_int_equal(value(), 3542);
	assert_int_equal(now.times, 4);
}

static void a_counter_that_shares_the_cpu_is_scaled(void **state)
{
	/* On a CPU, the time offset + time * mult / 2^shift is added to both times. */
	static const struct {
		uint32_t index;
		uint64_t enabled, running, time, offset;
		uint32_t mult;
		uint16_t shift;
		uint64_t summed, want;
	} cases[] = {
		{1, 1000, 1000, 50, 0, 1, 0, 600, 600}, /* it was on the CPU all the time */
		{1, 1000, 500, 0, 0, 1, 0, 600, 1200},
		{1, 1000, 500, 1000, 0, 1, 0, 600, 800}, /* 2000 of 1500 */
		{1, 1000, 500, 4000, 0, 1, 2, 600, 800},
		{1, 1000, 500, 500, 500, 1, 0, 600, 800},
		{1, 1000, 500, 2000, 500, 1, 2, 600, 800},
		{1, 1000, 500, 2003, 500, 1, 2, 600, 800}, /* rounded down */
		{0, 1000, 500, 1000, 0, 1, 0, 600, 2400},  /* other counters have the CPU now */
		{0, 1000, 0, 1000, 0, 1, 0, 600, 600},	   /* no time to scale by */
		/* No step of the product overflows. */
		{1, UINT64_C(1) << 62, UINT64_C(1) << 61, 0, 0, 1, 0, UINT64_C(1) << 60,
		 UINT64_C(1) << 61},
		{1, 0, UINT64_C(1) << 40, UINT64_C(1) << 52, 0, 1 << 20, 32, 1 << 20, 524288},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		reset();
		now.page.cap_user_time = 1;
		now.page.index = cases[i].index;
		now.page.time_enabled = cases[i].enabled;
		now.page.time_running = cases[i].running;
		now.page.time_offset = cases[i].offset;
		now.page.time_mult = cases[i].mult;
		now.page.time_shift = cases[i].shift;
		now.page.offset = (int64_t)cases[i].summed;
		now.time = cases[i].time;
		assert_true(value() == cases[i].want);
	}
}

static void a_counter_that_the_cpu_may_not_read_is_refused(void **state)
{
	uint64_t value = 5;

	(void)state;
	reset();
	now.page.cap_user_rdpmc = 0;
	assert_false(page_counter_read(&value, &now.page, &machine));
	assert_int_equal(value, 5);
	assert_int_equal(now.times, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_count_of_the_cpu_is_added_to_the_sum_of_the_kernel),
	cmocka_unit_test(a_page_that_changes_meanwhile_is_read_again),
	cmocka_unit_test(a_counter_that_shares_the_cpu_is_scaled),
	cmocka_unit_test(a_counter_that_the_cpu_may_not_read_is_refused),
};

TEST_FILE(tests);
