/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "support.h"

#include <ctype.h>
#include <string.h>

/* Counts of a wait: FUTEX_WAIT_BITSET for that value, and FUTEX_WAIT. */
enum { FOR_0 = ~0, FOR_2 = ~2, PLAIN = 0, PLAIN_2 = 2 };

struct words_case {
	const char *what;
	const char *calls; /* a wait at the first word or the second, "a" or "b", or a wake, "A" or
		 * "B" */
	int32_t counts[2]; /* of the waits at each */
	bool first, pair;  /* waits at the first are a condition's; both are of one */
};

static const struct words_case cases[] = {
	{"threads wait and are woken in turns", "aAbBaAbBaAbB", {FOR_0, FOR_0}, true, true},
	{"several threads a turn", "aabAAbbBBaaAbAB", {FOR_0, FOR_0}, true, true},
	{"broadcasts", "aaaAbbbBaaaAbbb", {FOR_0, FOR_0}, true, true},
	{"values count, as from glibc 2.41 on", "aAbBaAbBaAbB", {FOR_0, ~77}, true, true},
	{"one of eight waits is late", "aAbBaAbBaAbBbBaAbB", {FOR_0, FOR_0}, true, true},
	{"the first word again and again", "aAaAaAbBbBbB", {FOR_0, FOR_0}, false, false},
	{"one is a lock of Rust", "aAbBaAbBaAbB", {FOR_0, FOR_2}, false, false},
	{"both are", "aAbBaAbBaAbB", {FOR_2, FOR_2}, false, false},
	{"one is waited at with FUTEX_WAIT", "aAbBaAbBaAbB", {FOR_0, PLAIN}, false, false},
	{"too few waits to tell", "aAbBaA", {FOR_0, FOR_0}, true, false},
	{"the other word is never waited at", "aAaAaAaA", {FOR_0, FOR_0}, true, false},
	{"no waits", "ABAB", {FOR_0, FOR_0}, false, false},
};

static void take_calls(struct futex_words *words, const char *calls, const int32_t counts[2])
{
	for (const char *call = calls; *call; call++) {
		uint32_t site = strchr("bB*", *call) != NULL;
		bool waits = islower((unsigned char)*call);

		futex_words_call(words, site, waits ? SYNC_FUTEX_WAIT : SYNC_FUTEX_WAKE,
				 waits		? counts[site]
				 : *call == '*' ? INT32_MAX
						: 1);
	}
}

static void waits_at_the_words_of_a_condition_take_turns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct futex_words words = {.items = NULL};
		struct program program = {.thread_count = 0};
		bool pair;

		program_add_site(&program, SITE_UNKNOWN);
		program_add_site(&program, SITE_UNKNOWN);
		futex_words_add(&words, 0, PROGRAM_NONE);
		futex_words_add(&words, 1, 0);
		take_calls(&words, cases[i].calls, cases[i].counts);
		futex_words_finish(&words, &program);
		pair = program.sites[0].twin == 2 && program.sites[1].twin == 1;
		if (pair != cases[i].pair || (!pair && program.sites[0].twin) ||
		    program.sites[0].waits_as_condition != cases[i].first)
			fail_msg("%s: %d %d", cases[i].what, pair,
				 program.sites[0].waits_as_condition);
		program_release(&program);
	}
}

/* b is a wait at the word, B a wake of one thread, * of all. */
static void a_mutex_is_waited_for_with_the_value_2_and_wakes_one_thread(void **state)
{
	static const struct {
		const char *what, *calls;
		int32_t count;
		bool mutex;
	} words_cases[] = {
		{"of the GNU C library, or of the runtime of Go", "bB", PLAIN_2, true},
		{"of Rust", "bBbB", FOR_2, true},
		{"of Rust, with several that wait", "bbBBbB", FOR_2, true},
		{"a wait with a value that may be one of many", "bbB", FOR_2, false},
		{"a wake of all, as of a read-write lock", "bBb*", FOR_2, false},
		{"a barrier", "bb*", PLAIN_2, false},
		{"another value", "bBbB", ~1, false},
		{"another value with FUTEX_WAIT", "bBbB", 1, false},
		{"no waits", "BBB", FOR_2, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words_cases) / sizeof(words_cases[0]); i++) {
		const int32_t counts[2] = {0, words_cases[i].count};
		struct futex_words words = {.items = NULL};
		struct program program = {.thread_count = 0};

		program_add_site(&program, SITE_UNKNOWN);
		program_add_site(&program, SITE_UNKNOWN);
		futex_words_add(&words, 0, PROGRAM_NONE);
		futex_words_add(&words, 1, PROGRAM_NONE);
		take_calls(&words, words_cases[i].calls, counts);
		futex_words_finish(&words, &program);
		if (program.sites[1].waits_as_mutex != words_cases[i].mutex)
			fail_msg("%s: %d", words_cases[i].what, program.sites[1].waits_as_mutex);
		assert_int_equal(program.sites[1].hides_calls,
				 words_cases[i].mutex && words_cases[i].count < 0);
		program_release(&program);
	}
}

static void a_word_with_two_kinds_of_waits_is_no_mutex(void **state)
{
	static const struct {
		enum sync_call call;
		int32_t count;
		bool mutex;
	} others[] = {
		{SYNC_FUTEX_WAIT, FOR_2, true}, /* a timed one, of the same mutex */
		{SYNC_MUTEX_LOCK, 0, true},	/* a mutex begins with its word */
		{SYNC_FUTEX_WAIT, 1, false},	{SYNC_FUTEX_WAIT, FOR_0, false},
		{SYNC_FUTEX_LOCK, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct futex_words words = {.items = NULL};
		struct program program = {.thread_count = 0};

		program_add_site(&program, SITE_UNKNOWN);
		futex_words_add(&words, 0, PROGRAM_NONE);
		futex_words_call(&words, 0, SYNC_FUTEX_WAIT, PLAIN_2);
		futex_words_call(&words, 0, others[i].call, others[i].count);
		futex_words_finish(&words, &program);
		assert_int_equal(program.sites[0].waits_as_mutex, others[i].mutex);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_mutex_is_waited_for_with_the_value_2_and_wakes_one_thread),
	cmocka_unit_test(a_word_with_two_kinds_of_waits_is_no_mutex),
	cmocka_unit_test(waits_at_the_words_of_a_condition_take_turns),
};

TEST_FILE(tests);
