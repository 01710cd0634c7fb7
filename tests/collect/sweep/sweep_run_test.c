/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/sweep/sweep_run.h"

#include "base/err.h"
#include "base/io/files.h"
#include "base/monotonic.h"
#include "collect/kernel/cpu_list.h"
#include "collect/stop_signals.h"
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	struct stop_signals signals;
	struct sweep_run_setup setup;
	struct sweep_run run;
	struct err err;
	char printed[256];
};

/* Runs a shell script by `fixture->setup`. */
static int run(struct fixture *fixture, const char *script)
{
	const char *const command[] = {"sh", "-c", script, NULL};
	ssize_t got;
	int rc;

	fixture->setup.command = command;
	fixture->setup.output = scratch_file_open(&fixture->err);
	fixture->setup.signals = &fixture->signals;
	assert_int_equal(stop_signals_block(&fixture->signals, &fixture->err), 0);
	rc = sweep_run(&fixture->run, &fixture->setup, &fixture->err);
	stop_signals_restore(&fixture->signals);
	got = pread(fixture->setup.output, fixture->printed, sizeof(fixture->printed) - 1, 0);
	fixture->printed[got > 0 ? got : 0] = '\0';
	close(fixture->setup.output);
	return rc;
}

static void the_wall_time_is_that_from_exec_to_exit(void **state)
{
	struct fixture fixture = {.printed = ""};
	uint64_t begin_ns = monotonic_ns(), all_ns;

	(void)state;
	assert_int_equal(run(&fixture, "sleep 0.3"), 0);
	all_ns = monotonic_ns() - begin_ns;
	assert_true(fixture.run.wall_ns >= 300000000);
	assert_true(fixture.run.wall_ns <= all_ns);
	assert_true(fixture.run.cpu_ns < fixture.run.wall_ns);
}

static void output_and_errors_go_to_the_output_in_order(void **state)
{
	struct fixture fixture = {.printed = ""};

	(void)state;
	assert_int_equal(run(&fixture, "echo out; echo err >&2; cat; echo end; exit 5"), 0);
	assert_string_equal(fixture.printed, "out\nerr\nend\n");
	assert_int_equal(fixture.run.status, 5);
	assert_false(fixture.run.timed_out);
	assert_int_equal(fixture.run.stopped_by, 0);
}

static void a_run_gets_its_environment_and_its_cpus(void **state)
{
	static const char *const env[] = {"PSCAL_TEST=one two", "HOME=/nowhere", NULL};
	struct fixture fixture = {.setup = {.env = env}};
	struct cpu_mask mask = {{false}};
	char want[64];
	int cpu = 0;

	(void)state;
	assert_int_equal(cpu_mask_add_affinity(&mask, 0), 0);
	for (int i = 0; i < CPU_LIST_MAX; i++) /* the last allowed CPU */
		cpu = mask.has[i] ? i : cpu;
	fixture.setup.cpus = &cpu;
	fixture.setup.cpu_count = 1;
	snprintf(want, sizeof(want), "one two /nowhere %d\n", cpu);
	assert_int_equal(run(&fixture, "echo $PSCAL_TEST $HOME $(sed -n "
				       "'s/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"),
			 0);
	assert_string_equal(fixture.printed, want);
	assert_null(getenv("PSCAL_TEST"));
}

static void a_run_that_takes_too_long_is_ended_with_its_children(void **state)
{
	static const struct {
		const char *script;
		int status; /* of a shell that SIGTERM ends, or that ends by itself */
	} cases[] = {
		{"sleep 60", 143},
		{"sleep 60 & echo $!; wait", 143},
		{"trap 'exit 9' TERM; sleep 60 & echo $!; wait", 9},
		{"sleep 60 & echo $!; kill -STOP $$", 143},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture = {.setup = {.timeout_ns = 300000000}};
		pid_t left;

		assert_int_equal(run(&fixture, cases[i].script), 0);
		assert_true(fixture.run.timed_out);
		assert_int_equal(fixture.run.status, cases[i].status);
		assert_true(fixture.run.wall_ns >= 300000000 && fixture.run.wall_ns < 4000000000);
		left = atoi(fixture.printed);
		for (int tries = 0; left && kill(left, 0) == 0 && tries < 300; tries++)
			usleep(10000); /* until init has waited for it */
		assert_true(!left || kill(left, 0) < 0);
	}
}

static void a_run_that_ignores_the_signal_is_killed(void **state)
{
	struct fixture fixture = {.setup = {.timeout_ns = 200000000}};

	(void)state;
	assert_int_equal(run(&fixture, "trap '' TERM; while :; do sleep 60; done"), 0);
	assert_true(fixture.run.timed_out);
	assert_int_equal(fixture.run.status, 137);
	assert_true(fixture.run.wall_ns >= 5000000000); /* the time between SIGTERM and SIGKILL */
}

static void a_signal_ends_the_run_and_is_reported(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture fixture = {.printed = ""};
		char script[64];

		snprintf(script, sizeof(script), "sleep 0.1; kill -%d $PPID; sleep 60", signals[i]);
		assert_int_equal(run(&fixture, script), 0);
		assert_int_equal(fixture.run.stopped_by, signals[i]);
		assert_int_equal(fixture.run.status, 143);
		assert_true(fixture.run.wall_ns < 4000000000);
	}
}

/* The command stops this process, which continues long after the command has ended. */
static void a_stop_of_the_watching_process_is_noticed(void **state)
{
	struct fixture fixture = {.printed = ""};
	char script[128];

	(void)state;
	snprintf(script, sizeof(script), "kill -STOP %d; (sleep 0.2; kill -CONT %d) &", getpid(),
		 getpid());
	assert_int_equal(run(&fixture, script), 0);
	assert_true(fixture.run.paused);
	assert_int_equal(fixture.run.stopped_by, 0);
	assert_int_equal(run(&fixture, "exit 0"), 0);
	assert_false(fixture.run.paused);
}

static void a_command_that_cannot_start_is_an_error(void **state)
{
	static const char *const command[] = {"/no/such/command", NULL};
	const int no_cpu = CPU_LIST_MAX - 1;
	struct fixture fixture = {.setup = {.command = command, .output = 1}};

	(void)state;
	fixture.setup.signals = &fixture.signals;
	assert_int_equal(stop_signals_block(&fixture.signals, &fixture.err), 0);
	assert_int_equal(sweep_run(&fixture.run, &fixture.setup, &fixture.err), -1);
	stop_signals_restore(&fixture.signals);
	assert_string_equal(fixture.err.text, "/no/such/command: cannot be started: No such file "
					      "or directory");
	fixture.setup.cpus = &no_cpu;
	fixture.setup.cpu_count = 1;
	assert_int_equal(run(&fixture, "exit 0"), -1);
	assert_non_null(strstr(fixture.err.text, "cannot be started"));
}

static void count_ticks(void *context, uint64_t elapsed_ns)
{
	uint64_t *last = context;

	assert_true(elapsed_ns >= *last);
	*last = elapsed_ns;
}

static void a_watcher_learns_the_time_so_far(void **state)
{
	uint64_t last = 0;
	struct fixture fixture = {.setup = {.tick = count_ticks, .context = &last}};

	(void)state;
	assert_int_equal(run(&fixture, "sleep 0.5"), 0);
	assert_true(last >= 400000000);
}

static int output_of(const void *bytes, size_t length)
{
	struct err err;
	int fd = scratch_file_open(&err);

	assert_true(fd >= 0);
	assert_int_equal(scratch_file_write(fd, bytes, length, &err), 0);
	return fd;
}

static bool add(void *context, const char *line)
{
	char *text = context;

	strcat(strcat(text, line), "/");
	return strcmp(line, "enough") != 0;
}

static void lines_end_as_programs_end_them(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *lines;
	} cases[] = {
		{"", 0, ""},
		{"a\nb\n", 4, "a/b/"},
		{"a\nb", 3, "a/b/"},
		{"a\r\nb\r\n", 6, "a/b/"},
		{"10%\r20%\r", 8, "10%/20%/"},
		{"\n\n\na", 4, "a/"},
		{"a\0b\n", 4, "a/b/"},
		{"a\nenough\nb", 10, "a/enough/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = output_of(cases[i].bytes, cases[i].length);
		char text[64] = "";

		sweep_output_lines(fd, add, text);
		assert_string_equal(text, cases[i].lines);
		close(fd);
	}
}

static bool count(void *context, const char *line)
{
	size_t *lengths = context;

	lengths[0]++;
	lengths[1] += strlen(line);
	assert_true(strlen(line) <= SWEEP_LINE_MAX);
	return true;
}

static void a_line_without_an_end_takes_no_more_memory(void **state)
{
	enum { SIZE = 20 * SWEEP_LINE_MAX + 5 };
	char *bytes = calloc(SIZE, 1);
	size_t lengths[2] = {0, 0};
	int fd;

	(void)state;
	memset(bytes, 'x', SIZE);
	fd = output_of(bytes, SIZE);
	sweep_output_lines(fd, count, lengths);
	assert_int_equal(lengths[0], 21);
	assert_int_equal(lengths[1], SIZE);
	close(fd);
	free(bytes);
}

static bool find_rate(void *context, const char *line)
{
	size_t *found = context;

	*found += strstr(line, "12345.6e+7,") != NULL;
	return true;
}

static void a_number_is_not_cut_in_two(void **state)
{
	static const char rate[] = ":12345.6e+7,";
	enum { SIZE = 2 * SWEEP_LINE_MAX };
	char *bytes = malloc(SIZE);

	(void)state;
	for (size_t at = 0; at <= strlen(rate); at++) {
		size_t found = 0;
		int fd;

		memset(bytes, 'x', SIZE);
		memcpy(bytes + SWEEP_LINE_MAX - at, rate, strlen(rate));
		fd = output_of(bytes, SIZE);
		sweep_output_lines(fd, find_rate, &found);
		assert_int_equal(found, 1);
		close(fd);
	}
	free(bytes);
}

static void the_end_of_the_output_is_fit_for_a_sentence(void **state)
{
	char long_line[2000], want[100];
	const struct {
		const char *output, *end;
	} cases[] = {
		{"", ""},
		{"\n\n", ""},
		{"one\n", "one"},
		{"one\ntwo\nthree\nfour\n\n", "two | three | four"},
		{"a\tb\033[0m\n", "a?b?[0m"},
		{long_line, want},
	};

	(void)state;
	memset(long_line, 'y', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	memset(want, 'y', sizeof(want));
	want[99] = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = output_of(cases[i].output, strlen(cases[i].output));
		char *end = sweep_output_end(fd);

		assert_string_equal(end, cases[i].end);
		free(end);
		close(fd);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_wall_time_is_that_from_exec_to_exit),
	cmocka_unit_test(output_and_errors_go_to_the_output_in_order),
	cmocka_unit_test(a_run_gets_its_environment_and_its_cpus),
	cmocka_unit_test(a_run_that_takes_too_long_is_ended_with_its_children),
	cmocka_unit_test(a_run_that_ignores_the_signal_is_killed),
	cmocka_unit_test(a_signal_ends_the_run_and_is_reported),
	cmocka_unit_test(a_stop_of_the_watching_process_is_noticed),
	cmocka_unit_test(a_command_that_cannot_start_is_an_error),
	cmocka_unit_test(a_watcher_learns_the_time_so_far),
	cmocka_unit_test(lines_end_as_programs_end_them),
	cmocka_unit_test(a_line_without_an_end_takes_no_more_memory),
	cmocka_unit_test(a_number_is_not_cut_in_two),
	cmocka_unit_test(the_end_of_the_output_is_fit_for_a_sentence),
};

TEST_FILE(tests);
