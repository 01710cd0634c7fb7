/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree_private.h"

#include "base/alloc.h"
#include "decode/event/event_source.h"
#include "decode/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t task_counters_find(const struct task_counters *counters, const char *name)
{
	size_t i = 0;

	while (i < counters->count && strcmp(counters->items[i].name, name) != 0)
		i++;
	return i;
}

static bool is_taken(const struct task_counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++)
		if (strcasecmp(counters->items[i].name, name) == 0)
			return true;
	return false;
}

char *task_counters_new_name(const struct task_counters *counters, const char *name)
{
	char *own = xstrdup(name);

	while (is_taken(counters, own)) {
		char *longer = xasprintf("counted-%s", own);

		free(own);
		own = longer;
	}
	return own;
}

void task_counters_release(struct task_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		free(counters->items[i].name);
		free(counters->items[i].values);
	}
	free(counters->items);
	*counters = (struct task_counters){.count = 0};
}

/* --- What happens -------------------------------------------------------------------------- */

static bool is_switch(struct task_counted_thread *thread, const struct change *change)
{
	(void)thread;
	return change->left_cpu;
}

/* The CPU is known where the thread ran; what it does otherwise does not move it. */
static bool is_migration(struct task_counted_thread *thread, const struct change *change)
{
	int32_t before = thread->cpu_after;

	if (change->state != STATE_RUNNING || change->cpu < 0)
		return false;
	thread->cpu_after = change->cpu + 1;
	return before && before != thread->cpu_after;
}

static bool has_states(const struct task_counting *counting, const struct task_tree *tree,
		       const struct event_source *source)
{
	(void)counting;
	(void)source;
	return tree->has_states;
}

static bool has_cpus(const struct task_counting *counting, const struct task_tree *tree,
		     const struct event_source *source)
{
	(void)source;
	return tree->has_states && counting->has_cpus;
}

static bool has_faults(const struct task_counting *counting, const struct task_tree *tree,
		       const struct event_source *source)
{
	(void)counting;
	(void)tree;
	return source->target.has_faults;
}

/* Either changes tell of it, when they end or as they begin, or marks of one kind do. */
static const struct kind {
	const char *name;
	bool (*in_change)(struct task_counted_thread *thread, const struct change *change);
	bool at_begin;
	enum event_kind mark;
	bool (*is_known)(const struct task_counting *counting, const struct task_tree *tree,
			 const struct event_source *source);
} kinds[TASK_COUNTERS_DERIVED] = {
	[TASK_SWITCHES] = {"switches", is_switch, false, EVENT_NOTE, has_states},
	[TASK_MIGRATIONS] = {"migrations", is_migration, true, EVENT_NOTE, has_cpus},
	[TASK_FAULTS] = {"faults", NULL, false, EVENT_FAULT, has_faults},
};

/* --- When ---------------------------------------------------------------------------------- */

static struct task_counted_thread *thread_of(struct task_counting *counting, size_t thread)
{
	array_reserve(&counting->threads, &counting->capacity, thread + 1);
	return &counting->threads[thread];
}

static void add_moment(struct task_moments *moments, uint64_t time_ns)
{
	array_reserve(&moments->times_ns, &moments->capacity, moments->count + 1);
	moments->times_ns[moments->count++] = time_ns;
}

void task_counting_change(struct task_counting *counting, const struct change *change, bool wanted)
{
	struct task_counted_thread *thread = thread_of(counting, change->thread);

	counting->has_cpus |= change->cpu >= 0;
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++)
		if (kinds[i].in_change && kinds[i].in_change(thread, change) && wanted)
			add_moment(&thread->moments[i],
				   kinds[i].at_begin ? change->begin_ns : change->end_ns);
}

void task_counting_mark(struct task_counting *counting, const struct mark *mark)
{
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++)
		if (!kinds[i].in_change && mark->event->kind == kinds[i].mark)
			add_moment(&thread_of(counting, mark->thread)->moments[i], mark->time_ns);
}

void task_counting_release(struct task_counting *counting)
{
	for (size_t i = 0; i < counting->capacity; i++)
		for (size_t j = 0; j < TASK_COUNTERS_DERIVED; j++)
			free(counting->threads[i].moments[j].times_ns);
	free(counting->threads);
	*counting = (struct task_counting){.threads = NULL};
}

/* --- In which block ------------------------------------------------------------------------ */

/* *next: the first moment that may lie in the interval, or in one behind it; moves on. */
static uint64_t count_in(const struct task_moments *moments, const struct task_interval *interval,
			 size_t *next)
{
	uint64_t count = 0;

	while (*next < moments->count && moments->times_ns[*next] < interval->begin_ns)
		++*next;
	for (; *next < moments->count && moments->times_ns[*next] < interval->end_ns; ++*next)
		count++;
	return count;
}

static void count_all(struct task_counter *counter, const struct task_counting *counting,
		      const struct task_tree *tree, size_t kind)
{
	static const struct task_moments none = {.count = 0};
	size_t *next = xcalloc(tree->worker_count + 1, sizeof(*next));

	counter->values = xcalloc(tree->interval_count + 1, sizeof(*counter->values));
	for (size_t i = 0; i < tree->interval_count; i++) {
		const struct task_interval *interval = &tree->intervals[i];
		size_t thread = tree->workers[interval->worker].thread;
		const struct task_moments *moments =
			thread < counting->capacity ? &counting->threads[thread].moments[kind]
						    : &none;

		counter->values[i] = count_in(moments, interval, &next[interval->worker]);
	}
	free(next);
}

/* Else threads have left CPUs, or may have, that is not on record. */
static bool has_all_leaves(const struct quality *quality)
{
	return !quality->lost && !quality->malformed && !quality->missed_switch_outs &&
	       !quality->paused_ns && !quality->clock_back;
}

/* Is it not known of some of the interval what the worker did? *next: as above, of absences. */
static bool is_vague(const struct task_worker *worker, const struct task_interval *interval,
		     size_t *next)
{
	while (*next < worker->absence_count &&
	       worker->absences[*next].end_ns <= interval->begin_ns)
		++*next;
	for (size_t i = *next;
	     i < worker->absence_count && worker->absences[i].begin_ns < interval->end_ns; i++)
		if (worker->absences[i].kind == TASK_STATE_UNKNOWN)
			return true;
	return false;
}

static void drop_vague(struct task_tree *tree)
{
	bool all_leaves = has_all_leaves(&tree->quality);
	size_t *next = xcalloc(tree->worker_count + 1, sizeof(*next));

	for (size_t i = 0; i < tree->interval_count; i++) {
		const struct task_interval *interval = &tree->intervals[i];
		const struct task_worker *worker = &tree->workers[interval->worker];

		if (!is_vague(worker, interval, &next[interval->worker]))
			continue;
		for (size_t j = 0; j < TASK_COUNTERS_DERIVED; j++)
			if (kinds[j].in_change && tree->counters.items[j].values &&
			    (j != TASK_SWITCHES || !all_leaves))
				tree->counters.items[j].values[i] = TASK_COUNT_UNKNOWN;
	}
	free(next);
}

void task_counting_give(struct task_counting *counting, struct task_tree *tree,
			const struct event_source *source)
{
	struct task_counters *counters = &tree->counters;

	counters->items = xcalloc(TASK_COUNTERS_DERIVED, sizeof(*counters->items));
	counters->count = TASK_COUNTERS_DERIVED;
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++) {
		counters->items[i].name = xstrdup(kinds[i].name);
		if (kinds[i].is_known(counting, tree, source))
			count_all(&counters->items[i], counting, tree, i);
	}
	drop_vague(tree);
}
