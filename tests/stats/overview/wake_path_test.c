/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/overview/overview_private.h"
#include "support.h"

#include <stdlib.h>

enum { THREADS = 6 };

/* Threads that run, wake each other, and sleep; all changes. */
struct story {
	struct change *changes;
	size_t count;
	uint64_t now_ns, since_ns[THREADS];
	enum thread_state states[THREADS];
};

static void story_change(struct story *story, struct wake_path *path, size_t thread,
			 enum thread_state next, uint32_t by)
{
	struct change *change = &story->changes[story->count++];

	*change = (struct change){.begin_ns = story->since_ns[thread],
				  .end_ns = story->now_ns,
				  .state = story->states[thread],
				  .next = next,
				  .by = by,
				  .thread = thread};
	wake_path_take(path, change, change->begin_ns, change->end_ns);
	story->since_ns[thread] = story->now_ns;
	story->states[thread] = next;
}

static size_t story_thread(const struct story *story, enum thread_state state)
{
	size_t first = (size_t)rand() % THREADS;

	for (size_t i = 0; i < THREADS; i++)
		if (story->states[(first + i) % THREADS] == state)
			return (first + i) % THREADS;
	return THREADS;
}

/* Lets one thread run at least. Every eighth wake is by a timer. */
static void story_go_on(struct story *story, struct wake_path *path)
{
	size_t running = story_thread(story, STATE_RUNNING);
	size_t sleeping = story_thread(story, STATE_SLEEPING);
	size_t runnable = story_thread(story, STATE_RUNNABLE);

	story->now_ns += 1 + (uint64_t)(rand() % 5000);
	if (runnable < THREADS)
		story_change(story, path, runnable, STATE_RUNNING, BY_NO_THREAD);
	else if (sleeping < THREADS && rand() % 2)
		story_change(story, path, sleeping, STATE_RUNNABLE,
			     rand() % 8 ? (uint32_t)running : BY_INTERRUPT);
	story->states[running] = STATE_NONE; /* but not the last one */
	if (story_thread(story, STATE_RUNNING) == THREADS || rand() % 2) {
		story->states[running] = STATE_RUNNING;
		return;
	}
	story->states[running] = STATE_RUNNING;
	story_change(story, path, running, STATE_SLEEPING, BY_NO_THREAD);
}

static void story_tell(struct story *story, struct wake_path *path, size_t length)
{
	*story =
		(struct story){.changes = xcalloc(3 * length + 2 * THREADS, sizeof(struct change))};
	for (size_t i = 0; i < THREADS; i++)
		story_change(story, path, i, STATE_RUNNING, i ? 0 : BY_STRANGER);
	for (size_t i = 0; i < length; i++)
		story_go_on(story, path);
	story->now_ns++;
	for (size_t i = 0; i < THREADS; i++)
		story_change(story, path, i, STATE_NONE, BY_NO_THREAD);
}

/* The change by which a thread woke it, the last one before number `before`; NULL: none. */
static const struct change *woken_before(const struct story *story, size_t before, uint32_t thread)
{
	for (size_t i = before; i-- > 0;) {
		const struct change *change = &story->changes[i];

		if (change->thread == thread && change->by < THREADS)
			return change;
	}
	return NULL;
}

/* The slow way: from the end backwards. */
static void assert_path(const struct overview *overview, const struct story *story)
{
	size_t at = story->count, turn = overview->turn_count;
	uint64_t end_ns;
	uint32_t thread;

	while (story->changes[at - 1].state != STATE_RUNNING)
		at--;
	thread = (uint32_t)story->changes[at - 1].thread;
	end_ns = story->changes[at - 1].end_ns;
	while (turn-- > 0) {
		const struct overview_turn *shown = &overview->turns[turn];
		const struct change *woken = woken_before(story, at, thread);

		assert_int_equal(shown->thread, thread);
		assert_int_equal(shown->end_ns, end_ns);
		assert_int_equal(shown->begin_ns, woken ? woken->end_ns : 0);
		if (!woken)
			break;
		at = (size_t)(woken - story->changes);
		end_ns = woken->end_ns;
		thread = woken->by;
	}
	assert_int_equal(turn, 0);
}

static void assert_whole(const struct overview *overview, const struct story *story)
{
	uint64_t spent_ns = 0;

	for (size_t i = 0; i < PATH_KINDS; i++)
		spent_ns += overview->path_ns[i];
	assert_int_equal(spent_ns, story->now_ns);
	assert_int_equal(overview->turns[0].begin_ns, 0);
	for (size_t i = 1; i < overview->turn_count; i++)
		assert_int_equal(overview->turns[i].begin_ns, overview->turns[i - 1].end_ns);
	assert_int_equal(overview->turns[overview->turn_count - 1].end_ns, story->now_ns);
}

static void the_path_goes_back_from_each_wait_to_the_waker(void **state)
{
	(void)state;
	srand(7);
	for (size_t round = 0; round < 30; round++) {
		struct wake_path path = {.least_ns = 1};
		struct overview overview = {.total_ns = 0};
		struct story story;

		story_tell(&story, &path, 400);
		wake_path_finish(&path, &overview);
		assert_path(&overview, &story);
		assert_whole(&overview, &story);
		assert_true(overview.turn_count > 10);
		free(overview.turns);
		free(story.changes);
		wake_path_release(&path);
	}
}

static void a_long_path_keeps_its_times_in_fewer_turns(void **state)
{
	struct wake_path path = {.least_ns = 1};
	struct overview overview = {.total_ns = 0};
	struct story story;
	size_t turns = 0;

	(void)state;
	srand(8);
	story_tell(&story, &path, 200000);
	assert_in_range(path.count, 1, 5000);
	wake_path_finish(&path, &overview);
	assert_whole(&overview, &story);
	assert_in_range(overview.turn_count, OVERVIEW_TURNS / 8, OVERVIEW_TURNS);
	for (size_t i = 0; i < overview.turn_count; i++)
		turns += overview.turns[i].turns;
	assert_true(turns > 10000);
	free(overview.turns);
	free(story.changes);
	wake_path_release(&path);
}

static void without_a_known_running_thread_there_is_no_path(void **state)
{
	struct wake_path path = {.least_ns = 1};
	struct overview overview = {.total_ns = 0};
	struct story story = {.changes = xcalloc(4, sizeof(struct change)), .now_ns = 10};

	(void)state;
	story_change(&story, &path, 0, STATE_SLEEPING, BY_STRANGER);
	story_change(&story, &path, 1, STATE_UNKNOWN, BY_STRANGER);
	story.now_ns = 20;
	story_change(&story, &path, 0, STATE_RUNNABLE, 1);
	wake_path_finish(&path, &overview);
	assert_int_equal(overview.turn_count, 0);
	for (size_t i = 0; i < PATH_KINDS; i++)
		assert_int_equal(overview.path_ns[i], 0);
	free(overview.turns);
	free(story.changes);
	wake_path_release(&path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_path_goes_back_from_each_wait_to_the_waker),
	cmocka_unit_test(without_a_known_running_thread_there_is_no_path),
	cmocka_unit_test(a_long_path_keeps_its_times_in_fewer_turns),
};

TEST_FILE(tests);
