/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "stats/profile/durations.h"
#include "stats/profile/groups.h"

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
	int32_t *pids; /* of the threads, sorted */
	struct owned *owned;
	size_t owned_count;
};

/* By thread and counter, several threads last: -1 is the largest number there is. */
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
	bool has_times;
};

/* Of an event on several CPUs each is enabled wherever its thread runs: all say the same. */
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

/* Of all threads together: what is not known of one adds nothing. */
static void add_total(struct counter_value *total, struct sum *times, const struct sum *sum)
{
	const struct counter_value value = value_of(sum);

	total->value += isfinite(value.value) ? value.value : 0;
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

/* Leaves out the events that counted in no thread of the target, as those that only sample. */
static void keep_used(struct counter_table *table, const struct counts *counts,
		      const struct sum *times)
{
	size_t *numbers = xcalloc(counts->counter_count, sizeof(*numbers));
	bool *used = xcalloc(counts->counter_count, sizeof(*used));

	for (size_t i = 0; i < table->row_count; i++)
		used[table->rows[i].counter] = true;
	for (size_t i = 0; i < counts->counter_count; i++) {
		struct counter_value total = table->totals[i];

		if (!used[i])
			continue;
		total.share = value_of(&times[i]).share;
		numbers[i] = table->counter_count;
		table->totals[table->counter_count] = total;
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
	memcpy(thread->comm, change->comm, sizeof(thread->comm));
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
};

static void list_add(struct thread_list *list, const struct change *change)
{
	array_reserve(&list->items, &list->capacity, change->thread + 1);
	if (change->thread >= list->count)
		list->count = change->thread + 1;
	add_to_thread(&list->items[change->thread], change);
}

/* --- Activity ------------------------------------------------------------------------------ */

/*
 * The time that threads spent in each bin. An interval fills all bins but its first and its last
 * one, so only where that begins and ends is noted.
 */
struct lane {
	uint64_t spent_ns[ACTIVITY_BINS];
	int64_t filling[ACTIVITY_BINS +
			1]; /* threads that fill the bins from here on: the change */
};

enum { ACTIVE, UNKNOWN, LANES };

struct activity {
	struct lane lanes[LANES];
	uint64_t bin_ns;
	bool begun;
	uint64_t begin_ns, end_ns;
};

/* Afterwards all is in spent_ns. */
static void settle(struct lane *lane, uint64_t bin_ns)
{
	int64_t threads = 0;

	for (size_t i = 0; i < ACTIVITY_BINS; i++) {
		threads += lane->filling[i];
		lane->filling[i] = 0;
		lane->spent_ns[i] += (uint64_t)threads * bin_ns;
	}
	lane->filling[ACTIVITY_BINS] = 0;
}

static void join_neighbours(struct activity *activity)
{
	enum { HALF = ACTIVITY_BINS / 2 };

	for (size_t l = 0; l < LANES; l++) {
		uint64_t *spent_ns = activity->lanes[l].spent_ns;

		settle(&activity->lanes[l], activity->bin_ns);
		for (size_t i = 0; i < HALF; i++)
			spent_ns[i] = spent_ns[2 * i] + spent_ns[2 * i + 1];
		for (size_t i = HALF; i < ACTIVITY_BINS; i++)
			spent_ns[i] = 0;
	}
	activity->bin_ns *= 2;
}

/* A thread spends the time from..to, since the beginning, which is within the bins. */
static void spend(struct lane *lane, uint64_t bin_ns, uint64_t from_ns, uint64_t to_ns)
{
	size_t first = from_ns / bin_ns, last = to_ns / bin_ns;

	if (first == last) {
		lane->spent_ns[first] += to_ns - from_ns;
		return;
	}
	lane->spent_ns[first] += (first + 1) * bin_ns - from_ns;
	lane->filling[first + 1]++;
	lane->filling[last]--;
	if (last < ACTIVITY_BINS)
		lane->spent_ns[last] += to_ns - last * bin_ns;
}

/* The timeline begins at `begin_ns`, not at its first change. */
static void activity_add(struct activity *activity, const struct change *change, uint64_t begin_ns)
{
	uint64_t from_ns = change->begin_ns, to_ns = change->end_ns;

	if (!activity->begun)
		activity->begin_ns = activity->end_ns = begin_ns;
	activity->begun = true;
	if (from_ns < activity->begin_ns)
		from_ns = activity->begin_ns;
	if (to_ns > activity->end_ns)
		activity->end_ns = to_ns;
	while ((activity->end_ns - activity->begin_ns + ACTIVITY_BINS - 1) / ACTIVITY_BINS >
	       activity->bin_ns)
		join_neighbours(activity);
	if (to_ns <= from_ns)
		return;
	from_ns -= activity->begin_ns;
	to_ns -= activity->begin_ns;
	if (thread_state_is_active(change->state))
		spend(&activity->lanes[ACTIVE], activity->bin_ns, from_ns, to_ns);
	else if (change->state == STATE_UNKNOWN)
		spend(&activity->lanes[UNKNOWN], activity->bin_ns, from_ns, to_ns);
}

static struct activity_times activity_sum(struct activity *sum)
{
	uint64_t bin_ns = sum->bin_ns;
	struct activity_times times = {.bin_ns = bin_ns, .total_ns = sum->end_ns - sum->begin_ns};

	times.count = (times.total_ns + bin_ns - 1) / bin_ns;
	times.bins = xcalloc(times.count, sizeof(*times.bins));
	for (size_t l = 0; l < LANES; l++)
		settle(&sum->lanes[l], bin_ns);
	for (size_t i = 0; i < times.count; i++) {
		uint64_t left_ns = times.total_ns - i * bin_ns;
		double length_ns = (double)(left_ns < bin_ns ? left_ns : bin_ns);

		times.bins[i] = (struct activity_bin){
			.active = (double)sum->lanes[ACTIVE].spent_ns[i] / length_ns,
			.unknown = (double)sum->lanes[UNKNOWN].spent_ns[i] / length_ns,
		};
	}
	return times;
}

/* --- From changes -------------------------------------------------------------------------- */

struct profiler {
	struct event_source *source;
	struct timeline *timeline;
	struct levels *levels;
	struct activity *activity; /* or NULL, when it is not wanted */
	struct thread_list threads;
	struct durations waits;
	enum profile_by by; /* not by thread: when threads were ready is kept */
	struct ready_times ready;
	uint64_t interval_ns;
	bool ended; /* no change is to come: what is known may be handed over */
	void (*take)(void *context, const struct change *change); /* or NULL */
	void *context;
};

struct profiler *profiler_new(struct event_source *source, const struct selection *selection,
			      uint64_t interval_ns)
{
	struct profiler *profiler = xcalloc(1, sizeof(*profiler));

	profiler->source = source;
	profiler->timeline = timeline_new(source, selection);
	profiler->levels = levels_new(interval_ns);
	profiler->interval_ns = interval_ns;
	return profiler;
}

void profiler_free(struct profiler *profiler)
{
	if (!profiler)
		return;
	timeline_free(profiler->timeline);
	levels_free(profiler->levels);
	free(profiler->activity);
	ready_times_release(&profiler->ready);
	free(profiler->threads.items);
	free(profiler);
}

void profiler_want_activity(struct profiler *profiler)
{
	profiler->activity = xcalloc(1, sizeof(*profiler->activity));
	profiler->activity->bin_ns = 1;
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

int profiler_run(struct profiler *profiler, struct err *err)
{
	const struct change *change;
	uint64_t begin_ns;
	int rc;

	while ((rc = timeline_borrow(profiler->timeline, &change, err)) > 0) {
		list_add(&profiler->threads, change);
		if (change->state == STATE_RUNNABLE && change->end_ns > change->begin_ns)
			durations_add(&profiler->waits, change->end_ns - change->begin_ns);
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
				       "the recording has more than %d intervals of %g s: take "
				       "longer ones",
				       LEVELS_INTERVALS_MAX, (double)profiler->interval_ns / 1e9);
	}
	profiler->ended = !rc;
	return rc;
}

/* --- To a profile -------------------------------------------------------------------------- */

static void copy_threads(struct thread_list *to, const struct thread_list *from)
{
	*to = (struct thread_list){0};
	array_reserve(&to->items, &to->capacity, from->count);
	for (size_t i = 0; i < from->count; i++)
		to->items[i] = from->items[i];
	to->count = from->count;
}

/* Takes the threads over. */
static void take_times(struct profile *profile, struct levels *levels,
		       const struct thread_list *threads)
{
	profile->threads = threads->items;
	profile->thread_count = threads->count;
	levels_sum(levels, &profile->levels);
	if (profile->interval_ns)
		profile->interval_count = levels_intervals(levels, &profile->intervals);
}

/* As they would be if all intervals ended now, which none of them learns. */
static void add_times_so_far(struct profile *profile, const struct profiler *profiler)
{
	struct levels *levels = levels_copy(profiler->levels);
	struct thread_list threads;
	struct change *open;
	size_t count = timeline_open(profiler->timeline, &open);

	copy_threads(&threads, &profiler->threads);
	for (size_t i = 0; i < count; i++) {
		list_add(&threads, &open[i]);
		levels_begin(levels, timeline_begin_ns(profiler->timeline));
		if (levels_add(levels, &open[i]))
			break; /* too many intervals: so will the next change find */
	}
	take_times(profile, levels, &threads);
	levels_free(levels);
	free(open);
}

static void add_times(struct profile *profile, struct profiler *profiler)
{
	if (!profiler->ended) {
		add_times_so_far(profile, profiler);
		return;
	}
	take_times(profile, profiler->levels, &profiler->threads);
	profiler->threads = (struct thread_list){0};
}

static void add_activity_times(struct profile *profile, const struct profiler *profiler)
{
	struct activity *activity = xcalloc(1, sizeof(*activity));
	struct change *open;
	size_t count = timeline_open(profiler->timeline, &open);

	*activity = *profiler->activity;
	for (size_t i = 0; i < count; i++)
		activity_add(activity, &open[i], timeline_begin_ns(profiler->timeline));
	profile->activity = activity_sum(activity);
	free(activity);
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

/* Without those that are not over. */
static struct run_queue_waits waits_so_far(const struct durations *waits)
{
	return (struct run_queue_waits){
		.count = waits->count,
		.sum_ns = waits->sum_ns,
		.longest_ns = waits->longest_ns,
		.p50_ns = durations_quantile(waits, .5),
		.p99_ns = durations_quantile(waits, .99),
	};
}

static void add_counted(struct profile *profile, const struct event_source *source)
{
	size_t count = profile->thread_count;

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

void profiler_profile(struct profile *profile, struct profiler *profiler)
{
	const struct event_source *source = profiler->source;

	*profile = (struct profile){.interval_ns = profiler->interval_ns};
	add_times(profile, profiler);
	if (profiler->activity)
		add_activity_times(profile, profiler);
	if (profiler->by)
		add_groups(profile, profiler);
	profile->waits = waits_so_far(&profiler->waits);
	profile->cores = source->target.affinity_count ? source->target.affinity_count
						       : timeline_cpus(profiler->timeline);
	profile->calls = timeline_calls(profiler->timeline);
	profile->quality = source->quality;
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
	for (size_t i = 0; i < profile->interval_count; i++)
		level_times_release(&profile->intervals[i]);
	for (size_t i = 0; i < profile->group_count; i++)
		level_times_release(&profile->groups[i].levels);
	free(profile->groups);
	free(profile->activity.bins);
	counter_table_release(&profile->counters);
	spin_table_release(&profile->spin);
	free(profile->intervals);
	free(profile->counted);
	free(profile->threads);
	*profile = (struct profile){0};
}

/* --- CPUs ---------------------------------------------------------------------------------- */

static const double MOSTLY = .5;      /* of the time that is known */
static const double WAITS_MUCH = .2;  /* of the time that threads are ready */
static const double FILLS = .9;	      /* of the cores */
static const double UNSURE_MOST = .1; /* of the CPU time: else what others had is not known */

static double others_share(const struct cpu_usage *usage, const struct profile *profile)
{
	double cpu_ns = (double)usage->cpu_ns, usable_ns;

	if (!profile->cores || profile->quality.no_wakes || isnan(profile->mean_active) ||
	    (double)usage->unsure_ns > UNSURE_MOST * cpu_ns)
		return NAN;
	usable_ns = level_times_usable_ns(&profile->levels, profile->cores);
	return usable_ns > 0 ? fmax(1 - cpu_ns / usable_ns, 0) : 0;
}

static enum cpu_verdict verdict_of(const struct cpu_usage *usage, const struct profile *profile,
				   double known_ns)
{
	double cpu_ns = (double)usage->cpu_ns, waited_ns = (double)profile->waits.sum_ns;
	bool fills = profile->cores && usage->cpus >= FILLS * profile->cores;

	if (isnan(profile->mean_active))
		return CPU_UNKNOWN;
	if (waited_ns > WAITS_MUCH * (cpu_ns + waited_ns))
		return fills ? CPU_TOO_FEW : CPU_OTHERS;
	if ((double)profile->levels.wall_ns[0] > MOSTLY * known_ns)
		return CPU_IDLE;
	if (fills && profile->cores > 1)
		return CPU_FULL;
	return (double)usage->few_ns > MOSTLY * known_ns ? CPU_SERIAL : CPU_SATISFIED;
}

void cpu_usage_init(struct cpu_usage *usage, const struct profile *profile)
{
	const struct level_times *levels = &profile->levels;
	double known_ns = (double)(levels->total_ns - levels->unknown_ns);

	*usage = (struct cpu_usage){.few_ns = levels->wall_ns[0]};
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct thread_profile *thread = &profile->threads[i];

		usage->cpu_ns += thread->state_ns[STATE_RUNNING];
		usage->unsure_ns +=
			thread->state_ns[STATE_ACTIVE] + thread->state_ns[STATE_UNKNOWN];
		usage->voluntary += thread->voluntary;
		usage->involuntary += thread->involuntary;
		usage->other_switches += thread->switches - thread->voluntary - thread->involuntary;
	}
	if (levels->max_active)
		usage->few_ns += levels->wall_ns[1];
	usage->few_share = known_ns > 0 ? (double)usage->few_ns / known_ns : (double)NAN;
	usage->cpus =
		levels->total_ns ? (double)usage->cpu_ns / (double)levels->total_ns : (double)NAN;
	usage->others_share = others_share(usage, profile);
	usage->verdict = verdict_of(usage, profile, known_ns);
}

/* --- Overhead ------------------------------------------------------------------------------ */

#define UNSURE (1. / 3)

/* A begin and an end: others take as much, as all read the time once. */
enum { STEPS_MEASURED = 2 };

void overhead_init(struct overhead *overhead, const struct profile *profile,
		   const struct target_info *target)
{
	double running_s = 0;

	*overhead = (struct overhead){
		.has_switch_cost = target->has_cost,
		.switch_ns = (double)target->cost_switch_ns,
		.call_ns = (double)target->cost_call_ns,
		.system_call_ns = (double)target->cost_system_call_ns,
		.calls = profile->calls.library,
		.system_calls = profile->calls.system,
		.block_ns = target->block_cost_ns,
		.probed_ns = (double)target->uprobe_cost_ns,
		.blocks = profile->calls.blocks,
		.probed = profile->calls.probed,
		.step_ns = target->task_cost_ns / STEPS_MEASURED,
		.steps = profile->calls.steps,
		.recorder_s = (double)target->own_cpu_ns / 1e9,
	};
	for (size_t i = 0; i < profile->thread_count; i++) {
		overhead->switches += profile->threads[i].switches;
		running_s += (double)profile->threads[i].state_ns[STATE_RUNNING] / 1e9;
	}
	overhead->calls_s = ((double)overhead->calls * overhead->call_ns +
			     (double)overhead->system_calls * overhead->system_call_ns) /
			    1e9;
	overhead->blocks_s = ((double)overhead->blocks * overhead->block_ns +
			      (double)overhead->probed * overhead->probed_ns) /
			     1e9;
	overhead->steps_s = (double)overhead->steps * overhead->step_ns / 1e9;
	overhead->added_s = (double)overhead->switches * overhead->switch_ns / 1e9 +
			    overhead->calls_s + overhead->blocks_s + overhead->steps_s;
	if (running_s <= 0)
		return;
	overhead->added_share = overhead->added_s / running_s;
	if (running_s > overhead->calls_s)
		overhead->unsure_share = (overhead->added_s - (1 - UNSURE) * overhead->calls_s) /
					 (running_s - overhead->calls_s);
}
