/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/recognise.h"

#include "base/alloc.h"
#include "draw/steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WORD = 0x1000 };

/* Sites are words at 0x1000, 0x1001, ... without names, as after reading a trace. */
static void take_names_away(struct program *program)
{
	for (size_t i = 0; i < program->site_count; i++) {
		free(program->sites[i].name);
		program->sites[i].name = NULL;
		program->sites[i].address = FIRST_WORD + i;
	}
}

/* The names of the sites at which threads block or wait for a lock, in the order of the threads. */
static char *names_of_waits(const struct program *program)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			const struct step *step = &program->threads[i].steps[j];
			char *longer;

			if (step_op(step) != STEP_BLOCK && step_op(step) != STEP_LOCK)
				continue;
			longer = xasprintf("%s%s%s", text, *text ? ", " : "",
					   program->sites[step_site(step)].name);
			free(text);
			text = longer;
		}
	return text;
}

struct naming {
	const char *what;
	const char *before, *names;
};

static void assert_named(const struct naming *naming, enum recognise_extent extent)
{
	struct recognised recognised;
	struct program program;
	uint64_t work_ns;
	char *names;

	steps_read(&program, naming->before);
	take_names_away(&program);
	work_ns = program_work_ns(&program);
	recognise_within(&program, extent, &recognised);
	names = names_of_waits(&program);
	if (strcmp(names, naming->names) != 0)
		fail_msg("%s: got '%s', want '%s'", naming->what, names, naming->names);
	assert_int_equal(program_work_ns(&program) + recognised.lock_costs_ns, work_ns);
	free(names);
	program_release(&program);
}

#define ASSERT_NAMED(namings, extent)                                           \
	do {                                                                    \
		for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++) \
			assert_named(&(namings)[i], extent);                    \
	} while (0)

static const struct naming at_words[] = {
	{"from a call to a call on the same word",
	 "a: 9us futex_wake(m) 1us wake(b,0) return(m) 4ms\n"
	 "b: 1us futex_wait(m) 1us block(0) return(m) 5us",
	 "futex 0x1000"},
	{"of several threads at two words",
	 "a: futex_wake(m) wake(b,0) return(m) 1ms futex_wake(n) wake(c,1) return(n) 1ms\n"
	 "b: futex_wait(m) block(0) return(m) 5ms futex_wake(m) wake(c,2) return(m) 1ms\n"
	 "c: futex_wait(n) block(1) return(n) 5us futex_wait(m) block(2) return(m) 1us",
	 "futex 0x1000, futex 0x1001, futex 0x1000"},
	{"several woken in one call",
	 "a: futex_wake(m) wake(b,0) 2us wake(c,1) return(m) 1ms\n"
	 "b: futex_wait(m) block(0) return(m)\n c: futex_wait(m) block(1) return(m)",
	 "futex 0x1000, futex 0x1000"},
	{"in calls that give a lock from one to the other",
	 "a: futex_unlock(m) wake(b,0) return(m) 1ms\n b: futex_lock(m) block(0) return(m)",
	 "futex 0x1000"},
	{"with other waits in the call, and an end that is lost",
	 "a: futex_wake(m) wake(b,0) 1ms\n b: futex_wait(m) unknown(2us) block(0) 1us",
	 "futex 0x1000"},
};

static void a_wait_and_its_wake_in_calls_on_a_word_are_at_that_word(void **state)
{
	(void)state;
	ASSERT_NAMED(at_words, RECOGNISE_ALL);
}

static void words_of_waits_do_not_depend_on_other_recognitions(void **state)
{
	(void)state;
	ASSERT_NAMED(at_words, RECOGNISE_WAKES);
	ASSERT_NAMED(at_words, RECOGNISE_NOTHING);
}

static void any_other_wait_is_one_of_two_threads(void **state)
{
	static const struct naming cases[] = {
		{"no calls", "a: wake(b,0) 1ms\n b: block(0)", "a/1 <-> b/2"},
		{"another word",
		 "a: futex_wake(m) wake(b,0) return(m) 1ms\n b: futex_wait(n) block(0) return(n)",
		 "a/1 <-> b/2"},
		{"a wake in no call",
		 "a: futex_wake(m) return(m) 1us wake(b,0) 1ms\n"
		 "b: futex_wait(m) block(0) return(m)",
		 "a/1 <-> b/2"},
		{"a wait in no call",
		 "a: futex_wake(m) wake(b,0) return(m) 1ms\n"
		 "b: futex_wait(m) return(m) 1us block(0)",
		 "a/1 <-> b/2"},
		{"a wait in a call that wakes",
		 "a: futex_wake(m) wake(b,0) return(m) 1ms\n b: futex_wake(m) block(0) return(m)",
		 "a/1 <-> b/2"},
		{"a wait behind a call whose end is lost",
		 "a: futex_wake(m) wake(b,0) return(m) 1ms\n b: futex_wait(m) yield() block(0)",
		 "a/1 <-> b/2"},
	};

	(void)state;
	ASSERT_NAMED(cases, RECOGNISE_ALL);
}

static void calls_of_the_library_take_precedence_over_the_word_of_a_wait(void **state)
{
	static const struct naming cases[] = {
		{"a lock",
		 "a: mutex_lock(m) 9us mutex_unlock(m) futex_wake(m) wake(b,0) return(m) 4us\n"
		 "b: mutex_lock(m) futex_wait(m) 1us block(0) return(m) 5us mutex_unlock(m)",
		 "lock 0x1000, lock 0x1000"},
		{"a condition, at one of its words",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) futex_wait(w) 3us block(0) return(w) "
		 "4us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(c) 1us futex_wake(w) wake(a,0) return(w) 1us "
		 "mutex_unlock(m) 400us",
		 "lock 0x1000, condition 0x1001, lock 0x1000, lock 0x1000"},
	};

	(void)state;
	ASSERT_NAMED(cases, RECOGNISE_ALL);
}

static void joins_are_still_seen_at_words(void **state)
{
	static const struct naming cases[] = {
		{"an end",
		 "main: fork(a) 1ms futex_wait(m) block(0) return(m)\n"
		 "a: 5ms futex_wake(m) wake(main,0) return(m) 40us",
		 ""},
	};

	(void)state;
	ASSERT_NAMED(cases, RECOGNISE_ALL);
}

/* As with a mutex that one thread takes again and again while another one waits for it. */
static void the_last_unlock_of_a_thread_is_no_end(void **state)
{
	static const struct naming cases[] = {
		{"a lock",
		 "a: 5ms futex_wake(m) wake(b,0) return(m) 5ms futex_wake(m) wake(b,1) return(m) "
		 "40us\n"
		 "b: futex_wait(m) block(0) return(m) 20us futex_wait(m) block(1) return(m) 5ms",
		 "futex 0x1000, futex 0x1000"},
	};

	(void)state;
	ASSERT_NAMED(cases, RECOGNISE_ALL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_and_its_wake_in_calls_on_a_word_are_at_that_word),
	cmocka_unit_test(words_of_waits_do_not_depend_on_other_recognitions),
	cmocka_unit_test(any_other_wait_is_one_of_two_threads),
	cmocka_unit_test(calls_of_the_library_take_precedence_over_the_word_of_a_wait),
	cmocka_unit_test(joins_are_still_seen_at_words),
	cmocka_unit_test(the_last_unlock_of_a_thread_is_no_end),
};

TEST_FILE(tests);
