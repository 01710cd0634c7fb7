/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/counters/counters_private.h"

#include "support.h"

/* Two CPUs with counters: events, the clock, and switches; no CPU has to be read. */
static const enum counter_gain gains[] = {GAIN_EVENTS, GAIN_TIME, GAIN_SWITCHES};

struct step {
	size_t cpu;
	uint64_t time_ns;
	pid_t from, to;
	bool dead;
	uint64_t events; /* of the CPU, up to now */
};

static struct counter_stretches *new_stretches(void)
{
	return counter_stretches_new(gains, 3);
}

static const struct counted *step(struct counter_stretches *stretches, struct step step)
{
	const uint64_t values[] = {step.events, step.time_ns, 7 * step.time_ns};
	const struct counter_switch change = {
		.pid = 100,
		.from = step.from,
		.to = step.to,
		.dead = step.dead,
		.state = {step.time_ns, step.time_ns, step.time_ns, values},
	};

	return counter_stretches_switch(stretches, step.cpu, &change);
}

static void assert_counted(const struct counted *counted, pid_t tid, uint64_t events,
			   uint64_t clock)
{
	assert_non_null(counted);
	assert_int_equal(counted->tid, tid);
	assert_int_equal(counted->pid, 100);
	assert_int_equal(counted->counts[0].value, events);
	assert_int_equal(counted->counts[1].value, clock);
}

static void the_gain_of_a_cpu_belongs_to_the_leaving_thread(void **state)
{
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	assert_null(step(stretches, (struct step){0, 10, 1, 5, false, 100}));
	assert_null(step(stretches, (struct step){1, 10, 0, 6, false, 7}));
	assert_null(step(stretches, (struct step){0, 30, 5, 6, false, 103}));
	assert_null(step(stretches, (struct step){1, 40, 6, 5, false, 17}));
	assert_counted(step(stretches, (struct step){1, 50, 5, 0, true, 19}), 5, 3 + 2, 30);
	assert_counted(step(stretches, (struct step){0, 60, 6, 0, true, 110}), 6, 10 + 7, 60);
	counter_stretches_free(stretches);
}

/* Of 5 there are two switches, of 6 one; that of the idle thread counts for no thread. */
static void a_switch_belongs_to_the_leaving_thread(void **state)
{
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	step(stretches, (struct step){0, 10, 0, 5, false, 0});
	step(stretches, (struct step){0, 20, 5, 6, false, 0});
	assert_int_equal(step(stretches, (struct step){0, 30, 6, 0, true, 0})->counts[2].value, 1);
	counter_stretches_arrive(stretches, 0, 5, 40); /* hidden */
	assert_int_equal(step(stretches, (struct step){0, 50, 5, 0, true, 0})->counts[2].value, 2);
	counter_stretches_free(stretches);
}

static void a_reused_number_begins_with_nothing(void **state)
{
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	step(stretches, (struct step){0, 10, 0, 5, false, 0});
	assert_counted(step(stretches, (struct step){0, 20, 5, 5, true, 8}), 5, 8, 10);
	assert_counted(step(stretches, (struct step){0, 50, 5, 0, true, 9}), 5, 1, 30);
	counter_stretches_free(stretches);
}

static void a_thread_alive_at_the_end_has_its_last_stretch(void **state)
{
	const uint64_t values[] = {20, 90, 630};
	const struct counter_state end = {90, 90, 90, values};
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	step(stretches, (struct step){0, 10, 0, 5, false, 0});
	step(stretches, (struct step){0, 20, 5, 6, false, 4});
	step(stretches, (struct step){1, 20, 6, 0, false, 0});
	counter_stretches_close(stretches, 0, &end);
	assert_counted(counter_stretches_take(stretches), 5, 4, 10);
	assert_counted(counter_stretches_take(stretches), 6, 16, 20 + 70);
	assert_null(counter_stretches_take(stretches));
	counter_stretches_free(stretches);
}

/* The switch from idle to 5 at 40 is hidden, but the later event tells that 5 got the CPU then. */
static void a_clock_does_not_count_a_hidden_idle_time(void **state)
{
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	step(stretches, (struct step){0, 10, 9, 0, false, 0});
	counter_stretches_arrive(stretches, 0, 5, 40);
	assert_counted(step(stretches, (struct step){0, 60, 5, 0, true, 6}), 5, 6, 20);
	counter_stretches_free(stretches);
}

static void the_thread_that_arrived_last_has_the_last_stretch(void **state)
{
	const uint64_t values[] = {20, 90, 630};
	const struct counter_state end = {90, 90, 90, values};
	struct counter_stretches *stretches = new_stretches();
	const struct counted *counted;

	(void)state;
	step(stretches, (struct step){0, 10, 9, 0, false, 0});
	counter_stretches_arrive(stretches, 0, 5, 40);
	counter_stretches_close(stretches, 0, &end);
	counted = counter_stretches_take(stretches);
	assert_int_equal(counted->tid, 5);
	assert_int_equal(counted->pid, -1); /* no event has told it */
	assert_int_equal(counted->counts[0].value, 20);
	assert_int_equal(counted->counts[1].value, 50);
	counter_stretches_free(stretches);
}

static void counts_over_lost_switches_belong_to_no_thread(void **state)
{
	struct counter_stretches *stretches = new_stretches();
	const struct counted *counted;

	(void)state;
	step(stretches, (struct step){0, 10, 0, 5, false, 0});
	counter_stretches_lost(stretches, 0);
	step(stretches, (struct step){0, 40, 5, 5, false, 50});
	counted = step(stretches, (struct step){0, 50, 5, 0, true, 51});
	assert_counted(counted, 5, 1, 10);
	assert_int_equal(counted->counts[0].enabled_ns, 40);
	assert_int_equal(counted->counts[0].running_ns, 10);
	counter_stretches_free(stretches);
}

static void the_idle_thread_and_impossible_ones_count_nothing(void **state)
{
	static const pid_t tids[] = {0, -1, INT32_MAX};
	struct counter_stretches *stretches = new_stretches();

	(void)state;
	for (size_t i = 0; i < sizeof(tids) / sizeof(tids[0]); i++)
		assert_null(step(stretches,
				 (struct step){0, 10 * i + 10, tids[i], 0, true, 10 * i + 10}));
	assert_null(counter_stretches_take(stretches));
	counter_stretches_free(stretches);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_gain_of_a_cpu_belongs_to_the_leaving_thread),
	cmocka_unit_test(a_switch_belongs_to_the_leaving_thread),
	cmocka_unit_test(a_reused_number_begins_with_nothing),
	cmocka_unit_test(a_thread_alive_at_the_end_has_its_last_stretch),
	cmocka_unit_test(a_clock_does_not_count_a_hidden_idle_time),
	cmocka_unit_test(the_thread_that_arrived_last_has_the_last_stretch),
	cmocka_unit_test(counts_over_lost_switches_belong_to_no_thread),
	cmocka_unit_test(the_idle_thread_and_impossible_ones_count_nothing),
};

TEST_FILE(tests);
