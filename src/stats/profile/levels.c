/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/levels.h"

#include "base/alloc.h"
#include "stats/profile/level_bag.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct segment {
	struct level_bag bag; /* its time, by what was believed before ... */
	struct level later;   /* ... corrections of this segment and of all behind it */
	uint32_t pins;	      /* open intervals that begin where this segment does */
	bool is_interval;     /* an interval asked for begins here: never merged */
	struct segment *previous, *next;
	struct segment *copy; /* while it is copied */
};

/* What is believed of a thread until its next change. */
struct belief {
	enum thread_state state;
	struct segment *segment; /* where its open interval begins */
};

struct levels {
	struct segment *first, *last;
	struct segment *spare; /* merged ones, to be used again with the room they have */
	struct belief *threads;
	size_t thread_capacity;
	struct level now;	 /* as is known by now */
	struct level corrected;	 /* the sum of all segments' `later` */
	struct level_hints hint; /* for the last segment, and for those which others go into */
	struct level_hints merge_hint;
	bool begun;
	uint64_t now_ns;
	uint64_t interval_ns, this_interval_ns; /* its length, and where the present one begins */
	size_t interval_count;
};

static struct segment *new_segment(struct levels *levels)
{
	struct segment *segment = levels->spare;

	if (!segment)
		return xcalloc(1, sizeof(*segment));
	levels->spare = segment->next;
	segment->next = NULL;
	return segment;
}

static struct segment *add_segment(struct levels *levels, bool is_interval)
{
	struct segment *segment = new_segment(levels);

	segment->is_interval = is_interval;
	segment->previous = levels->last;
	*(levels->last ? &levels->last->next : &levels->first) = segment;
	levels->last = segment;
	return segment;
}

struct levels *levels_new(uint64_t interval_ns)
{
	struct levels *levels = xcalloc(1, sizeof(*levels));

	levels->interval_ns = interval_ns;
	add_segment(levels, true);
	return levels;
}

static void free_segments(struct segment *segment)
{
	for (struct segment *next; segment; segment = next) {
		next = segment->next;
		level_bag_release(&segment->bag);
		free(segment);
	}
}

void levels_free(struct levels *levels)
{
	if (!levels)
		return;
	free_segments(levels->first);
	free_segments(levels->spare);
	free(levels->threads);
	free(levels);
}

struct levels *levels_copy(const struct levels *levels)
{
	struct levels *copy = xcalloc(1, sizeof(*copy));

	*copy = *levels;
	copy->first = copy->last = copy->spare = NULL;
	for (struct segment *segment = levels->first; segment; segment = segment->next) {
		segment->copy = add_segment(copy, segment->is_interval);
		level_bag_copy(&segment->copy->bag, &segment->bag);
		segment->copy->later = segment->later;
		segment->copy->pins = segment->pins;
	}
	copy->threads = xcalloc(levels->thread_capacity, sizeof(*copy->threads));
	for (size_t i = 0; i < levels->thread_capacity; i++) {
		copy->threads[i] = levels->threads[i];
		if (levels->threads[i].segment)
			copy->threads[i].segment = levels->threads[i].segment->copy;
	}
	return copy;
}

/* Time passes. What corrects the last segment is taken off, as it applies to all of it. */
static inline void pass(struct levels *levels, uint64_t now_ns)
{
	if (now_ns > levels->now_ns)
		level_bag_add(&levels->last->bag, &levels->hint,
			      level_minus(levels->now, levels->corrected), now_ns - levels->now_ns);
	levels->now_ns = now_ns;
}

/* The same, up to the intervals asked for and beyond. */
static int advance(struct levels *levels, uint64_t now_ns)
{
	while (levels->interval_ns && now_ns - levels->this_interval_ns > levels->interval_ns) {
		uint64_t next_ns = levels->this_interval_ns + levels->interval_ns;

		if (++levels->interval_count >= LEVELS_INTERVALS_MAX)
			return -1;
		pass(levels, next_ns);
		levels->this_interval_ns = next_ns;
		add_segment(levels, true);
	}
	pass(levels, now_ns);
	return 0;
}

/* How one thread in this state counts. */
static struct level level_of(enum thread_state state)
{
	return (struct level){thread_state_is_active(state), state == STATE_UNKNOWN};
}

/* From `segment` on a thread was in another state than had been believed. */
static void correct(struct levels *levels, struct segment *segment, enum thread_state believed,
		    enum thread_state state)
{
	struct level by = level_minus(level_of(state), level_of(believed));

	segment->later = level_plus(segment->later, by);
	levels->corrected = level_plus(levels->corrected, by);
	levels->now = level_plus(levels->now, by);
}

/* Merges a segment into the one before it, of which it differs by its own `later`. */
static void merge(struct levels *levels, struct segment *segment)
{
	struct segment *into = segment->previous, *next = segment->next;

	level_bag_move(&segment->bag, segment->later);
	level_bag_pour(&into->bag, &segment->bag, &levels->merge_hint);
	if (next)
		next->later = level_plus(next->later, segment->later);
	else
		levels->corrected = level_minus(levels->corrected, segment->later);
	segment->later = (struct level){0, 0};
	into->next = next;
	*(next ? &next->previous : &levels->last) = into;
	segment->next = levels->spare;
	levels->spare = segment;
}

static void unpin(struct levels *levels, struct segment *segment)
{
	if (--segment->pins == 0 && !segment->is_interval)
		merge(levels, segment);
}

/* A segment that begins now. */
static struct segment *pin(struct levels *levels)
{
	struct segment *segment = levels->last;

	if (segment->bag.count)
		segment = add_segment(levels, false);
	segment->pins++;
	return segment;
}

void levels_begin(struct levels *levels, uint64_t begin_ns)
{
	if (levels->begun)
		return;
	levels->begun = true;
	levels->now_ns = levels->this_interval_ns = begin_ns;
}

/* A thread met after the beginning whose past up to then is told at once: it begins there too. */
static void join(struct levels *levels, struct belief *belief)
{
	belief->state = STATE_NONE;
	belief->segment = levels->first;
	belief->segment->pins++;
}

int levels_add(struct levels *levels, const struct change *change)
{
	struct belief *belief;

	array_reserve(&levels->threads, &levels->thread_capacity, change->thread + 1);
	belief = &levels->threads[change->thread];
	levels_begin(levels, change->begin_ns);
	if (advance(levels, change->end_ns))
		return -1;
	if (!belief->segment && change->state != STATE_NONE)
		join(levels, belief);
	if (belief->segment) {
		if (belief->state != change->state)
			correct(levels, belief->segment, belief->state, change->state);
		unpin(levels, belief->segment);
		belief->segment = NULL;
	}
	levels->now = level_plus(levels->now,
				 level_minus(level_of(change->next), level_of(change->state)));
	belief->state = change->next;
	if (change->next != STATE_NONE)
		belief->segment = pin(levels);
	return 0;
}

/* --- Results ------------------------------------------------------------------------------- */

/* Segments from one on, up to one that is not in it, or to the end. */
struct range {
	const struct segment *from, *to;
	struct level corrected; /* all that corrects the first of them */
};

/* The most threads that were active at once. */
static size_t find_most(const struct range *range)
{
	struct level corrected = range->corrected;
	int32_t most = 0;

	for (const struct segment *segment = range->from; segment != range->to;) {
		for (size_t i = 0; i < segment->bag.count; i++) {
			struct level_time time = level_bag_get(&segment->bag, i);
			struct level level = level_plus(time.level, corrected);

			if (!level.unknown && level.active > most)
				most = level.active;
		}
		segment = segment->next;
		if (segment)
			corrected = level_plus(corrected, segment->later);
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

/* Adds a range up, and goes on to what is behind it. */
static void sum(struct level_times *times, struct range *range, uint64_t begin_ns)
{
	*times = (struct level_times){.begin_ns = begin_ns, .max_active = find_most(range)};
	times->wall_ns = xcalloc(times->max_active + 1, sizeof(*times->wall_ns));
	while (range->from != range->to) {
		add_segment_to(times, range->from, range->corrected);
		range->from = range->from->next;
		if (range->from)
			range->corrected = level_plus(range->corrected, range->from->later);
	}
}

void levels_sum(const struct levels *levels, struct level_times *times)
{
	struct range all = {levels->first, NULL, levels->first->later};

	sum(times, &all, 0);
}

static const struct segment *next_interval(const struct segment *segment)
{
	do
		segment = segment->next;
	while (segment && !segment->is_interval);
	return segment;
}

size_t levels_intervals(const struct levels *levels, struct level_times **list)
{
	struct range range = {levels->first, levels->first, levels->first->later};
	size_t count = 0, capacity = 0;

	*list = NULL;
	while (range.from) {
		array_reserve(list, &capacity, count + 1);
		range.to = next_interval(range.from);
		sum(&(*list)[count], &range, count * levels->interval_ns);
		count++;
	}
	return count;
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
	return wall > 0 ? work / wall : NAN;
}
