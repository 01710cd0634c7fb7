/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sched_stat_runtime tells of runs that began unseen; timeline_test.c has what is seen. */
#include "decode/timeline/occupancy.h"

#include "drawing.h"
#include "support.h"

static void assert_all(const struct drawn_steps *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		drawing_assert_steps(&cases[i]);
}

#define ASSERT_ALL(cases) assert_all((cases), sizeof(cases) / sizeof((cases)[0]))

static void a_run_that_began_unseen_begins_where_its_account_does(void **state)
{
	static const struct drawn_steps cases[] = {
		/* told when it leaves, and at a tick before */
		{{"f> < w   b<", ""}, "wRR..wwRRR", {.witnessed_switch_ins = 1}, false},
		{{"f> < w  b  c<", ""}, "wRR..wRRRRRR", {.witnessed_switch_ins = 1}, false},
		/* it goes on when the recording ends */
		{{"f> < w   b n", ""}, "wRR..wwRRRR", {.witnessed_switch_ins = 1}, false},
		/* the account was given by another CPU, so where it ran comes later */
		{{"f> < w  B  c<", ""}, "wRR..wRRRRRR", {.witnessed_switch_ins = 1}, false},
		/* new, or preempted, and not seen to get a CPU */
		{{"f    b<", ""}, "wwwRRR", {.witnessed_switch_ins = 1}, false},
		{{"f> h   b<", ""}, "wRRwwRRR", {.witnessed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void without_a_wake_on_record_it_slept_only_if_the_cpu_was_idle(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"f> <     b<", ""},
		 "wRR....RRR",
		 {.witnessed_switch_ins = 1, .repaired_wakes = 1},
		 false},
		{{"f> <  5  b<", ""}, "wRR????RRR", {.witnessed_switch_ins = 1}, false},
		/* woken while it still ran, on a CPU that was busy or not */
		{{"f>w<     b<", ""}, "wRRwwwwRRR", {.witnessed_switch_ins = 1}, false},
		/* on which CPU is not told */
		{{"f> <     B<", ""}, "wRR????RRR", {.witnessed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void what_a_witness_claims_is_held_against_what_is_known(void **state)
{
	static const struct drawn_steps cases[] = {
		/* it had left the CPU by then: not believed */
		{{"f> < w   Z<", ""}, "wRR..aaaaa", {.missed_switch_ins = 1}, false},
		{{"f>  hb  >  <", ""}, "wRRRwwwwRRR", {0}, false},
		/* it had not been woken by then */
		{{"f> < w  d<", ""}, "wRR..RRRR", {.witnessed_switch_ins = 1}, false},
		/* another had the CPU then */
		{{"f> < w50  d<", ""}, "wRR..aaRRRR", {.witnessed_switch_ins = 1}, false},
		/* it runs already */
		{{"f>  b  Z  <", ""}, "wRRRRRRRRR", {0}, false},
		/* it is said to run elsewhere, since before it got its CPU and since then */
		{{"f2b y", ""}, "wRRR", {0}, false},
		{{"f2    b<", ""},
		 "w???RRR",
		 {.witnessed_switch_ins = 1, .missed_switch_outs = 1},
		 false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void an_account_completes_a_run_that_was_found_before(void **state)
{
	static const struct drawn_steps cases[] = {
		/* by whom it woke; the first account says that there are any */
		{{"f>a<    W c<", ""},
		 "wRR....RRRR",
		 {.witnessed_switch_ins = 1, .repaired_wakes = 1},
		 false},
		{{"f>a< w  W c<", ""}, "wRR..wwRRRR", {.witnessed_switch_ins = 1}, false},
		/* none comes, or one that says less */
		{{"f>a<    W  <", ""}, "wRR?????RRR", {.missed_switch_ins = 1}, false},
		{{"f>a<    W  a<", ""}, "wRR?????RRRR", {.missed_switch_ins = 1}, false},
		/* or one that cannot be */
		{{"f>a<    W Z<", ""}, "wRR?????RRR", {.missed_switch_ins = 1}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

static void an_account_is_evidence_of_a_thread_that_was_there_before(void **state)
{
	static const struct drawn_steps cases[] = {
		{{"n    c n", ""}, "??RRRRR", {0}, false},
		{{"n    c <n", ""}, "??RRRRR.", {0}, false},
		/* lost records and pauses are not bridged */
		{{"f>  g    c<", ""}, "wRRR??RRRR", {0}, false},
		{{"f>  g  d <", ""}, "wRRRRRRRR", {0}, false},
	};

	(void)state;
	ASSERT_ALL(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_began_unseen_begins_where_its_account_does),
		cmocka_unit_test(without_a_wake_on_record_it_slept_only_if_the_cpu_was_idle),
		cmocka_unit_test(what_a_witness_claims_is_held_against_what_is_known),
		cmocka_unit_test(an_account_completes_a_run_that_was_found_before),
		cmocka_unit_test(an_account_is_evidence_of_a_thread_that_was_there_before),
	};

	return RUN_TESTS(tests);
}
