/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/calls/sync_probes.h"

#include "base/alloc.h"
#include "base/err.h"
#include "code/c_library.h"
#include "collect/collect_dir.h"
#include "collect/kernel/run_directory.h"
#include "collect/kernel/tracefs.h"
#include "decode/event/event.h"

#include <stdlib.h>
#include <unistd.h>

/* Readers look for these names. */
static void probes_are_called_as_readers_know_them(void **state)
{
	(void)state;
	assert_int_equal(SYNC_PROBES, SYNC_CALLS - SYNC_MUTEX_LOCK);
	for (size_t i = 0; i < SYNC_PROBES; i++)
		assert_string_equal(sync_probe_name(i),
				    sync_call_name((enum sync_call)(SYNC_MUTEX_LOCK + (int)i)));
}

static char *commands(const char *root)
{
	struct err err;
	char *text = tracefs_read(root, "uprobe_events", NULL, &err);

	assert_non_null(text);
	return text;
}

static void open_run(struct run_directory *run, const char *root)
{
	char *place = xasprintf("%s/run", root);
	struct err err;

	assert_int_equal(run_directory_open_in(run, place, &err), 0);
	free(place);
}

/* A file keeps what the kernel would do. */
static void each_function_of_the_own_library_is_probed_and_given_back(void **state)
{
	const pid_t own = getpid();
	const struct sync_target target = {.pids = &own, .pid_count = 1};
	struct run_directory run;
	struct sync_probes probes;
	char root[64], group[UPROBES_GROUP_SIZE], line[80], *text;
	struct err err;

	(void)state;
	dir_make(root);
	open_run(&run, root);
	dir_put(root, "uprobe_events", "");
	if (sync_probes_make(&probes, root, &target, &run, &err))
		fail_msg("%s", err.text);
	text = commands(root);
	uprobes_group(group, UPROBES_SYNC, &run);
	for (size_t i = 0; i < SYNC_PROBES; i++) {
		snprintf(line, sizeof(line), "p:%s/%s /", group, sync_probe_name(i));
		if (!strstr(text, line) || !uprobes_has(&probes.made, sync_probe_name(i)))
			fail_msg("no '%s' in %s", line, text);
	}
	assert_non_null(strstr(text, " object="));
	assert_non_null(strstr(text, " object2="));
	assert_non_null(strstr(text, " count="));
	assert_non_null(strstr(probes.note, "libc"));
	free(text);
	sync_probes_remove(&probes);
	text = commands(root);
	for (size_t i = 0; i < SYNC_PROBES; i++) {
		snprintf(line, sizeof(line), "-:%s/%s\n", group, sync_probe_name(i));
		if (!strstr(text, line))
			fail_msg("no '%s' in %s", line, text);
	}
	free(text);
	run_directory_close(&run);
	dir_remove(root);
}

static void a_kernel_without_probes_is_told_in_a_sentence(void **state)
{
	const pid_t own = getpid();
	const struct sync_target target = {.pids = &own, .pid_count = 1};
	struct run_directory run;
	struct sync_probes probes;
	char root[64];
	struct err err;

	(void)state;
	dir_make(root);
	open_run(&run, root);
	assert_int_equal(sync_probes_make(&probes, root, &target, &run, &err), -1);
	assert_non_null(strstr(err.text, "CONFIG_UPROBE_EVENTS"));
	sync_probes_remove(&probes);
	run_directory_close(&run);
	dir_remove(root);
}

/* The kernel would take what stands behind the blank for arguments of the probe. */
static void a_file_with_a_blank_in_its_path_is_not_probed(void **state)
{
	struct file_set own = {.count = 0};
	struct sync_target target = {.pid_count = 0};
	struct run_directory run;
	struct sync_probes probes;
	char root[64], *command, *text;
	struct err err;

	(void)state;
	dir_make(root);
	open_run(&run, root);
	dir_put(root, "uprobe_events", "");
	c_library_own(&own, "/proc");
	assert_true(own.count > 0);
	command = xasprintf("%s/a library", root);
	assert_int_equal(symlink(own.paths[0], command), 0);
	target.command = command;
	assert_int_equal(sync_probes_make(&probes, root, &target, &run, &err), -1);
	assert_non_null(strstr(err.text, "/a library: Invalid argument"));
	text = commands(root);
	assert_null(strstr(text, "a library"));
	free(text);
	sync_probes_remove(&probes);
	file_set_release(&own);
	free(command);
	run_directory_close(&run);
	dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_called_as_readers_know_them),
		cmocka_unit_test(each_function_of_the_own_library_is_probed_and_given_back),
		cmocka_unit_test(a_kernel_without_probes_is_told_in_a_sentence),
		cmocka_unit_test(a_file_with_a_blank_in_its_path_is_not_probed),
	};
	return RUN_TESTS(tests);
}
