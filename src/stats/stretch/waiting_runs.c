/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_private.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/timeline/timeline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double BY_CHANCE = 1e-6;
enum { NEIGHBOURS = 16 };

/* Samples of one thread, all of work or none. */
struct span {
	size_t first, count; /* also what is passed over; only others are counted */
	bool works;
};

struct spans {
	struct span *items;
	size_t count, capacity;
};

static int by_thread_and_time(const void *a, const void *b)
{
	const struct stretch_sample *one = a, *other = b;

	return compare_values(one->thread, other->thread)
		       ?: compare_values(one->time_ns, other->time_ns);
}

static void add_to_spans(struct spans *spans, size_t first, size_t count, bool works)
{
	struct span *last = spans->count ? &spans->items[spans->count - 1] : NULL;

	if (last && last->works == works) {
		last->count += count;
		return;
	}
	array_reserve(&spans->items, &spans->capacity, spans->count + 1);
	spans->items[spans->count++] = (struct span){first, count, works};
}

/* Neighbours of work, and which of them are followed by none. */
struct mixture {
	size_t works, left;
};

static void add_neighbours(struct mixture *mixture, size_t works, size_t *wanted, bool is_followed)
{
	size_t taken = works < *wanted ? works : *wanted;

	/* What is behind the last sample of a thread nobody knows. */
	mixture->works += taken;
	mixture->left += is_followed && taken;
	*wanted -= taken;
}

static double share_of(const struct mixture *mixture)
{
	return (double)(mixture->left + 1) / (double)(mixture->works + 2);
}

static double chance_of(const struct spans *spans, size_t run)
{
	struct mixture before = {0, 0}, behind = {0, 0};
	size_t wanted = NEIGHBOURS;

	for (size_t i = run; i-- > 0 && wanted;)
		if (spans->items[i].works)
			add_neighbours(&before, spans->items[i].count, &wanted, true);
	wanted = NEIGHBOURS;
	for (size_t i = run + 1; i < spans->count && wanted; i++)
		if (spans->items[i].works)
			add_neighbours(&behind, spans->items[i].count, &wanted,
				       i + 1 < spans->count && spans->items[i].count <= wanted);
	if (!before.works)
		before = behind;
	if (!behind.works)
		behind = before;
	return pow(fmax(share_of(&before), share_of(&behind)), (double)spans->items[run].count);
}

static void mark(struct stretch_sample *samples, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (samples[i].block == STRETCH_OVERHEAD)
			samples[i].block = STRETCH_WAITING;
}

/* Of one thread, from `first` to before `end`. */
static void mark_thread(struct stretch_sample *samples, size_t first, size_t end, double tick_s,
			uint32_t unknown, struct spans *spans)
{
	spans->count = 0;
	for (size_t i = first; i < end; i++)
		if (samples[i].block != unknown)
			add_to_spans(spans, i, samples[i].count,
				     samples[i].block < STRETCH_OVERHEAD);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *span = &spans->items[i];

		if (!span->works && (double)span->count * tick_s >= TIME_LOSS_LOOKING_NS / 1e9 &&
		    chance_of(spans, i) < BY_CHANCE)
			mark(samples, span->first,
			     i + 1 < spans->count ? spans->items[i + 1].first : end);
	}
}

void waiting_runs_mark(struct stretch_sample *samples, size_t count, const double *tick_s,
		       uint32_t unknown)
{
	struct spans spans = {.count = 0};
	size_t end;

	sort_items(samples, count, by_thread_and_time);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && samples[end].thread == samples[i].thread;)
			end++;
		mark_thread(samples, i, end, tick_s[samples[i].thread], unknown, &spans);
	}
	free(spans.items);
}

/* The first sample of the thread behind that time, or of the next one. */
static size_t find_behind(const struct stretch_sample *samples, size_t count,
			  const struct cpu_edge *edge)
{
	const struct stretch_sample wanted = {.thread = edge->thread, .time_ns = edge->time_ns};

	return find_first(i, 0, count, by_thread_and_time(&samples[i], &wanted) > 0);
}

static bool waits(const struct stretch_sample *sample, uint32_t thread)
{
	return sample->thread == thread && sample->block == STRETCH_WAITING;
}

void waiting_runs_leave(struct cpu_edges *edges, const struct stretch_sample *samples, size_t count)
{
	for (size_t i = 0; i < edges->count; i++) {
		struct cpu_edge *edge = &edges->items[i];
		size_t next;

		if (edge->state != STATE_RUNNABLE)
			continue;
		next = find_behind(samples, count, edge);
		if (next && next < count && waits(&samples[next - 1], edge->thread) &&
		    waits(&samples[next], edge->thread))
			edge->state = STATE_NONE;
	}
}
