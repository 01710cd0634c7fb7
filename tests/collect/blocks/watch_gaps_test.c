/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/watch_gaps.h"

#include "collect/blocks/function_reader.h"
#include "collect/patch/probe_plan.h"
#include "collect/recording/recording.h"
#include "collect/target/lineage.h"
#include "support.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	const char *late[4]; /* files that were mapped after functions had been patched */
	size_t late_count;
	struct lineage lineage;
	struct recording recording;
	struct watch_gaps gaps;
	char *told;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->lineage.proc = "/nowhere";
	f->recording.counts.lineage = &f->lineage;
	lineage_give_process(&f->lineage, 10, 1);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	watch_gaps_release(&f->gaps);
	recording_drop(&f->recording);
	lineage_release(&f->lineage);
	free(f->told);
	free(f);
	return 0;
}

static void add_exec(struct fixture *f, uint32_t pid, const char *name)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[16];
	} record = {{PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record)}, pid, pid, ""};

	strncpy(record.name, name, sizeof(record.name) - 1);
	recording_count(&f->recording, &record);
}

static void add_child(struct fixture *f, pid_t pid)
{
	lineage_birth(&f->lineage, &(struct lineage_birth){1000, pid, pid, 10, 10, false});
	lineage_settle(&f->lineage, 1000);
}

static bool has_function(void *context, const char *path, const char *glob)
{
	struct function_reader reader = {.why = NULL};
	const struct user_file file = {path, geteuid(), getegid()};
	bool has = function_reader_has(&reader, &file, glob, UINT64_MAX);

	(void)context;
	function_reader_release(&reader);
	return has;
}

/* NULL: no gap. */
static const char *told(struct fixture *f, const char *const *patterns)
{
	const struct probe_plan plan = {.patterns = patterns};

	for (size_t i = 0; i < f->late_count; i++)
		watch_gaps_late(&f->gaps, f->late[i], &plan, has_function, NULL);
	f->told = watch_gaps_tell(&f->gaps, &f->recording.counts);
	return f->told;
}

/* --- Programs ------------------------------------------------------------------------------- */

static void programs_with_the_library_are_no_gap(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "first");
	add_exec(f, 10, "second");
	watch_gaps_begun(&f->gaps, 10);
	watch_gaps_begun(&f->gaps, 10);
	assert_null(told(f, NULL));
}

static void a_program_without_the_library_is_named_after_another_one_too(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "shell");
	add_exec(f, 10, "static");
	add_child(f, 11);
	add_exec(f, 11, "setuid");
	watch_gaps_begun(&f->gaps, 10);
	assert_non_null(told(f, NULL));
	assert_non_null(
		strstr(f->told, "static (process 10), setuid (process 11) loaded no probe"));
}

static void programs_outside_the_target_do_not_count(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "mine");
	add_exec(f, 77, "other");
	watch_gaps_begun(&f->gaps, 10);
	assert_null(told(f, NULL));
}

static void of_many_programs_three_are_named(void **state)
{
	struct fixture *f = *state;

	for (uint32_t pid = 11; pid < 17; pid++) {
		add_child(f, (pid_t)pid);
		add_exec(f, pid, "some");
	}
	assert_non_null(told(f, NULL));
	assert_non_null(strstr(f->told, "some (process 13) and others loaded"));
	assert_null(strstr(f->told, "process 14"));
}

/* --- Files ---------------------------------------------------------------------------------- */

/* The real path of a library of this process. */
static void find_library(char path[4096])
{
	char line[4096 + 100];
	FILE *maps = fopen("/proc/self/maps", "re");

	*path = '\0';
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "libc.so.6"))
			sscanf(line, "%*s %*s %*s %*s %*s %4095s", path);
	fclose(maps);
	assert_true(*path);
}

static const char *told_of_files(struct fixture *f, const char *pattern)
{
	const char *const patterns[] = {"nothing_of_this_name", pattern, NULL};
	char path[4096];

	find_library(path);
	f->late[0] = "/no/such/program";
	f->late[1] = f->late[2] = path;
	f->late_count = 3;
	return told(f, patterns);
}

static void a_file_that_was_mapped_late_is_named_once(void **state)
{
	const char *library;

	assert_non_null(told_of_files(*state, "libc:puts"));
	library = strstr(((struct fixture *)*state)->told, "libc.so.6");
	assert_non_null(library);
	assert_memory_equal(library, "libc.so.6 was loaded after", 25);
	assert_null(strstr(library + 1, "libc.so.6"));
}

static void a_late_file_without_such_functions_is_not_named(void **state)
{
	assert_null(told_of_files(*state, "libc:no_such_function"));
}

static void a_late_file_that_was_not_requested_is_not_named(void **state)
{
	assert_null(told_of_files(*state, "libm:puts"));
}

static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	CASE(programs_with_the_library_are_no_gap),
	CASE(a_program_without_the_library_is_named_after_another_one_too),
	CASE(programs_outside_the_target_do_not_count),
	CASE(of_many_programs_three_are_named),
	CASE(a_file_that_was_mapped_late_is_named_once),
	CASE(a_late_file_without_such_functions_is_not_named),
	CASE(a_late_file_that_was_not_requested_is_not_named),
};

TEST_FILE(tests);
