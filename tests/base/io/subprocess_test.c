/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/io/subprocess.h"

#include "base/err.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define LIMIT(s)      ((struct subprocess_limits){.seconds = (s)})
#define SHELL(script) ((const char *const[]){"sh", "-c", script, NULL})

static const struct {
	const char *script;
	const char *input;
	const char *output, *errors;
	int exit_status;
} cases[] = {
	{"cat", "a\nb", "a\nb", "", 0},
	{"cat", "", "", "", 0},
	{"cat >&2; exit 3", "oh", "", "oh", 3},
	{"kill -9 $$", "", "", "", -1},
	{"echo out; echo err >&2", "not read", "out\n", "err\n", 0},
	/* The program closes its outputs before it ends. */
	{"exec >&- 2>&-; sleep .05; exit 2", "", "", "", 2},
};

static void outputs_and_exit_status_of_a_program_are_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct subprocess subprocess;
		struct err err;

		assert_int_equal(subprocess_run(&subprocess, SHELL(cases[i].script), cases[i].input,
						strlen(cases[i].input), LIMIT(10), &err),
				 0);
		assert_string_equal(subprocess.output, cases[i].output);
		assert_string_equal(subprocess.errors, cases[i].errors);
		assert_int_equal(subprocess.output_size, strlen(cases[i].output));
		assert_int_equal(subprocess.exit_status, cases[i].exit_status);
		assert_false(subprocess.missing);
		subprocess_release(&subprocess);
	}
}

/* The texts are longer than pipes hold, in both directions at once. */
static void long_texts_go_both_ways(void **state)
{
	enum { SIZE = 1 << 22 };
	char *input = malloc(SIZE);
	struct subprocess subprocess;
	struct err err;

	(void)state;
	memset(input, 'x', SIZE);
	assert_int_equal(
		subprocess_run(&subprocess, SHELL("tee /dev/stderr"), input, SIZE, LIMIT(30), &err),
		0);
	assert_int_equal(subprocess.output_size, SIZE);
	assert_int_equal(subprocess.errors_size, SIZE);
	assert_memory_equal(subprocess.output, input, SIZE);
	subprocess_release(&subprocess);
	/* A program may end without reading its input. */
	assert_int_equal(subprocess_run(&subprocess, SHELL("exec <&-; exit 4"), input, SIZE,
					LIMIT(30), &err),
			 0);
	assert_int_equal(subprocess.exit_status, 4);
	subprocess_release(&subprocess);
	free(input);
}

static void a_missing_program_has_an_error_of_its_own(void **state)
{
	static const char *const command[] = {"no-such-program-anywhere", NULL};
	struct subprocess subprocess;
	struct err err;

	(void)state;
	assert_int_equal(subprocess_run(&subprocess, command, "", 0, LIMIT(10), &err), -1);
	assert_true(subprocess.missing);
	assert_non_null(strstr(err.text, "no-such-program-anywhere: cannot be started"));
	subprocess_release(&subprocess);
}

static void a_program_that_does_not_end_is_ended(void **state)
{
	static const char *const scripts[] = {"exec sleep 60", "exec >&- 2>&-; exec sleep 60"};
	struct subprocess subprocess;
	struct err err;

	(void)state;
	assert_int_equal(subprocess_run(&subprocess, SHELL(scripts[0]), "", 0, LIMIT(1), &err), -1);
	assert_string_equal(err.text, "sh: takes too long, and was ended");
	subprocess_release(&subprocess);
	assert_int_equal(subprocess_run(&subprocess, SHELL(scripts[1]), "", 0, LIMIT(1), &err), 0);
	assert_int_equal(subprocess.exit_status, -1);
	subprocess_release(&subprocess);
}

static void a_program_that_writes_without_end_is_ended(void **state)
{
	static const char *const command[] = {"yes", NULL};
	struct subprocess subprocess;
	struct err err;

	(void)state;
	assert_int_equal(subprocess_run(&subprocess, command, "", 0, LIMIT(60), &err), -1);
	assert_string_equal(err.text, "yes: writes more than 64 MiB");
	subprocess_release(&subprocess);
}

static void a_program_that_takes_too_much_memory_fails(void **state)
{
	static const struct subprocess_limits limits = {.seconds = 30, .memory_bytes = 1 << 28};
	const char *const command[] = {"dd",	  "if=/dev/zero", "of=/dev/null",
				       "bs=512M", "count=1",	  NULL};
	struct subprocess subprocess;
	struct err err;

	(void)state;
	assert_int_equal(subprocess_run(&subprocess, command, "", 0, LIMIT(30), &err), 0);
	assert_int_equal(subprocess.exit_status, 0);
	subprocess_release(&subprocess);
	assert_int_equal(subprocess_run(&subprocess, command, "", 0, limits, &err), 0);
	assert_int_equal(subprocess.exit_status, 1);
	subprocess_release(&subprocess);
}

/* The pipe ends when both programs have ended. */
static void a_program_ends_with_the_one_that_started_it(void **state)
{
	int ends[2];
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct subprocess subprocess;
		struct err err;

		alarm(1); /* ends this program like a signal of another one */
		_exit(subprocess_run(&subprocess, SHELL("exec sleep 20"), "", 0, LIMIT(30), &err));
	}
	close(ends[1]);
	waitpid(child, NULL, 0);
	alarm(10);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	alarm(0);
	close(ends[0]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(outputs_and_exit_status_of_a_program_are_kept),
	cmocka_unit_test(long_texts_go_both_ways),
	cmocka_unit_test(a_missing_program_has_an_error_of_its_own),
	cmocka_unit_test(a_program_that_does_not_end_is_ended),
	cmocka_unit_test(a_program_that_writes_without_end_is_ended),
	cmocka_unit_test(a_program_that_takes_too_much_memory_fails),
	cmocka_unit_test(a_program_ends_with_the_one_that_started_it),
};

TEST_FILE(tests);
