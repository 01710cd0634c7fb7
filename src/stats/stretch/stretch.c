/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/stretch/stretch.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/sorted.h"
#include "stats/stretch/stretch_private.h"
#include "stats/tasks/task_tree.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Ratios -------------------------------------------------------------------------------- */

static double mean_of(const struct rate *rate)
{
	return gsl_stats_mean(rate->seconds, 1, rate->runs);
}

/* --- Ratios of one run each ---------------------------------------------------------------- */

static double odds(double p)
{
	return p < 1 ? p / (1 - p) : (double)NAN;
}

static void by_samples(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		       double level)
{
	double n = above->samples, m = below->samples, all = n + m, p = n / all;
	double z = gsl_cdf_ugaussian_Pinv((1 + level) / 2);
	double middle = (p + z * z / (2 * all)) / (1 + z * z / all);
	double half = z * sqrt(p * (1 - p) / all + z * z / (4 * all * all)) / (1 + z * z / all);
	double scale = ratio->value / (n / m); /* the ratio of the times that a sample stands for */

	if (!(n > 0) || !(m > 0))
		return;
	ratio->from = scale * odds(middle - half);
	ratio->to = scale * odds(middle + half);
}

/* --- Ratios of several --------------------------------------------------------------------- */

/* The mean of the logarithms; NAN: a time has none. */
struct log_mean {
	double value, variance, per_freedom; /* variance^2 / degrees of freedom */
};

static struct log_mean log_mean_of(const struct rate *rate)
{
	double sum = 0, squares = 0, n = (double)rate->runs;
	struct log_mean mean;

	for (size_t i = 0; i < rate->runs; i++)
		sum += log(rate->seconds[i]);
	mean.value = sum / n;
	for (size_t i = 0; i < rate->runs; i++)
		squares += pow(log(rate->seconds[i]) - mean.value, 2);
	if (rate->runs < 2 && rate->is_sum)
		return (struct log_mean){mean.value, rate->sum_variance,
					 pow(rate->sum_variance, 2) / (rate->samples - 1)};
	if (rate->runs < 2)
		return (struct log_mean){mean.value, 1 / rate->samples, 0};
	mean.variance = squares / (n - 1) / n;
	mean.per_freedom = mean.variance * mean.variance / (n - 1);
	return mean;
}

/* Returns a quantile of Student's distribution, or of Gauss's without estimated variances. */
static double quantile(double p, double freedom)
{
	return freedom < 1e6 ? gsl_cdf_tdist_Pinv(p, freedom) : gsl_cdf_ugaussian_Pinv(p);
}

/* Gives a single run the variance of the other side's runs, if that is larger than its own. */
static void borrow_variance(struct log_mean *single, const struct rate *rate,
			    const struct log_mean *other, size_t other_runs)
{
	double variance = other->variance * (double)other_runs; /* the variance of one run */

	if (rate->runs > 1 || other_runs < 2 || !(variance > single->variance))
		return;
	single->variance = variance;
	single->per_freedom = variance * variance / (double)(other_runs - 1);
}

static void by_runs(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		    double level)
{
	struct log_mean one = log_mean_of(above), other = log_mean_of(below);
	double difference = one.value - other.value, variance, freedom, width;

	borrow_variance(&one, above, &other, below->runs);
	borrow_variance(&other, below, &one, above->runs);
	variance = one.variance + other.variance;
	freedom = variance * variance / (one.per_freedom + other.per_freedom);
	if (!isfinite(difference) || !isfinite(variance))
		return;
	width = variance > 0 ? sqrt(variance) * quantile((1 + level) / 2, freedom) : 0;
	ratio->from = ratio->value * exp(-width);
	ratio->to = ratio->value * exp(width);
}

void rate_ratio_init(struct rate_ratio *ratio, const struct rate *above, const struct rate *below,
		     double level)
{
	double divisor = mean_of(below);

	*ratio = (struct rate_ratio){NAN, NAN, NAN};
	if (!(divisor > 0))
		return;
	ratio->value = mean_of(above) / divisor;
	if (above->runs == 1 && below->runs == 1 && !above->is_sum)
		by_samples(ratio, above, below, level);
	else
		by_runs(ratio, above, below, level);
}

#define SWITCHES "switches"

/* --- Surplus of a whole run ---------------------------------------------------------------- */

static double number_of(uint64_t count)
{
	return count == TASK_COUNT_UNKNOWN ? (double)NAN : (double)count;
}

/* Returns the sum over all regions of tasks. */
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

/* Returns the value of a counter; NAN: not counted in this run. */
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

/* Returns three standard deviations of the difference, if counts have Poisson distributions. */
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

static bool add_surplus(struct stretch_surplus *surplus, const struct stretch *stretch,
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
		count += add_surplus(&(*surplus)[count], stretch, column,
				     stretch->counters->items[i].name,
				     stretch->counters->items[i].in_ns);
	return count;
}

/*
 * Finds the counters that the base and the column have in all runs, with both means, in the order
 * of the base; first the number of switches, if scheduling events are recorded. For tasks they are
 * sums over regions. The caller frees *surplus.
 */
static size_t find_surplus(struct stretch_surplus **surplus, const struct stretch *stretch,
			   const struct stretch_column *column)
{
	const struct counter_table *counters = &stretch->runs[0].counters;
	size_t count = 0;

	if (stretch->counters)
		return find_of_tasks(surplus, stretch, column);
	*surplus = xcalloc(counters->counter_count + 1, sizeof(**surplus));
	if (isnan(value_in(&stretch->runs[0], "context-switches")))
		count += add_surplus(&(*surplus)[count], stretch, column, SWITCHES, false);
	for (size_t i = 0; i < counters->counter_count; i++)
		count += add_surplus(&(*surplus)[count], stretch, column,
				     counters->counters[i].name, counters->counters[i].in_ns);
	return count;
}

/* --- Surplus of a region of tasks ----------------------------------------------------------- */

/*
 * Returns counts of one region, [run][counter of stretch->counters]: 0, or NAN if the run has not
 * counted it. The caller frees the counts; NULL without tasks.
 */
static double *block_counts_new(const struct stretch *stretch)
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

/* Adds the counts of item `work` of a run. */
static void block_counts_add(double *counts, const struct stretch *stretch, size_t run, size_t work)
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

static double mean_count(const double *counts, size_t stride, const size_t *runs, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += counts[(runs ? runs[i] : i) * stride];
	return sum / (double)count;
}

/* Returns the surplus of a region; the caller frees it. `compared`: it ran on both sides. */
static struct stretch_surplus *surplus_of_block(const struct stretch *stretch,
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
			.serial = mean_count(&counts[i], count, NULL, stretch->base_count),
			.parallel = mean_count(&counts[i], count, column->runs, column->run_count),
		};
		set_cost(&surplus[i], compared ? cell->longer_s : 0);
	}
	return surplus;
}

/* --- Memory -------------------------------------------------------------------------------- */

/* Returns true for names of misses of the last cache in perf and libpfm4. */
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

/* --- Rows ---------------------------------------------------------------------------------- */

/* Less stretch than this share of the serial work is not divided among regions. */
static const double STRETCH_LEAST = .01;

/* Of the wall time: a target that used more cores than that has lost time elsewhere. */
static const double CROWDED_MOST = .01;

/* An item of work of one run, with its key. */
struct entry {
	char *key;
	size_t run, work;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return strcmp(one->key, other->key) ?: compare_values(one->run, other->run);
}

/* --- Columns ------------------------------------------------------------------------------- */

static void add_to_column(struct stretch *stretch, size_t run)
{
	const struct stretch_run *added = &stretch->runs[run];
	struct stretch_column *column;
	size_t i = 0;

	while (i < stretch->column_count && (stretch->columns[i].cores != added->cores ||
					     stretch->columns[i].threads != added->threads))
		i++;
	column = &stretch->columns[i];
	if (i == stretch->column_count) {
		stretch->column_count++;
		column->cores = added->cores;
		column->threads = added->threads;
		column->runs = xcalloc(stretch->run_count, sizeof(*column->runs));
	}
	column->runs[column->run_count++] = run;
}

static void add_columns(struct stretch *stretch)
{
	stretch->columns = xcalloc(stretch->run_count, sizeof(*stretch->columns));
	for (size_t i = stretch->base_count; i < stretch->run_count; i++)
		add_to_column(stretch, i);
}

/* --- Comparing ----------------------------------------------------------------------------- */

/* The times of one region in all runs. */
struct amounts {
	double *seconds, *samples, *variances; /* [run] */
	bool measured;			       /* measured, not sampled */
	double *counts;			       /* see block_counts_new(); NULL: not wanted */
};

/* Returns empty amounts; the caller frees their seconds. */
static struct amounts amounts_of(const struct stretch *stretch)
{
	double *room = xcalloc(3 * stretch->run_count, sizeof(*room));

	return (struct amounts){
		.seconds = room,
		.samples = room + stretch->run_count,
		.variances = room + 2 * stretch->run_count,
		.measured = stretch_by_tasks(stretch->by),
	};
}

/*
 * Returns the variance of a sum of n seconds: n s^2, with s the standard deviation of each. For a
 * single one it is unknown, and assumed to be the square of the value.
 */
static double variance_of(const struct stretch_work *work)
{
	double n = (double)work->samples, sum = work->seconds;

	return n > 1 ? fmax(0, n * (work->squares_s2 - sum * sum / n) / (n - 1)) : sum * sum;
}

static struct rate rate_of(double *seconds, const struct amounts *amounts, const size_t *runs,
			   size_t count)
{
	struct rate rate = {.seconds = seconds, .runs = count, .is_sum = amounts->measured};

	for (size_t i = 0; i < count; i++) {
		size_t run = runs ? runs[i] : i;

		seconds[i] = amounts->seconds[run];
		rate.samples += amounts->samples[run];
		rate.sum_variance = rate.samples > 1
					    ? amounts->variances[run] / (seconds[i] * seconds[i])
					    : (double)NAN;
	}
	return rate;
}

static double mean_seconds(const struct rate *rate)
{
	double sum = 0;

	for (size_t i = 0; i < rate->runs; i++)
		sum += rate->seconds[i];
	return sum / (double)rate->runs;
}

static void compare_rates(struct rate_ratio *stretch, const struct rate *parallel,
			  const struct rate *serial)
{
	double least = parallel->is_sum ? 1 : STRETCH_SAMPLES_MIN;

	*stretch = (struct rate_ratio){NAN, NAN, NAN};
	if (parallel->samples < least || serial->samples < least)
		return;
	rate_ratio_init(stretch, parallel, serial, STRETCH_LEVEL);
	stretch->value -= 1;
	stretch->from -= 1;
	stretch->to -= 1;
}

static void fill_row(struct stretch_row *row, const struct stretch *stretch,
		     const struct amounts *amounts)
{
	double *below = xcalloc(2 * stretch->run_count, sizeof(*below));
	double *above = below + stretch->run_count;
	const struct rate serial = rate_of(below, amounts, NULL, stretch->base_count);

	row->serial_s = mean_seconds(&serial);
	row->serial_samples = serial.samples;
	row->cells = xcalloc(stretch->column_count, sizeof(*row->cells));
	for (size_t i = 0; i < stretch->column_count; i++) {
		const struct stretch_column *column = &stretch->columns[i];
		struct stretch_cell *cell = &row->cells[i];
		const struct rate parallel =
			rate_of(above, amounts, column->runs, column->run_count);

		cell->seconds = mean_seconds(&parallel);
		cell->samples = parallel.samples;
		cell->longer_s = cell->seconds - row->serial_s;
		compare_rates(&cell->stretch, &parallel, &serial);
		if (amounts->counts)
			cell->surplus =
				surplus_of_block(stretch, column, amounts->counts, cell,
						 parallel.samples > 0 && serial.samples > 0);
	}
	free(below);
}

/* Adds a row from entries with one key, at most one of each run. */
static void add_row(struct stretch *stretch, const struct entry *entries, size_t count)
{
	struct stretch_row *row = &stretch->rows[stretch->row_count++];
	struct amounts amounts = amounts_of(stretch);

	amounts.counts = block_counts_new(stretch);
	for (size_t i = 0; i < count; i++) {
		const struct stretch_run *run = &stretch->runs[entries[i].run];
		const struct stretch_work *work = &run->work[entries[i].work];

		amounts.seconds[entries[i].run] += work->seconds;
		amounts.samples[entries[i].run] += (double)work->samples;
		amounts.variances[entries[i].run] += variance_of(work);
		block_counts_add(amounts.counts, stretch, entries[i].run, entries[i].work);
		/* The block of the last run with a file: maybe only that run could read it. */
		row->block = row->block && !work->block.file ? row->block : &work->block;
		row->of_program |= work->block.object && run->program &&
				   strcmp(work->block.object, run->program) == 0;
	}
	row->key = xstrdup(entries->key);
	fill_row(row, stretch, &amounts);
	free(amounts.seconds);
	free(amounts.counts);
}

static struct entry *list_entries(size_t *count, const struct stretch *stretch)
{
	struct entry *entries;
	size_t capacity = 0;

	for (size_t i = 0; i < stretch->run_count; i++)
		capacity += stretch->runs[i].work_count;
	entries = xcalloc(capacity + 1, sizeof(*entries));
	*count = 0;
	for (size_t i = 0; i < stretch->run_count; i++)
		for (size_t j = 0; j < stretch->runs[i].work_count; j++)
			entries[(*count)++] = (struct entry){
				stretch_region_key(&stretch->runs[i].work[j].block, stretch->by,
						   stretch->runs[i].program),
				i, j};
	sort_items(entries, *count, by_key);
	return entries;
}

static void add_rows(struct stretch *stretch)
{
	size_t count, end;
	struct entry *entries = list_entries(&count, stretch);

	stretch->rows = xcalloc(count + 1, sizeof(*stretch->rows));
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && strcmp(entries[end].key, entries[i].key) == 0;)
			end++;
		add_row(stretch, &entries[i], end - i);
	}
	for (size_t i = 0; i < count; i++)
		free(entries[i].key);
	free(entries);
}

/* Sorts by the last column, as columns are no part of rows. */
static int by_longer(const void *a, const void *b, void *context)
{
	const struct stretch_row *one = a, *other = b;
	size_t last = *(const size_t *)context - 1;
	double first = one->cells[last].longer_s, second = other->cells[last].longer_s;

	return (first < second) - (first > second);
}

/* --- The whole comparison ---------------------------------------------------------------- */

static struct amounts all_work(const struct stretch *stretch)
{
	struct amounts amounts = amounts_of(stretch);

	for (size_t i = 0; i < stretch->run_count; i++) {
		const struct stretch_run *run = &stretch->runs[i];

		amounts.seconds[i] = run->work_s;
		for (size_t j = 0; j < run->work_count; j++)
			amounts.samples[i] += (double)run->work[j].samples;
		for (size_t j = 0; j < run->work_count; j++)
			amounts.variances[i] += variance_of(&run->work[j]);
	}
	return amounts;
}

static void add_loss(struct stretch_column *column, const struct stretch *stretch)
{
	double n = (double)column->run_count;

	column->has_loss = column->cores > 0;
	for (size_t i = 0; i < column->run_count; i++)
		column->has_loss &= stretch->runs[column->runs[i]].has_states;
	for (size_t i = 0; i < column->run_count && column->has_loss; i++) {
		struct sampled_loss part;

		stretch_run_loss(&part, 1, &stretch->runs[column->runs[i]], NULL);
		column->loss.cores = part.loss.cores;
		column->loss.wall_s += part.loss.wall_s / n;
		column->loss.work_s += part.loss.work_s / n;
		column->loss.overhead_s += part.loss.overhead_s / n;
		column->loss.delay_s += part.loss.delay_s / n;
		column->loss.no_work_s += part.loss.no_work_s / n;
		column->loss.preempted_s += part.loss.preempted_s / n;
		column->loss.crowded_s += part.loss.crowded_s / n;
	}
	if (column->loss.crowded_s > CROWDED_MOST * column->loss.wall_s)
		column->has_loss = false;
}

static void finish_columns(struct stretch *stretch)
{
	struct amounts amounts = all_work(stretch);
	struct stretch_row all;

	fill_row(&all, stretch, &amounts);
	free(amounts.seconds);
	stretch->serial_s = all.serial_s;
	stretch->serial_samples = all.serial_samples;
	for (size_t i = 0; i < stretch->column_count; i++) {
		struct stretch_column *column = &stretch->columns[i];

		column->work_s = all.cells[i].seconds;
		column->longer_s = all.cells[i].longer_s;
		column->stretch = all.cells[i].stretch;
		column->has_repeats = stretch->base_count > 1 || column->run_count > 1;
		add_loss(column, stretch);
		column->surplus_count = find_surplus(&column->surplus, stretch, column);
		for (size_t j = 0; j < stretch->row_count; j++) {
			struct stretch_cell *cell = &stretch->rows[j].cells[i];

			cell->share = column->longer_s > STRETCH_LEAST * stretch->serial_s
					      ? cell->longer_s / column->longer_s
					      : (double)NAN;
		}
	}
	free(all.cells);
}

static bool is_common(const struct stretch_row *row, size_t column_count)
{
	bool parallel = false;

	for (size_t i = 0; i < column_count; i++)
		parallel |= row->cells[i].samples > 0;
	return parallel && row->serial_samples > 0;
}

/* Returns true for functions of all programs, which do not identify one. */
static bool is_in_any_program(const char *function)
{
	return strcmp(function, "main") == 0 || strcmp(function, "_start") == 0;
}

/* Programs with other names may be the same one, built to be serial: they share functions. */
static int check_programs(const struct stretch *stretch, struct err *err)
{
	const char *base = stretch->runs[0].program, *other = NULL;

	for (size_t i = 1; i < stretch->run_count && !other; i++)
		if (base && stretch->runs[i].program && strcmp(base, stretch->runs[i].program))
			other = stretch->runs[i].program;
	if (!other)
		return 0;
	for (size_t i = 0; i < stretch->row_count; i++)
		if (stretch->rows[i].of_program && stretch->rows[i].block->function &&
		    !is_in_any_program(stretch->rows[i].block->function) &&
		    is_common(&stretch->rows[i], stretch->column_count))
			return 0;
	return err_set(err,
		       "the recordings are of different programs, %s and %s, with no function in "
		       "common except main; compare runs of one program",
		       base, other);
}

static int compare_rows(const void *a, const void *b)
{
	const struct stretch_row *const *one = a, *const *other = b;

	return strcmp((*one)->key, (*other)->key);
}

static void index_rows(struct stretch *stretch)
{
	stretch->by_key = xcalloc(stretch->row_count + 1, sizeof(const struct stretch_row *));
	for (size_t i = 0; i < stretch->row_count; i++)
		stretch->by_key[i] = &stretch->rows[i];
	sort_items(stretch->by_key, stretch->row_count, compare_rows);
}

int stretch_init(struct stretch *stretch, const struct stretch_run *runs, size_t run_count,
		 size_t base_count, enum stretch_by by, struct err *err)
{
	*stretch = (struct stretch){
		.runs = runs, .run_count = run_count, .base_count = base_count, .by = by};
	if (run_count && runs[0].tree)
		stretch->counters = &runs[0].tree->counters;
	add_columns(stretch);
	add_rows(stretch);
	finish_columns(stretch);
	if (stretch->row_count)
		qsort_r(stretch->rows, stretch->row_count, sizeof(*stretch->rows), by_longer,
			&stretch->column_count);
	index_rows(stretch);
	return check_programs(stretch, err);
}

void stretch_release(struct stretch *stretch)
{
	for (size_t i = 0; i < stretch->row_count; i++) {
		for (size_t j = 0; j < stretch->column_count; j++)
			free(stretch->rows[i].cells[j].surplus);
		free(stretch->rows[i].cells);
		free(stretch->rows[i].key);
	}
	for (size_t i = 0; i < stretch->column_count; i++) {
		free(stretch->columns[i].runs);
		free(stretch->columns[i].surplus);
	}
	free(stretch->rows);
	free(stretch->by_key);
	free(stretch->columns);
	*stretch = (struct stretch){0};
}

/* --- The loss over time -------------------------------------------------------------------- */

/* Returns the row, which exists, as every run has been compared. */
static const struct stretch_row *find_row(const struct stretch *stretch,
					  const struct stretch_run *run, size_t work)
{
	char *key = stretch_region_key(&run->work[work].block, stretch->by, run->program);
	const struct stretch_row wanted = {.key = key}, *row = &wanted;
	const struct stretch_row *const *found =
		bsearch(&row, stretch->by_key, stretch->row_count, sizeof(*found), compare_rows);

	free(key);
	return *found;
}

void stretch_over_time(struct sampled_loss *parts, size_t count, const struct stretch *stretch,
		       size_t column, size_t run)
{
	const struct stretch_run *one = &stretch->runs[stretch->columns[column].runs[run]];
	double *serial = xcalloc(one->work_count + 1, sizeof(*serial));

	for (size_t i = 0; i < one->work_count; i++) {
		const struct stretch_row *row = find_row(stretch, one, i);
		double seconds = row->cells[column].seconds;

		serial[i] = seconds > 0 ? row->serial_s / seconds : 0;
	}
	stretch_run_loss(parts, count, one, serial);
	free(serial);
}

double stretch_run_several_share(const struct stretch_run *run)
{
	struct sampled_loss whole;

	if (!run->has_states)
		return NAN;
	stretch_run_loss(&whole, 1, run, NULL);
	return whole.any_s > 0 ? whole.several_s / whole.any_s : (double)NAN;
}
