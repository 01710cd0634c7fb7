/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program_polls.h"

#include "steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

struct finding {
	const char *what;
	const char *before, *after;
	uint64_t wait_ns; /* of the first thread's last step; 0: when all is known */
};

/* The steps of the first thread are looked at as they are when its wait has ended. */
static void assert_found(const struct finding *finding)
{
	struct program got, want;
	char *got_text, *want_text;

	steps_read(&got, finding->before);
	steps_read(&want, finding->after);
	if (finding->wait_ns) {
		got.threads[0].count--;
		program_polls_find(&got.threads[0], finding->wait_ns);
		got.threads[0].count++;
	} else {
		program_polls_finish(&got);
	}
	got_text = steps_text(&got);
	want_text = steps_text(&want);
	if (strcmp(got_text, want_text) != 0)
		fail_msg("%s: got\n%swant\n%s", finding->what, got_text, want_text);
	free(got_text);
	free(want_text);
	program_release(&got);
	program_release(&want);
}

#define ASSERT_FOUND(findings)                                                    \
	do {                                                                      \
		for (size_t i = 0; i < sizeof(findings) / sizeof(*findings); i++) \
			assert_found(&(findings)[i]);                             \
	} while (0)

enum { MS = 1000000 };

static void equal_sleeps_before_a_shorter_wait_are_polls(void **state)
{
	static const struct finding cases[] = {
		{"three of them", "a: 1ms sleep(5ms) 9us sleep(5ms) 9us sleep(5ms) 9us block(0)",
		 "a: 1ms poll(5ms) 9us poll(5ms) 9us poll(5ms) 9us block(0)", 4 * MS},
		{"late by what timers are",
		 "a: sleep(50ms) sleep(50066us) sleep(50ms) sleep(51500us) block(0)",
		 "a: poll(50ms) poll(50066us) poll(50ms) poll(51500us) block(0)", 50 * MS},
		{"another length before them",
		 "a: sleep(9ms) sleep(5ms) sleep(5ms) sleep(5ms) block(0)",
		 "a: sleep(9ms) poll(5ms) poll(5ms) poll(5ms) block(0)", 1 * MS},
		{"after they have woken somebody",
		 "a: sleep(5ms) wake(b,1) sleep(5ms) sleep(5ms) sleep(5ms) block(0)\nb: block(1)",
		 "a: sleep(5ms) wake(b,1) poll(5ms) poll(5ms) poll(5ms) block(0)\nb: block(1)",
		 1 * MS},
		{"after work", "a: sleep(5ms) 1ms sleep(5ms) sleep(5ms) sleep(5ms) block(0)",
		 "a: sleep(5ms) 1ms poll(5ms) poll(5ms) poll(5ms) block(0)", 1 * MS},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void other_sleeps_before_a_wait_stay(void **state)
{
	static const char *const two = "a: sleep(5ms) sleep(5ms) block(0)";
	static const char *const three = "a: sleep(5ms) sleep(5ms) sleep(5ms) block(0)";
	static const char *const unequal = "a: sleep(5ms) sleep(7ms) sleep(5ms) block(0)";
	static const char *const work = "a: sleep(5ms) sleep(5ms) 1ms sleep(5ms) block(0)";
	static const char *const last = "a: sleep(5ms) sleep(5ms) sleep(5ms) 1ms block(0)";
	static const char *const devices = "a: device(5ms) device(5ms) device(5ms) block(0)";
	static const char *const alone = "a: block(0)";
	static const struct finding cases[] = {
		{"only two", two, two, 1 * MS},
		{"a longer wait", three, three, 6 * MS},
		{"of several lengths", unequal, unequal, 1 * MS},
		{"work between them", work, work, 1 * MS},
		{"work behind them", last, last, 1 * MS},
		{"devices", devices, devices, 1 * MS},
		{"none at all", alone, alone, 1 * MS},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

#define IN(word, what) "futex_wait(" word ":0) " what " return(" word ",1) "

static void sleeps_in_calls_at_the_word_of_the_wait_are_polls(void **state)
{
	static const struct finding cases[] = {
		{"one is enough", "a: " IN("x", "sleep(5ms)") "futex_wait(x:1) block(0)",
		 "a: " IN("x", "poll(5ms)") "futex_wait(x:1) block(0)", 9 * MS},
		{"of any length",
		 "a: " IN("x", "sleep(5ms)") IN("x", "sleep(7ms)") "futex_wait(x:1) block(0)",
		 "a: " IN("x", "poll(5ms)") IN("x", "poll(7ms)") "futex_wait(x:1) block(0)",
		 9 * MS},
		{"not those at another one",
		 "a: " IN("y", "sleep(5ms)") IN("x", "sleep(5ms)") "futex_wait(x:1) block(0)",
		 "a: " IN("y", "sleep(5ms)") IN("x", "poll(5ms)") "futex_wait(x:1) block(0)",
		 1 * MS},
		{"not those at none",
		 "a: sleep(5ms) sleep(5ms) sleep(5ms) futex_wait(x:1) block(0)",
		 "a: sleep(5ms) sleep(5ms) sleep(5ms) futex_wait(x:1) block(0)", 1 * MS},
		{"not before a wait at none",
		 "a: " IN("x", "sleep(5ms)") IN("x", "sleep(5ms)") IN("x", "sleep(5ms)") "block(0)",
		 "a: " IN("x", "sleep(5ms)") IN("x", "sleep(5ms)") IN("x", "sleep(5ms)") "block(0)",
		 1 * MS},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

#define LOOK	"mutex_unlock(m:1) mutex_lock(m:2) call(m,0) cond_wait(c:1) "
#define NO_LOOK "none() none() none() none() "

static void locks_that_are_taken_between_sleeps_are_part_of_the_wait(void **state)
{
	static const struct finding cases[] = {
		{"to look whether it has come",
		 "a: mutex_lock(m:0) call(m,0) cond_wait(c:0) " IN("x", "sleep(5ms)")
			 LOOK IN("x", "sleep(5ms)") LOOK "futex_wait(x:2) block(0)",
		 "a: mutex_lock(m:0) call(m,0) cond_wait(c:0) " IN("x", "poll(5ms)")
			 NO_LOOK IN("x", "poll(5ms)") NO_LOOK "futex_wait(x:2) block(0)",
		 9 * MS},
		{"and are given back, to nobody",
		 "a: " IN("x", "sleep(5ms)") "mutex_unlock(m:1) futex_wake(m:2) return(m,2) "
					     "futex_wait(x:2) block(0)",
		 "a: " IN(
			 "x",
			 "poll(5ms)") "none() futex_wake(m:2) return(m,2) futex_wait(x:2) block(0)",
		 9 * MS},
		{"but to tell somebody else is more",
		 "a: " IN("x", "sleep(5ms)") "cond_signal(c:1) futex_wait(x:2) block(0)",
		 "a: " IN("x", "sleep(5ms)") "cond_signal(c:1) futex_wait(x:2) block(0)", 9 * MS},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void the_end_of_its_process_ends_any_sleep_of_a_thread(void **state)
{
	static const struct finding cases[] = {
		{"one is enough", "main: 9ms wake(a,0) 20us\na: sleep(7ms) 9us block(0) 30us",
		 "main: 9ms wake(a,0) 20us\na: poll(7ms) 9us block(0) 30us", 0},
		{"it ends many",
		 "main: 9ms wake(a,0) wake(b,1) wake(c,2)\na: sleep(7ms) block(0)\nb: block(1)\n"
		 "c: sleep(1ms) sleep(7ms) block(2) device(1ms) 13ms",
		 "main: 9ms wake(a,0) wake(b,1) wake(c,2)\na: poll(7ms) block(0)\nb: block(1)\n"
		 "c: poll(1ms) poll(7ms) block(2) device(1ms) 13ms",
		 0},
		{"not where it goes on", "main: 9ms wake(a,0) 2ms\na: sleep(7ms) block(0)",
		 "main: 9ms wake(a,0) 2ms\na: sleep(7ms) block(0)", 0},
		{"not where it waits",
		 "main: 9ms wake(a,0) block(1)\na: sleep(7ms) block(0) wake(main,1)",
		 "main: 9ms wake(a,0) block(1)\na: sleep(7ms) block(0) wake(main,1)", 0},
		{"not where the other goes on",
		 "main: 9ms wake(a,0)\na: sleep(7ms) block(0) 1ms block(1)\nb: 20ms wake(a,1)",
		 "main: 9ms wake(a,0)\na: sleep(7ms) block(0) 1ms block(1)\nb: 20ms wake(a,1)", 0},
		{"not what comes before work",
		 "main: 9ms wake(a,0)\na: sleep(7ms) 1ms sleep(7ms) block(0)",
		 "main: 9ms wake(a,0)\na: sleep(7ms) 1ms poll(7ms) block(0)", 0},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void equal_sleeps_without_a_wait_are_polls_for_what_nothing_tells(void **state)
{
	static const char *const two = "a: sleep(5ms) sleep(5ms) 9us";
	static const char *const unequal = "a: sleep(5ms) sleep(7ms) sleep(5ms) 9us";
	static const char *const work = "a: sleep(5ms) 1ms sleep(5ms) 1ms sleep(5ms) 1ms";
	static const char *const long_wait =
		"a: sleep(5ms) sleep(5ms) sleep(5ms) block(0) 1ms\nb: 50ms wake(a,0) 9ms";
	static const struct finding cases[] = {
		{"up to its end", "a: sleep(5ms) 9us sleep(5ms) 9us sleep(5ms) 9us",
		 "a: poll(5ms) 9us poll(5ms) 9us poll(5ms) 9us", 0},
		{"up to work", "a: sleep(5ms) sleep(5ms) sleep(5ms) 90ms sleep(1ms)",
		 "a: poll(5ms) poll(5ms) poll(5ms) 90ms sleep(1ms)", 0},
		{"up to a wake",
		 "a: sleep(5ms) sleep(5ms) sleep(5ms) wake(b,0) 1ms\nb: block(0) 9ms",
		 "a: poll(5ms) poll(5ms) poll(5ms) wake(b,0) 1ms\nb: block(0) 9ms", 0},
		{"up to others",
		 "a: sleep(5ms) sleep(5ms) sleep(5ms) sleep(1ms) sleep(1ms) sleep(1ms)",
		 "a: poll(5ms) poll(5ms) poll(5ms) poll(1ms) poll(1ms) poll(1ms)", 0},
		{"only two", two, two, 0},
		{"of several lengths", unequal, unequal, 0},
		{"with work", work, work, 0},
		{"before a long wait", long_wait, long_wait, 0},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void another_process_ends_no_sleep(void **state)
{
	struct program program;

	(void)state;
	steps_read(&program, "main: 9ms wake(a,0)\na: sleep(7ms) block(0)");
	program.threads[1].pid = 2;
	program_polls_finish(&program);
	assert_int_equal(step_op(&program.threads[1].steps[0]), STEP_SLEEP);
	program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_sleeps_before_a_shorter_wait_are_polls),
		cmocka_unit_test(other_sleeps_before_a_wait_stay),
		cmocka_unit_test(sleeps_in_calls_at_the_word_of_the_wait_are_polls),
		cmocka_unit_test(locks_that_are_taken_between_sleeps_are_part_of_the_wait),
		cmocka_unit_test(the_end_of_its_process_ends_any_sleep_of_a_thread),
		cmocka_unit_test(equal_sleeps_without_a_wait_are_polls_for_what_nothing_tells),
		cmocka_unit_test(another_process_ends_no_sleep),
	};

	return RUN_TESTS(tests);
}
