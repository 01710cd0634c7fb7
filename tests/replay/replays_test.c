/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/replays.h"

#include "base/err.h"
#include "random_program.h"
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

static void many_at_once_give_what_each_gives_alone(void **state)
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

static void none_at_all_are_done_at_once(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(replays_run(NULL, 0, NULL, NULL, &err), 0);
}

static void the_first_that_fails_says_why(void **state)
{
	struct random random = {7};
	struct replay replays[COUNT];
	struct program program;
	struct err err = {""};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_at_once_give_what_each_gives_alone),
		cmocka_unit_test(none_at_all_are_done_at_once),
		cmocka_unit_test(the_first_that_fails_says_why),
	};
	return RUN_TESTS(tests);
}
