/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/recorder_private.h"

#include "base/err.h"
#include "collect/recording/collector.h"
#include "collect/recording/recording.h"
#include "support.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A collector that notes its calls. */
struct fake {
	struct collector base;
	int starts, forgets, seen;
	pid_t adopted[4], forgotten[4];
	size_t adopted_count, forgotten_count;
	bool refuses;
};

static int start(struct collector *collector, struct err *err)
{
	struct fake *fake = (struct fake *)collector;

	fake->starts++;
	return fake->refuses ? err_set(err, "no") : 0;
}

static int adopt(struct collector *collector, pid_t pid, pid_t tid, struct err *err)
{
	struct fake *fake = (struct fake *)collector;

	(void)err;
	assert_int_equal(pid, getpid());
	fake->adopted[fake->adopted_count++] = tid;
	return 0;
}

static int forget(struct collector *collector, const pid_t *tids, size_t count,
		  struct recording *scratch, struct err *err)
{
	struct fake *fake = (struct fake *)collector;

	(void)err;
	recording_add(scratch, 1, 0, 64); /* dropped */
	fake->forgets++;
	for (size_t i = 0; i < count; i++)
		fake->forgotten[fake->forgotten_count++] = tids[i];
	return 0;
}

static const struct collector_kind forgetful = {
	.name = "fake", .start = start, .adopt = adopt, .forget = forget};
static const struct collector_kind other = {.name = "other", .start = start};

static void two_threads_are_watched_and_forgotten(void **state)
{
	struct fake fakes[2] = {{.base.kind = &forgetful}, {.base.kind = &forgetful}};
	struct collector *collectors[] = {&fakes[0].base, &fakes[1].base};
	struct cost cost = {0};
	cpu_set_t before, after;
	struct err err;

	(void)state;
	sched_getaffinity(0, sizeof(before), &before);
	assert_int_equal(cost_measure(&cost, collectors, 2, &err), 0);
	sched_getaffinity(0, sizeof(after), &after);
	assert_true(CPU_EQUAL(&before, &after));
	assert_true(cost.switch_ns > 0);
	assert_true(cost.step_ns > 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fakes[i].starts, 1);
		assert_int_equal(fakes[i].adopted_count, 2);
		assert_int_equal(fakes[i].adopted[0], gettid());
		assert_int_not_equal(fakes[i].adopted[0], fakes[i].adopted[1]);
		assert_int_equal(fakes[i].forgotten_count, 2);
		assert_memory_equal(fakes[i].adopted, fakes[i].forgotten, 2 * sizeof(pid_t));
	}
}

static void see_calls(struct collector *collector, bool on)
{
	((struct fake *)collector)->seen += on ? 1 : 100;
}

static const struct collector_kind seeing = {
	.name = "fake", .start = start, .adopt = adopt, .forget = forget, .see_calls = see_calls};

static void the_cost_of_a_call_is_the_difference_of_rounds_with_and_without_it(void **state)
{
	struct fake fake = {.base.kind = &seeing}, plain = {.base.kind = &other};
	struct err err;

	(void)state;
	assert_int_equal(cost_measure_call(&fake.base, &err), 0);
	assert_true(fake.base.call_ns >= 0);
	assert_true(fake.base.call_ns < 1e5);
	assert_int_equal(fake.seen, 15 + 100 * 15);
	assert_int_equal(fake.adopted_count, 2);
	assert_int_equal(fake.forgets, 1);
	assert_int_equal(cost_measure_call(&plain.base, &err), -1);
}

static void a_collector_that_fails_still_forgets_the_threads(void **state)
{
	struct fake fakes[2] = {{.base.kind = &forgetful},
				{.base.kind = &forgetful, .refuses = true}};
	struct collector *collectors[] = {&fakes[0].base, &fakes[1].base};
	struct cost cost;
	struct err err;

	(void)state;
	assert_int_equal(cost_measure(&cost, collectors, 2, &err), -1);
	assert_string_equal(err.text, "no");
	assert_int_equal(fakes[0].forgets, 1);
	assert_int_equal(fakes[1].forgets, 1);
}

static void a_collector_that_cannot_forget_is_not_tried(void **state)
{
	struct fake fakes[2] = {{.base.kind = &forgetful}, {.base.kind = &other}};
	struct collector *collectors[] = {&fakes[0].base, &fakes[1].base};
	struct cost cost;
	struct err err;

	(void)state;
	assert_int_equal(cost_measure(&cost, collectors, 2, &err), -1);
	assert_non_null(strstr(err.text, "'other' cannot measure itself"));
	assert_int_equal(fakes[0].starts + fakes[1].starts, 0);
}

static void the_added_time_does_not_depend_on_the_current_speed(void **state)
{
	static const struct {
		struct cost bare, watched;
		double added_ns;
	} cases[] = {
		{{3000, 1000}, {3300, 1000}, 300},
		{{3000, 1000}, {6600, 2000}, 600}, /* all calls take twice as long, this one, too */
		{{3000, 1000}, {1650, 500}, 150},
		{{3000, 1000}, {3000, 1000}, 0},
		{{3000, 1000}, {2900, 1000}, 0}, /* too little to be measured */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_close(cost_added_ns(&cases[i].bare, &cases[i].watched), cases[i].added_ns,
			     1e-9);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_threads_are_watched_and_forgotten),
	cmocka_unit_test(the_cost_of_a_call_is_the_difference_of_rounds_with_and_without_it),
	cmocka_unit_test(a_collector_that_fails_still_forgets_the_threads),
	cmocka_unit_test(a_collector_that_cannot_forget_is_not_tried),
	cmocka_unit_test(the_added_time_does_not_depend_on_the_current_speed),
};

TEST_FILE(tests);
