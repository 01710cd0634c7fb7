/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/simulate/replays.h"

#include "base/err.h"
#include "draw/random_program.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

static void make_replays(struct replay *replays, const struct program *program)
{
	for (unsigned i = 0; i < COUNT; i++)
		replays[i] = (struct replay){
			.program = program, .machine = {.cores = i + 1, .seed = i}, .waited = true};
}

static void count_up(void *context, size_t count)
{
	size_t *counted = context;

	assert_true(count >= *counted && count <= COUNT);
	*counted = count;
}

static void many_replays_at_once_agree_with_single_ones(void **state)
{
	struct random random = {7};
	struct replay replays[COUNT];
	struct program program;
	struct err err;
	size_t counted = 0;

	(void)state;
	random_program(&program, &random, RANDOM_ALL);
	make_replays(replays, &program);
	assert_int_equal(replays_run(replays, COUNT, count_up, &counted, &err), 0);
	for (size_t i = 0; i < COUNT; i++) {
		struct simulated *got = &replays[i].simulated, alone;

		assert_int_equal(simulate(&alone, &program, &replays[i].machine, true, &err), 0);
		assert_true(alone.wall_ns > 0);
		assert_int_equal(got->wall_ns, alone.wall_ns);
		assert_int_equal(got->switches, alone.switches);
		assert_memory_equal(got->waited_ns, alone.waited_ns,
				    program.site_count * sizeof(*alone.waited_ns));
		free(got->waited_ns);
		free(alone.waited_ns);
	}
	program_release(&program);
}

static void no_replays_end_at_once(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(replays_run(NULL, 0, NULL, NULL, &err), 0);
}

static void the_first_failure_has_the_sentence(void **state)
{
	struct random random = {7};
	struct replay replays[COUNT];
	struct program program;
	struct err err = {.text = ""};

	(void)state;
	random_program(&program, &random, RANDOM_ALL);
	make_replays(replays, &program);
	replays[5].machine.cores = 0;
	replays[9].machine.cores = SIMULATION_CORES_MAX + 1;
	assert_int_equal(replays_run(replays, COUNT, NULL, NULL, &err), -1);
	assert_non_null(strstr(err.text, "on 0 cores"));
	for (size_t i = 0; i < COUNT; i++)
		assert_null(replays[i].simulated.waited_ns);
	program_release(&program);
}

/* Of the given seed and those that follow; a thread that is stuck in one replay is stuck. */
static void a_mean_is_taken_over_seeds(void **state)
{
	struct random random = {11};
	struct replay replay = {.machine = {.cores = 1, .seed = 5}, .waited = true};
	double wall_ns = 0, waited_ns = 0, parts_ns[SIMULATED_PARTS][3] = {{0}};
	struct program program;
	size_t counted = 0;
	struct err err;

	(void)state;
	random_program(&program, &random, RANDOM_ALL);
	program.other_from = program.thread_count / 2;
	replay.program = &program;
	for (uint64_t seed = 5; seed < 5 + REPLAYS_RUNS; seed++) {
		struct machine machine = {.cores = 1, .seed = seed};
		struct simulated alone;

		assert_int_equal(simulate(&alone, &program, &machine, true, &err), 0);
		wall_ns += (double)alone.wall_ns / REPLAYS_RUNS;
		waited_ns += (double)alone.waited_ns[0] / REPLAYS_RUNS;
		for (size_t i = 0; i < SIMULATED_PARTS; i++) {
			parts_ns[i][0] += (double)alone.parts[i].end_ns / REPLAYS_RUNS;
			parts_ns[i][1] += (double)alone.parts[i].queue_ns / REPLAYS_RUNS;
			parts_ns[i][2] += (double)alone.parts[i].taken_ns / REPLAYS_RUNS;
		}
		free(alone.waited_ns);
	}
	assert_int_equal(replays_run_mean(&replay, 1, count_up, &counted, &err), 0);
	assert_int_equal(counted, 1);
	assert_close((double)replay.simulated.wall_ns, wall_ns, 1e-6);
	assert_close((double)replay.simulated.waited_ns[0], waited_ns, 1e-6);
	for (size_t i = 0; i < SIMULATED_PARTS; i++) {
		const struct simulated_part *part = &replay.simulated.parts[i];

		assert_true(part->end_ns && part->queue_ns && part->taken_ns);
		assert_close((double)part->end_ns, parts_ns[i][0], 1e-6);
		assert_close((double)part->queue_ns, parts_ns[i][1], 1e-6);
		assert_close((double)part->taken_ns, parts_ns[i][2], 1e-6);
	}
	free(replay.simulated.waited_ns);
	program_release(&program);
}

/* At most so many steps in all: more are replayed once, with the given seed. */
static void programs_of_many_steps_are_replayed_once(void **state)
{
	enum { STEPS = REPLAYS_SIZE_MOST / 15 }; /* all eight more than half of the limit */
	struct replay replays[8];
	struct program program;
	struct err err;

	(void)state;
	program = (struct program){0};
	for (int i = 0; i < 3; i++)
		program_add_thread(&program, i, 1, "thread");
	for (size_t i = 0; i < STEPS; i++)
		program_add_step(&program, (uint32_t)i % 3, 1000 + i % 7777, STEP_YIELD);
	for (size_t i = 0; i < 8; i++)
		replays[i] = (struct replay){.program = &program,
					     .machine = {.cores = 2, .seed = i + 1}};
	assert_int_equal(replays_run_mean(replays, 8, NULL, NULL, &err), 0);
	for (size_t i = 0; i < 8; i += 7) {
		struct simulated alone;

		assert_int_equal(simulate(&alone, &program, &replays[i].machine, false, &err), 0);
		assert_int_equal(replays[i].simulated.wall_ns, alone.wall_ns);
		assert_int_equal(replays[i].simulated.switches, alone.switches);
	}
	program_release(&program);
}

static void without_a_replay_there_is_no_mean(void **state)
{
	struct random random = {7};
	struct replay replays[COUNT];
	struct program program;
	struct err err = {.text = ""};

	(void)state;
	random_program(&program, &random, RANDOM_ALL);
	make_replays(replays, &program);
	replays[5].machine.cores = 0;
	assert_int_equal(replays_run_mean(replays, COUNT, NULL, NULL, &err), -1);
	assert_non_null(strstr(err.text, "on 0 cores"));
	for (size_t i = 0; i < COUNT; i++)
		assert_null(replays[i].simulated.waited_ns);
	program_release(&program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(many_replays_at_once_agree_with_single_ones),
	cmocka_unit_test(no_replays_end_at_once),
	cmocka_unit_test(the_first_failure_has_the_sentence),
	cmocka_unit_test(a_mean_is_taken_over_seeds),
	cmocka_unit_test(programs_of_many_steps_are_replayed_once),
	cmocka_unit_test(without_a_replay_there_is_no_mean),
};

TEST_FILE(tests);
