/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/activity.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>

/*
 * The time that threads spent in each bin. An interval fills all bins but its first and its last
 * one, so only where that begins and ends is noted.
 */
struct lane {
	uint64_t spent_ns[ACTIVITY_BINS];
	int64_t filling[ACTIVITY_BINS +
			1]; /* threads that fill the bins from here on: the change */
};

enum { ACTIVE, UNKNOWN, LANES };

struct activity {
	struct lane lanes[LANES];
	uint64_t bin_ns;
	bool begun;
	uint64_t begin_ns, end_ns;
};

struct activity *activity_new(void)
{
	struct activity *activity = xcalloc(1, sizeof(*activity));

	activity->bin_ns = 1;
	return activity;
}

void activity_free(struct activity *activity)
{
	free(activity);
}

void activity_begin(struct activity *activity, uint64_t begin_ns)
{
	if (activity->begun)
		return;
	activity->begun = true;
	activity->begin_ns = activity->end_ns = begin_ns;
}

struct activity *activity_copy(const struct activity *activity)
{
	struct activity *copy = xcalloc(1, sizeof(*copy));

	*copy = *activity;
	return copy;
}

/* Afterwards all is in spent_ns. */
static void settle(struct lane *lane, uint64_t bin_ns)
{
	int64_t threads = 0;

	for (size_t i = 0; i < ACTIVITY_BINS; i++) {
		threads += lane->filling[i];
		lane->filling[i] = 0;
		lane->spent_ns[i] += (uint64_t)threads * bin_ns;
	}
	lane->filling[ACTIVITY_BINS] = 0;
}

static void join_neighbours(struct activity *activity)
{
	enum { HALF = ACTIVITY_BINS / 2 };

	for (size_t l = 0; l < LANES; l++) {
		uint64_t *spent_ns = activity->lanes[l].spent_ns;

		settle(&activity->lanes[l], activity->bin_ns);
		for (size_t i = 0; i < HALF; i++)
			spent_ns[i] = spent_ns[2 * i] + spent_ns[2 * i + 1];
		for (size_t i = HALF; i < ACTIVITY_BINS; i++)
			spent_ns[i] = 0;
	}
	activity->bin_ns *= 2;
}

/* A thread spends the time from..to, since the beginning, which is within the bins. */
static void spend(struct lane *lane, uint64_t bin_ns, uint64_t from_ns, uint64_t to_ns)
{
	size_t first = from_ns / bin_ns, last = to_ns / bin_ns;

	if (first == last) {
		lane->spent_ns[first] += to_ns - from_ns;
		return;
	}
	lane->spent_ns[first] += (first + 1) * bin_ns - from_ns;
	lane->filling[first + 1]++;
	lane->filling[last]--;
	if (last < ACTIVITY_BINS)
		lane->spent_ns[last] += to_ns - last * bin_ns;
}

void activity_add(struct activity *activity, const struct change *change)
{
	uint64_t from_ns = change->begin_ns, to_ns = change->end_ns;

	activity_begin(activity, from_ns);
	if (from_ns < activity->begin_ns)
		from_ns = activity->begin_ns;
	if (to_ns > activity->end_ns)
		activity->end_ns = to_ns;
	while ((activity->end_ns - activity->begin_ns + ACTIVITY_BINS - 1) / ACTIVITY_BINS >
	       activity->bin_ns)
		join_neighbours(activity);
	if (to_ns <= from_ns)
		return;
	from_ns -= activity->begin_ns;
	to_ns -= activity->begin_ns;
	if (thread_state_is_active(change->state))
		spend(&activity->lanes[ACTIVE], activity->bin_ns, from_ns, to_ns);
	else if (change->state == STATE_UNKNOWN)
		spend(&activity->lanes[UNKNOWN], activity->bin_ns, from_ns, to_ns);
}

void activity_sum(const struct activity *activity, struct activity_times *times)
{
	struct activity *sum = activity_copy(activity);
	uint64_t bin_ns = sum->bin_ns;

	*times = (struct activity_times){.bin_ns = bin_ns, .total_ns = sum->end_ns - sum->begin_ns};
	times->count = (times->total_ns + bin_ns - 1) / bin_ns;
	times->bins = xcalloc(times->count ? times->count : 1, sizeof(*times->bins));
	for (size_t l = 0; l < LANES; l++)
		settle(&sum->lanes[l], bin_ns);
	for (size_t i = 0; i < times->count; i++) {
		uint64_t left_ns = times->total_ns - i * bin_ns;
		double length_ns = (double)(left_ns < bin_ns ? left_ns : bin_ns);

		times->bins[i] = (struct activity_bin){
			.active = (double)sum->lanes[ACTIVE].spent_ns[i] / length_ns,
			.unknown = (double)sum->lanes[UNKNOWN].spent_ns[i] / length_ns,
		};
	}
	activity_free(sum);
}

void activity_times_release(struct activity_times *times)
{
	free(times->bins);
	*times = (struct activity_times){0};
}
