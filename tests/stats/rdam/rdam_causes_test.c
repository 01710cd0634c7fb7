/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rdam/rdam.h"

#include "stats/rdam_analysed.h"

#include <math.h>

struct want_causes {
	double us[RDAM_CAUSES];
};

static void assert_causes(const struct rdam_row *row, const struct want_causes *want)
{
	double sum = 0;

	for (enum rdam_cause cause = 0; cause < RDAM_CAUSES; cause++) {
		if (fabs(row->causes_s[cause] - want->us[cause] * US) > 1e-15)
			fail_msg("cause %d: %g us instead of %g", (int)cause,
				 row->causes_s[cause] / US, want->us[cause]);
		sum += row->causes_s[cause];
	}
	assert_close(sum, row->lost_s, 1e-12);
}

/* The fastest call takes three columns, and runs in all of them. */
static void each_state_has_its_part_of_the_excess(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRR....wRRRRDDRRRRRRRRRRTTRRRRwwwRRR",
						    " A  aA       aA    aA    aA    aA     a"},
						   {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*6");
	assert_close(of.rdam.rows[0].min_s, 3 * US, 1e-12);
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_BLOCKED_OTHER] = 4,
							       [RDAM_CPU_WAIT] = 1,
							       [RDAM_DISK] = 2,
							       [RDAM_ON_CPU] = 2,
							       [RDAM_STOPPED] = 2,
							       [RDAM_CPU_WAIT_STRANGER] = 3}});
	assert_int_equal(of.rdam.rows[0].waker_count, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].thread, BY_STRANGER);
	assert_close(of.rdam.rows[0].wakers[0].slept_s, 4 * US, 1e-12);
	release(&of);
}

/* Both share a CPU: 1 takes it from 0 for three columns, and later wakes it. */
static void threads_of_the_target_and_strangers_are_different_causes(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRwwwRRR..wRR", " A aA    aA    a"},
						   {"     RRR...RRR..", "             0"},
						   {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, true), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*3");
	assert_causes(&of.rdam.rows[0],
		      &(struct want_causes){{[RDAM_CPU_WAIT_OWN] = 4, [RDAM_BLOCKED] = 2}});
	assert_int_equal(of.rdam.rows[0].waker_count, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].thread, 1);
	assert_int_equal(of.rdam.rows[0].wakers[0].waits, 1);
	assert_close(of.rdam.rows[0].wakers[0].slept_s, 2 * US, 1e-12);
	release(&of);
}

/*
 * The fastest call takes three columns. The other one runs for 10, waits for a CPU that another
 * thread has for 3, and is in state D for 3 and 3. From '<' to '>', it runs for 3, waits for 3, and
 * is in state D for 3.
 */
static void page_faults_are_causes_of_their_own(void **state)
{
	static const char states[] = " RRRRRRRRRwwwRDDDRRDDDRRR";
	static const struct {
		const char *blocks;
		double outside_us; /* time of each fault that is not recorded */
		struct want_causes want;
	} cases[] = {
#define WANT(faults, disk, on_cpu)       \
	{{[RDAM_PAGE_FAULTS] = (faults), \
	  [RDAM_DISK] = (disk),          \
	  [RDAM_ON_CPU] = (on_cpu),      \
	  [RDAM_CPU_WAIT_STRANGER] = 3}}
		{" A  aA                  a", 0, WANT(0, 6, 7)},
		{" A  aA  <        >      a", 0, WANT(6, 3, 4)},
		{" A  aA  <        >      a", 1, WANT(7, 3, 3)},
		{" A<>aA  <        >      a", 0, WANT(5, 3, 5)}, /* the fastest has one, too */
		{" A  aA  <    <   >      a", 0, WANT(4, 3, 6)}, /* the first fault has no end */
		{" A  aA   >       >    < a", 9, WANT(0, 6, 7)}, /* some lack their begin or end */
		{" A  aA            <>    a", 4, WANT(5, 6, 2)},
		{" A  aA            <>    a", 6, WANT(7, 6, 0)}, /* all of its excess */
#undef WANT
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct drawn_blocks rows[] = {{states, cases[i].blocks}, {NULL, NULL}};
		struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

		of.source->target.has_faults = true;
		of.source->target.fault_outside_ns = 1000 * cases[i].outside_us;
		analyse(&of, &(struct rdam_options){.least = 2});
		assert_true(of.trace.has_faults && of.source->wants_faults);
		assert_causes(&of.rdam.rows[0], &cases[i].want);
		release(&of);
	}
}

/* 15 years less 1 ns, and 15 years and 128 ns: as doubles they would differ by 128 ns. */
static void differences_of_very_long_times_are_exact(void **state)
{
	struct analysed of = {.source = listed("0.001 A 500000000000000 a "
					       "500000000000001.024 A 1000000000000001.152 a")};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_UNKNOWN] = 0.129}});
	release(&of);
}

/* 475 years: a damaged time; its difference needs 64 bits. */
static void lost_time_may_be_the_whole_range_of_times(void **state)
{
	struct analysed of = {.source = listed("0 A 1 a 2 A 15000000000000000 a")};
	const struct rdam_row *row;

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	row = &of.rdam.rows[0];
	assert_close(row->lost_s, 1.5e10, 1e-9);
	assert_close(row->causes_s[RDAM_UNKNOWN], row->lost_s, 1e-12);
	release(&of);
}

/* Two faults, each assumed to take 6 us: but the thread ran for 10. */
static void page_faults_take_no_longer_than_the_thread_ran(void **state)
{
	static const struct drawn_blocks rows[] = {{" RRRRRRRRRRRRRRRR", " A  aA<> <>     a"},
						   {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

	(void)state;
	of.source->target.has_faults = true;
	of.source->target.fault_outside_ns = 5000;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_PAGE_FAULTS] = 8}});
	release(&of);
}

/*
 * The fastest call slept 2 and ran 2. One that slept 6 and ran 1 has lost 3, all of them asleep.
 * One that ran 3, slept 1 and waited 2 for a CPU has lost 2: of 1 more on the CPU and 2 more
 * waiting.
 */
static void parts_are_never_negative_and_sum_to_the_lost_time(void **state)
{
	static const struct drawn_blocks rows[] = {
		{" R..RRRRR......RRRR.wwRRR", " A   a  A      a A     a"}, {NULL, NULL}};
	struct analysed of = {.source = block_drawing(rows, false), .has_strangers = true};

	(void)state;
	analyse(&of, &(struct rdam_options){.least = 2});
	assert_names(&of.rdam, "A*3");
	assert_causes(&of.rdam.rows[0], &(struct want_causes){{[RDAM_BLOCKED_OTHER] = 3,
							       [RDAM_ON_CPU] = 2. / 3,
							       [RDAM_CPU_WAIT] = 4. / 3}});
	release(&of);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_state_has_its_part_of_the_excess),
	cmocka_unit_test(threads_of_the_target_and_strangers_are_different_causes),
	cmocka_unit_test(page_faults_are_causes_of_their_own),
	cmocka_unit_test(differences_of_very_long_times_are_exact),
	cmocka_unit_test(lost_time_may_be_the_whole_range_of_times),
	cmocka_unit_test(page_faults_take_no_longer_than_the_thread_ran),
	cmocka_unit_test(parts_are_never_negative_and_sum_to_the_lost_time),
};

TEST_FILE(tests);
