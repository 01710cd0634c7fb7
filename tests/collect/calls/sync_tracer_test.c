/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it records is held to the truth by tests/live/record_sync.sh. */
#include "collect/calls/sync_tracer.h"

#include "base/err.h"
#include "collect/recording/collector.h"
#include "support.h"

#include <string.h>

static void what_is_recorded_is_chosen_by_a_word(void **state)
{
	enum sync_choice choice;
	struct err err;

	(void)state;
	assert_int_equal(sync_choice_parse(&choice, "futex", &err), 0);
	assert_int_equal(choice, SYNC_RECORD_FUTEX);
	assert_int_equal(sync_choice_parse(&choice, "all", &err), 0);
	assert_int_equal(choice, SYNC_RECORD_ALL);
	assert_int_equal(sync_choice_parse(&choice, "", &err), -1);
	assert_int_equal(sync_choice_parse(&choice, "All", &err), -1);
	assert_non_null(strstr(err.text, "All: take futex"));
}

static void without_tracefs_there_are_no_calls(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	const struct sync_options sync = {.choice = SYNC_RECORD_FUTEX};
	struct err err;

	(void)state;
	assert_null(sync_tracer_open(&options, &sync, &err));
	assert_non_null(strstr(err.text, "--sync needs tracefs"));
}

static void a_kernel_without_the_tracepoints_is_told_in_a_sentence(void **state)
{
	const struct collector_options options = {.tracefs = "/no/such/directory"};
	const struct sync_options sync = {.choice = SYNC_RECORD_FUTEX};
	struct err err;

	(void)state;
	assert_null(sync_tracer_open(&options, &sync, &err));
	assert_non_null(strstr(err.text, "CONFIG_FTRACE_SYSCALLS"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_recorded_is_chosen_by_a_word),
		cmocka_unit_test(without_tracefs_there_are_no_calls),
		cmocka_unit_test(a_kernel_without_the_tracepoints_is_told_in_a_sentence),
	};
	return RUN_TESTS(tests);
}
