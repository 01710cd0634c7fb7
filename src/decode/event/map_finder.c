/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/map_finder.h"

#include "base/alloc.h"
#include "decode/event/samples.h"

#include <stdbool.h>
#include <stdlib.h>

/* Generations of processes without an exec, and maps at one place: more than anybody has. */
enum { GENERATIONS_MAX = 64, OVERLAPS_MAX = 1000 };

/* --- What there is, in order --------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* What is told later stands behind, where nothing else tells them apart. */
static int compare_maps(const void *a, const void *b)
{
	const struct mapped *one = *(const struct mapped *const *)a;
	const struct mapped *other = *(const struct mapped *const *)b;

	if (one->pid != other->pid)
		return (one->pid > other->pid) - (one->pid < other->pid);
	if (one->begin != other->begin)
		return compare_u64(one->begin, other->begin);
	return (one > other) - (one < other);
}

static int compare_parents(const void *a, const void *b)
{
	const struct parentage *one = *(const struct parentage *const *)a;
	const struct parentage *other = *(const struct parentage *const *)b;

	if (one->pid != other->pid)
		return (one->pid > other->pid) - (one->pid < other->pid);
	if (one->time_ns != other->time_ns)
		return compare_u64(one->time_ns, other->time_ns);
	return (one > other) - (one < other);
}

static void sort_maps(struct map_finder *finder, const struct samples *samples)
{
	finder->map_count = samples->map_count;
	finder->maps = xcalloc(finder->map_count, sizeof(*finder->maps));
	finder->reach = xcalloc(finder->map_count, sizeof(*finder->reach));
	for (size_t i = 0; i < finder->map_count; i++)
		finder->maps[i] = &samples->maps[i];
	if (finder->map_count)
		qsort(finder->maps, finder->map_count, sizeof(*finder->maps), compare_maps);
	for (size_t i = 0; i < finder->map_count; i++) {
		bool first = !i || finder->maps[i - 1]->pid != finder->maps[i]->pid;

		finder->reach[i] = finder->maps[i]->end;
		if (!first && finder->reach[i - 1] > finder->reach[i])
			finder->reach[i] = finder->reach[i - 1];
	}
}

void map_finder_init(struct map_finder *finder, const struct samples *samples)
{
	*finder = (struct map_finder){.parent_count = samples->parent_count};
	sort_maps(finder, samples);
	finder->parents = xcalloc(finder->parent_count, sizeof(*finder->parents));
	for (size_t i = 0; i < finder->parent_count; i++)
		finder->parents[i] = &samples->parents[i];
	if (finder->parent_count)
		qsort(finder->parents, finder->parent_count, sizeof(*finder->parents),
		      compare_parents);
}

void map_finder_release(struct map_finder *finder)
{
	free(finder->maps);
	free(finder->reach);
	free(finder->parents);
	*finder = (struct map_finder){.map_count = 0};
}

/* --- One of it ----------------------------------------------------------------------------- */

/* How many maps stand before all that begin behind `ip`. */
static size_t maps_before(const struct map_finder *finder, int32_t pid, uint64_t ip)
{
	size_t low = 0, high = finder->map_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct mapped *map = finder->maps[middle];

		if (map->pid < pid || (map->pid == pid && map->begin <= ip))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last one up to then, as it takes the place of what was there. */
static const struct mapped *find_own(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns)
{
	size_t end = maps_before(finder, pid, ip);
	const struct mapped *found = NULL;

	for (size_t i = end; i > 0 && finder->maps[i - 1]->pid == pid; i--) {
		const struct mapped *map = finder->maps[i - 1];

		if (finder->reach[i - 1] <= ip)
			break;
		if (end - i == OVERLAPS_MAX)
			return NULL;
		if (ip >= map->end || map->time_ns > time_ns)
			continue;
		if (!found || map->time_ns > found->time_ns ||
		    (map->time_ns == found->time_ns && map > found))
			found = map;
	}
	return found;
}

static const struct parentage *find_parent(const struct map_finder *finder, int32_t pid,
					   uint64_t time_ns)
{
	size_t low = 0, high = finder->parent_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct parentage *parent = finder->parents[middle];

		if (parent->pid < pid || (parent->pid == pid && parent->time_ns <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && finder->parents[low - 1]->pid == pid ? finder->parents[low - 1] : NULL;
}

const struct mapped *map_finder_find(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns)
{
	for (size_t i = 0; i < GENERATIONS_MAX; i++) {
		const struct parentage *parent = find_parent(finder, pid, time_ns);
		const struct mapped *map = find_own(finder, pid, ip, time_ns);

		/* What an earlier process of this number had is none of its business. */
		if (map && (!parent || map->time_ns >= parent->time_ns))
			return map;
		if (!parent)
			return NULL;
		pid = parent->parent;
		time_ns = parent->time_ns;
	}
	return NULL;
}
