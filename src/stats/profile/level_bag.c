/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/level_bag.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Room at first, and up to how many levels looking at each of them costs next to nothing. */
enum { FEW = 1, SEARCHED = 8 };

void level_bag_release(struct level_bag *bag)
{
	free(bag->times);
	*bag = (struct level_bag){0};
}

static bool is_equal(struct level a, struct level b)
{
	return a.active == b.active && a.unknown == b.unknown;
}

static int compare(const void *one, const void *other)
{
	struct level a = ((const struct level_time *)one)->level;
	struct level b = ((const struct level_time *)other)->level;

	if (a.active != b.active)
		return a.active < b.active ? -1 : 1;
	return (a.unknown > b.unknown) - (a.unknown < b.unknown);
}

/* Equal levels become one. */
static void join_equals(struct level_bag *bag)
{
	uint32_t count = 0;

	qsort(bag->times, bag->count, sizeof(*bag->times), compare);
	for (uint32_t i = 0; i < bag->count; i++) {
		if (count && is_equal(bag->times[count - 1].level, bag->times[i].level))
			bag->times[count - 1].wall_ns += bag->times[i].wall_ns;
		else
			bag->times[count++] = bag->times[i];
	}
	bag->count = count;
}

static __attribute__((cold, noinline)) void make_room(struct level_bag *bag)
{
	if (bag->count > SEARCHED) /* up to then no level is there twice */
		join_equals(bag);
	if (bag->capacity && bag->count <= bag->capacity / 2)
		return;
	bag->capacity = bag->capacity ? 2 * bag->capacity : FEW;
	bag->times = xreallocarray(bag->times, bag->capacity, sizeof(*bag->times));
}

/* Where a level is, or where it may be if it is there at all. */
static inline uint32_t find(const struct level_bag *bag, const struct level_hints *hints,
			    struct level level)
{
	uint32_t i = bag->count;

	if (bag->count > SEARCHED)
		return hints->places[(uint32_t)level.active % 8];
	while (i > 0 && !is_equal(bag->times[i - 1].level, level))
		i--;
	return i - 1;
}

void level_bag_add(struct level_bag *bag, struct level_hints *hints, struct level level,
		   uint64_t wall_ns)
{
	struct level key = level_minus(level, bag->moved);
	uint32_t place = find(bag, hints, key);

	if (place < bag->count && is_equal(bag->times[place].level, key)) {
		bag->times[place].wall_ns += wall_ns;
		return;
	}
	if (bag->count == bag->capacity)
		make_room(bag);
	hints->places[(uint32_t)key.active % 8] = bag->count;
	bag->times[bag->count++] = (struct level_time){key, wall_ns};
}

void level_bag_pour(struct level_bag *into, struct level_bag *from, struct level_hints *hints)
{
	struct level_bag larger = into->count < from->count ? *from : *into;
	struct level_bag smaller = into->count < from->count ? *into : *from;

	for (uint32_t i = 0; i < smaller.count; i++) {
		struct level_time time = level_bag_get(&smaller, i);

		level_bag_add(&larger, hints, time.level, time.wall_ns);
	}
	smaller.count = 0;
	smaller.moved = (struct level){0, 0};
	*into = larger;
	*from = smaller;
}

void level_bag_copy(struct level_bag *copy, const struct level_bag *bag)
{
	*copy = *bag;
	copy->capacity = bag->count;
	copy->times = bag->count ? xcalloc(bag->count, sizeof(*copy->times)) : NULL;
	if (bag->count)
		memcpy(copy->times, bag->times, bag->count * sizeof(*copy->times));
}
