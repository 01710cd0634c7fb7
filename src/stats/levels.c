/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/levels.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Wall time with so many threads active, and of so many others not known whether they are. */
struct level {
	int32_t active, unknown;
	uint64_t wall_ns;
};

/* Where a level was found last, by the last bits of its `active`: nearly always there again. */
enum { HINTS = 8 };

struct segment {
	struct level *levels; /* sorted by active, then unknown */
	size_t hints[HINTS];  /* may be wrong */
	size_t count, capacity;
	size_t pins;	  /* open intervals that begin where this segment does */
	bool is_interval; /* an interval asked for begins here: never merged */
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
	int32_t active, unknown; /* now */
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
	segment->count = 0;
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
		free(segment->levels);
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

static int compare(const struct level *level, int32_t active, int32_t unknown)
{
	if (level->active != active)
		return level->active < active ? -1 : 1;
	return (level->unknown > unknown) - (level->unknown < unknown);
}

static void copy_segment(struct segment *to, const struct segment *from)
{
	array_reserve(&to->levels, &to->capacity, from->count);
	for (size_t i = 0; i < from->count; i++)
		to->levels[i] = from->levels[i];
	to->count = from->count;
	to->pins = from->pins;
}

struct levels *levels_copy(const struct levels *levels)
{
	struct levels *copy = xcalloc(1, sizeof(*copy));

	*copy = *levels;
	copy->first = copy->last = copy->spare = NULL;
	for (struct segment *segment = levels->first; segment; segment = segment->next) {
		segment->copy = add_segment(copy, segment->is_interval);
		copy_segment(segment->copy, segment);
	}
	copy->threads = xcalloc(levels->thread_capacity, sizeof(*copy->threads));
	for (size_t i = 0; i < levels->thread_capacity; i++) {
		copy->threads[i] = levels->threads[i];
		if (levels->threads[i].segment)
			copy->threads[i].segment = levels->threads[i].segment->copy;
	}
	return copy;
}

/* The place of a level, which may be new. */
static size_t find_level(struct segment *segment, int32_t active, int32_t unknown)
{
	size_t from = 0, to = segment->count;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (compare(&segment->levels[middle], active, unknown) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == segment->count || compare(&segment->levels[from], active, unknown) != 0) {
		array_reserve(&segment->levels, &segment->capacity, segment->count + 1);
		if (from < segment->count)
			memmove(&segment->levels[from + 1], &segment->levels[from],
				(segment->count - from) * sizeof(*segment->levels));
		segment->levels[from] = (struct level){active, unknown, 0};
		segment->count++;
	}
	return from;
}

static inline void add_time(struct segment *segment, int32_t active, int32_t unknown,
			    uint64_t wall_ns)
{
	size_t *hint = &segment->hints[(uint32_t)active % HINTS];

	if (!segment->count && segment->capacity) { /* it has just begun, as often */
		segment->levels[0] = (struct level){active, unknown, wall_ns};
		segment->count = 1;
		*hint = 0;
		return;
	}
	if (*hint >= segment->count || compare(&segment->levels[*hint], active, unknown) != 0)
		*hint = find_level(segment, active, unknown);
	segment->levels[*hint].wall_ns += wall_ns;
}

/* Time passes, up to the intervals asked for and beyond. */
static int advance(struct levels *levels, uint64_t now_ns)
{
	while (levels->interval_ns && now_ns - levels->this_interval_ns > levels->interval_ns) {
		uint64_t next_ns = levels->this_interval_ns + levels->interval_ns;

		if (++levels->interval_count >= LEVELS_INTERVALS_MAX)
			return -1;
		add_time(levels->last, levels->active, levels->unknown, next_ns - levels->now_ns);
		levels->now_ns = levels->this_interval_ns = next_ns;
		add_segment(levels, true);
	}
	if (now_ns > levels->now_ns)
		add_time(levels->last, levels->active, levels->unknown, now_ns - levels->now_ns);
	levels->now_ns = now_ns;
	return 0;
}

/* The number of active, or of unknown threads rises by one, or falls. */
static void step(int32_t *active, int32_t *unknown, enum thread_state state, int by)
{
	if (thread_state_is_active(state))
		*active += by;
	else if (state == STATE_UNKNOWN)
		*unknown += by;
}

/* From `segment` on a thread was in another state than had been believed. */
static void correct(struct levels *levels, struct segment *segment, enum thread_state believed,
		    enum thread_state state)
{
	int32_t active = 0, unknown = 0;

	step(&active, &unknown, believed, -1);
	step(&active, &unknown, state, +1);
	if (!active && !unknown)
		return;
	for (; segment; segment = segment->next) {
		for (size_t i = 0; i < segment->count; i++) {
			segment->levels[i].active += active;
			segment->levels[i].unknown += unknown;
		}
	}
	levels->active += active;
	levels->unknown += unknown;
}

/* Merges a segment into the one before it. */
static void merge(struct levels *levels, struct segment *segment)
{
	struct segment *into = segment->previous;

	for (size_t i = 0; i < segment->count; i++)
		add_time(into, segment->levels[i].active, segment->levels[i].unknown,
			 segment->levels[i].wall_ns);
	into->next = segment->next;
	*(segment->next ? &segment->next->previous : &levels->last) = into;
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

	if (segment->count)
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
	step(&levels->active, &levels->unknown, change->state, -1);
	step(&levels->active, &levels->unknown, change->next, +1);
	belief->state = change->next;
	if (change->next != STATE_NONE)
		belief->segment = pin(levels);
	return 0;
}

/* --- Results ------------------------------------------------------------------------------- */

static void add_segment_to(struct level_times *times, const struct segment *segment)
{
	for (size_t i = 0; i < segment->count; i++) {
		const struct level *level = &segment->levels[i];

		times->total_ns += level->wall_ns;
		if (level->unknown)
			times->unknown_ns += level->wall_ns;
		else
			times->wall_ns[level->active] += level->wall_ns;
	}
}

static void begin_times(struct level_times *times, uint64_t begin_ns, size_t levels)
{
	*times = (struct level_times){.begin_ns = begin_ns};
	times->wall_ns = xcalloc(levels, sizeof(*times->wall_ns));
	times->max_active = levels - 1;
}

static void end_times(struct level_times *times)
{
	while (times->max_active && !times->wall_ns[times->max_active])
		times->max_active--;
}

static size_t count_levels(const struct levels *levels)
{
	int32_t most = 0;

	for (const struct segment *segment = levels->first; segment; segment = segment->next)
		if (segment->count && segment->levels[segment->count - 1].active > most)
			most = segment->levels[segment->count - 1].active;
	return (size_t)most + 1;
}

void levels_sum(const struct levels *levels, struct level_times *times)
{
	begin_times(times, 0, count_levels(levels));
	for (const struct segment *segment = levels->first; segment; segment = segment->next)
		add_segment_to(times, segment);
	end_times(times);
}

size_t levels_intervals(const struct levels *levels, struct level_times **list)
{
	size_t count = 0, capacity = 0, most = count_levels(levels);

	*list = NULL;
	for (const struct segment *segment = levels->first; segment; segment = segment->next) {
		if (segment->is_interval) {
			array_reserve(list, &capacity, count + 1);
			begin_times(&(*list)[count], count * levels->interval_ns, most);
			count++;
		}
		add_segment_to(&(*list)[count - 1], segment);
	}
	for (size_t i = 0; i < count; i++)
		end_times(&(*list)[i]);
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
