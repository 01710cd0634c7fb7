/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/watch_gaps.h"

#include "collect/collect_dir.h"
#include "collect/probe_plan.h"
#include "collect/tally.h"

#include <linux/perf_event.h>
#include <unistd.h>

struct fixture {
	char root[64];
	struct tally tally;
	struct watch_gaps gaps;
	char *told;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	dir_make(f->root);
	tally_thread(&f->tally, 10, 10);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	watch_gaps_release(&f->gaps);
	tally_release(&f->tally);
	dir_remove(f->root);
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
	tally_record(&f->tally, &record.header);
}

static void add_child(struct fixture *f, uint32_t pid)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time_ns;
	} record = {{PERF_RECORD_FORK, 0, sizeof(record)}, pid, 10, pid, 10, 1000};

	tally_record(&f->tally, &record.header);
}

/* NULL: nothing. */
static const char *told(struct fixture *f, const char *const *patterns)
{
	const struct probe_plan plan = {.patterns = patterns};

	watch_gaps_read(&f->gaps, f->root, &plan);
	f->told = watch_gaps_tell(&f->gaps, &f->tally);
	return f->told;
}

/* --- Programs ------------------------------------------------------------------------------- */

static void programs_with_the_library_are_no_gap(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "first");
	add_exec(f, 10, "second");
	dir_put(f->root, "program-10-100", "");
	dir_put(f->root, "program-10-200", "");
	assert_null(told(f, NULL));
}

/* It says itself why it does nothing. */
static void programs_with_a_library_of_another_version_are_none(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "first");
	dir_put(f->root, "trouble-10-0", "of another version\n");
	assert_null(told(f, NULL));
}

static void other_troubles_are_of_programs_that_have_begun(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "first");
	add_exec(f, 10, "second");
	dir_put(f->root, "program-10-200", "");
	dir_put(f->root, "trouble-10-200", "a thread is not recorded\n");
	assert_non_null(told(f, NULL));
}

static void a_program_without_it_is_named_also_where_another_one_was_before(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "shell");
	add_exec(f, 10, "static");
	add_child(f, 11);
	add_exec(f, 11, "setuid");
	dir_put(f->root, "program-10-100", "");
	/* Of a child before its exec; no program began in it. */
	dir_put(f->root, "maps-11-100", "");
	assert_non_null(told(f, NULL));
	assert_non_null(
		strstr(f->told, "static (process 10), setuid (process 11) loaded no probe"));
}

static void programs_of_others_do_not_count(void **state)
{
	struct fixture *f = *state;

	add_exec(f, 10, "mine");
	add_exec(f, 77, "other");
	dir_put(f->root, "program-10-100", "");
	assert_null(told(f, NULL));
}

static void of_many_programs_three_are_named(void **state)
{
	struct fixture *f = *state;

	for (uint32_t pid = 11; pid < 17; pid++) {
		add_child(f, pid);
		add_exec(f, pid, "some");
	}
	assert_non_null(told(f, NULL));
	assert_non_null(strstr(f->told, "some (process 13) and others loaded"));
	assert_null(strstr(f->told, "process 14"));
}

/* --- Files ---------------------------------------------------------------------------------- */

/* A library that is there, by its real path. */
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

static const char *told_of_files(struct fixture *f, bool late, const char *pattern)
{
	const char *const patterns[] = {"nothing_of_this_name", pattern, NULL};
	char path[4096], maps[3 * 4096];

	find_library(path);
	snprintf(maps, sizeof(maps),
		 "1000-2000 r-xp 00000000 08:01 5 /bin/program\n"
		 "7000-8000 r-xp 00000000 08:01 6 %s\n"
		 "1000-2000 r-xp 00000000 08:01 5 /bin/program\n"
		 "7000-8000 r-xp 00000000 08:01 7 %s\n",
		 late ? "/lib/early.so" : path, path);
	dir_put(f->root, "maps-10-100", maps);
	return told(f, patterns);
}

static void a_file_that_came_late_is_named(void **state)
{
	assert_non_null(told_of_files(*state, true, "libc:puts"));
	assert_non_null(strstr(((struct fixture *)*state)->told, "libc.so.6 was loaded when"));
}

static void one_that_was_there_is_not(void **state)
{
	assert_null(told_of_files(*state, false, "libc:puts"));
}

static void one_without_such_functions_is_not(void **state)
{
	assert_null(told_of_files(*state, true, "libc:no_such_function"));
}

static void one_that_nobody_meant_is_not(void **state)
{
	assert_null(told_of_files(*state, true, "libm:puts"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		CASE(programs_with_the_library_are_no_gap),
		CASE(programs_with_a_library_of_another_version_are_none),
		CASE(other_troubles_are_of_programs_that_have_begun),
		CASE(a_program_without_it_is_named_also_where_another_one_was_before),
		CASE(programs_of_others_do_not_count),
		CASE(of_many_programs_three_are_named),
		CASE(a_file_that_came_late_is_named),
		CASE(one_that_was_there_is_not),
		CASE(one_without_such_functions_is_not),
		CASE(one_that_nobody_meant_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
