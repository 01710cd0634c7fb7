/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/sched/bpf/bpf_collector.h"

#include <string.h>

/* Whether pscal is built with the bpf collector or without. */
static void what_it_cannot_do_without_is_named(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	struct err err = {.text = ""};

	(void)state;
	assert_null(bpf_collector_open(&options, &err));
	assert_true(strstr(err.text, "in tracefs") || strstr(err.text, "BPF=0"));
}

static void formats_that_are_not_there_are_named(void **state)
{
	const struct collector_options options = {.tracefs = "/nowhere"};
	struct err err = {.text = ""};

	(void)state;
	assert_null(bpf_collector_open(&options, &err));
	assert_true(strstr(err.text, "/nowhere/events/sched/sched_switch/format") ||
		    strstr(err.text, "BPF=0"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(what_it_cannot_do_without_is_named),
	cmocka_unit_test(formats_that_are_not_there_are_named),
};

TEST_FILE(tests);
