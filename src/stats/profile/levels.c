/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/levels.h"

#include "base/alloc.h"
#include "base/io/input.h"
#include "base/sorted.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Bags of levels ------------------------------------------------------------------------ */

/*
 * Wall time by level: the number of threads that were active, and the number of those in an unknown
 * state. All levels of a bag can be moved at once, and two bags be poured together, without a look
 * at each level.
 *
 * The levels are an unordered array, which may hold a level more than once. A full array is sorted,
 * and equal levels become one; if more than half of the room is still used, the room doubles. So
 * there are half as many additions as there is room before the next sort: an addition costs O(log
 * n) on average, whatever the levels are, and the room is at most four times the need. Nearly
 * always a level is found at its last place, which costs one comparison.
 */

/* The numbers of threads that are active, or in an unknown state; or a difference of levels. */
struct level {
	int32_t active, unknown;
};

/* Adds modulo 2^32: sums of many differences may overflow, but the results do not. */
static inline struct level level_plus(struct level a, struct level b)
{
	return (struct level){(int32_t)((uint32_t)a.active + (uint32_t)b.active),
			      (int32_t)((uint32_t)a.unknown + (uint32_t)b.unknown)};
}

static inline struct level level_minus(struct level a, struct level b)
{
	return (struct level){(int32_t)((uint32_t)a.active - (uint32_t)b.active),
			      (int32_t)((uint32_t)a.unknown - (uint32_t)b.unknown)};
}

struct level_time {
	struct level level;
	uint64_t wall_ns;
};

/* Most bags have at most this many levels, and need no other room. */
enum { FEW = 2 };

struct level_bag {
	union {
		struct level_time few[FEW]; /* without `moved`; used while `capacity` is 0 */
		struct level_time *more;
	};
	uint32_t count, capacity; /* capacity 0: FEW */
	struct level moved;	  /* the part to add to all levels */
};

static inline struct level_time *level_bag_times(struct level_bag *bag)
{
	return bag->capacity ? bag->more : bag->few;
}

/* The last places of levels, by the last bits of `active`. They may be wrong, or of another bag. */
struct level_hints {
	uint32_t places[8];
};

/* Adds `by` to all levels of the bag. */
static inline void level_bag_move(struct level_bag *bag, struct level by)
{
	bag->moved = level_plus(bag->moved, by);
}

/* Returns item i of the bag, for i < bag->count. A level may be in several items. */
static inline struct level_time level_bag_get(const struct level_bag *bag, size_t i)
{
	const struct level_time *time = bag->capacity ? &bag->more[i] : &bag->few[i];

	return (struct level_time){level_plus(time->level, bag->moved), time->wall_ns};
}

/* The number of levels up to which a search costs next to nothing. */
enum { SEARCHED = 8 };

static inline bool is_equal(struct level a, struct level b)
{
	return a.active == b.active && a.unknown == b.unknown;
}

static int compare_levels(const void *one, const void *other)
{
	struct level a = ((const struct level_time *)one)->level;
	struct level b = ((const struct level_time *)other)->level;

	return compare_values(a.active, b.active) ?: compare_values(a.unknown, b.unknown);
}

/* Joins equal levels. */
static void join_equals(struct level_bag *bag)
{
	struct level_time *times = level_bag_times(bag);
	uint32_t count = 0;

	sort_items(times, bag->count, compare_levels);
	for (uint32_t i = 0; i < bag->count; i++) {
		if (count && is_equal(times[count - 1].level, times[i].level))
			times[count - 1].wall_ns += times[i].wall_ns;
		else
			times[count++] = times[i];
	}
	bag->count = count;
}

static __attribute__((cold, noinline)) void level_bag_grow(struct level_bag *bag)
{
	struct level_time *more = bag->capacity ? bag->more : NULL;

	if (bag->count > SEARCHED) /* smaller bags have no level twice */
		join_equals(bag);
	if (more && bag->count <= bag->capacity / 2)
		return;
	bag->capacity = more ? 2 * bag->capacity : 2 * FEW;
	more = xreallocarray(more, bag->capacity, sizeof(*more));
	if (bag->capacity == 2 * FEW)
		memcpy(more, bag->few, sizeof(bag->few));
	bag->more = more;
}

/* Returns the place of a level, or a place to check if the bag is large. */
static inline uint32_t find_level(const struct level_time *times, uint32_t count,
				  const struct level_hints *hints, struct level level)
{
	uint32_t i = count;

	if (count > SEARCHED)
		return hints->places[(uint32_t)level.active % 8];
	while (i > 0 && !is_equal(times[i - 1].level, level))
		i--;
	return i - 1;
}

static __attribute__((noinline)) void level_bag_append(struct level_bag *bag,
						       struct level_hints *hints, struct level key,
						       uint64_t wall_ns)
{
	if (bag->count == (bag->capacity ?: FEW))
		level_bag_grow(bag);
	hints->places[(uint32_t)key.active % 8] = bag->count;
	level_bag_times(bag)[bag->count++] = (struct level_time){key, wall_ns};
}

static inline void level_bag_add(struct level_bag *bag, struct level_hints *hints,
				 struct level level, uint64_t wall_ns)
{
	struct level_time *times = level_bag_times(bag);
	struct level key = level_minus(level, bag->moved);
	uint32_t place = find_level(times, bag->count, hints, key);

	if (place < bag->count && is_equal(times[place].level, key))
		times[place].wall_ns += wall_ns;
	else
		level_bag_append(bag, hints, key, wall_ns);
}

/* Moves all of `from` to `into`, at the cost of the smaller one; `from` is then empty. */
static void level_bag_pour(struct level_bag *into, struct level_bag *from,
			   struct level_hints *hints)
{
	struct level_bag larger = into->count < from->count ? *from : *into;
	struct level_bag smaller = into->count < from->count ? *into : *from;

	for (uint32_t i = 0; i < smaller.count; i++) {
		struct level_time time = level_bag_get(&smaller, i);

		level_bag_add(&larger, hints, time.level, time.wall_ns);
	}
	smaller.count = 0;
	smaller.moved = (struct level){0, 0};
	*into = larger;
	*from = smaller;
}

/* Copies a bag to `copy`, which is empty. */
static void level_bag_copy(struct level_bag *copy, const struct level_bag *bag)
{
	*copy = *bag;
	if (!bag->capacity)
		return;
	copy->more = xcalloc(bag->capacity, sizeof(*copy->more));
	memcpy(copy->more, bag->more, bag->count * sizeof(*copy->more));
}

/* --- Segments ------------------------------------------------------------------------------ */

struct segment {
	struct level_bag bag;	 /* time of the segment, by the levels assumed before `later` */
	struct level later;	 /* corrections of this segment and of all behind it */
	uint32_t previous, next; /* segment numbers, from 1 on; 0: none */
	uint32_t pins;		 /* the number of open intervals that begin with it */
	uint8_t step;		 /* the step of the segment, while it is not listed */
	bool is_interval;	 /* an interval asked for begins with it: never merged */
	bool is_listed;		 /* true for a segment, false for a place where one may begin */
};

/*
 * The number of segments in a block. Each thread may need one: large blocks waste no memory, and
 * the C library gives them back to the kernel.
 */
enum { BLOCK = 4096 };

/*
 * Most intervals end soon. So time is first kept in a few steps: a correction that begins with one
 * changes all steps behind it. When there is no more room they become segments, one for each open
 * interval.
 */
struct step {
	struct level level; /* relative to the corrections of all segments */
	uint64_t wall_ns;   /* the length of the step */
	uint32_t begins;    /* the segment of the intervals that begin with it; 0: none */
};

enum { STEPS = 64 };

/*
 * The state of a thread assumed until its next change. There are no more segments than threads that
 * can live at once, and intervals.
 */
enum { STATE_BITS = 4, STATE_MASK = (1 << STATE_BITS) - 1 };
struct belief {
	/* the state, and above it the segment with which its open interval begins, or 0 */
	uint32_t bits;
};

_Static_assert(STATE_COUNT <= 1 << STATE_BITS, "a state has room");
_Static_assert(SPARSE_MAX + LEVELS_INTERVALS_MAX < UINT32_MAX >> STATE_BITS, "segments, too");

static inline uint32_t belief_segment(struct belief belief)
{
	return belief.bits >> STATE_BITS;
}

static inline struct belief belief_in(uint32_t segment, enum thread_state state)
{
	return (struct belief){segment << STATE_BITS | state};
}

struct levels {
	uint32_t first, last;	 /* segments */
	uint32_t spare;		 /* merged segments, to be used again with their room */
	struct segment **blocks; /* all segments, BLOCK in each */
	size_t block_capacity;
	uint32_t used;		      /* the number of segments that were ever used */
	struct step steps[STEPS + 1]; /* one more than STEPS: the last one begins now */
	uint32_t step_count;
	struct belief *threads;
	size_t thread_capacity;
	struct level now;	/* the level at now_ns */
	struct level corrected; /* the sum of all segments' `later` */
	/* hints for the last segment, and for segments that take others in */
	struct level_hints hint;
	struct level_hints merge_hint;
	bool begun;
	uint64_t now_ns;
	/* the length of an interval, and the beginning of the current one */
	uint64_t interval_ns, this_interval_ns;
	size_t interval_count; /* the number of ended intervals */
	size_t interval_most;  /* 0: too many intervals are an error */
	uint64_t begin_ns;
};

/* Returns the segment; NULL for number 0. */
static inline struct segment *segment_at(const struct levels *levels, uint32_t number)
{
	uint32_t i = number - 1;

	return number ? &levels->blocks[i / BLOCK][i % BLOCK] : NULL;
}

static __attribute__((cold, noinline)) void add_block(struct levels *levels)
{
	uint32_t block = levels->used / BLOCK;

	array_reserve(&levels->blocks, &levels->block_capacity, block + 1);
	levels->blocks[block] = xcalloc(BLOCK, sizeof(struct segment));
}

static inline uint32_t new_segment(struct levels *levels)
{
	uint32_t number = levels->spare;

	if (number) {
		levels->spare = segment_at(levels, number)->next;
		return number;
	}
	if (levels->used % BLOCK == 0)
		add_block(levels);
	return ++levels->used;
}

static inline void spare_segment(struct levels *levels, uint32_t number)
{
	segment_at(levels, number)->next = levels->spare;
	levels->spare = number;
}

static void list_segment(struct levels *levels, uint32_t number)
{
	struct segment *segment = segment_at(levels, number);

	segment->is_listed = true;
	segment->next = 0;
	segment->previous = levels->last;
	*(levels->last ? &segment_at(levels, levels->last)->next : &levels->first) = number;
	levels->last = number;
}

static void list_interval(struct levels *levels)
{
	list_segment(levels, new_segment(levels));
	segment_at(levels, levels->last)->is_interval = true;
}

struct levels *levels_new(uint64_t interval_ns, size_t most)
{
	struct levels *levels = xcalloc(1, sizeof(*levels));

	levels->interval_ns = interval_ns;
	levels->interval_most = most;
	list_interval(levels);
	return levels;
}

/* Turns all steps into segments. */
static __attribute__((noinline)) void end_steps(struct levels *levels)
{
	for (uint32_t i = 0; i <= levels->step_count; i++) {
		struct step *step = &levels->steps[i];

		if (step->begins)
			list_segment(levels, step->begins);
		step->begins = 0;
		if (i < levels->step_count)
			level_bag_add(&segment_at(levels, levels->last)->bag, &levels->hint,
				      step->level, step->wall_ns);
	}
	levels->step_count = 0;
}

void levels_free(struct levels *levels)
{
	if (!levels)
		return;
	for (uint32_t number = 1; number <= levels->used; number++)
		if (segment_at(levels, number)->bag.capacity)
			free(segment_at(levels, number)->bag.more);
	for (size_t i = 0; i < levels->block_capacity; i++)
		free(levels->blocks[i]);
	free(levels->blocks);
	free(levels->threads);
	free(levels);
}

struct levels *levels_copy(struct levels *levels)
{
	struct levels *copy = xcalloc(1, sizeof(*copy));

	end_steps(levels);
	*copy = *levels;
	copy->blocks = xcalloc(levels->block_capacity, sizeof(*copy->blocks));
	for (uint32_t i = 0; i < levels->used; i++) {
		const struct segment *segment = segment_at(levels, i + 1);

		if (i % BLOCK == 0)
			copy->blocks[i / BLOCK] = xcalloc(BLOCK, sizeof(*segment));
		copy->blocks[i / BLOCK][i % BLOCK] = *segment;
		level_bag_copy(&copy->blocks[i / BLOCK][i % BLOCK].bag, &segment->bag);
	}
	copy->threads = xcalloc(levels->thread_capacity, sizeof(*copy->threads));
	if (levels->thread_capacity)
		memcpy(copy->threads, levels->threads,
		       levels->thread_capacity * sizeof(*copy->threads));
	return copy;
}

/* Advances the time. Levels of steps exclude the corrections of all segments, which apply later. */
static inline void pass(struct levels *levels, uint64_t now_ns)
{
	struct step *step = &levels->steps[levels->step_count];

	if (now_ns <= levels->now_ns)
		return;
	step->level = level_minus(levels->now, levels->corrected);
	step->wall_ns = now_ns - levels->now_ns;
	levels->now_ns = now_ns;
	if (++levels->step_count == STEPS)
		end_steps(levels);
}

static bool has_bins_up_to(const struct levels *levels, uint64_t now_ns)
{
	return (now_ns - levels->begin_ns - 1) / levels->interval_ns < levels->interval_most;
}

/* Advances the time to the last interval that begins before `now_ns`, behind the current one. */
static __attribute__((noinline)) int pass_intervals(struct levels *levels, uint64_t now_ns)
{
	while (levels->interval_most && !has_bins_up_to(levels, now_ns))
		levels_join_intervals(levels);
	while (now_ns - levels->this_interval_ns > levels->interval_ns) {
		if (++levels->interval_count >= LEVELS_INTERVALS_MAX)
			return -1;
		levels->this_interval_ns += levels->interval_ns;
		pass(levels, levels->this_interval_ns);
		end_steps(levels);
		list_interval(levels);
	}
	return 0;
}

/* Returns the level of one thread in this state. */
static inline struct level level_of(enum thread_state state)
{
	static const struct level levels[STATE_COUNT] = {
		[STATE_UNKNOWN] = {0, 1},
		[STATE_ACTIVE] = {1, 0},
		[STATE_RUNNING] = {1, 0},
		[STATE_RUNNABLE] = {1, 0},
	};

	return levels[state];
}

static void move_steps(struct levels *levels, uint32_t first, struct level by)
{
	for (uint32_t i = first; i < levels->step_count; i++)
		levels->steps[i].level = level_plus(levels->steps[i].level, by);
}

/* Corrects the state of a thread from a segment on. */
static __attribute__((noinline)) void correct(struct levels *levels, uint32_t number,
					      enum thread_state believed, enum thread_state state)
{
	struct segment *segment = segment_at(levels, number);
	struct level by = level_minus(level_of(state), level_of(believed));

	levels->now = level_plus(levels->now, by);
	if (!segment->is_listed) {
		move_steps(levels, segment->step, by);
		return;
	}
	segment->later = level_plus(segment->later, by);
	levels->corrected = level_plus(levels->corrected, by);
}

/* Merges a segment into the one before, from which it differs by its own `later`, and frees it. */
static __attribute__((noinline)) void merge_segment(struct levels *levels, uint32_t number)
{
	struct segment *segment = segment_at(levels, number);
	struct segment *into = segment_at(levels, segment->previous);
	struct segment *next = segment_at(levels, segment->next);

	level_bag_move(&segment->bag, segment->later);
	level_bag_pour(&into->bag, &segment->bag, &levels->merge_hint);
	if (next) {
		next->later = level_plus(next->later, segment->later);
	} else {
		move_steps(levels, 0, segment->later);
		levels->corrected = level_minus(levels->corrected, segment->later);
	}
	segment->later = (struct level){0, 0};
	segment->is_listed = false;
	into->next = segment->next;
	*(next ? &next->previous : &levels->last) = segment->previous;
	spare_segment(levels, number);
}

static inline void unpin(struct levels *levels, uint32_t number)
{
	struct segment *segment = segment_at(levels, number);

	if (--segment->pins || segment->is_interval)
		return;
	if (segment->is_listed) {
		merge_segment(levels, number);
		return;
	}
	levels->steps[segment->step].begins = 0;
	spare_segment(levels, number);
}

/* Returns the segment that begins now. */
static inline uint32_t pin(struct levels *levels)
{
	struct step *step = &levels->steps[levels->step_count];
	struct segment *segment;

	if (!step->begins)
		step->begins = new_segment(levels);
	segment = segment_at(levels, step->begins);
	segment->step = (uint8_t)levels->step_count;
	segment->pins++;
	return step->begins;
}

void levels_begin(struct levels *levels, uint64_t begin_ns)
{
	if (levels->begun)
		return;
	levels->begun = true;
	levels->begin_ns = levels->now_ns = levels->this_interval_ns = begin_ns;
}

/* Lets a thread begin with the timeline, if its first change shows its whole past. */
static __attribute__((noinline)) void join(struct levels *levels, struct belief *belief)
{
	*belief = belief_in(levels->first, STATE_NONE);
	segment_at(levels, levels->first)->pins++;
}

static inline bool is_behind_interval(const struct levels *levels, uint64_t now_ns)
{
	return levels->interval_ns && now_ns > levels->this_interval_ns &&
	       now_ns - levels->this_interval_ns > levels->interval_ns;
}

int levels_add(struct levels *levels, const struct change *change)
{
	struct belief *belief;
	uint32_t segment;

	array_reserve(&levels->threads, &levels->thread_capacity, change->thread + 1);
	belief = &levels->threads[change->thread];
	levels_begin(levels, change->begin_ns);
	if (is_behind_interval(levels, change->end_ns) && pass_intervals(levels, change->end_ns))
		return -1;
	pass(levels, change->end_ns);
	if (!belief_segment(*belief) && change->state != STATE_NONE)
		join(levels, belief);
	segment = belief_segment(*belief);
	if (segment) {
		enum thread_state believed = belief->bits & STATE_MASK;

		if (believed != change->state)
			correct(levels, segment, believed, change->state);
		unpin(levels, segment);
	}
	levels->now = level_plus(levels->now,
				 level_minus(level_of(change->next), level_of(change->state)));
	*belief = belief_in(change->next == STATE_NONE ? 0 : pin(levels), change->next);
	return 0;
}

void levels_join_intervals(struct levels *levels)
{
	bool stays = false;

	end_steps(levels);
	for (uint32_t number = levels->first, next; number; number = next) {
		struct segment *segment = segment_at(levels, number);

		next = segment->next;
		if (!segment->is_interval)
			continue;
		stays = !stays;
		segment->is_interval = stays;
		if (!stays && !segment->pins)
			merge_segment(levels, number);
	}
	if (levels->interval_count % 2)
		levels->this_interval_ns -= levels->interval_ns;
	levels->interval_count /= 2;
	levels->interval_ns *= 2;
}

/* --- Results ------------------------------------------------------------------------------- */

/* The segments `from` up to, but not including, `to`; NULL: up to the end. */
struct range {
	const struct levels *levels;
	const struct segment *from, *to;
	struct level corrected; /* the sum of the corrections up to `from` */
};

static struct range range_from_first(const struct levels *levels, bool to_end)
{
	const struct segment *first = segment_at(levels, levels->first);

	return (struct range){levels, first, to_end ? NULL : first, first->later};
}

static void range_go_on(struct range *range)
{
	range->from = segment_at(range->levels, range->from->next);
	if (range->from)
		range->corrected = level_plus(range->corrected, range->from->later);
}

/* Returns the largest number of threads that were active at once. */
static size_t find_most(struct range range)
{
	int32_t most = 0;

	for (; range.from != range.to; range_go_on(&range))
		for (size_t i = 0; i < range.from->bag.count; i++) {
			struct level_time time = level_bag_get(&range.from->bag, i);
			struct level level = level_plus(time.level, range.corrected);

			if (!level.unknown && level.active > most)
				most = level.active;
		}
	return (size_t)most;
}

static void add_segment_to(struct level_times *times, const struct segment *segment,
			   struct level corrected)
{
	for (size_t i = 0; i < segment->bag.count; i++) {
		struct level_time time = level_bag_get(&segment->bag, i);
		struct level level = level_plus(time.level, corrected);

		times->total_ns += time.wall_ns;
		if (level.unknown)
			times->unknown_ns += time.wall_ns;
		else
			times->wall_ns[level.active] += time.wall_ns;
	}
}

/* Adds up a range, and moves it behind its end. */
static void sum_range(struct level_times *times, struct range *range, uint64_t begin_ns)
{
	*times = (struct level_times){.begin_ns = begin_ns, .max_active = find_most(*range)};
	times->wall_ns = xcalloc(times->max_active + 1, sizeof(*times->wall_ns));
	for (; range->from != range->to; range_go_on(range))
		add_segment_to(times, range->from, range->corrected);
}

void levels_sum(struct levels *levels, struct level_times *times)
{
	struct range all;

	end_steps(levels);
	all = range_from_first(levels, true);
	sum_range(times, &all, 0);
}

void levels_each_interval(struct levels *levels,
			  void (*take)(void *context, struct level_times *times), void *context)
{
	struct level_times times;
	struct range range;

	end_steps(levels);
	range = range_from_first(levels, false);
	for (uint64_t begin_ns = 0; range.from; begin_ns += levels->interval_ns) {
		do
			range.to = segment_at(levels, range.to->next);
		while (range.to && !range.to->is_interval);
		sum_range(&times, &range, begin_ns);
		take(context, &times);
	}
}

struct interval_list {
	struct level_times *items;
	size_t count, capacity;
};

static void append_interval(void *context, struct level_times *times)
{
	struct interval_list *list = context;

	array_reserve(&list->items, &list->capacity, list->count + 1);
	list->items[list->count++] = *times;
}

size_t levels_intervals(struct levels *levels, struct level_times **list)
{
	struct interval_list intervals = {.count = 0};

	levels_each_interval(levels, append_interval, &intervals);
	*list = intervals.items;
	return intervals.count;
}

void level_times_release(struct level_times *times)
{
	free(times->wall_ns);
	*times = (struct level_times){0};
}

double level_times_mean(const struct level_times *times)
{
	double work = 0, wall = 0;

	for (size_t j = 0; j <= times->max_active; j++) {
		work += (double)j * (double)times->wall_ns[j];
		wall += (double)times->wall_ns[j];
	}
	return wall > 0 && wall >= (double)times->unknown_ns ? work / wall : NAN;
}

double level_times_usable_ns(const struct level_times *times, uint64_t cores)
{
	double usable_ns = 0;

	for (uint64_t j = 1; j <= times->max_active; j++)
		usable_ns += (double)times->wall_ns[j] * (double)(j < cores ? j : cores);
	return usable_ns;
}
