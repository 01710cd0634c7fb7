/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/clock_pairs.h"

#include "base/alloc.h"
#include "base/monotonic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Of so many tries the one counts that was interrupted least. */
enum { TRIES = 8 };

void clock_pairs_release(struct clock_pairs *pairs)
{
	free(pairs->items);
	*pairs = (struct clock_pairs){0};
}

/* On the line through a and b. No product overflows: spans are hours, not centuries. */
static uint64_t extend(struct clock_pair a, struct clock_pair b, uint64_t ticks)
{
	__int128 ns = (__int128)((int64_t)(ticks - a.ticks)) * (int64_t)(b.ns - a.ns);

	return a.ns + (uint64_t)(int64_t)(ns / (int64_t)(b.ticks - a.ticks));
}

static void forget_half(struct clock_pairs *pairs)
{
	size_t half = pairs->count / 2;

	pairs->count -= half;
	pairs->last = pairs->last > half ? pairs->last - half : 0;
	memmove(pairs->items, pairs->items + half, pairs->count * sizeof(*pairs->items));
}

void clock_pairs_add(struct clock_pairs *pairs, struct clock_pair pair)
{
	struct clock_pair *last = pairs->count ? &pairs->items[pairs->count - 1] : NULL;

	if (last && (pair.ticks <= last->ticks || pair.ns <= last->ns))
		return;
	if (pairs->count >= 2) {
		uint64_t ns = extend(last[-1], *last, pair.ticks);
		uint64_t off = ns > pair.ns ? ns - pair.ns : pair.ns - ns;

		if (off > pairs->drift_ns)
			pairs->drift_ns = off;
	}
	if (pairs->count == CLOCK_PAIRS_MAX)
		forget_half(pairs);
	array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1);
	pairs->items[pairs->count++] = pair;
	pairs->ns_per_tick = 0;
}

void clock_pairs_take(struct clock_pairs *pairs)
{
#if defined(__x86_64__)
	struct clock_pair best = {0, 0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), ns = monotonic_ns(), after = __rdtsc();

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best = (struct clock_pair){before + shortest / 2, ns};
	}
	clock_pairs_add(pairs, best);
#else
	(void)pairs;
#endif
}

/* Mostly the same as before, or the next one: times come nearly in order. */
static void find_pair(struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *items = pairs->items;
	size_t i = pairs->last;

	while (i > 0 && ticks < items[i].ticks)
		i--;
	while (i + 2 < pairs->count && ticks >= items[i + 1].ticks)
		i++;
	pairs->last = i;
	pairs->ns_per_tick = (double)(items[i + 1].ns - items[i].ns) /
			     (double)(items[i + 1].ticks - items[i].ticks);
}

static bool is_at_last(const struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *pair = &pairs->items[pairs->last];

	return pairs->ns_per_tick > 0 && ticks >= pair[0].ticks && ticks < pair[1].ticks;
}

/* Floating point is exact to less than 1 ns for spans of weeks, and takes a tenth of a division. */
uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks)
{
	const struct clock_pair *pair;
	double ns;

	if (pairs->count < 2)
		return 0;
	if (!is_at_last(pairs, ticks))
		find_pair(pairs, ticks);
	pair = &pairs->items[pairs->last];
	ns = (double)(int64_t)(ticks - pair->ticks) * pairs->ns_per_tick;
	return pair->ns + (uint64_t)(int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}
