/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of servers that are only pretended to run (mock/server.h), against what these are. */
#include "model/extract/extract.h"
#include "model/simulate/model_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/trace_input.h"
#include "mock/machine.h"
#include "mock/server.h"
#include "model/extract/extraction.h"
#include "model/file/model.h"
#include "replay/program/program_read.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REQUESTS = 3000 };

struct extracted {
	struct model model;
	struct model_findings findings;
	struct server_truth truth;
	const char *place; /* the name of all objects; NULL: as they are */
};

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

static void read_trace(struct program *program, FILE *trace)
{
	const struct selection all = {.pids = NULL};
	struct event_source *source;
	struct input *input;
	struct err err;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(trace));
	input = trace_input_open(path, INPUT_OF_ANYONE, &err);
	source = input ? trace_input_read(input, &err) : NULL;
	*program = (struct program){0};
	if (!source || program_read_with_gaps(program, source, &all, &err))
		fail_msg("%s", err.text);
	event_source_free(source);
}

/* `comm`: the name of all threads; NULL: those that they have. */
static void extract_named(struct extracted *extracted, const struct server *server,
			  struct server_run run, const char *comm)
{
	struct program program;
	struct err err;

	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	run.seed = run.seed ? run.seed : 1;
	run.requests = REQUESTS;
	run.exact = true;
	assert_non_null(run.trace);
	assert_int_equal(server_run(&extracted->truth, server, &run), 0);
	fflush(run.trace);
	read_trace(&program, run.trace);
	fclose(run.trace);
	for (size_t i = 0; comm && i < program.thread_count; i++) {
		char bytes[COMM_SIZE] = "";

		memcpy(bytes, comm, strlen(comm));
		thread_name_release(&program.threads[i].name);
		thread_name_take(&program.threads[i].name, bytes);
	}
	for (size_t i = 0; extracted->place && i < program.site_count; i++)
		if (program.sites[i].address && !program.sites[i].name)
			program.sites[i].name = xstrdup(extracted->place);
	if (model_extract(&extracted->model, &extracted->findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	program_release(&program);
}

static void extract(struct extracted *extracted, const struct server *server, struct server_run run)
{
	extract_named(extracted, server, run, NULL);
}

static void release(struct extracted *extracted)
{
	model_release(&extracted->model);
	model_findings_release(&extracted->findings);
}

static void assert_model(const struct extracted *extracted)
{
	if (extracted->findings.reason)
		fail_msg("%s", extracted->findings.reason);
	assert_true(extracted->model.has_check);
}

/* Mean time of a visit in nodes of that kind. */
static double mean_of(const struct model_pool *pool, enum model_node_kind kind)
{
	double sum = 0;

	for (size_t i = 0; i < pool->step_count; i++)
		if (pool->nodes[pool->steps[i].node].kind == kind)
			sum += (double)pool->steps[i].seconds;
	return sum / (double)pool->visit_count;
}

static size_t count_stations(const struct model *model, enum model_station_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < model->station_count; i++)
		count += model->stations[i].kind == kind;
	return count;
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

static void an_open_server_is_extracted_whatever_ends_its_recording(void **state)
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

		extract(&extracted, &server, runs[i]);
		assert_model(&extracted);
		assert_int_equal(model->pool_count, 1);
		assert_int_equal(model->pools[0].threads, 4);
		assert_int_equal(model->pools[0].dispatch, MODEL_SHARED);
		assert_false(model->pools[0].fixed);
		assert_int_equal(count_stations(model, MODEL_QUEUE), 1);
		assert_int_equal(count_stations(model, MODEL_LOCK), 2); /* with the queue's */
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
		release(&extracted);
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
	extract(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(model->source_count, 1);
	assert_int_equal(model->sources[0].kind, MODEL_CLOSED);
	assert_int_equal(model->sources[0].clients, 12);
	assert_close(model->sources[0].think.mean, .02, .05);
	assert_int_equal(model->pool_count, 1);
	assert_int_equal(model->pools[0].threads, 4);
	assert_response(&extracted);
	assert_close(model->check.throughput_per_s.recorded, extracted.truth.throughput_per_s, .03);
	release(&extracted);
}

static void a_request_that_is_handed_over_is_one(void **state)
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
	extract(&extracted, &server, (struct server_run){.ending = SERVER_STOPS});
	assert_model(&extracted);
	assert_int_equal(model->pool_count, 2);
	assert_int_equal(model->source_count, 1);
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].node_count; j++)
			puts += model->pools[i].nodes[j].kind == MODEL_PUT;
	assert_int_equal(puts, 1);
	assert_int_equal(model->pools[0].threads + model->pools[1].threads, 10);
	assert_response(&extracted);
	release(&extracted);
}

/* M/M/1 with CPU time alone: threads wait for the core .8 times as long as they run, for each other. */
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
	extract(&extracted, &server, (struct server_run){.ending = SERVER_STOPS});
	assert_model(&extracted);
	for (size_t i = 0; i < extracted.findings.doubt_count; i++)
		if (strstr(extracted.findings.doubts[i], "other programs"))
			fail_msg("%s", extracted.findings.doubts[i]);
	release(&extracted);
}

/* "machine" is what the machine is called, and an empty name is none in a file. */
static void threads_may_have_any_name(void **state)
{
	static const char *const names[] = {"machine", "", ".=.", "\xff\xfe"};
	struct server server = poolserver();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct extracted extracted = {.place = NULL};

		extract_named(&extracted, &server, (struct server_run){.ending = SERVER_STOPS},
			      names[i]);
		assert_model(&extracted);
		assert_true(*extracted.model.pools[0].name);
		assert_string_not_equal(extracted.model.pools[0].name, "machine");
		release(&extracted);
	}
}

/* --- Batch programs ------------------------------------------------------------------------------ */

enum { ITEMS = 300, WORKERS = 3, ITEM_NS = 1000000, PUT_NS = 50000 };

/* The first thread puts items into a queue, of which the others take one after the other. */
static void write_queue(struct mock_program *program, int by_semaphores)
{
	uint32_t queue = mock_add_queue(program, ITEMS + WORKERS, by_semaphores);

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

/* Returns its wall time. */
static double extract_mock(struct extracted *extracted, struct mock_program *mock)
{
	struct mock_run run = {.cores = WORKERS + 1, .luck = 1, .calls = MOCK_CALLS_ALL};
	struct program program;
	struct err err;
	uint64_t wall_ns;

	mock_add_joins(mock);
	run.trace = fdopen(memfd_create("trace", MFD_CLOEXEC), "w");
	wall_ns = mock_run(mock, &run);
	fflush(run.trace);
	read_trace(&program, run.trace);
	fclose(run.trace);
	if (model_extract(&extracted->model, &extracted->findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	program_release(&program);
	return (double)wall_ns / 1e9;
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

		write_queue(mock, by_semaphores);
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
		release(&extracted);
		mock_program_free(mock);
	}
}

static void work_without_a_queue_is_given_out_in_its_pieces(void **state)
{
	struct mock_program *mock = new_mock();
	struct extracted extracted = {.place = NULL};
	const struct model *model = &extracted.model;
	double wall_s;

	(void)state;
	write_split(mock, 1000);
	wall_s = extract_mock(&extracted, mock);
	assert_model(&extracted);
	assert_true(extracted.findings.batch);
	assert_int_equal(model->sources[0].items, ITEMS);
	assert_int_equal(model->pool_count, 1);
	assert_int_equal(model->pools[0].threads, WORKERS);
	assert_close(mean_of(&model->pools[0], MODEL_CPU), 1e-3, .05);
	assert_close(model->check.wall_s.recorded, wall_s, .05);
	assert_true(extracted.findings.doubt_count > 0);
	assert_int_equal(count_stations(model, MODEL_LOCK), 0); /* it is held for .1 % */
	release(&extracted);
	mock_program_free(mock);
}

/* However many threads there are, only one has the lock. */
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
	release(&extracted);
	mock_program_free(mock);
}

/* Items that go from a pool of two threads on to one of two. Between them the first takes locks. */
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

static void each_pool_has_its_queue_whatever_the_locks_are(void **state)
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
		release(&extracted);
		mock_program_free(mock);
	}
}

/* Workers hold a token for each item. `held`: so many did when the recording began. */
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
 * A semaphore that any number of threads may have makes none of them wait. Of a program that was
 * attached to it has as many tokens as threads had at a time; more where none waited, which is said.
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
		release(&extracted);
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
	extract(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(extracted.model.pool_count, 2);
	assert_int_equal(extracted.model.source_count, 1);
	assert_int_equal(extracted.model.sources[0].kind, MODEL_CLOSED);
	assert_int_equal(extracted.model.sources[0].clients, 12);
	assert_close(extracted.model.check.response_s.recorded, extracted.truth.response_s, .02);
	release(&extracted);
}

static void without_calls_it_is_said_what_to_record(void **state)
{
	const struct server server = poolserver();
	struct extracted extracted = {.place = NULL};

	(void)state;
	extract(&extracted, &server, (struct server_run){.no_calls = true});
	assert_non_null(extracted.findings.reason);
	assert_non_null(strstr(extracted.findings.reason, "--sync=all"));
	release(&extracted);
}

/* The lock 1 is taken with the lock 0 alone. */
static void a_lock_that_nothing_waits_for_is_no_station(void **state)
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
	extract(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	assert_int_equal(extracted.findings.idle_locks, 1);
	assert_int_equal(count_stations(&extracted.model, MODEL_LOCK), 2);
	release(&extracted);
}

static void locks_are_called_by_their_places(void **state)
{
	const struct server server = poolserver();
	struct extracted extracted = {.place = "lock 0x7f12 in take < worker, and 1 more"};
	size_t count = 0;

	(void)state;
	extract(&extracted, &server, (struct server_run){.ending = SERVER_EXITS});
	assert_model(&extracted);
	for (size_t i = 0; i < extracted.model.station_count; i++)
		if (extracted.model.stations[i].kind == MODEL_LOCK)
			assert_string_equal(extracted.model.stations[i].name,
					    count++ ? "lock-in-take-2" : "lock-in-take");
	assert_int_equal(count, 2);
	release(&extracted);
}

/* Also where a thread is woken for a token that another one has got by then. */
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
		extract(&extracted, &server,
			(struct server_run){.ending = SERVER_EXITS, .seed = seed});
		assert_model(&extracted);
		assert_true(mean_of(&extracted.model.pools[0], MODEL_WAIT) == 0);
		release(&extracted);
	}
}

/* --- Sockets ------------------------------------------------------------------------------------- */

enum { VISITS = 600, CPU_NS = 1000 };

static void use_socket(struct program *program, uint32_t thread, uint64_t at_ns, uint64_t socket,
		       enum socket_event event)
{
	program_add_step(program, thread, CPU_NS, STEP_SOCKET)->socket =
		(uint32_t)program->socket_use_count;
	program->socket_uses[program->socket_use_count++] = (struct socket_use){
		.time_ns = at_ns, .socket = socket, .thread = thread, .count = 8, .event = event};
}

static void wait_until(struct program *program, uint32_t thread, uint64_t *now_ns,
		       uint64_t until_ns)
{
	uint64_t run_ns = program->threads[thread].count * CPU_NS + CPU_NS;

	program_add_gap(program, thread,
			(struct program_gap){run_ns, *now_ns + CPU_NS, until_ns, GAP_PAUSE, 0});
	program_add_step(program, thread, CPU_NS, STEP_EXTERNAL)->pause =
		step_pause(until_ns - *now_ns - CPU_NS, PROGRAM_NONE);
	*now_ns = until_ns;
}

/*
 * A thread answers requests in 4 ms, each of which is a connection of its own. It comes when
 * the one before has its answer, or at a time of its own.
 */
static void serve_connections(struct program *program, bool closed)
{
	uint32_t thread = program_add_thread(program, 5, 5, "server"), seed = 1;
	uint64_t now_ns = 0, arrival_ns = 1000000;

	program->socket_uses = xcalloc(2 * VISITS, sizeof(*program->socket_uses));
	for (uint64_t i = 0; i < VISITS; i++) {
		uint64_t begin_ns = arrival_ns > now_ns + 20000 ? arrival_ns : now_ns + 20000;

		wait_until(program, thread, &now_ns, begin_ns);
		use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_RECEIVED);
		wait_until(program, thread, &now_ns, now_ns + 4000000);
		use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_SENT);
		seed = seed * 1103515245 + 12345;
		arrival_ns = closed ? now_ns + 100000 : arrival_ns + 2000000 + (seed >> 16) * 300;
	}
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

static void connections_of_one_request_are_of_clients_where_these_wait(void **state)
{
	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_connections(&program, closed);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.source_count, 1);
		assert_int_equal(extracted.model.sources[0].kind,
				 closed ? MODEL_CLOSED : MODEL_OPEN);
		assert_int_equal(extracted.model.pool_count, 1);
		assert_close(mean_of(&extracted.model.pools[0], MODEL_WAIT), .004, .01);
		program_release(&program);
		release(&extracted);
	}
}

/* Data comes in, or the end of the connection is read. */
static void add_event(struct program *program, uint32_t thread, uint64_t at_ns, uint64_t socket,
		      enum socket_event event)
{
	program->socket_uses[program->socket_use_count++] = (struct socket_use){
		.time_ns = at_ns, .socket = socket, .thread = thread, .count = 0, .event = event};
}

/*
 * A request comes .3 ms before the thread has a CPU: another one hands it over, which wakes it .1 ms
 * before. It answers after 4 ms, and waits 1 ms for the end of the connection.
 */
static void serve_until_ends(struct program *program)
{
	uint32_t thread = program_add_thread(program, 5, 5, "server");
	uint64_t now_ns = 0;

	program->socket_uses = xcalloc(4 * VISITS, sizeof(*program->socket_uses));
	for (uint64_t i = 0; i < VISITS; i++) {
		uint64_t begin_ns = now_ns + 2000000;

		add_event(program, PROGRAM_NONE, begin_ns - 300000, 7 + i, SOCKET_READY);
		wait_until(program, thread, &now_ns, begin_ns);
		program->gaps[thread].items[program->gaps[thread].count - 1].ready_ns = 100000;
		use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_RECEIVED);
		wait_until(program, thread, &now_ns, now_ns + 4000000);
		use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_SENT);
		wait_until(program, thread, &now_ns, now_ns + 1000000);
		use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_RECEIVED);
		program->socket_uses[program->socket_use_count - 1].count = 0;
	}
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

/* ... by what comes before a request is read, and behind its answer. */
static void a_thread_is_occupied_for_longer_than_a_request_takes(void **state)
{
	struct extracted extracted = {.place = NULL};
	struct program program = {.threads = NULL};
	const struct model_run_request request = {.seed = 1, .requests_most = REQUESTS};
	const struct model_pool *pool;
	struct model_result result;
	struct err err;

	(void)state;
	serve_until_ends(&program);
	if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(extracted.model.pool_count, 1);
	pool = &extracted.model.pools[0];
	assert_close(mean_of(pool, MODEL_WAIT), .0002 + .004 + .001, .01);
	assert_close(extracted.model.check.response_s.recorded, .0003 + .004, .01);
	/* 5.2 ms of the 7 ms from one request to the next. */
	assert_close(extracted.model.check.items[0].utilisation.recorded, 5.2 / 7, .01);
	if (model_run(&result, &extracted.model, &request, &err))
		fail_msg("%s", err.text);
	assert_close(result.pools[0].visit_s, .0052, .01);
	assert_close(result.response_s, .0042, .02);
	model_result_release(&result);
	program_release(&program);
	release(&extracted);
}

/* A visit of 4 ms, of which the thread waits 3 ms until `waker` wakes it. */
static void serve_when_woken(struct program *program, uint32_t thread, uint32_t waker,
			     uint64_t *now_ns)
{
	struct step *step;

	wait_until(program, thread, now_ns, *now_ns + 2000000);
	use_socket(program, thread, *now_ns += CPU_NS, 7 + thread, SOCKET_RECEIVED);
	wait_until(program, thread, now_ns, *now_ns + 3000000);
	program->gaps[thread].items[program->gaps[thread].count - 1].kind = GAP_EDGE;
	step = &program->threads[thread].steps[program->threads[thread].count - 1];
	*step = (struct step){.run_op = step_run_op(CPU_NS, STEP_BLOCK)};
	step->site = PROGRAM_NONE;
	step->edge = program->edge_count;
	step = program_add_step(program, waker, CPU_NS, STEP_WAKE);
	step->thread = thread;
	step->edge = program->edge_count++;
	wait_until(program, thread, now_ns, *now_ns + 1000000);
	use_socket(program, thread, *now_ns += CPU_NS, 7 + thread, SOCKET_SENT);
}

/* Two threads that wait for each other, or for one that serves nothing. */
static void serve_after_others(struct program *program, bool each_other)
{
	uint64_t now_ns[2] = {0, 500000};

	for (int32_t i = 0; i < 3; i++)
		program_add_thread(program, 5 + i, 5, i < 2 ? "server" : "other");
	program->has_wakes = true;
	program->socket_uses = xcalloc(4 * VISITS, sizeof(*program->socket_uses));
	for (uint32_t i = 0; i < 2 * VISITS; i++)
		serve_when_woken(program, i % 2, each_other ? 1 - i % 2 : 2, &now_ns[i % 2]);
}

static void waits_of_threads_of_a_pool_for_each_other_are_told(void **state)
{
	(void)state;
	for (int each_other = 0; each_other < 2; each_other++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_after_others(&program, each_other);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.pool_count, 1);
		assert_close(extracted.model.pools[0].unseen_waits, each_other ? .75 : 0, .01);
		program_release(&program);
		release(&extracted);
	}
}

/* Of four connections, three stay with the first thread; or two. */
static void serve_pinned(struct program *program, uint32_t of_first)
{
	uint64_t now_ns[2] = {0, 50000};

	for (int32_t i = 0; i < 2; i++)
		program_add_thread(program, 5 + i, 5, "server");
	program->has_wakes = true;
	program->socket_uses = xcalloc(4 * VISITS, sizeof(*program->socket_uses));
	for (uint32_t i = 0; i < VISITS; i++) {
		uint32_t thread = i % 4 >= of_first;

		wait_until(program, thread, &now_ns[thread], now_ns[thread] + 100000);
		use_socket(program, thread, now_ns[thread] += CPU_NS, 7 + i % 4, SOCKET_RECEIVED);
		wait_until(program, thread, &now_ns[thread], now_ns[thread] + 10000);
		use_socket(program, thread, now_ns[thread] += CPU_NS, 7 + i % 4, SOCKET_SENT);
	}
}

static void connections_that_are_not_shared_out_evenly_are_told(void **state)
{
	(void)state;
	for (uint32_t of_first = 2; of_first < 4; of_first++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		const struct model_pool *pool;
		struct err err;

		serve_pinned(&program, of_first);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.pool_count, 1);
		pool = &extracted.model.pools[0];
		assert_int_equal(pool->dispatch, MODEL_PINNED);
		assert_int_equal(pool->connection_count, of_first == 3 ? 2 : 0);
		if (pool->connection_count) {
			assert_true(pool->connections[0] == 3);
			assert_true(pool->connections[1] == 1);
		}
		program_release(&program);
		release(&extracted);
	}
}

/* A process for each of two clients, which begins when it comes, or long before. */
static void serve_by_processes(struct program *program, uint64_t idle_ns)
{
	program->has_wakes = true;
	program->socket_uses = xcalloc(4 * VISITS, sizeof(*program->socket_uses));
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t born_ns = 5000000 + 1000 * i, now_ns = born_ns + 1000;
		uint32_t thread =
			program_add_thread(program, 5 + (int32_t)i, 5 + (int32_t)i, "server");

		program->threads[thread].forked = true;
		program_add_gap(program, thread,
				(struct program_gap){0, born_ns, now_ns, GAP_READY, 0});
		wait_until(program, thread, &now_ns, now_ns + idle_ns);
		for (uint32_t j = 0; j < VISITS; j++) {
			wait_until(program, thread, &now_ns, now_ns + 100000);
			use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_RECEIVED);
			wait_until(program, thread, &now_ns, now_ns + 50000);
			use_socket(program, thread, now_ns += CPU_NS, 7 + i, SOCKET_SENT);
		}
	}
}

static void processes_that_begin_with_their_clients_are_forked_for_them(void **state)
{
	(void)state;
	for (int early = 0; early < 2; early++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_by_processes(&program, early ? 500000000 : 1000000);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < extracted.model.pool_count; i++) {
			assert_int_equal(extracted.model.pools[i].dispatch, MODEL_CONNECTION);
			assert_int_equal(extracted.model.pools[i].forks, !early);
		}
		assert_true(extracted.model.pool_count > 0);
		program_release(&program);
		release(&extracted);
	}
}

/* It has two requests at a time, whose answers it waits for. */
static void event_loops_have_no_model(void **state)
{
	struct extracted extracted = {.place = NULL};
	struct program program = {.socket_uses = xcalloc(VISITS, sizeof(struct socket_use))};
	uint32_t thread = program_add_thread(&program, 5, 5, "server");
	uint64_t now_ns = 0;
	struct err err;

	(void)state;
	program.has_wakes = true;
	while (program.socket_use_count < VISITS) {
		wait_until(&program, thread, &now_ns, now_ns + 20000);
		use_socket(&program, thread, now_ns += CPU_NS, 7, SOCKET_RECEIVED);
		use_socket(&program, thread, now_ns += CPU_NS, 8, SOCKET_RECEIVED);
		wait_until(&program, thread, &now_ns, now_ns + 20000);
		use_socket(&program, thread, now_ns += CPU_NS, 7, SOCKET_SENT);
		use_socket(&program, thread, now_ns += CPU_NS, 8, SOCKET_SENT);
	}
	assert_int_equal(model_extract(&extracted.model, &extracted.findings, &program, NULL, &err),
			 0);
	assert_non_null(extracted.findings.reason);
	assert_non_null(strstr(extracted.findings.reason, "event loops"));
	program_release(&program);
	release(&extracted);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(event_loops_have_no_model),
	cmocka_unit_test(a_thread_is_occupied_for_longer_than_a_request_takes),
	cmocka_unit_test(waits_of_threads_of_a_pool_for_each_other_are_told),
	cmocka_unit_test(connections_that_are_not_shared_out_evenly_are_told),
	cmocka_unit_test(processes_that_begin_with_their_clients_are_forked_for_them),
	cmocka_unit_test(connections_of_one_request_are_of_clients_where_these_wait),
	cmocka_unit_test(a_lock_that_nothing_waits_for_is_no_station),
	cmocka_unit_test(locks_are_called_by_their_places),
	cmocka_unit_test(waits_for_a_token_are_in_no_visit),
	cmocka_unit_test(an_open_server_is_extracted_whatever_ends_its_recording),
	cmocka_unit_test(threads_that_wait_for_answers_are_clients),
	cmocka_unit_test(a_request_that_is_handed_over_is_one),
	cmocka_unit_test(threads_that_wait_for_each_other_have_no_other_programs),
	cmocka_unit_test(threads_may_have_any_name),
	cmocka_unit_test(work_in_a_queue_is_a_batch_of_items),
	cmocka_unit_test(work_without_a_queue_is_given_out_in_its_pieces),
	cmocka_unit_test(work_without_a_queue_has_the_locks_that_are_held_for_long),
	cmocka_unit_test(each_pool_has_its_queue_whatever_the_locks_are),
	cmocka_unit_test(a_semaphore_lets_in_as_many_as_it_has_tokens),
	cmocka_unit_test(clients_are_answered_by_a_pool_that_they_did_not_ask),
	cmocka_unit_test(without_calls_it_is_said_what_to_record),
};

TEST_FILE(tests);
