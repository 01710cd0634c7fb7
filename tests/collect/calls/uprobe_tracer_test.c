/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/live/record_uprobe.sh compares its recordings with the truth. */
#include "collect/calls/calls.h"

#include "base/err.h"
#include "collect/collect_dir.h"
#include "collect/kernel/run_directory.h"
#include "collect/recording/collector.h"

static const char *const malloc_only[] = {"libc:malloc", NULL};
static const char *const nothing[] = {"libc:no_such_function", NULL};
static const struct uprobe_target nobody = {.command = NULL};

static void without_tracefs_there_are_no_probes(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	const struct uprobe_options uprobes = {.functions = malloc_only};
	struct err err;

	(void)state;
	assert_null(uprobe_tracer_open(&options, &uprobes, &nobody, &err));
	assert_non_null(strstr(err.text, "--uprobe needs tracefs"));
}

static void a_kernel_without_probes_is_reported(void **state)
{
	struct run_directory run;
	const struct collector_options options = {.tracefs = "/no/such/directory", .run = &run};
	const struct uprobe_options uprobes = {.functions = malloc_only};
	char root[64];
	struct err err;

	(void)state;
	dir_make(root);
	assert_int_equal(run_directory_open_in(&run, root, &err), 0);
	assert_null(uprobe_tracer_open(&options, &uprobes, &nobody, &err));
	assert_non_null(strstr(err.text, "CONFIG_UPROBE_EVENTS"));
	run_directory_close(&run);
	dir_remove(root);
}

static void a_wrong_name_comes_before_missing_rights(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	const struct uprobe_options uprobes = {.functions = nothing};
	struct err err;

	(void)state;
	assert_null(uprobe_tracer_open(&options, &uprobes, &nobody, &err));
	assert_non_null(strstr(err.text, "is called 'no_such_function'"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(without_tracefs_there_are_no_probes),
	cmocka_unit_test(a_kernel_without_probes_is_reported),
	cmocka_unit_test(a_wrong_name_comes_before_missing_rights),
};

TEST_FILE(tests);
