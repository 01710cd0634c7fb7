/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs print the same and end the same with the probe library in them; and the library records
 * the calls that they made.
 */
#include "probe/watched_run.h"

#include "support.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

static const char *const watched[] = {"watch_*", NULL};

static void with_large_stack(void)
{
	const struct rlimit limit = {UINT64_C(1) << 30, UINT64_C(1) << 30};

	if (setrlimit(RLIMIT_STACK, &limit))
		_exit(96);
}

/* --- Behaviour ------------------------------------------------------------------------------ */

static void programs_behave_the_same_and_their_calls_are_recorded(void **state)
{
	/* The number of calls is known from the program; 0: it depends on time or the compiler. */
	static const struct {
		const char *program, *mode, *function;
		uint64_t enters, leaves;
	} cases[] = {
		{"calls", "registers", "watch_varargs", 1000, 1000},
		{"calls", "registers", "watch_large", 2000, 2000},
		{"calls", "registers", "watch_two_x87", 1000, 1000},
		{"calls", "deep", "watch_deep", 2200002, 2200002},
		{"calls", "recursion", "watch_fib", 21891, 21891},
		{"calls", "recursion", "watch_even", 1002, 1002},
		{"calls", "tails", "watch_jump_a", 100001, 100001},
		{"calls", "tails", "watch_jump_b", 100000, 100000},
		{"jumps", "longjmp", "watch_catcher", 20000, 20000},
		{"jumps", "longjmp", "watch_jumper", 210000, 0},
		{"jumps", "longjmp", "watch_leaf", 20000, 20000},
		{"jumps", "signals", "watch_busy", 0, 0},
		{"jumps", "siglongjmp", "watch_busy", 0, 0},
		{"jumps", "sigaltstack", "watch_busy", 0, 0},
		{"jumps", "coroutines", "watch_yield", 800, 800},
		{"jumps", "coroutines", "watch_resume", 808, 808},
		{"jumps", "moving", "watch_yield", 800, 800},
		{"jumps", "moving", "watch_resume", 808, 808},
		{"throws", "exceptions", "watch_catch", 3000, 3000},
		{"throws", "exceptions", "watch_throw", 19500, 0},
		{"throws", "deep", "watch_throw", 20001, 0},
		{"throws", "uncaught", "watch_uncaught", 0, 0},
		{"throws", "backtrace", "watch_backtrace", 210, 210},
		{"throws", "abort", "watch_abort", 11, 0},
		{"throws", "exit", "watch_exit", 11, 0},
		{"throws", "cancel", "watch_sleep", 11, 0},
		{"throws", "cancel", "watch_spin", 11, 0},
		{"ends", "fork", "watch_fork", 6, 12},
		{"ends", "fork", "watch_leaf", 1312, 1312},
		{"ends", "programs", "watch_vfork", 1, 1},
		{"ends", "programs", "watch_leaf", 401, 401},
		{"ends", "quick", "watch_leaf", 100, 100},
		{"ends", "exec", "watch_leaf", 200, 200},
		{"ends", "exec", "watch_exec", 1, 0},
		{"ends", "abort", "watch_leaf", 100, 100},
		{"ends", "crash", "watch_leaf", 100, 100},
		{"ends", "crash", "watch_crash", 1, 0},
		{"ends", "kill", "watch_leaf", 100, 100},
		{"ends", "descriptors", "watch_leaf", 100100, 100100},
		{"ends", "user", "watch_leaf", 0, 0},
		{"threads", "many", "watch_thread", 2000, 2000},
		{"threads", "many", "watch_destroy", 2000, 2000},
		{"threads", "many", "watch_leaf", 4000, 4000},
		{"threads", "small", "watch_small", 100, 100},
		{"threads", "small", "watch_leaf", 300, 300},
		{"threads", "gone", "watch_gone", 21, 1},
		{"threads", "gone", "watch_leaf", 21, 21},
		{"threads", "libraries", "instrumented_sum", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const words[] = {cases[i].program, cases[i].mode, NULL};
		struct watched_run run = {.words = words,
					  .names = watched,
					  .every = 1,
					  .arguments = (uint32_t)i % 5,
					  .stack_every = i % 2 ? 100 : 0,
					  .prepare = with_large_stack};
		struct watched_function found;

		watched_run_both(&run);
		found = watched_run_find(&run, cases[i].function);
		if (cases[i].enters &&
		    (found.enters != cases[i].enters || found.leaves != cases[i].leaves))
			fail_msg("%s %s: %s is entered %lu times, left %lu times", words[0],
				 words[1], cases[i].function, found.enters, found.leaves);
		if (*run.trouble)
			fail_msg("%s %s: %s", words[0], words[1], run.trouble);
		assert_int_equal(run.missing, 0);
		watched_run_release(&run);
	}
}

/* The library calls no watched function of the C library, and changes neither errno nor
 * floating-point state. */
static void the_c_library_is_watched(void **state)
{
	static const char *const names[] = {"malloc",
					    "free",
					    "calloc",
					    "realloc",
					    "__libc_malloc",
					    "__libc_free",
					    "*mem[cs]*",
					    "pthread_*",
					    "___pthread_*",
					    "__pthread_mutex*",
					    "read",
					    "__read",
					    "__write",
					    "__libc_write",
					    "recv",
					    "__libc_recv",
					    "write",
					    "open*",
					    "__open*",
					    "sem_*",
					    "__new_sem*",
					    "mmap",
					    "__mmap",
					    "munmap",
					    "mprotect",
					    "clock_gettime",
					    "__clock_gettime*",
					    "getpid",
					    "sched_yield",
					    "madvise",
					    NULL};
	static const char *const objects[] = {"/lib/x86_64-linux-gnu/libc.so.6",
					      "/lib64/libc.so.6"};
	static const char *const words[] = {"threads", "c_library", NULL};
	struct watched_run run = {.words = words, .names = names, .every = 1, .arguments = 4};

	(void)state;
	for (size_t i = 0; i < 2 && !run.object; i++)
		if (access(objects[i], R_OK) == 0)
			run.object = objects[i];
	run.object = realpath(run.object, NULL);
	watched_run_both(&run);
	assert_true(run.patches > 50);
	assert_true(run.events > 100000);
	assert_int_equal(run.torn + run.missing, 0);
	free((void *)(uintptr_t)run.object);
	watched_run_release(&run);
}

static void threads_that_begin_before_the_program_are_recorded(void **state)
{
	static const char *const words[] = {"early_main", NULL, NULL};
	struct watched_run run = {.words = words, .names = watched, .every = 1};
	char path[400], *end;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 40);

	(void)state;
	assert_true(length > 0);
	path[length] = '\0';
	end = strrchr(path, '/');
	strcpy(end, "/targets/libearly.so");
	run.object = path;
	watched_run_both(&run);
	assert_int_equal(run.status, 0);
	assert_int_equal(watched_run_find(&run, "watch_early").leaves, 1000);
	watched_run_release(&run);
}

/* Each call has the same chance: 500 of 2 000 000, plus or minus five standard deviations. */
static void a_random_share_of_calls_is_recorded(void **state)
{
	static const char *const words[] = {"ends", "much", NULL};
	struct watched_run run = {.words = words, .names = watched, .every = 4000};

	(void)state;
	watched_run_both(&run);
	assert_in_range(watched_run_find(&run, "watch_leaf").enters, 500 - 112, 500 + 112);
	assert_int_equal(run.crossed + run.unmatched, 0);
	watched_run_release(&run);
}

/* One call in each of 2000 threads: the first call of a thread has the same chance as all calls. */
static void first_calls_are_not_preferred(void **state)
{
	static const char *const words[] = {"threads", "many", NULL};
	struct watched_run run = {.words = words, .names = watched, .every = 10};

	(void)state;
	watched_run_both(&run);
	assert_in_range(watched_run_find(&run, "watch_thread").enters, 200 - 68, 200 + 68);
	watched_run_release(&run);
}

/* --- Blocks that programs name themselves --------------------------------------------------- */

static void marks_work_in_all_dialects(void **state)
{
	static const char *const programs[] = {"marked_c99", "marked_c11", "marked_no_pie",
					       "marked_cxx"};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const char *const words[] = {programs[i], NULL};
		struct watched_run run = {.words = words, .every = 1, .arguments = 1};

		watched_run_both(&run);
		if (watched_run_find(&run, "outer").leaves != 1000 ||
		    watched_run_find(&run, "inner").enters != 1000 || run.events != 6000)
			fail_msg("%s: %lu events", programs[i], run.events);
		watched_run_release(&run);
	}
}

static void a_static_program_is_left_alone(void **state)
{
	static const char *const words[] = {"marked_static", NULL};
	struct watched_run run = {.words = words, .every = 1};

	(void)state;
	watched_run_both(&run);
	assert_int_equal(run.files, 0);
	watched_run_release(&run);
}

/* GCC reports the end of a function by an exception; with clang it ends with the function around
 * it. */
static void instrumented_functions_are_recorded(void **state)
{
	static const char *const programs[] = {"instrumented_throws", "instrumented_clang"};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const char *const words[] = {programs[i], NULL};
		struct watched_run run = {.words = words, .every = 1, .stack_every = 1000};

		if (!watched_run_is_there(&run))
			continue; /* this compiler is not installed */
		watched_run_both(&run);
		assert_int_equal(watched_run_find(&run, "traced_catch").enters, 2000);
		assert_int_equal(watched_run_find(&run, "traced_catch").leaves, 2000);
		assert_int_equal(watched_run_find(&run, "traced_throw").enters, 11000);
		assert_int_equal(watched_run_find(&run, "traced_jump").enters, 250000);
		assert_true(run.stacks > 100);
		assert_int_equal(run.unmatched, 0);
		watched_run_release(&run);
	}
}

/* --- Trouble --------------------------------------------------------------------------------- */

static void with_little_space(void)
{
	const struct rlimit limit = {200 << 20, 200 << 20};

	if (setrlimit(RLIMIT_AS, &limit))
		_exit(96);
}

static void with_some_space(void)
{
	const struct rlimit limit = {900 << 20, 900 << 20};

	if (setrlimit(RLIMIT_AS, &limit))
		_exit(96);
}

static void with_short_files(void)
{
	const struct rlimit limit = {1 << 20, 1 << 20};

	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(96);
}

static void with_no_files(void)
{
	const struct rlimit limit = {0, 0};

	if (setrlimit(RLIMIT_FSIZE, &limit))
		_exit(96);
}

static void the_library_stays_within_the_limits_of_a_program(void **state)
{
	static const struct {
		const char *program, *mode;
		void (*prepare)(void);
		const char *trouble;
		bool misses;
	} cases[] = {
		{"ends", "little", with_little_space, "below 1 GiB", false},
		{"ends", "little", with_some_space, "below 1 GiB", false},
		{"marked_c11", NULL, with_little_space, "a thread is not recorded", false},
		{"ends", "much", with_short_files, "", true},
		{"ends", "limits", NULL, "a thread is not recorded", false},
		{"ends", "confined", NULL, "restricted its system calls", true},
		{"ends", "strict", NULL, "restricted its system calls", true},
		{"ends", "confined_program", NULL, "restricted its system calls", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const words[] = {cases[i].program, cases[i].mode, NULL};
		struct watched_run run = {.words = words,
					  .names = cases[i].mode ? watched : NULL,
					  .every = 1,
					  .prepare = cases[i].prepare};

		watched_run_both(&run);
		if (!strstr(run.trouble, cases[i].trouble))
			fail_msg("%s: %s", words[0], run.trouble);
		if ((run.missing > 0) != cases[i].misses)
			fail_msg("%s %s misses %lu", words[0], words[1], run.missing);
		watched_run_release(&run);
	}
}

static void a_program_that_may_write_no_file_continues(void **state)
{
	static const char *const words[] = {"calls", "recursion", NULL};
	struct watched_run run = {
		.words = words, .names = watched, .every = 1, .prepare = with_no_files};

	(void)state;
	(void)run;
	/* The output of the program goes to a file, too. */
	watched_run_both(&run);
	assert_int_equal(run.events, 0);
	watched_run_release(&run);
}

static void without_a_recorder_nothing_is_recorded(void **state)
{
	static const char *const words[] = {"ends", "fork", NULL};
	struct watched_run run = {.words = words, .names = watched, .every = 1, .unread = true};

	(void)state;
	watched_run_both(&run);
	assert_int_equal(run.files, 0);
	assert_string_equal(run.trouble, "");
	watched_run_release(&run);
}

static bool may_have_own_ids(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(unshare(CLONE_NEWPID) != 0);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Their ids would be those of other processes. */
static void processes_with_ids_of_their_own_are_left_alone(void **state)
{
	static const char *const words[] = {"ends", "elsewhere", NULL};
	struct watched_run run = {.words = words, .names = watched, .every = 1};
	struct stat namespace;

	(void)state;
	assert_int_equal(stat("/proc/self/ns/pid", &namespace), 0);
	run.pid_namespace = namespace.st_ino;
	if (!may_have_own_ids())
		skip();
	watched_run_both(&run);
	assert_int_equal(watched_run_find(&run, "watch_leaf").leaves, 100);
	assert_non_null(strstr(run.trouble, "another PID namespace"));
	watched_run_release(&run);
}

/* Limits the size of files to a few windows. */
static void with_small_files(void)
{
	const struct rlimit little = {2 << 20, 2 << 20};

	setrlimit(RLIMIT_FSIZE, &little);
}

static void a_full_file_ends_recording_alone(void **state)
{
	static const char *const words[] = {"ends", "much", NULL};
	struct watched_run run = {
		.words = words, .names = watched, .every = 1, .prepare = with_small_files};

	(void)state;
	watched_run_both(&run);
	assert_true(run.events > 50000);
	/* All lost events are counted; the last call may be without its end. */
	assert_in_range(watched_run_find(&run, "watch_leaf").enters + run.missing, 2000000,
			2000001);
	watched_run_release(&run);
}

#endif

static const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
	cmocka_unit_test(programs_behave_the_same_and_their_calls_are_recorded),
	cmocka_unit_test(the_c_library_is_watched),
	cmocka_unit_test(threads_that_begin_before_the_program_are_recorded),
	cmocka_unit_test(a_random_share_of_calls_is_recorded),
	cmocka_unit_test(first_calls_are_not_preferred),
	cmocka_unit_test(marks_work_in_all_dialects),
	cmocka_unit_test(a_static_program_is_left_alone),
	cmocka_unit_test(instrumented_functions_are_recorded),
	cmocka_unit_test(the_library_stays_within_the_limits_of_a_program),
	cmocka_unit_test(a_program_that_may_write_no_file_continues),
	cmocka_unit_test(without_a_recorder_nothing_is_recorded),
	cmocka_unit_test(processes_with_ids_of_their_own_are_left_alone),
	cmocka_unit_test(a_full_file_ends_recording_alone),
#endif
};

TEST_FILE(tests);
