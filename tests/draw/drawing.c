/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/drawing.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* --- Sources ------------------------------------------------------------------------------- */

struct array_source {
	struct event_source source;
	struct event *events;
	size_t count, capacity, next;
};

static int next(struct event_source *source, struct event *event, struct err *err)
{
	struct array_source *array = (struct array_source *)source;

	(void)err;
	if (array->next == array->count)
		return 0;
	*event = array->events[array->next++];
	return 1;
}

static void release(struct event_source *source)
{
	struct array_source *array = (struct array_source *)source;

	free(array->events);
	free(array);
}

static struct array_source *new_source(void)
{
	struct array_source *array = xcalloc(1, sizeof(*array));

	array->source.next = next;
	array->source.free = release;
	return array;
}

static void add(struct array_source *array, const struct event *event)
{
	array_reserve(&array->events, &array->capacity, array->count + 1);
	array->events[array->count++] = *event;
}

struct event_source *array_source(const struct event *events, size_t count)
{
	struct array_source *array = new_source();

	for (size_t i = 0; i < count; i++) {
		struct event event = events[i];

		event.pid = event.pid ? event.pid : -1;
		event.other_pid = event.other_pid ? event.other_pid : -1;
		if (!event.cpu && (event.kind == EVENT_WAKE || event.kind == EVENT_FORK))
			event.cpu = -1;
		add(array, &event);
	}
	return &array->source;
}

/* --- From a drawing to events -------------------------------------------------------------- */

/* The thread that wakes, and the row without a CPU: the place of its wakes is unknown. */
enum { STRANGER = 7, NOWHERE = -1 };

static struct event event_at(size_t column, enum event_kind kind, int32_t cpu)
{
	return (struct event){
		.time_ns = DRAWING_BEGIN_NS + column * DRAWING_STEP_NS,
		.kind = kind,
		.cpu = cpu,
		.pid = -1,
		.other_pid = -1,
	};
}

static bool runs(char state)
{
	return state == 'R' || state == 'h' || state == 'H';
}

static enum thread_state state_of(char letter)
{
	static const struct {
		char letter;
		enum thread_state state;
	} table[] = {{'R', STATE_RUNNING}, {'w', STATE_RUNNABLE}, {'.', STATE_SLEEPING},
		     {'D', STATE_DISK},	   {'T', STATE_STOPPED},  {' ', STATE_NONE},
		     {'a', STATE_ACTIVE},  {'i', STATE_INACTIVE}, {'?', STATE_UNKNOWN},
		     {'h', STATE_RUNNING}, {'H', STATE_RUNNING}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].letter == letter)
			return table[i].state;
	return STATE_UNKNOWN;
}

static char letter_of(enum thread_state state)
{
	static const char letters[STATE_COUNT] = {
		[STATE_NONE] = ' ',	[STATE_UNKNOWN] = '?',	[STATE_ACTIVE] = 'a',
		[STATE_RUNNING] = 'R',	[STATE_RUNNABLE] = 'w', [STATE_INACTIVE] = 'i',
		[STATE_SLEEPING] = '.', [STATE_DISK] = 'D',	[STATE_STOPPED] = 'T'};

	return letters[state];
}

static void add_fork(struct array_source *array, size_t column, size_t row)
{
	struct event event = event_at(column, EVENT_FORK, NOWHERE);

	event.tid = row ? DRAWING_TID : STRANGER;
	event.other = DRAWING_TID + (int32_t)row;
	add(array, &event);
}

static void add_wake(struct array_source *array, size_t column, size_t row)
{
	struct event event = event_at(column, EVENT_WAKE, NOWHERE);

	event.tid = STRANGER;
	event.other = DRAWING_TID + (int32_t)row;
	add(array, &event);
}

static void add_switch_in(struct array_source *array, size_t column, size_t row)
{
	struct event event = event_at(column, EVENT_SWITCH, (int32_t)row);

	event.other = DRAWING_TID + (int32_t)row;
	add(array, &event);
}

static void add_switch_out(struct array_source *array, size_t column, size_t row, char state)
{
	struct event event = event_at(column, EVENT_SWITCH, (int32_t)row);

	event.tid = DRAWING_TID + (int32_t)row;
	event.state = state_of(state);
	add(array, &event);
}

static void add_step(struct array_source *array, size_t column, size_t row, char from, char to)
{
	bool woken = to == 'w' || to == 'R' || to == 'h';

	if (from == to)
		return;
	if (runs(from))
		add_switch_out(array, column, row, runs(to) ? 'w' : to);
	if (from == ' ' && column)
		add_fork(array, column, row);
	else if (!runs(from) && from != 'w' && woken)
		add_wake(array, column, row);
	if (to == 'R')
		add_switch_in(array, column, row);
}

static char letter_at(const char *row, size_t column)
{
	return column < strlen(row) ? row[column] : ' ';
}

struct event_source *drawing_source(const char *const *rows)
{
	struct array_source *array = new_source();
	struct event first = event_at(0, EVENT_WAKE, NOWHERE);
	size_t columns = 0;

	first.tid = STRANGER;
	first.other = STRANGER + 1;
	add(array, &first);
	for (size_t row = 0; rows[row]; row++)
		columns = strlen(rows[row]) > columns ? strlen(rows[row]) : columns;
	for (size_t column = 0; column <= columns; column++) {
		for (size_t row = 0; rows[row]; row++) {
			char from = column ? letter_at(rows[row], column - 1) : ' ';
			bool ended = column == columns;

			if (ended && !runs(from))
				continue; /* the change lasts beyond the end of the trace */
			add_step(array, column, row, from, letter_at(rows[row], column));
		}
	}
	first.time_ns = DRAWING_BEGIN_NS + columns * DRAWING_STEP_NS;
	add(array, &first);
	return &array->source;
}

/* --- From changes to a drawing ------------------------------------------------------------- */

enum { COLUMNS_MAX = 256 };

static void draw(char *row, const struct change *change)
{
	size_t from = (change->begin_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS;
	size_t to = (change->end_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS;

	assert_true(to < COLUMNS_MAX);
	if (change->state != STATE_NONE)
		memset(row + from, letter_of(change->state), to - from);
}

static void trim(char *row)
{
	for (size_t length = strlen(row); length && row[length - 1] == ' '; length--)
		row[length - 1] = '\0';
}

char *drawing_join(const char *const *rows)
{
	char *joined = xstrdup("");

	for (size_t i = 0; rows[i]; i++) {
		char *row = xstrdup(rows[i]);
		char *longer;

		trim(row);
		longer = xasprintf("%s%s\n", joined, row);
		free(joined);
		free(row);
		joined = longer;
	}
	return joined;
}

char *drawing_of(struct timeline *timeline, size_t count)
{
	char(*rows)[COLUMNS_MAX + 1] = xcalloc(count, sizeof(*rows));
	const char **list = xcalloc(count + 1, sizeof(*list));
	struct change change;
	struct err err;
	char *joined;
	int rc;

	for (size_t i = 0; i < count; i++) {
		memset(rows[i], ' ', COLUMNS_MAX);
		list[i] = rows[i];
	}
	while ((rc = timeline_next(timeline, &change, &err)) > 0)
		if (change.tid >= DRAWING_TID && (size_t)(change.tid - DRAWING_TID) < count)
			draw(rows[change.tid - DRAWING_TID], &change);
	assert_int_equal(rc, 0);
	joined = drawing_join(list);
	free(rows);
	free(list);
	return joined;
}

/* --- From steps to events ------------------------------------------------------------------ */

static const struct {
	char letter;
	struct event event;
} steps[] = {
	{'f', {.kind = EVENT_FORK, .tid = 1, .other = 100}},
	{'w', {.kind = EVENT_WAKE, .other = 100}},
	{'>', {.kind = EVENT_SWITCH, .cpu = 1, .other = 100}},
	{'<', {.kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_SLEEPING}},
	{'h', {.kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_RUNNABLE}},
	{'x', {.kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .state = STATE_NONE}},
	{'2', {.kind = EVENT_SWITCH, .cpu = 2, .other = 100}},
	{'y', {.kind = EVENT_SWITCH, .cpu = 2, .tid = 100, .state = STATE_NONE}},
	{'=', {.kind = EVENT_SWITCH, .cpu = 1, .tid = 100, .other = 100, .state = STATE_RUNNABLE}},
	{'5', {.kind = EVENT_SWITCH, .cpu = 1, .other = 50}},
	{'0', {.kind = EVENT_SWITCH, .cpu = 1, .tid = 50, .state = STATE_SLEEPING}},
	{'i', {.kind = EVENT_SWITCH_IN, .cpu = 1, .tid = 100}},
	{'j', {.kind = EVENT_SWITCH_IN, .cpu = 1, .tid = 50, .other = 100}},
	{'J', {.kind = EVENT_SWITCH_IN, .cpu = 1, .tid = -1, .other = 100}},
	{'I', {.kind = EVENT_SWITCH_IN, .cpu = 1, .tid = 100, .other = 100}},
	{'o', {.kind = EVENT_SWITCH_OUT, .cpu = 1, .tid = 100, .state = STATE_INACTIVE}},
	{'O', {.kind = EVENT_SWITCH_OUT, .cpu = 1, .tid = 100, .state = STATE_UNKNOWN}},
	{'p', {.kind = EVENT_SWITCH_OUT, .cpu = 1, .tid = 100, .state = STATE_RUNNABLE}},
	{'e', {.kind = EVENT_END, .cpu = 1, .tid = 100}},
	{'E', {.kind = EVENT_EXIT, .cpu = 1, .tid = 100}},
	{'l', {.kind = EVENT_LAST, .cpu = 1, .tid = 100}},
	{'k', {.kind = EVENT_TASK, .tid = 100}},
	{'s', {.kind = EVENT_STATE, .tid = 100, .state = STATE_SLEEPING}},
	{'r', {.kind = EVENT_STATE, .tid = 100, .state = STATE_ACTIVE}},
	{'S', {.kind = EVENT_SAMPLED, .cpu = 1, .tid = 100}},
	{'g', {.kind = EVENT_GAP, .cpu = -1}},
	{'n', {.kind = EVENT_WAKE, .other = 8}},
	{'u', {.kind = EVENT_WAKE, .cpu = 1, .tid = -1, .other = 8}},
	{'v', {.kind = EVENT_SWITCH, .cpu = 1, .tid = -1, .state = STATE_SLEEPING}},
	{'W', {.kind = EVENT_WAKE, .cpu = 1, .tid = 100, .other = 8}},
	{'a', {.kind = EVENT_RAN, .cpu = 1, .tid = 100, .ran_ns = 1000}},
	{'b', {.kind = EVENT_RAN, .cpu = 1, .tid = 100, .ran_ns = 2000}},
	{'c', {.kind = EVENT_RAN, .cpu = 1, .tid = 100, .ran_ns = 3000}},
	{'d', {.kind = EVENT_RAN, .cpu = 1, .tid = 100, .ran_ns = 4000}},
	{'B', {.kind = EVENT_RAN, .cpu = -1, .tid = 100, .ran_ns = 2000}},
	{'Z', {.kind = EVENT_RAN, .cpu = 1, .tid = 100, .ran_ns = UINT64_MAX}},
};

static void add_letter(struct array_source *array, char letter, size_t column)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct event event = steps[i].event;

		if (steps[i].letter != letter)
			continue;
		event.time_ns = DRAWING_BEGIN_NS + column * DRAWING_STEP_NS;
		event.place = column + 1;
		event.pid = event.other_pid = -1;
		if (!event.cpu && (event.kind == EVENT_WAKE || event.kind == EVENT_FORK))
			event.cpu = NOWHERE;
		add(array, &event);
		return;
	}
	assert_int_equal(letter, ' ');
}

struct event_source *drawing_steps(const char *const rows[2])
{
	struct array_source *array = new_source();
	size_t lengths[2] = {strlen(rows[0]), rows[1] ? strlen(rows[1]) : 0};

	for (size_t column = 0; column < lengths[0] || column < lengths[1]; column++)
		for (size_t row = 0; row < 2; row++)
			if (column < lengths[row])
				add_letter(array, rows[row][column], column);
	return &array->source;
}

void drawing_assert_steps(const struct drawn_steps *want)
{
	static const int32_t root[] = {DRAWING_TID};
	static const struct selection tree = {.pids = root, .pid_count = 1};
	struct event_source *source = drawing_steps(want->rows);
	struct timeline *timeline = timeline_new(source, &tree);
	char *states;

	source->quality.no_wakes = want->no_wakes;
	states = drawing_of(timeline, 1);
	states[strcspn(states, "\n")] = '\0';
	if (strcmp(states, want->states) != 0)
		fail_msg("'%s': '%s' instead of '%s'", want->rows[0], states, want->states);
	source->quality.events = 0;
	for (enum quality_fact fact = 0; fact < QUALITY_FACTS; fact++)
		if (quality_value(&source->quality, fact) != quality_value(&want->quality, fact))
			fail_msg("'%s': %s is %d instead of %d", want->rows[0],
				 quality_words(fact)->key,
				 (int)quality_value(&source->quality, fact),
				 (int)quality_value(&want->quality, fact));
	free(states);
	timeline_free(timeline);
	event_source_free(source);
}
