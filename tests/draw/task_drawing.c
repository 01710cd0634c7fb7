/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/task_drawing.h"

#include "base/alloc.h"
#include "base/err.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "support.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 64, OTHER_PID = 200, TEXT_MAX = 1 << 20 };

/* --- To events ----------------------------------------------------------------------------- */

struct event task_drawing_step(uint64_t time_ns, int32_t worker, uint64_t task, enum task_step step,
			       uint64_t parent, uint32_t index)
{
	struct event event = event_new(EVENT_STEP, DRAWING_BEGIN_NS + time_ns);

	event.tid = DRAWING_TID + worker;
	event.pid = DRAWING_TID;
	event.step = step;
	event.block = step;
	event.object = task;
	event.object2 = step == TASK_BEGIN ? parent : 0;
	event.count = (int32_t)index;
	return event;
}

static enum task_step step_of(const char *name)
{
	for (unsigned step = TASK_BEGIN; step < TASK_STEPS; step++)
		if (strcmp(task_step_name(step), name) == 0)
			return (enum task_step)step;
	fail_msg("there is no step '%s'", name);
	return TASK_NO_STEP;
}

static struct event read_step(char *text)
{
	char *words[6] = {NULL}, *word;
	size_t count = 0;
	struct event event;
	uint64_t parent = 0;
	uint32_t index = 0;

	while ((word = strsep(&text, " ")))
		if (*word && count < 6)
			words[count++] = word;
	assert_true(count >= 4);
	if (count > 4 && strchr(words[4], '.'))
		assert_int_equal(sscanf(words[4], "%" SCNu64 ".%u", &parent, &index), 2);
	else if (count > 4 && *words[4] != '@')
		index = (uint32_t)strtoul(words[4], NULL, 10);
	event = task_drawing_step(strtoull(words[0], NULL, 10) * DRAWING_STEP_NS,
				  tolower(*words[1]) - 'a', strtoull(words[2], NULL, 10),
				  step_of(words[3]), parent, index);
	if (isupper(*words[1])) {
		event.pid = OTHER_PID;
		event.tid += OTHER_PID - DRAWING_TID;
	}
	if (*words[count - 1] == '@')
		event.block = (uint32_t)strtoul(words[count - 1] + 1, NULL, 10);
	return event;
}

/* Keeps the order of equal events; steps come last. */
static int compare(const void *a, const void *b)
{
	const struct event *one = a, *other = b;
	bool is_step = one->kind == EVENT_STEP, other_is = other->kind == EVENT_STEP;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	if (is_step != other_is)
		return is_step ? 1 : -1;
	return (one->place > other->place) - (one->place < other->place);
}

struct event_source *task_drawing_source(const struct event *events, size_t count)
{
	struct event *sorted = xcalloc(count + 1, sizeof(*sorted));
	struct event_source *source;
	char name[32];

	memcpy(sorted, events, count * sizeof(*sorted));
	for (size_t i = 0; i < count; i++)
		sorted[i].place = i;
	qsort(sorted, count, sizeof(*sorted), compare);
	source = array_source(sorted, count);
	for (int i = 0; i < SITES; i++)
		blocks_number(&source->blocks, name,
			      (size_t)snprintf(name, sizeof(name), "f tree.c:%d", i));
	free(sorted);
	return source;
}

struct event_source *task_drawing(const char *const *states, const char *steps)
{
	struct event_source *scheduler = states ? drawing_source(states) : NULL, *source;
	struct event *events = NULL, event;
	char *text = xstrdup(steps), *rest = text, *step;
	size_t count = 0, capacity = 0;
	struct err err;

	while (scheduler && event_source_next(scheduler, &event, &err) > 0) {
		array_reserve(&events, &capacity, count + 1);
		if (event.tid >= DRAWING_TID)
			event.pid = DRAWING_TID;
		if (event.other >= DRAWING_TID)
			event.other_pid = DRAWING_TID;
		events[count++] = event;
	}
	while ((step = strsep(&rest, ";"))) {
		if (!step[strspn(step, " ")])
			continue;
		array_reserve(&events, &capacity, count + 1);
		events[count++] = read_step(step);
	}
	source = task_drawing_source(events, count);
	event_source_free(scheduler);
	free(events);
	free(text);
	return source;
}

/* --- From trees ---------------------------------------------------------------------------- */

void task_drawing_read(struct task_tree *tree, struct event_source *source)
{
	static const int32_t roots[] = {DRAWING_TID, OTHER_PID};
	const struct selection selection = {.pids = roots, .pid_count = 2};
	struct err err;

	if (task_tree_read(tree, source, &selection, &err))
		fail_msg("%s", err.text);
}

static unsigned column_of(uint64_t time_ns)
{
	return (unsigned)((time_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS);
}

static char worker_of(const struct task_tree *tree, uint32_t worker)
{
	int32_t tid = tree->workers[worker].tid;

	return (char)(tid >= OTHER_PID ? 'A' + tid - OTHER_PID : 'a' + tid - DRAWING_TID);
}

static void print_task(FILE *out, const struct task_tree *tree, const struct task *task)
{
	fprintf(out, "%" PRIu64, task->id);
	if (task->parent != TASK_NONE)
		fprintf(out, "<%" PRIu64, tree->tasks[task->parent].id);
	fputs(task->in_place ? " in place" : "", out);
	fputs(task->begun ? "" : " not begun", out);
	if (task->ready_ns != task->begin_ns)
		fprintf(out, ", ready %u", column_of(task->ready_ns));
	for (uint32_t i = 0; i < task->interval_count; i++) {
		const struct task_interval *interval = &tree->intervals[task->first + i];

		fprintf(out, "%s%c%u-%u", i ? " " : ", ", worker_of(tree, interval->worker),
			column_of(interval->begin_ns), column_of(interval->end_ns));
		if (interval->running_ns != interval->end_ns - interval->begin_ns)
			fprintf(out, "(%u)", (unsigned)(interval->running_ns / DRAWING_STEP_NS));
	}
	if (task->synced_ns && !task->in_place)
		fprintf(out, ", synced %u", column_of(task->synced_ns));
	fputs(task->ended || !task->begun ? "\n" : ", open\n", out);
}

char *task_drawing_of(const struct task_tree *tree)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < tree->task_count; i++)
		print_task(out, tree, &tree->tasks[i]);
	fclose(out);
	return text;
}

/* --- A tree and its source ----------------------------------------------------------------- */

struct drawn_tree drawn_tree_read(const char *const *states, const char *steps)
{
	struct drawn_tree drawn = {.source = task_drawing(states, steps)};

	task_drawing_read(&drawn.tree, drawn.source);
	return drawn;
}

void drawn_tree_release(struct drawn_tree *drawn)
{
	task_tree_release(&drawn->tree);
	event_source_free(drawn->source);
}

void assert_tree(const char *const *states, const char *steps, const char *want)
{
	struct drawn_tree drawn = drawn_tree_read(states, steps);
	char *got = task_drawing_of(&drawn.tree);

	assert_string_equal(got, want);
	free(got);
	drawn_tree_release(&drawn);
}
