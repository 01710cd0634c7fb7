/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/tasks/task_tree.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/names.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "decode/timeline/timeline.h"
#include "stats/tasks/task_tree_private.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- Presence ------------------------------------------------------------------------------ */

/*
 * The presence of workers on CPUs, from the changes of a timeline: the share of each segment, and
 * the times of absence. Memory is 24 bytes for each absence, known or possible, from the first
 * worker on.
 */

struct task_presence_thread {
	/* the data of a worker; NULL: there were no workers up to its end */
	struct task_worker *worker;
	uint64_t begin_ns;
	uint32_t number; /* the number of the worker, plus 1; 0: no worker so far */
	bool appeared;
};

/* A new one is all zero. */
struct task_presence {
	struct task_presence_thread *threads; /* the threads, by their numbers in the timeline */
	size_t capacity;
	bool has_workers;
	bool has_states; /* some states are known */
};

static bool is_absent(enum task_absence_kind *kind, enum thread_state state)
{
	switch (state) {
	case STATE_RUNNING:
	case STATE_NONE:
		return false;
	case STATE_RUNNABLE:
		*kind = TASK_WAITS_FOR_CPU;
		return true;
	case STATE_UNKNOWN:
	case STATE_ACTIVE:
		*kind = TASK_STATE_UNKNOWN;
		return true;
	default:
		*kind = TASK_SLEEPS;
		return true;
	}
}

static void add_absence(struct task_worker *worker, const struct change *change)
{
	struct task_absence *last = NULL;
	enum task_absence_kind kind;

	if (change->begin_ns >= change->end_ns || !is_absent(&kind, change->state))
		return;
	if (worker->absence_count)
		last = &worker->absences[worker->absence_count - 1];
	if (last && last->end_ns == change->begin_ns && last->kind == kind) {
		last->end_ns = change->end_ns;
		return;
	}
	array_reserve(&worker->absences, &worker->absence_capacity, worker->absence_count + 1);
	worker->absences[worker->absence_count++] =
		(struct task_absence){change->begin_ns, change->end_ns, kind};
}

static void presence_take(struct task_presence *presence, const struct change *change)
{
	struct task_presence_thread *thread;
	struct task_worker *worker;

	array_reserve(&presence->threads, &presence->capacity, change->thread + 1);
	thread = &presence->threads[change->thread];
	if (!thread->appeared)
		thread->begin_ns = change->begin_ns;
	thread->appeared = true;
	if (change->state != STATE_NONE && change->state != STATE_UNKNOWN)
		presence->has_states = true;
	if (!presence->has_workers)
		return;
	worker = thread->worker ?: (thread->worker = xcalloc(1, sizeof(*worker)));
	worker->begin_ns = thread->begin_ns;
	worker->end_ns = change->end_ns;
	worker->tid = change->tid;
	worker->pid = change->pid;
	memcpy(worker->comm, change->comm, sizeof(worker->comm));
	add_absence(worker, change);
}

/* Returns the worker of a thread, new if need be. */
static uint32_t presence_worker(struct task_presence *presence, struct task_tree *tree,
				size_t thread, int32_t tid, int32_t pid)
{
	struct task_presence_thread *one;

	array_reserve(&presence->threads, &presence->capacity, thread + 1);
	one = &presence->threads[thread];
	if (!one->number) {
		array_reserve(&tree->workers, &tree->worker_capacity, tree->worker_count + 1);
		tree->workers[tree->worker_count].tid = tid;
		tree->workers[tree->worker_count].pid = pid;
		tree->workers[tree->worker_count].thread = thread;
		one->number = (uint32_t)++tree->worker_count;
		presence->has_workers = true;
	}
	return one->number - 1;
}

/* Gives the workers the data of their threads. */
static void presence_give(struct task_presence *presence, struct task_tree *tree)
{
	for (size_t i = 0; i < presence->capacity; i++) {
		struct task_presence_thread *thread = &presence->threads[i];

		if (!thread->number || !thread->worker)
			continue;
		tree->workers[thread->number - 1] = *thread->worker;
		tree->workers[thread->number - 1].thread = i;
		thread->worker->absences = NULL;
	}
	tree->has_states = presence->has_states;
}

static void presence_release(struct task_presence *presence)
{
	for (size_t i = 0; i < presence->capacity; i++) {
		struct task_worker *worker = presence->threads[i].worker;

		if (worker)
			free(worker->absences);
		free(worker);
	}
	free(presence->threads);
	*presence = (struct task_presence){.threads = NULL};
}

static uint64_t overlap_ns(const struct task_absence *absence, const struct task_interval *interval)
{
	uint64_t begin_ns =
		absence->begin_ns > interval->begin_ns ? absence->begin_ns : interval->begin_ns;
	uint64_t end_ns = absence->end_ns < interval->end_ns ? absence->end_ns : interval->end_ns;

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Cuts a segment at the end of its thread, wherever the task is seen again. */
static void end_with_worker(struct task_interval *interval, const struct task_worker *worker)
{
	if (worker->end_ns && interval->end_ns > worker->end_ns)
		interval->end_ns =
			worker->end_ns > interval->begin_ns ? worker->end_ns : interval->begin_ns;
}

/* `next` is the first absence that may overlap this interval, or a later one. */
static void measure_interval(struct task_tree *tree, struct task_interval *interval, size_t *next)
{
	const struct task_worker *worker = &tree->workers[interval->worker];

	end_with_worker(interval, worker);
	interval->running_ns = interval->end_ns - interval->begin_ns;
	while (*next < worker->absence_count &&
	       worker->absences[*next].end_ns <= interval->begin_ns)
		++*next;
	for (size_t i = *next;
	     i < worker->absence_count && worker->absences[i].begin_ns < interval->end_ns; i++) {
		uint64_t away_ns = overlap_ns(&worker->absences[i], interval);

		if (worker->absences[i].kind == TASK_STATE_UNKNOWN)
			tree->unknown_ns += away_ns;
		else
			interval->running_ns -= away_ns;
	}
}

/* Measures the time on a CPU in each interval; those of each worker are in the order of time. */
static void presence_measure(struct task_tree *tree)
{
	size_t *next = xcalloc(tree->worker_count, sizeof(*next));

	for (size_t i = 0; i < tree->interval_count; i++)
		measure_interval(tree, &tree->intervals[i], &next[tree->intervals[i].worker]);
	free(next);
}

/* --- Counters ------------------------------------------------------------------------------ */

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

static void counters_release(struct task_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++) {
		free(counters->items[i].name);
		free(counters->items[i].values);
	}
	free(counters->items);
	*counters = (struct task_counters){.count = 0};
}

/* The times of one kind of event of a thread, sorted. */
struct task_moments {
	uint64_t *times_ns;
	size_t count, capacity;
};

struct task_counted_thread {
	int32_t cpu_after;	      /* the last CPU, plus one; 0: not known */
	struct task_moments *moments; /* [derived counter]; NULL: none */
};

/* A new one is all zero. Memory is 8 bytes for each counted event, from the first task on. */
struct task_counting {
	struct task_counted_thread *threads; /* the threads, by their numbers in the timeline */
	size_t capacity;
	bool has_cpus;
};

static bool is_switch(struct task_counted_thread *thread, const struct change *change)
{
	(void)thread;
	return change->left_cpu;
}

/* Returns true if the thread runs on another CPU than in its last run. */
static bool is_migration(struct task_counted_thread *thread, const struct change *change)
{
	int32_t before = thread->cpu_after;

	if (change->state != STATE_RUNNING || change->cpu < 0)
		return false;
	thread->cpu_after = change->cpu + 1;
	return before && before != thread->cpu_after;
}

/* A kind is counted in changes, at their begin or end, or in marks of one kind. */
static const struct kind {
	const char *name;
	bool (*in_change)(struct task_counted_thread *thread, const struct change *change);
	bool at_begin;
	enum event_kind mark;
} kinds[TASK_COUNTERS_DERIVED] = {
	[TASK_SWITCHES] = {"switches", is_switch, false, EVENT_NOTE},
	[TASK_MIGRATIONS] = {"migrations", is_migration, true, EVENT_NOTE},
	[TASK_FAULTS] = {"faults", NULL, false, EVENT_FAULT},
};

static struct task_counted_thread *thread_of(struct task_counting *counting, size_t thread)
{
	array_reserve(&counting->threads, &counting->capacity, thread + 1);
	return &counting->threads[thread];
}

static void add_moment(struct task_counted_thread *thread, size_t kind, uint64_t time_ns)
{
	struct task_moments *moments;

	if (!thread->moments)
		thread->moments = xcalloc(TASK_COUNTERS_DERIVED, sizeof(*thread->moments));
	moments = &thread->moments[kind];
	array_reserve(&moments->times_ns, &moments->capacity, moments->count + 1);
	moments->times_ns[moments->count++] = time_ns;
}

/* `wanted`: there are tasks. */
static void counting_change(struct task_counting *counting, const struct change *change,
			    bool wanted)
{
	struct task_counted_thread *thread = thread_of(counting, change->thread);

	counting->has_cpus |= change->cpu >= 0;
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++)
		if (kinds[i].in_change && kinds[i].in_change(thread, change) && wanted)
			add_moment(thread, i,
				   kinds[i].at_begin ? change->begin_ns : change->end_ns);
}

static void counting_mark(struct task_counting *counting, const struct mark *mark)
{
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++)
		if (!kinds[i].in_change && mark->event->kind == kinds[i].mark)
			add_moment(thread_of(counting, mark->thread), i, mark->time_ns);
}

static void counting_release(struct task_counting *counting)
{
	for (size_t i = 0; i < counting->capacity; i++) {
		struct task_moments *moments = counting->threads[i].moments;

		for (size_t j = 0; moments && j < TASK_COUNTERS_DERIVED; j++)
			free(moments[j].times_ns);
		free(moments);
	}
	free(counting->threads);
	*counting = (struct task_counting){.threads = NULL};
}

/* *next: the first time that may be in the interval, or in a later one; moves on. */
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
			thread < counting->capacity && counting->threads[thread].moments
				? &counting->threads[thread].moments[kind]
				: &none;

		counter->values[i] = count_in(moments, interval, &next[interval->worker]);
	}
	free(next);
}

/* Returns false if switch-outs are missing, or may be. */
static bool has_all_leaves(const struct quality *quality)
{
	return !quality->lost && !quality->malformed && !quality->missed_switch_outs &&
	       !quality->paused_ns && !quality->clock_back;
}

/* Returns true if the worker's state is unknown in a part of the interval. *next is as above. */
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

/* Adds the derived counters. The tree has its workers, with intervals in the order of time. */
static void counting_give(struct task_counting *counting, struct task_tree *tree,
			  const struct event_source *source)
{
	const bool is_known[] = {
		[TASK_SWITCHES] = tree->has_states,
		[TASK_MIGRATIONS] = tree->has_states && counting->has_cpus,
		[TASK_FAULTS] = source->target.has_faults,
	};
	struct task_counters *counters = &tree->counters;

	counters->items = xcalloc(TASK_COUNTERS_DERIVED, sizeof(*counters->items));
	counters->count = TASK_COUNTERS_DERIVED;
	for (size_t i = 0; i < TASK_COUNTERS_DERIVED; i++) {
		counters->items[i].name = xstrdup(kinds[i].name);
		if (is_known[i])
			count_all(&counters->items[i], counting, tree, i);
	}
	drop_vague(tree);
}

/* --- Reading ------------------------------------------------------------------------------- */

struct task_tree_reader {
	struct task_tree *tree;
	const struct event_source *source;
	struct task_reader steps;
	struct task_presence presence;
	struct task_counting counting;
};

struct task_tree_reader *task_tree_reader_new(struct task_tree *tree, struct event_source *source)
{
	struct task_tree_reader *reader = xcalloc(1, sizeof(*reader));

	source->wants_faults = source->target.has_faults;
	*tree = (struct task_tree){.blocks = &source->blocks};
	reader->tree = tree;
	reader->source = source;
	task_reader_init(&reader->steps, tree);
	return reader;
}

void task_tree_reader_free(struct task_tree_reader *reader)
{
	if (!reader)
		return;
	task_reader_release(&reader->steps);
	presence_release(&reader->presence);
	counting_release(&reader->counting);
	free(reader);
}

void task_tree_reader_change(struct task_tree_reader *reader, const struct change *change)
{
	presence_take(&reader->presence, change);
	counting_change(&reader->counting, change, reader->tree->worker_count);
}

void task_tree_reader_mark(struct task_tree_reader *reader, const struct mark *mark)
{
	const struct event *event = mark->event;
	uint32_t worker;

	if (reader->tree->worker_count)
		counting_mark(&reader->counting, mark);
	if (event->kind != EVENT_STEP || event->block >= reader->tree->blocks->count)
		return;
	worker = presence_worker(&reader->presence, reader->tree, mark->thread, event->tid,
				 mark->pid);
	task_reader_take(&reader->steps, worker, mark->pid, mark->time_ns, event);
}

static void trim_tasks(struct task_tree *tree)
{
	tree->tasks = xreallocarray(tree->tasks, tree->task_count, sizeof(*tree->tasks));
	tree->task_capacity = tree->task_count;
}

/* Returns the place of each interval: by task, and then by time. */
static size_t *order_intervals(struct task_tree *tree)
{
	size_t *places = xcalloc(tree->interval_count + 1, sizeof(*places));
	size_t *next = xcalloc(tree->task_count, sizeof(*next));
	size_t first = 0;

	for (size_t i = 0; i < tree->task_count; i++) {
		tree->tasks[i].first = next[i] = first;
		first += tree->tasks[i].interval_count;
	}
	for (size_t i = 0; i < tree->interval_count; i++)
		places[i] = next[tree->intervals[i].task]++;
	free(next);
	return places;
}

static void sort_counter(struct task_counter *counter, const size_t *places, size_t count)
{
	uint64_t *sorted;

	if (!counter->values)
		return;
	sorted = xcalloc(count + 1, sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		sorted[places[i]] = counter->values[i];
	free(counter->values);
	counter->values = sorted;
}

static void sort_intervals(struct task_tree *tree)
{
	struct task_interval *sorted = xcalloc(tree->interval_count, sizeof(*sorted));
	size_t *places = order_intervals(tree);

	for (size_t i = 0; i < tree->interval_count; i++)
		sorted[places[i]] = tree->intervals[i];
	free(tree->intervals);
	tree->intervals = sorted;
	tree->interval_capacity = tree->interval_count;
	for (size_t i = 0; i < tree->counters.count; i++)
		sort_counter(&tree->counters.items[i], places, tree->interval_count);
	free(places);
}

/* Dates tasks known only as parents by their children. */
static void date_unbegun(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->task_count; i++)
		if (!tree->tasks[i].begun)
			tree->tasks[i].begin_ns = UINT64_MAX;
	for (size_t i = 0; i < tree->task_count; i++) {
		const struct task *child = &tree->tasks[i];
		struct task *parent =
			child->parent == TASK_NONE ? NULL : &tree->tasks[child->parent];

		if (!parent || parent->begun)
			continue;
		if (child->begin_ns < parent->begin_ns)
			parent->begin_ns = child->begin_ns;
		if (child->end_ns > parent->end_ns)
			parent->end_ns = child->end_ns;
	}
}

static void end_task(struct task_tree *tree, struct task *task)
{
	const struct task_interval *last = tree->intervals + task->first + task->interval_count - 1;

	if (task->ended || !task->begun)
		return;
	tree->never_ended++;
	task->end_ns = task->interval_count ? last->end_ns : task->begin_ns;
}

/* A parent comes before its children. */
static void finish_tasks(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->task_count; i++) {
		struct task *task = &tree->tasks[i];

		if (task->parent != TASK_NONE)
			task->level = tree->tasks[task->parent].level + 1;
		if (task->level >= tree->levels)
			tree->levels = task->level + 1;
		tree->never_begun += !task->begun;
		end_task(tree, task);
	}
	if (tree->never_begun)
		date_unbegun(tree);
	for (size_t i = 0; i < tree->task_count; i++)
		if (!tree->tasks[i].begun)
			tree->tasks[i].ready_ns = tree->tasks[i].begin_ns;
}

static int finish_tree(struct task_tree_reader *reader, struct err *err)
{
	struct task_tree *tree = reader->tree;

	tree->lost = reader->source->target.blocks_lost;
	tree->quality = reader->source->quality;
	if (!tree->task_count)
		return err_set(err, "the recording has no tasks of the target; record them with "
				    "'pscal record --tasks' (OpenMP: --tasks=omp)");
	presence_give(&reader->presence, tree);
	task_reader_finish(&reader->steps);
	presence_measure(tree);
	counting_give(&reader->counting, tree, reader->source);
	task_reader_give_counters(&reader->steps);
	trim_tasks(tree);
	sort_intervals(tree);
	finish_tasks(tree);
	task_links_make(&reader->steps);
	return 0;
}

int task_tree_reader_finish(struct task_tree_reader *reader, uint64_t origin_ns, struct err *err)
{
	int rc;

	reader->tree->origin_ns = origin_ns;
	rc = finish_tree(reader, err);
	if (rc)
		task_tree_release(reader->tree);
	return rc;
}

static void take_mark(void *context, const struct mark *mark)
{
	task_tree_reader_mark(context, mark);
}

/* Refuses a selection without tasks; other threads may have some. */
static int refuse_selection(const struct selection *selection, struct err *err)
{
	char *words = selection_words(selection);

	err_set(err,
		"no thread of %s ran a task in this recording; leave that out, or record tasks "
		"with 'pscal record --tasks' (OpenMP: --tasks=omp)",
		words);
	free(words);
	return -1;
}

int task_tree_read(struct task_tree *tree, struct event_source *source,
		   const struct selection *selection, struct err *err)
{
	struct timeline *timeline = timeline_new(source, selection);
	struct task_tree_reader *reader = task_tree_reader_new(tree, source);
	const struct change *change;
	int rc;

	timeline_want_marks(timeline, take_mark, reader);
	while ((rc = timeline_borrow(timeline, &change, err)) > 0)
		task_tree_reader_change(reader, change);
	if (!rc && !tree->task_count && !selection_is_empty(selection))
		rc = refuse_selection(selection, err);
	if (!rc)
		rc = task_tree_reader_finish(reader, timeline_begin_ns(timeline), err);
	else
		task_tree_release(tree);
	task_tree_reader_free(reader);
	timeline_free(timeline);
	return rc;
}

void task_tree_release(struct task_tree *tree)
{
	for (size_t i = 0; i < tree->worker_count; i++)
		free(tree->workers[i].absences);
	counters_release(&tree->counters);
	free(tree->tasks);
	free(tree->intervals);
	free(tree->syncs);
	free(tree->synced);
	free(tree->workers);
	*tree = (struct task_tree){0};
}

/* --- Names --------------------------------------------------------------------------------- */

const char *task_tree_path(char *text, size_t size, const struct task_tree *tree, uint32_t task)
{
	char *at = text + size - 1;

	for (*at = '\0'; task != TASK_NONE; task = tree->tasks[task].parent) {
		uint32_t index = tree->tasks[task].index;

		if (at != text + size - 1 && at > text)
			*--at = '.';
		do {
			if (at == text)
				return NULL;
			*--at = (char)('0' + index % 10);
		} while (index /= 10);
	}
	return at;
}

/* Returns the blank before the file: the one before an absolute path, else the last one. */
static const char *find_file(const char *name, const char *end)
{
	const char *blank = NULL;

	for (const char *c = name; c < end; c++) {
		if (*c != ' ')
			continue;
		blank = c;
		if (c[1] == '/')
			break;
	}
	return blank;
}

static bool read_line(uint32_t *line, const char *digits)
{
	uint64_t value = 0;

	for (const char *c = digits; *c; c++) {
		value = value * 10 + (uint64_t)(*c - '0');
		if (!isdigit((unsigned char)*c) || value > UINT32_MAX)
			return false;
	}
	*line = (uint32_t)value;
	return *digits;
}

/* Returns the length without an offset at the end, "+0x12" or "+0". */
static size_t without_offset(const char *name)
{
	const char *plus = strrchr(name, '+');
	size_t length = strlen(name);

	if (!plus || plus == name)
		return length;
	if (strcmp(plus, "+0") == 0 ||
	    (strncmp(plus, "+0x", 3) == 0 && !plus[3 + strspn(plus + 3, "0123456789abcdef")]))
		return (size_t)(plus - name);
	return length;
}

static size_t without_ending(const char *name, size_t length, const char *ending)
{
	size_t size = strlen(ending);

	return length > size && memcmp(name + length - size, ending, size) == 0 ? length - size
										: length;
}

/* Returns the length without ".3" at the end. */
static size_t without_number(const char *name, size_t length)
{
	size_t rest = numbered_stem(name, length);

	return rest && rest < length && name[rest - 1] == '.' ? rest - 1 : length;
}

/* One step from "sort.part.3" to "sort", or "sort(int) [clone .part.3]" to "sort(int)". */
static size_t without_clone(const char *name, size_t length)
{
	static const char *const clones[] = {".part", ".constprop", ".isra", ".cold", ".lto_priv"};
	size_t inner = without_ending(name, length, "]"), rest;
	bool is_demangled = inner < length;

	inner = without_number(name, inner);
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		rest = without_ending(name, inner, clones[i]);
		if (rest < inner && !is_demangled)
			return rest;
		if (rest < inner && without_ending(name, rest, " [clone ") < rest)
			return without_ending(name, rest, " [clone ");
	}
	return length;
}

static int function_length(const char *name, size_t length)
{
	for (size_t rest; (rest = without_clone(name, length)) < length;)
		length = rest;
	return (int)length;
}

static struct site_name site_name_of(const char *name)
{
	struct site_name parts = {.function = name};
	const char *colon = strrchr(name, ':');
	const char *blank = colon ? find_file(name, colon) : NULL;
	uint32_t line;

	if (!blank || blank == name || blank + 1 == colon || !read_line(&line, colon + 1)) {
		parts.function_length = function_length(name, without_offset(name));
		return parts;
	}
	parts.function_length = function_length(name, (size_t)(blank - name));
	parts.file = blank + 1;
	parts.file_length = (int)(colon - blank - 1);
	parts.line = line;
	return parts;
}

struct site_name task_site_name(const struct task_tree *tree, uint32_t site)
{
	static const struct site_name unknown = {.function = "?", .function_length = 1};

	return site < tree->blocks->count ? site_name_of(tree->blocks->items[site].name) : unknown;
}
