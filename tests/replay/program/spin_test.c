/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/spin.h"

#include "base/err.h"
#include "replay/simulate/simulation.h"
#include "steps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* The first thread of a program, whose CPU time falls into parts: 'w' waits, '.' works. */
static const struct {
	const char *before, *parts, *after;
	uint64_t moved_ns;
} splits[] = {
	{"a: 8ns sleep(5ns) 4ns", "......", "a: 8ns sleep(5ns) 4ns", 0},
	{"a: 8ns sleep(5ns) 4ns", "w.....", "a: external(2ns@s) 6ns sleep(5ns) 4ns", 2},
	{"a: 8ns sleep(5ns) 4ns", ".ww...", "a: 2ns external(4ns@s) 2ns sleep(5ns) 4ns", 4},
	{"a: 8ns sleep(5ns) 4ns", ".w.w..",
	 "a: 2ns external(2ns@s) 2ns external(2ns@s) sleep(5ns) 4ns", 4},
	{"a: 8ns sleep(5ns) 4ns", "...ww.", "a: 6ns external(2ns@s) sleep(5ns) external(2ns@s) 2ns",
	 4},
	{"a: 8ns sleep(5ns) 4ns", "w", "a: external(8ns@s) sleep(5ns) external(4ns@s)", 12},
	{"a: 8ns sleep(5ns) 4ns", "", "a: 8ns sleep(5ns) 4ns", 0},
	{"a: 10ns", "w..", "a: external(3ns@s) 7ns", 3},
	{"a: 1ns", "w..w", "a: external(1ns@s)", 1}, /* the first three are empty */
	{"a:", "w.w", "a:", 0},
};

static void parts_that_wait_are_waits_of_their_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		size_t count = strlen(splits[i].parts);
		bool waits[16];
		struct program got, want;
		char *got_text, *want_text;
		uint32_t site;

		for (size_t j = 0; j < count; j++)
			waits[j] = splits[i].parts[j] == 'w';
		steps_read(&got, splits[i].before);
		steps_read(&want, splits[i].after);
		site = splits[i].moved_ns ? program_add_site(&got, SITE_EXTERNAL) : PROGRAM_NONE;
		assert_int_equal(spin_split(&got, 0, waits, count, site), splits[i].moved_ns);
		got_text = steps_text(&got);
		want_text = steps_text(&want);
		assert_string_equal(got_text, want_text);
		free(got_text);
		free(want_text);
		program_release(&got);
		program_release(&want);
	}
}

static uint64_t wall_ns(const struct program *program, unsigned cores)
{
	const struct machine machine = {.cores = cores};
	struct simulated simulated;
	struct err err;

	assert_int_equal(simulate(&simulated, program, &machine, false, &err), 0);
	return simulated.wall_ns;
}

/* Two threads that work for 6 ms; one of them has spun for 4 ms on a core of its own. */
static void who_spins_leaves_its_core_to_others(void **state)
{
	static const bool waits[] = {false, false, false, true, true};
	struct program program;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms");
	assert_int_equal(wall_ns(&program, 1), 16000000);
	assert_int_equal(
		spin_split(&program, 0, waits, 5, program_add_site(&program, SITE_EXTERNAL)),
		4000000);
	assert_int_equal(program_work_ns(&program), 12000000);
	assert_int_equal(wall_ns(&program, 2), 10000000);
	/* Slices of 3 ms take turns: a has worked after the third, and b is done meanwhile. */
	assert_int_equal(wall_ns(&program, 1), 13000000);
	program_release(&program);
}

static void without_samples_nothing_changes(void **state)
{
	const struct samples none = {0};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms");
	spin_to_waits(&program, &none, &spun);
	assert_int_equal(program.site_count, 0);
	assert_int_equal(program_work_ns(&program), 16000000);
	assert_int_equal(spun.moved_ns, 0);
	assert_int_equal(spun.share.samples, 0);
	assert_int_equal(spun.unsampled, 2);
	program_release(&program);
}

/* At places whose code is unknown they are work; of a number that comes twice none counts. */
static void samples_are_of_the_thread_with_their_number(void **state)
{
	struct sampled rows[] = {
		{1, 1, 0, 10, 1, SAMPLED_KERNEL, 0},
		{1, 1, 0x1000, 20, 1, SAMPLED_USER, 0},
		{1, 2, 0, 10, 1, SAMPLED_KERNEL, 0},
		{1, 9, 0, 10, 1, SAMPLED_KERNEL, 0},
	};
	const struct samples samples = {.timed = true, .rows = rows, .row_count = 4};
	struct program program;
	struct spun spun;

	(void)state;
	steps_read(&program, "a: 10ms\nb: 6ms\nc: 6ms");
	program.threads[2].tid = program.threads[1].tid;
	for (int i = 0; i < 2; i++) {
		if (i)
			spin_to_waits(&program, &samples, &spun);
		else
			spin_measure(&program, &samples, &spun);
		assert_int_equal(spun.share.samples, 2);
		assert_int_equal(spun.share.unknown, 1);
		assert_int_equal(spun.unsampled, 2);
		assert_int_equal(program_work_ns(&program), 22000000);
		assert_int_equal(program.site_count, i);
	}
	program_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_that_wait_are_waits_of_their_length),
		cmocka_unit_test(who_spins_leaves_its_core_to_others),
		cmocka_unit_test(without_samples_nothing_changes),
		cmocka_unit_test(samples_are_of_the_thread_with_their_number),
	};

	return RUN_TESTS(tests);
}
