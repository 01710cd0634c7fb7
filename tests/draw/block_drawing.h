/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawings as in drawing.h with the blocks that threads enter and leave: below each row of states
 * is a row of blocks, in which a letter A to Z enters the block of that name and a to z leaves it,
 * at the beginning of its microsecond and after the events of the scheduler. A digit: the thread of
 * that number wakes the thread of this row, instead of a stranger. '<' begins a page fault and '>'
 * ends it.
 */
#ifndef PSCAL_TESTS_DRAW_BLOCK_DRAWING_H
#define PSCAL_TESTS_DRAW_BLOCK_DRAWING_H

#include <stdbool.h>

#include "draw/drawing.h"

struct drawn_blocks {
	const char *states, *blocks;
};

/* `rows` ends with a row of NULLs; if all states are NULL there is no scheduler. `one_cpu`: all
 * threads run on CPU 0 instead of one for each. */
struct event_source *block_drawing(const struct drawn_blocks *rows, bool one_cpu);

#endif
