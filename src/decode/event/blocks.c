/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/blocks.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void blocks_release(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		free(blocks->items[i].name);
		free(blocks->items[i].event);
		for (size_t k = 0; k < BLOCK_ARGUMENTS; k++)
			free(blocks->items[i].arguments[k]);
	}
	for (size_t i = 0; i < blocks->counter_count; i++)
		free(blocks->counters[i].name);
	free(blocks->items);
	map_release(&blocks->numbers);
	*blocks = (struct blocks){0};
}

static char *copy_of(const char *name, size_t length)
{
	return xasprintf("%.*s", (int)length, name);
}

int32_t blocks_number(struct blocks *blocks, const char *name, size_t length)
{
	bool is_full = blocks->count == BLOCKS_MAX;
	uint32_t number;

	length = strnlen(name, length < INT_MAX ? length : INT_MAX);
	number = is_full ? map_find(&blocks->numbers, name, length)
			 : map_add(&blocks->numbers, name, length);
	if (number == MAP_NONE) {
		blocks->dropped++;
		return BLOCK_NONE;
	}
	if (number == blocks->count) {
		array_reserve(&blocks->items, &blocks->capacity, blocks->count + 1);
		blocks->items[blocks->count++] = (struct block){.name = copy_of(name, length)};
	}
	return (int32_t)number;
}

void blocks_call(struct blocks *blocks, const char *event, const char *name)
{
	int32_t number = blocks_number(blocks, event, strlen(event));
	struct block *block = number == BLOCK_NONE ? NULL : &blocks->items[number];

	if (!block || block->event)
		return;
	block->event = block->name;
	block->name = xstrdup(name);
}

void blocks_name_argument(struct blocks *blocks, uint32_t block, size_t i, const char *name,
			  size_t length)
{
	char **argument = &blocks->items[block].arguments[i];

	if (!*argument)
		*argument = copy_of(name, length);
}

const char *blocks_argument(const struct blocks *blocks, uint32_t block, size_t i)
{
	return blocks->items[block].arguments[i];
}

/* --- Counters ------------------------------------------------------------------------------ */

enum { COUNTER_NAME_MAX = 255 };

/* Returns true for the names that perf and the kernel give to clocks. */
static bool is_time(const char *name)
{
	return strncmp(name, "task-clock", 10) == 0 || strncmp(name, "cpu-clock", 9) == 0 ||
	       strncmp(name, "PERF_COUNT_SW_TASK_CLOCK", 24) == 0 ||
	       strncmp(name, "PERF_COUNT_SW_CPU_CLOCK", 23) == 0;
}

int blocks_counter(struct blocks *blocks, const char *name, size_t length)
{
	struct block_counter *counter;

	for (size_t i = 0; i < blocks->counter_count; i++)
		if (strncmp(blocks->counters[i].name, name, length) == 0 &&
		    !blocks->counters[i].name[length])
			return (int)i;
	if (blocks->counter_count == TASK_COUNTED_MAX || !length || length > COUNTER_NAME_MAX)
		return -1;
	counter = &blocks->counters[blocks->counter_count];
	counter->name = copy_of(name, length);
	counter->in_ns = is_time(counter->name);
	return (int)blocks->counter_count++;
}
