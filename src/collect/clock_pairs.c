/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/clock_pairs.h"

#include "base/alloc.h"
#include "base/monotonic.h"

#include <stdlib.h>

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
	array_reserve(&pairs->items, &pairs->capacity, pairs->count + 1);
	pairs->items[pairs->count++] = pair;
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

uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks)
{
	size_t i = pairs->last;

	if (pairs->count < 2)
		return 0;
	/* Mostly the same as before, or the next one: times come nearly in order. */
	while (i > 0 && ticks < pairs->items[i].ticks)
		i--;
	while (i + 2 < pairs->count && ticks >= pairs->items[i + 1].ticks)
		i++;
	pairs->last = i;
	return extend(pairs->items[i], pairs->items[i + 1], ticks);
}
