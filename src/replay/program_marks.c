/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/program_marks.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* What one long interval has needed is given back after it. */
enum { KEPT = 256 };

static void begin_anew(struct program_marks *marks)
{
	size_t count = marks->end - marks->begin;

	if (marks->begin)
		memmove(marks->steps, marks->steps + marks->begin, count * sizeof(struct step));
	marks->begin = 0;
	marks->end = count;
}

void program_marks_add(struct program_marks *marks, uint64_t at_ns, struct step step)
{
	size_t place;

	if (marks->end == marks->capacity && marks->begin >= marks->end / 2)
		begin_anew(marks);
	array_reserve(&marks->steps, &marks->capacity, marks->end + 1);
	step.run_op = step_run_op(at_ns, step_op(&step));
	place = marks->end++;
	for (; place > marks->begin && step_run_ns(&marks->steps[place - 1]) > at_ns; place--)
		marks->steps[place] = marks->steps[place - 1];
	marks->steps[place] = step;
}

const struct step *program_marks_take(struct program_marks *marks, uint64_t end_ns)
{
	if (marks->begin < marks->end && step_run_ns(&marks->steps[marks->begin]) <= end_ns)
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
