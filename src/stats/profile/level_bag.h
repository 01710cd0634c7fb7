/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wall time by level: how many threads were active, and of how many it is not known whether they
 * were. All levels can be moved at once, and two bags be poured together, without a look at each
 * level.
 *
 * The levels are an array in no order, which may hold a level more than once. When it is full it is
 * sorted, and equal levels become one; if that leaves more than half of the room in use, the room
 * doubles. So there are half as many additions as there is room before it is sorted again: one
 * costs O(log n) on average, whatever the levels are, and the room is at most four times what is
 * needed. Nearly always a level is found where it was found last, and costs a comparison.
 */
#ifndef PSCAL_STATS_PROFILE_LEVEL_BAG_H
#define PSCAL_STATS_PROFILE_LEVEL_BAG_H

#include <stddef.h>
#include <stdint.h>

/* So many threads are active, and of so many others it is not known. Or a difference of two. */
struct level {
	int32_t active, unknown;
};

/* Modulo 2^32: sums of many differences may leave the range, what comes out in the end does not. */
static inline struct level level_plus(struct level a, struct level b)
{
	return (struct level){(int32_t)((uint32_t)a.active + (uint32_t)b.active),
			      (int32_t)((uint32_t)a.unknown + (uint32_t)b.unknown)};
}

static inline struct level level_minus(struct level a, struct level b)
{
	return (struct level){(int32_t)((uint32_t)a.active - (uint32_t)b.active),
			      (int32_t)((uint32_t)a.unknown - (uint32_t)b.unknown)};
}

struct level_time {
	struct level level;
	uint64_t wall_ns;
};

struct level_bag {
	struct level_time *times; /* of levels without `moved` */
	uint32_t count, capacity;
	struct level moved; /* to be added to each of them */
};

/* Where levels were found last, by the last bits of `active`. May be wrong, and of another bag. */
struct level_hints {
	uint32_t places[8];
};

void level_bag_release(struct level_bag *bag);

void level_bag_add(struct level_bag *bag, struct level_hints *hints, struct level level,
		   uint64_t wall_ns);

/* All levels of the bag become other ones, by so much. */
static inline void level_bag_move(struct level_bag *bag, struct level by)
{
	bag->moved = level_plus(bag->moved, by);
}

/* All that is in `from` gets into `into`, at the cost of the smaller one; `from` is then empty. */
void level_bag_pour(struct level_bag *into, struct level_bag *from, struct level_hints *hints);

/* `copy` is empty, and gets the same. */
void level_bag_copy(struct level_bag *copy, const struct level_bag *bag);

/* Number i of what is in the bag, for i < bag->count. A level may come more than once. */
static inline struct level_time level_bag_get(const struct level_bag *bag, size_t i)
{
	return (struct level_time){level_plus(bag->times[i].level, bag->moved),
				   bag->times[i].wall_ns};
}

#endif
