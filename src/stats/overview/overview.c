/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/overview/overview.h"

#include "base/alloc.h"
#include "stats/overview/overview_private.h"
#include "stats/profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- CPUs ------------------------------------------------------------------------------------ */

static enum lane lane_of(enum thread_state state)
{
	if (state == STATE_RUNNING)
		return LANE_RUNNING;
	if (state == STATE_RUNNABLE)
		return LANE_RUNNABLE;
	return state == STATE_ACTIVE || state == STATE_UNKNOWN ? LANE_UNSURE : LANE_NONE;
}

/* --- Waits ----------------------------------------------------------------------------------- */

/* More than are shown, as some waits are of threads that are not shown. */
enum { WAITS_LONGEST = 4 * OVERVIEW_LONGEST, WAITS_WAKEUPS = 4 * OVERVIEW_WAKEUPS };

static void waits_sink(struct waits *waits, size_t at)
{
	struct overview_wait *items = waits->items, sinking = items[at];

	for (size_t child; (child = 2 * at + 1) < waits->count; at = child) {
		if (child + 1 < waits->count && wait_ns(&items[child + 1]) < wait_ns(&items[child]))
			child++;
		if (wait_ns(&items[child]) >= wait_ns(&sinking))
			break;
		items[at] = items[child];
	}
	items[at] = sinking;
}

static void waits_add(struct waits *waits, const struct overview_wait *wait)
{
	struct overview_wait *items;
	size_t at = waits->count;

	if (at == waits->most) {
		if (wait_ns(wait) <= wait_ns(&waits->items[0]))
			return;
		waits->items[0] = *wait;
		waits_sink(waits, 0);
		return;
	}
	array_reserve(&waits->items, &waits->capacity, at + 1);
	items = waits->items;
	waits->count++;
	for (; at && wait_ns(&items[(at - 1) / 2]) > wait_ns(wait); at = (at - 1) / 2)
		items[at] = items[(at - 1) / 2];
	items[at] = *wait;
}

/* --- The reader ------------------------------------------------------------------------------ */

/* SPANS_MOST is the largest number of spans of all strips; beyond it their bins become longer. */
enum { SPANS_MOST = 1 << 20, STATE_BINS_LEAST = OVERVIEW_BINS / 32 };

struct overview_reader *overview_reader_new(struct profiler *profiler)
{
	struct overview_reader *reader = xcalloc(1, sizeof(*reader));

	profiler_want(profiler, PROFILER_BINS);
	reader->timeline = profiler_timeline(profiler);
	time_bins_init(&reader->bins, PROFILER_BIN_LEAST_NS, OVERVIEW_BINS, LANES);
	reader->state_bin_ns = reader->bins.bin_ns;
	reader->path.least_ns = PROFILER_BIN_LEAST_NS;
	reader->span_most = SPANS_MOST;
	reader->longest.most = WAITS_LONGEST;
	reader->wakeups.most = WAITS_WAKEUPS;
	return reader;
}

void overview_reader_free(struct overview_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->thread_count; i++)
		strip_release(&reader->threads[i].strip);
	time_bins_release(&reader->bins);
	free(reader->threads);
	wake_path_release(&reader->path);
	free(reader->longest.items);
	free(reader->wakeups.items);
	free(reader);
}

static void join_strips(struct overview_reader *reader)
{
	reader->span_count = 0;
	for (size_t i = 0; i < reader->thread_count; i++) {
		struct strip joined = {.count = 0}, *strip = &reader->threads[i].strip;

		strip_join(&joined, strip, reader->state_bin_ns, 2);
		strip_release(strip);
		*strip = joined;
		reader->span_count += joined.count;
	}
	reader->state_bin_ns *= 2;
}

/* Joins bins to bound the spans. Many threads may need little more than one span each. */
static void bound_spans(struct overview_reader *reader)
{
	uint64_t time_ns = reader->end_ns - reader->begin_ns;

	if (reader->span_count <= reader->span_most)
		return;
	while (reader->span_count > reader->span_most / 2 &&
	       time_ns / reader->state_bin_ns > STATE_BINS_LEAST)
		join_strips(reader);
	while (reader->span_count > reader->span_most / 2)
		reader->span_most *= 2;
}

static void reach(struct overview_reader *reader, uint64_t end_ns)
{
	if (!reader->begun)
		reader->begin_ns = reader->end_ns = timeline_begin_ns(reader->timeline);
	reader->begun = true;
	if (end_ns <= reader->end_ns)
		return;
	reader->end_ns = end_ns;
	time_bins_extend(&reader->bins, end_ns - reader->begin_ns);
	while (reader->state_bin_ns < reader->bins.bin_ns)
		join_strips(reader);
}

static void take_wait(struct overview_reader *reader, const struct change *change, uint64_t from_ns,
		      uint64_t to_ns)
{
	int kind = strip_kind(change->state);
	const struct overview_wait wait = {
		from_ns,    to_ns,	    OVERVIEW_LETTERS[kind], (uint32_t)change->thread,
		change->by, change->before, change->chain};

	waits_add(&reader->longest, &wait);
	if (change->next == STATE_RUNNABLE && change->by < BY_INTERRUPT)
		waits_add(&reader->wakeups, &wait);
}

static bool is_wait(enum thread_state state)
{
	return state >= STATE_RUNNABLE && state < STATE_COUNT;
}

void overview_reader_take(void *context, const struct change *change)
{
	struct overview_reader *reader = context;
	struct reader_thread *thread;
	uint64_t from_ns, to_ns;
	enum lane lane = lane_of(change->state);
	size_t spans;

	reach(reader, change->end_ns);
	array_reserve(&reader->threads, &reader->thread_capacity, change->thread + 1);
	if (change->thread >= reader->thread_count)
		reader->thread_count = change->thread + 1;
	thread = &reader->threads[change->thread];
	to_ns = change->end_ns > reader->begin_ns ? change->end_ns - reader->begin_ns : 0;
	from_ns = change->begin_ns > reader->begin_ns ? change->begin_ns - reader->begin_ns : 0;
	if (!thread->begun) {
		thread->begin_ns = from_ns;
		thread->creator = change->state == STATE_NONE ? change->by : BY_NO_THREAD;
	}
	thread->begun = true;
	thread->end_ns = to_ns;
	memcpy(thread->comm, change->comm, sizeof(thread->comm));
	wake_path_take(&reader->path, change, from_ns, to_ns);
	if (to_ns <= from_ns)
		return;
	if (lane != LANE_NONE)
		time_bins_add(&reader->bins, lane, from_ns, to_ns);
	if (is_wait(change->state))
		take_wait(reader, change, from_ns, to_ns);
	spans = thread->strip.count;
	strip_add(&thread->strip, reader->state_bin_ns, strip_kind(change->state), from_ns, to_ns);
	reader->span_count += thread->strip.count - spans;
	bound_spans(reader);
}
