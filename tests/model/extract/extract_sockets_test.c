/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of servers that get requests through sockets, from drawn programs. */
#include "model/extract/extract.h"
#include "model/simulate/model_run.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "model/extract/extracted.h"
#include "model/file/model.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

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
 * A thread answers requests in 4 ms, each on a connection of its own. A request comes when the one
 * before has its answer, or at a time of its own. Then the thread waits for another one that never comes.
 */
static void serve_connections(struct program *program, bool closed, uint64_t idle_ns)
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
	if (idle_ns)
		wait_until(program, thread, &now_ns, now_ns + idle_ns);
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

static void connections_of_one_request_are_of_clients_if_these_wait(void **state)
{
	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_connections(&program, closed, 0);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.source_count, 1);
		assert_int_equal(extracted.model.sources[0].kind,
				 closed ? MODEL_CLOSED : MODEL_OPEN);
		assert_int_equal(extracted.model.pool_count, 1);
		assert_close(mean_of(&extracted.model.pools[0], MODEL_WAIT), .004, .01);
		program_release(&program);
		extracted_release(&extracted);
	}
}

static void cpu_time_of_other_programs_is_reported(void **state)
{
	(void)state;
	for (uint64_t others = 0; others < 2; others++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_connections(&program, true, 0);
		program.has_wakes = true;
		program.cores = 2;
		program.wall_ns = program.threads[0].steps[program.threads[0].count - 1].exit_ns;
		program.others_ns = program.wall_ns / (others ? 2 : 6);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(has_doubt(&extracted.findings,
					   "Other programs, maybe clients, used 0.5 of 2 CPUs"),
				 others);
		program_release(&program);
		extracted_release(&extracted);
	}
}

/* Data arrives, or the end of the connection is read. */
static void add_event(struct program *program, uint32_t thread, uint64_t at_ns, uint64_t socket,
		      enum socket_event event)
{
	program->socket_uses[program->socket_use_count++] = (struct socket_use){
		.time_ns = at_ns, .socket = socket, .thread = thread, .count = 0, .event = event};
}

enum { CONNECTIONS = 8 };

/* Returns the connection that asks next. */
static size_t next_asker(const uint64_t asks_ns[CONNECTIONS])
{
	size_t first = 0;

	for (size_t i = 1; i < CONNECTIONS; i++)
		if (asks_ns[i] < asks_ns[first])
			first = i;
	return first;
}

static int by_time(const void *a, const void *b)
{
	const struct socket_use *x = a, *y = b;

	return compare_values(x->time_ns, y->time_ns);
}

/*
 * A thread answers requests one after the other, in 1 ms to 7.6 ms. Each connection asks after it
 * has thought, and those with longer requests think less; or a free one asks at each time of a
 * schedule.
 */
static void serve_connection_pool(struct program *program, bool closed)
{
	uint32_t thread = program_add_thread(program, 5, 5, "server"), seed = 1;
	uint64_t asks_ns[CONNECTIONS], now_ns = 0, scheduled_ns = 0;

	program->socket_uses = xcalloc(3 * CONNECTIONS * VISITS, sizeof(*program->socket_uses));
	for (size_t i = 0; i < CONNECTIONS; i++)
		asks_ns[i] = scheduled_ns += 1000000;
	for (size_t i = 0; i < CONNECTIONS * VISITS; i++) {
		size_t at = next_asker(asks_ns);

		add_event(program, PROGRAM_NONE, asks_ns[at], 7 + at, SOCKET_READY);
		wait_until(program, thread, &now_ns,
			   asks_ns[at] > now_ns + 20000 ? asks_ns[at] : now_ns + 20000);
		use_socket(program, thread, now_ns += CPU_NS, 7 + at, SOCKET_RECEIVED);
		seed = seed * 1103515245 + 12345;
		wait_until(program, thread, &now_ns,
			   now_ns + 1000000 + (seed >> 16) * 100 + (closed ? at * 1000000 : 0));
		use_socket(program, thread, now_ns += CPU_NS, 7 + at, SOCKET_SENT);
		seed = seed * 1103515245 + 12345;
		scheduled_ns += (seed >> 16) * 200;
		asks_ns[at] = closed ? now_ns + (seed >> 16) * 400 + (CONNECTIONS - at) * 20000000
			      : scheduled_ns > now_ns + 100000 ? scheduled_ns
							       : now_ns + 100000;
	}
	qsort(program->socket_uses, program->socket_use_count, sizeof(*program->socket_uses),
	      by_time);
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

static void a_rate_over_a_pool_of_connections_is_no_closed_source(void **state)
{
	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_connection_pool(&program, closed);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.source_count, 1);
		assert_false(extracted.findings.arrivals.undecided);
		assert_int_equal(extracted.model.sources[0].kind,
				 closed ? MODEL_CLOSED : MODEL_OPEN);
		if (closed)
			assert_int_equal(extracted.model.sources[0].clients, CONNECTIONS);
		else
			assert_close(extracted.model.sources[0].rate, 1 / .0065535, .02);
		program_release(&program);
		extracted_release(&extracted);
	}
}

static void a_server_may_be_killed_after_an_idle_minute(void **state)
{
	struct extracted extracted = {.place = NULL};
	struct program program = {.threads = NULL};
	struct err err;

	(void)state;
	serve_connections(&program, false, 60000000000);
	if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(extracted.model.pools[0].visit_count, VISITS);
	assert_close(mean_of(&extracted.model.pools[0], MODEL_WAIT), .004, .01);
	program_release(&program);
	extracted_release(&extracted);
}

/*
 * A request arrives .3 ms before the thread has a CPU: another thread hands it over, and wakes the
 * thread .1 ms before. The thread answers after 4 ms, and waits 1 ms for the end of the connection.
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

/* ... by the time before the request is read, and after its answer. */
static void a_thread_is_occupied_for_longer_than_a_request_takes(void **state)
{
	struct extracted extracted = {.place = NULL};
	struct program program = {.threads = NULL};
	const struct model_run_request request = {.seed = 1, .requests_most = 3000};
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
	extracted_release(&extracted);
}

/* A visit of 4 ms, in which the thread waits 3 ms until `waker` wakes it. */
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

/* Two threads that wait for each other, or for a thread that serves no requests. */
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

static void waits_of_threads_of_a_pool_for_each_other_are_reported(void **state)
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
		extracted_release(&extracted);
	}
}

/* Three of four connections stay with the first thread; or two of them. The begin of one is
 * unknown. */
static void serve_pinned(struct program *program, uint32_t of_first)
{
	uint64_t now_ns[2] = {0, 50000};

	for (int32_t i = 0; i < 2; i++)
		program_add_thread(program, 5 + i, 5, "server");
	program->threads[0].start = 1;
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

static void an_uneven_share_of_connections_is_reported(void **state)
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
		assert_int_equal(pool->threads, 2);
		assert_false(has_doubt(&extracted.findings, "threads in no pool"));
		assert_int_equal(pool->connection_count, of_first == 3 ? 2 : 0);
		if (pool->connection_count) {
			assert_true(pool->connections[0] == 3);
			assert_true(pool->connections[1] == 1);
		}
		program_release(&program);
		extracted_release(&extracted);
	}
}

/* A visit of 1 ms contains a wait of .4 ms: for a device in the first so many visits, and else for
 * a thread. */
static void serve_from_device(struct extracted *extracted, uint32_t from_device)
{
	struct program program = {.socket_uses = xcalloc(2 * VISITS, sizeof(struct socket_use))};
	uint32_t thread = program_add_thread(&program, 5, 5, "server");
	uint64_t now_ns = 0;
	struct step *step;
	struct err err;

	program.has_wakes = true;
	for (uint32_t i = 0; i < VISITS; i++) {
		wait_until(&program, thread, &now_ns, now_ns + 2000000);
		use_socket(&program, thread, now_ns += CPU_NS, 7 + i % 4, SOCKET_RECEIVED);
		wait_until(&program, thread, &now_ns, now_ns + 600000);
		wait_until(&program, thread, &now_ns, now_ns + 400000);
		step = &program.threads[thread].steps[program.threads[thread].count - 1];
		if (i < from_device)
			step->run_op = step_run_op(CPU_NS, STEP_DEVICE);
		use_socket(&program, thread, now_ns += CPU_NS, 7 + i % 4, SOCKET_SENT);
	}
	if (model_extract(&extracted->model, &extracted->findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	program_release(&program);
}

static void waits_for_devices_of_one_thread_keep_their_length_and_are_reported(void **state)
{
	struct extracted extracted = {.place = NULL};

	(void)state;
	serve_from_device(&extracted, VISITS);
	assert_close(mean_of(&extracted.model.pools[0], MODEL_WAIT), .001, .01);
	assert_true(has_doubt(&extracted.findings,
			      "40 % of the time of visits are waits for devices, of one thread at "
			      "a time. They keep their length at any load"));
	assert_false(has_doubt(&extracted.findings, "a cache"));
	extracted_release(&extracted);
}

static void a_cache_that_is_being_filled_is_reported(void **state)
{
	struct extracted extracted = {.place = NULL};

	(void)state;
	serve_from_device(&extracted, VISITS * 3 / 4);
	assert_true(has_doubt(&extracted.findings,
			      "0 % of the visits of server waited for no device in the first half "
			      "of the recording, and 50 % in the second: a cache"));
	extracted_release(&extracted);
}

/* A process for each of two clients, which begins when the client comes, or long before. */
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
		extracted_release(&extracted);
	}
}

/* Two threads each have a lock while they serve, and at each request the other lock; one waits for
 * it. */
static void serve_with_locks(struct program *program, bool waits)
{
	uint64_t now_ns[2] = {0, 1000};

	for (int32_t i = 0; i < 2; i++)
		program_add_thread(program, 5 + i, 5, "server");
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t site = program_add_site(program, SITE_LOCK);

		program->sites[site].name = xstrdup("lock");
	}
	program->has_wakes = true;
	program->socket_uses = xcalloc(4 * VISITS, sizeof(*program->socket_uses));
	for (uint32_t i = 0; i < VISITS; i++) {
		uint32_t thread = i % 2, lock = (thread + i / 2) % 2;

		wait_until(program, thread, &now_ns[thread], now_ns[thread] + 40000);
		use_socket(program, thread, now_ns[thread] += CPU_NS, 7 + i, SOCKET_RECEIVED);
		if (waits && i % 8 < 4) {
			wait_until(program, thread, &now_ns[thread], now_ns[thread] + 5000);
			program->gaps[thread].items[program->gaps[thread].count - 1].kind =
				GAP_EDGE;
			program->threads[thread].steps[program->threads[thread].count - 1].run_op =
				step_run_op(CPU_NS, STEP_LOCK);
		} else {
			program_add_step(program, thread, CPU_NS, STEP_LOCK);
			now_ns[thread] += CPU_NS;
		}
		program->threads[thread].steps[program->threads[thread].count - 1].site = lock;
		wait_until(program, thread, &now_ns[thread], now_ns[thread] + 100000);
		program_add_step(program, thread, CPU_NS, STEP_UNLOCK)->site = lock;
		use_socket(program, thread, now_ns[thread] += 2 * CPU_NS, 7 + i, SOCKET_SENT);
	}
}

static void locks_of_connections_are_no_stations(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		struct err err;

		serve_with_locks(&program, waits);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.pool_count, 1);
		assert_int_equal(count_stations(&extracted.model, MODEL_LOCK), waits ? 2 : 0);
		assert_int_equal(extracted.findings.idle_locks, waits ? 0 : 2);
		program_release(&program);
		extracted_release(&extracted);
	}
}

enum { CLIENTS = 4, THINK_NS = 30000 };

/*
 * A thread answers clients, in 3 to 60 us. Each client thinks for 30 us: from its answer on, or
 * when one thread has thought for all clients before it.
 */
static void serve_clients(struct program *program, bool one_thread)
{
	uint64_t next_ns[CLIENTS] = {10000, 20000, 30000, 40000}, now_ns = 0, thought_ns = 0;
	uint32_t thread = program_add_thread(program, 5, 5, "server"), seed = 1;

	program->has_wakes = true;
	program->socket_uses = xcalloc(3 * VISITS, sizeof(*program->socket_uses));
	for (uint32_t i = 0; i < VISITS; i++) {
		uint32_t client = 0;

		for (uint32_t j = 1; j < CLIENTS; j++)
			client = next_ns[j] < next_ns[client] ? j : client;
		add_event(program, PROGRAM_NONE, next_ns[client], 7 + client, SOCKET_READY);
		wait_until(program, thread, &now_ns,
			   next_ns[client] > now_ns + CPU_NS ? next_ns[client] : now_ns + CPU_NS);
		use_socket(program, thread, now_ns += CPU_NS, 7 + client, SOCKET_RECEIVED);
		seed = seed * 1103515245 + 12345;
		wait_until(program, thread, &now_ns, now_ns + 3000 + (seed >> 16) % 57000);
		use_socket(program, thread, now_ns += CPU_NS, 7 + client, SOCKET_SENT);
		thought_ns = (one_thread && thought_ns > now_ns ? thought_ns : now_ns) + THINK_NS;
		next_ns[client] = thought_ns;
	}
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

static void clients_of_one_thread_think_one_after_the_other(void **state)
{
	(void)state;
	for (uint32_t one_thread = 0; one_thread < 2; one_thread++) {
		struct extracted extracted = {.place = NULL};
		struct program program = {.threads = NULL};
		const struct model_source *source;
		struct err err;

		serve_clients(&program, one_thread);
		if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
			fail_msg("%s", err.text);
		assert_int_equal(extracted.model.source_count, 1);
		source = &extracted.model.sources[0];
		assert_int_equal(source->kind, MODEL_CLOSED);
		assert_int_equal(source->clients, CLIENTS);
		assert_int_equal(source->threads, one_thread);
		assert_close(source->think.mean, THINK_NS / 1e9, .01);
		program_release(&program);
		extracted_release(&extracted);
	}
}

/* The thread asks another server, which answers after 3 ms, and then works on a file for 1 ms. */
static void serve_with_help(struct program *program)
{
	uint32_t thread = program_add_thread(program, 5, 5, "server");
	uint64_t now_ns = 0;

	program->has_wakes = true;
	program->socket_uses = xcalloc(5 * VISITS, sizeof(*program->socket_uses));
	for (uint64_t i = 0; i < VISITS; i++) {
		add_event(program, PROGRAM_NONE, now_ns + 2000000, 7, SOCKET_READY);
		wait_until(program, thread, &now_ns, now_ns + 2000000);
		use_socket(program, thread, now_ns += CPU_NS, 7, SOCKET_RECEIVED);
		use_socket(program, thread, now_ns += CPU_NS, 9, SOCKET_SENT);
		wait_until(program, thread, &now_ns, now_ns + 3000000);
		use_socket(program, thread, now_ns += CPU_NS, 9, SOCKET_RECEIVED);
		wait_until(program, thread, &now_ns, now_ns + 1000000);
		use_socket(program, thread, now_ns += CPU_NS, 7, SOCKET_SENT);
	}
	program_add_step(program, thread, CPU_NS, STEP_EXIT)->exit_ns = now_ns;
}

/* Mean time of a visit at a station; MODEL_NONE: in waits without a station. */
static double mean_at(const struct model_pool *pool, uint32_t station)
{
	double sum = 0;

	for (size_t i = 0; i < pool->step_count; i++) {
		const struct model_node *node = &pool->nodes[pool->steps[i].node];

		if (node->kind == MODEL_WAIT && node->station == station)
			sum += (double)pool->steps[i].seconds;
	}
	return sum / (double)pool->visit_count;
}

static void calls_of_other_programs_are_a_delay(void **state)
{
	struct extracted extracted = {.place = NULL};
	const struct model *model = &extracted.model;
	const struct model_run_request request = {.seed = 1, .requests_most = 3000};
	struct program program = {.threads = NULL};
	struct model_result result;
	uint32_t calls = 0;
	struct err err;

	(void)state;
	serve_with_help(&program);
	if (model_extract(&extracted.model, &extracted.findings, &program, NULL, &err))
		fail_msg("%s", err.text);
	assert_null(extracted.findings.reason);
	assert_int_equal(count_stations(model, MODEL_DELAY), 1);
	while (model->stations[calls].kind != MODEL_DELAY)
		calls++;
	assert_string_equal(model->stations[calls].name, "calls-server");
	assert_close(mean_at(&model->pools[0], calls), .003, .01);
	assert_close(mean_at(&model->pools[0], MODEL_NONE), .001, .01);
	if (model_run(&result, model, &request, &err))
		fail_msg("%s", err.text);
	/* One call in each request, of 6 ms from one to the next. */
	assert_close(result.stations[calls].arrivals_per_s, 1 / .006, .02);
	assert_close(result.stations[calls].utilisation, .5, .02);
	model_result_release(&result);
	program_release(&program);
	extracted_release(&extracted);
}

/* The thread has two requests at once, and waits for their answers. */
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
	extracted_release(&extracted);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(connections_of_one_request_are_of_clients_if_these_wait),
	cmocka_unit_test(cpu_time_of_other_programs_is_reported),
	cmocka_unit_test(a_rate_over_a_pool_of_connections_is_no_closed_source),
	cmocka_unit_test(a_server_may_be_killed_after_an_idle_minute),
	cmocka_unit_test(a_thread_is_occupied_for_longer_than_a_request_takes),
	cmocka_unit_test(waits_of_threads_of_a_pool_for_each_other_are_reported),
	cmocka_unit_test(an_uneven_share_of_connections_is_reported),
	cmocka_unit_test(waits_for_devices_of_one_thread_keep_their_length_and_are_reported),
	cmocka_unit_test(a_cache_that_is_being_filled_is_reported),
	cmocka_unit_test(processes_that_begin_with_their_clients_are_forked_for_them),
	cmocka_unit_test(locks_of_connections_are_no_stations),
	cmocka_unit_test(clients_of_one_thread_think_one_after_the_other),
	cmocka_unit_test(calls_of_other_programs_are_a_delay),
	cmocka_unit_test(event_loops_have_no_model),
};

TEST_FILE(tests);
