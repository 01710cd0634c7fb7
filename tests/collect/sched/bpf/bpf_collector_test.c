/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/sched/bpf/bpf_collector.h"

#include <string.h>

/* In builds with the bpf collector and without. */
static void missing_parts_of_the_kernel_are_named(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	struct err err = {.text = ""};

	(void)state;
	assert_null(bpf_collector_open(&options, &err));
	assert_true(strstr(err.text, "in tracefs") || strstr(err.text, "BPF=0"));
}

static void missing_formats_are_named(void **state)
{
	const struct collector_options options = {.tracefs = "/nowhere"};
	struct err err = {.text = ""};

	(void)state;
	assert_null(bpf_collector_open(&options, &err));
	assert_true(strstr(err.text, "/nowhere/events/sched/sched_switch/format") ||
		    strstr(err.text, "BPF=0"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(missing_parts_of_the_kernel_are_named),
	cmocka_unit_test(missing_formats_are_named),
};

TEST_FILE(tests);
