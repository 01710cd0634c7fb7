/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "replay/recognise/recognise.h"

#include "draw/steps.h"
#include "random.h"
#include "replay/recognise/recognition.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes the sites without an object, so that only objects are compared. */
static void forget_names(struct program *program)
{
	for (size_t i = 0; i < program->thread_count; i++)
		for (size_t j = 0; j < program->threads[i].count; j++) {
			struct step *step = &program->threads[i].steps[j];

			if (step_op(step) == STEP_BLOCK)
				step->site = PROGRAM_NONE;
			else if (step_op(step) == STEP_JOIN)
				step->join_site = PROGRAM_NONE;
			else if (step_op_is_pause(step_op(step)))
				step->pause = step_pause(step_pause_ns(step), PROGRAM_NONE);
		}
}

static char *canonical(struct program *program)
{
	forget_names(program);
	return steps_text(program);
}

struct rewriting {
	const char *what;
	const char *before, *after;
};

static void assert_rewritten(const struct rewriting *rewriting)
{
	struct program got, want;
	struct recognised recognised;
	char *got_text, *want_text;

	steps_read(&got, rewriting->before);
	steps_read(&want, rewriting->after);
	recognise(&got, &recognised);
	got_text = canonical(&got);
	want_text = canonical(&want);
	if (strcmp(got_text, want_text) != 0)
		fail_msg("%s: got\n%swant\n%s", rewriting->what, got_text, want_text);
	free(got_text);
	free(want_text);
	program_release(&got);
	program_release(&want);
}

#define ASSERT_REWRITTEN(rewritings)                                                  \
	do {                                                                          \
		for (size_t i = 0; i < sizeof(rewritings) / sizeof(*rewritings); i++) \
			assert_rewritten(&(rewritings)[i]);                           \
	} while (0)

/* --- Joins --------------------------------------------------------------------------------- */

static void a_wait_for_the_end_of_a_thread_is_a_join(void **state)
{
	static const struct rewriting cases[] = {
		{"its last step is the wake",
		 "main: fork(a) 1ms block(0) 2ms\n a: 5ms wake(main,0) 40us",
		 "main: fork(a) 1ms join(a) 2ms\n a: 5040us"},
		{"it wakes two",
		 "main: fork(a) block(0)\n b: 1us block(1)\n a: 5ms wake(main,0) wake(b,1) 9us",
		 "main: fork(a) join(a)\n b: 1us join(a)\n a: 5009us"},
		{"it works on", "main: fork(a) block(0)\n a: 5ms wake(main,0) 2ms",
		 "main: fork(a) block(0)\n a: 5ms wake(main,0) 2ms"},
		{"it is polled for", "main: fork(a) 1ms poll(1ms) block(0)\n a: 5ms wake(main,0)",
		 "main: fork(a) 1ms poll(1ms) block(0)\n a: 5ms wake(main,0)"},
		{"it waits again", "main: fork(a) block(0)\n a: 5ms wake(main,0) sleep(1ms)",
		 "main: fork(a) block(0)\n a: 5ms wake(main,0) sleep(1ms)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void a_wait_in_state_d_is_no_join(void **state)
{
	struct recognised recognised;
	struct program program;

	(void)state;
	for (int disk = 0; disk < 2; disk++) {
		steps_read(&program, "main: fork(a) 1ms block(0@x) 2ms\n a: 5ms wake(main,0) 40us");
		assert_int_equal(program.site_count, 1);
		program.sites[0].kind = disk ? SITE_DEVICE : SITE_UNKNOWN;
		recognise(&program, &recognised);
		assert_int_equal(recognised.joins, !disk);
		program_release(&program);
	}
}

static void a_join_of_one_thread_joins_those_that_had_ended_before(void **state)
{
	static const struct rewriting cases[] = {
		{"siblings that had ended",
		 "main: fork(a) fork(b) fork(c) 1us block(0) 2us\n a: 1ms exit(1ms)\n"
		 "b: 9ms exit(9ms)\n c: 3ms wake(main,0) 1us exit(3ms)",
		 "main: fork(a) fork(b) fork(c) 1us join(a) join(c) 2us\n a: 1ms\n b: 9ms\n"
		 "c: 3001us"},
		{"no thread that it creates later, and none twice",
		 "main: fork(a) 1us block(0) fork(b) fork(c) 2us block(1)\n"
		 "a: 1ms wake(main,0) exit(1ms)\n b: 1ms exit(5ms)\n"
		 "c: 3ms wake(main,1) 1us exit(9ms)",
		 "main: fork(a) 1us join(a) fork(b) fork(c) 2us join(b) join(c)\n a: 1ms\n b: 1ms\n"
		 "c: 3001us"},
		{"no thread that it wakes after that, whose exit came later",
		 "main: fork(a) fork(c) 1us block(0) 1us wake(a,1) 1ms\n"
		 "a: 1ms block(1) 1us exit(5ms)\n c: 3ms wake(main,0) 1us exit(9ms)",
		 "main: fork(a) fork(c) 1us join(c) 1us wake(a,1) 1ms\n a: 1ms block(1) 1us\n"
		 "c: 3001us"},
		{"a thread that creates none of them",
		 "main: fork(a) fork(b) 9ms\n a: 1ms exit(1ms)\n b: 3ms wake(o,0) exit(3ms)\n"
		 "o: block(0)",
		 "main: fork(a) fork(b) 9ms\n a: 1ms\n b: 3ms\n o: join(b)"},
		{"unknown times",
		 "main: fork(a) fork(c) 1us block(0)\n a: 1ms\n c: 3ms wake(main,0) 1us",
		 "main: fork(a) fork(c) 1us join(c)\n a: 1ms\n c: 3001us"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

/* --- Barriers ------------------------------------------------------------------------------ */

static void threads_of_another_process_are_not_joined_with_a_thread(void **state)
{
	struct program program;
	struct recognised recognised;
	char *text;

	(void)state;
	steps_read(&program, "main: fork(a) fork(b) fork(c) 1us block(0) 2us\n a: 1ms exit(1ms)\n"
			     "b: 1ms exit(1ms)\n c: 3ms wake(main,0) 1us exit(3ms)");
	program.threads[1].pid = program.threads[0].pid + 1;
	recognise(&program, &recognised);
	text = canonical(&program);
	assert_non_null(strstr(text, "1000ns join(b) join(c) 2000ns"));
	free(text);
	program_release(&program);
}

static void threads_whose_last_one_wakes_all_other_ones_meet_at_a_barrier(void **state)
{
	static const struct rewriting cases[] = {
		{"the last one changes",
		 "a: 3ms wake(b,0) 2us wake(c,1) wake(d,2) 1us 1ms block(3) 4ms block(6)\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) wake(b,4) wake(d,5) 7ms wake(a,6) wake(b,7) "
		 "wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n",
		 "a: 3ms barrier(x:4) 1003us barrier(x:4) 4ms barrier(x:4)\n"
		 "b: 1ms barrier(x:4) 2ms barrier(x:4) 1ms barrier(x:4)\n"
		 "c: 2ms barrier(x:4) 3ms barrier(x:4) 7ms barrier(x:4) 1ms\n"
		 "d: 1us barrier(x:4) 2us barrier(x:4) 3us barrier(x:4)\n"},
		{"three times is not enough where they are but three",
		 "a: 3ms wake(b,0) wake(c,1) 1ms block(2) 4ms block(4)\n"
		 "b: 1ms block(0) 2ms block(3) 1ms block(5)\n"
		 "c: 2ms block(1) 3ms wake(b,3) wake(a,2) 7ms wake(a,4) wake(b,5) 1ms\n",
		 "a: 3ms wake(b,0) wake(c,1) 1ms block(2) 4ms block(4)\n"
		 "b: 1ms block(0) 2ms block(3) 1ms block(5)\n"
		 "c: 2ms block(1) 3ms wake(b,3) wake(a,2) 7ms wake(a,4) wake(b,5) 1ms\n"},
		{"of many rows a few are none",
		 "a: 3ms wake(b,0) 2us wake(c,1) wake(d,2) 1ms block(3) 4ms block(6) "
		 "1ms wake(e,9) wake(f,10) 1ms wake(e,11) wake(f,12) "
		 "1ms wake(e,13) wake(f,14) 1ms wake(e,15) wake(f,16) 1ms\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) wake(b,4) wake(d,5) 7ms wake(a,6) wake(b,7) "
		 "wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n"
		 "e: block(9) block(11) block(13) block(15) 400us\n"
		 "f: block(10) block(12) block(14) block(16) 400us\n",
		 "a: 3ms wake(b,0) 2us wake(c,1) wake(d,2) 1ms block(3) 4ms block(6) "
		 "1ms wake(e,9) wake(f,10) 1ms wake(e,11) wake(f,12) "
		 "1ms wake(e,13) wake(f,14) 1ms wake(e,15) wake(f,16) 1ms\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) wake(b,4) wake(d,5) 7ms wake(a,6) wake(b,7) "
		 "wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n"
		 "e: block(9) block(11) block(13) block(15) 400us\n"
		 "f: block(10) block(12) block(14) block(16) 400us\n"},
		{"of many waits a few rows are none",
		 "a: 3ms wake(b,0) 2us wake(c,1) wake(d,2) 1ms block(3) 4ms block(6) "
		 "block(9) block(10) block(11) block(12) block(13) block(14) "
		 "block(15) block(16) block(17) block(18) block(19) block(20)\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) wake(b,4) wake(d,5) 7ms wake(a,6) wake(b,7) "
		 "wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n"
		 "e: 1ms wake(a,9) 1ms wake(a,10) 1ms wake(a,11) 1ms wake(a,12) "
		 "1ms wake(a,13) 1ms wake(a,14) 1ms wake(a,15) 1ms wake(a,16) "
		 "1ms wake(a,17) 1ms wake(a,18) 1ms wake(a,19) 1ms wake(a,20) 1ms",
		 "a: 3ms wake(b,0) 2us wake(c,1) wake(d,2) 1ms block(3) 4ms block(6) "
		 "block(9) block(10) block(11) block(12) block(13) block(14) "
		 "block(15) block(16) block(17) block(18) block(19) block(20)\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) wake(b,4) wake(d,5) 7ms wake(a,6) wake(b,7) "
		 "wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n"
		 "e: 1ms wake(a,9) 1ms wake(a,10) 1ms wake(a,11) 1ms wake(a,12) "
		 "1ms wake(a,13) 1ms wake(a,14) 1ms wake(a,15) 1ms wake(a,16) "
		 "1ms wake(a,17) 1ms wake(a,18) 1ms wake(a,19) 1ms wake(a,20) 1ms"},
		{"it is always the same one, a leader",
		 "a: 3ms wake(b,0) wake(c,1) wake(d,2) 1ms wake(b,3) wake(c,4) wake(d,5) 1ms "
		 "wake(b,6) wake(c,7) wake(d,8) 1ms\n"
		 "b: block(0) block(3) block(6)\n"
		 "c: block(1) block(4) block(7)\n"
		 "d: block(2) block(5) block(8)\n",
		 "a: 3ms wake(b,0) wake(c,1) wake(d,2) 1ms wake(b,3) wake(c,4) wake(d,5) 1ms "
		 "wake(b,6) wake(c,7) wake(d,8) 1ms\n"
		 "b: block(0) block(3) block(6)\n"
		 "c: block(1) block(4) block(7)\n"
		 "d: block(2) block(5) block(8)\n"},
		{"two threads may have a queue",
		 "a: 3ms wake(b,0) 1ms block(1) 1ms\n b: block(0) 2ms wake(a,1) 9ms",
		 "a: 3ms wake(b,0) 1ms block(1) 1ms\n b: block(0) 2ms wake(a,1) 9ms"},
		{"wakes with work between them",
		 "a: 3ms wake(b,0) 2us 9ms wake(c,1) wake(d,2) 1us 1ms block(3) 4ms block(6)\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) 9ms wake(b,4) wake(d,5) 7ms wake(a,6) 9ms "
		 "wake(b,7) wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n",
		 "a: 3ms wake(b,0) 9002us wake(c,1) wake(d,2) 1001us block(3) 4ms block(6)\n"
		 "b: 1ms block(0) 2ms block(4) 1ms block(7)\n"
		 "c: 2ms block(1) 3ms wake(a,3) 9ms wake(b,4) wake(d,5) 7ms wake(a,6) 9ms "
		 "wake(b,7) wake(d,8) 1ms\n"
		 "d: 1us block(2) 2us block(5) 3us block(8)\n"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

/* --- Calls --------------------------------------------------------------------------------- */

static void calls_on_locks_are_locks(void **state)
{
	static const struct rewriting cases[] = {
		{"no thread waits", "a: 1us mutex_lock(m) 2us mutex_unlock(m) 3us",
		 "a: 1us lock(m) 2us unlock(m) 3us"},
		{"a wait for the lock, and the wake that ends it",
		 "a: mutex_lock(m) 9us mutex_unlock(m) 1us wake(b,0) 4us\n"
		 "b: mutex_lock(m) 1us block(0) 5us mutex_unlock(m)",
		 "a: lock(m) 9us unlock(m) 4us\n b: lock(m) 5us unlock(m)"},
		{"it was taken by another one meanwhile",
		 "a: mutex_lock(m) 9us mutex_unlock(m) wake(b,0) mutex_lock(m) mutex_unlock(m) "
		 "wake(b,1)\n b: mutex_lock(m) 1us block(0) 1us block(1) 5us mutex_unlock(m)",
		 "a: lock(m) 9us unlock(m) lock(m) unlock(m)\n b: lock(m) 5us unlock(m)"},
		{"readers and a writer",
		 "a: read_lock(r) 9us rw_unlock(r) 1us wake(b,0)\n"
		 "b: write_lock(r) 1us block(0) 5us rw_unlock(r)",
		 "a: lock_shared(r) 9us unlock(r)\n b: lock(r) 5us unlock(r)"},
		{"with the system calls in them",
		 "a: mutex_lock(m) 9us mutex_unlock(m) futex_wake(m) wake(b,0) return(m,2) 4us\n"
		 "b: mutex_lock(m) futex_wait(m) 1us block(0) return(m,1) 5us mutex_unlock(m)",
		 "a: lock(m) 9us unlock(m) 4us\n b: lock(m) 5us unlock(m)"},
		{"another wait in one, and a wake long after the other",
		 "a: mutex_lock(m) 9us mutex_unlock(m) 1ms wake(b,0) 400us\n"
		 "b: 7us mutex_lock(m) 1us block(0) 5us mutex_unlock(m)",
		 "a: lock(m) 9us unlock(m) 1ms wake(b,0) 400us\n"
		 "b: 8us block(0) lock(m) 5us unlock(m)"},
		{"of another lock",
		 "a: mutex_lock(m) 9us mutex_unlock(m) 1us wake(b,0) 400us\n"
		 "b: mutex_lock(n) 1us block(0) 5us mutex_unlock(n)",
		 "a: lock(m) 9us unlock(m) 1us wake(b,0) 400us\n"
		 "b: 1us block(0) lock(n) 5us unlock(n)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void only_locks_that_are_given_back_were_held(void **state)
{
	static const struct rewriting cases[] = {
		{"a recursive lock",
		 "a: mutex_lock(m) 1us mutex_lock(m) 1us mutex_unlock(m) 1us mutex_unlock(m)",
		 "a: lock(m) 3us unlock(m)"},
		{"two locks, not nested",
		 "a: mutex_lock(m) 1us mutex_lock(n) 1us mutex_unlock(m) 1us mutex_unlock(n)",
		 "a: lock(m) 1us lock(n) 1us unlock(m) 1us unlock(n)"},
		{"never given back",
		 "a: mutex_lock(m) mutex_unlock(m) mutex_lock(n) 1us mutex_lock(m) 2us "
		 "mutex_unlock(m) 3us",
		 "a: lock(m) unlock(m) 1us lock(m) 2us unlock(m) 3us"},
		{"an unlock is lost", "a: mutex_lock(m) 1us mutex_lock(m) 2us mutex_unlock(m) 3us",
		 "a: 1us lock(m) 2us unlock(m) 3us"},
		{"held before the recording", "a: 1us mutex_unlock(m) 2us", "a: 3us"},
		{"... and taken again",
		 "a: 1us mutex_unlock(m) 1us mutex_lock(m) 2us mutex_unlock(m)",
		 "a: 2us lock(m) 2us unlock(m)"},
		{"a trylock that gets it", "a: mutex_trylock(m) 1us mutex_unlock(m)",
		 "a: lock(m) 1us unlock(m)"},
		{"one that does not get it",
		 "a: mutex_trylock(m) 1us mutex_lock(m) 2us mutex_unlock(m) 3us",
		 "a: 1us lock(m) 2us unlock(m) 3us"},
		{"one that gets it the second time",
		 "a: mutex_trylock(m) 1us mutex_trylock(m) 2us mutex_unlock(m) 3us",
		 "a: 1us lock(m) 2us unlock(m) 3us"},
		{"one of a mutex that it holds itself",
		 "a: mutex_lock(m) 1us mutex_trylock(m) 2us mutex_unlock(m) 3us",
		 "a: lock(m) 3us unlock(m) 3us"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void a_thread_with_a_lock_has_waited_for_it_even_late_and_without_result(void **state)
{
	static const struct rewriting cases[] = {
		{"woken without result, and again after more time than a call needs",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:2) wake(b,0) 100us mutex_lock(m:3) "
		 "1ms mutex_unlock(m:4) wake(b,1) 1ms\n"
		 "b: 1us mutex_lock(m:1) 70us block(0) 60us block(1) 2ms mutex_unlock(m:5)",
		 "a: 1us lock(m) 1ms unlock(m) 100us lock(m) 1ms unlock(m) 1ms\n"
		 "b: 1us lock(m) 2130us unlock(m)"},
		{"for another lock is not for this one",
		 "a: 1us mutex_lock(n:0) 1ms mutex_unlock(n:1) wake(b,0) 1ms\n"
		 "b: 1us mutex_lock(m:0) 70us block(0) 2ms mutex_unlock(m:1)",
		 "a: 1us lock(n) 1ms unlock(n) wake(b,0) 1ms\n"
		 "b: 1us lock(m) 70us block(0) 2ms unlock(m)"},
		{"nor is it once it was given back",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:1) wake(b,0) 1ms\n"
		 "b: 1us mutex_lock(m:2) 1us mutex_unlock(m:3) 70us block(0) 2ms",
		 "a: 1us lock(m) 1ms unlock(m) wake(b,0) 1ms\n"
		 "b: 1us lock(m) 1us unlock(m) 70us block(0) 2ms"},
		{"in the end of a wait for a condition, too",
		 "a: 1us mutex_lock(m:2) cond_signal(c:1) wake(b,0) 1ms mutex_unlock(m:3) "
		 "wake(b,1) 1ms\n"
		 "b: mutex_lock(m:0) call(m,0) cond_wait(c:0) block(0) 70us block(1) 2ms "
		 "mutex_unlock(m:4) 100us mutex_lock(m:5) 1us mutex_unlock(m:6)",
		 "a: 1us lock(m) wake(b,0) 1ms unlock(m) 1ms\n"
		 "b: lock(m) unlock(m) block(0) lock(m) 2070us unlock(m) 100us lock(m) 1us "
		 "unlock(m)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void a_system_call_at_the_word_of_a_call_is_in_it_even_late(void **state)
{
	static const struct rewriting cases[] = {
		{"disturbed on the way to it",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:2) 70us futex_wake(m) 1us wake(b,0) "
		 "return(m) 1ms\n"
		 "b: 1us mutex_lock(m:1) 80us futex_wait(m) 1us block(0) return(m) 2ms "
		 "mutex_unlock(m:3)",
		 "a: 1us lock(m) 1ms unlock(m) 1071us\n"
		 "b: 1us lock(m) 2081us unlock(m)"},
		{"disturbed in it, and in the next one",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:2) futex_wake(m) 70us wake(b,0) "
		 "return(m) 1ms mutex_lock(m:3) 1ms mutex_unlock(m:4) futex_wake(m) wake(b,1) "
		 "return(m)\n"
		 "b: 1us mutex_lock(m:1) futex_wait(m) 80us block(0) 60us return(m) 1us "
		 "futex_wait(m) 90us block(1) return(m) 2ms mutex_unlock(m:5)",
		 "a: 1us lock(m) 1ms unlock(m) 1070us lock(m) 1ms unlock(m)\n"
		 "b: 1us lock(m) 2231us unlock(m)"},
		{"disturbed in it at a semaphore, and in the next one",
		 "a: 1ms sem_post(s:1) futex_wake(s) 70us wake(b,0) return(s) 1ms sem_post(s:2) "
		 "futex_wake(s) wake(b,1) return(s) 1ms\n"
		 "b: 1us sem_wait(s:0) futex_wait(s) 80us block(0) 60us return(s) 1us "
		 "futex_wait(s) "
		 "1us block(1) return(s) 1ms",
		 "a: 1ms give(s) 1070us give(s) 1ms\n"
		 "b: 1us take(s) 1142us"},
		{"disturbed behind it, and so in no call",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:1) futex_wake(m) return(m) 1ms "
		 "wake(b,0) "
		 "5ms\n"
		 "b: 1us mutex_lock(m:2) futex_wait(m) return(m) 1ms futex_wait(x) block(0) "
		 "return(x) "
		 "1us mutex_unlock(m:3) 1ms",
		 "a: 1us lock(m) 1ms unlock(m) 1ms wake(b,0) 5ms\n"
		 "b: 1us lock(m) 1ms block(0) 1us unlock(m) 1ms"},
		{"its return is not recorded: the next call ends it",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:2) futex_wake(m) wake(b,0) "
		 "mutex_lock(n:3) 1us mutex_unlock(n:4) 5ms wake(b,1) 9ms\n"
		 "b: 1us mutex_lock(m:1) futex_wait(m) block(0) return(m) 1us mutex_unlock(m:5) "
		 "mutex_lock(n:6) 1ms futex_wait(n) block(1) return(n) 1us mutex_unlock(n:7) 1ms",
		 "a: 1us lock(m) 1ms unlock(m) lock(n) 1us unlock(n) 5ms wake(b,1) 9ms\n"
		 "b: 1us lock(m) 1us unlock(m) 1ms block(1) lock(n) 1us unlock(n) 1ms"},
		{"at another word it is for something else",
		 "a: 1us mutex_lock(m:0) 1ms mutex_unlock(m:2) 70us futex_wake(w) 1us wake(b,0) "
		 "return(w) 1ms\n"
		 "b: 1us futex_wait(w) 1us block(0) return(w) 2ms",
		 "a: 1us lock(m) 1ms unlock(m) 71us wake(b,0) 1ms\n"
		 "b: 2us block(0) 2ms"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void a_thread_that_waits_for_another_event_keeps_its_lock_meanwhile(void **state)
{
	static const struct rewriting cases[] = {
		{"it sleeps, without a recorded system call",
		 "a: mutex_lock(m) 5us sleep(1ms) 2us mutex_unlock(m) futex_wake(m) wake(b,0) "
		 "return(m,2) 9us\n"
		 "b: mutex_lock(m) 1us futex_wait(m) block(0) return(m,1) 5us sleep(1ms) 2us "
		 "mutex_unlock(m) 9us",
		 "a: lock(m) 5us sleep(1ms) 2us unlock(m) 9us\n"
		 "b: lock(m) 5us sleep(1ms) 2us unlock(m) 9us"},
		{"it waits for a device, for other programs, and for a thread without a lock",
		 "a: mutex_lock(m) 5us device(1ms) external(2ms) 2us mutex_unlock(m) 9us\n"
		 "b: mutex_lock(m) 5us block(0) 2us mutex_unlock(m) 9us\n"
		 "c: 1ms wake(b,0) 1ms futex_wait(n) block() return(n,1)",
		 "a: lock(m) 5us device(1ms) external(2ms) 2us unlock(m) 9us\n"
		 "b: lock(m) 5us block(0) 2us unlock(m) 9us\n"
		 "c: 1ms wake(b,0) 1ms block()"},
		{"... and with a mutex that it has got again",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 1us futex_wait(c) block(0) "
		 "return(c,1) 3us sleep(5ms) 4us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(c) 1us futex_wake(c) wake(a,0) return(c,2) 1us "
		 "mutex_unlock(m) 400us",
		 "a: lock(m) 2us unlock(m) 1us block(0) lock(m) 3us sleep(5ms) 4us unlock(m)\n"
		 "b: lock(m) 2us wake(a,0) 1us unlock(m) 400us"},
		{"a wait in the call, with a timeout or for an unrecorded thread",
		 "a: mutex_lock(m) 5us futex_wait(m) sleep(1ms) return(m,1) 2us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 5us futex_wait(m) unknown(1ms) return(m,1) 2us "
		 "mutex_unlock(m)",
		 "a: 5us sleep(1ms) lock(m) 2us unlock(m)\n"
		 "b: 5us unknown(1ms) lock(m) 2us unlock(m)"},
		{"a page fault with a read comes before the wait in the call",
		 "a: mutex_lock(m) 9us mutex_unlock(m) wake(b,0) 400us\n"
		 "b: mutex_lock(m) 1us device(1ms) 1us futex_wait(m) block(0) return(m,1) 5us "
		 "mutex_unlock(m) 9us",
		 "a: lock(m) 9us unlock(m) 400us\n"
		 "b: lock(m) device(1ms) 5us unlock(m) 9us"},
		{"without recorded system calls: it asks for time, or waits for a device",
		 "a: mutex_lock(m) 5us sleep(1ms) 2us mutex_unlock(m) 9us\n"
		 "b: mutex_lock(m) 5us device(1ms) 2us mutex_unlock(m) 9us",
		 "a: lock(m) 5us sleep(1ms) 2us unlock(m) 9us\n"
		 "b: lock(m) 5us device(1ms) 2us unlock(m) 9us"},
		{"... but a wait that no thread ended may be one for the lock",
		 "a: mutex_lock(m) 5us external(1ms) 2us mutex_unlock(m) 9us",
		 "a: 5us external(1ms) lock(m) 2us unlock(m) 9us"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void a_thread_that_waits_for_a_condition_gives_its_mutex_back(void **state)
{
	static const struct rewriting cases[] = {
		{"until it is signalled",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 3us block(0) 4us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(c) 1us wake(a,0) 1us mutex_unlock(m) 400us",
		 "a: lock(m) 2us unlock(m) 3us block(0) lock(m) 4us unlock(m)\n"
		 "b: lock(m) 2us wake(a,0) 1us unlock(m) 400us"},
		{"also if the way to the wait is long, and that of its waker to the wake",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 300us block(0) 4us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(c) 90us wake(a,0) 1us mutex_unlock(m) 400us",
		 "a: lock(m) 2us unlock(m) 300us block(0) lock(m) 4us unlock(m)\n"
		 "b: lock(m) 91us wake(a,0) 1us unlock(m) 400us"},
		{"but not if it waits for another thread so late",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 300us block(0) 4us mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(d) 90us wake(a,0) 1us mutex_unlock(m) 400us",
		 "a: lock(m) 2us unlock(m) lock(m) 300us block(0) 4us unlock(m)\n"
		 "b: lock(m) 91us wake(a,0) 1us unlock(m) 400us"},
		{"and then waits for the mutex",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) block(0) 1us block(1) 4us "
		 "mutex_unlock(m)\n"
		 "b: mutex_lock(m) 1us cond_signal(c) wake(a,0) 1us mutex_unlock(m) wake(a,1) "
		 "400us",
		 "a: lock(m) 2us unlock(m) block(0) lock(m) 5us unlock(m)\n"
		 "b: lock(m) 1us wake(a,0) 1us unlock(m) 400us"},
		{"a thread that waits for the mutex gets it",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 1us wake(b,1) sleep(5ms) 4us "
		 "mutex_unlock(m)\n b: mutex_lock(m) block(1) 1us mutex_unlock(m)",
		 "a: lock(m) 2us unlock(m) sleep(5ms) lock(m) 4us unlock(m)\n"
		 "b: lock(m) 1us unlock(m)"},
		{"it need not wait",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) 4us mutex_unlock(m)",
		 "a: lock(m) 2us unlock(m) lock(m) 4us unlock(m)"},
		{"for ever",
		 "a: mutex_lock(m) 2us call(m,0) cond_wait(c) block()\n"
		 "b: mutex_lock(m) 1us mutex_unlock(m)",
		 "a: lock(m) 2us unlock(m) block()\n b: lock(m) 1us unlock(m)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void conditions_that_are_queues_are_tokens(void **state)
{
	static const struct rewriting cases[] = {
		{"a thread that found an item did not wait, but may have to",
		 "p: 1us mutex_lock(m:2) cond_signal(i:1) wake(c,0) mutex_unlock(m:3) 2us "
		 "mutex_lock(m:5) cond_signal(i:2) mutex_unlock(m:6) 400us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms "
		 "mutex_lock(m:7) mutex_unlock(m:8) 2ms",
		 "p: 1us lock(m) give(i) unlock(m) 2us lock(m) give(i) unlock(m) 400us\n"
		 "c: take(i) lock(m) 1us unlock(m) 1ms take(i) lock(m) unlock(m) 2ms"},
		{"the room is unknown",
		 "p: 1us mutex_lock(m:2) cond_signal(i:1) wake(c,0) mutex_unlock(m:3) 2us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us cond_signal(r:0) "
		 "mutex_unlock(m:4) 1ms",
		 "p: 1us lock(m) give(i) unlock(m) 2us\n c: take(i) lock(m) 1us unlock(m) 1ms"},
		{"more items were taken than put: no queue",
		 "p: 1us mutex_lock(m:2) cond_signal(i:1) wake(c,0) mutex_unlock(m:3) 2us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms "
		 "mutex_lock(m:5) mutex_unlock(m:6) 2ms",
		 "p: 1us lock(m) wake(c,0) unlock(m) 2us\n"
		 "c: lock(m) unlock(m) block(0) lock(m) 1us unlock(m) 1ms lock(m) unlock(m) 2ms"},
		{"more items were taken than put at the end: no queue",
		 "p: 1us mutex_lock(m:3) cond_signal(i:1) wake(c,0) mutex_unlock(m:4) 2us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us cond_signal(r:0) "
		 "mutex_unlock(m:6) 1ms mutex_lock(m:7) cond_signal(r:1) mutex_unlock(m:8) 2ms",
		 "p: 1us lock(m) wake(c,0) unlock(m) 2us\n"
		 "c: lock(m) unlock(m) block(0) lock(m) 1us unlock(m) 1ms lock(m) unlock(m) 2ms"},
		{"two signals under one lock: no queue",
		 "p: 1us mutex_lock(m:2) cond_signal(i:1) wake(c,0) cond_signal(i:2) "
		 "mutex_unlock(m:3) 2us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms",
		 "p: 1us lock(m) wake(c,0) unlock(m) 2us\n"
		 "c: lock(m) unlock(m) block(0) lock(m) 1us unlock(m) 1ms"},
		{"a wait without a known mutex",
		 "p: 1us mutex_lock(m:2) cond_signal(i:1) wake(c,0) mutex_unlock(m:3) 2us\n"
		 "c: mutex_lock(m:0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms",
		 "p: 1us lock(m) wake(c,0) unlock(m) 2us\n"
		 "c: lock(m) block(0) 1us unlock(m) 1ms"},
		{"a signal just after the mutex",
		 "p: 1us mutex_lock(m:2) mutex_unlock(m:3) 1us cond_signal(i:1) wake(c,0) 400us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms",
		 "p: 1us lock(m) unlock(m) 1us give(i) 400us\n"
		 "c: take(i) lock(m) 1us unlock(m) 1ms"},
		{"two signals after it: no queue",
		 "p: 1us mutex_lock(m:2) mutex_unlock(m:3) cond_signal(i:1) wake(c,0) 1us "
		 "cond_signal(i:2) 400us\n"
		 "c: mutex_lock(m:0) call(m,0) cond_wait(i:0) block(0) 1us mutex_unlock(m:4) 1ms",
		 "p: 1us lock(m) unlock(m) wake(c,0) 401us\n"
		 "c: lock(m) unlock(m) block(0) lock(m) 1us unlock(m) 1ms"},
		{"no thread has waited, and as many items were taken as put",
		 "p: 1us mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) 2us "
		 "mutex_lock(m:2) cond_signal(i:1) mutex_unlock(m:3) 400us\n"
		 "c: mutex_lock(m:4) mutex_unlock(m:5) 1ms\n"
		 "d: mutex_lock(m:6) mutex_unlock(m:7) 2ms",
		 "p: 1us lock(m) give(i) unlock(m) 2us lock(m) give(i) unlock(m) 400us\n"
		 "c: take(i) lock(m) unlock(m) 1ms\n d: take(i) lock(m) unlock(m) 2ms"},
		{"... and they signal room",
		 "p: 1us mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) 2us\n"
		 "c: mutex_lock(m:2) cond_signal(r:0) mutex_unlock(m:3) 1ms",
		 "p: 1us lock(m) give(i) unlock(m) 2us\n c: take(i) lock(m) unlock(m) 1ms"},
		{"... but an item is left: no queue",
		 "p: 1us mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) 2us "
		 "mutex_lock(m:2) cond_signal(i:1) mutex_unlock(m:3) 400us\n"
		 "c: mutex_lock(m:4) mutex_unlock(m:5) 1ms",
		 "p: 1us lock(m) unlock(m) 2us lock(m) unlock(m) 400us\n"
		 "c: lock(m) unlock(m) 1ms"},
		{"... but the first thread puts no item: no queue",
		 "p: 1us mutex_lock(m:2) cond_signal(i:0) mutex_unlock(m:3) 2us\n"
		 "c: mutex_lock(m:0) mutex_unlock(m:1) 1ms",
		 "p: 1us lock(m) unlock(m) 2us\n c: lock(m) unlock(m) 1ms"},
		{"... but more items were taken before: no queue",
		 "p: 1us mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) 2us "
		 "mutex_lock(m:6) cond_signal(i:1) mutex_unlock(m:7) 400us\n"
		 "c: mutex_lock(m:2) mutex_unlock(m:3) 1ms mutex_lock(m:4) mutex_unlock(m:5) 2ms",
		 "p: 1us lock(m) unlock(m) 2us lock(m) unlock(m) 400us\n"
		 "c: lock(m) unlock(m) 1ms lock(m) unlock(m) 2ms"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

/* As in a server: w and v wait for items that p puts. */
static void a_queue_is_recognised_for_any_begin_and_end_of_the_recording(void **state)
{
	static const struct rewriting cases[] = {
		{"a broadcast ends it: each of them gets the end",
		 "p: fork(w) fork(v) mutex_lock(m:4) cond_signal(i:2) wake(w,0) mutex_unlock(m:5) "
		 "1ms mutex_lock(m:9) cond_broadcast(i:4) wake(w,1) mutex_unlock(m:10) 1ms\n"
		 "w: mutex_lock(m:0) call(m,256) cond_wait(i:0) block(0) mutex_unlock(m:6) 1ms "
		 "mutex_lock(m:7) call(m,2048) cond_wait(i:3) block(1) mutex_unlock(m:11)\n"
		 "v: 9ms mutex_lock(m:12) mutex_unlock(m:13)",
		 "p: fork(w) fork(v) lock(m) give(i) unlock(m) 1ms lock(m) give(i) give(i) "
		 "unlock(m) 1ms\n"
		 "w: take(i) lock(m) unlock(m) 1ms take(i) lock(m) unlock(m)\n"
		 "v: 9ms take(i) lock(m) unlock(m)"},
		{"they waited when the recording began, and do when it ends",
		 "p: 1ms mutex_lock(m:0) cond_signal(i:0) wake(w,0) mutex_unlock(m:1) "
		 "1ms mutex_lock(m:5) cond_signal(i:2) mutex_unlock(m:6) 1ms\n"
		 "w: block(0) mutex_unlock(m:2) 1ms mutex_lock(m:3) call(m,1024) cond_wait(i:1) "
		 "block()\n"
		 "v: 9ms mutex_lock(m:7) mutex_unlock(m:8) 1ms",
		 "p: 1ms lock(m) give(i) unlock(m) 1ms lock(m) give(i) unlock(m) 1ms\n"
		 "w: take(i) 1ms lock(m) unlock(m) block()\n"
		 "v: 9ms take(i) lock(m) unlock(m) 1ms"},
		{"items from before are taken, as long as no thread has waited",
		 "p: 1ms mutex_lock(m:6) cond_signal(i:1) wake(w,0) mutex_unlock(m:7) 1ms\n"
		 "w: mutex_lock(m:0) mutex_unlock(m:1) 1ms mutex_lock(m:2) mutex_unlock(m:3) 1ms "
		 "mutex_lock(m:4) call(m,1280) cond_wait(i:0) block(0) mutex_unlock(m:8) 1ms",
		 "p: 1ms lock(m) give(i) unlock(m) 1ms\n"
		 "w: take(i) lock(m) unlock(m) 1ms take(i) lock(m) unlock(m) 1ms take(i) lock(m) "
		 "unlock(m) 1ms"},
		{"one of many uses of the mutex is for something else",
		 "p: mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) mutex_lock(m:2) "
		 "cond_signal(i:1) mutex_unlock(m:3) mutex_lock(m:4) cond_signal(i:2) "
		 "mutex_unlock(m:5) mutex_lock(m:6) cond_signal(i:3) mutex_unlock(m:7) "
		 "mutex_lock(m:8) cond_signal(i:4) mutex_unlock(m:9) mutex_lock(m:10) sem_post(s) "
		 "mutex_unlock(m:11)\n"
		 "w: mutex_lock(m:12) mutex_unlock(m:13) mutex_lock(m:14) mutex_unlock(m:15) "
		 "mutex_lock(m:16) mutex_unlock(m:17) mutex_lock(m:18) mutex_unlock(m:19) "
		 "mutex_lock(m:20) mutex_unlock(m:21)",
		 "p: lock(m) give(i) unlock(m) lock(m) give(i) unlock(m) lock(m) give(i) "
		 "unlock(m) lock(m) give(i) unlock(m) lock(m) give(i) unlock(m) lock(m) give(s) "
		 "unlock(m)\n"
		 "w: take(i) lock(m) unlock(m) take(i) lock(m) unlock(m) take(i) lock(m) unlock(m) "
		 "take(i) lock(m) unlock(m) take(i) lock(m) unlock(m)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

/* The first of many signals does not end the wait. */
static void a_thread_that_waits_for_all_signals_takes_no_token(void **state)
{
	const int parts = 12;
	struct program program;
	struct recognised recognised;
	char *text, *shown;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fprintf(out, "p: mutex_lock(m:0) ");
	for (int i = 0; i < parts; i++)
		fprintf(out, "call(m,%d) cond_wait(i:%d) block(%d) ", 256 * (1 + 3 * i), 2 * i, i);
	fprintf(out, "mutex_unlock(m:%d) 50ms\na: ", 3 * parts + 1);
	for (int i = 0; i < parts; i++)
		fprintf(out,
			"10ms mutex_lock(m:%d) cond_signal(i:%d) wake(p,%d) mutex_unlock(m:%d) ",
			3 * i + 2, 2 * i + 1, i, 3 * i + 3);
	fclose(out);
	steps_read(&program, text);
	recognise(&program, &recognised);
	shown = canonical(&program);
	assert_null(strstr(shown, "take"));
	free(shown);
	free(text);
	program_release(&program);
}

static void the_room_of_a_queue_of_conditions_is_that_used_during_a_wait_for_it(void **state)
{
	struct program program;
	struct recognised recognised;
	char *text;

	(void)state;
	steps_read(
		&program,
		"p: fork(c) mutex_lock(m:0) cond_signal(i:0) mutex_unlock(m:1) 1us mutex_lock(m:2) "
		"call(m,768) cond_wait(r:0) 1us wake(c,1) block(0) 1us cond_signal(i:1) "
		"mutex_unlock(m:6) 400us\n"
		"c: mutex_lock(m:4) block(1) cond_signal(r:1) wake(p,0) mutex_unlock(m:5) 2ms "
		"mutex_lock(m:7) cond_signal(r:2) mutex_unlock(m:8) 2ms");
	recognise(&program, &recognised);
	text = canonical(&program);
	assert_string_equal(text,
			    "p: fork(c) take(2) lock(0) give(1,1) unlock(0) 1000ns take(2) lock(0) "
			    "2000ns give(1,1) unlock(0) 400000ns\n"
			    "c: take(1) lock(0) give(2,1) unlock(0) 2000000ns take(1) lock(0) "
			    "give(2,1) unlock(0) 2000000ns\n");
	assert_int_equal(program.sites[1].tokens, 0);
	assert_int_equal(program.sites[2].tokens, 1);
	assert_int_equal(recognised.left, 0);
	free(text);
	program_release(&program);
}

static void calls_on_semaphores_are_tokens(void **state)
{
	static const struct rewriting cases[] = {
		{"a wait for a token",
		 "a: sem_init(s:0) 9us sem_post(s:2) 1us wake(b,0) 4us\n"
		 "b: sem_wait(s:1) 1us block(0) 5us",
		 "a: 9us give(s) 5us\n b: take(s) 6us"},
		{"woken with one of another semaphore",
		 "a: 9us sem_post(t:0) wake(b,0) 400us\n b: sem_wait(s:0) block(0) 5us",
		 "a: 9us give(t) wake(b,0) 400us\n b: block(0) take(s) 5us"},
		{"forever", "a: sem_wait(s:0) 1us block()", "a: 1us block() take(s)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

static void calls_at_barriers_fill_whole_generations(void **state)
{
	static const struct rewriting cases[] = {
		{"two threads, once",
		 "a: 1us barrier_wait(x:0) block(0) 2us\n b: 3us barrier_wait(x:1) wake(a,0) 4us",
		 "a: 1us barrier(x:2) 2us\n b: 3us barrier(x:2) 4us"},
		{"a thread that comes after all other ones waits as recorded",
		 "a: 1us barrier_wait(x:0) 1us block(0) 2us barrier_wait(x:2) block()\n"
		 "b: 3us barrier_wait(x:1) wake(a,0) 400us\n",
		 "a: 1us 1us block(0) 2us block()\n b: 3us wake(a,0) 400us"},
		{"the first generation is incomplete, and so is the last",
		 "a: 3us barrier_wait(x:0) wake(d,0) 1us barrier_wait(x:3) wake(b,1) wake(c,2) "
		 "1ms\n"
		 "b: 1us barrier_wait(x:1) block(1) 1us barrier_wait(x:4) block()\n"
		 "c: 2us barrier_wait(x:2) block(2) 1us barrier_wait(x:5) block()\n d: block(0)",
		 "a: 3us wake(d,0) 1us barrier(x:3) 1ms\n b: 1us barrier(x:3) 1us block()\n"
		 "c: 2us barrier(x:3) 1us block()\n d: block(0)"},
	};

	(void)state;
	ASSERT_REWRITTEN(cases);
}

/* A trace may have such a number of parties; counting the threads must take no longer. */
static void a_barrier_of_more_threads_than_ever_come_is_ignored(void **state)
{
	static const uint32_t parties[] = {3, INT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(parties) / sizeof(*parties); i++) {
		struct program program;
		struct recognised recognised;
		char *text;

		steps_read(&program, "a: barrier_init(x:0) 1us barrier_wait(x:1) block(0) 2us\n"
				     "b: 3us barrier_wait(x:2) wake(a,0) 400us");
		program.sites[0].parties = parties[i];
		recognise(&program, &recognised);
		text = canonical(&program);
		assert_string_equal(text, "a: 1000ns block(0) 2000ns\n"
					  "b: 3000ns wake(a,0) 400000ns\n");
		free(text);
		program_release(&program);
	}
}

/* A wait at a barrier is at its second word, and its wakeups are, too. */
static void a_late_system_call_at_another_word_of_an_object_is_in_its_call(void **state)
{
	struct recognised recognised;
	struct program program;
	char *text;

	(void)state;
	steps_read(&program,
		   "a: 1us barrier_wait(x:0) 1us futex_wait(w) 90us block(0) return(w) 2ms\n"
		   "b: 3ms barrier_wait(x:1) 70us futex_wake(w) 80us wake(a,0) return(w) 4ms");
	assert_int_equal(program.site_count, 2);
	program.sites[0].address = 0x1000;
	program.sites[1].address = 0x1004;
	recognise(&program, &recognised);
	text = steps_text(&program);
	assert_string_equal(text, "a: 1000ns barrier(0:2) 2091000ns\n"
				  "b: 3000000ns barrier(0:2) 4150000ns\n");
	free(text);
	program_release(&program);
}

static void a_call_at_a_barrier_keeps_the_work_during_its_wait(void **state)
{
	struct recognised recognised;
	struct program program;

	(void)state;
	steps_read(&program, "a: 1us barrier_wait(x:0) block(0) 2us\n"
			     "b: 3us barrier_wait(x:1) wake(a,0) 4us");
	program.work_us = xcalloc(1, sizeof(*program.work_us));
	program.work_us[0] = 7;
	program.work_count = 1;
	recognise(&program, &recognised);
	assert_int_equal(step_op(&program.threads[0].steps[0]), STEP_BARRIER);
	assert_int_equal(program.threads[0].steps[0].count, 7);
	assert_int_equal(step_op(&program.threads[1].steps[0]), STEP_BARRIER);
	assert_int_equal(program.threads[1].steps[0].count, 1);
	program_release(&program);
}

static void assert_tokens(const char *text, uint32_t tokens)
{
	struct program program;
	struct recognised recognised;

	steps_read(&program, text);
	recognise(&program, &recognised);
	assert_int_equal(program.sites[0].tokens, tokens);
	assert_int_equal(recognised.queues, 1);
	program_release(&program);
}

static void a_semaphore_begins_with_the_tokens_that_its_calls_need(void **state)
{
	(void)state;
	/* As many tokens as were taken before one was given. */
	assert_tokens("a: sem_wait(s:0) sem_wait(s:1) sem_post(s:2) sem_wait(s:3)", 2);
	assert_tokens("a: sem_wait(s:0) 1us sem_post(s:1)\n b: sem_wait(s:2) 1us sem_post(s:3)", 1);
	assert_tokens("a: sem_wait(s:0) 1us sem_post(s:2)\n b: sem_wait(s:1) 1us sem_post(s:3)", 2);
	/* A thread that waited has got its token when it was given. */
	assert_tokens("a: sem_wait(s:0) 1us sem_post(s:2) wake(b,0)\n"
		      "b: sem_wait(s:1) block(0) 1us sem_post(s:3)",
		      1);
	assert_tokens("a: sem_wait(s:0) block(0) 1us\n b: 9us sem_post(s:1) wake(a,0) 400us", 0);
	/* A token that never came did not exist. */
	assert_tokens("a: sem_post(s:0)\n b: sem_wait(s:1) 1us sem_wait(s:2) block()", 0);
	/* Places are kept modulo 2^24. */
	assert_tokens("a: sem_post(s:16777214) sem_wait(s:16777215) sem_post(s:0) sem_wait(s:1)",
		      0);
	/* The call that sets them has precedence. */
	assert_tokens("a: sem_init(s:0) sem_wait(s:1) sem_post(s:2)", 0);
}

struct pooling {
	const char *what, *text;
	bool pooled;
};

static void items_of_a_queue_can_be_done_by_any_thread_that_takes_from_it(void **state)
{
	static const struct pooling cases[] = {
		{"two threads take from it",
		 "p: sem_post(q:0) sem_post(q:1)\n a: sem_wait(q:2) 1ms\n b: sem_wait(q:3) 1ms",
		 true},
		{"one thread takes from it",
		 "p: sem_post(q:0) sem_post(q:1)\n a: sem_wait(q:2) 1ms sem_wait(q:3) 1ms", false},
		{"it holds tokens in the beginning: room, or a limit",
		 "a: sem_wait(q:0) 1ms sem_post(q:1)\n b: sem_wait(q:2) 1ms sem_post(q:3)", false},
		{"a thread that takes also gives there",
		 "p: sem_post(q:0)\n a: sem_wait(q:1) 1ms sem_post(q:2)\n b: sem_wait(q:3) 1ms",
		 false},
		{"with a lock held",
		 "p: sem_post(q:0) sem_post(q:1)\n a: mutex_lock(m) sem_wait(q:2) mutex_unlock(m)\n"
		 "b: sem_wait(q:3) 1ms",
		 false},
		{"a taking thread waits for a certain thread in between",
		 "p: sem_post(q:0) sem_post(q:1) 1ms wake(a,0) 1ms\n a: sem_wait(q:2) 1ms "
		 "block(0)\n"
		 "b: sem_wait(q:3) 1ms",
		 false},
		{"a taking thread takes from another queue, too",
		 "p: sem_post(q:0) sem_post(q:1) sem_post(r:0)\n"
		 "a: sem_wait(q:2) 1ms sem_wait(r:1)\n b: sem_wait(q:3) 1ms",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program;
		struct recognised recognised;

		steps_read(&program, cases[i].text);
		recognise(&program, &recognised);
		if (program.sites[0].pooled != cases[i].pooled)
			fail_msg("%s: %d", cases[i].what, program.sites[0].pooled);
		program_release(&program);
	}
}

static void takes_of_a_queue_are_numbered_in_the_order_of_their_items(void **state)
{
	struct program program;
	struct recognised recognised;

	(void)state;
	steps_read(&program, "p: sem_post(q:1) sem_post(q:3) wake(a,0) 1ms\n"
			     "a: sem_wait(q:0) block(0) 1ms sem_wait(q:4) block()\n"
			     "b: sem_wait(q:2) 1ms\n c: sem_wait(q:5) 1ms");
	recognise(&program, &recognised);
	assert_int_equal(program.threads[2].steps[0].count, 0); /* b did not wait */
	assert_int_equal(program.threads[1].steps[0].count, 1);
	assert_int_equal(program.threads[3].steps[0].count, 2);
	assert_int_equal(program.threads[1].steps[2].count, 3); /* never */
	program_release(&program);
}

/* --- Names --------------------------------------------------------------------------------- */

static void every_wait_has_a_site_with_a_name(void **state)
{
	static const char *const names[] = {"sleep", "device I/O", "unknown", "a/1 <-> b/2",
					    "b/2 <-> c/3"};
	struct program program;
	struct recognised recognised;

	(void)state;
	steps_read(&program, "a: 1ms wake(b,0) 1ms block(1) sleep(1ms) device(2ms) sleep(2ms)\n"
			     "b: block(0) 2ms wake(a,1) 1ms block(2) unknown(1ms)\n"
			     "c: 9ms wake(b,2) 1ms");
	recognise(&program, &recognised);
	assert_int_equal(recognised.left, 3);
	assert_int_equal(program.site_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(program.sites[i].name, names[i]);
	assert_int_equal(step_site(&program.threads[0].steps[1]), 3);
	assert_int_equal(step_site(&program.threads[0].steps[4]), 0);
	assert_int_equal(step_site(&program.threads[1].steps[2]), 4);
	program_release(&program);
}

enum numbered { WITHOUT, BEHIND, BEFORE };

static void assert_name_of_pairs(enum numbered numbered, const char *expected)
{
	enum { WORKERS = 1200 };
	struct program program = {0};
	struct recognised recognised;

	program_add_thread(&program, 1, 1, "main");
	for (uint32_t i = 0; i < WORKERS; i++) {
		char *name = numbered == BEHIND	  ? xasprintf("worker/%u", i)
			     : numbered == BEFORE ? xasprintf("%u workers", i)
						  : xstrdup("worker");
		uint32_t thread = program_add_thread(&program, (int32_t)i + 2, 1, name);
		struct step *step = program_add_step(&program, thread, 1000000, STEP_WAKE);

		step->thread = 0;
		step->edge = i;
		program_add_step(&program, thread, 1000000, STEP_EXIT);
		program_add_step(&program, 0, 0, STEP_BLOCK)->edge = i;
		free(name);
	}
	program.edge_count = WORKERS;
	recognise(&program, &recognised);
	assert_int_equal(recognised.left, WORKERS);
	assert_int_equal(program.site_count, 1);
	assert_string_equal(program.sites[0].name, expected);
	program_release(&program);
}

static void very_many_pairs_of_threads_share_one_site(void **state)
{
	(void)state;
	assert_name_of_pairs(WITHOUT, "main <-> worker");
	assert_name_of_pairs(BEHIND, "main <-> worker/*");
	assert_name_of_pairs(BEFORE, "* <-> *");
}

/* --- Any input ----------------------------------------------------------------------------- */

enum { RANDOM_THREADS = 4, RANDOM_STEPS = 40, RANDOM_SITES = 3 };

static void add_random_step(struct program *program, struct random *random, uint32_t thread)
{
	uint64_t run_ns = random_below(random, 4) ? random_below(random, 3000)
						  : random_below(random, 3000000);
	uint32_t which = (uint32_t)random_below(random, 4),
		 other = (uint32_t)random_below(random, RANDOM_THREADS);
	struct step *step;

	if (which == 0 && other != thread) {
		step = program_add_step(program, thread, run_ns, STEP_WAKE);
		step->thread = other;
		step->edge = program->edge_count;
		step = program_add_step(program, other, run_ns, STEP_BLOCK);
		step->edge = program->edge_count++;
	} else if (which == 1) {
		step = program_add_step(program, thread, run_ns, STEP_SLEEP);
		step->pause = step_pause(run_ns, PROGRAM_NONE);
	} else {
		step = program_add_step(program, thread, run_ns, STEP_CALL);
		step->site = (uint32_t)random_below(random, RANDOM_SITES);
		step->count = step_call_count((enum sync_call)random_below(random, SYNC_CALLS),
					      random_below(random, 100));
	}
}

static void assert_locks_alternate(const struct program_thread *thread)
{
	uint32_t held[RANDOM_SITES] = {0};

	for (size_t i = 0; i < thread->count; i++) {
		const struct step *step = &thread->steps[i];
		enum step_op op = step_op(step);

		assert_true(op != STEP_CALL && op != STEP_RETURN);
		if (op == STEP_LOCK || op == STEP_LOCK_SHARED)
			assert_int_equal(held[step->site]++, 0);
		else if (op == STEP_UNLOCK)
			assert_int_equal(held[step->site]--, 1);
	}
	for (size_t i = 0; i < RANDOM_SITES; i++)
		assert_int_equal(held[i], 0);
}

static void assert_generations_are_whole(const struct program *program)
{
	for (uint32_t site = 0; site < program->site_count; site++) {
		size_t arrivals = 0;

		for (size_t i = 0; i < program->thread_count; i++)
			for (size_t j = 0; j < program->threads[i].count; j++) {
				const struct step *step = &program->threads[i].steps[j];

				arrivals += step_op(step) == STEP_BARRIER && step->site == site;
			}
		if (program->sites[site].parties)
			assert_int_equal(arrivals % program->sites[site].parties, 0);
		else
			assert_int_equal(arrivals, 0);
	}
}

static void no_recording_loses_work_or_holds_a_lock_for_ever(void **state)
{
	struct random random = {.state = 1};

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct program program;
		struct recognised recognised;
		uint64_t work_ns;

		program = (struct program){0};
		for (uint32_t j = 0; j < RANDOM_THREADS; j++)
			program_add_thread(&program, (int32_t)j + 1, 1, "t");
		for (uint32_t j = 0; j < RANDOM_SITES; j++)
			program_add_site(&program, SITE_UNKNOWN);
		for (int j = 0; j < RANDOM_STEPS; j++)
			add_random_step(&program, &random,
					(uint32_t)random_below(&random, RANDOM_THREADS));
		for (uint32_t j = 0; j < RANDOM_THREADS; j++)
			program_add_step(&program, j, random_below(&random, 1000), STEP_EXIT);
		work_ns = program_work_ns(&program);
		recognise(&program, &recognised);
		assert_true(program_work_ns(&program) + recognised.lock_costs_ns == work_ns);
		for (uint32_t j = 0; j < RANDOM_THREADS; j++)
			assert_locks_alternate(&program.threads[j]);
		assert_generations_are_whole(&program);
		program_release(&program);
	}
}

static void the_cost_of_a_call_is_in_the_time_around_it(void **state)
{
	static const struct {
		const char *text, *left;
		uint64_t taken_ns;
	} cases[] = {
		{"a: 5us mutex_lock(m:0) 3us mutex_unlock(m:1) 5us", /* each 2 us */
		 "a: 5us mutex_lock(m:0) 1us mutex_unlock(m:1) 3us", 4000},
		{"a: 5us mutex_lock(m:0) 1us mutex_unlock(m:1) 5us", /* all before the call */
		 "a: 5us mutex_lock(m:0) mutex_unlock(m:1) 3us", 3000},
		{"a: cond_signal(c:0) 1us wake(b,0) 5us\nb: block(0)", /* also during the call */
		 "a: cond_signal(c:0) wake(b,0) 4us\nb: block(0)", 2000},
		{"a: 5us call(m,0) cond_wait(c:0) 5us", /* one call on two objects */
		 "a: 5us call(m,0) cond_wait(c:0) 3us", 2000},
		{"a: futex_wake(m:0) 1us return(m,2) 1us", /* half at each end */
		 "a: futex_wake(m:0) 500ns return(m,2) 500ns", 1000},
		{"a: 5us yield() 5us", "a: 5us yield() 4us", 1000},
		{"a: 5us lock(m) 5us unlock(m) 5us", "a: 5us lock(m) 5us unlock(m) 5us", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct program program, want;
		char *is, *should;

		steps_read(&program, cases[i].text);
		steps_read(&want, cases[i].left);
		program.costs.call_ns = 2000;
		program.costs.system_call_ns = 1000;
		assert_int_equal(recognise_take_out_costs(&program), cases[i].taken_ns);
		is = steps_text(&program);
		should = steps_text(&want);
		assert_string_equal(is, should);
		assert_int_equal(recognise_take_out_costs(&program), 0);
		free(is);
		free(should);
		program_release(&program);
		program_release(&want);
	}
}

enum { TURN = 1 << 24 };

static void the_place_of_a_call_is_the_nearest_one_with_its_lower_bits(void **state)
{
	static const struct {
		uint32_t low;
		uint64_t near, want;
	} cases[] = {
		{0, 0, 0},
		{5, 0, 5},
		{5, 9, 5},
		{0, TURN - 1, TURN},
		{7, 3 * (uint64_t)TURN - 2, 3 * (uint64_t)TURN + 7},
		{TURN - 3, TURN + 5, TURN - 3},
		{TURN - 1, 2 * (uint64_t)TURN, 2 * (uint64_t)TURN - 1},
		{TURN - 1, 0, TURN - 1}, /* no place is before the first */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(call_order_unwrap(cases[i].low, cases[i].near), cases[i].want);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_wait_for_the_end_of_a_thread_is_a_join),
	cmocka_unit_test(a_wait_in_state_d_is_no_join),
	cmocka_unit_test(a_join_of_one_thread_joins_those_that_had_ended_before),
	cmocka_unit_test(threads_of_another_process_are_not_joined_with_a_thread),
	cmocka_unit_test(threads_whose_last_one_wakes_all_other_ones_meet_at_a_barrier),
	cmocka_unit_test(calls_on_locks_are_locks),
	cmocka_unit_test(only_locks_that_are_given_back_were_held),
	cmocka_unit_test(a_thread_with_a_lock_has_waited_for_it_even_late_and_without_result),
	cmocka_unit_test(a_system_call_at_the_word_of_a_call_is_in_it_even_late),
	cmocka_unit_test(a_thread_that_waits_for_another_event_keeps_its_lock_meanwhile),
	cmocka_unit_test(a_thread_that_waits_for_a_condition_gives_its_mutex_back),
	cmocka_unit_test(conditions_that_are_queues_are_tokens),
	cmocka_unit_test(a_queue_is_recognised_for_any_begin_and_end_of_the_recording),
	cmocka_unit_test(a_thread_that_waits_for_all_signals_takes_no_token),
	cmocka_unit_test(the_room_of_a_queue_of_conditions_is_that_used_during_a_wait_for_it),
	cmocka_unit_test(calls_on_semaphores_are_tokens),
	cmocka_unit_test(calls_at_barriers_fill_whole_generations),
	cmocka_unit_test(a_barrier_of_more_threads_than_ever_come_is_ignored),
	cmocka_unit_test(a_late_system_call_at_another_word_of_an_object_is_in_its_call),
	cmocka_unit_test(a_call_at_a_barrier_keeps_the_work_during_its_wait),
	cmocka_unit_test(a_semaphore_begins_with_the_tokens_that_its_calls_need),
	cmocka_unit_test(items_of_a_queue_can_be_done_by_any_thread_that_takes_from_it),
	cmocka_unit_test(takes_of_a_queue_are_numbered_in_the_order_of_their_items),
	cmocka_unit_test(every_wait_has_a_site_with_a_name),
	cmocka_unit_test(very_many_pairs_of_threads_share_one_site),
	cmocka_unit_test(no_recording_loses_work_or_holds_a_lock_for_ever),
	cmocka_unit_test(the_cost_of_a_call_is_in_the_time_around_it),
	cmocka_unit_test(the_place_of_a_call_is_the_nearest_one_with_its_lower_bits),
};

TEST_FILE(tests);
