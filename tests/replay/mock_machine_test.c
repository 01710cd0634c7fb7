/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated programs that test forecasts, themselves tested by facts that hold for any
 * program. */
#include "support.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "mock/machine.h"
#include "stats/profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { SEEDS = 4, CORES = 9 };

static uint64_t wall_ns(const struct mock_program *program, unsigned cores, uint64_t seed)
{
	const struct mock_run run = {.cores = cores, .seed = seed};

	return mock_run(program, &run);
}

/* The computing of one thread, if that is in its code. */
static uint64_t work_ns(const struct mock_program *program, size_t thread)
{
	const struct mock_code *code = &program->threads[thread];
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < code->count; i++)
		if (code->steps[i].op == MOCK_WORK)
			sum_ns += code->steps[i].value;
	return sum_ns;
}

/* ... and all items of all tables, each of which is computed once. */
static uint64_t total_ns(const struct mock_program *program)
{
	uint64_t sum_ns = 0;

	for (size_t thread = 0; thread < program->thread_count; thread++)
		sum_ns += work_ns(program, thread);
	for (size_t table = 0; table < program->table_count; table++)
		for (size_t i = 0; i < program->tables[table].count; i++)
			sum_ns += program->tables[table].ns[i];
	return sum_ns;
}

static char *trace_of(const struct mock_program *program, struct mock_run run, size_t *length)
{
	char *text = NULL;

	run.trace = open_memstream(&text, length);
	assert_non_null(run.trace);
	assert_true(mock_run(program, &run) > 0);
	fclose(run.trace);
	return text;
}

static void every_program_ends_and_no_core_works_for_two(void **state)
{
	(void)state;
	for (size_t i = 0; mock_class_name(i); i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct mock_program *program = mock_program_new(mock_class_name(i), seed);

			for (unsigned cores = 1; cores <= CORES; cores++)
				assert_true(wall_ns(program, cores, seed) * cores >
					    total_ns(program));
			mock_program_free(program);
		}
}

static void one_core_is_never_idle_without_sleeps(void **state)
{
	(void)state;
	for (size_t i = 0; mock_class_name(i); i++) {
		struct mock_program *program = mock_program_new(mock_class_name(i), 1);

		if (!strstr("sleep counter source", mock_class_name(i)))
			assert_close((double)wall_ns(program, 1, 1), (double)total_ns(program),
				     0.03);
		mock_program_free(program);
	}
}

/* [Graham 1966]: no worse than (W - longest) / k + longest, if no thread waits for another one. */
static void independent_threads_keep_grahams_bound(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct mock_program *program = mock_program_new("unequal", seed);
		uint64_t longest_ns = 0, serial_ns = work_ns(program, 0);
		double sum_ns = (double)(total_ns(program) - serial_ns);

		for (size_t thread = 1; thread < program->thread_count; thread++)
			if (work_ns(program, thread) > longest_ns)
				longest_ns = work_ns(program, thread);
		for (unsigned cores = 1; cores <= CORES; cores++) {
			double bound = (double)serial_ns + (double)longest_ns +
				       (sum_ns - (double)longest_ns) / cores;

			assert_true((double)wall_ns(program, cores, seed) < 1.01 * bound);
		}
		mock_program_free(program);
	}
}

static void the_same_numbers_give_the_same_trace(void **state)
{
	const struct mock_run run = {.cores = 3, .seed = 5, .calls = MOCK_CALLS_ALL};

	(void)state;
	for (size_t i = 0; mock_class_name(i); i++) {
		struct mock_program *one = mock_program_new(mock_class_name(i), 3);
		struct mock_program *other = mock_program_new(mock_class_name(i), 3);
		size_t lengths[2];
		char *texts[2] = {trace_of(one, run, &lengths[0]),
				  trace_of(other, run, &lengths[1])};

		assert_int_equal(lengths[0], lengths[1]);
		assert_memory_equal(texts[0], texts[1], lengths[0]);
		free(texts[0]);
		free(texts[1]);
		mock_program_free(one);
		mock_program_free(other);
	}
}

/* Only lengths of work and pauses differ. */
static void another_run_has_the_same_program(void **state)
{
	(void)state;
	for (size_t i = 0; mock_class_name(i); i++) {
		struct mock_program *one = mock_program_again(mock_class_name(i), 3, 0);
		struct mock_program *other = mock_program_again(mock_class_name(i), 3, 7);
		double ratio = (double)total_ns(other) / (double)total_ns(one);

		assert_int_equal(one->thread_count, other->thread_count);
		assert_int_equal(one->object_count, other->object_count);
		assert_int_equal(one->table_count, other->table_count);
		for (size_t t = 0; t < one->thread_count; t++) {
			assert_int_equal(one->threads[t].count, other->threads[t].count);
			for (size_t k = 0; k < one->threads[t].count; k++)
				assert_int_equal(one->threads[t].steps[k].op,
						 other->threads[t].steps[k].op);
		}
		assert_true(total_ns(one) != total_ns(other) && ratio > .3 && ratio < 3);
		mock_program_free(one);
		mock_program_free(other);
	}
}

static void assert_read(const struct mock_program *program, struct mock_run run)
{
	const struct selection selection = {.pids = NULL};
	static const struct quality clean;
	struct err err = {.text = ""};
	struct profile profile;
	size_t length;
	char *text = trace_of(program, run, &length);
	struct event_source *source =
		trace_input_read(input_open(file_with(text, length), INPUT_OF_ANYONE, &err), &err);

	assert_non_null(source);
	assert_int_equal(profile_init(&profile, source, &selection, 0, &err), 0);
	profile.quality.events = 0;
	assert_memory_equal(&profile.quality, &clean, sizeof(clean));
	assert_int_equal(profile.thread_count, program->thread_count);
	assert_int_equal(profile.levels.unknown_ns, 0);
	assert_close((double)profile.levels.total_ns, (double)wall_ns(program, run.cores, run.seed),
		     1e-12);
	profile_release(&profile);
	event_source_free(source);
	free(text);
}

static void traces_are_read_without_a_flaw(void **state)
{
	(void)state;
	for (size_t i = 0; mock_class_name(i); i++) {
		struct mock_program *program = mock_program_new(mock_class_name(i), 2);

		for (int layout = MOCK_PERF_SCRIPT; layout <= MOCK_TRACE_CMD; layout++)
			assert_read(program, (struct mock_run){
						     .cores = 3,
						     .seed = 1,
						     .calls = MOCK_CALLS_ALL,
						     .layout = (enum mock_layout)layout,
					     });
		mock_program_free(program);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_program_ends_and_no_core_works_for_two),
	cmocka_unit_test(one_core_is_never_idle_without_sleeps),
	cmocka_unit_test(independent_threads_keep_grahams_bound),
	cmocka_unit_test(the_same_numbers_give_the_same_trace),
	cmocka_unit_test(another_run_has_the_same_program),
	cmocka_unit_test(traces_are_read_without_a_flaw),
};

TEST_FILE(tests);
