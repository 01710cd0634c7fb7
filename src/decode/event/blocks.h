/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of code that threads enter and leave: functions, and blocks that a program marks itself.
 * Events have their numbers, 0, 1, 2, ... in the order of appearance. Two blocks of the same name
 * are one.
 */
#ifndef PSCAL_DECODE_EVENT_BLOCKS_H
#define PSCAL_DECODE_EVENT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "decode/event/event.h"

enum { BLOCKS_MAX = 1 << 20, BLOCK_NONE = -1 };

struct block {
	char *name;
	char *event; /* what it goes by in the recording, where that is another name; or NULL */
	char *arguments[BLOCK_ARGUMENTS]; /* their names; NULL: arg1, arg2, ... */
};

/* The events counted in tasks: the numbers are places in counted[] of EVENT_STEP. */
struct block_counter {
	char *name;
	bool in_ns; /* it counts time */
};

/* Begins as zero. */
struct blocks {
	struct block *items;
	size_t count, capacity;
	struct map numbers; /* by what they go by in the recording */
	uint64_t dropped;   /* events of blocks for which there was no number left */
	struct block_counter counters[TASK_COUNTED_MAX];
	size_t counter_count;
};

void blocks_release(struct blocks *blocks);

/* The number of the block with this name; BLOCK_NONE, which is counted, when there are too many. */
int32_t blocks_number(struct blocks *blocks, const char *name, size_t length);

/* The number of the counter with this name; -1: there are too many, or the name is too long. */
int blocks_counter(struct blocks *blocks, const char *name, size_t length);

/* Gives the block that the recording calls `event` this name, before or after it is met there. */
void blocks_call(struct blocks *blocks, const char *event, const char *name);

/* The first name that argument `i` is given stays. */
void blocks_name_argument(struct blocks *blocks, uint32_t block, size_t i, const char *name,
			  size_t length);

/* NULL: it has none of its own. */
const char *blocks_argument(const struct blocks *blocks, uint32_t block, size_t i);

#endif
