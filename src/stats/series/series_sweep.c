/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/series_sweep.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "base/parse.h"
#include "stats/series/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_N, SWEEP_THROUGHPUT, SWEEP_WALL, SWEEP_CPU, SWEEP_OTHERS, SWEEP_COLUMNS };

struct sweep_record {
	double values[SWEEP_COLUMNS];
};

/* --- Reading ------------------------------------------------------------------------------- */

size_t series_sweep_cpus(const struct csv_table *table)
{
	enum { CPUS_MOST = 1 << 16 };
	const char *allowed = csv_table_fact(table, "cpus_allowed");
	const char *given = csv_table_fact(table, "cpus");
	const char *launcher = csv_table_fact(table, "launcher"); /* launchers may place threads */
	uint64_t *cpus = NULL;
	size_t count = 0;
	struct err err;

	if (!allowed || !given || strcmp(given, "all that are allowed") != 0 ||
	    (launcher && strcmp(launcher, "none") != 0))
		return 0;
	if (parse_list(&cpus, &count, allowed, 0, CPUS_MOST, &err))
		count = 0;
	free(cpus);
	return count;
}

/* Reads a row, in which times and CPUs may be missing. */
static int sweep_read_record(struct sweep_record *record, const struct csv_table *table, size_t row,
			     const int columns[SWEEP_COLUMNS], struct err *err)
{
	struct err ignored;

	for (size_t i = 0; i < SWEEP_COLUMNS; i++) {
		bool needed = i <= SWEEP_THROUGHPUT;

		record->values[i] = NAN;
		if (columns[i] >= 0 &&
		    csv_table_number(table, &record->values[i], row, (size_t)columns[i],
				     needed ? err : &ignored)) {
			if (needed)
				return -1;
			record->values[i] = NAN;
		}
	}
	return 0;
}

static int sweep_compare_records(const void *a, const void *b)
{
	double left = ((const struct sweep_record *)a)->values[SWEEP_N];
	double right = ((const struct sweep_record *)b)->values[SWEEP_N];

	return (left > right) - (left < right);
}

/* --- Levels -------------------------------------------------------------------------------- */

static int sweep_compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Returns the median of the known values, and leaves these sorted in `values`, *known of them. */
static double sweep_median(double *values, size_t *known, const struct sweep_record *records,
			   size_t count, size_t column)
{
	*known = 0;
	for (size_t i = 0; i < count; i++)
		if (!isnan(records[i].values[column]))
			values[(*known)++] = records[i].values[column];
	if (!*known)
		return NAN;
	qsort(values, *known, sizeof(*values), sweep_compare_values);
	return (values[(*known - 1) / 2] + values[*known / 2]) / 2;
}

static struct series_level sweep_level(double *values, struct sweep_record *records, size_t count,
				       size_t cpus)
{
	const double nearly = .9;
	struct series_level level = {.n = records[0].values[SWEEP_N], .runs = count};
	size_t known;

	level.throughput = sweep_median(values, &known, records, count, SWEEP_THROUGHPUT);
	level.least = values[0];
	level.most = values[known - 1];
	level.wall_s = sweep_median(values, &known, records, count, SWEEP_WALL);
	level.cpu_s = sweep_median(values, &known, records, count, SWEEP_CPU);
	level.others = sweep_median(values, &known, records, count, SWEEP_OTHERS);
	for (size_t i = 0; i < count; i++)
		records[i].values[SWEEP_CPU] /= records[i].values[SWEEP_WALL];
	level.cpus = sweep_median(values, &known, records, count, SWEEP_CPU);
	level.full = cpus && level.cpus + fmax(level.others, 0) >= nearly * (double)cpus;
	return level;
}

/* Returns CPU time by work. NaN: not known, or too short to measure. */
static double sweep_cpu_of_work(const struct series_level *level)
{
	const double least_s = .01;

	return level->cpu_s >= least_s && level->throughput > 0
		       ? level->cpu_s / level->wall_s / level->throughput
		       : (double)NAN;
}

static double sweep_distance(const struct series_level *level)
{
	return isnan(level->inflation) ? 0 : fabs(log(level->inflation));
}

/* Computes the facts that need all levels. */
static void sweep_summarise(struct series_sweep *sweep)
{
	sweep->full_n = sweep->others = NAN;
	for (size_t i = 0; i < sweep->count; i++) {
		struct series_level *level = &sweep->levels[i];
		const struct series_level *best = &sweep->levels[sweep->best];
		const struct series_level *widest = &sweep->levels[sweep->widest];

		level->speedup = level->throughput / sweep->levels[0].throughput;
		level->inflation = sweep_cpu_of_work(level) / sweep_cpu_of_work(sweep->levels);
		if (sweep_distance(level) > sweep_distance(&sweep->levels[sweep->inflated]))
			sweep->inflated = i;
		sweep->others = fmax(sweep->others, level->others);
		if (level->throughput > best->throughput)
			sweep->best = i;
		if (level->most / level->least > widest->most / widest->least)
			sweep->widest = i;
	}
	for (size_t i = sweep->count; i-- > 0 && sweep->levels[i].full;)
		sweep->full_n = sweep->levels[i].n;
}

int series_sweep_read(struct series_sweep *sweep, const struct csv_table *table, struct err *err)
{
	static const char *const names[SWEEP_COLUMNS] = {"n", "throughput", "wall_s", "cpu_s",
							 "others"};
	size_t rows = csv_table_rows(table);
	struct sweep_record *records = xcalloc(rows + 1, sizeof(*records));
	double *values = xcalloc(rows + 1, sizeof(*values));
	int columns[SWEEP_COLUMNS], rc = 0;

	*sweep = (struct series_sweep){.runs = rows, .cpus = series_sweep_cpus(table)};
	for (size_t i = 0; i < SWEEP_COLUMNS; i++)
		columns[i] = csv_table_find(table, names[i]);
	if (columns[SWEEP_N] < 0 || columns[SWEEP_THROUGHPUT] < 0)
		rc = err_set(err, "%s: has no columns n and throughput", csv_table_source(table));
	for (size_t i = 0; i < rows && !rc; i++)
		rc = sweep_read_record(&records[i], table, i, columns, err);
	sweep->levels = xcalloc(rows + 1, sizeof(*sweep->levels));
	if (!rc)
		qsort(records, rows, sizeof(*records), sweep_compare_records);
	for (size_t i = 0, end; i < rows && !rc; i = end) {
		for (end = i + 1; end < rows && !sweep_compare_records(&records[i], &records[end]);)
			end++;
		sweep->levels[sweep->count++] =
			sweep_level(values, &records[i], end - i, sweep->cpus);
	}
	sweep_summarise(sweep);
	free(values);
	free(records);
	return rc;
}

void series_sweep_release(struct series_sweep *sweep)
{
	free(sweep->levels);
}

struct series_level *series_levels(const struct series *series, size_t *count)
{
	struct sweep_record *records = xcalloc(series->count + 1, sizeof(*records));
	struct series_level *levels = xcalloc(series->count + 1, sizeof(*levels));
	double *values = xcalloc(series->count + 1, sizeof(*values));
	size_t end;

	*count = 0;
	for (size_t i = 0; i < series->count; i++) {
		for (size_t j = 0; j < SWEEP_COLUMNS; j++)
			records[i].values[j] = NAN;
		records[i].values[SWEEP_N] = series->points[i].n;
		records[i].values[SWEEP_THROUGHPUT] = series->points[i].throughput;
	}
	if (series->count)
		qsort(records, series->count, sizeof(*records), sweep_compare_records);
	for (size_t begin = 0; begin < series->count; begin = end) {
		for (end = begin; end < series->count &&
				  records[end].values[SWEEP_N] == records[begin].values[SWEEP_N];)
			end++;
		levels[(*count)++] = sweep_level(values, &records[begin], end - begin, 0);
	}
	free(values);
	free(records);
	return levels;
}
