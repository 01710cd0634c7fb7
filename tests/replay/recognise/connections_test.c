/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/recognise/connections.h"

#include "base/alloc.h"
#include "replay/program/program.h"
#include "replay/program/program_gaps.h"
#include "support.h"

#include <stdlib.h>

enum { NET = PROGRAM_NONE, USES_MAX = 32 };

/* A drawing: "ready", "read", "write" of a thread at a socket, one each microsecond. */
struct drawn {
	enum socket_event event;
	uint64_t socket;
	uint32_t thread;
	int32_t count;
};

static struct connections find(const struct drawn *drawn, size_t count)
{
	static struct socket_use uses[USES_MAX];
	const struct program program = {
		.thread_count = 4, .socket_uses = uses, .socket_use_count = count};
	struct connections found;

	assert_in_range(count, 0, USES_MAX);
	for (size_t i = 0; i < count; i++)
		uses[i] = (struct socket_use){.time_ns = 1000 * (i + 1),
					      .socket = drawn[i].socket,
					      .thread = drawn[i].thread,
					      .count = drawn[i].count,
					      .event = drawn[i].event};
	connections_find(&found, &program);
	assert_int_equal(connections_count_turns(&program), found.turn_count);
	return found;
}
#define FIND(...)                                 \
	find((const struct drawn[]){__VA_ARGS__}, \
	     sizeof((const struct drawn[]){__VA_ARGS__}) / sizeof(struct drawn))

#define READY(socket)                          \
	{                                      \
		SOCKET_READY, (socket), NET, 0 \
	}
#define READ(thread, socket)                           \
	{                                              \
		SOCKET_RECEIVED, (socket), (thread), 8 \
	}
#define END(thread, socket)                            \
	{                                              \
		SOCKET_RECEIVED, (socket), (thread), 0 \
	}
#define WRITE(thread, socket)                      \
	{                                          \
		SOCKET_SENT, (socket), (thread), 8 \
	}
#define ESTABLISHED(socket)                                     \
	{                                                       \
		SOCKET_STATE, (socket), NET, SOCKET_ESTABLISHED \
	}
#define OPENING(socket)                                  \
	{                                                \
		SOCKET_STATE, (socket), NET, SOCKET_ASKS \
	}
#define ASSERT_TURN(turn_, ...) assert_turn(&(turn_), &(struct turn){__VA_ARGS__})

static void assert_turn(const struct turn *turn, const struct turn *want)
{
	assert_int_equal(turn->arrival_ns, want->arrival_ns);
	assert_int_equal(turn->begin_ns, want->begin_ns);
	assert_int_equal(turn->end_ns, want->end_ns);
	assert_int_equal(turn->connection, want->connection);
	assert_int_equal(turn->thread, want->thread);
	assert_int_equal(turn->answered, want->answered);
	assert_int_equal(turn->first_use, want->first_use);
	assert_int_equal(turn->last_use, want->last_use);
	assert_int_equal(turn->end_use, want->end_use);
}

static void a_turn_goes_from_the_first_read_to_the_last_write(void **state)
{
	struct connections found = FIND(READY(7), READY(7), READ(0, 7), READ(0, 7), WRITE(0, 7),
					WRITE(0, 7), READY(7), READ(0, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 2);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.most, 1);
	ASSERT_TURN(found.turns[0], 1000, 3000, 6000, 0, 0, 0, 2, 5, NET);
	ASSERT_TURN(found.turns[1], 7000, 8000, 9000, 0, 0, 0, 7, 8, NET);
	connections_release(&found);
}

static void a_request_that_is_read_at_once_arrives_at_that_time(void **state)
{
	struct connections found = FIND(READ(0, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 1);
	assert_int_equal(found.turns[0].arrival_ns, 1000);
	connections_release(&found);
}

static void threads_that_read_one_socket_have_turns_of_their_own(void **state)
{
	struct connections found = FIND(READY(7), READ(0, 7), READ(1, 7), WRITE(1, 7), READ(1, 7),
					WRITE(0, 7), WRITE(1, 7));

	(void)state;
	assert_int_equal(found.turn_count, 3);
	assert_int_equal(found.pipelined, 2);
	assert_int_equal(found.most, 2);
	ASSERT_TURN(found.turns[0], 1000, 2000, 6000, 0, 0, 0, 1, 5, NET);
	ASSERT_TURN(found.turns[1], 1000, 3000, 4000, 0, 1, 1, 2, 3, NET);
	ASSERT_TURN(found.turns[2], 1000, 5000, 7000, 0, 1, 1, 4, 6, NET);
	connections_release(&found);
}

static void a_thread_that_only_writes_answers_the_oldest_turn(void **state)
{
	struct connections found =
		FIND(READ(0, 7), READ(0, 8), WRITE(2, 7), WRITE(3, 8), READ(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 2);
	assert_int_equal(found.handed_over, 2);
	assert_int_equal(found.unanswered, 1);
	assert_int_equal(found.count, 2);
	ASSERT_TURN(found.turns[0], 1000, 1000, 3000, 0, 0, 2, 0, 2, NET);
	ASSERT_TURN(found.turns[1], 2000, 2000, 4000, 1, 0, 3, 1, 3, NET);
	connections_release(&found);
}

/* A thread that has several requests at once; another thread answers those of the second
 * connection. */
static void an_event_loop_reads_before_it_answers(void **state)
{
	struct connections loop = FIND(READ(0, 7), READ(0, 8), READ(0, 9), WRITE(0, 7), WRITE(0, 8),
				       WRITE(0, 9)),
			   reader = FIND(READ(0, 7), READ(0, 8), WRITE(1, 7), WRITE(2, 8));

	(void)state;
	assert_int_equal(loop.overlapping, 2);
	assert_int_equal(reader.overlapping, 0);
	connections_release(&loop);
	connections_release(&reader);
}

static void a_program_that_asks_other_programs_is_their_client(void **state)
{
	struct connections between =
		FIND(READ(0, 7), WRITE(0, 9), READ(0, 9), WRITE(0, 7), READ(0, 7));

	(void)state;
	assert_int_equal(between.turn_count, 1);
	assert_int_equal(between.asked, 1);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(between.asks[i], i == 1 || i == 2);
	ASSERT_TURN(between.turns[0], 1000, 1000, 4000, 0, 0, 0, 0, 3, NET);
	connections_release(&between);
}

static void the_side_that_opens_a_connection_is_the_client(void **state)
{
	struct connections found =
		FIND(OPENING(9), ESTABLISHED(9), ESTABLISHED(7), WRITE(1, 9), READ(0, 7),
		     WRITE(0, 7), READ(1, 9), WRITE(1, 9), READ(0, 7), WRITE(0, 7), READ(1, 9));

	(void)state;
	assert_int_equal(found.asked, 1);
	assert_int_equal(found.turn_count, 2);
	assert_int_equal(found.turns[0].thread, 0);
	assert_int_equal(found.turns[1].thread, 0);
	connections_release(&found);
	/* A connection that is opened later may have the same address. */
	found = FIND(OPENING(9), ESTABLISHED(9), WRITE(1, 9), READ(1, 9), ESTABLISHED(9),
		     READ(0, 9), WRITE(0, 9));
	assert_int_equal(found.turn_count, 1);
	connections_release(&found);
}

/* The recording of a running server may begin between a request and its answer. */
static void a_first_write_of_a_running_server_is_an_answer(void **state)
{
	struct connections found =
		FIND(WRITE(0, 7), READ(0, 7), WRITE(0, 7), READ(0, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 2);
	assert_int_equal(found.asked, 0);
	connections_release(&found);
}

static void a_new_connection_at_an_old_address_has_nothing_of_the_old_one(void **state)
{
	struct connections found = FIND(READ(0, 7), ESTABLISHED(7), READ(0, 7), WRITE(0, 7),
					READ(0, 7), END(0, 7), READ(0, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 2);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.unanswered, 2);
	ASSERT_TURN(found.turns[0], 3000, 3000, 4000, 1, 0, 0, 2, 3, NET);
	ASSERT_TURN(found.turns[1], 7000, 7000, 8000, 1, 0, 0, 6, 7, NET);
	connections_release(&found);
}

/* ... unless the thread has had an event at another connection meanwhile. */
static void a_thread_waits_for_the_end_of_the_connection_that_it_answered(void **state)
{
	struct connections waits = FIND(READ(0, 7), WRITE(0, 7), END(0, 7)),
			   goes_on = FIND(READ(0, 7), WRITE(0, 7), READ(0, 8), END(0, 7),
					  WRITE(0, 8)),
			   other = FIND(READ(0, 7), WRITE(0, 7), END(1, 7));

	(void)state;
	ASSERT_TURN(waits.turns[0], 1000, 1000, 2000, 0, 0, 0, 0, 1, 2);
	ASSERT_TURN(goes_on.turns[0], 1000, 1000, 2000, 0, 0, 0, 0, 1, NET);
	ASSERT_TURN(other.turns[0], 1000, 1000, 2000, 0, 0, 0, 0, 1, NET);
	connections_release(&waits);
	connections_release(&goes_on);
	connections_release(&other);
}

/* Each arrival of data is a request, even if three come before the first is read. */
static void requests_in_a_row_arrive_one_by_one(void **state)
{
	struct connections found = FIND(READY(7), READY(7), READY(7), READ(0, 7), READ(1, 7),
					WRITE(0, 7), READ(0, 7), WRITE(1, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 3);
	ASSERT_TURN(found.turns[0], 1000, 4000, 6000, 0, 0, 0, 3, 5, NET);
	ASSERT_TURN(found.turns[1], 2000, 5000, 8000, 0, 1, 1, 4, 7, NET);
	ASSERT_TURN(found.turns[2], 3000, 7000, 9000, 0, 0, 0, 6, 8, NET);
	connections_release(&found);
}

/* A write is recorded at its end, when the next request may already have arrived. */
static void a_client_that_mostly_waits_for_answers_always_does(void **state)
{
	struct connections found =
		FIND(READY(7), READ(0, 7), WRITE(0, 7), READY(7), READ(0, 7), READY(7), WRITE(0, 7),
		     READ(0, 7), WRITE(0, 7), READY(7), READ(0, 7), WRITE(0, 7));

	(void)state;
	assert_int_equal(found.turn_count, 4);
	ASSERT_TURN(found.turns[1], 4000, 5000, 7000, 0, 0, 0, 4, 6, NET);
	ASSERT_TURN(found.turns[2], 7001, 8000, 9000, 0, 0, 0, 7, 8, NET);
	connections_release(&found);
}

#define TURN(thread, socket)  READ(thread, socket), WRITE(thread, socket)
#define TURNS(thread, socket) TURN(thread, socket), TURN(thread, socket), TURN(thread, socket)

static void assert_threads(struct connections found, enum connection_threads want)
{
	assert_int_equal(found.threads, want);
	connections_release(&found);
}

static void connections_belong_to_one_thread_or_to_any(void **state)
{
	(void)state;
	assert_threads(FIND(TURNS(0, 7), TURNS(1, 8)), CONNECTION_OWN);
	assert_threads(FIND(TURNS(0, 7), TURNS(0, 8)), CONNECTION_OWN);
	assert_threads(FIND(TURN(0, 7), TURNS(0, 8), TURNS(1, 9), TURN(0, 7), TURN(0, 7)),
		       CONNECTION_ONE);
	assert_threads(FIND(TURN(0, 7), TURN(1, 7), TURN(0, 7), TURNS(1, 8)), CONNECTION_ANY);
	assert_threads(FIND(TURN(0, 7), TURN(1, 8), TURN(2, 9)), CONNECTION_ANY);
	assert_threads(FIND(TURNS(0, 7)), CONNECTION_ANY);
}

/* --- As a queue ------------------------------------------------------------------------------ */

static void add_use(struct program *program, uint32_t thread, enum socket_event event)
{
	program_add_step(program, thread, 100, STEP_SOCKET)->socket =
		(uint32_t)program->socket_use_count;
	program->socket_uses[program->socket_use_count] =
		(struct socket_use){.time_ns = 1000 * (program->socket_use_count + 1),
				    .socket = 7,
				    .thread = thread,
				    .count = 8,
				    .event = event};
	program->socket_use_count++;
}

static void assert_steps(const struct program_thread *thread, const enum step_op *ops, size_t count)
{
	assert_int_equal(thread->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(step_op(&thread->steps[i]), ops[i]);
}

static void a_server_takes_requests_and_gives_answers(void **state)
{
	static const enum step_op server[] = {STEP_TAKE, STEP_SOCKET, STEP_SLEEP, STEP_GIVE,
					      STEP_TAKE, STEP_SOCKET, STEP_GIVE},
				  client[] = {STEP_SLEEP, STEP_GIVE, STEP_TAKE, STEP_SLEEP,
					      STEP_GIVE,  STEP_TAKE, STEP_EXIT};
	struct program program = {.socket_uses = xcalloc(4, sizeof(struct socket_use))};
	struct connections found;
	struct step_times times;
	uint32_t thread = program_add_thread(&program, 5, 5, "server");

	(void)state;
	program_add_gap(&program, thread, (struct program_gap){100, 100, 900, GAP_PAUSE, 0});
	program_add_gap(&program, thread, (struct program_gap){200, 1100, 1800, GAP_PAUSE, 0});
	program_add_gap(&program, thread, (struct program_gap){300, 1900, 2900, GAP_PAUSE, 0});
	program_add_step(&program, thread, 100, STEP_EXTERNAL)->pause = step_pause(800, 0);
	add_use(&program, thread, SOCKET_RECEIVED);
	program_add_step(&program, thread, 0, STEP_SLEEP)->pause = step_pause(700, 0);
	add_use(&program, thread, SOCKET_SENT);
	program_add_step(&program, thread, 0, STEP_EXTERNAL)->pause = step_pause(800, 0);
	add_use(&program, thread, SOCKET_RECEIVED);
	add_use(&program, thread, SOCKET_SENT);
	connections_find(&found, &program);
	assert_int_equal(connections_apply(&program, &found), 0);
	assert_int_equal(program.site_count, 2);
	assert_int_equal(program.thread_count, 2);
	assert_steps(&program.threads[0], server, sizeof(server) / sizeof(*server));
	assert_steps(&program.threads[1], client, sizeof(client) / sizeof(*client));
	assert_int_equal(program.threads[0].steps[0].site, program.threads[1].steps[1].site);
	assert_int_equal(program.threads[0].steps[4].count, 1); /* the second token */
	/* The wait for the second request has the length of the wait for data. */
	times = (struct step_times){.gaps = &program.gaps[0]};
	for (uint32_t i = 0; i < 5; i++)
		step_times_next(&times, &program.threads[0], i);
	assert_int_equal(times.begin_ns, 1900);
	assert_int_equal(times.end_ns, 2900);
	/* The client has the time of its request, and the times of the answers. */
	times = (struct step_times){.gaps = &program.gaps[1]};
	for (uint32_t i = 0; i < 3; i++)
		step_times_next(&times, &program.threads[1], i);
	assert_int_equal(times.begin_ns, 1000);
	assert_int_equal(times.end_ns, 2000);
	connections_release(&found);
	program_release(&program);
}

/* As in nbdkit: a thread waits for the lock, and then for data, while it has no request. */
static void a_lock_within_which_threads_read_is_part_of_the_wait(void **state)
{
	static const enum step_op server[] = {STEP_NONE, STEP_TAKE,   STEP_SOCKET, STEP_NONE,
					      STEP_LOCK, STEP_UNLOCK, STEP_GIVE};
	struct program program = {.socket_uses = xcalloc(2, sizeof(struct socket_use))};
	struct connections found;
	uint32_t thread = program_add_thread(&program, 5, 5, "server");

	(void)state;
	program_add_gap(&program, thread, (struct program_gap){0, 0, 1, GAP_EDGE, 0});
	program_add_site(&program, SITE_LOCK);
	program_add_step(&program, thread, 10, STEP_LOCK);
	program_add_step(&program, thread, 10, STEP_EXTERNAL);
	add_use(&program, thread, SOCKET_RECEIVED);
	program_add_step(&program, thread, 10, STEP_UNLOCK);
	program_add_step(&program, thread, 10, STEP_LOCK);
	program_add_step(&program, thread, 10, STEP_UNLOCK);
	add_use(&program, thread, SOCKET_SENT);
	connections_find(&found, &program);
	assert_int_equal(connections_apply(&program, &found), 1);
	assert_steps(&program.threads[0], server, sizeof(server) / sizeof(*server));
	connections_release(&found);
	program_release(&program);
}

/*
 * A server of short connections also waits for their ends while it has no request. Its visit begins
 * after the last wait, with any CPU time between waits.
 */
static void all_waits_without_a_request_are_one_wait(void **state)
{
	static const enum step_op server[] = {STEP_TAKE, STEP_SOCKET, STEP_GIVE, STEP_NONE,
					      STEP_TAKE, STEP_SOCKET, STEP_GIVE};
	struct program program = {.socket_uses = xcalloc(4, sizeof(struct socket_use))};
	struct step_times times;
	struct connections found;
	uint32_t thread = program_add_thread(&program, 5, 5, "server");

	(void)state;
	program_add_gap(&program, thread, (struct program_gap){10, 10, 500, GAP_PAUSE, 0});
	program_add_step(&program, thread, 10, STEP_EXTERNAL)->pause = step_pause(490, 0);
	add_use(&program, thread, SOCKET_RECEIVED);
	add_use(&program, thread, SOCKET_SENT);
	program_add_gap(&program, thread, (struct program_gap){220, 710, 800, GAP_PAUSE, 0});
	program_add_step(&program, thread, 10, STEP_EXTERNAL)->pause = step_pause(90, 0);
	program_add_gap(&program, thread,
			(struct program_gap){100220, 100800, 900000, GAP_PAUSE, 0});
	program_add_step(&program, thread, 100000, STEP_EXTERNAL)->pause = step_pause(799200, 0);
	add_use(&program, thread, SOCKET_RECEIVED);
	add_use(&program, thread, SOCKET_SENT);
	connections_find(&found, &program);
	assert_int_equal(connections_apply(&program, &found), 0);
	assert_steps(&program.threads[0], server, sizeof(server) / sizeof(*server));
	times = (struct step_times){.gaps = &program.gaps[0]};
	for (uint32_t i = 0; i < 5; i++)
		step_times_next(&times, &program.threads[0], i);
	assert_int_equal(times.begin_ns, 100710);
	assert_int_equal(times.end_ns, 900000);
	connections_release(&found);
	program_release(&program);
}

/* As in apache: one thread accepts connections, and hands them over through a queue. */
static void a_connection_that_is_handed_over_is_no_request(void **state)
{
	static const enum step_op server[] = {STEP_NONE,   STEP_TAKE, STEP_NONE,
					      STEP_SOCKET, STEP_GIVE, STEP_NONE};
	struct program program = {.socket_uses = xcalloc(2, sizeof(struct socket_use))};
	struct connections found;
	uint32_t thread = program_add_thread(&program, 5, 5, "server");
	uint32_t mutex = program_add_site(&program, SITE_LOCK);
	uint32_t queue = program_add_site(&program, SITE_TOKENS);

	(void)state;
	program_add_step(&program, thread, 10, STEP_TAKE)->site = queue;
	program_add_gap(&program, thread, (struct program_gap){30, 30, 900, GAP_EDGE, 0});
	program_add_step(&program, thread, 10, STEP_LOCK)->site = mutex;
	program_add_step(&program, thread, 20, STEP_UNLOCK)->site = mutex;
	add_use(&program, thread, SOCKET_RECEIVED);
	add_use(&program, thread, SOCKET_SENT);
	program_add_step(&program, thread, 10, STEP_TAKE)->site = queue;
	connections_find(&found, &program);
	assert_int_equal(connections_apply(&program, &found), 2);
	assert_steps(&program.threads[0], server, sizeof(server) / sizeof(*server));
	connections_release(&found);
	program_release(&program);
}

/* ... and waits for a free thread before it accepts the next connection: items in that queue are no
 * requests. */
static void a_thread_that_accepts_connections_takes_no_requests(void **state)
{
	static const enum step_op hands_over[] = {STEP_NONE, STEP_GIVE},
				  only_takes[] = {STEP_TAKE, STEP_GIVE};

	(void)state;
	for (int hands = 0; hands < 2; hands++) {
		struct program program = {.socket_uses = xcalloc(2, sizeof(struct socket_use))};
		struct connections found;
		uint32_t server = program_add_thread(&program, 5, 5, "server");
		uint32_t other = program_add_thread(&program, 6, 5, "other");
		uint32_t queue = program_add_site(&program, SITE_TOKENS);
		uint32_t idle = program_add_site(&program, SITE_TOKENS);

		program_add_step(&program, other, 10, STEP_TAKE)->site = idle;
		program_add_step(&program, other, 10, STEP_GIVE)->site = hands ? queue : idle;
		program_add_gap(&program, server, (struct program_gap){10, 10, 900, GAP_EDGE, 0});
		program_add_step(&program, server, 10, STEP_TAKE)->site = queue;
		add_use(&program, server, SOCKET_RECEIVED);
		add_use(&program, server, SOCKET_SENT);
		program_add_step(&program, server, 10, STEP_GIVE)->site = idle;
		connections_find(&found, &program);
		assert_int_equal(connections_apply(&program, &found), 2);
		assert_steps(&program.threads[other], hands ? hands_over : only_takes, 2);
		assert_int_equal(program.threads[other].steps[1].site, hands ? queue : idle);
		connections_release(&found);
		program_release(&program);
	}
}

/* Waits without CPU time between them: reading each one once is fast, reading all for each takes
 * minutes. */
static void many_waits_in_a_row_are_one_wait_for_a_request(void **state)
{
	enum { WAITS = 300000 };
	struct program program = {.socket_uses = xcalloc(2, sizeof(struct socket_use))};
	struct connections found;
	uint32_t thread = program_add_thread(&program, 5, 5, "server");

	(void)state;
	for (size_t i = 0; i < WAITS; i++) {
		program_add_gap(&program, thread, (struct program_gap){0, i, i + 1, GAP_PAUSE, 0});
		program_add_step(&program, thread, 0, STEP_EXTERNAL)->pause = step_pause(1, 0);
	}
	add_use(&program, thread, SOCKET_RECEIVED);
	add_use(&program, thread, SOCKET_SENT);
	connections_find(&found, &program);
	assert_int_equal(connections_apply(&program, &found), 0);
	assert_int_equal(step_op(&program.threads[0].steps[WAITS - 1]), STEP_TAKE);
	for (size_t i = 0; i < WAITS; i++)
		assert_int_equal(program.gaps[0].items[i].kind, GAP_EDGE);
	connections_release(&found);
	program_release(&program);
}

static void a_program_without_events_has_no_connections(void **state)
{
	struct connections found;

	(void)state;
	connections_find(&found, &(struct program){0});
	assert_int_equal(found.turn_count, 0);
	assert_int_equal(found.count, 0);
	connections_release(&found);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_turn_goes_from_the_first_read_to_the_last_write),
	cmocka_unit_test(a_request_that_is_read_at_once_arrives_at_that_time),
	cmocka_unit_test(threads_that_read_one_socket_have_turns_of_their_own),
	cmocka_unit_test(a_thread_that_only_writes_answers_the_oldest_turn),
	cmocka_unit_test(an_event_loop_reads_before_it_answers),
	cmocka_unit_test(a_program_that_asks_other_programs_is_their_client),
	cmocka_unit_test(the_side_that_opens_a_connection_is_the_client),
	cmocka_unit_test(a_first_write_of_a_running_server_is_an_answer),
	cmocka_unit_test(a_new_connection_at_an_old_address_has_nothing_of_the_old_one),
	cmocka_unit_test(requests_in_a_row_arrive_one_by_one),
	cmocka_unit_test(a_client_that_mostly_waits_for_answers_always_does),
	cmocka_unit_test(connections_belong_to_one_thread_or_to_any),
	cmocka_unit_test(a_thread_waits_for_the_end_of_the_connection_that_it_answered),
	cmocka_unit_test(a_server_takes_requests_and_gives_answers),
	cmocka_unit_test(a_lock_within_which_threads_read_is_part_of_the_wait),
	cmocka_unit_test(all_waits_without_a_request_are_one_wait),
	cmocka_unit_test(a_connection_that_is_handed_over_is_no_request),
	cmocka_unit_test(a_thread_that_accepts_connections_takes_no_requests),
	cmocka_unit_test(many_waits_in_a_row_are_one_wait_for_a_request),
	cmocka_unit_test(a_program_without_events_has_no_connections),
};

TEST_FILE(tests);
