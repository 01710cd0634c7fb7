/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/block_drawing.h"

#include "base/alloc.h"
#include "base/err.h"
#include "support.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 8 };

struct drawn_events {
	struct event *items;
	size_t count, capacity;
};

static void add(struct drawn_events *events, struct event event)
{
	array_reserve(&events->items, &events->capacity, events->count + 1);
	events->items[events->count++] = event;
}

static void add_states(struct drawn_events *events, const struct drawn_blocks *rows, bool one_cpu)
{
	const char *states[ROWS_MAX + 1] = {NULL};
	struct event_source *source;
	struct event event;
	struct err err;

	for (size_t i = 0; rows[i].blocks; i++) {
		assert_true(i < ROWS_MAX);
		states[i] = rows[i].states;
	}
	if (!*states)
		return;
	source = drawing_source(states);
	while (event_source_next(source, &event, &err) > 0) {
		if (one_cpu && event.cpu > 0)
			event.cpu = 0;
		add(events, event);
	}
	event_source_free(source);
}

static void add_blocks(struct drawn_events *events, const struct drawn_blocks *rows)
{
	for (size_t i = 0; rows[i].blocks; i++) {
		for (size_t column = 0; rows[i].blocks[column]; column++) {
			char letter = rows[i].blocks[column];
			enum event_kind kind = isupper(letter) ? EVENT_ENTER : EVENT_LEAVE;
			struct event event =
				event_new(kind, DRAWING_BEGIN_NS + column * DRAWING_STEP_NS);

			event.tid = DRAWING_TID + (int32_t)i;
			event.block = (uint32_t)(toupper(letter) - 'A');
			if (isalpha(letter))
				add(events, event);
		}
	}
}

static void add_faults(struct drawn_events *events, const struct drawn_blocks *rows)
{
	for (size_t i = 0; rows[i].blocks; i++) {
		for (size_t column = 0; rows[i].blocks[column]; column++) {
			char sign = rows[i].blocks[column];
			struct event event = event_new(sign == '<' ? EVENT_FAULT : EVENT_FAULT_END,
						       DRAWING_BEGIN_NS + column * DRAWING_STEP_NS);

			event.tid = DRAWING_TID + (int32_t)i;
			if (sign == '<' || sign == '>')
				add(events, event);
		}
	}
}

static void set_wakers(struct drawn_events *events, const struct drawn_blocks *rows)
{
	for (size_t i = 0; i < events->count; i++) {
		struct event *event = &events->items[i];
		size_t column = (event->time_ns - DRAWING_BEGIN_NS) / DRAWING_STEP_NS;

		for (size_t row = 0; rows[row].blocks && event->kind == EVENT_WAKE; row++)
			if (column < strlen(rows[row].blocks) &&
			    rows[row].blocks[column] == '0' + event->other - DRAWING_TID)
				event->tid = DRAWING_TID + (int32_t)row;
	}
}

/* At the same time, threads leave CPUs before other ones get them, and block events come last. */
static int rank(const struct event *event)
{
	if (event->kind >= EVENT_ENTER && event->kind <= EVENT_FAULT_END)
		return 2;
	return event->kind == EVENT_SWITCH && !event->tid;
}

static bool is_before(const struct event *a, const struct event *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : rank(a) < rank(b);
}

/* Keeps the order of equal events. */
static void sort_by_time(struct drawn_events *events)
{
	for (size_t i = 1; i < events->count; i++) {
		struct event event = events->items[i];
		size_t place = i;

		for (; place && is_before(&event, &events->items[place - 1]); place--)
			events->items[place] = events->items[place - 1];
		events->items[place] = event;
	}
}

struct event_source *block_drawing(const struct drawn_blocks *rows, bool one_cpu)
{
	struct drawn_events events = {0};
	struct event_source *source;

	add_states(&events, rows, one_cpu);
	set_wakers(&events, rows);
	add_blocks(&events, rows);
	add_faults(&events, rows);
	sort_by_time(&events);
	source = array_source(events.items, events.count);
	for (char letter = 'A'; letter <= 'Z'; letter++)
		blocks_number(&source->blocks, &letter, 1);
	free(events.items);
	return source;
}
