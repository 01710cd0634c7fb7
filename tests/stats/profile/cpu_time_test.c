/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/cpu_time.h"

#include "base/err.h"
#include "draw/drawing.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <math.h>

static const int32_t root[] = {DRAWING_TID};
static const struct selection tree = {.pids = root, .pid_count = 1};

static void profile_of(struct profile *profile, const char *const *rows)
{
	struct event_source *source = drawing_source(rows);
	struct err err = {.text = ""};

	if (profile_init(profile, source, &tree, 0, &err))
		fail_msg("%s", err.text);
	event_source_free(source);
}

static const struct {
	const char *rows[6];
	unsigned cores; /* 0: unknown */
	enum cpu_verdict verdict;
	double cpus, others_share, few_share;
} cases[] = {
	{{" RRRRRRRRRR"}, 4, CPU_SERIAL, 1, 0, 1},
	{{" R........R"}, 4, CPU_IDLE, .2, 0, 1},
	{{" RRRRRRRRRR", " RRRRRRRRRR"}, 2, CPU_FULL, 2, 0, 0},
	{{" RRRRRRRRRR", " RRRRRRRRRR"}, 4, CPU_SATISFIED, 2, 0, 0},
	{{" RwwRwwRwwR"}, 1, CPU_SERIAL, .4, .6, 1},
	{{" RwRwRwRwRw", " wRwRwRwRwR"}, 1, CPU_TOO_FEW, 1, 0, 0},
	{{" RwRwRwRwRw", " wRwRwRwRwR"}, 2, CPU_OTHERS, 1, .5, 0},
	{{" RwRwRwRwRw", " wRwRwRwRwR"}, 0, CPU_OTHERS, 1, NAN, 0},
	{{" RRRRRRRRRRRRRRRRRRRR", " RRRRRRRRRRRRRRRRRRRR", " RRRRRRRRRRRRRRRRRRRR",
	  " RRRRRRRRRRRRRRRRRRRR", "        R.HHH......."},
	 5,
	 CPU_SATISFIED,
	 4.05,
	 NAN,
	 0},
	{{" R.HHHHHHHH.wR"}, 1, CPU_UNKNOWN, 2. / 13, NAN, 1},
};

static void the_verdict_follows_from_cpu_time_and_ready_threads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_usage usage;
		struct profile profile;

		profile_of(&profile, cases[i].rows);
		profile.cores = cases[i].cores;
		cpu_usage_init(&usage, &profile);
		if (usage.verdict != cases[i].verdict)
			fail_msg("case %zu: verdict %d", i, (int)usage.verdict);
		assert_close(usage.cpus, cases[i].cpus, 1e-12);
		assert_close(usage.few_share, cases[i].few_share, 1e-12);
		if (isnan(cases[i].others_share))
			assert_true(isnan(usage.others_share));
		else
			assert_close(usage.others_share, cases[i].others_share, 1e-12);
		profile_release(&profile);
	}
}

static const struct {
	const char *rows[5];
	bool no_wakes;
	enum cpu_verdict verdict;
} doubted[] = {
	{{" RRRRRRRRRR"}, true, CPU_UNKNOWN},
	{{" R........R"}, true, CPU_UNKNOWN},
	{{" RRRRRRRRRR", " RRRRRRRRRR"}, true, CPU_UNKNOWN},
	{{" RwRwRwRwRw", " wRwRwRwRwR"}, true, CPU_OTHERS}, /* waits at least so much */
	{{" Rwhhhhhhhh", " Rwhhhhhhhh"}, false, CPU_UNKNOWN},
	{{" RRRRRRRwhh", " RRRRRRRwhh"}, false, CPU_SATISFIED},
};

static void a_verdict_also_holds_for_lower_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(doubted) / sizeof(doubted[0]); i++) {
		struct cpu_usage usage;
		struct profile profile;

		profile_of(&profile, doubted[i].rows);
		profile.cores = 4;
		profile.quality.no_wakes = doubted[i].no_wakes;
		cpu_usage_init(&usage, &profile);
		if (usage.verdict != doubted[i].verdict)
			fail_msg("case %zu: verdict %d, %g of %g ns unsure, waits %g", i,
				 (int)usage.verdict, (double)usage.unsure_ns, (double)usage.cpu_ns,
				 (double)usage.wait_ns);
		profile_release(&profile);
	}
}

static void waits_are_those_of_ready_threads_for_a_cpu(void **state)
{
	static const char *const rows[] = {" RRwwR..wRRwwwwR", "   wR....wwRR.RR", NULL};
	struct cpu_usage usage;
	struct profile profile;

	(void)state;
	profile_of(&profile, rows);
	cpu_usage_init(&usage, &profile);
	assert_int_equal(usage.wait_count, 5);
	assert_int_equal(usage.wait_ns, 10 * DRAWING_STEP_NS);
	assert_int_equal(usage.wait_longest_ns, 4 * DRAWING_STEP_NS);
	assert_close(usage.wait_p50_ns, 2 * DRAWING_STEP_NS, DURATIONS_ERROR);
	assert_close(usage.wait_p99_ns, 4 * DRAWING_STEP_NS, DURATIONS_ERROR);
	profile_release(&profile);
}

static void a_switch_is_involuntary_if_the_thread_is_runnable(void **state)
{
	static const char *const rows[] = {" RRwwR..wRDDRwwwwRTTR", NULL};
	struct cpu_usage usage;
	struct profile profile;

	(void)state;
	profile_of(&profile, rows);
	cpu_usage_init(&usage, &profile);
	assert_int_equal(usage.involuntary, 2);
	assert_int_equal(usage.voluntary, 4); /* the last of them is its end */
	assert_int_equal(usage.other_switches, 0);
	profile_release(&profile);
}

static void without_recorded_wakeups_the_use_of_other_programs_is_unknown(void **state)
{
	static const char *const rows[] = {" RwwRwwRwwR", NULL};
	struct cpu_usage usage;
	struct profile profile;

	(void)state;
	profile_of(&profile, rows);
	profile.quality.no_wakes = true;
	cpu_usage_init(&usage, &profile);
	assert_true(isnan(usage.others_share));
	profile_release(&profile);
}

static void other_programs_take_no_more_than_cpus_were_in_use(void **state)
{
	static const struct {
		unsigned cores;
		double lacked_ms, busy_ms, taken_ms;
	} each[] = {
		{4, 100, 0, 100},			 /* the unused time of CPUs is unknown */
		{4, 100, 100, 0},			 /* wakeups of idle CPUs, or a limit */
		{4, 100, 120, 0},			 /* /proc/stat counts ticks, */
		{4, 100, 150, 30},			 /* another program beside them */
		{4, 100, 900, 100}, {64, 900, 500, 320}, /* ... which add up on many CPUs */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		assert_close(cpu_taken_ns(each[i].lacked_ms * 1e6, 1e8,
					  (uint64_t)(each[i].busy_ms * 1e6), each[i].cores),
			     each[i].taken_ms * 1e6, 1e-12);
}

static void a_profile_tells_idle_cpus_from_other_programs(void **state)
{
	static const char *const rows[] = {" RwRwRwRwRw", " wRwRwRwRwR", NULL};
	struct cpu_usage usage;
	struct profile profile;

	(void)state;
	profile_of(&profile, rows);
	profile.cores = 2;
	profile.busy_ns = 10 * DRAWING_STEP_NS;
	cpu_usage_init(&usage, &profile);
	assert_close(usage.lacked_share, .5, 1e-12);
	assert_close(usage.others_share, 0, 1e-12);
	profile_release(&profile);
}

/* Two threads that share one of two CPUs with others, or that a quota keeps from the second. */
static void a_quota_that_is_used_up_is_the_limit_beside_other_programs(void **state)
{
	static const char *const rows[] = {" RwRwRwRwRw", " wRwRwRwRwR", NULL};
	static const struct {
		struct target_quota quota;
		enum cpu_verdict verdict;
		double lacked_share, throttled_share;
	} each[] = {
		{{.quota_ns = 10, .period_ns = 10}, CPU_THROTTLED, 0, .5},
		{{.quota_ns = 8, .period_ns = 10}, CPU_THROTTLED, 0, .5}, /* an overrun */
		{{.quota_ns = 16, .period_ns = 10}, CPU_OTHERS, .375, .2},
		{{.quota_ns = 30, .period_ns = 10}, CPU_OTHERS, .5, 0},
		{{.quota_ns = 10, .period_ns = 10, .periods = 4}, CPU_OTHERS, .5, 0},
	};
	struct cpu_usage usage;
	struct profile profile;

	(void)state;
	profile_of(&profile, rows);
	profile.cores = 2;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		profile.quota = each[i].quota;
		cpu_usage_init(&usage, &profile);
		if (usage.verdict != each[i].verdict)
			fail_msg("case %zu: verdict %d", i, (int)usage.verdict);
		assert_close(usage.lacked_share, each[i].lacked_share, 1e-12);
		assert_close(usage.others_share, each[i].lacked_share, 1e-12);
		assert_close(usage.throttled_share, each[i].throttled_share, 1e-12);
	}
	profile_release(&profile);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_quota_that_is_used_up_is_the_limit_beside_other_programs),
	cmocka_unit_test(other_programs_take_no_more_than_cpus_were_in_use),
	cmocka_unit_test(a_profile_tells_idle_cpus_from_other_programs),
	cmocka_unit_test(the_verdict_follows_from_cpu_time_and_ready_threads),
	cmocka_unit_test(a_verdict_also_holds_for_lower_bounds),
	cmocka_unit_test(waits_are_those_of_ready_threads_for_a_cpu),
	cmocka_unit_test(a_switch_is_involuntary_if_the_thread_is_runnable),
	cmocka_unit_test(without_recorded_wakeups_the_use_of_other_programs_is_unknown),
};

TEST_FILE(tests);
