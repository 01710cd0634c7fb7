/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_read_private.h"

#include "base/alloc.h"
#include "replay/program/step.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct program_marks {
	uint32_t begin, end, capacity;
	struct step steps[]; /* [begin .. end), in the order of their times */
};

/* The most marks of one time to look through, for an input whose time stands still. */
enum { MARKS_TIES_MAX = 4096 };

static void marks_begin_anew(struct program_marks *marks)
{
	uint32_t count = marks->end - marks->begin;

	memmove(marks->steps, marks->steps + marks->begin, count * sizeof(struct step));
	marks->begin = 0;
	marks->end = count;
}

/* Reserves room for a mark. Most threads have none most of the time: then *marks is NULL. */
static void marks_reserve(struct program_marks **marks)
{
	struct program_marks *own = *marks;
	uint32_t capacity = own ? own->capacity : 0;

	if (own && own->end == capacity && own->begin >= own->end / 2)
		marks_begin_anew(own);
	if (own && own->end < capacity)
		return;
	assert(capacity < UINT32_MAX / 2);
	capacity += capacity / 2 + 2;
	*marks = xreallocarray(own, 1, sizeof(*own) + capacity * sizeof(*own->steps));
	if (!own)
		**marks = (struct program_marks){0};
	(*marks)->capacity = capacity;
}

/* Returns the place behind all marks that are not later. */
static size_t marks_place_behind(const struct program_marks *marks, uint64_t at_ns)
{
	size_t place = marks->end;

	while (place > marks->begin && step_run_ns(&marks->steps[place - 1]) > at_ns)
		place--;
	return place;
}

/* Returns the same place, or that of the first mark at this very time that waits. */
static size_t marks_place_before_waits(const struct program_marks *marks, uint64_t at_ns)
{
	size_t place = marks_place_behind(marks, at_ns);
	size_t last = place - marks->begin > MARKS_TIES_MAX ? place - MARKS_TIES_MAX : marks->begin;

	for (size_t i = place; i > last && step_run_ns(&marks->steps[i - 1]) == at_ns; i--)
		if (step_op(&marks->steps[i - 1]) == STEP_BLOCK)
			place = i - 1;
	return place;
}

void marks_add(struct program_marks **all, uint64_t at_ns, struct step step)
{
	enum step_op op = step_op(&step);
	struct program_marks *marks;
	size_t place;

	marks_reserve(all);
	marks = *all;
	step.run_op = step_run_op(at_ns, op);
	at_ns = step_run_ns(&step);
	place = op == STEP_FORK || op == STEP_WAKE ? marks_place_before_waits(marks, at_ns)
						   : marks_place_behind(marks, at_ns);
	memmove(marks->steps + place + 1, marks->steps + place,
		(marks->end++ - place) * sizeof(step));
	marks->steps[place] = step;
}

static bool is_in_interval(const struct step *mark, uint64_t end_ns, bool waited)
{
	uint64_t at_ns = step_run_ns(mark);

	return at_ns < end_ns || (at_ns == end_ns && !waited && step_op(mark) != STEP_BLOCK);
}

const struct step *marks_take(struct program_marks **all, uint64_t end_ns, bool waited)
{
	struct program_marks *marks = *all;

	if (!marks)
		return NULL;
	if (marks->begin < marks->end &&
	    is_in_interval(&marks->steps[marks->begin], end_ns, waited))
		return &marks->steps[marks->begin++];
	if (marks->begin == marks->end) {
		free(marks);
		*all = NULL;
	}
	return NULL;
}
