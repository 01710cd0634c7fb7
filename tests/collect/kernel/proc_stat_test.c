/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "collect/kernel/proc_stat.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void names_may_hold_anything(void **state)
{
	static const struct {
		const char *text;
		pid_t id, parent;
		char letter;
		const char *comm;
	} cases[] = {
		{"1 (init) S 0 1 1 0 -1", 1, 0, 'S', "init"},
		{"12 (tmux: server) R 1 12", 12, 1, 'R', "tmux: server"},
		{"12 (a) S 9 (b) D 3 4", 12, 3, 'D', "a) S 9 (b"},
		{"12 (:-)) t 3 4", 12, 3, 't', ":-)"},
		{"12 (() Z 3 4", 12, 3, 'Z', "("},
		{"12 () I 2 0", 12, 2, 'I', ""},
		{"12 (two\nlines\t) T 3 4", 12, 3, 'T', "two?lines?"},
		{"12 (\xc3\xa9t\xc3\xa9) S 3 4", 12, 3, 'S', "\xc3\xa9t\xc3\xa9"},
		{"15 (kworker/u8:0-events_unbound) I 2 0", 15, 2, 'I',
		 "kworker/u8:0-events_unbound"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proc_stat stat;

		assert_int_equal(
			proc_stat_read(&stat, file_with(cases[i].text, strlen(cases[i].text))), 0);
		assert_int_equal(stat.id, cases[i].id);
		assert_int_equal(stat.parent, cases[i].parent);
		assert_int_equal(stat.state, cases[i].letter);
		assert_string_equal(stat.comm, cases[i].comm);
	}
}

static void a_text_that_is_cut_short_is_refused(void **state)
{
	static const char *const cases[] = {
		"", "12", "12 (name", "12 (name)", "12 (name) S", ") S 1 (", "x (name) S 1"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proc_stat stat;

		assert_int_equal(proc_stat_read(&stat, file_with(cases[i], strlen(cases[i]))), -1);
	}
}

static void a_thread_was_born_at_a_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t start_ticks;
	} cases[] = {
		{"7 (a) S 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 1234 9 9", 1234},
		{"7 (a b) S 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 18446744073709551615",
		 UINT64_MAX},
		{"7 (a) S 1 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0", 0},
		{"7 (a) S 1 0", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proc_stat stat;

		assert_int_equal(
			proc_stat_read(&stat, file_with(cases[i].text, strlen(cases[i].text))), 0);
		assert_true(stat.start_ticks == cases[i].start_ticks);
	}
}

static void a_long_name_is_cut(void **state)
{
	struct proc_stat stat;
	const char *text =
		"7 (0123456789012345678901234567890123456789012345678901234567890123456789) "
		"S 1 1";

	(void)state;
	assert_int_equal(proc_stat_read(&stat, file_with(text, strlen(text))), 0);
	assert_int_equal(strlen(stat.comm), PROC_COMM_SIZE - 1);
}

static void this_process_is_found_in_proc(void **state)
{
	struct proc_stat stat;
	pid_t *ids;
	size_t count;
	int found = 0;

	(void)state;
	assert_int_equal(proc_stat_read(&stat, "/proc/self/stat"), 0);
	assert_int_equal(stat.id, getpid());
	assert_int_equal(stat.parent, getppid());
	assert_int_equal(proc_ids(&ids, &count, "/proc/self/task"), 0);
	for (size_t i = 0; i < count; i++)
		found += ids[i] == getpid();
	assert_int_equal(found, 1);
	free(ids);
	assert_int_equal(proc_ids(&ids, &count, "/proc/no-such-process"), -1);
	assert_int_equal(proc_stat_read(&stat, "/proc/no-such-process/stat"), -1);
}

/* The kernel and this function round the same clock down to ticks. */
static void a_process_starts_between_two_looks_at_the_clock(void **state)
{
	uint64_t before = proc_now_ticks(), after;
	struct proc_stat stat;
	char path[32];
	pid_t child = fork();

	(void)state;
	if (child == 0)
		for (;;)
			pause();
	after = proc_now_ticks();
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	assert_int_equal(proc_stat_read(&stat, path), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_in_range(stat.start_ticks, before, after);
}

static void cpus_are_busy_for_anyone_and_stolen_from(void **state)
{
	static const char text[] = "cpu  9 9 9 9 9 9 9 9 9 9\n"
				   "cpu0 100 10 20 5000 7 3 2 40 50 0\n"
				   "cpu2 1 2 3 4 5 6 7 8 0 0\n"
				   "cpu9 1 1 1 1 1 1 1 1 0 0\n"
				   "cpu1 1 2 3\n"
				   "intr 1 2 3\n"
				   "cpu1 1 1 1 1 1 1 1 1 0 0\n";
	struct cpu_ticks cpus[4];

	(void)state;
	proc_cpu_ticks(cpus, 4, file_with(text, strlen(text)));
	assert_int_equal(cpus[0].busy, 175);
	assert_int_equal(cpus[0].steal, 40);
	assert_int_equal(cpus[1].busy, 0);
	assert_int_equal(cpus[2].busy, 27);
	assert_int_equal(cpus[2].steal, 8);
	assert_int_equal(cpus[3].busy, 0);
	proc_cpu_ticks(cpus, 4, "/none");
	assert_int_equal(cpus[0].busy, 0);
}

static void cpus_that_come_or_go_have_no_known_use(void **state)
{
	static const struct {
		struct cpu_ticks before, now, used;
	} cases[] = {
		{{100, 10}, {130, 11}, {30, 1}}, {{100, 10}, {100, 10}, {0, 0}},
		{{0, 0}, {5000, 300}, {0, 0}},	 {{5000, 300}, {0, 0}, {0, 0}},
		{{100, 10}, {130, 9}, {0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cpu_ticks used = proc_cpu_ticks_since(&cases[i].now, &cases[i].before);

		assert_int_equal(used.busy, cases[i].used.busy);
		assert_int_equal(used.steal, cases[i].used.steal);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(cpus_that_come_or_go_have_no_known_use),
	cmocka_unit_test(names_may_hold_anything),
	cmocka_unit_test(a_text_that_is_cut_short_is_refused),
	cmocka_unit_test(a_thread_was_born_at_a_time),
	cmocka_unit_test(a_long_name_is_cut),
	cmocka_unit_test(this_process_is_found_in_proc),
	cmocka_unit_test(a_process_starts_between_two_looks_at_the_clock),
	cmocka_unit_test(cpus_are_busy_for_anyone_and_stolen_from),
};

TEST_FILE(tests);
