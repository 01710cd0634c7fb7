/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks of models, compared with those of simulated servers (mock/server.h). */
#include "base/alloc.h"
#include "base/err.h"
#include "mock/server.h"
#include "model/extract/extracted.h"
#include "model/extract/extraction.h"
#include "model/simulate/model_run.h"
#include "random.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* .1 ms of CPU time, the disk for 4 ms, .1 ms of CPU time, by so many threads. */
static struct server disk_server(unsigned threads, unsigned servers, enum server_shape shape,
				 double utilisation)
{
	const struct server_step steps[] = {
		{SERVER_CPU, 0, {SERVER_FIXED, .0001}},
		{SERVER_DISK, 0, {shape, .004}},
		{SERVER_CPU, 0, {SERVER_FIXED, .0001}},
	};
	struct server server = {.pool_count = 1,
				.rate_per_s = utilisation * servers / .004,
				.gaps = SERVER_EXPONENTIAL,
				.cores = 2,
				.call_s = 1e-6,
				.wake_s = 1e-6,
				.switch_s = 1e-6,
				.disk_servers = servers};

	server.pools[0].threads = threads;
	server.pools[0].step_count = sizeof(steps) / sizeof(*steps);
	memcpy(server.pools[0].steps, steps, sizeof(steps));
	return server;
}

static uint32_t find_disk(const struct model *model)
{
	for (uint32_t i = 0; i < model->station_count; i++)
		if (strcmp(model->stations[i].name, "disk") == 0)
			return i;
	return MODEL_NONE;
}

static const struct model_station_check *check_of_disk(const struct model *model)
{
	for (size_t i = 0; i < model->check.item_count; i++)
		if (model->check.items[i].station == find_disk(model))
			return &model->check.items[i];
	fail_msg("the disk has no check");
	return NULL;
}

/* The self-check includes the disk: the recording and the simulation agree. */
static void assert_disk(const struct extracted *extracted, unsigned servers, double service_s)
{
	const struct model *model = &extracted->model;
	const struct model_run_request request = {.seed = 3, .precision = .02};
	uint32_t disk = find_disk(model);
	struct model_result result;
	struct err err;

	if (extracted->findings.reason)
		fail_msg("%s", extracted->findings.reason);
	assert_true(disk < model->station_count);
	assert_int_equal(model->stations[disk].kind, MODEL_DISK);
	assert_int_equal(model->stations[disk].servers, servers);
	if (!isnan(service_s))
		assert_close(mean_of(&model->pools[0], MODEL_WAIT), service_s, .01);
	assert_close(check_of_disk(model)->utilisation.recorded, extracted->truth.disk_busy, .03);
	if (model_run(&result, model, &request, &err))
		fail_msg("%s", err.text);
	assert_close(result.stations[disk].utilisation, extracted->truth.disk_busy, .05);
	assert_close(result.response_s, extracted->truth.response_s, .15);
	model_result_release(&result);
	assert_false(has_doubt(&extracted->findings, "waits for devices"));
}

/* One case of each number of servers; `make nightly` takes all. */
static void the_servers_of_a_disk_are_found(void **state)
{
	const size_t stride = is_nightly() ? 1 : 3;

	static const struct {
		unsigned servers, threads;
		enum server_shape shape;
		double utilisation;
	} cases[] = {
		{1, 4, SERVER_EXPONENTIAL, .5}, {1, 8, SERVER_FIXED, .8},
		{1, 6, SERVER_HYPER, .6},	{2, 8, SERVER_LOGNORMAL, .7},
		{2, 6, SERVER_FIXED, .8},	{4, 16, SERVER_EXPONENTIAL, .8},
		{4, 12, SERVER_ERLANG, .85},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i += stride) {
		const struct server server = disk_server(cases[i].threads, cases[i].servers,
							 cases[i].shape, cases[i].utilisation);
		struct extracted extracted = {.place = NULL};

		extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
		assert_disk(&extracted, cases[i].servers, .004);
		extracted_release(&extracted);
	}
}

/* Of a thousand requests 400 find the cache. */
static void requests_that_find_the_cache_do_not_wait_for_the_disk(void **state)
{
	struct server server = disk_server(6, 1, SERVER_EXPONENTIAL, 1);
	struct extracted extracted = {.place = NULL};

	(void)state;
	server.pools[0].steps[1].object = 400;
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_CUT});
	assert_disk(&extracted, 1, .6 * .004);
	assert_false(has_doubt(&extracted.findings, "a cache"));
	extracted_release(&extracted);
}

static void a_group_commit_is_found(void **state)
{
	struct server server = disk_server(8, 1, SERVER_LOGNORMAL, 1.5);
	struct extracted extracted = {.place = NULL};
	uint32_t disk;

	(void)state;
	server.group_commit = true;
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_disk(&extracted, 1, NAN);
	disk = find_disk(&extracted.model);
	assert_true(extracted.model.stations[disk].group_commit);
	extracted_release(&extracted);
}

/* --- No invented events ---------------------------------------------------------------------------- */

static void assert_kept(const struct server *server, uint32_t deepest, const char *doubt)
{
	struct extracted extracted = {.place = NULL};
	uint32_t disk;

	extract_server(&extracted, server, (struct server_run){.ending = SERVER_EXITS});
	if (extracted.findings.reason)
		fail_msg("%s", extracted.findings.reason);
	disk = find_disk(&extracted.model);
	assert_int_equal(disk != MODEL_NONE, deepest > 0);
	if (deepest) {
		assert_int_equal(extracted.model.stations[disk].kind, MODEL_DELAY);
		assert_close(extracted.model.stations[disk].deepest, deepest, 0);
		assert_true(isnan(check_of_disk(&extracted.model)->length.recorded));
	}
	assert_true(has_doubt(&extracted.findings, doubt));
	extracted_release(&extracted);
}

static void a_disk_without_queueing_keeps_its_waits(void **state)
{
	struct server alone = disk_server(1, 1, SERVER_EXPONENTIAL, .5);
	struct server few = disk_server(4, 1, SERVER_EXPONENTIAL, .5);
	struct server enough = disk_server(4, 4, SERVER_EXPONENTIAL, .8);

	(void)state;
	assert_kept(&alone, 1, "of one thread at a time");
	assert_kept(&enough, 4, "they were as long with many threads waiting as with few");
	few.pools[0].steps[1].object = 950;
	few.pools[0].steps[1].time.mean_s = .02;
	few.rate_per_s = 100;
	assert_kept(&few, 0, "they are too few");
}

/* --- Other devices ----------------------------------------------------------------------------------- */

/* Adds a wait; the waits of each thread follow each other. */
static void add_wait(struct program *program, uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	const uint64_t cpu_ns = 1000;
	uint64_t run_ns = (program->threads[thread].count + 1) * cpu_ns;

	program_add_gap(program, thread,
			(struct program_gap){run_ns, begin_ns, end_ns, GAP_PAUSE, 0});
	program_add_step(program, thread, cpu_ns, STEP_DEVICE)->pause =
		step_pause(end_ns - begin_ns, PROGRAM_NONE);
}

static enum device_part part_of(struct program *program)
{
	struct extraction extraction = {.program = program};
	enum device_part part;

	extraction_find_disk(&extraction);
	part = extraction.device_part;
	free(extraction.device_waits);
	program_release(program);
	return part;
}

enum { THREADS = 6, TURNS = 200, MS = 1000000 };

/* A flush of 2 ms serves all waits that began before it, `last` since then; a wait that begins
 * during a flush is served by the next one. */
static struct program flushed_program(bool twice)
{
	struct program program = {.threads = NULL};
	struct random random = {.state = 3};
	uint64_t ready_ns[THREADS], last[THREADS] = {0}, last_ns = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		program_add_thread(&program, 5 + (int32_t)i, 5, "writer");
		ready_ns[i] = MS + i * 100000;
	}
	for (int flush = 0; flush < TURNS; flush++) {
		uint64_t begin_ns = ready_ns[0];

		for (uint32_t i = 1; i < THREADS; i++)
			begin_ns = ready_ns[i] < begin_ns ? ready_ns[i] : begin_ns;
		begin_ns = begin_ns > last_ns ? begin_ns : last_ns;
		for (uint32_t i = 0; i < THREADS; i++) {
			if (ready_ns[i] > begin_ns)
				continue;
			if (twice && ready_ns[i] < last_ns) {
				add_wait(&program, i, ready_ns[i], last_ns + i * 1500);
				ready_ns[i] = last_ns + i * 1500 + 10000;
			}
			last[i] = ready_ns[i];
		}
		last_ns = begin_ns + 2 * MS;
		for (uint32_t i = 0; i < THREADS; i++) {
			if (!last[i])
				continue;
			add_wait(&program, i, last[i], last_ns + i * 1500);
			ready_ns[i] = last_ns + 100000 + random_below(&random, 3 * MS);
			last[i] = 0;
		}
	}
	return program;
}

/* A thread that comes during a flush waits for its end, and then again, or for both in one wait. */
static void writes_that_are_flushed_together_are_a_group_commit(void **state)
{
	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		struct program program = flushed_program(twice);
		struct extraction extraction = {.program = &program};
		size_t whole = 0;

		extraction_find_disk(&extraction);
		assert_int_equal(extraction.device_part, DEVICE_COMMITS);
		assert_close((double)extraction.disk_busy_ns, 2. * MS * TURNS, .05);
		for (size_t i = 0; i < extraction.device_wait_count; i++) {
			const struct device_wait *wait = &extraction.device_waits[i];

			whole += wait->service_ns > 0;
			if (wait->service_ns)
				assert_close((double)wait->service_ns, 2. * MS, .02);
		}
		assert_int_equal(whole == extraction.device_wait_count, !twice);
		free(extraction.device_waits);
		program_release(&program);
	}
}

/* The disk is hardly ever busy, but lets only 8 requests pass each tenth of a second. */
static void waits_for_a_rate_limit_are_of_no_disk(void **state)
{
	struct program program = {.threads = NULL};
	struct random random = {.state = 5};
	uint64_t ready_ns[THREADS], period = 0;
	unsigned passed = 0;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		program_add_thread(&program, 5 + (int32_t)i, 5, "reader");
		ready_ns[i] = MS + i * 100000;
	}
	for (int n = 0; n < THREADS * TURNS; n++) {
		uint32_t first = 0;
		uint64_t begin_ns;

		for (uint32_t i = 1; i < THREADS; i++)
			if (ready_ns[i] < ready_ns[first])
				first = i;
		begin_ns = ready_ns[first];
		if (begin_ns / (100 * MS) > period) {
			period = begin_ns / (100 * MS);
			passed = 0;
		}
		if (passed++ == 8) {
			period++;
			passed = 1;
		}
		ready_ns[first] = begin_ns > period * 100 * MS ? begin_ns : period * 100 * MS;
		ready_ns[first] += 200000 + random_below(&random, 100000);
		add_wait(&program, first, begin_ns, ready_ns[first]);
		ready_ns[first] += 20 * MS + random_below(&random, 100 * MS);
	}
	assert_int_equal(part_of(&program), DEVICE_TOGETHER);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_servers_of_a_disk_are_found),
	cmocka_unit_test(requests_that_find_the_cache_do_not_wait_for_the_disk),
	cmocka_unit_test(a_disk_without_queueing_keeps_its_waits),
	cmocka_unit_test(writes_that_are_flushed_together_are_a_group_commit),
	cmocka_unit_test(a_group_commit_is_found),
	cmocka_unit_test(waits_for_a_rate_limit_are_of_no_disk),
};

TEST_FILE(tests);
