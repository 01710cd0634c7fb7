/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/blocks.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

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
	free(blocks->slots);
	*blocks = (struct blocks){0};
}

static char *copy_of(const char *name, size_t length)
{
	return xasprintf("%.*s", (int)length, name);
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *name, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static const char *key_of(const struct block *block)
{
	return block->event ? block->event : block->name;
}

/* Where the block of that name is, or would be. */
static uint32_t *find_slot(const struct blocks *blocks, const char *name, size_t length)
{
	size_t mask = blocks->slot_count - 1, at = hash_of(name, length) & mask;

	for (; blocks->slots[at]; at = (at + 1) & mask) {
		const char *other = key_of(&blocks->items[blocks->slots[at] - 1]);

		if (strncmp(other, name, length) == 0 && !other[length])
			break;
	}
	return &blocks->slots[at];
}

/* At most half of the slots are taken. */
static void make_room(struct blocks *blocks)
{
	if (2 * blocks->count < blocks->slot_count)
		return;
	blocks->slot_count = blocks->slot_count ? 2 * blocks->slot_count : SLOTS_MIN;
	free(blocks->slots);
	blocks->slots = xcalloc(blocks->slot_count, sizeof(*blocks->slots));
	for (size_t i = 0; i < blocks->count; i++) {
		const char *name = key_of(&blocks->items[i]);

		*find_slot(blocks, name, strlen(name)) = (uint32_t)i + 1;
	}
}

int32_t blocks_number(struct blocks *blocks, const char *name, size_t length)
{
	uint32_t *slot;

	length = strnlen(name, length < INT_MAX ? length : INT_MAX);
	make_room(blocks);
	slot = find_slot(blocks, name, length);
	if (*slot)
		return (int32_t)*slot - 1;
	if (blocks->count == BLOCKS_MAX) {
		blocks->dropped++;
		return BLOCK_NONE;
	}
	array_reserve(&blocks->items, &blocks->capacity, blocks->count + 1);
	blocks->items[blocks->count++] = (struct block){.name = copy_of(name, length)};
	*slot = (uint32_t)blocks->count;
	return (int32_t)blocks->count - 1;
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

/* As perf and the kernel call those that do. */
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
