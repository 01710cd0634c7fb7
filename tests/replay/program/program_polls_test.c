/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

struct finding {
	const char *what;
	const char *before, *after;
	uint64_t wait_ns; /* of the first thread's last step; 0: when all is known */
};

/* No word is known to be beside another one. */
static const struct futex_words no_words = {.items = NULL};

/* The ends of sleeps are unknown. */
static void finish(struct program_polls *polls, struct program *program)
{
	const struct arrivals **arrivals = xcalloc(program->thread_count, sizeof(*arrivals));

	program_polls_finish(polls, &no_words, arrivals, program);
	free(arrivals);
}

/* Checks the steps of the first thread at the end of its wait. */
static void assert_found(const struct finding *finding)
{
	struct program got, want;
	struct program_polls polls = {0};
	char *got_text, *want_text;

	steps_read(&got, finding->before);
	steps_read(&want, finding->after);
	if (finding->wait_ns) {
		got.threads[0].count--;
		program_polls_find(&polls, &no_words, &got, 0, finding->wait_ns);
		got.threads[0].count++;
	} else {
		finish(&polls, &got);
	}
	program_polls_release(&polls);
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
		{"late like timers",
		 "a: sleep(50ms) sleep(50066us) sleep(50ms) sleep(51500us) block(0)",
		 "a: poll(50ms) poll(50066us) poll(50ms) poll(51500us) block(0)", 50 * MS},
		{"another length before them",
		 "a: sleep(9ms) sleep(5ms) sleep(5ms) sleep(5ms) block(0)",
		 "a: sleep(9ms) poll(5ms) poll(5ms) poll(5ms) block(0)", 1 * MS},
		{"after they have woken a thread",
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

/* A tick that wakes another thread is no wait for the end of the ticks. */
static void a_wait_that_seldom_times_out_ends_with_the_next_wake_at_its_word(void **state)
{
	static const struct finding cases[] = {
		{"it wakes another one",
		 "a: " IN("x", "block(0)") IN("x", "sleep(9ms)") "wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 "a: " IN("x", "block(0)") IN("x", "poll(9ms)") "wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 0},
		{"not as often as it is woken",
		 "a: " IN("x", "sleep(9ms)") "wake(b,2) " IN("x",
							     "block(1)") "\nb: block(2) wake(a,1)",
		 "a: " IN("x", "sleep(9ms)") "wake(b,2) " IN("x",
							     "block(1)") "\nb: block(2) wake(a,1)",
		 0},
		{"not after work",
		 "a: " IN("x", "block(0)") IN("x", "sleep(9ms)") "1ms wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 "a: " IN("x", "block(0)") IN("x", "sleep(9ms)") "1ms wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 0},
		{"not at another word",
		 "a: " IN("x", "block(0)") IN("y", "sleep(9ms)") "wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 "a: " IN("x", "block(0)") IN("y", "sleep(9ms)") "wake(b,2) " IN(
			 "x", "block(1)") "\nb: wake(a,0) block(2) wake(a,1)",
		 0},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void the_two_words_of_a_condition_count_as_one(void **state)
{
	/* The counts of a wait with FUTEX_WAIT_BITSET and with FUTEX_WAIT, for the value 0. */
	enum { BITSET = ~0, PLAIN = 0 };
	static const struct {
		bool beside;
		int32_t count;
		enum step_op want;
	} cases[] = {
		{true, BITSET, STEP_POLL}, {false, BITSET, STEP_SLEEP}, {true, PLAIN, STEP_SLEEP}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct futex_words words = {.items = NULL};
		struct program_polls polls = {0};
		struct program program;

		steps_read(&program, "a: " IN("x", "sleep(5ms)") "futex_wait(y:0) block(0)");
		futex_words_add(&words, 0, PROGRAM_NONE);
		futex_words_add(&words, 1, cases[i].beside ? 0 : (uint32_t)PROGRAM_NONE);
		for (uint32_t site = 0; site < 2; site++)
			futex_words_call(&words, site, SYNC_FUTEX_WAIT, cases[i].count);
		program.threads[0].count--;
		program_polls_find(&polls, &words, &program, 0, 9 * MS);
		assert_int_equal(step_op(&program.threads[0].steps[1]), cases[i].want);
		program.threads[0].count++;
		program_polls_release(&polls);
		futex_words_finish(&words, &program);
		program_release(&program);
	}
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
		{"and are given back without waking a thread",
		 "a: " IN("x", "sleep(5ms)") "mutex_unlock(m:1) futex_wake(m:2) return(m,2) "
					     "futex_wait(x:2) block(0)",
		 "a: " IN(
			 "x",
			 "poll(5ms)") "none() futex_wake(m:2) return(m,2) futex_wait(x:2) block(0)",
		 9 * MS},
		{"but a signal to another thread is no part of it",
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
		{"not if it continues", "main: 9ms wake(a,0) 2ms\na: sleep(7ms) block(0)",
		 "main: 9ms wake(a,0) 2ms\na: sleep(7ms) block(0)", 0},
		{"not if it waits",
		 "main: 9ms wake(a,0) block(1)\na: sleep(7ms) block(0) wake(main,1)",
		 "main: 9ms wake(a,0) block(1)\na: sleep(7ms) block(0) wake(main,1)", 0},
		{"not if the other continues",
		 "main: 9ms wake(a,0)\na: sleep(7ms) block(0) 1ms block(1)\nb: 20ms wake(a,1)",
		 "main: 9ms wake(a,0)\na: sleep(7ms) block(0) 1ms block(1)\nb: 20ms wake(a,1)", 0},
		{"not a sleep before work",
		 "main: 9ms wake(a,0)\na: sleep(7ms) 1ms sleep(7ms) block(0)",
		 "main: 9ms wake(a,0)\na: sleep(7ms) 1ms poll(7ms) block(0)", 0},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

static void equal_sleeps_without_a_wait_are_polls_for_an_unknown_condition(void **state)
{
	static const char *const two = "a: sleep(5ms) sleep(5ms) 9us";
	static const char *const unequal = "a: sleep(5ms) sleep(7ms) sleep(5ms) 9us";
	static const char *const work = "a: sleep(5ms) 1ms sleep(5ms) 1ms sleep(5ms) 1ms";
	static const char *const long_wait =
		"a: sleep(5ms) sleep(5ms) sleep(5ms) block(0) 1ms\nb: 50ms wake(a,0) 9ms";
	static const char *const wakes = "a: sleep(5ms) sleep(5ms) sleep(5ms) wake(b,0) block(1)\n"
					 "b: block(0) 1ms wake(a,1)";
	static const char *const takes =
		"a: sleep(5ms) mutex_lock(m:0) mutex_unlock(m:1) sleep(5ms) mutex_lock(m:2) "
		"mutex_unlock(m:3) sleep(5ms) 1ms mutex_lock(m:4) call(m,0) cond_wait(c:0) "
		"block(0)\n"
		"b: 50ms wake(a,0) 9ms";
	static const struct finding cases[] = {
		{"not of a worker with its queue", takes, takes, 0},
		{"but with a mutex alone",
		 "a: sleep(5ms) mutex_lock(m:0) mutex_unlock(m:1) sleep(5ms) sleep(5ms) 1ms",
		 "a: poll(5ms) none() none() poll(5ms) poll(5ms) 1ms", 0},
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
		{"before a wakeup and a wait", wakes, wakes, 0},
	};

	(void)state;
	ASSERT_FOUND(cases);
}

/* Five naps of 10 ms from 0 on; the other thread ends in the last one. */
static void a_wait_for_the_end_of_a_thread_stays_one_before_a_wakeup_and_a_wait(void **state)
{
	const struct arrivals *arrivals[3] = {NULL};
	struct arrivals own = {.items = NULL};
	struct program_polls polls = {0};
	struct program program;
	char *text;

	(void)state;
	steps_read(&program, "p: sleep(10ms) sleep(10ms) mutex_lock(m:0) sleep(10ms) sleep(10ms) "
			     "sleep(10ms) wake(b,0) block(1)\n"
			     "a: 45ms exit(45ms)\nb: block(0) wake(p,1)");
	arrivals_note(&own, &(struct program_thread){.count = 0}, 10 * MS, PROGRAM_NONE);
	arrivals_note(&own, &(struct program_thread){.count = 5}, 50 * MS, PROGRAM_NONE);
	arrivals[0] = &own;
	program_polls_finish(&polls, &no_words, arrivals, &program);
	text = steps_text(&program);
	assert_string_equal(text, "p: block(2) none() none() none() none() sleep(5000000ns) "
				  "wake(b,0) block(1)\n"
				  "a: 45000000ns wake(p,2)\n"
				  "b: block(0) wake(p,1)\n");
	free(text);
	arrivals_release(&own);
	program_polls_release(&polls);
	program_release(&program);
}

/* The waits of the first thread end one after the other, then all is known. */
static void take_waits(struct program *program, const unsigned *waits_ms)
{
	struct program_thread *thread = &program->threads[0];
	uint32_t count = thread->count;
	struct program_polls polls = {0};

	for (uint32_t i = 0; i < count; i++) {
		if (step_op(&thread->steps[i]) != STEP_BLOCK)
			continue;
		thread->count = i + 1;
		program_polls_find(&polls, &no_words, program, 0, (uint64_t)*waits_ms++ * MS);
	}
	thread->count = count;
	finish(&polls, program);
	program_polls_release(&polls);
}

static void sleeps_before_a_wakeup_and_polls_stay(void **state)
{
	struct program program;
	char *text;

	(void)state;
	steps_read(&program, "a: sleep(5ms) sleep(5ms) sleep(5ms) wake(b,0) sleep(5ms) sleep(5ms) "
			     "sleep(5ms) block(1)\nb: block(0) 16ms wake(a,1)");
	take_waits(&program, (const unsigned[]){1});
	text = steps_text(&program);
	assert_string_equal(text, "a: sleep(5000000ns) sleep(5000000ns) sleep(5000000ns) wake(b,0) "
				  "poll(5000000ns) poll(5000000ns) poll(5000000ns) block(1)\n"
				  "b: block(0) 16000000ns wake(a,1)\n");
	free(text);
	program_release(&program);
}

/* `drawn` as below, with steps `sleep` for sleeps that may be waits. */
static void read_drawn(struct program *program, const char *drawn, const char *sleep)
{
	char text[1000] = "a:";
	unsigned edge = 0;

	for (; *drawn; drawn++) {
		char *step = *drawn == 'S'   ? xasprintf(" %s(30ms)", sleep)
			     : *drawn == 'l' ? xasprintf(" %s(31ms)", sleep)
			     : *drawn == 'L' ? xasprintf(" sleep(40ms)")
			     : *drawn == 'B' ? xasprintf(" 90us block(%u)", edge++)
			     : *drawn == 'R' ? xasprintf(" 1ms none()")
					     : xstrdup("");

		strcat(text, step);
		free(step);
	}
	steps_read(program, text);
}

/* S: a sleep of 30 ms, l: of 31 ms, L: of 40 ms, B: a wait of so many ms for other threads, R:
 * work. */
static void a_length_that_is_rarely_reached_is_a_timeout(void **state)
{
	static const struct {
		const char *what, *drawn;
		unsigned waits_ms[10];
		bool polls;
	} cases[] = {
		{"twice, and three waits", "SB RB RB R SB RB", {5, 1, 9, 2, 20}, true},
		{"waits behind the last", "RB SB R SB RB RB RB", {9, 5, 2, 1, 1, 1}, true},
		{"two at once", "SSB RB RB RB lB", {5, 1, 1, 1, 20}, true},
		{"a longer wait behind the last", "SB RB RB RB SB RB", {5, 1, 9, 2, 20, 50}, true},
		{"a longer wait before the first", "RB SB RB RB RB SB", {50, 5, 1, 9, 2, 20}, true},
		{"once", "SB RB RB RB RB", {5, 1, 1, 1, 1}, false},
		{"too few waits", "SB RB SB RB", {5, 1, 1, 1}, false},
		{"a longer wait between them", "SB RB RB RB SB RB", {5, 1, 40, 2, 20, 1}, false},
		{"a longer wait behind one", "SB RB RB RB SB RB", {5, 1, 1, 2, 40, 1}, false},
		{"one without a wait", "SB RB RB RB SR RB SB", {5, 1, 1, 2, 1, 1}, false},
		{"one with work before the wait",
		 "SB RB RB RB SRB RB SB",
		 {5, 1, 1, 2, 1, 1},
		 false},
		{"one at the end", "SB RB RB RB SB RS", {5, 1, 1, 2, 1}, false},
		{"two lengths", "SB RB RB RB LB RB", {5, 1, 1, 1, 5, 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program got, want;
		char *got_text, *want_text;

		read_drawn(&got, cases[i].drawn, "sleep");
		read_drawn(&want, cases[i].drawn, cases[i].polls ? "poll" : "sleep");
		take_waits(&got, cases[i].waits_ms);
		got_text = steps_text(&got);
		want_text = steps_text(&want);
		if (strcmp(got_text, want_text) != 0)
			fail_msg("%s: got\n%swant\n%s", cases[i].what, got_text, want_text);
		free(got_text);
		free(want_text);
		program_release(&got);
		program_release(&want);
	}
}

static void another_process_ends_no_sleep(void **state)
{
	struct program_polls polls = {0};
	struct program program;

	(void)state;
	steps_read(&program, "main: 9ms wake(a,0)\na: sleep(7ms) block(0)");
	program.threads[1].pid = 2;
	finish(&polls, &program);
	program_polls_release(&polls);
	assert_int_equal(step_op(&program.threads[1].steps[0]), STEP_SLEEP);
	program_release(&program);
}

/* --- Sleeps until a time ------------------------------------------------------------------- */

#define US UINT64_C(1000)

enum { PERIOD_US = 1000 };

/* A thread that is busy for 0 to 90 us, by turns, and sleeps between. */
static void make_sleeper(struct program *program, struct arrivals *arrivals, size_t sleeps,
			 bool times)
{
	uint64_t now_ns = 0;

	*program = (struct program){0};
	*arrivals = (struct arrivals){0};
	program_add_thread(program, 1, 1, "s");
	for (size_t i = 0; i < sleeps; i++) {
		uint64_t busy_us = i * 7 % 10 * 10;
		uint64_t sleep_us = PERIOD_US + i * 3 % 7 - (times ? busy_us : 0);

		now_ns += (busy_us + sleep_us) * US;
		arrivals_note(arrivals, &program->threads[0], now_ns, PROGRAM_NONE);
		program_add_step(program, 0, busy_us * US, STEP_SLEEP)->pause =
			step_pause(sleep_us * US, 5);
	}
	program_add_step(program, 0, 0, STEP_EXIT);
}

static void sleeps_that_are_shorter_after_more_work_have_due_times(void **state)
{
	static const struct {
		size_t sleeps;
		bool times, due;
	} cases[] = {{30, true, true}, {30, false, false}, {20, true, false}, {0, true, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct arrivals arrivals;
		const struct step *steps;

		make_sleeper(&program, &arrivals, cases[i].sleeps, cases[i].times);
		arrivals_apply(&arrivals, &program.threads[0]);
		steps = program.threads[0].steps;
		for (size_t j = 0; j < cases[i].sleeps; j++) {
			assert_int_equal(step_op(&steps[j]),
					 j && cases[i].due ? STEP_DUE : STEP_SLEEP);
			assert_int_equal(step_site(&steps[j]), 5);
			assert_int_equal(step_run_ns(&steps[j]), j * 7 % 10 * 10 * US);
			if (j && cases[i].due)
				assert_int_equal(step_pause_ns(&steps[j]),
						 (PERIOD_US + j * 3 % 7) * US);
		}
		arrivals_release(&arrivals);
		program_release(&program);
	}
}

/* Also the first pause, from whose end the times count. */
static void a_thread_with_other_pauses_among_them_is_left_alone(void **state)
{
	static const size_t others[] = {9, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct program program;
		struct arrivals arrivals;

		make_sleeper(&program, &arrivals, 30, true);
		program.threads[0].steps[others[i]].run_op = step_run_op(0, STEP_POLL);
		arrivals_apply(&arrivals, &program.threads[0]);
		assert_int_equal(step_op(&program.threads[0].steps[2]), STEP_SLEEP);
		arrivals_release(&arrivals);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(equal_sleeps_before_a_shorter_wait_are_polls),
	cmocka_unit_test(other_sleeps_before_a_wait_stay),
	cmocka_unit_test(sleeps_in_calls_at_the_word_of_the_wait_are_polls),
	cmocka_unit_test(a_wait_that_seldom_times_out_ends_with_the_next_wake_at_its_word),
	cmocka_unit_test(the_two_words_of_a_condition_count_as_one),
	cmocka_unit_test(locks_that_are_taken_between_sleeps_are_part_of_the_wait),
	cmocka_unit_test(the_end_of_its_process_ends_any_sleep_of_a_thread),
	cmocka_unit_test(equal_sleeps_without_a_wait_are_polls_for_an_unknown_condition),
	cmocka_unit_test(a_wait_for_the_end_of_a_thread_stays_one_before_a_wakeup_and_a_wait),
	cmocka_unit_test(sleeps_before_a_wakeup_and_polls_stay),
	cmocka_unit_test(a_length_that_is_rarely_reached_is_a_timeout),
	cmocka_unit_test(another_process_ends_no_sleep),
	cmocka_unit_test(sleeps_that_are_shorter_after_more_work_have_due_times),
	cmocka_unit_test(a_thread_with_other_pauses_among_them_is_left_alone),
};

TEST_FILE(tests);
