/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/overview/overview_private.h"

#include <stdlib.h>
#include <string.h>

/*
 * The time of a thread from a wakeup, its creation or its first event on. Its parent is the turn of
 * the waker at that time. Turns without children and without a thread in them are freed.
 */
struct path_turn {
	struct path_turn *parent; /* NULL: the path begins here */
	struct path_turn *older, *newer;
	uint32_t refs; /* the number of its children, plus 1 if a thread is in it */
	uint32_t thread;
	uint64_t from_ns;
	uint64_t spent_ns[PATH_KINDS]; /* the time on the path before this turn */
	uint32_t turns;		       /* the number of turns joined in this one */
};

/* The most turns, or the most for each thread if that is more: short turns with children stay. */
enum { TURNS_MOST = 4096, TURNS_OF_THREAD = 8, TURNS_AT_ONCE = 256 };

struct path_turns {
	struct path_turns *next;
	struct path_turn items[TURNS_AT_ONCE];
};

struct path_thread {
	struct path_turn *turn; /* NULL: not seen, or ended */
	uint64_t since_ns;
	enum path_kind next;	       /* the kind from then on, as announced; PATH_KINDS: none */
	uint64_t spent_ns[PATH_KINDS]; /* the time in this turn, up to `since_ns` */
};

static enum path_kind path_kind(enum thread_state state)
{
	static const enum path_kind kinds[STATE_COUNT] = {
		[STATE_NONE] = PATH_KINDS,	  [STATE_UNKNOWN] = PATH_UNKNOWN,
		[STATE_ACTIVE] = PATH_UNKNOWN,	  [STATE_RUNNING] = PATH_RUNNING,
		[STATE_RUNNABLE] = PATH_RUNNABLE, [STATE_INACTIVE] = PATH_BLOCKED,
		[STATE_SLEEPING] = PATH_BLOCKED,  [STATE_DISK] = PATH_BLOCKED,
		[STATE_STOPPED] = PATH_BLOCKED,
	};

	return kinds[state];
}

/* --- Turns ----------------------------------------------------------------------------------- */

static void path_unlist(struct wake_path *path, struct path_turn *turn)
{
	*(turn->older ? &turn->older->newer : &path->oldest) = turn->newer;
	*(turn->newer ? &turn->newer->older : &path->newest) = turn->older;
	turn->parent = path->spare;
	path->spare = turn;
	path->count--;
}

/* Drops one reference of the turn, and frees turns without any. */
static void path_leave(struct wake_path *path, struct path_turn *turn)
{
	while (turn && !--turn->refs) {
		struct path_turn *parent = turn->parent;

		path_unlist(path, turn);
		turn = parent;
	}
}

static __attribute__((noinline)) void path_add_spare(struct wake_path *path)
{
	struct path_turns *more = xcalloc(1, sizeof(*more));

	more->next = path->turns;
	path->turns = more;
	for (size_t i = 0; i < TURNS_AT_ONCE; i++) {
		more->items[i].parent = path->spare;
		path->spare = &more->items[i];
	}
}

static struct path_turn *path_turn_new(struct wake_path *path)
{
	struct path_turn *turn;

	if (!path->spare)
		path_add_spare(path);
	turn = path->spare;
	path->spare = turn->parent;
	*turn = (struct path_turn){.older = path->newest, .refs = 1, .turns = 1};
	*(path->newest ? &path->newest->newer : &path->oldest) = turn;
	path->newest = turn;
	path->count++;
	return turn;
}

/* Joins neighbours on a path without branches that are together shorter than `least_ns`. */
static void path_join(struct wake_path *path, uint64_t least_ns)
{
	for (struct path_turn *child = path->newest, *older; child; child = older) {
		struct path_turn *turn = child->parent, *first;

		older = child->older;
		while (turn && turn->refs == 1 && (first = turn->parent) && first->refs == 1 &&
		       child->from_ns - first->from_ns < least_ns) {
			if (turn->from_ns - first->from_ns < child->from_ns - turn->from_ns)
				first->thread = turn->thread;
			first->turns += turn->turns;
			child->parent = first;
			if (older == turn)
				older = turn->older;
			path_unlist(path, turn);
			turn = first;
		}
	}
}

static void path_bound(struct wake_path *path, size_t most)
{
	for (;; path->least_ns *= 2) {
		path_join(path, path->least_ns);
		if (path->count <= most || path->least_ns > UINT64_MAX / 4)
			return;
	}
}

/* --- Changes --------------------------------------------------------------------------------- */

/* Makes the waker's turn the parent: its work up to `now_ns` is on the path to the new turn. */
static void path_come_from(struct path_turn *turn, const struct path_thread *waker, uint64_t now_ns)
{
	turn->parent = waker->turn;
	turn->parent->refs++;
	for (size_t i = 0; i < PATH_KINDS; i++)
		turn->spent_ns[i] = waker->turn->spent_ns[i] + waker->spent_ns[i];
	if (waker->next != PATH_KINDS && now_ns > waker->since_ns)
		turn->spent_ns[waker->next] += now_ns - waker->since_ns;
}

/* Drops the turn of a thread, but keeps that of the last thread that ran. */
static void path_leave_thread(struct wake_path *path, uint32_t number)
{
	struct path_turn *turn = path->threads[number].turn;

	path->threads[number].turn = NULL;
	if (!turn || !path->end_ns || number != path->last_thread || path->last) {
		path_leave(path, turn);
		return;
	}
	path->last = turn;
}

/* Moves the end of the path to this thread, unless one runs later. */
static void path_end_here(struct wake_path *path, uint32_t number, uint64_t now_ns)
{
	if (path->last)
		path_leave(path, path->last);
	path->last = NULL;
	path->last_thread = number;
	path->end_ns = now_ns;
	memcpy(path->spent_ns, path->threads[number].spent_ns, sizeof(path->spent_ns));
}

static bool path_has(const struct wake_path *path, uint32_t thread)
{
	return thread < path->thread_count && path->threads[thread].turn;
}

static void path_begin(struct wake_path *path, uint32_t number, uint32_t by, uint64_t now_ns)
{
	struct path_thread *thread = &path->threads[number];
	struct path_turn *turn = path_turn_new(path);

	turn->thread = number;
	turn->from_ns = now_ns;
	if (path_has(path, by))
		path_come_from(turn, &path->threads[by], now_ns);
	path_leave_thread(path, number);
	thread->turn = turn;
	memset(thread->spent_ns, 0, sizeof(thread->spent_ns));
}

static void path_grow(struct wake_path *path, size_t thread)
{
	array_reserve(&path->threads, &path->thread_capacity, thread + 1);
	if (thread >= path->thread_count)
		path->thread_count = thread + 1;
}

void wake_path_take(struct wake_path *path, const struct change *change, uint64_t from_ns,
		    uint64_t to_ns)
{
	enum path_kind kind = path_kind(change->state);
	struct path_thread *thread;

	path_grow(path, change->thread);
	thread = &path->threads[change->thread];
	path->alive += !thread->turn;
	if (!thread->turn)
		path_begin(path, (uint32_t)change->thread,
			   change->state == STATE_NONE ? change->by : BY_NO_THREAD, from_ns);
	if (kind != PATH_KINDS)
		thread->spent_ns[kind] += to_ns - from_ns;
	if (kind == PATH_RUNNING)
		path_end_here(path, (uint32_t)change->thread, to_ns);
	if (kind == PATH_BLOCKED && change->next == STATE_RUNNABLE && path_has(path, change->by) &&
	    change->by != change->thread)
		path_begin(path, (uint32_t)change->thread, change->by, to_ns);
	thread->since_ns = to_ns;
	thread->next = path_kind(change->next);
	if (change->next == STATE_NONE) {
		path_leave_thread(path, (uint32_t)change->thread);
		path->alive--;
	}
	if (path->count > TURNS_MOST && path->count > TURNS_OF_THREAD * path->alive)
		path_bound(path, path->count / 2);
}

/* --- The path -------------------------------------------------------------------------------- */

/* Returns the state of more than half of the turn. */
static char path_letter(const uint64_t *from_ns, const uint64_t *to_ns, uint64_t length_ns)
{
	static const char letters[PATH_KINDS] = {[PATH_RUNNING] = 'R',
						 [PATH_RUNNABLE] = 'w',
						 [PATH_BLOCKED] = 'B',
						 [PATH_UNKNOWN] = '?'};

	for (size_t i = 0; i < PATH_KINDS; i++)
		if (to_ns[i] - from_ns[i] > length_ns / 2)
			return letters[i];
	return 'm';
}

void wake_path_finish(struct wake_path *path, struct overview *overview)
{
	const uint64_t *spent_ns = path->spent_ns;
	uint64_t end_ns = path->end_ns;
	size_t count = 0;

	for (size_t i = 0; i < path->thread_count; i++)
		path_leave_thread(path, (uint32_t)i);
	for (size_t i = 0; path->last && i < PATH_KINDS; i++)
		path->spent_ns[i] += path->last->spent_ns[i];
	if (path->count > OVERVIEW_TURNS)
		path_bound(path, OVERVIEW_TURNS);
	memcpy(overview->path_ns, path->spent_ns, sizeof(overview->path_ns));
	overview->turns = xcalloc(path->count, sizeof(*overview->turns));
	overview->turn_count = path->count;
	for (const struct path_turn *turn = path->last; turn; turn = turn->parent) {
		overview->turns[path->count - ++count] = (struct overview_turn){
			.begin_ns = turn->from_ns,
			.end_ns = end_ns,
			.thread = turn->thread,
			.turns = turn->turns,
			.letter = path_letter(turn->spent_ns, spent_ns, end_ns - turn->from_ns),
		};
		end_ns = turn->from_ns;
		spent_ns = turn->spent_ns;
	}
}

void wake_path_release(struct wake_path *path)
{
	for (struct path_turns *turns = path->turns, *next; turns; turns = next) {
		next = turns->next;
		free(turns);
	}
	free(path->threads);
}
