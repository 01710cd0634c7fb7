/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/call_cost.h"

#include "support.h"

#include <time.h>

static void nothing(int count)
{
	(void)count;
}

static void busy(int count)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec <
	       count * 10000L);
}

static void it_is_the_cpu_time_of_one(void **state)
{
	double each_ns = call_cost_measure(busy, 50);

	(void)state;
	assert_true(each_ns >= 10000 && each_ns < 20000);
	assert_true(call_cost_measure(nothing, 1000) < 1000);
}

static void what_may_be_chance_is_not_known(void **state)
{
	(void)state;
	assert_close(call_cost_added(10, 1210), 1200, 1e-12);
	assert_close(call_cost_added(100, 149), 0, 0);
	assert_close(call_cost_added(10, 9), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_cpu_time_of_one),
		cmocka_unit_test(what_may_be_chance_is_not_known),
	};
	return RUN_TESTS(tests);
}
