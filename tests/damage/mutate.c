/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damage/mutate.h"

#include "damage/damage.h"

/* --- Any bytes ----------------------------------------------------------------------------- */

static void cut_end(struct bytes *bytes, struct random *random)
{
	bytes->count = random_below(random, bytes->count + 1);
}

static void flip_bits(struct bytes *bytes, struct random *random)
{
	for (size_t i = 1 + random_below(random, 8); i; i--)
		bytes->at[random_below(random, bytes->count)] ^=
			(char)(1 << random_below(random, 8));
}

static void set_bytes(struct bytes *bytes, struct random *random)
{
	struct range range = damage_range(random, bytes->count, 16);

	for (size_t i = range.begin; i < range.end; i++)
		bytes->at[i] = (char)random_next(random);
}

static void fill_bytes(struct bytes *bytes, struct random *random)
{
	static const char with[] = {0, '\xff', ' ', '9', '\n'};
	struct range range = damage_range(random, bytes->count, 64);

	memset(bytes->at + range.begin, with[random_below(random, sizeof(with))],
	       range.end - range.begin);
}

static void set_number(struct bytes *bytes, struct random *random)
{
	size_t size = (size_t)1 << random_below(random, 4);
	size_t place = random_below(random, bytes->count);
	uint64_t number = damage_number(random, bytes->count);

	if (!random_one_in(random, 4))
		place &= ~(size_t)7;
	if (size > bytes->count - place)
		size = bytes->count - place;
	memcpy(bytes->at + place, &number, size);
}

static void erase_bytes(struct bytes *bytes, struct random *random)
{
	damage_erase(bytes, damage_range(random, bytes->count, 64));
}

static void repeat_bytes(struct bytes *bytes, struct random *random)
{
	struct range range = damage_range(random, bytes->count, 64);
	size_t times = random_one_in(random, 8) ? 1 + random_below(random, 50) : 1;

	for (; times && bytes->count < 1 << 18; times--)
		damage_insert_copy(bytes, range.end, range);
}

static void exchange_bytes(struct bytes *bytes, struct random *random)
{
	struct range one = damage_range(random, bytes->count, 64);

	damage_exchange(bytes, one, damage_range(random, bytes->count, 64));
}

static void move_copy(struct bytes *bytes, struct random *random)
{
	struct range from = damage_range(random, bytes->count, 64);
	size_t place = random_below(random, bytes->count);
	size_t length = from.end - from.begin;

	if (length > bytes->count - place)
		length = bytes->count - place;
	memmove(bytes->at + place, bytes->at + from.begin, length);
}

/* --- All of them --------------------------------------------------------------------------- */

static const struct way any_ways[] = {
	{"cut the end off", cut_end},	    {"flip bits", flip_bits},
	{"write noise", set_bytes},	    {"fill a stretch", fill_bytes},
	{"write a number", set_number},	    {"erase a stretch", erase_bytes},
	{"repeat a stretch", repeat_bytes}, {"exchange two stretches", exchange_bytes},
	{"copy over", move_copy},
};

enum { ANY_COUNT = sizeof(any_ways) / sizeof(any_ways[0]) };

static const struct way *ways_of(enum seed_kind kind)
{
	return kind == SEED_PERFDATA ? damage_perfdata : damage_text;
}

static const struct way *way_of(enum seed_kind kind, size_t number)
{
	return number < ANY_COUNT ? &any_ways[number] : &ways_of(kind)[number - ANY_COUNT];
}

size_t mutate_count(enum seed_kind kind)
{
	size_t count = ANY_COUNT;

	for (const struct way *way = ways_of(kind); way->name; way++)
		count++;
	return count;
}

const char *mutate_name(enum seed_kind kind, size_t way)
{
	return way_of(kind, way)->name;
}

void mutate(struct bytes *bytes, enum seed_kind kind, size_t way, struct random *random)
{
	if (bytes->count)
		way_of(kind, way)->apply(bytes, random);
}

/* Structured inputs are mostly damaged in their structure. */
static void mutate_some(struct bytes *bytes, const struct seed *seed, struct random *random)
{
	size_t ways = mutate_count(seed->kind);

	for (size_t times = 1 + random_below(random, 4); times; times--) {
		size_t way = ANY_COUNT + random_below(random, ways - ANY_COUNT);

		if (random_one_in(random, 4))
			way = random_below(random, ANY_COUNT);
		mutate(bytes, seed->kind, way, random);
	}
}

struct bytes mutant_make(const struct seed *seed, uint64_t number)
{
	struct random random = {number * 0x9e3779b97f4a7c15};
	struct bytes bytes = seed_make(seed);
	size_t when = random_below(&random, 4); /* 0: only the compressed bytes are damaged */

	random_next(&random);
	if (number && (!seed->wrap || when))
		mutate_some(&bytes, seed, &random);
	if (seed->wrap)
		seed->wrap(&bytes);
	if (number && seed->wrap && when < 2)
		mutate_some(&bytes, seed, &random);
	return bytes;
}
