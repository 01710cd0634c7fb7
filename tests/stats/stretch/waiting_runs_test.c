/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "decode/timeline/timeline.h"
#include "random.h"
#include "stats/stretch/stretch.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3, UNKNOWN = 7, SAMPLES_MOST = 100000 };

struct drawn {
	struct stretch_sample *samples;
	size_t count;
};

/* W work, r the runtime, s a loop that waits, k the kernel, with an unknown caller. */
static uint32_t block_of(char letter)
{
	switch (letter) {
	case 'W':
		return BLOCK;
	case 's':
		return STRETCH_WAITING;
	case 'k':
		return UNKNOWN;
	default:
		return STRETCH_OVERHEAD;
	}
}

static void add(struct drawn *drawn, uint32_t thread, char letter)
{
	drawn->samples[drawn->count] = (struct stretch_sample){.time_ns = 1000 * drawn->count,
							       .thread = thread,
							       .count = 1,
							       .block = block_of(letter)};
	drawn->count++;
}

static size_t waiting(const struct drawn *drawn, uint32_t thread)
{
	size_t count = 0;

	for (size_t i = 0; i < drawn->count; i++)
		count += drawn->samples[i].thread == thread &&
			 drawn->samples[i].block == STRETCH_WAITING;
	return count;
}

/* "WW 20r W": so many of each. */
static void draw(struct drawn *drawn, uint32_t thread, const char *text)
{
	while (*text) {
		char *end;
		unsigned long count = strtoul(text, &end, 10);

		for (count = end == text ? 1 : count; *end != ' ' && count; count--)
			add(drawn, thread, *end);
		text = end + 1;
	}
}

static void long_runs_without_work_are_waiting_and_short_ones_are_not(void **state)
{
	static const struct {
		const char *samples;
		double tick_s;
		size_t waiting;
	} cases[] = {
		{"200W 4r 200W", .001, 0},
		{"200W 7r 200W", .001, 7},
		{"200W 7r 200W", .0005, 0}, /* 3.5 ms */
		{"200W 10r 200W", .0005, 10},
		{"200W 9r", .001, 9}, /* up to the end */
		{"9r 200W", .001, 9},
		{"300r", .001, 300}, /* the thread has no other samples */
		{"12r", .001, 0},    /* too few samples to tell */
		{"200W 4s 4r 4s 200W", .001, 12},
		{"200W 2r W 2r W 2r W 2r W 200W", .001, 0},
		{"200W 3r k 4r k 200W", .001, 7},
		{"200W 3r 900k 1r 200W", .001, 0},
		{"200W 20k 200W", .001, 0},
		{"5W 40r 5W 40r 5W 40r 5W 40r 5W 40r 5W", .001, 200},
		/* Every other sample is of the runtime. */
		{"W r W r W r W r W r W r W r W r W r W r 12r W r W r W r W r W r W r W r W r",
		 .001, 0},
		/* A thread that creates tasks, in a loop of its own. */
		{"W 30r W 25r W 41r W 30r W 36r W 29r W 33r W 28r W 31r W 38r 900W", .001, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drawn drawn = {calloc(SAMPLES_MOST, sizeof(*drawn.samples)), 0};
		size_t already;

		draw(&drawn, 0, cases[i].samples);
		already = waiting(&drawn, 0);
		waiting_runs_mark(drawn.samples, drawn.count, &cases[i].tick_s, UNKNOWN);
		if (waiting(&drawn, 0) != cases[i].waiting)
			fail_msg("%s: %zu, and %zu before", cases[i].samples, waiting(&drawn, 0),
				 already);
		free(drawn.samples);
	}
}

static void each_thread_has_runs_of_its_own(void **state)
{
	static const double ticks_s[] = {.001, .001};
	struct drawn drawn = {calloc(SAMPLES_MOST, sizeof(*drawn.samples)), 0};

	(void)state; /* alternating samples: the one thread has runs, the other none */
	for (size_t i = 0; i < 400; i++) {
		add(&drawn, 1, i >= 200 && i < 220 ? 'r' : 'W');
		add(&drawn, 0, i % 2 ? 'r' : 'W');
	}
	waiting_runs_mark(drawn.samples, drawn.count, ticks_s, UNKNOWN);
	assert_int_equal(waiting(&drawn, 0), 0);
	assert_int_equal(waiting(&drawn, 1), 20);
	for (size_t i = 0; i < drawn.count; i++)
		assert_int_equal(drawn.samples[i].thread, i >= 400);
	free(drawn.samples);
}

/* p is estimated from 32 samples, so the error may exceed one in a million: at most one sample in
 * 1000. */
static void work_finely_mixed_with_the_runtime_is_no_waiting(void **state)
{
	static const double tick_s = .001;

	(void)state;
	for (unsigned percent = 10; percent <= 90; percent += 20) {
		struct drawn drawn = {calloc(SAMPLES_MOST, sizeof(*drawn.samples)), 0};
		struct random random = {percent};

		while (drawn.count < SAMPLES_MOST)
			add(&drawn, 0, random_below(&random, 100) < percent ? 'r' : 'W');
		waiting_runs_mark(drawn.samples, drawn.count, &tick_s, UNKNOWN);
		if (waiting(&drawn, 0) > SAMPLES_MOST / 1000)
			fail_msg("%u %%: %zu", percent, waiting(&drawn, 0));
		free(drawn.samples);
	}
}

static void a_thread_that_is_preempted_while_it_waits_is_not_delayed(void **state)
{
	static const double tick_s = .001;
	struct drawn drawn = {calloc(SAMPLES_MOST, sizeof(*drawn.samples)), 0};
	struct cpu_edge items[] = {
		{50500, 0, STATE_RUNNABLE},  {50700, 0, STATE_RUNNING},
		{100000, 0, STATE_RUNNABLE}, {110300, 0, STATE_RUNNABLE},
		{119500, 0, STATE_RUNNABLE}, {400000, 0, STATE_RUNNABLE},
		{110300, 1, STATE_RUNNABLE},
	};
	static const uint32_t want[] = {STATE_RUNNABLE, STATE_RUNNING,	STATE_NONE,    STATE_NONE,
					STATE_RUNNABLE, STATE_RUNNABLE, STATE_RUNNABLE};
	struct cpu_edges edges = {.items = items, .count = sizeof(items) / sizeof(items[0])};

	(void)state;
	draw(&drawn, 0, "100W 20r 100W");
	waiting_runs_mark(drawn.samples, drawn.count, &tick_s, UNKNOWN);
	waiting_runs_leave(&edges, drawn.samples, drawn.count);
	for (size_t i = 0; i < edges.count; i++)
		if (items[i].state != want[i])
			fail_msg("edge %zu is of state %u", i, items[i].state);
	free(drawn.samples);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(long_runs_without_work_are_waiting_and_short_ones_are_not),
	cmocka_unit_test(each_thread_has_runs_of_its_own),
	cmocka_unit_test(work_finely_mixed_with_the_runtime_is_no_waiting),
	cmocka_unit_test(a_thread_that_is_preempted_while_it_waits_is_not_delayed),
};

TEST_FILE(tests);
