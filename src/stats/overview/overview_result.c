/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"
#include "stats/overview/overview_private.h"
#include "stats/profile/cpu_time.h"
#include "stats/profile/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- CPUs ------------------------------------------------------------------------------------ */

static size_t bin_count(const struct overview_reader *reader, uint64_t bin_ns)
{
	return (reader->end_ns - reader->begin_ns + bin_ns - 1) / bin_ns;
}

/* Returns the shortest length of bins of a level that is `bin_ns` times a power of two. */
static uint64_t level_bin_ns(const struct overview_reader *reader, uint64_t bin_ns, size_t level)
{
	static const size_t most[OVERVIEW_LEVELS] = {OVERVIEW_BINS / 32, OVERVIEW_BINS / 4,
						     OVERVIEW_BINS};

	while (bin_count(reader, bin_ns) > most[level])
		bin_ns *= 2;
	return bin_ns;
}

static double *lane_means(const struct time_bins *bins, enum lane lane)
{
	size_t count = time_bins_count(bins);
	double *means = xcalloc(count, sizeof(*means));

	for (size_t i = 0; i < count; i++)
		means[i] = time_bins_mean(bins, lane, i);
	return means;
}

struct others_making {
	struct overview_cpus *cpus;
	const struct profile *profile;
	double taken_part; /* the part of the lacked CPU time that other programs took */
	size_t bin;
};

/* Returns this part for the whole recording, which is used for each bin. */
static double taken_part(const struct profile *profile)
{
	struct cpu_usage usage;
	double left, lacked;

	cpu_usage_init(&usage, profile);
	left = 1 - usage.throttled_share;
	lacked = usage.throttled_share + usage.lacked_share * left;
	return lacked > 0 ? usage.others_share * left / lacked : 1;
}

static void take_others(void *context, struct level_times *times)
{
	struct others_making *making = context;
	struct overview_cpus *cpus = making->cpus;
	size_t bin = making->bin++;
	double total_ns = (double)times->total_ns;

	if (bin < cpus->count) {
		cpus->others[bin] =
			cpu_lacked_ns(making->profile, times, cpus->running[bin] * total_ns,
				      cpus->unsure[bin] * total_ns) /
			total_ns * making->taken_part;
		cpus->idle[bin] = making->profile->cores - cpus->running[bin] - cpus->others[bin];
		cpus->idle[bin] = cpus->idle[bin] < 0 ? 0 : cpus->idle[bin]; /* NAN stays NAN */
	}
	level_times_release(times);
}

/* Makes the CPUs of a level from the current bins. */
static void make_level_cpus(struct overview_cpus *cpus, const struct time_bins *bins,
			    const struct profile *profile)
{
	struct others_making making = {cpus, profile, taken_part(profile), 0};

	*cpus = (struct overview_cpus){.bin_ns = bins->bin_ns, .count = time_bins_count(bins)};
	cpus->running = lane_means(bins, LANE_RUNNING);
	cpus->runnable = lane_means(bins, LANE_RUNNABLE);
	cpus->unsure = lane_means(bins, LANE_UNSURE);
	cpus->others = xcalloc(cpus->count, sizeof(*cpus->others));
	cpus->idle = xcalloc(cpus->count, sizeof(*cpus->idle));
	for (size_t i = 0; i < cpus->count; i++)
		cpus->others[i] = cpus->idle[i] = NAN;
	levels_each_interval(profile->bins, take_others, &making);
}

/* Makes all levels, from the finest bins to longer ones; those of the profile are as long. */
static void make_cpus(struct overview *overview, struct overview_reader *reader,
		      const struct profile *profile)
{
	struct time_bins *bins = &reader->bins;

	time_bins_settle(bins);
	for (size_t i = OVERVIEW_LEVELS; i--;) {
		uint64_t bin_ns = level_bin_ns(reader, bins->bin_ns, i);

		while (bins->bin_ns < bin_ns) {
			time_bins_join(bins);
			levels_join_intervals(profile->bins);
		}
		make_level_cpus(&overview->cpus[i], bins, profile);
	}
}

/* --- Ready threads --------------------------------------------------------------------------- */

struct ready_making {
	struct overview_ready *ready;
	size_t capacity, time_capacity;
};

static void take_ready(void *context, struct level_times *times)
{
	struct ready_making *making = context;
	struct overview_ready *ready = making->ready;

	for (size_t j = 0; j <= times->max_active; j++) {
		if (!times->wall_ns[j])
			continue;
		array_reserve(&ready->times, &making->time_capacity, ready->time_count + 1);
		ready->times[ready->time_count++] = (struct ready_level){j, times->wall_ns[j]};
	}
	array_reserve(&ready->ends, &making->capacity, ready->count + 1);
	ready->ends[ready->count++] = ready->time_count;
	level_times_release(times);
}

static void make_ready(struct overview *overview, const struct profile *profile)
{
	struct overview_ready *ready = &overview->ready;
	struct ready_making making = {.ready = ready};

	for (ready->bin_ns = overview->cpus[0].bin_ns;; ready->bin_ns *= 2) {
		ready->count = ready->time_count = 0;
		levels_each_interval(profile->bins, take_ready, &making);
		if (ready->time_count <= OVERVIEW_READY_SIZE || ready->bin_ns >= overview->total_ns)
			break;
		levels_join_intervals(profile->bins);
	}
}

/* --- Threads --------------------------------------------------------------------------------- */

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

static int compare_waits(const void *a, const void *b)
{
	const struct overview_wait *one = a, *other = b;

	return compare_values(wait_ns(other), wait_ns(one))
		       ?: compare_values(one->begin_ns, other->begin_ns)
		       ?: compare_values(one->thread, other->thread);
}

/* Makes the threads of the listed waits shown, in place of those with the least CPU time. */
static void rank_waiting(struct ranked *ranked, size_t count, const struct waits *waits)
{
	struct overview_wait *sorted = xcalloc(waits->count, sizeof(*sorted));
	bool *listed = xcalloc(count, sizeof(*listed));
	size_t to = OVERVIEW_THREADS;

	for (size_t i = 0; i < waits->count; i++)
		sorted[i] = waits->items[i];
	sort_items(sorted, waits->count, compare_waits);
	for (size_t i = 0; i < waits->count && i < OVERVIEW_LISTED; i++)
		if (sorted[i].thread < count)
			listed[sorted[i].thread] = true;
	for (size_t from = to; from < count; from++) {
		struct ranked waiting = ranked[from];

		if (!listed[waiting.number])
			continue;
		while (listed[ranked[--to].number])
			;
		ranked[from] = ranked[to];
		ranked[to] = waiting;
	}
	if (to < OVERVIEW_THREADS)
		sort_items(ranked, OVERVIEW_THREADS, compare_ranked);
	free(listed);
	free(sorted);
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
	rank_waiting(ranked, count, &reader->longest);
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
			.creator = thread->creator,
		};
		memcpy(overview->threads[i].comm, thread->comm, sizeof(thread->comm));
	}
	free(ranked);
}

/* Finds the leaders. If a process number is reused, the last leader before the thread counts. */
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

/* Returns the bytes of the texts of the level. */
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

/* `shown` has the index of each thread in the overview, or BY_STRANGER. */
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
	for (size_t i = 0; i < overview->thread_count; i++)
		overview->threads[i].creator =
			shown_thread(shown, reader, overview->threads[i].creator);
	for (size_t i = 0; i < overview->turn_count; i++)
		overview->turns[i].thread = shown_thread(shown, reader, overview->turns[i].thread);
	free(shown);
}

void overview_init(struct overview *overview, struct overview_reader *reader,
		   const struct profile *profile)
{
	*overview = (struct overview){.total_ns = reader->end_ns - reader->begin_ns};
	make_cpus(overview, reader, profile);
	make_ready(overview, profile);
	choose_threads(overview, reader, profile);
	find_leaders(overview, profile);
	make_states(overview, reader);
	wake_path_finish(&reader->path, overview);
	make_waits(overview, reader);
}

void overview_release(struct overview *overview)
{
	for (size_t i = 0; i < OVERVIEW_LEVELS; i++) {
		free(overview->cpus[i].running);
		free(overview->cpus[i].runnable);
		free(overview->cpus[i].unsure);
		free(overview->cpus[i].others);
		free(overview->cpus[i].idle);
	}
	free(overview->ready.ends);
	free(overview->ready.times);
	for (size_t i = 0; i < overview->thread_count; i++)
		for (size_t level = 0; level < OVERVIEW_LEVELS; level++)
			free(overview->threads[i].states[level]);
	free(overview->threads);
	free(overview->longest);
	free(overview->wakeups);
	free(overview->turns);
}

/* --- Two overviews --------------------------------------------------------------------------- */

void overview_facts(double facts[OVERVIEW_FACTS], const struct profile *profile)
{
	const double s = 1e-9;
	struct cpu_usage usage;
	bool no_wakes = profile->quality.no_wakes;

	cpu_usage_init(&usage, profile);
	facts[FACT_WALL] = (double)profile->levels.total_ns * s;
	facts[FACT_CPU] = (double)usage.cpu_ns * s;
	facts[FACT_CPUS_USED] = usage.cpus;
	facts[FACT_READY] = profile->mean_active;
	facts[FACT_FEW_SHARE] = no_wakes ? NAN : usage.few_share;
	facts[FACT_WAIT] = no_wakes ? NAN : (double)usage.wait_ns * s;
	facts[FACT_WAIT_P50] = no_wakes ? NAN : usage.wait_p50_ns * s;
	facts[FACT_WAIT_P99] = no_wakes ? NAN : usage.wait_p99_ns * s;
	facts[FACT_OTHERS_SHARE] = usage.others_share;
	facts[FACT_VOLUNTARY] = (double)usage.voluntary;
	facts[FACT_INVOLUNTARY] = (double)usage.involuntary;
	facts[FACT_THREADS] = (double)profile->thread_count;
}

double overview_change(double before, double after)
{
	return before > 0 ? after / before - 1 : (double)NAN;
}
