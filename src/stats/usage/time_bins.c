/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/usage/time_bins.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The counts of a lane. An interval fills all bins between its ends, which alone are noted. */
struct time_lane {
	uint64_t *spent_ns;
	/* [max + 1]: the number of intervals more that fill the bins from here on */
	int64_t *filling;
};

void time_bins_init(struct time_bins *bins, uint64_t least_ns, size_t max, size_t lane_count)
{
	*bins = (struct time_bins){.bin_ns = least_ns, .max = max, .lane_count = lane_count};
	bins->lanes = xcalloc(lane_count, sizeof(*bins->lanes));
	for (size_t i = 0; i < lane_count; i++) {
		bins->lanes[i].spent_ns = xcalloc(max, sizeof(*bins->lanes[i].spent_ns));
		bins->lanes[i].filling = xcalloc(max + 1, sizeof(*bins->lanes[i].filling));
	}
}

void time_bins_copy(struct time_bins *copy, const struct time_bins *bins)
{
	time_bins_init(copy, bins->bin_ns, bins->max, bins->lane_count);
	copy->end_ns = bins->end_ns;
	for (size_t i = 0; i < bins->lane_count; i++) {
		memcpy(copy->lanes[i].spent_ns, bins->lanes[i].spent_ns,
		       bins->max * sizeof(*copy->lanes[i].spent_ns));
		memcpy(copy->lanes[i].filling, bins->lanes[i].filling,
		       (bins->max + 1) * sizeof(*copy->lanes[i].filling));
	}
}

void time_bins_release(struct time_bins *bins)
{
	for (size_t i = 0; i < bins->lane_count; i++) {
		free(bins->lanes[i].spent_ns);
		free(bins->lanes[i].filling);
	}
	free(bins->lanes);
	*bins = (struct time_bins){.lanes = NULL};
}

static void settle_lane(const struct time_bins *bins, const struct time_lane *lane)
{
	int64_t things = 0;

	for (size_t i = 0; i < bins->max; i++) {
		things += lane->filling[i];
		lane->filling[i] = 0;
		lane->spent_ns[i] += (uint64_t)things * bins->bin_ns;
	}
	lane->filling[bins->max] = 0;
}

void time_bins_settle(struct time_bins *bins)
{
	for (size_t i = 0; i < bins->lane_count; i++)
		settle_lane(bins, &bins->lanes[i]);
}

void time_bins_join(struct time_bins *bins)
{
	const size_t half = bins->max / 2;

	time_bins_settle(bins);
	for (size_t l = 0; l < bins->lane_count; l++) {
		uint64_t *spent_ns = bins->lanes[l].spent_ns;

		for (size_t i = 0; i < half; i++)
			spent_ns[i] = spent_ns[2 * i] + spent_ns[2 * i + 1];
		memset(spent_ns + half, 0, half * sizeof(*spent_ns));
	}
	bins->bin_ns *= 2;
}

/* Returns the bin, without a division, as each interval needs it. */
static size_t bin_of(const struct time_bins *bins, uint64_t time_ns)
{
	return time_ns >> __builtin_ctzll(bins->bin_ns);
}

void time_bins_extend(struct time_bins *bins, uint64_t to_ns)
{
	if (to_ns <= bins->end_ns)
		return;
	bins->end_ns = to_ns;
	while (bin_of(bins, to_ns - 1) >= bins->max)
		time_bins_join(bins);
}

void time_bins_add(struct time_bins *bins, size_t lane, uint64_t from_ns, uint64_t to_ns)
{
	struct time_lane *into = &bins->lanes[lane];
	size_t first, last;

	time_bins_extend(bins, to_ns);
	if (to_ns <= from_ns)
		return;
	first = bin_of(bins, from_ns);
	last = bin_of(bins, to_ns);
	if (first == last) {
		into->spent_ns[first] += to_ns - from_ns;
		return;
	}
	into->spent_ns[first] += (first + 1) * bins->bin_ns - from_ns;
	into->filling[first + 1]++;
	into->filling[last]--;
	if (last < bins->max)
		into->spent_ns[last] += to_ns - last * bins->bin_ns;
}

size_t time_bins_count(const struct time_bins *bins)
{
	return bins->end_ns ? bin_of(bins, bins->end_ns - 1) + 1 : 0;
}

double time_bins_mean(const struct time_bins *bins, size_t lane, size_t bin)
{
	uint64_t left_ns = bins->end_ns - bin * bins->bin_ns;

	return (double)bins->lanes[lane].spent_ns[bin] /
	       (double)(left_ns < bins->bin_ns ? left_ns : bins->bin_ns);
}
