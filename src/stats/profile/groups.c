/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/groups.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/sorted.h"

#include <stdlib.h>
#include <string.h>

/* --- When threads were ready --------------------------------------------------------------- */

/* So long the thread was ready, or it is not known whether it was. */
struct ready_time {
	uint64_t begin_ns, end_ns;
	uint32_t thread;
	bool is_unknown;
};

static bool is_counted(enum thread_state state)
{
	return thread_state_is_active(state) || state == STATE_UNKNOWN;
}

void ready_times_add(struct ready_times *times, const struct change *change)
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

void ready_times_release(struct ready_times *times)
{
	free(times->items);
	free(times->last);
	*times = (struct ready_times){0};
}

/* --- Groups -------------------------------------------------------------------------------- */

static uint32_t group_number(struct map *keys, const struct thread_profile *thread,
			     enum profile_by by)
{
	if (by == PROFILE_BY_PROCESS)
		return map_add_u64(keys, (uint64_t)(int64_t)thread->pid);
	return map_add(keys, thread->comm, strnlen(thread->comm, sizeof(thread->comm)));
}

static void group_add(struct profile_group *group, const struct thread_profile *thread,
		      enum profile_by by)
{
	struct thread_profile *sum = &group->sum;
	bool is_process = by == PROFILE_BY_PROCESS;

	if (!group->thread_count++ || (is_process && thread->tid == thread->pid))
		memcpy(sum->comm, thread->comm, sizeof(sum->comm));
	sum->tid = -1;
	sum->pid = is_process ? thread->pid : -1;
	for (size_t state = 0; state < STATE_COUNT; state++)
		sum->state_ns[state] += thread->state_ns[state];
	sum->switches += thread->switches;
	sum->voluntary += thread->voluntary;
	sum->involuntary += thread->involuntary;
	sum->wakes += thread->wakes;
}

/* Returns the number of the group of each thread, to be freed. */
static uint32_t *group_threads(struct profile *profile, enum profile_by by)
{
	uint32_t *numbers = xcalloc(profile->thread_count, sizeof(*numbers));
	struct map keys = {0};

	for (size_t i = 0; i < profile->thread_count; i++)
		numbers[i] = group_number(&keys, &profile->threads[i], by);
	profile->group_count = keys.count;
	profile->groups = xcalloc(keys.count, sizeof(*profile->groups));
	for (size_t i = 0; i < profile->thread_count; i++)
		group_add(&profile->groups[numbers[i]], &profile->threads[i], by);
	map_release(&keys);
	return numbers;
}

/* --- Their levels -------------------------------------------------------------------------- */

/* So many threads of a group more are ready, or not known to be, from here on. */
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

/* Takes the edges of the group from the beginning of `edges`, and returns how many they are. */
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

void groups_make(struct profile *profile, enum profile_by by, uint64_t begin_ns,
		 const struct ready_times *times, const struct change *open, size_t open_count)
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
