/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/forecast/against.h"

#include "base/err.h"
#include "base/io/input.h"
#include "decode/event/event_source.h"
#include "decode/trace_input.h"
#include "draw/steps.h"
#include "mock/machine.h"
#include "replay/forecast/forecast.h"
#include "replay/program/program_read.h"
#include "stats/profile/profile.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- On paper -------------------------------------------------------------------------------- */

/* A recording, and the forecast from it for two cores. */
struct run {
	struct program program;
	struct profile profile;
	uint64_t level_ns[4];
	struct event_source source;
	struct forecast forecast;
};

static const uint64_t two_cores[] = {2};

static void make_forecast(struct run *run, uint64_t recorded)
{
	const struct forecast_request request = {
		.measured_cores = recorded, .cores = two_cores, .count = 1, .bare = true};
	struct err err;

	assert_int_equal(forecast_make(&run->forecast, &request, &run->program, &run->profile,
				       &run->source, &err),
			 0);
}

/* A run of so many milliseconds without, with one and with two ready threads. */
static void run_on_paper(struct run *run, const char *text, uint64_t recorded,
			 const uint64_t level_ms[3])
{
	*run = (struct run){0};
	steps_read(&run->program, text);
	run->program.has_wakes = true;
	for (size_t i = 0; i < 3; i++) {
		run->level_ns[i] = level_ms[i] * 1000000;
		run->profile.levels.total_ns += run->level_ns[i];
	}
	run->profile.levels.wall_ns = run->level_ns;
	run->profile.levels.max_active = 2;
	run->program.wall_ns = run->profile.levels.total_ns;
	run->program.shares.run_ns = program_work_ns(&run->program);
	make_forecast(run, recorded);
}

static void release_run(struct run *run)
{
	forecast_release(&run->forecast);
	program_release(&run->program);
}

/* Recorded on one core: 200 ms of m; its second half is beside 100 ms of a. */
static const char one[] = "m: 100ms fork(a) 100ms join(a)\na: 100ms\n";
static const uint64_t one_levels[] = {0, 100, 200};

static void an_error_is_split_into_work_other_programs_idle_cpus_and_structure(void **state)
{
	/* On two cores the forecast is 200 ms. */
	static const struct {
		const char *text;
		uint64_t level_ms[3], busy_ms, steal_ms;
		double work_ms, others_ms, idle_ms, structure_ms;
		double closed_work_ms, closed_structure_ms;
	} cases[] = {
		/* Equal to the forecast. */
		{one, {0, 100, 100}, 0, 0, 0, 0, 0, 0, 0, 0},
		/* Each thread takes a tenth longer. */
		{"m: 110ms fork(a) 110ms join(a)\na: 110ms\n",
		 {0, 110, 110},
		 0,
		 0,
		 20,
		 0,
		 0,
		 0,
		 20,
		 0},
		/* Only one thread takes longer, by 50 ms; the closed form spreads that over all. */
		{"m: 100ms fork(a) 100ms join(a)\na: 150ms\n",
		 {0, 150, 100},
		 0,
		 0,
		 50,
		 0,
		 0,
		 0,
		 33.333,
		 16.667},
		/* The same work, in another order. */
		{one, {0, 300, 0}, 0, 0, 0, 0, 0, 100, 0, 100},
		/* Waits that the model lacks: no thread is ready. */
		{one, {30, 100, 100}, 0, 0, 0, 0, 0, 30, 0, 30},
		/* 100 of 400 ms of usable CPU time were unused in 250 ms ... */
		{one, {0, 100, 150}, 0, 0, 0, 62.5, 0, -12.5, 0, -12.5},
		/* ... of which other programs ran for 45.86 ms only, beyond sqrt(2) ticks of 10 ms,
		   and CPUs idled for the rest. */
		{one, {0, 100, 150}, 360, 0, 0, 28.6612, 20, 1.3388, 0, 1.3388},
		/* A tenth of all CPU time was taken by the hypervisor, and was no work. */
		{one, {0, 100, 100}, 300, 30, -20, 20, 0, 0, -20, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run from, to;
		struct against against;
		struct err err;

		run_on_paper(&from, one, 1, one_levels);
		run_on_paper(&to, cases[i].text, 2, cases[i].level_ms);
		to.source.target.has_busy = cases[i].busy_ms > 0;
		to.source.target.busy_ns = cases[i].busy_ms * 1000000;
		to.source.target.steal_ns = cases[i].steal_ms * 1000000;
		assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
		assert_close(against.replay.forecast_s, .2, 1e-9);
		assert_close(against.closed_form.forecast_s, .2, 1e-9);
		assert_close(1 + against_work_s(&against.replay), 1 + cases[i].work_ms / 1e3, 1e-6);
		assert_close(1 + against.others_s, 1 + cases[i].others_ms / 1e3, 1e-6);
		assert_close(1 + against.replay.idle_s, 1 + cases[i].idle_ms / 1e3, 1e-6);
		assert_close(1 + against_structure_s(&against, &against.replay),
			     1 + cases[i].structure_ms / 1e3, 1e-6);
		assert_close(1 + against_work_s(&against.closed_form),
			     1 + cases[i].closed_work_ms / 1e3, 1e-5);
		assert_close(1 + against_structure_s(&against, &against.closed_form),
			     1 + cases[i].closed_structure_ms / 1e3, 1e-5);
		against_release(&against);
		release_run(&to);
		release_run(&from);
	}
}

/*
 * Idle time that both recordings of two cores have is in the forecast, too, if that was held to the
 * recorded time; a recording of one core has none.
 */
static void idle_cpus_are_those_beyond_the_forecast(void **state)
{
	static const struct {
		unsigned cores; /* of the first recording and of the other one */
		uint64_t level_ms[3], unsure_ms;
		double scale; /* of the forecast of 200 ms */
		double idle_ms, closed_idle_ms;
	} cases[] = {
		{2, {0, 100, 150}, 0, 1.25, 0, 0},
		{2, {0, 100, 170}, 0, 1.25, (80. - 40) / 2, 20},
		{2, {0, 100, 170}, 80, 1.25, (60. - 40) / 2, 10},
		/* Of what is lacked beside a thread that runs, one that is ready alone lacks nothing. */
		{2, {0, 200, 120}, 0, 1.25, (80. - 40) / 2, 20},
		/* A replay that was not held to the recorded time has none. */
		{2, {0, 100, 150}, 0, 1, 20, 0},
		{1, {0, 150, 200}, 0, 1, 0, 0},
	};
	static const uint64_t levels[][3] = {{0, 100, 200}, {0, 100, 150}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run from, to;
		struct against against;
		struct err err;

		run_on_paper(&from, one, cases[i].cores, levels[cases[i].cores - 1]);
		run_on_paper(&to, one, cases[i].cores, cases[i].level_ms);
		from.source.target.has_busy = to.source.target.has_busy = true;
		from.source.target.busy_ns = to.source.target.busy_ns = 360000000;
		to.program.shares.unsure_ns = cases[i].unsure_ms * 1000000;
		from.forecast.replay.scale = cases[i].scale;
		assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
		assert_close(1 + against.replay.idle_s, 1 + cases[i].idle_ms / 1e3, 1e-6);
		assert_close(1 + against.closed_form.idle_s, 1 + cases[i].closed_idle_ms / 1e3,
			     1e-6);
		against_release(&against);
		release_run(&to);
		release_run(&from);
	}
}

static void work_is_listed_by_thread(void **state)
{
	struct run from, to;
	struct against against;
	struct err err;

	(void)state;
	run_on_paper(&from, one, 1, one_levels);
	run_on_paper(&to, "m: 100ms fork(a) 110ms join(a)\na: 150ms\n", 2,
		     (const uint64_t[]){0, 140, 110});
	assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
	assert_true(against.by_group);
	assert_int_equal(against.thread_count, 2);
	assert_string_equal(against.threads[0].name, "a");
	assert_close(against.threads[0].forecast_s, .1, 1e-9);
	assert_close(against.threads[0].measured_s, .15, 1e-9);
	assert_string_equal(against.threads[1].name, "m");
	assert_close(against.forecast_cpu_s, .3, 1e-9);
	assert_close(against.measured_cpu_s, .36, 1e-9);
	against_release(&against);
	release_run(&to);
	release_run(&from);
}

static void threads_of_other_names_are_scaled_by_one_factor(void **state)
{
	struct run from, to;
	struct against against;
	struct err err;

	(void)state;
	run_on_paper(&from, one, 1, one_levels);
	run_on_paper(&to, "m: 100ms fork(b) 100ms join(b)\nb: 160ms\n", 2,
		     (const uint64_t[]){0, 160, 100});
	assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
	assert_false(against.by_group);
	assert_close(against_work_s(&against.replay), .2 * .2, 1e-6);
	against_release(&against);
	release_run(&to);
	release_run(&from);
}

static void waits_are_listed_by_site(void **state)
{
	static const char same[] = "m: fork(a) lock(l) 100ms unlock(l) join(a)\n"
				   "a: 10ms lock(l) 100ms unlock(l)\n";
	struct run from, to;
	struct against against;
	struct err err;

	(void)state;
	run_on_paper(&from, same, 1, (const uint64_t[]){0, 100, 110});
	run_on_paper(&to, same, 2, (const uint64_t[]){0, 190, 10});
	free(from.program.sites[0].name);
	free(to.program.sites[0].name);
	from.program.sites[0].name = strdup("lock 0x7f12 of a/12, and 3 more");
	to.program.sites[0].name = strdup("lock of a/7 (2 of 3)");
	assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
	assert_true(against.wait_count > 0);
	for (size_t i = 0; i < against.wait_count; i++) {
		const struct against_share *wait = &against.waits[i];

		assert_true(strcmp(wait->name, "lock of a") == 0 || !strstr(wait->name, "lock"));
		assert_close(wait->forecast_s, wait->measured_s, 1e-9);
	}
	against_release(&against);
	release_run(&to);
	release_run(&from);
}

/* --- On a simulated machine ------------------------------------------------------------------ */

static struct event_source *open_trace(const char *path)
{
	struct err err;
	struct input *input = trace_input_open(path, INPUT_OF_ANYONE, &err);

	assert_non_null(input);
	return trace_input_read(input, &err);
}

/* A run of the simulated machine; the forecast is for two cores. */
struct mocked {
	struct program program;
	struct profile profile;
	struct event_source *source;
	struct forecast forecast;
};

static void mock_recording(struct mocked *mocked, const struct mock_program *program,
			   unsigned cores)
{
	int descriptor = memfd_create("trace", MFD_CLOEXEC);
	const struct forecast_request request = {
		.measured_cores = cores, .cores = two_cores, .count = 1, .bare = true};
	const struct selection all = {.pids = NULL};
	FILE *trace = fdopen(dup(descriptor), "w");
	char path[64];
	struct err err;

	*mocked = (struct mocked){.source = NULL};
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	assert_true(mock_run(program, &(struct mock_run){.cores = cores,
							 .seed = cores,
							 .trace = trace,
							 .calls = MOCK_CALLS_ALL}) > 0);
	fclose(trace);
	mocked->source = open_trace(path);
	assert_int_equal(program_read(&mocked->program, mocked->source, &all, &err), 0);
	event_source_free(mocked->source);
	mocked->source = open_trace(path);
	assert_int_equal(profile_init(&mocked->profile, mocked->source, &all, 0, &err), 0);
	assert_int_equal(forecast_make(&mocked->forecast, &request, &mocked->program,
				       &mocked->profile, mocked->source, &err),
			 0);
	close(descriptor);
}

static void release_mocked(struct mocked *mocked)
{
	forecast_release(&mocked->forecast);
	profile_release(&mocked->profile);
	program_release(&mocked->program);
	event_source_free(mocked->source);
}

/* Parts of the difference from the forecast: from one core to two, with the machine so much
 * slower. */
static void split_mocked(double *work, double *structure, const char *class_name, double factor)
{
	struct mock_program *program = mock_program_new(class_name, 3);
	struct mocked from, to;
	struct against against;
	struct err err;

	mock_recording(&from, program, 1);
	mock_program_scale_work(program, factor);
	mock_recording(&to, program, 2);
	assert_int_equal(against_init(&against, &from.forecast, &to.forecast, &err), 0);
	*work = against_work_s(&against.replay) / against.replay.forecast_s;
	*structure = against_structure_s(&against, &against.replay) / against.replay.forecast_s;
	against_release(&against);
	release_mocked(&to);
	release_mocked(&from);
	mock_program_free(program);
}

/* The structure is small, as on a machine of equal speed. */
static void a_slower_machine_is_work_and_no_structure(void **state)
{
	static const struct {
		const char *class_name;
		double factor, structure;
	} cases[] = {
		{"fork-join", 1.1, .005}, {"fork-join", .8, .005}, {"pool", 1.1, .005},
		{"pool", 1.3, .005},	  {"locks", .8, .02},	   {"pipeline", 1.1, .03},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double same_work, same_structure, work, structure;

		split_mocked(&same_work, &same_structure, cases[i].class_name, 1);
		split_mocked(&work, &structure, cases[i].class_name, cases[i].factor);
		assert_true(fabs(same_work) < .005);
		assert_true(fabs(work - (cases[i].factor - 1)) < .02);
		assert_true(fabs(structure) < cases[i].structure);
		assert_true(fabs(same_structure) < cases[i].structure);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(an_error_is_split_into_work_other_programs_idle_cpus_and_structure),
	cmocka_unit_test(idle_cpus_are_those_beyond_the_forecast),
	cmocka_unit_test(work_is_listed_by_thread),
	cmocka_unit_test(threads_of_other_names_are_scaled_by_one_factor),
	cmocka_unit_test(waits_are_listed_by_site),
	cmocka_unit_test(a_slower_machine_is_work_and_no_structure),
};

TEST_FILE(tests);
