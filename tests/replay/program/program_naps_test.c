/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

/* Twenty naps of 10 ms from 10 ms on, which are steps 0 to 19 of the first thread. */
#define TEN \
	"poll(10ms) poll(10ms) poll(10ms) poll(10ms) poll(10ms) poll(10ms) poll(10ms) poll(10ms) "
#define NAPS	TEN "poll(10ms) poll(10ms) " TEN "poll(10ms) poll(10ms) "
#define EIGHT	"none() none() none() none() none() none() none() none() "
#define WAITED1 "block(0) none() " EIGHT EIGHT "none() sleep(5ms) "
#define WAITED2 "block(0) block(1) " EIGHT EIGHT "none() sleep(5ms) "

static void naps_up_to_the_ends_of_threads_are_waits_for_these(void **state)
{
	static const struct {
		const char *what, *before, *after;
	} cases[] = {
		{"a thread ends in the last nap", "p: " NAPS "3ms\na: 205ms exit(205ms)",
		 "p: " WAITED1 "3ms\na: 205ms wake(p,0) exit(205ms)"},
		{"two that end during the row",
		 "p: " NAPS "3ms\na: 209ms exit(209ms)\nb: 5ms exit(120ms)",
		 "p: " WAITED2 "3ms\na: 209ms wake(p,1) exit(209ms)\n"
		 "b: 5ms wake(p,0) exit(120ms)"},
		{"and not one before it", "p: " NAPS "3ms\na: 9ms exit(9ms)\nb: 205ms exit(205ms)",
		 "p: " WAITED1 "3ms\na: 9ms exit(9ms)\nb: 205ms wake(p,0) exit(205ms)"},
		{"no thread ends in the last one", "p: " NAPS "3ms\na: 199ms exit(199ms)", NULL},
		{"or only after it", "p: " NAPS "3ms\na: 211ms exit(211ms)", NULL},
		{"ends in as many naps as there may be",
		 "p: " NAPS "3ms\na: 1ms exit(205ms)\nb: 1ms exit(155ms)\nc: 1ms exit(125ms)\n"
		 "d: 1ms exit(95ms)\ne: 1ms exit(96ms)",
		 "p: block(0) block(1) block(2) block(3) block(4) none() none() none() none() "
		 "none() " EIGHT "none() sleep(5ms) 3ms\n"
		 "a: 1ms wake(p,4) exit(205ms)\nb: 1ms wake(p,3) exit(155ms)\n"
		 "c: 1ms wake(p,2) exit(125ms)\nd: 1ms wake(p,0) exit(95ms)\n"
		 "e: 1ms wake(p,1) exit(96ms)"},
		{"and in more",
		 "p: " NAPS "3ms\na: 1ms exit(205ms)\nb: 1ms exit(155ms)\nc: 1ms exit(125ms)\n"
		 "d: 1ms exit(95ms)\ne: 1ms exit(65ms)",
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct naps naps = {0, 19, 20, 10 * MS, 210 * MS};
		struct thread_ends ends;
		struct program got, want;
		char *got_text, *want_text;

		steps_read(&got, cases[i].before);
		steps_read(&want, cases[i].after ? cases[i].after : cases[i].before);
		thread_ends_init(&ends, &got);
		naps_find_ends(&got, 0, &naps, &ends);
		got_text = steps_text(&got);
		want_text = steps_text(&want);
		if (strcmp(got_text, want_text) != 0)
			fail_msg("%s: got\n%swant\n%s", cases[i].what, got_text, want_text);
		free(got_text);
		free(want_text);
		thread_ends_release(&ends);
		program_release(&got);
		program_release(&want);
	}
}

static void a_thread_of_another_process_is_not_waited_for(void **state)
{
	const struct naps naps = {0, 19, 20, 10 * MS, 210 * MS};
	struct thread_ends ends;
	struct program program;

	(void)state;
	steps_read(&program, "p: " NAPS "3ms\na: 205ms exit(205ms)");
	program.threads[1].pid = program.threads[0].pid + 1;
	thread_ends_init(&ends, &program);
	naps_find_ends(&program, 0, &naps, &ends);
	assert_int_equal(step_op(&program.threads[0].steps[0]), STEP_POLL);
	thread_ends_release(&ends);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(naps_up_to_the_ends_of_threads_are_waits_for_these),
	cmocka_unit_test(a_thread_of_another_process_is_not_waited_for),
};

TEST_FILE(tests);
