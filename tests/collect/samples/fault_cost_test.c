/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/samples/fault_cost.h"

#include "support.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel may not let us: then there is nothing to test here. */
static void need_events(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .size = sizeof(attr),
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		skip();
	close((int)fd);
}

/* An exception with its way back takes some 50 ns where nothing else is done, a record some 200. */
static void what_a_fault_takes_beside_its_length_is_measured(void **state)
{
	struct fault_cost cost = {0};

	(void)state;
	need_events();
	assert_int_equal(fault_cost_measure(&cost), 0);
	printf("%.0f ns beside its length, %.0f ns added\n", cost.outside_ns, cost.added_ns);
	assert_true(cost.outside_ns > 20 && cost.outside_ns < 1e5);
	assert_true(cost.added_ns > 20 && cost.added_ns < 1e5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_a_fault_takes_beside_its_length_is_measured),
};

TEST_FILE(tests);
