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
	char *event; /* the name in the recording, if that is another one, or NULL */
	char *arguments[BLOCK_ARGUMENTS]; /* names of the arguments; NULL: arg1, arg2, ... */
};

/* The counters of tasks: their numbers are the places in counted[] of EVENT_STEP. */
struct block_counter {
	char *name;
	bool in_ns; /* the counter counts nanoseconds */
};

/* The blocks of a recording. An empty one is all zero. */
struct blocks {
	struct block *items;
	size_t count, capacity;
	struct map numbers; /* the numbers of blocks, by their names in the recording */
	uint64_t dropped;   /* events of blocks that got no number, as there were too many blocks */
	struct block_counter counters[TASK_COUNTED_MAX];
	size_t counter_count;
};

void blocks_release(struct blocks *blocks);

/* Returns the number of the block with this name, or BLOCK_NONE, which is counted: too many. */
int32_t blocks_number(struct blocks *blocks, const char *name, size_t length);

/* Returns the number of the counter with this name, or -1: too many, or the name is too long. */
int blocks_counter(struct blocks *blocks, const char *name, size_t length);

/* Gives a name to the block that the recording calls `event`, before or after its first event. */
void blocks_call(struct blocks *blocks, const char *event, const char *name);

/* Names argument `i` of a block. The first name that an argument gets stays. */
void blocks_name_argument(struct blocks *blocks, uint32_t block, size_t i, const char *name,
			  size_t length);

/* Returns the name of argument `i`, or NULL if the recording does not name it. */
const char *blocks_argument(const struct blocks *blocks, uint32_t block, size_t i);

#endif
