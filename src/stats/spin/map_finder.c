/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/map_finder.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/samples.h"

#include <stdlib.h>

/* Generations of processes without an exec, and maps at one place: more than any program has. */
enum { GENERATIONS_MAX = 64, OVERLAPS_MAX = 1000 };

/* What is told later stands behind, where nothing else tells them apart. */
static int compare_maps(const void *a, const void *b)
{
	const struct mapped *one = *(const struct mapped *const *)a;
	const struct mapped *other = *(const struct mapped *const *)b;

	return compare_values(one->pid, other->pid)
		       ?: compare_values(one->begin, other->begin)
		       ?: compare_values(one, other);
}

static int compare_parents(const void *a, const void *b)
{
	const struct parentage *one = *(const struct parentage *const *)a;
	const struct parentage *other = *(const struct parentage *const *)b;

	return compare_values(one->pid, other->pid)
		       ?: compare_values(one->time_ns, other->time_ns)
		       ?: compare_values(one, other);
}

static void sort_maps(struct map_finder *finder, const struct samples *samples)
{
	finder->map_count = samples->map_count;
	finder->maps = xcalloc(finder->map_count, sizeof(*finder->maps));
	finder->reach = xcalloc(finder->map_count, sizeof(*finder->reach));
	for (size_t i = 0; i < finder->map_count; i++)
		finder->maps[i] = &samples->maps[i];
	sort_items(finder->maps, finder->map_count, compare_maps);
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
	sort_items(finder->parents, finder->parent_count, compare_parents);
}

void map_finder_release(struct map_finder *finder)
{
	free(finder->maps);
	free(finder->reach);
	free(finder->parents);
	*finder = (struct map_finder){.map_count = 0};
}

/* How many maps stand before all that begin behind `ip`. */
static size_t maps_before(const struct map_finder *finder, int32_t pid, uint64_t ip)
{
	const struct mapped **maps = finder->maps;

	return find_first(i, 0, finder->map_count,
			  maps[i]->pid > pid || (maps[i]->pid == pid && maps[i]->begin > ip));
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
	const struct parentage **all = finder->parents;
	size_t behind =
		find_first(i, 0, finder->parent_count,
			   all[i]->pid > pid || (all[i]->pid == pid && all[i]->time_ns > time_ns));

	return behind && all[behind - 1]->pid == pid ? all[behind - 1] : NULL;
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

static size_t own_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t begin_ns, uint64_t end_ns)
{
	size_t end = maps_before(finder, pid, address), count = 0;

	for (size_t i = end; i > 0 && count < room && end - i < OVERLAPS_MAX; i--) {
		const struct mapped *map = finder->maps[i - 1];

		if (map->pid != pid)
			break;
		if (map->path && map->time_ns >= begin_ns && map->time_ns <= end_ns)
			found[count++] = map;
	}
	return count;
}

size_t map_finder_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t time_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < GENERATIONS_MAX && count < room; i++) {
		const struct parentage *parent = find_parent(finder, pid, time_ns);

		count += own_below(found + count, room - count, finder, pid, address,
				   parent ? parent->time_ns : 0, time_ns);
		if (!parent)
			break;
		pid = parent->parent;
		time_ns = parent->time_ns;
	}
	return count;
}
