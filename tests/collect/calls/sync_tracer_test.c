/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/live/record_sync.sh compares its recordings with the truth. */
#include "collect/calls/calls.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/mapped_files.h"
#include "collect/collect_dir.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"
#include "collect/kernel/uprobes.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "decode/event/event.h"
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void a_word_chooses_the_recorded_calls(void **state)
{
	enum sync_choice choice;
	struct err err;

	(void)state;
	assert_int_equal(sync_choice_parse(&choice, "futex", &err), 0);
	assert_int_equal(choice, SYNC_RECORD_FUTEX);
	assert_int_equal(sync_choice_parse(&choice, "all", &err), 0);
	assert_int_equal(choice, SYNC_RECORD_ALL);
	assert_int_equal(sync_choice_parse(&choice, "none", &err), 0);
	assert_int_equal(choice, SYNC_RECORD_NONE);
	assert_int_equal(sync_choice_parse(&choice, "", &err), -1);
	assert_int_equal(sync_choice_parse(&choice, "All", &err), -1);
	assert_non_null(strstr(err.text, "All: take futex"));
}

static void without_tracefs_there_are_no_calls(void **state)
{
	const struct collector_options options = {.tracefs = NULL};
	const struct sync_options sync = {.system = SYNC_SYSTEM_YIELD};
	struct err err;

	(void)state;
	assert_null(sync_tracer_open(&options, &sync, &err));
	assert_non_null(strstr(err.text, "--sync needs tracefs"));
}

static void a_kernel_without_the_tracepoints_is_reported(void **state)
{
	const struct collector_options options = {.tracefs = "/no/such/directory"};
	const struct sync_options sync = {.system = SYNC_SYSTEM_YIELD};
	struct err err;

	(void)state;
	assert_null(sync_tracer_open(&options, &sync, &err));
	assert_non_null(strstr(err.text, "CONFIG_FTRACE_SYSCALLS"));
}

/*
 * Opens --sync=all in a directory in place of tracefs without tracepoints: that always fails.
 * Returns the commands that it wrote for the kernel, or NULL if there is no such file; the caller
 * frees them.
 */
static char *open_all(struct err *err, const char *root, const struct sync_options *sync,
		      char group[UPROBES_GROUP_SIZE])
{
	char *place = xasprintf("%s/run", root);
	struct run_directory run;
	const struct collector_options options = {.tracefs = root, .run = &run};
	struct err ignored;

	assert_int_equal(run_directory_open_in(&run, place, &ignored), 0);
	uprobes_group(group, UPROBES_SYNC, &run);
	assert_null(sync_tracer_open(&options, sync, err));
	run_directory_close(&run);
	free(place);
	return tracefs_read(root, "uprobe_events", NULL, &ignored);
}

/* One event for all of them, which is closed at once; each kind has a number. */
static void each_function_of_the_own_library_is_probed_and_given_back(void **state)
{
	const pid_t own = getpid();
	const struct sync_options sync = {
		.system = SYNC_SYSTEM_ALL, .library = true, .pids = &own, .pid_count = 1};
	char root[64], group[UPROBES_GROUP_SIZE], *text, *made, *removed;
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	text = open_all(&err, root, &sync, group);
	assert_non_null(strstr(err.text, "CONFIG_FTRACE_SYSCALLS"));
	assert_non_null(text);
	made = xasprintf("p:%s/call /", group);
	removed = xasprintf("-:%s/call\n", group);
	assert_non_null(strstr(text, made));
	assert_non_null(strstr(text, removed));
	for (int kind = 0; kind < SYNC_CALLS - SYNC_MUTEX_LOCK; kind++) {
		char *number = xasprintf(" block=\\%d:u64 arg1=", kind);

		if (!strstr(text, number))
			fail_msg("no '%s' in %s", number, text);
		free(number);
	}
	free(made);
	free(removed);
	free(text);
	dir_remove(root);
}

static void a_kernel_without_probes_is_reported(void **state)
{
	const pid_t own = getpid();
	const struct sync_options sync = {
		.system = SYNC_SYSTEM_ALL, .library = true, .pids = &own, .pid_count = 1};
	char root[64], group[UPROBES_GROUP_SIZE];
	struct err err;

	(void)state;
	dir_make(root);
	assert_null(open_all(&err, root, &sync, group));
	assert_non_null(strstr(err.text, "CONFIG_UPROBE_EVENTS"));
	dir_remove(root);
}

/* With links the only tracepoint is that of yields, which the sentence names. */
static void links_without_tracepoints_are_reported(void **state)
{
	const pid_t own = getpid();
	const struct sync_options sync = {.system = SYNC_SYSTEM_YIELD,
					  .library = true,
					  .links = true,
					  .pids = &own,
					  .pid_count = 1};
	char root[64], group[UPROBES_GROUP_SIZE];
	struct err err;

	(void)state;
	dir_make(root);
	assert_null(open_all(&err, root, &sync, group));
	/* A kernel without links gets no probes here either. */
	assert_true(strstr(err.text, "--sync needs a kernel with CONFIG_FTRACE_SYSCALLS") ||
		    strstr(err.text, "CONFIG_UPROBE_EVENTS"));
	dir_remove(root);
}

/* The kernel would take the rest of the path for arguments of the probe. */
static void a_file_with_a_blank_in_its_path_is_not_probed(void **state)
{
	struct sync_options sync = {.system = SYNC_SYSTEM_ALL, .library = true};
	char root[64], group[UPROBES_GROUP_SIZE], *command, *text;
	struct file_set own = {.count = 0};
	struct err err;

	(void)state;
	dir_make(root);
	dir_put(root, "uprobe_events", "");
	c_library_of_process(&own, getpid(), "/proc");
	assert_true(own.count > 0);
	command = xasprintf("%s/a library", root);
	assert_int_equal(symlink(own.paths[0], command), 0);
	sync.command = command;
	text = open_all(&err, root, &sync, group);
	assert_non_null(strstr(err.text, "/a library: Invalid argument"));
	assert_null(strstr(text, "a library"));
	free(text);
	file_set_release(&own);
	free(command);
	dir_remove(root);
}

/* --- In the kernel, where this user may ------------------------------------------------------ */

enum { LOCKINGS = 100 };

static void lock_and_pass(struct collector *collector)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct recording recording = {.failed = false};
	struct err err = {.text = ""};

	assert_int_equal(collector->kind->start(collector, &err), 0);
	for (int i = 0; i < LOCKINGS; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	collector->kind->mark(collector);
	assert_int_equal(collector->kind->pass(collector, &recording, &err), 0);
	collector->kind->stop(collector);
	assert_true(collector->calls >= 2 * LOCKINGS);
	assert_true(recording.counts.samples >= 2 * LOCKINGS);
	recording_drop(&recording);
}

static void record_own_calls(bool links)
{
	const pid_t own = getpid();
	const struct sync_options sync = {.system = SYNC_SYSTEM_YIELD,
					  .library = true,
					  .links = links,
					  .pids = &own,
					  .pid_count = 1};
	struct lineage lineage = {.proc = "/proc"};
	struct run_directory run = {.fd = -1, .base = -1, .owner = -1};
	struct tracefs tracefs = {.hold = -1};
	struct collector_options options = {.lineage = &lineage, .run = &run};
	struct collector *collector = NULL;
	struct err err;

	lineage_give_process(&lineage, own, 0);
	if (tracefs_open(&tracefs, &run, &err) == 0) {
		options.tracefs = tracefs.root;
		collector = sync_tracer_open(&options, &sync, &err);
	}
	if (collector) {
		lock_and_pass(collector);
		assert_null(sync_tracer_refused(collector));
		collector->kind->free(collector);
	}
	tracefs_close(&tracefs, &run);
	run_directory_close(&run);
	lineage_release(&lineage);
	if (!collector)
		skip();
}

static void calls_are_recorded_by_links(void **state)
{
	(void)state;
	record_own_calls(true);
}

/* On a kernel without links. */
static void calls_are_recorded_by_probes_of_tracefs(void **state)
{
	(void)state;
	record_own_calls(false);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_word_chooses_the_recorded_calls),
	cmocka_unit_test(without_tracefs_there_are_no_calls),
	cmocka_unit_test(a_kernel_without_the_tracepoints_is_reported),
	cmocka_unit_test(each_function_of_the_own_library_is_probed_and_given_back),
	cmocka_unit_test(a_kernel_without_probes_is_reported),
	cmocka_unit_test(links_without_tracepoints_are_reported),
	cmocka_unit_test(a_file_with_a_blank_in_its_path_is_not_probed),
	cmocka_unit_test(calls_are_recorded_by_links),
	cmocka_unit_test(calls_are_recorded_by_probes_of_tracefs),
};

TEST_FILE(tests);
