/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/overview/overview.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "stats/overview/state_strip.h"
#include "stats/profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A microsecond, about: no event of the scheduler is told more exactly. */
enum { LEAST_BIN_NS = 1024 };

/* --- CPUs ------------------------------------------------------------------------------------ */

enum lane { LANE_RUNNING, LANE_RUNNABLE, LANE_UNSURE, LANES, LANE_NONE };

/*
 * The time that threads spent in each bin. An interval fills all bins but its first and its last
 * one, so only where that begins and ends is noted: it takes constant time, however long it is.
 */
struct lane_bins {
	uint64_t spent_ns[OVERVIEW_BINS];
	int64_t filling[OVERVIEW_BINS +
			1]; /* threads that fill the bins from here on: the change */
};

static enum lane lane_of(enum thread_state state)
{
	if (state == STATE_RUNNING)
		return LANE_RUNNING;
	if (state == STATE_RUNNABLE)
		return LANE_RUNNABLE;
	return state == STATE_ACTIVE || state == STATE_UNKNOWN ? LANE_UNSURE : LANE_NONE;
}

/* Afterwards all is in spent_ns. */
static void lane_settle(struct lane_bins *lane, uint64_t bin_ns)
{
	int64_t threads = 0;

	for (size_t i = 0; i < OVERVIEW_BINS; i++) {
		threads += lane->filling[i];
		lane->filling[i] = 0;
		lane->spent_ns[i] += (uint64_t)threads * bin_ns;
	}
	lane->filling[OVERVIEW_BINS] = 0;
}

static void lane_join(struct lane_bins *lane, uint64_t bin_ns)
{
	enum { HALF = OVERVIEW_BINS / 2 };

	lane_settle(lane, bin_ns);
	for (size_t i = 0; i < HALF; i++)
		lane->spent_ns[i] = lane->spent_ns[2 * i] + lane->spent_ns[2 * i + 1];
	memset(lane->spent_ns + HALF, 0, HALF * sizeof(*lane->spent_ns));
}

static void lane_add(struct lane_bins *lane, uint64_t bin_ns, uint64_t from_ns, uint64_t to_ns)
{
	size_t first = from_ns / bin_ns, last = to_ns / bin_ns;

	if (first == last) {
		lane->spent_ns[first] += to_ns - from_ns;
		return;
	}
	lane->spent_ns[first] += (first + 1) * bin_ns - from_ns;
	lane->filling[first + 1]++;
	lane->filling[last]--;
	if (last < OVERVIEW_BINS)
		lane->spent_ns[last] += to_ns - last * bin_ns;
}

/* --- Waits ----------------------------------------------------------------------------------- */

/* More than are shown, as some are of threads that are not. */
enum { WAITS_LONGEST = 4 * OVERVIEW_LONGEST, WAITS_WAKEUPS = 4 * OVERVIEW_WAKEUPS };

/* The longest of all that came, the shortest of them first: a heap. */
struct waits {
	struct overview_wait *items;
	size_t count, capacity, most;
};

static uint64_t wait_ns(const struct overview_wait *wait)
{
	return wait->end_ns - wait->begin_ns;
}

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

struct reader_thread {
	struct strip strip;
	uint64_t begin_ns, end_ns;
	char comm[COMM_SIZE];
	bool begun;
};

/* Of all strips; beyond, their bins become longer. */
enum { SPANS_MOST = 1 << 20, STATE_BINS_LEAST = OVERVIEW_BINS / 32 };

struct overview_reader {
	const struct timeline *timeline;
	uint64_t begin_ns, end_ns;
	bool begun;
	uint64_t bin_ns;       /* of the lanes */
	uint64_t state_bin_ns; /* of the strips: that, or a multiple of it */
	struct lane_bins lanes[LANES];
	struct reader_thread *threads; /* by number */
	size_t thread_count, thread_capacity;
	size_t span_count, span_most;
	struct waits longest, wakeups;
};

struct overview_reader *overview_reader_new(const struct timeline *timeline)
{
	struct overview_reader *reader = xcalloc(1, sizeof(*reader));

	reader->timeline = timeline;
	reader->bin_ns = reader->state_bin_ns = LEAST_BIN_NS;
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
	free(reader->threads);
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

/* There may be so many threads that each has little more than one span. */
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
	while ((end_ns - reader->begin_ns) / OVERVIEW_BINS >= reader->bin_ns) {
		for (size_t i = 0; i < LANES; i++)
			lane_join(&reader->lanes[i], reader->bin_ns);
		reader->bin_ns *= 2;
	}
	while (reader->state_bin_ns < reader->bin_ns)
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
	if (!thread->begun)
		thread->begin_ns = from_ns;
	thread->begun = true;
	thread->end_ns = to_ns;
	memcpy(thread->comm, change->comm, sizeof(thread->comm));
	if (to_ns <= from_ns)
		return;
	if (lane != LANE_NONE)
		lane_add(&reader->lanes[lane], reader->bin_ns, from_ns, to_ns);
	if (is_wait(change->state))
		take_wait(reader, change, from_ns, to_ns);
	spans = thread->strip.count;
	strip_add(&thread->strip, reader->state_bin_ns, strip_kind(change->state), from_ns, to_ns);
	reader->span_count += thread->strip.count - spans;
	bound_spans(reader);
}

/* --- The result ------------------------------------------------------------------------------ */

static double *lane_means(const struct lane_bins *lane, const struct overview_reader *reader,
			  const struct overview_cpus *cpus)
{
	double *means = xcalloc(cpus->count, sizeof(*means));
	size_t factor = cpus->bin_ns / reader->bin_ns;
	uint64_t total_ns = reader->end_ns - reader->begin_ns;

	for (size_t i = 0; i < cpus->count; i++) {
		uint64_t left_ns = total_ns - i * cpus->bin_ns, spent_ns = 0;

		for (size_t j = i * factor; j < (i + 1) * factor && j < OVERVIEW_BINS; j++)
			spent_ns += lane->spent_ns[j];
		means[i] = (double)spent_ns /
			   (double)(left_ns < cpus->bin_ns ? left_ns : cpus->bin_ns);
	}
	return means;
}

static size_t bin_count(const struct overview_reader *reader, uint64_t bin_ns)
{
	return (reader->end_ns - reader->begin_ns + bin_ns - 1) / bin_ns;
}

/* The shortest bins, of at most so many, that are a multiple of `bin_ns`. */
static uint64_t level_bin_ns(const struct overview_reader *reader, uint64_t bin_ns, size_t level)
{
	static const size_t most[OVERVIEW_LEVELS] = {OVERVIEW_BINS / 32, OVERVIEW_BINS / 4,
						     OVERVIEW_BINS};

	while (bin_count(reader, bin_ns) > most[level])
		bin_ns *= 2;
	return bin_ns;
}

static void make_cpus(struct overview *overview, struct overview_reader *reader)
{
	for (size_t i = 0; i < LANES; i++)
		lane_settle(&reader->lanes[i], reader->bin_ns);
	for (size_t i = 0; i < OVERVIEW_LEVELS; i++) {
		struct overview_cpus *cpus = &overview->cpus[i];

		cpus->bin_ns = level_bin_ns(reader, reader->bin_ns, i);
		cpus->count = bin_count(reader, cpus->bin_ns);
		cpus->running = lane_means(&reader->lanes[LANE_RUNNING], reader, cpus);
		cpus->runnable = lane_means(&reader->lanes[LANE_RUNNABLE], reader, cpus);
		cpus->unsure = lane_means(&reader->lanes[LANE_UNSURE], reader, cpus);
	}
}

struct ranked {
	uint64_t cpu_ns;
	size_t number;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	return compare_values(other->cpu_ns, one->cpu_ns)
		       ?: compare_values(one->number, other->number);
}

static void choose_threads(struct overview *overview, const struct overview_reader *reader,
			   const struct profile *profile)
{
	size_t count = profile->thread_count;
	struct ranked *ranked = xcalloc(count, sizeof(*ranked));

	if (reader->thread_count < count)
		count = reader->thread_count;
	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){profile->threads[i].state_ns[STATE_RUNNING], i};
	sort_items(ranked, count, compare_ranked);
	overview->thread_count = count < OVERVIEW_THREADS ? count : OVERVIEW_THREADS;
	overview->left_out = count - overview->thread_count;
	overview->threads = xcalloc(overview->thread_count, sizeof(*overview->threads));
	for (size_t i = 0; i < overview->thread_count; i++) {
		const struct reader_thread *thread = &reader->threads[ranked[i].number];

		overview->threads[i] = (struct overview_thread){
			.number = ranked[i].number,
			.leader = SIZE_MAX,
			.begin_ns = thread->begin_ns,
			.end_ns = thread->end_ns,
		};
		memcpy(overview->threads[i].comm, thread->comm, sizeof(thread->comm));
	}
	free(ranked);
}

/* Where the number of a process comes again, the last leader before the thread. */
static void find_leaders(struct overview *overview, const struct profile *profile)
{
	struct map pids = {0};
	size_t *leaders = NULL, capacity = 0;
	size_t *of_threads = xcalloc(profile->thread_count, sizeof(*of_threads));

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];
		uint32_t pid = map_add_u64(&pids, (uint64_t)(int64_t)thread->pid);

		array_reserve(&leaders, &capacity, (size_t)pid + 1);
		if (thread->tid == thread->pid)
			leaders[pid] = i + 1;
		of_threads[i] = leaders[pid];
	}
	for (size_t i = 0; i < overview->thread_count; i++)
		overview->threads[i].leader = of_threads[overview->threads[i].number] - 1;
	free(of_threads);
	free(leaders);
	map_release(&pids);
}

/* Returns the bytes that the texts of the level take. */
static size_t make_level(struct overview *overview, const struct overview_reader *reader,
			 size_t level, uint64_t bin_ns)
{
	size_t size = 0;

	overview->state_bin_ns[level] = bin_ns;
	for (size_t i = 0; i < overview->thread_count; i++) {
		struct overview_thread *thread = &overview->threads[i];
		struct strip joined = {.count = 0};

		strip_join(&joined, &reader->threads[thread->number].strip, reader->state_bin_ns,
			   (uint32_t)(bin_ns / reader->state_bin_ns));
		free(thread->states[level]);
		thread->states[level] = strip_text(&joined, bin_count(reader, bin_ns));
		size += strlen(thread->states[level]);
		strip_release(&joined);
	}
	return size;
}

static void make_states(struct overview *overview, const struct overview_reader *reader)
{
	for (size_t level = 0; level < OVERVIEW_LEVELS; level++) {
		uint64_t bin_ns = level_bin_ns(reader, reader->state_bin_ns, level);

		while (make_level(overview, reader, level, bin_ns) > OVERVIEW_STATES_SIZE &&
		       bin_count(reader, bin_ns) > 1)
			bin_ns *= 2;
	}
}

static int compare_waits(const void *a, const void *b)
{
	const struct overview_wait *one = a, *other = b;

	return compare_values(wait_ns(other), wait_ns(one))
		       ?: compare_values(one->begin_ns, other->begin_ns)
		       ?: compare_values(one->thread, other->thread);
}

/* `shown`: the index of each thread in the overview, or BY_STRANGER. */
static uint32_t shown_thread(const uint32_t *shown, const struct overview_reader *reader,
			     uint32_t number)
{
	return number < reader->thread_count ? shown[number] : number;
}

static struct overview_wait *choose_waits(size_t *count, const struct waits *waits,
					  const struct overview_reader *reader,
					  const uint32_t *shown, size_t most, bool of_pairs)
{
	struct overview_wait *chosen = xcalloc(waits->count, sizeof(*chosen));

	*count = 0;
	for (size_t i = 0; i < waits->count; i++) {
		struct overview_wait wait = waits->items[i];

		wait.thread = shown_thread(shown, reader, wait.thread);
		wait.by = shown_thread(shown, reader, wait.by);
		wait.before = shown_thread(shown, reader, wait.before);
		if (wait.thread >= BY_INTERRUPT || (of_pairs && wait.by >= BY_INTERRUPT))
			continue;
		chosen[(*count)++] = wait;
	}
	sort_items(chosen, *count, compare_waits);
	*count = *count < most ? *count : most;
	return chosen;
}

static void make_waits(struct overview *overview, const struct overview_reader *reader)
{
	uint32_t *shown = xcalloc(reader->thread_count, sizeof(*shown));

	for (size_t i = 0; i < reader->thread_count; i++)
		shown[i] = BY_STRANGER;
	for (size_t i = 0; i < overview->thread_count; i++)
		shown[overview->threads[i].number] = (uint32_t)i;
	overview->longest = choose_waits(&overview->longest_count, &reader->longest, reader, shown,
					 OVERVIEW_LONGEST, false);
	overview->wakeups = choose_waits(&overview->wakeup_count, &reader->wakeups, reader, shown,
					 OVERVIEW_WAKEUPS, true);
	free(shown);
}

void overview_init(struct overview *overview, struct overview_reader *reader,
		   const struct profile *profile)
{
	*overview = (struct overview){.total_ns = reader->end_ns - reader->begin_ns};
	make_cpus(overview, reader);
	choose_threads(overview, reader, profile);
	find_leaders(overview, profile);
	make_states(overview, reader);
	make_waits(overview, reader);
}

void overview_release(struct overview *overview)
{
	for (size_t i = 0; i < OVERVIEW_LEVELS; i++) {
		free(overview->cpus[i].running);
		free(overview->cpus[i].runnable);
		free(overview->cpus[i].unsure);
	}
	for (size_t i = 0; i < overview->thread_count; i++)
		for (size_t level = 0; level < OVERVIEW_LEVELS; level++)
			free(overview->threads[i].states[level]);
	free(overview->threads);
	free(overview->longest);
	free(overview->wakeups);
}
