/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/spin/map_finder.h"

#include "base/alloc.h"
#include "base/sorted.h"
#include "decode/event/samples.h"

#include <stdlib.h>

/* The most process generations without an exec, and maps below a place: more than in practice. */
enum { GENERATIONS_MAX = 64, BELOW_MAX = 1000 };

/* Stacks of threads have no path and are skipped: this many count as one map of a file. */
enum { STACKS_A_MAP = 64 };

/* By address; of equal maps the later one comes last. */
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

/* --- Maps that cover a place --------------------------------------------------------------- */

/*
 * A segment tree [Bentley 1977] over the begins and ends of maps. A map is at the O(log n) nodes
 * that together cover it, and so the maps that cover a place are at the nodes from its leaf to the
 * root. The maps of each node are in the order of their times.
 */

struct map_place {
	int32_t pid;
	uint64_t address;
};

static int compare_places(const void *a, const void *b)
{
	const struct map_place *one = a, *other = b;

	return compare_values(one->pid, other->pid) ?: compare_values(one->address, other->address);
}

static int compare_times(const void *a, const void *b)
{
	const struct mapped *one = *(const struct mapped *const *)a;
	const struct mapped *other = *(const struct mapped *const *)b;

	return compare_values(one->time_ns, other->time_ns) ?: compare_values(one, other);
}

/* Returns the number of places up to this one. */
static size_t places_up_to(const struct map_finder *finder, int32_t pid, uint64_t address)
{
	const struct map_place *places = finder->places;

	return find_first(i, 0, finder->place_count,
			  places[i].pid > pid ||
				  (places[i].pid == pid && places[i].address > address));
}

static void find_places(struct map_finder *finder)
{
	const size_t count = 2 * finder->map_count;

	finder->places = xcalloc(count, sizeof(*finder->places));
	for (size_t i = 0; i < finder->map_count; i++) {
		const struct mapped *map = finder->maps[i];

		finder->places[2 * i] = (struct map_place){map->pid, map->begin};
		finder->places[2 * i + 1] = (struct map_place){map->pid, map->end};
	}
	sort_items(finder->places, count, compare_places);
	finder->place_count =
		drop_twins(finder->places, count, sizeof(*finder->places), compare_places);
	for (finder->leaves = 1; finder->leaves < finder->place_count;)
		finder->leaves *= 2;
}

/* Adds one to the ends of the lists of all nodes of the map, and, if any, the map to the lists. */
static void cover(struct map_finder *finder, const struct mapped *map)
{
	size_t from = finder->leaves + places_up_to(finder, map->pid, map->begin) - 1;
	size_t to = finder->leaves + places_up_to(finder, map->pid, map->end) - 1;

	if (map->begin >= map->end)
		return;
	for (; from < to; from /= 2, to /= 2) {
		size_t nodes[] = {from % 2 ? from++ : 0, to % 2 ? --to : 0};

		for (size_t i = 0; i < 2; i++) {
			size_t *end = &finder->ends[nodes[i]];

			if (!nodes[i])
				continue;
			if (finder->covering)
				finder->covering[*end] = map;
			++*end;
		}
	}
}

/* Counts the length of each list, then fills the lists, one behind the other. */
static void build_tree(struct map_finder *finder)
{
	const struct mapped **maps = xcalloc(finder->map_count, sizeof(struct mapped *));
	size_t count = 0;

	find_places(finder);
	finder->ends = xcalloc(2 * finder->leaves, sizeof(*finder->ends));
	for (size_t i = 0; i < finder->map_count; i++) {
		maps[i] = finder->maps[i];
		cover(finder, maps[i]);
	}
	for (size_t node = 0; node < 2 * finder->leaves; node++) {
		size_t length = finder->ends[node];

		finder->ends[node] = count;
		count += length;
	}
	sort_items(maps, finder->map_count, compare_times);
	finder->covering = xcalloc(count, sizeof(struct mapped *));
	for (size_t i = 0; i < finder->map_count; i++)
		cover(finder, maps[i]);
	free(maps);
}

/* Returns the last map up to that time, as it replaces earlier ones. */
static const struct mapped *find_own(const struct map_finder *finder, int32_t pid, uint64_t ip,
				     uint64_t time_ns)
{
	size_t place = places_up_to(finder, pid, ip);
	const struct mapped *found = NULL;

	if (!place || finder->places[place - 1].pid != pid)
		return NULL;
	for (size_t node = finder->leaves + place - 1; node; node /= 2) {
		const struct mapped **maps = finder->covering;
		size_t begin = finder->ends[node - 1];
		size_t behind =
			find_first(i, begin, finder->ends[node], maps[i]->time_ns > time_ns);

		if (behind > begin && (!found || compare_times(&maps[behind - 1], &found) > 0))
			found = maps[behind - 1];
	}
	return found;
}

/* ------------------------------------------------------------------------------------------- */

static void sort_maps(struct map_finder *finder, const struct samples *samples)
{
	finder->map_count = samples->map_count;
	finder->maps = xcalloc(finder->map_count, sizeof(*finder->maps));
	for (size_t i = 0; i < finder->map_count; i++)
		finder->maps[i] = &samples->maps[i];
	sort_items(finder->maps, finder->map_count, compare_maps);
}

void map_finder_init(struct map_finder *finder, const struct samples *samples)
{
	*finder = (struct map_finder){.parent_count = samples->parent_count};
	sort_maps(finder, samples);
	build_tree(finder);
	finder->parents = xcalloc(finder->parent_count, sizeof(*finder->parents));
	for (size_t i = 0; i < finder->parent_count; i++)
		finder->parents[i] = &samples->parents[i];
	sort_items(finder->parents, finder->parent_count, compare_parents);
}

void map_finder_release(struct map_finder *finder)
{
	free(finder->maps);
	free(finder->places);
	free(finder->ends);
	free(finder->covering);
	free(finder->parents);
	*finder = (struct map_finder){.map_count = 0};
}

/* Returns the number of maps before those that begin behind `ip`. */
static size_t maps_before(const struct map_finder *finder, int32_t pid, uint64_t ip)
{
	const struct mapped **maps = finder->maps;

	return find_first(i, 0, finder->map_count,
			  maps[i]->pid > pid || (maps[i]->pid == pid && maps[i]->begin > ip));
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

		/* Maps of an earlier process with this number do not count. */
		if (map && (!parent || map->time_ns >= parent->time_ns))
			return map;
		if (!parent)
			return NULL;
		pid = parent->parent;
		time_ns = parent->time_ns;
	}
	return NULL;
}

/* `left` is the number of maps that may still be looked at, times STACKS_A_MAP. */
static size_t own_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t begin_ns, uint64_t end_ns,
			size_t *left)
{
	size_t end = maps_before(finder, pid, address), count = 0;

	for (size_t i = end; i > 0 && count < room && *left >= STACKS_A_MAP; i--) {
		const struct mapped *map = finder->maps[i - 1];

		if (map->pid != pid)
			break;
		*left -= map->path ? STACKS_A_MAP : 1;
		if (map->path && map->time_ns >= begin_ns && map->time_ns <= end_ns)
			found[count++] = map;
	}
	return count;
}

size_t map_finder_below(const struct mapped **found, size_t room, const struct map_finder *finder,
			int32_t pid, uint64_t address, uint64_t time_ns)
{
	size_t count = 0, left = (size_t)BELOW_MAX * STACKS_A_MAP;

	for (size_t i = 0; i < GENERATIONS_MAX && count < room; i++) {
		const struct parentage *parent = find_parent(finder, pid, time_ns);

		count += own_below(found + count, room - count, finder, pid, address,
				   parent ? parent->time_ns : 0, time_ns, &left);
		if (!parent)
			break;
		pid = parent->parent;
		time_ns = parent->time_ns;
	}
	return count;
}
