/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "support.h"

#include <ctype.h>

/* Counts of a wait: FUTEX_WAIT_BITSET for that value, and FUTEX_WAIT. */
enum { FOR_0 = ~0, FOR_2 = ~2, PLAIN = 0 };

struct words_case {
	const char *what;
	const char *
		calls; /* a wait at the first word or the second, "a" or "b", or a wake, "A" or "B" */
	int32_t counts[2]; /* of the waits at each */
	bool first, pair;  /* the first is waited at as a condition is; both are words of one */
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

static void take_calls(struct futex_words *words, const struct words_case *the_case)
{
	for (const char *call = the_case->calls; *call; call++) {
		uint32_t site = tolower((unsigned char)*call) == 'b';
		bool waits = islower((unsigned char)*call);

		futex_words_call(words, site, waits ? SYNC_FUTEX_WAIT : SYNC_FUTEX_WAKE,
				 waits ? the_case->counts[site] : 1);
	}
}

static void words_of_a_condition_are_waited_at_in_turns(void **state)
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
		take_calls(&words, &cases[i]);
		futex_words_finish(&words, &program);
		pair = program.sites[0].twin == 2 && program.sites[1].twin == 1;
		if (pair != cases[i].pair || (!pair && program.sites[0].twin) ||
		    program.sites[0].waits_as_condition != cases[i].first)
			fail_msg("%s: %d %d", cases[i].what, pair,
				 program.sites[0].waits_as_condition);
		program_release(&program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(words_of_a_condition_are_waited_at_in_turns),
};

TEST_FILE(tests);
