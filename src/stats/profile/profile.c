/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/map.h"
#include "base/sorted.h"
#include "stats/spin/thread_names.h"
#include "stats/usage/time_bins.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --- Counters ------------------------------------------------------------------------------ */

/* A count of a thread of the target. */
struct owned {
	ptrdiff_t thread;
	int32_t pid;
	const struct count *count;
};

struct work {
	const struct counted_thread *threads;
	size_t thread_count;
	struct thread_finder finder;
	int32_t *pids; /* the processes of the threads, sorted */
	struct owned *owned;
	size_t owned_count;
};

/* By thread and counter; several threads come last: -1 is the largest number. */
static int compare_owned(const void *a, const void *b)
{
	const struct owned *one = a, *other = b;

	return compare_values((uint64_t)one->thread, (uint64_t)other->thread)
		       ?: compare_values(one->pid, other->pid)
		       ?: compare_values(one->count->counter, other->count->counter);
}

static void sort_pids(struct work *work)
{
	work->pids = xcalloc(work->thread_count, sizeof(*work->pids));
	for (size_t i = 0; i < work->thread_count; i++)
		work->pids[i] = work->threads[i].pid;
	sort_items(work->pids, work->thread_count, compare_i32);
}

static bool has_process(const struct work *work, int32_t pid)
{
	return work->thread_count &&
	       bsearch(&pid, work->pids, work->thread_count, sizeof(*work->pids), compare_i32);
}

static void own(struct work *work, const struct count *count)
{
	bool several = count->tid < 0;
	ptrdiff_t thread = COUNTER_SEVERAL;
	struct owned *owned = &work->owned[work->owned_count];

	if (!several)
		thread = thread_finder_find(&work->finder, count->tid, count->time_ns);
	if (several ? !has_process(work, count->pid) : thread < 0)
		return;
	owned->thread = thread;
	owned->pid = several ? count->pid : 0;
	owned->count = count;
	work->owned_count++;
}

static void own_all(struct work *work, const struct counts *counts)
{
	for (size_t i = 0; i < counts->row_count; i++)
		own(work, &counts->rows[i]);
	sort_items(work->owned, work->owned_count, compare_owned);
}

struct sum {
	uint64_t value, enabled_ns, running_ns;
	uint64_t known_ns; /* of a total: enabled_ns of the threads with a known value */
	bool has_times;
};

/* Adds a count. On several CPUs an event is enabled wherever its thread runs: all say the same. */
static void sum_add(struct sum *sum, const struct count *count)
{
	sum->value += count->value;
	sum->running_ns += count->running_ns;
	if (count->enabled_ns > sum->enabled_ns)
		sum->enabled_ns = count->enabled_ns;
	sum->has_times |= count->has_times;
}

static struct counter_value value_of(const struct sum *sum)
{
	struct counter_value value = {(double)sum->value, sum->has_times ? 1 : (double)NAN};

	if (!sum->has_times || !sum->enabled_ns || sum->running_ns >= sum->enabled_ns)
		return value;
	value.share = (double)sum->running_ns / (double)sum->enabled_ns;
	value.value = sum->running_ns ? (double)sum->value / value.share : (double)NAN;
	return value;
}

static void add_total(struct counter_value *total, struct sum *times, const struct sum *sum)
{
	const struct counter_value value = value_of(sum);

	if (isfinite(value.value)) {
		total->value += value.value;
		times->known_ns += sum->enabled_ns;
	}
	times->enabled_ns += sum->enabled_ns;
	times->running_ns += sum->running_ns;
	times->has_times |= sum->has_times;
}

static void sum_up(struct counter_table *table, const struct work *work, struct sum *times)
{
	size_t next;

	for (size_t i = 0; i < work->owned_count; i = next) {
		const struct owned *first = &work->owned[i];
		struct sum sum = {0};

		for (next = i;
		     next < work->owned_count && !compare_owned(first, &work->owned[next]); next++)
			sum_add(&sum, work->owned[next].count);
		table->rows[table->row_count++] = (struct counter_row){
			first->thread, first->pid, first->count->counter, value_of(&sum)};
		add_total(&table->totals[first->count->counter], &times[first->count->counter],
			  &sum);
	}
}

/* Returns the total, with the rate of the known threads for the others; NAN: none is known. */
static struct counter_value total_of(const struct counter_value *known, const struct sum *times)
{
	struct counter_value total = {known->value, value_of(times).share};

	if (times->known_ns < times->enabled_ns)
		total.value = times->known_ns ? known->value * (double)times->enabled_ns /
							(double)times->known_ns
					      : (double)NAN;
	return total;
}

/* Leaves out events without a count in the target, as those that only sample. */
static void keep_used(struct counter_table *table, const struct counts *counts,
		      const struct sum *times)
{
	size_t *numbers = xcalloc(counts->counter_count, sizeof(*numbers));
	bool *used = xcalloc(counts->counter_count, sizeof(*used));

	for (size_t i = 0; i < table->row_count; i++)
		used[table->rows[i].counter] = true;
	for (size_t i = 0; i < counts->counter_count; i++) {
		if (!used[i])
			continue;
		numbers[i] = table->counter_count;
		table->totals[table->counter_count] = total_of(&table->totals[i], &times[i]);
		table->counters[table->counter_count] = counts->counters[i];
		table->counters[table->counter_count++].name = xstrdup(counts->counters[i].name);
	}
	for (size_t i = 0; i < table->row_count; i++)
		table->rows[i].counter = numbers[table->rows[i].counter];
	free(numbers);
	free(used);
}

void counter_table_init(struct counter_table *table, const struct counts *counts,
			const struct counted_thread *threads, size_t thread_count)
{
	struct work work = {.threads = threads,
			    .thread_count = counts->row_count ? thread_count : 0};
	struct sum *times = xcalloc(counts->counter_count, sizeof(*times));

	thread_finder_init(&work.finder, threads, work.thread_count);
	sort_pids(&work);
	work.owned = xcalloc(counts->row_count, sizeof(*work.owned));
	own_all(&work, counts);
	*table = (struct counter_table){
		.counters = xcalloc(counts->counter_count, sizeof(*table->counters)),
		.totals = xcalloc(counts->counter_count, sizeof(*table->totals)),
		.rows = xcalloc(work.owned_count, sizeof(*table->rows)),
	};
	sum_up(table, &work, times);
	keep_used(table, counts, times);
	free(times);
	thread_finder_release(&work.finder);
	free(work.pids);
	free(work.owned);
}

void counter_table_release(struct counter_table *table)
{
	for (size_t i = 0; i < table->counter_count; i++)
		free(table->counters[i].name);
	free(table->counters);
	free(table->totals);
	free(table->rows);
	*table = (struct counter_table){0};
}

/* --- Threads ------------------------------------------------------------------------------- */

static void add_to_thread(struct thread_profile *thread, const struct change *change)
{
	if (!thread->tid)
		thread->begin_ns = change->begin_ns;
	thread->tid = change->tid;
	thread->pid = change->pid;
	thread_name_take(&thread->name, change->comm);
	thread->start = change->start;
	thread->state_ns[change->state] += change->end_ns - change->begin_ns;
	thread->switches += change->left_cpu;
	thread->involuntary += change->left_cpu && change->next == STATE_RUNNABLE;
	thread->voluntary +=
		change->left_cpu && (change->next >= STATE_INACTIVE || change->next == STATE_NONE);
	thread->wakes += change->next == STATE_RUNNABLE && !change->left_cpu &&
			 !thread_state_is_active(change->state) && change->state != STATE_NONE;
}

struct thread_list {
	struct thread_profile *items;
	size_t count, capacity;
	bool joined; /* all threads are one */
};

static void list_add(struct thread_list *list, const struct change *change)
{
	size_t number = list->joined ? 0 : change->thread;

	array_reserve(&list->items, &list->capacity, number + 1);
	if (number >= list->count)
		list->count = number + 1;
	add_to_thread(&list->items[number], change);
}

/* --- Activity ------------------------------------------------------------------------------ */

/* The lanes; a running thread is in the first alone. */
enum { RUNNING, READY, UNKNOWN, LANES };

/* Returns the lane, or LANES for other states. */
static int activity_lane(enum thread_state state)
{
	if (state == STATE_UNKNOWN)
		return UNKNOWN;
	if (state == STATE_RUNNING)
		return RUNNING;
	return thread_state_is_active(state) ? READY : LANES;
}

struct activity {
	struct time_bins bins;
	bool begun;
	uint64_t begin_ns;
};

/* Adds a change. The timeline begins at `begin_ns`, which may be before its first change. */
static void activity_add(struct activity *activity, const struct change *change, uint64_t begin_ns)
{
	uint64_t from_ns = change->begin_ns, to_ns = change->end_ns;
	int lane = activity_lane(change->state);

	if (!activity->begun)
		activity->begin_ns = begin_ns;
	activity->begun = true;
	if (to_ns < activity->begin_ns)
		return;
	from_ns = from_ns < activity->begin_ns ? 0 : from_ns - activity->begin_ns;
	to_ns -= activity->begin_ns;
	time_bins_extend(&activity->bins, to_ns);
	if (lane < LANES)
		time_bins_add(&activity->bins, (size_t)lane, from_ns, to_ns);
}

static struct activity_times activity_sum(struct time_bins *bins)
{
	struct activity_times times = {.bin_ns = bins->bin_ns, .total_ns = bins->end_ns};

	time_bins_settle(bins);
	times.count = time_bins_count(bins);
	times.bins = xcalloc(times.count, sizeof(*times.bins));
	for (size_t i = 0; i < times.count; i++)
		times.bins[i] = (struct activity_bin){
			.running = time_bins_mean(bins, RUNNING, i),
			.ready = time_bins_mean(bins, READY, i),
			.unknown = time_bins_mean(bins, UNKNOWN, i),
		};
	return times;
}

/* --- Times of ready threads ---------------------------------------------------------------- */

/*
 * The times when threads were ready, kept up to the end: a thread may change its name at any time,
 * and belongs to the group of its last name. Each time that a thread becomes ready takes 24 bytes.
 */
struct ready_times {
	struct ready_time *items;
	size_t count, capacity;
	size_t *last; /* [thread]: the number of its last item, plus 1; 0: none */
	size_t last_capacity;
};

/* A time when the thread was ready, or in an unknown state. */
struct ready_time {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	bool is_unknown;
};

static bool is_counted(enum thread_state state)
{
	return thread_state_is_active(state) || state == STATE_UNKNOWN;
}

static void ready_times_add(struct ready_times *times, const struct change *change)
{
	const struct ready_time time = {change->begin_ns, change->end_ns, (uint32_t)change->thread,
					change->state == STATE_UNKNOWN};
	struct ready_time *last;

	array_reserve(&times->last, &times->last_capacity, change->thread + 1);
	if (!is_counted(change->state) || time.begin_ns >= time.end_ns)
		return;
	last = times->last[change->thread] ? &times->items[times->last[change->thread] - 1] : NULL;
	if (last && last->end_ns == time.begin_ns && last->is_unknown == time.is_unknown) {
		last->end_ns = time.end_ns;
		return;
	}
	array_reserve(&times->items, &times->capacity, times->count + 1);
	times->items[times->count++] = time;
	times->last[change->thread] = times->count;
}

static void ready_times_release(struct ready_times *times)
{
	free(times->items);
	free(times->last);
	*times = (struct ready_times){0};
}

/* --- Groups -------------------------------------------------------------------------------- */

static uint32_t group_number(struct map *keys, const struct thread_profile *thread,
			     const struct thread_name *name, enum profile_by by)
{
	if (by == PROFILE_BY_PROCESS)
		return map_add_u64(keys, (uint64_t)(int64_t)thread->pid);
	return map_add(keys, thread_name_text(name), strlen(thread_name_text(name)));
}

static void group_add(struct profile_group *group, const struct thread_profile *thread,
		      const struct thread_name *name, enum profile_by by)
{
	struct thread_profile *sum = &group->sum;
	bool is_process = by == PROFILE_BY_PROCESS;

	if (!group->thread_count++ || (is_process && thread->tid == thread->pid)) {
		thread_name_release(&sum->name);
		thread_name_copy(&sum->name, is_process ? &thread->name : name);
	}
	sum->tid = -1;
	sum->pid = is_process ? thread->pid : -1;
	for (size_t state = 0; state < STATE_COUNT; state++)
		sum->state_ns[state] += thread->state_ns[state];
	sum->throttled_ns += thread->throttled_ns;
	sum->switches += thread->switches;
	sum->voluntary += thread->voluntary;
	sum->involuntary += thread->involuntary;
	sum->wakes += thread->wakes;
}

/* Returns the number of the group of each thread; the caller frees the numbers. */
static uint32_t *group_threads(struct profile *profile, enum profile_by by)
{
	uint32_t *numbers = xcalloc(profile->thread_count, sizeof(*numbers));
	struct thread_name *names = thread_names_groups(profile->threads, profile->thread_count,
							THREAD_NAME_PLACE(struct thread_profile));
	struct map keys = {0};

	for (size_t i = 0; i < profile->thread_count; i++)
		numbers[i] = group_number(&keys, &profile->threads[i], &names[i], by);
	profile->group_count = keys.count;
	profile->groups = xcalloc(keys.count, sizeof(*profile->groups));
	for (size_t i = 0; i < profile->thread_count; i++) {
		group_add(&profile->groups[numbers[i]], &profile->threads[i], &names[i], by);
		thread_name_release(&names[i]);
	}
	free(names);
	map_release(&keys);
	return numbers;
}

/* --- Levels of groups ---------------------------------------------------------------------- */

/* A change of the numbers of threads of a group that are ready, or unknown. */
struct edge {
	uint64_t time_ns;
	uint32_t group;
	int8_t ready, unknown;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	return compare_values(one->group, other->group)
		       ?: compare_values(one->time_ns, other->time_ns);
}

static size_t add_edges(struct edge *edges, size_t count, const struct ready_times *times,
			const uint32_t *groups, uint64_t begin_ns)
{
	for (size_t i = 0; i < times->count; i++) {
		const struct ready_time *time = &times->items[i];
		uint64_t from_ns = time->begin_ns > begin_ns ? time->begin_ns : begin_ns;
		struct edge edge = {from_ns, groups[time->thread], !time->is_unknown,
				    time->is_unknown};

		if (time->end_ns <= from_ns)
			continue;
		edges[count++] = edge;
		edge.time_ns = time->end_ns;
		edge.ready = (int8_t)-edge.ready;
		edge.unknown = (int8_t)-edge.unknown;
		edges[count++] = edge;
	}
	return count;
}

static void levels_pass(struct level_times *levels, size_t ready, size_t unknown, uint64_t wall_ns)
{
	if (unknown)
		levels->unknown_ns += wall_ns;
	else
		levels->wall_ns[ready] += wall_ns;
	if (wall_ns && !unknown && ready > levels->max_active)
		levels->max_active = ready;
}

/* Takes the edges of the group from the beginning of `edges`, and returns their number. */
static size_t sweep_group(struct profile_group *group, uint32_t number, const struct edge *edges,
			  size_t count, uint64_t begin_ns, uint64_t total_ns)
{
	struct level_times *levels = &group->levels;
	uint64_t now_ns = begin_ns;
	size_t ready = 0, unknown = 0, i = 0;

	*levels = (struct level_times){.total_ns = total_ns};
	levels->wall_ns = xcalloc(group->thread_count + 1, sizeof(*levels->wall_ns));
	for (; i < count && edges[i].group == number; i++) {
		levels_pass(levels, ready, unknown, edges[i].time_ns - now_ns);
		now_ns = edges[i].time_ns;
		ready += (size_t)edges[i].ready;
		unknown += (size_t)edges[i].unknown;
	}
	levels_pass(levels, ready, unknown, begin_ns + total_ns - now_ns);
	group->mean_active = level_times_mean(levels);
	return i;
}

/*
 * Puts the threads of `profile` into groups, which begin at `begin_ns` and have the length of its
 * levels. `open` are changes that are not in `times`.
 */
static void groups_make(struct profile *profile, enum profile_by by, uint64_t begin_ns,
			const struct ready_times *times, const struct change *open,
			size_t open_count)
{
	uint32_t *numbers = group_threads(profile, by);
	struct ready_times more = {0};
	struct edge *edges;
	size_t count = 0, taken = 0;

	for (size_t i = 0; i < open_count; i++)
		ready_times_add(&more, &open[i]);
	edges = xcalloc(2 * (times->count + more.count), sizeof(*edges));
	count = add_edges(edges, count, times, numbers, begin_ns);
	count = add_edges(edges, count, &more, numbers, begin_ns);
	sort_items(edges, count, compare_edges);
	for (uint32_t i = 0; i < profile->group_count; i++)
		taken += sweep_group(&profile->groups[i], i, edges + taken, count - taken, begin_ns,
				     profile->levels.total_ns);
	ready_times_release(&more);
	free(edges);
	free(numbers);
}

/* --- The profiler -------------------------------------------------------------------------- */

struct profiler {
	struct event_source *source;
	struct timeline *timeline;
	struct levels *levels;
	struct activity *activity; /* NULL: not wanted */
	struct thread_list threads;
	struct durations waits;
	struct long_waits long_waits; /* not in `waits`, as they may be throttled */
	enum profile_by by;	      /* not by thread: ready times are kept */
	struct ready_times ready;
	uint64_t interval_ns;
	bool has_bins;
	bool ended; /* no more changes: the results may be handed over */
	void (*take)(void *context, const struct change *change); /* NULL: none */
	void *context;
};

struct profiler *profiler_new(struct event_source *source, const struct selection *selection,
			      uint64_t interval_ns)
{
	struct profiler *profiler = xcalloc(1, sizeof(*profiler));

	profiler->source = source;
	profiler->timeline = timeline_new(source, selection);
	profiler->levels = levels_new(interval_ns, 0);
	profiler->interval_ns = interval_ns;
	return profiler;
}

void profiler_free(struct profiler *profiler)
{
	if (!profiler)
		return;
	timeline_free(profiler->timeline);
	levels_free(profiler->levels);
	if (profiler->activity)
		time_bins_release(&profiler->activity->bins);
	free(profiler->activity);
	ready_times_release(&profiler->ready);
	long_waits_release(&profiler->long_waits);
	free(profiler->threads.items);
	free(profiler);
}

void profiler_want(struct profiler *profiler, enum profiler_wish wish)
{
	if (wish == PROFILER_SUMS) {
		profiler->threads.joined = true;
		return;
	}
	if (wish == PROFILER_BINS) {
		profiler->has_bins = true;
		levels_free(profiler->levels);
		profiler->levels = levels_new(PROFILER_BIN_LEAST_NS, PROFILER_BINS_MAX);
		return;
	}
	profiler->activity = xcalloc(1, sizeof(*profiler->activity));
	time_bins_init(&profiler->activity->bins, 1, ACTIVITY_BINS, LANES);
}

void profiler_group(struct profiler *profiler, enum profile_by by)
{
	profiler->by = by;
}

void profiler_watch(struct profiler *profiler,
		    void (*take)(void *context, const struct change *change), void *context)
{
	profiler->take = take;
	profiler->context = context;
}

struct timeline *profiler_timeline(struct profiler *profiler)
{
	return profiler->timeline;
}

static void add_wait(struct durations *waits, const struct change *change)
{
	if (change->state == STATE_RUNNABLE && change->end_ns > change->begin_ns)
		durations_add(waits, change->end_ns - change->begin_ns);
}

int profiler_run(struct profiler *profiler, struct err *err)
{
	const struct change *change;
	uint64_t begin_ns;
	int rc;

	while ((rc = timeline_borrow(profiler->timeline, &change, err)) > 0) {
		list_add(&profiler->threads, change);
		if (!long_waits_take(&profiler->long_waits, change,
				     &profiler->source->target.quota))
			add_wait(&profiler->waits, change);
		if (profiler->by)
			ready_times_add(&profiler->ready, change);
		if (profiler->take)
			profiler->take(profiler->context, change);
		begin_ns = timeline_begin_ns(profiler->timeline);
		if (profiler->activity)
			activity_add(profiler->activity, change, begin_ns);
		levels_begin(profiler->levels, begin_ns);
		if (levels_add(profiler->levels, change))
			return err_set(err,
				       "the recording has more than %d intervals of %g s: choose "
				       "longer ones",
				       LEVELS_INTERVALS_MAX, (double)profiler->interval_ns / 1e9);
	}
	profiler->ended = !rc;
	return rc;
}

/* --- The profile --------------------------------------------------------------------------- */

static void copy_threads(struct thread_list *to, const struct thread_list *from)
{
	*to = (struct thread_list){.joined = from->joined};
	array_reserve(&to->items, &to->capacity, from->count);
	for (size_t i = 0; i < from->count; i++)
		to->items[i] = from->items[i];
	to->count = from->count;
}

/* Takes ownership of the levels and the threads. */
static void take_times(struct profile *profile, struct levels *levels, bool has_bins,
		       const struct thread_list *threads)
{
	profile->threads = threads->items;
	profile->thread_count = threads->count;
	levels_sum(levels, &profile->levels);
	if (profile->interval_ns)
		profile->interval_count = levels_intervals(levels, &profile->intervals);
	if (has_bins)
		profile->bins = levels;
	else
		levels_free(levels);
}

/* Adds the times as if all intervals ended now, and keeps them open. */
static void add_times_so_far(struct profile *profile, const struct profiler *profiler)
{
	struct levels *levels = levels_copy(profiler->levels);
	struct thread_list threads;
	struct change *open;
	size_t count = timeline_open(profiler->timeline, &open);

	copy_threads(&threads, &profiler->threads);
	for (size_t i = 0; i < count; i++) {
		list_add(&threads, &open[i]);
		add_wait(&profile->waits, &open[i]);
		levels_begin(levels, timeline_begin_ns(profiler->timeline));
		if (levels_add(levels, &open[i]))
			break; /* too many intervals: the next change will report it */
	}
	take_times(profile, levels, profiler->has_bins, &threads);
	free(open);
}

static void add_times(struct profile *profile, struct profiler *profiler)
{
	if (!profiler->ended) {
		add_times_so_far(profile, profiler);
		return;
	}
	take_times(profile, profiler->levels, profiler->has_bins, &profiler->threads);
	profiler->levels = NULL;
	profiler->threads.items = NULL;
	profiler->threads.count = profiler->threads.capacity = 0;
}

static void add_activity_times(struct profile *profile, const struct profiler *profiler)
{
	struct activity activity = *profiler->activity;
	struct change *open;
	size_t count = timeline_open(profiler->timeline, &open);

	time_bins_copy(&activity.bins, &profiler->activity->bins);
	for (size_t i = 0; i < count; i++)
		activity_add(&activity, &open[i], timeline_begin_ns(profiler->timeline));
	profile->activity = activity_sum(&activity.bins);
	time_bins_release(&activity.bins);
	free(open);
}

static void add_groups(struct profile *profile, const struct profiler *profiler)
{
	struct change *open;
	size_t count = timeline_open(profiler->timeline, &open);

	groups_make(profile, profiler->by, timeline_begin_ns(profiler->timeline), &profiler->ready,
		    open, count);
	free(open);
}

/* Without counts and samples there is no need to find threads, of which there may be a million. */
static void add_counted(struct profile *profile, const struct event_source *source)
{
	size_t count = profile->thread_count;

	if (!source->counts.row_count && !source->samples.row_count)
		return;
	profile->counted = xcalloc(count, sizeof(*profile->counted));
	for (size_t i = 0; i < count; i++)
		profile->counted[i] =
			(struct counted_thread){profile->threads[i].tid, profile->threads[i].pid,
						profile->threads[i].begin_ns};
	counter_table_init(&profile->counters, &source->counts, profile->counted, count);
	spin_table_init(&profile->spin, &source->samples, profile->counted, count);
}

static double mean_active(const struct profile *profile)
{
	double known = 0, unknown = 0;

	for (size_t i = 0; i < profile->thread_count; i++)
		for (size_t state = 0; state < STATE_COUNT; state++)
			*(state == STATE_UNKNOWN ? &unknown : &known) +=
				(double)profile->threads[i].state_ns[state];
	return known < unknown ? (double)NAN : level_times_mean(&profile->levels);
}

static void add_throttling(struct profile *profile, struct profiler *profiler)
{
	struct long_waits *waits = &profiler->long_waits;

	profile->quota = profiler->source->target.quota;
	throttling_find(&profile->throttled, &profile->throttled_levels, waits, &profile->quota);
	for (size_t i = 0; i < waits->count; i++) {
		const struct long_wait *wait = &waits->items[i];
		size_t thread = profiler->threads.joined ? 0 : wait->thread;

		profile->threads[thread].throttled_ns += wait->throttled_ns;
		if (wait->end_ns - wait->begin_ns > wait->throttled_ns)
			durations_add(&profile->waits,
				      wait->end_ns - wait->begin_ns - wait->throttled_ns);
	}
}

void profiler_profile(struct profile *profile, struct profiler *profiler)
{
	const struct event_source *source = profiler->source;

	*profile = (struct profile){.interval_ns = profiler->interval_ns, .waits = profiler->waits};
	add_times(profile, profiler);
	add_throttling(profile, profiler);
	thread_names_complete(profile->threads, profile->thread_count,
			      THREAD_NAME_PLACE(struct thread_profile), source);
	if (profiler->activity)
		add_activity_times(profile, profiler);
	if (profiler->by)
		add_groups(profile, profiler);
	profile->cores = source->target.affinity_count ? source->target.affinity_count
						       : timeline_cpus(profiler->timeline);
	profile->busy_ns = source->target.has_busy ? source->target.busy_ns : 0;
	profile->calls = timeline_calls(profiler->timeline);
	profile->quality = source->quality;
	if (!profiler->threads.joined)
		add_counted(profile, source);
	profile->mean_active = mean_active(profile);
}

int profile_init(struct profile *profile, struct event_source *source,
		 const struct selection *selection, uint64_t interval_ns, struct err *err)
{
	struct profiler *profiler = profiler_new(source, selection, interval_ns);
	int rc = profiler_run(profiler, err);

	if (!rc)
		profiler_profile(profile, profiler);
	profiler_free(profiler);
	return rc;
}

void profile_release(struct profile *profile)
{
	level_times_release(&profile->levels);
	level_times_release(&profile->throttled_levels);
	for (size_t i = 0; i < profile->interval_count; i++)
		level_times_release(&profile->intervals[i]);
	for (size_t i = 0; i < profile->group_count; i++) {
		level_times_release(&profile->groups[i].levels);
		thread_name_release(&profile->groups[i].sum.name);
	}
	free(profile->groups);
	free(profile->activity.bins);
	counter_table_release(&profile->counters);
	spin_table_release(&profile->spin);
	free(profile->intervals);
	levels_free(profile->bins);
	free(profile->counted);
	for (size_t i = 0; i < profile->thread_count; i++)
		thread_name_release(&profile->threads[i].name);
	free(profile->threads);
	*profile = (struct profile){0};
}
