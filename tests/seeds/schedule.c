/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seeds/schedule.h"

#include "base/alloc.h"
#include "random.h"

#include <stdlib.h>

enum { SLEEPS, WAITS, RUNS, UNBORN };

struct schedule {
	struct random random;
	char *states; /* of thread i, whose tid is SCHEDULE_FIRST_TID + i */
	size_t threads;
	int32_t *running; /* on each CPU, 0: idle */
	int32_t cpus;
	uint64_t now_ns;
};

/* A random thread in `state`; 0: none. */
static int32_t find(struct schedule *schedule, char state)
{
	size_t from = random_below(&schedule->random, schedule->threads);

	for (size_t i = 0; i < schedule->threads && i < 64; i++) {
		size_t thread = (from + i) % schedule->threads;

		if (schedule->states[thread] == state)
			return SCHEDULE_FIRST_TID + (int32_t)thread;
	}
	return 0;
}

static void set_state(struct schedule *schedule, int32_t tid, char state)
{
	if (tid)
		schedule->states[tid - SCHEDULE_FIRST_TID] = state;
}

static struct move move_of(struct schedule *schedule)
{
	struct move move = {.kind = MOVE_SWITCH, .state = 'R'};

	schedule->now_ns += 10000 + random_below(&schedule->random, 90000);
	move.time_ns = schedule->now_ns;
	move.cpu = (int32_t)random_below(&schedule->random, (size_t)schedule->cpus);
	move.tid = schedule->running[move.cpu];
	return move;
}

/* The last thread must stay, as no other one could create a thread. */
static bool is_last_living(const struct schedule *schedule)
{
	size_t living = 0;

	for (size_t i = 0; i < schedule->threads; i++)
		living += schedule->states[i] != UNBORN;
	return living == 1;
}

/* Switches out the running thread, or the idle thread. */
static struct move switch_of(struct schedule *schedule)
{
	static const char ends[] = "SSSSRRDX";
	struct move move = move_of(schedule);

	if (move.tid) {
		move.state = ends[random_below(&schedule->random, sizeof(ends) - 1)];
		if (move.state == 'X' && is_last_living(schedule))
			move.state = 'S';
		set_state(schedule, move.tid,
			  move.state == 'R'   ? WAITS
			  : move.state == 'X' ? UNBORN
					      : SLEEPS);
	}
	move.other = find(schedule, WAITS);
	if (move.other == move.tid)
		move.other = 0;
	set_state(schedule, move.other, RUNS);
	schedule->running[move.cpu] = move.other;
	return move;
}

static struct move wake_of(struct schedule *schedule)
{
	struct move move = move_of(schedule);

	move.kind = MOVE_WAKE;
	move.other = find(schedule, SLEEPS);
	if (move.tid && random_one_in(&schedule->random, 4)) {
		int32_t unborn = find(schedule, UNBORN);

		move.kind = unborn ? MOVE_FORK : MOVE_WAKE;
		move.other = unborn ? unborn : move.other;
	}
	set_state(schedule, move.other, WAITS);
	return move;
}

struct move *schedule_new(size_t count, size_t threads, int32_t cpus, uint64_t seed)
{
	struct move *moves = xcalloc(count, sizeof(*moves));
	struct schedule schedule = {
		.random = {seed},
		.states = xcalloc(threads, 1),
		.threads = threads,
		.running = xcalloc((size_t)cpus, sizeof(int32_t)),
		.cpus = cpus,
		.now_ns = SCHEDULE_BEGIN_NS,
	};

	for (size_t i = 0; i < count;) {
		bool wake = random_one_in(&schedule.random, 2);
		struct move move = wake ? wake_of(&schedule) : switch_of(&schedule);

		if (move.kind == MOVE_SWITCH ? move.tid == move.other : !move.other)
			continue;
		if (move.state == 'X' && i + 1 < count) {
			moves[i] = move;
			moves[i].kind = MOVE_EXIT;
			moves[i++].time_ns -= 1000;
		}
		moves[i++] = move;
	}
	free(schedule.states);
	free(schedule.running);
	return moves;
}
