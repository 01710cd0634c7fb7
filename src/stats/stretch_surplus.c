/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch_surplus.h"

#include "base/alloc.h"
#include "stats/stretch.h"

#include <math.h>
#include <string.h>

#define SWITCHES "switches"

/* NAN where the run has not counted it. */
static double value_in(const struct stretch_run *run, const char *name)
{
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

static bool add(struct stretch_surplus *surplus, const struct stretch *stretch,
		const struct stretch_column *column, const char *name, bool in_ns)
{
	*surplus = (struct stretch_surplus){
		.counter = name,
		.in_ns = in_ns,
		.serial = mean_in(stretch, NULL, stretch->base_count, name),
		.parallel = mean_in(stretch, column->runs, column->run_count, name),
		.cost_s = NAN,
	};
	if (surplus->parallel - surplus->serial > by_chance(surplus) && column->longer_s > 0 &&
	    !in_ns)
		surplus->cost_s = column->longer_s / (surplus->parallel - surplus->serial);
	return !isnan(surplus->serial) && !isnan(surplus->parallel);
}

size_t stretch_surplus_find(struct stretch_surplus **surplus, const struct stretch *stretch,
			    const struct stretch_column *column)
{
	const struct counter_table *counters = &stretch->runs[0].counters;
	size_t count = 0;

	*surplus = xcalloc(counters->counter_count + 1, sizeof(**surplus));
	if (isnan(value_in(&stretch->runs[0], "context-switches")))
		count += add(&(*surplus)[count], stretch, column, SWITCHES, false);
	for (size_t i = 0; i < counters->counter_count; i++)
		count += add(&(*surplus)[count], stretch, column, counters->counters[i].name,
			     counters->counters[i].in_ns);
	return count;
}
