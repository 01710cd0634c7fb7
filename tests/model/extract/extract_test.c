/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of simulated servers (mock/server.h), compared with these servers. */
#include "model/extract/extract.h"
#include "model/simulate/model_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/trace_input.h"
#include "mock/machine.h"
#include "mock/server.h"
#include "model/extract/extracted.h"
#include "model/extract/extraction.h"
#include "model/file/model.h"
#include "replay/program/program_read.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A worker: .2 ms of CPU time, a nap of 4 ms, a lock for .1 ms. */
static struct server poolserver(void)
{
	static const struct server_step steps[] = {
		{SERVER_CPU, 0, {SERVER_FIXED, .0002}}, {SERVER_NAP, 0, {SERVER_EXPONENTIAL, .004}},
		{SERVER_LOCK, 0, {SERVER_FIXED, 0}},	{SERVER_CPU, 0, {SERVER_FIXED, .0001}},
		{SERVER_UNLOCK, 0, {SERVER_FIXED, 0}},
	};
	struct server server = {.pool_count = 1,
				.rate_per_s = 600,
				.gaps = SERVER_EXPONENTIAL,
				.cores = 2,
				.call_s = 1e-6,
				.wake_s = 2e-6,
				.switch_s = 1e-6};

	server.pools[0].threads = 4;
	server.pools[0].step_count = sizeof(steps) / sizeof(*steps);
	memcpy(server.pools[0].steps, steps, sizeof(steps));
	return server;
}

static void assert_model(const struct extracted *extracted)
{
	if (extracted->findings.reason)
		fail_msg("%s", extracted->findings.reason);
	assert_true(extracted->model.has_check);
}

static void assert_response(const struct extracted *extracted)
{
	const struct model_check *check = &extracted->model.check;

	assert_close(check->response_s.recorded, extracted->truth.response_s, .03);
	assert_close(check->response_p95_s.recorded, extracted->truth.response_p95_s, .05);
}

static double busy_of_first_pool(const struct model *model)
{
	for (size_t i = 0; i < model->check.item_count; i++)
		if (model->check.items[i].pool == 0)
			return model->check.items[i].utilisation.recorded;
	return NAN;
}

/* --- Tests --------------------------------------------------------------------------------------- */

static void an_open_server_is_extracted_after_any_end_of_its_recording(void **state)
{
	static const struct server_run runs[] = {
		{.ending = SERVER_EXITS},
		{.ending = SERVER_STOPS},
		{.ending = SERVER_CUT},
		{.ending = SERVER_CUT, .attached_s = .5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		const struct server server = poolserver();
		struct extracted extracted = {.place = NULL};
		const struct model *model = &extracted.model;

		extract_server(&extracted, &server, runs[i]);
		assert_model(&extracted);
		assert_int_equal(model->pool_count, 1);
		assert_int_equal(model->pools[0].threads, 4);
		assert_int_equal(model->pools[0].dispatch, MODEL_SHARED);
		assert_false(model->pools[0].fixed);
		assert_int_equal(count_stations(model, MODEL_QUEUE), 1);
		assert_int_equal(count_stations(model, MODEL_LOCK), 2); /* with the queue's lock */
		assert_int_equal(model->source_count, 1);
		assert_int_equal(model->sources[0].kind, MODEL_OPEN);
		assert_close(model->sources[0].rate, 600, .03);
		assert_false(extracted.findings.arrivals.undecided);
		assert_close(extracted.findings.arrivals.gap_cv, 1, .1);
		assert_close(mean_of(&model->pools[0], MODEL_CPU), .0003, .1);
		assert_close(mean_of(&model->pools[0], MODEL_WAIT), .004, .03);
		assert_response(&extracted);
		assert_close(busy_of_first_pool(model), extracted.truth.pool_busy[0], .03);
		assert_true(extracted.findings.unjoined_share < .01);
		extracted_release(&extracted);
	}
}

static void threads_that_wait_for_answers_are_clients(void **state)
{
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};
	const struct model *model = &extracted.model;

	(void)state;
	server.clients = 12;
	server.think = (struct server_time){SERVER_EXPONENTIAL, .02};
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(model->source_count, 1);
	assert_int_equal(model->sources[0].kind, MODEL_CLOSED);
	assert_int_equal(model->sources[0].clients, 12);
	assert_close(model->sources[0].think.mean, .02, .05);
	assert_int_equal(model->pool_count, 1);
	assert_int_equal(model->pools[0].threads, 4);
	assert_response(&extracted);
	assert_close(model->check.throughput_per_s.recorded, extracted.truth.throughput_per_s, .03);
	extracted_release(&extracted);
}

/* The last of them thinks for seconds when all other ones have ended. */
static void clients_that_end_late_do_not_change_the_throughput(void **state)
{
	const struct server_run steady = {.seed = 1, .requests = 100000};
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};
	struct server_truth truth;

	(void)state;
	server.clients = 60;
	server.think = (struct server_time){SERVER_HYPER, .2};
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(server_run(&truth, &server, &steady), 0);
	assert_true(extracted.truth.throughput_per_s < .9 * truth.throughput_per_s);
	assert_close(extracted.model.check.throughput_per_s.recorded, truth.throughput_per_s, .05);
	extracted_release(&extracted);
}

static void a_request_that_is_handed_over_is_one_request(void **state)
{
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};
	const struct model *model = &extracted.model;
	size_t puts = 0;

	(void)state;
	server.pool_count = 2;
	server.pools[1] = server.pools[0];
	server.pools[1].threads = 6;
	server.pools[0].step_count = 2;
	server.pools[0].steps[1] = (struct server_step){SERVER_HAND, 1, {SERVER_FIXED, 0}};
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_STOPS});
	assert_model(&extracted);
	assert_int_equal(model->pool_count, 2);
	assert_int_equal(model->source_count, 1);
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].node_count; j++)
			puts += model->pools[i].nodes[j].kind == MODEL_PUT;
	assert_int_equal(puts, 1);
	assert_int_equal(model->pools[0].threads + model->pools[1].threads, 10);
	assert_response(&extracted);
	extracted_release(&extracted);
}

/* M/M/1 with CPU time alone: threads wait for the core, which other threads of the program have, .8
 * times as long as they run. */
static void threads_that_wait_for_each_other_have_no_other_programs(void **state)
{
	static const struct server_step step = {SERVER_CPU, 0, {SERVER_EXPONENTIAL, .0045}};
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};

	(void)state;
	server.cores = 1;
	server.rate_per_s = 100;
	server.slice_s = .0005;
	server.pools[0].step_count = 1;
	server.pools[0].steps[0] = step;
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_STOPS});
	assert_model(&extracted);
	for (size_t i = 0; i < extracted.findings.doubt_count; i++)
		if (strstr(extracted.findings.doubts[i], "other programs"))
			fail_msg("%s", extracted.findings.doubts[i]);
	extracted_release(&extracted);
}

/* "machine" is also a word of the file, and an empty name is invalid there. */
static void threads_may_have_any_name(void **state)
{
	static const char *const names[] = {"machine", "", ".=.", "\xff\xfe"};
	struct server server = poolserver();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct extracted extracted = {.place = NULL};

		extract_server_named(&extracted, &server,
				     (struct server_run){.ending = SERVER_STOPS}, names[i]);
		assert_model(&extracted);
		assert_true(*extracted.model.pools[0].name);
		assert_string_not_equal(extracted.model.pools[0].name, "machine");
		extracted_release(&extracted);
	}
}

/* --- Batch programs ------------------------------------------------------------------------------ */

enum { ITEMS = 300, WORKERS = 3, ITEM_NS = 1000000, PUT_NS = 50000 };

/* The first thread puts items into a queue; the rest take them one by one. */
static void write_queue(struct mock_program *program, size_t room, int by_semaphores)
{
	uint32_t queue = mock_add_queue(program, room, by_semaphores);

	for (size_t thread = 1; thread <= WORKERS; thread++) {
		size_t at_end;

		mock_add_get(program, thread, queue);
		at_end = program->threads[thread].count;
		mock_add(program, thread, MOCK_JUMP_AT_END, 0, at_end + 3);
		mock_add(program, thread, MOCK_WORK, 0, ITEM_NS);
		mock_add(program, thread, MOCK_JUMP, 0, 0);
	}
	mock_add_forks(program);
	for (size_t i = 0; i < ITEMS; i++) {
		mock_add(program, 0, MOCK_WORK, 0, PUT_NS);
		mock_add_put(program, 0, queue, i);
	}
	for (size_t thread = 1; thread <= WORKERS; thread++)
		mock_add_put_end(program, 0, queue);
}

/* Each thread has its part of the work, and counts under a lock. */
static void write_split(struct mock_program *program, uint64_t held_ns)
{
	uint32_t mutex = mock_add_object(program, MOCK_MUTEX, 0);

	for (size_t thread = 1; thread <= WORKERS; thread++)
		for (size_t i = 0; i < ITEMS / WORKERS; i++) {
			mock_add(program, thread, MOCK_WORK, 0, ITEM_NS);
			mock_add(program, thread, MOCK_LOCK, mutex, 0);
			mock_add(program, thread, MOCK_WORK, 0, held_ns);
			mock_add(program, thread, MOCK_UNLOCK, mutex, 0);
		}
	mock_add_forks(program);
}

/* Returns its wall time. Some formats do not tell the processes of threads. */
static double extract_mock_told(struct extracted *extracted, struct mock_program *mock,
				bool tells_processes)
{
	struct mock_run run = {.cores = WORKERS + 1, .seed = 1, .calls = MOCK_CALLS_ALL};
	struct program program;
	struct err err;
	uint64_t wall_ns;

	mock_add_joins(mock);
	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	wall_ns = mock_run(mock, &run);
	fflush(run.trace);
	read_trace(&program, run.trace);
	fclose(run.trace);
	for (size_t i = 0; i < program.thread_count && !tells_processes; i++)
		program.threads[i].pid = -1;
	if (model_extract(&extracted->model, &extracted->findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	program_release(&program);
	return (double)wall_ns / 1e9;
}

static double extract_mock(struct extracted *extracted, struct mock_program *mock)
{
	return extract_mock_told(extracted, mock, true);
}

static struct mock_program *new_mock(void)
{
	struct mock_program *mock = calloc(1, sizeof(*mock));

	assert_non_null(mock);
	mock->thread_count = WORKERS + 1;
	return mock;
}

static void work_in_a_queue_is_a_batch_of_items(void **state)
{
	(void)state;
	for (int by_semaphores = 0; by_semaphores <= 1; by_semaphores++) {
		struct mock_program *mock = new_mock();
		struct extracted extracted = {.place = NULL};
		const struct model *model = &extracted.model;
		double wall_s;

		write_queue(mock, ITEMS + WORKERS, by_semaphores);
		wall_s = extract_mock(&extracted, mock);
		assert_model(&extracted);
		assert_true(extracted.findings.batch);
		assert_int_equal(model->source_count, 1);
		assert_int_equal(model->sources[0].kind, MODEL_BATCH);
		assert_in_range(model->sources[0].items, ITEMS, ITEMS + WORKERS);
		assert_int_equal(model->pool_count, 2);
		for (size_t i = 0; i < 2; i++) {
			const struct model_pool *pool = &model->pools[i];
			bool source = pool->takes == model->sources[0].to[0];

			assert_int_equal(pool->threads, source ? 1 : WORKERS);
			assert_close(mean_of(pool, MODEL_CPU), source ? 50e-6 : 1e-3, .1);
		}
		assert_close(model->check.wall_s.recorded, wall_s, .05);
		assert_in_range(model->check.run_queue_s.recorded * 1e9, 0, wall_s * 1e9 / 50);
		extracted_release(&extracted);
		mock_program_free(mock);
	}
}

/* With two semaphores the room of a queue is known: the first thread waits there for most of the
 * time. */
static void a_batch_waits_for_room_in_its_queue(void **state)
{
	enum { ROOM = 4 };
	struct mock_program *mock = new_mock();
	struct extracted extracted = {.place = NULL};
	const struct model *model = &extracted.model;
	struct model_result result;
	struct err err;
	double wall_s;

	(void)state;
	write_queue(mock, ROOM, 1);
	wall_s = extract_mock(&extracted, mock);
	assert_model(&extracted);
	assert_int_equal(model->pool_count, 2);
	assert_int_equal(model_run(&result, model, &(struct model_run_request){.seed = 1}, &err),
			 0);
	for (size_t i = 0; i < 2; i++) {
		bool source = model->pools[i].takes == model->sources[0].to[0];
		const struct model_station *queue = &model->stations[model->pools[i].takes];

		assert_int_equal(queue->bounded, !source);
		assert_int_equal(queue->limit, source ? 0 : ROOM);
		if (source)
			assert_true(result.pools[i].blocked > .7);
	}
	assert_close(result.wall_s, wall_s, .05);
	model_result_release(&result);
	extracted_release(&extracted);
	mock_program_free(mock);
}

static void work_without_a_queue_is_divided_into_its_pieces(void **state)
{
	(void)state;
	for (int told = 0; told < 2; told++) {
		struct mock_program *mock = new_mock();
		struct extracted extracted = {.place = NULL};
		const struct model *model = &extracted.model;
		double wall_s;

		write_split(mock, 1000);
		wall_s = extract_mock_told(&extracted, mock, told);
		assert_model(&extracted);
		assert_true(extracted.findings.batch);
		assert_int_equal(model->sources[0].items, ITEMS);
		assert_int_equal(model->pool_count, 1);
		assert_int_equal(model->pools[0].threads, WORKERS);
		assert_close(mean_of(&model->pools[0], MODEL_CPU), 1e-3, .05);
		assert_close(model->check.wall_s.recorded, wall_s, .05);
		assert_in_range(model->check.run_queue_s.recorded * 1e9, 0, wall_s * 1e9 / 50);
		assert_true(extracted.findings.doubt_count > 0);
		assert_int_equal(count_stations(model, MODEL_LOCK), 0); /* it is held for .1 % */
		extracted_release(&extracted);
		mock_program_free(mock);
	}
}

/* With any number of threads only one has the lock. */
static void work_without_a_queue_has_the_locks_that_are_held_for_long(void **state)
{
	enum { HELD_NS = 400000 };
	struct mock_program *mock = new_mock();
	struct model_result result;
	struct extracted extracted = {.place = NULL};
	struct err err;

	(void)state;
	write_split(mock, HELD_NS);
	extract_mock(&extracted, mock);
	assert_model(&extracted);
	assert_int_equal(count_stations(&extracted.model, MODEL_LOCK), 1);
	extracted.model.pools[0].threads = 16;
	extracted.model.machine.cores = 16;
	assert_int_equal(
		model_run(&result, &extracted.model, &(struct model_run_request){.seed = 1}, &err),
		0);
	assert_close(result.wall_s, ITEMS * HELD_NS / 1e9, .05);
	assert_int_equal(result.limit, MODEL_LIMIT_STATION);
	model_result_release(&result);
	extracted_release(&extracted);
	mock_program_free(mock);
}

/* Items go from a pool of two threads to another pool of two. Between them the first pool takes
 * locks. */
static void write_two_pools(struct mock_program *program, size_t locks, size_t items, bool all)
{
	enum { FIRST = 2 };
	uint32_t queue = mock_add_queue(program, ITEMS, 0),
		 next = mock_add_queue(program, ITEMS, 0);
	uint32_t *mutexes = calloc(locks + 1, sizeof(*mutexes));

	for (size_t i = 0; i < locks; i++)
		mutexes[i] = mock_add_object(program, MOCK_MUTEX, 0);
	for (size_t thread = 1; thread <= FIRST; thread++) {
		for (size_t item = 0; item < items / FIRST; item++) {
			mock_add_get(program, thread, queue);
			for (size_t i = 0; i < locks; i++) {
				mock_add(program, thread, MOCK_LOCK, mutexes[i], 0);
				mock_add(program, thread, MOCK_WORK, 0, 1000);
				mock_add(program, thread, MOCK_UNLOCK, mutexes[i], 0);
			}
			mock_add(program, thread, MOCK_WORK, 0, ITEM_NS);
			if (all || (thread == 1 && item == 1))
				mock_add_put(program, thread, next, item);
		}
	}
	for (size_t item = 0; item < (all ? items : 1); item++) {
		mock_add_get(program, FIRST + 1, next);
		mock_add(program, FIRST + 1, MOCK_WORK, 0, ITEM_NS);
	}
	mock_add_forks(program);
	for (size_t i = 0; i < items; i++) {
		mock_add(program, 0, MOCK_WORK, 0, PUT_NS);
		mock_add_put(program, 0, queue, i);
	}
	free(mutexes);
}

static size_t count_doubts(const struct model_findings *findings, const char *words)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->doubt_count; i++)
		count += strstr(findings->doubts[i], words) != NULL;
	return count;
}

static void each_pool_has_its_queue_with_any_locks(void **state)
{
	const struct {
		size_t locks, items;
		bool all;
		size_t pools;
	} cases[] = {{2, 60, true, 3}, {MODEL_STATIONS_MAX, 8, true, 3}, {2, 60, false, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mock_program *mock = new_mock();
		struct extracted extracted = {.place = NULL};
		const struct model *model = &extracted.model;

		write_two_pools(mock, cases[i].locks, cases[i].items, cases[i].all);
		extract_mock(&extracted, mock);
		assert_model(&extracted);
		assert_int_equal(model->pool_count, cases[i].pools);
		for (size_t j = 0; j < model->pool_count; j++)
			assert_true(model->pools[j].takes < model->station_count);
		assert_int_equal(
			count_doubts(&extracted.findings, "fewer than 200 recorded visits"), 1);
		/* Threads of the first pool have done their work before those of the second one. */
		for (size_t j = 0; j < model->pool_count && cases[i].items == 60; j++)
			assert_false(model->pools[j].fixed);
		extracted_release(&extracted);
		mock_program_free(mock);
	}
}

/* Workers hold a token for each item. `held`: number of workers with a token when the recording
 * began. */
static void write_semaphore(struct mock_program *mock, size_t tokens, size_t held, bool counted)
{
	uint32_t semaphore = mock_add_object(mock, MOCK_SEMAPHORE, tokens - held);
	uint32_t queue = mock_add_queue(mock, ITEMS, 0);

	if (counted)
		mock_add(mock, 0, MOCK_INIT, semaphore, 0);
	for (size_t thread = 1; thread <= WORKERS; thread++) {
		if (thread <= held)
			mock_add(mock, thread, MOCK_GIVE, semaphore, 0);
		for (size_t i = 0; i < ITEMS / WORKERS; i++) {
			mock_add_get(mock, thread, queue);
			mock_add(mock, thread, MOCK_TAKE, semaphore, 0);
			mock_add(mock, thread, MOCK_WORK, 0, ITEM_NS);
			mock_add(mock, thread, MOCK_GIVE, semaphore, 0);
		}
	}
	mock_add_forks(mock);
	for (size_t i = 0; i < ITEMS; i++) {
		mock_add(mock, 0, MOCK_WORK, 0, PUT_NS);
		mock_add_put(mock, 0, queue, i);
	}
}

/*
 * A semaphore with enough tokens for all threads makes none of them wait. If the program was
 * attached to, it has as many tokens as threads had at once, or more if no thread waited; the model
 * reports that.
 */
static void a_semaphore_lets_in_as_many_as_it_has_tokens(void **state)
{
	static const struct {
		size_t tokens, held;
		bool counted;
		size_t servers, doubts;
	} cases[] = {
		{(size_t)2 * MODEL_THREADS_MAX, 0, true, MODEL_THREADS_MAX, 0},
		{2, 0, true, 2, 0},
		{2, 0, false, 2, 0},
		{2, 1, false, 2, 0},
		{(size_t)2 * WORKERS, 0, false, WORKERS, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mock_program *mock = new_mock();
		struct extracted extracted = {.place = NULL};
		uint32_t most = 0;
		size_t doubts = 0;

		write_semaphore(mock, cases[i].tokens, cases[i].held, cases[i].counted);
		extract_mock(&extracted, mock);
		assert_model(&extracted);
		for (size_t j = 0; j < extracted.model.station_count; j++)
			if (extracted.model.stations[j].servers > most)
				most = extracted.model.stations[j].servers;
		for (size_t j = 0; j < extracted.findings.doubt_count; j++)
			doubts += strstr(extracted.findings.doubts[j], "none waited") != NULL;
		if (most != cases[i].servers || doubts != cases[i].doubts)
			fail_msg("case %zu: %u servers, %zu doubts", i, most, doubts);
		extracted_release(&extracted);
		mock_program_free(mock);
	}
}

/* Clients ask the first pool, and the last one answers. */
static void clients_are_answered_by_a_pool_that_they_did_not_ask(void **state)
{
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};

	(void)state;
	server.clients = 12;
	server.think = (struct server_time){SERVER_EXPONENTIAL, .02};
	server.pools[1] = server.pools[0];
	server.pools[1].threads = 6;
	server.pools[0].step_count = 2;
	server.pools[0].steps[1] = (struct server_step){.act = SERVER_HAND, .object = 1};
	server.pool_count = 2;
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(extracted.model.pool_count, 2);
	assert_int_equal(extracted.model.source_count, 1);
	assert_int_equal(extracted.model.sources[0].kind, MODEL_CLOSED);
	assert_int_equal(extracted.model.sources[0].clients, 12);
	assert_close(extracted.model.check.response_s.recorded, extracted.truth.response_s, .02);
	extracted_release(&extracted);
}

static void without_calls_the_error_tells_what_to_record(void **state)
{
	const struct server server = poolserver();
	struct extracted extracted = {.place = NULL};

	(void)state;
	extract_server(&extracted, &server, (struct server_run){.no_calls = true});
	assert_non_null(extracted.findings.reason);
	assert_non_null(strstr(extracted.findings.reason, "--requests"));
	extracted_release(&extracted);
}

/* Lock 1 is taken only with lock 0 held. */
static void a_lock_without_waits_is_no_station(void **state)
{
	static const struct server_step locked[] = {
		{SERVER_LOCK, 0, {SERVER_FIXED, 0}},   {SERVER_LOCK, 1, {SERVER_FIXED, 0}},
		{SERVER_UNLOCK, 1, {SERVER_FIXED, 0}}, {SERVER_CPU, 0, {SERVER_FIXED, .0001}},
		{SERVER_UNLOCK, 0, {SERVER_FIXED, 0}},
	};
	struct server server = poolserver();
	struct extracted extracted = {.place = NULL};

	(void)state;
	server.pools[0].step_count = sizeof(locked) / sizeof(*locked);
	memcpy(server.pools[0].steps, locked, sizeof(locked));
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(extracted.findings.idle_locks, 1);
	assert_int_equal(count_stations(&extracted.model, MODEL_LOCK), 2);
	extracted_release(&extracted);
}

static void locks_are_named_by_their_places(void **state)
{
	const struct server server = poolserver();
	struct extracted extracted = {.place = "lock 0x7f12 in take < worker, and 1 more"};
	size_t count = 0;

	(void)state;
	extract_server(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	for (size_t i = 0; i < extracted.model.station_count; i++)
		if (extracted.model.stations[i].kind == MODEL_LOCK)
			assert_string_equal(extracted.model.stations[i].name,
					    count++ ? "lock-in-take-2" : "lock-in-take");
	assert_int_equal(count, 2);
	extracted_release(&extracted);
}

/* Also if a thread is woken for a token that another one has got by then. */
static void waits_for_a_token_are_in_no_visit(void **state)
{
	for (uint64_t seed = 1; seed < 7; seed++) {
		struct server server = poolserver();
		struct extracted extracted = {.place = NULL};

		(void)state;
		server.cores = 1;
		server.rate_per_s = 2000;
		server.pools[0].steps[1] =
			(struct server_step){SERVER_CPU, 0, {SERVER_EXPONENTIAL, .0001}};
		extract_server(&extracted, &server,
			       (struct server_run){.ending = SERVER_EXITS, .seed = seed});
		assert_model(&extracted);
		assert_true(mean_of(&extracted.model.pools[0], MODEL_WAIT) == 0);
		extracted_release(&extracted);
	}
}

/*
 * Its CPU time is that of a lone thread, with any growth; a server without growth has none
 * reported. 11 us of it are calls of the C library, which do not grow.
 */
static void the_growth_of_cpu_time_is_found(void **state)
{
	static const double growths[] = {0, .1, -.1};

	(void)state;
	for (size_t i = 0; i < sizeof(growths) / sizeof(*growths); i++) {
		struct server server = poolserver();
		struct extracted extracted = {.place = NULL};
		const struct model_pool *pool;

		server.growth = growths[i];
		extract_server(&extracted, &server, (struct server_run){.ending = SERVER_CUT});
		assert_model(&extracted);
		pool = &extracted.model.pools[0];
		assert_close(mean_of(pool, MODEL_CPU), .000311, .02);
		assert_close(pool->cpu_growth, growths[i] * .0003 / .000311, .04);
		assert_true((pool->cpu_growth_se > 0) == (i > 0));
		assert_int_equal((int)pool->cpu_growth_until, i == 2 ? 4 : 0);
		extracted_release(&extracted);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_growth_of_cpu_time_is_found),
	cmocka_unit_test(a_lock_without_waits_is_no_station),
	cmocka_unit_test(locks_are_named_by_their_places),
	cmocka_unit_test(waits_for_a_token_are_in_no_visit),
	cmocka_unit_test(an_open_server_is_extracted_after_any_end_of_its_recording),
	cmocka_unit_test(threads_that_wait_for_answers_are_clients),
	cmocka_unit_test(clients_that_end_late_do_not_change_the_throughput),
	cmocka_unit_test(a_request_that_is_handed_over_is_one_request),
	cmocka_unit_test(threads_that_wait_for_each_other_have_no_other_programs),
	cmocka_unit_test(threads_may_have_any_name),
	cmocka_unit_test(work_in_a_queue_is_a_batch_of_items),
	cmocka_unit_test(a_batch_waits_for_room_in_its_queue),
	cmocka_unit_test(work_without_a_queue_is_divided_into_its_pieces),
	cmocka_unit_test(work_without_a_queue_has_the_locks_that_are_held_for_long),
	cmocka_unit_test(each_pool_has_its_queue_with_any_locks),
	cmocka_unit_test(a_semaphore_lets_in_as_many_as_it_has_tokens),
	cmocka_unit_test(clients_are_answered_by_a_pool_that_they_did_not_ask),
	cmocka_unit_test(without_calls_the_error_tells_what_to_record),
};

TEST_FILE(tests);
