/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch_surplus.h"

#include "base/alloc.h"
#include "stats/stretch/stretch.h"
#include "stats/tasks/task_tree.h"

#include <math.h>
#include <string.h>

#define SWITCHES "switches"

/* --- Of all of a run ----------------------------------------------------------------------- */

static double number_of(uint64_t count)
{
	return count == TASK_COUNT_UNKNOWN ? (double)NAN : (double)count;
}

/* In all blocks of tasks. */
static double value_in_tree(const struct stretch_run *run, const char *name)
{
	size_t count = run->tree->counters.count;
	size_t counter = task_counters_find(&run->tree->counters, name);
	uint64_t sum = counter < count && run->tree->counters.items[counter].values
			       ? 0
			       : TASK_COUNT_UNKNOWN;

	for (size_t i = 0; i < run->work_count && sum != TASK_COUNT_UNKNOWN; i++)
		sum = task_count_sum(sum, run->counts[i * count + counter]);
	return number_of(sum);
}

/* NAN where the run has not counted it. */
static double value_in(const struct stretch_run *run, const char *name)
{
	if (run->tree)
		return value_in_tree(run, name);
	if (strcmp(name, SWITCHES) == 0)
		return run->has_states ? (double)run->switches : (double)NAN;
	for (size_t i = 0; i < run->counters.counter_count; i++)
		if (strcmp(run->counters.counters[i].name, name) == 0)
			return run->counters.totals[i].value;
	return NAN;
}

/* `runs` NULL: the first ones. */
static double mean_in(const struct stretch *stretch, const size_t *runs, size_t count,
		      const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value_in(&stretch->runs[runs ? runs[i] : i], name);
	return sum / (double)count;
}

/* Three standard deviations, if what is counted were of Poisson. */
static double by_chance(const struct stretch_surplus *surplus)
{
	return 3 * sqrt(surplus->serial + surplus->parallel);
}

static void set_cost(struct stretch_surplus *surplus, double longer_s)
{
	double more = surplus->parallel - surplus->serial;

	surplus->cost_s = NAN;
	if (more > by_chance(surplus) && longer_s > 0 && !surplus->in_ns)
		surplus->cost_s = longer_s / more;
}

static bool add(struct stretch_surplus *surplus, const struct stretch *stretch,
		const struct stretch_column *column, const char *name, bool in_ns)
{
	*surplus = (struct stretch_surplus){
		.counter = name,
		.in_ns = in_ns,
		.serial = mean_in(stretch, NULL, stretch->base_count, name),
		.parallel = mean_in(stretch, column->runs, column->run_count, name),
	};
	set_cost(surplus, column->longer_s);
	return !isnan(surplus->serial) && !isnan(surplus->parallel);
}

static size_t find_of_tasks(struct stretch_surplus **surplus, const struct stretch *stretch,
			    const struct stretch_column *column)
{
	size_t count = 0;

	*surplus = xcalloc(stretch->counters->count + 1, sizeof(**surplus));
	for (size_t i = 0; i < stretch->counters->count; i++)
		count += add(&(*surplus)[count], stretch, column, stretch->counters->items[i].name,
			     stretch->counters->items[i].in_ns);
	return count;
}

size_t stretch_surplus_find(struct stretch_surplus **surplus, const struct stretch *stretch,
			    const struct stretch_column *column)
{
	const struct counter_table *counters = &stretch->runs[0].counters;
	size_t count = 0;

	if (stretch->counters)
		return find_of_tasks(surplus, stretch, column);
	*surplus = xcalloc(counters->counter_count + 1, sizeof(**surplus));
	if (isnan(value_in(&stretch->runs[0], "context-switches")))
		count += add(&(*surplus)[count], stretch, column, SWITCHES, false);
	for (size_t i = 0; i < counters->counter_count; i++)
		count += add(&(*surplus)[count], stretch, column, counters->counters[i].name,
			     counters->counters[i].in_ns);
	return count;
}

/* --- Of one block of tasks ----------------------------------------------------------------- */

double *stretch_counts_new(const struct stretch *stretch)
{
	size_t count = stretch->counters ? stretch->counters->count : 0;
	double *counts = count ? xcalloc(stretch->run_count * count, sizeof(*counts)) : NULL;

	for (size_t i = 0; i < stretch->run_count * count; i++) {
		const struct task_counters *own = &stretch->runs[i / count].tree->counters;
		size_t found = task_counters_find(own, stretch->counters->items[i % count].name);

		if (found == own->count || !own->items[found].values)
			counts[i] = NAN;
	}
	return counts;
}

void stretch_counts_add(double *counts, const struct stretch *stretch, size_t run, size_t work)
{
	size_t count = stretch->counters ? stretch->counters->count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct task_counters *own = &stretch->runs[run].tree->counters;
		size_t found = task_counters_find(own, stretch->counters->items[i].name);

		if (found < own->count)
			counts[run * count + i] +=
				number_of(stretch->runs[run].counts[work * own->count + found]);
	}
}

static double mean_of(const double *counts, size_t stride, const size_t *runs, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += counts[(runs ? runs[i] : i) * stride];
	return sum / (double)count;
}

struct stretch_surplus *stretch_surplus_of_block(const struct stretch *stretch,
						 const struct stretch_column *column,
						 const double *counts,
						 const struct stretch_cell *cell, bool compared)
{
	size_t count = stretch->counters->count;
	struct stretch_surplus *surplus = xcalloc(count + 1, sizeof(*surplus));

	for (size_t i = 0; i < count; i++) {
		surplus[i] = (struct stretch_surplus){
			.counter = stretch->counters->items[i].name,
			.in_ns = stretch->counters->items[i].in_ns,
			.serial = mean_of(&counts[i], count, NULL, stretch->base_count),
			.parallel = mean_of(&counts[i], count, column->runs, column->run_count),
		};
		set_cost(&surplus[i], compared ? cell->longer_s : 0);
	}
	return surplus;
}

/* --- What it says of memory ---------------------------------------------------------------- */

/* Names of perf and of libpfm4 begin so, or have the latter in them. */
static bool is_of_memory(const char *name)
{
	static const char *const beginnings[] = {
		"cache-misses",
		"LLC-misses",
		"LLC-load-misses",
		"LLC-store-misses",
		"LLC_MISSES",
		"LONGEST_LAT_CACHE",
		"PERF_COUNT_HW_CACHE_MISSES",
		"PERF_COUNT_HW_CACHE_LL",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return strcasestr(name, "L3_MISS") != NULL;
}

double stretch_surplus_at_once(const struct stretch_surplus *surplus)
{
	if (isnan(surplus->cost_s) || !is_of_memory(surplus->counter))
		return NAN;
	return STRETCH_MEMORY_S / surplus->cost_s;
}
