/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states of the containers of a Paje trace, and the events that lines make of them. */
#ifndef PSCAL_DECODE_TEXT_PAJE_STACKS_H
#define PSCAL_DECODE_TEXT_PAJE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/blocks.h"
#include "decode/text/paje_layout.h"

enum { PAJE_DEPTH = 1 << 20 };

struct paje_stacks;

/* `blocks` is borrowed, and gets the states. */
struct paje_stacks *paje_stacks_new(struct blocks *blocks);
void paje_stacks_free(struct paje_stacks *stacks);

/*
 * Takes a line when all events of the last one have been given out. Returns 0, or -1 when it
 * contradicts what came before or makes no sense.
 */
int paje_stacks_take(struct paje_stacks *stacks, const struct paje_line *line);

/* The next event of the line. False: there is none. */
bool paje_stacks_pop(struct paje_stacks *stacks, struct event *event);

#endif
