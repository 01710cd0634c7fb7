/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/usl/usl_means.h"

#include "base/alloc.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct usl_units usl_units_of(const struct series *series)
{
	struct usl_units units = {series_max_n(series), series_max_throughput(series),
				  series_weight(series, 0)};

	for (size_t i = 1; (series->weights || series->trust) && i < series->count; i++)
		units.weight = fmax(units.weight, series_weight(series, i));
	return units;
}

static struct usl_mean mean_of(const struct series *series, size_t point,
			       const struct usl_units *units)
{
	double own = series_own_weight(series, point);

	return (struct usl_mean){.n = series->points[point].n / units->n,
				 .x = series->points[point].throughput / units->x,
				 .weight = series_weight(series, point) / units->weight,
				 .variance = units->weight / own,
				 .count = 1};
}

/* Merges by Welford's update, which does not lose digits to a sum of squares. */
static void merge_means(struct usl_mean *into, const struct usl_mean *mean)
{
	long double distance = mean->x - into->x, share;

	into->weight += mean->weight;
	into->count += mean->count;
	share = into->weight > 0 ? mean->weight / into->weight : 0;
	into->n += (mean->n - into->n) * (double)share;
	into->x += distance * share;
	into->spread += mean->spread + mean->weight * distance * (mean->x - into->x);
	into->variance +=
		(mean->variance - into->variance) * (double)mean->count / (double)into->count;
}

static int by_n(const void *a, const void *b)
{
	const struct usl_mean *one = a, *other = b;

	return (one->n > other->n) - (one->n < other->n);
}

/* Sorts, if needed, and joins means with the same N, or neighbours up to the weight `together`. */
static size_t settle(struct usl_mean *means, size_t count, long double together)
{
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < count && sorted; i++)
		sorted = means[i - 1].n <= means[i].n;
	if (!sorted)
		qsort(means, count, sizeof(*means), by_n);
	for (size_t i = 0; i < count; i++) {
		struct usl_mean *last = kept ? &means[kept - 1] : NULL;

		if (last && (last->n == means[i].n || last->weight < together))
			merge_means(last, &means[i]);
		else
			means[kept++] = means[i];
	}
	return kept;
}

/* --- Means by hashing, without an order ------------------------------------- */

enum { HASHED = 4096, BITS = 14 }; /* the largest number of N, and bits of the number of slots */

struct hash {
	struct usl_mean *means;
	size_t count, most;
	uint16_t *slots; /* 1 + the index of a mean; 0: none */
	unsigned bits;
};

/* Finds the mean of N, by Fibonacci hashing: upper bits of a product with 2^64 / golden ratio. */
static struct usl_mean *find_mean(struct hash *hash, double n)
{
	uint64_t bits;
	size_t slot;

	memcpy(&bits, &n, sizeof(bits));
	slot = bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - hash->bits);
	while (hash->slots[slot] && hash->means[hash->slots[slot] - 1].n != n)
		slot = (slot + 1) & ((1u << hash->bits) - 1);
	if (hash->slots[slot])
		return &hash->means[hash->slots[slot] - 1];
	if (hash->count == hash->most)
		return NULL;
	hash->slots[slot] = (uint16_t)++hash->count;
	hash->means[hash->count - 1] = (struct usl_mean){.n = n};
	return &hash->means[hash->count - 1];
}

/* Returns false if there are too many different N. */
static bool collect(struct hash *hash, const struct series *series, const struct usl_units *units)
{
	for (size_t i = 0; i < series->count; i++) {
		struct usl_mean mean = mean_of(series, i, units);
		struct usl_mean *known = find_mean(hash, mean.n);

		if (!known)
			return false;
		if (known->count)
			merge_means(known, &mean);
		else
			*known = mean;
	}
	return true;
}

static struct usl_mean *by_hash(size_t *count, const struct series *series,
				const struct usl_units *units)
{
	struct hash hash = {.most = series->count < HASHED ? series->count : HASHED, .bits = 1};
	bool all;

	while (hash.bits < BITS && (1u << hash.bits) < 2 * hash.most)
		hash.bits++;
	hash.means = xcalloc(hash.most, sizeof(*hash.means));
	hash.slots = xcalloc((size_t)1 << hash.bits, sizeof(*hash.slots));
	all = collect(&hash, series, units);
	free(hash.slots);
	*count = hash.count;
	if (all)
		return hash.means;
	free(hash.means);
	return NULL;
}

/* ---------------------------------------------------------------------------- */

struct usl_mean *usl_means(size_t *count, const struct series *series,
			   const struct usl_units *units, size_t most)
{
	struct usl_mean *means = by_hash(count, series, units);
	long double sum = 0;

	if (!means) {
		means = xcalloc(series->count, sizeof(*means));
		for (*count = 0; *count < series->count; ++*count)
			means[*count] = mean_of(series, *count, units);
	}
	*count = settle(means, *count, 0);
	if (!most || *count <= most)
		return means;
	for (size_t i = 0; i < *count; i++)
		sum += means[i].weight;
	*count = settle(means, *count, sum / (long double)most);
	return means;
}

struct series usl_means_series(const struct series *series, size_t most)
{
	struct usl_units units = usl_units_of(series);
	size_t count;
	struct usl_mean *means = usl_means(&count, series, &units, most);
	struct series result = {.source = series->source, .count = count};

	result.points = xcalloc(count + 1, sizeof(*result.points));
	result.weights = xcalloc(count + 1, sizeof(*result.weights));
	for (size_t i = 0; i < count; i++) {
		result.points[i] = (struct series_point){
			means[i].n * units.n, (double)(means[i].x * (long double)units.x)};
		result.weights[i] = (double)(means[i].weight * (long double)units.weight);
	}
	free(means);
	return result;
}
