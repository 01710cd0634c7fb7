/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/damage.h"

/* Numbers at limits of types and tables. */
uint64_t damage_number(struct random *random, size_t size)
{
	static const uint64_t numbers[] = {0,
					   1,
					   7,
					   8,
					   16,
					   104,
					   255,
					   256,
					   0x7fff,
					   0x8000,
					   0xfff8,
					   0xffff,
					   1 << 16,
					   1 << 22,
					   1 << 28,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   1ULL << 32,
					   INT64_MAX,
					   1ULL << 63,
					   UINT64_MAX,
					   UINT64_MAX - 7};
	uint64_t number = numbers[random_below(random, sizeof(numbers) / sizeof(numbers[0]))];

	switch (random_below(random, 4)) {
	case 0:
		return size + number % 9 - 4; /* just inside or outside */
	case 1:
		return random_next(random) % (2 * size + 1);
	default:
		return number;
	}
}

struct range damage_range(struct random *random, size_t count, size_t most)
{
	size_t begin = random_below(random, count);
	size_t length = 1 + random_below(random, random_one_in(random, 4) ? count : most);

	return (struct range){begin, length < count - begin ? begin + length : count};
}

void damage_erase(struct bytes *bytes, struct range range)
{
	memmove(bytes->at + range.begin, bytes->at + range.end, bytes->count - range.end);
	bytes->count -= range.end - range.begin;
}

void damage_insert(struct bytes *bytes, size_t place, const void *what, size_t length)
{
	size_t behind = bytes->count - place;

	put(bytes, what, length); /* shifts the rest */
	memmove(bytes->at + place + length, bytes->at + place, behind);
	memcpy(bytes->at + place, what, length);
}

void damage_insert_copy(struct bytes *bytes, size_t place, struct range range)
{
	size_t length = range.end - range.begin;
	char *copy = xcalloc(length, 1);

	memcpy(copy, bytes->at + range.begin, length);
	damage_insert(bytes, place, copy, length);
	free(copy);
}

/* Exchanges two stretches that do not overlap. */
void damage_exchange(struct bytes *bytes, struct range a, struct range b)
{
	if (a.begin > b.begin) {
		struct range swap = a;

		a = b;
		b = swap;
	}
	if (a.end > b.begin)
		return;
	damage_insert_copy(bytes, b.end, a);
	damage_insert_copy(bytes, a.begin, b);
	damage_erase(bytes, (struct range){b.begin + b.end - b.begin, b.end + b.end - b.begin});
	damage_erase(bytes, (struct range){a.begin + b.end - b.begin, a.end + b.end - b.begin});
}
