/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program/program_marks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/*
 * What one long interval has needed is given back after it. In an input whose time stands still, no
 * more than so many of one time are looked through.
 */
enum { KEPT = 256, TIES_MAX = 4096 };

static void begin_anew(struct program_marks *marks)
{
	size_t count = marks->end - marks->begin;

	if (marks->begin)
		memmove(marks->steps, marks->steps + marks->begin, count * sizeof(struct step));
	marks->begin = 0;
	marks->end = count;
}

/* The place behind all marks that are not later. */
static size_t place_behind(const struct program_marks *marks, uint64_t at_ns)
{
	size_t place = marks->end;

	while (place > marks->begin && step_run_ns(&marks->steps[place - 1]) > at_ns)
		place--;
	return place;
}

/* ... or before the first of them that waits for something at that very time. */
static size_t place_before_waits(const struct program_marks *marks, uint64_t at_ns)
{
	size_t place = place_behind(marks, at_ns);
	size_t last = place - marks->begin > TIES_MAX ? place - TIES_MAX : marks->begin;

	for (size_t i = place; i > last && step_run_ns(&marks->steps[i - 1]) == at_ns; i--)
		if (step_op(&marks->steps[i - 1]) == STEP_BLOCK)
			place = i - 1;
	return place;
}

void program_marks_add(struct program_marks *marks, uint64_t at_ns, struct step step)
{
	enum step_op op = step_op(&step);
	size_t place;

	if (marks->end == marks->capacity && marks->begin >= marks->end / 2)
		begin_anew(marks);
	array_reserve(&marks->steps, &marks->capacity, marks->end + 1);
	step.run_op = step_run_op(at_ns, op);
	at_ns = step_run_ns(&step);
	place = op == STEP_FORK || op == STEP_WAKE ? place_before_waits(marks, at_ns)
						   : place_behind(marks, at_ns);
	memmove(marks->steps + place + 1, marks->steps + place,
		(marks->end++ - place) * sizeof(step));
	marks->steps[place] = step;
}

static bool is_in_interval(const struct step *mark, uint64_t end_ns, bool waited)
{
	uint64_t at_ns = step_run_ns(mark);

	return at_ns < end_ns || (at_ns == end_ns && !waited && step_op(mark) != STEP_BLOCK);
}

const struct step *program_marks_take(struct program_marks *marks, uint64_t end_ns, bool waited)
{
	if (marks->begin < marks->end &&
	    is_in_interval(&marks->steps[marks->begin], end_ns, waited))
		return &marks->steps[marks->begin++];
	if (marks->begin == marks->end) {
		marks->begin = marks->end = 0;
		if (marks->capacity > KEPT)
			program_marks_release(marks);
	}
	return NULL;
}

void program_marks_release(struct program_marks *marks)
{
	free(marks->steps);
	*marks = (struct program_marks){0};
}
