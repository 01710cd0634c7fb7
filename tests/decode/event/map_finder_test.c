/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/event/map_finder.h"

#include "decode/event/samples.h"
#include "random.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct mapped code(int32_t pid, uint64_t begin, const char *path, uint64_t time_ns)
{
	return (struct mapped){.pid = pid,
			       .time_ns = time_ns,
			       .begin = begin,
			       .end = begin + 0x1000,
			       .path = (char *)(uintptr_t)path};
}

struct place {
	int32_t pid;
	uint64_t ip, time_ns;
	const char *path;
};

static void hold(const struct samples *samples, const struct place *places, size_t count)
{
	struct map_finder finder;

	map_finder_init(&finder, samples);
	for (size_t i = 0; i < count; i++) {
		const struct place *at = &places[i];
		const struct mapped *found = map_finder_find(&finder, at->pid, at->ip, at->time_ns);

		const char *path = found ? found->path : "nothing";

		if (strcmp(path, at->path ? at->path : "nothing") != 0)
			fail_msg("place %zu is in %s", i, path);
	}
	map_finder_release(&finder);
}

static void a_place_is_in_what_was_mapped_there_last(void **state)
{
	struct mapped maps[] = {
		code(100, 0x4000, "/new", 20),	  code(100, 0x4000, "/old", 0),
		code(100, 0x4800, "/over", 30),	  code(101, 0x9000, "/first", 10),
		code(101, 0x9000, "/second", 10),
	};
	const struct samples samples = {.maps = maps, .map_count = COUNT(maps)};
	static const struct place places[] = {
		{100, 0x4000, 10, "/old"},  {100, 0x4fff, 20, "/new"},	  {100, 0x47ff, 40, "/new"},
		{100, 0x4800, 40, "/over"}, {100, 0x57ff, 40, "/over"},	  {100, 0x5800, 40, NULL},
		{100, 0x3fff, 40, NULL},    {101, 0x4000, 20, NULL},	  {99, 0x4000, 20, NULL},
		{101, 0x9000, 9, NULL},	    {101, 0x9000, 10, "/second"}, {102, 0x9000, 10, NULL},
	};

	(void)state;
	hold(&samples, places, COUNT(places));
}

static void a_child_has_what_its_parent_had(void **state)
{
	struct mapped maps[] = {
		code(100, 0x4000, "/before", 10),
		code(200, 0x4000, "/earlier", 5), /* another one had this number */
		code(100, 0x4000, "/after", 30),
		code(200, 0x4000, "/exec", 50),
	};
	struct parentage parents[] = {
		{200, 100, 20},
		{400, 500, 1}, /* damaged: each is the parent of the other */
		{500, 400, 1},
	};
	const struct samples samples = {.maps = maps,
					.map_count = COUNT(maps),
					.parents = parents,
					.parent_count = COUNT(parents)};
	static const struct place places[] = {
		{200, 0x4000, 40, "/before"},
		{200, 0x4000, 15, "/earlier"},
		{200, 0x4000, 60, "/exec"},
		{400, 0x4000, 60, NULL},
	};

	(void)state;
	hold(&samples, places, COUNT(places));
}

/* One after the other, as they are told. */
static const struct mapped *look_through(const struct samples *samples, int32_t pid, uint64_t ip,
					 uint64_t time_ns)
{
	const struct mapped *found = NULL;

	for (size_t i = 0; i < samples->map_count; i++) {
		const struct mapped *map = &samples->maps[i];

		if (map->pid == pid && ip >= map->begin && ip < map->end &&
		    map->time_ns <= time_ns && (!found || map->time_ns >= found->time_ns))
			found = map;
	}
	return found;
}

static void any_maps_are_found_as_by_looking_at_all(void **state)
{
	enum { MAPS = 40, PLACES = 1000, TRIALS = 20 };
	struct mapped maps[MAPS];
	const struct samples samples = {.maps = maps, .map_count = MAPS};
	struct random random = {3};

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct map_finder finder;

		for (size_t i = 0; i < MAPS; i++) {
			maps[i] = code(100 + (int32_t)random_below(&random, 3),
				       random_below(&random, 50), "/", random_below(&random, 8));
			maps[i].end = maps[i].begin + random_below(&random, 30);
		}
		map_finder_init(&finder, &samples);
		for (int i = 0; i < PLACES; i++) {
			int32_t pid = 99 + (int32_t)random_below(&random, 5);
			uint64_t ip = random_below(&random, 90);
			uint64_t time_ns = random_below(&random, 9);

			assert_ptr_equal(map_finder_find(&finder, pid, ip, time_ns),
					 look_through(&samples, pid, ip, time_ns));
		}
		map_finder_release(&finder);
	}
}

/* A damaged file has as many as are kept, all at one place. */
static void too_many_maps_at_one_place_are_not_looked_through(void **state)
{
	struct mapped *maps = calloc(SAMPLES_MAPS_MAX, sizeof(*maps));
	const struct samples samples = {.maps = maps, .map_count = SAMPLES_MAPS_MAX};
	struct map_finder finder;

	(void)state;
	assert_non_null(maps);
	for (size_t i = 0; i < SAMPLES_MAPS_MAX; i++)
		maps[i] = code(100, 0x4000, "/", i);
	map_finder_init(&finder, &samples);
	for (int i = 0; i < 10000; i++)
		assert_null(map_finder_find(&finder, 100, 0x4000, 1));
	map_finder_release(&finder);
	free(maps);
}

static void nothing_is_found_in_nothing(void **state)
{
	const struct samples samples = {.map_count = 0};
	static const struct place place = {100, 0x4000, 1, NULL};

	(void)state;
	hold(&samples, &place, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_in_what_was_mapped_there_last),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(any_maps_are_found_as_by_looking_at_all),
		cmocka_unit_test(too_many_maps_at_one_place_are_not_looked_through),
		cmocka_unit_test(nothing_is_found_in_nothing),
	};

	return RUN_TESTS(tests);
}
