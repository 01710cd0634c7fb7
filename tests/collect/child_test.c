/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support.h"

#include "base/err.h"
#include "collect/child.h"
#include "collect/stop_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static const struct stop_signals nothing = {.fd = -1};

static int run_with(const char *const *command, struct child_setup *setup, int *status)
{
	struct child child;
	struct err err;
	int code;

	setup->signals = &nothing;
	assert_int_equal(child_start(&child, command, setup, &err), 0);
	assert_int_equal(child_ended(&child, status), 0); /* it waits to be released */
	code = child_release(&child, command, &err) ? errno : 0;
	while (!code && !child_ended(&child, status))
		usleep(1000);
	assert_int_equal(child.pid, 0);
	return code;
}

static int run(const char *const *command, int *status)
{
	struct child_setup setup = {.signals = &nothing, .output = STDOUT_FILENO};

	return run_with(command, &setup, status);
}

static void the_exit_status_is_that_of_a_shell(void **state)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = {{"exit 0", 0}, {"exit 3", 3}, {"kill -TERM $$", 143}, {"kill -KILL $$", 137}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const command[] = {"sh", "-c", cases[i].script, NULL};
		int status = -1;

		assert_int_equal(run(command, &status), 0);
		assert_int_equal(status, cases[i].status);
	}
}

static void a_command_that_cannot_start_is_an_error(void **state)
{
	static const struct {
		const char *command;
		int code;
	} cases[] = {{"/no/such/command", ENOENT}, {"/", EACCES}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const command[] = {cases[i].command, NULL};
		int status;

		assert_int_equal(run(command, &status), cases[i].code);
	}
}

static void a_child_that_is_abandoned_never_execs(void **state)
{
	static const char *const command[] = {"sh", "-c", "kill -KILL $PPID", NULL};
	struct child_setup setup = {.signals = &nothing, .output = STDOUT_FILENO};
	struct child child;
	struct err err;

	(void)state;
	assert_int_equal(child_start(&child, command, &setup, &err), 0);
	child_abandon(&child);
	assert_int_equal(child.pid, 0);
	child_abandon(&child); /* nothing to do */
}

static int refuse(const void *context)
{
	return *(const int *)context;
}

static void a_callback_before_exec_can_refuse_it(void **state)
{
	static const char *const command[] = {"sh", "-c", "exit 0", NULL};
	const int codes[] = {0, EINVAL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct child_setup setup = {
			.output = STDOUT_FILENO, .prepare = refuse, .context = &codes[i]};
		int status;

		assert_int_equal(run_with(command, &setup, &status), codes[i]);
	}
}

static void the_cpu_time_is_that_of_the_whole_family(void **state)
{
	/* 300 000 rounds of a shell loop take at least tens of milliseconds on any machine. */
	static const char *const command[] = {
		"sh", "-c", "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; exit",
		NULL};
	struct child_setup setup = {.signals = &nothing, .output = STDOUT_FILENO};
	struct child child;
	struct err err;
	int status;

	(void)state;
	assert_int_equal(child_start(&child, command, &setup, &err), 0);
	assert_int_equal(child_release(&child, command, &err), 0);
	while (!child_ended(&child, &status))
		usleep(1000);
	assert_true(child.cpu_ns > 10000000);
}

enum { OTHER = 65534 };

struct users {
	uid_t real, effective, saved;
};

static int become(const void *context)
{
	const struct users *users = context;

	return setresuid(users->real, users->effective, users->saved) ? errno : 0;
}

static void a_child_that_runs_for_another_user_is_foreign(void **state)
{
	static const char *const command[] = {"cat", NULL};
	static const struct {
		struct users users;
		bool is_foreign;
	} cases[] = {{{0, 0, 0}, false},
		     {{OTHER, OTHER, OTHER}, true},
		     {{OTHER, 0, 0}, true}, /* a setuid program of root */
		     {{0, OTHER, 0}, true}};

	(void)state;
	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct child_setup setup = {.signals = &nothing,
					    .output = STDOUT_FILENO,
					    .prepare = become,
					    .context = &cases[i].users};
		struct child child;
		struct err err;
		int ends[2], status;

		assert_int_equal(pipe(ends), 0);
		assert_true(dup2(ends[0], STDIN_FILENO) >= 0); /* so it ends in time */
		close(ends[0]);
		fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		assert_int_equal(child_start(&child, command, &setup, &err), 0);
		assert_int_equal(child_release(&child, command, &err), 0);
		assert_int_equal(child_is_foreign(&child), cases[i].is_foreign);
		close(ends[1]);
		while (!child_ended(&child, &status))
			usleep(1000);
		assert_int_equal(status, 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_exit_status_is_that_of_a_shell),
	cmocka_unit_test(a_command_that_cannot_start_is_an_error),
	cmocka_unit_test(a_child_that_is_abandoned_never_execs),
	cmocka_unit_test(a_callback_before_exec_can_refuse_it),
	cmocka_unit_test(the_cpu_time_is_that_of_the_whole_family),
	cmocka_unit_test(a_child_that_runs_for_another_user_is_foreign),
};

TEST_FILE(tests);
