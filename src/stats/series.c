/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series.h"

#include "base/alloc.h"
#include "base/csv_table.h"
#include "base/err.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* In order of preference. */
static const char *const n_names[] = {"n",	     "threads", "cores", "processors",
				      "concurrency", "load",	NULL};
static const char *const throughput_names[] = {"throughput", "tput", "rate", "ops", "y", "c", NULL};

struct columns {
	int n;
	int throughput;
};

/* The column with the first of `names` that the header has, or -1. */
static int find(const struct csv_table *table, const char *const *names)
{
	int column = -1;

	for (; *names && column < 0; names++)
		column = csv_table_find(table, *names);
	return column;
}

/* "x" goes with its partner: it is N in (x, y), and the throughput in (N, X). */
static void find_names(struct columns *columns, const struct csv_table *table)
{
	int x = csv_table_find(table, "x");

	columns->n = find(table, n_names);
	columns->throughput = find(table, throughput_names);
	if (columns->n < 0 && columns->throughput >= 0)
		columns->n = x;
	else if (columns->n >= 0 && columns->throughput < 0)
		columns->throughput = x;
}

static int find_columns(struct columns *columns, const struct csv_table *table, struct err *err)
{
	size_t count = csv_table_columns(table);

	find_names(columns, table);
	if (columns->n >= 0 && columns->throughput >= 0)
		return 0;
	if (count < 2)
		return err_set(err,
			       "%s:%zu: there is one column; N and throughput need two, separated "
			       "by a comma, a semicolon or a TAB",
			       csv_table_source(table), csv_table_line(table, 0));
	/* Three columns without names may be two with decimal commas. */
	if (count > 2 && !csv_table_has_header(table))
		return err_set(err,
			       "%s:%zu: there are %zu columns and no header; begin with a line "
			       "'n,throughput,...', and write decimal points, not commas",
			       csv_table_source(table), csv_table_line(table, 0), count);
	if (count > 2 && (columns->n >= 0 || columns->throughput >= 0))
		return err_set(err,
			       "%s: the header does not say which column is the %s; call it '%s'",
			       csv_table_source(table),
			       columns->n < 0 ? "number of threads" : "throughput",
			       columns->n < 0 ? "n" : "throughput");
	if (columns->n < 0)
		columns->n = columns->throughput == 0 ? 1 : 0;
	columns->throughput = 1 - columns->n;
	return 0;
}

/* A cell that must be above 0; `what` says of which quantity, and why. */
static int read_positive(double *value, const struct csv_table *table, size_t row, int column,
			 const char *what, struct err *err)
{
	if (csv_table_number(table, value, row, (size_t)column, err))
		return -1;
	if (*value > 0)
		return 0;
	return err_set(err, "%s:%zu: column %d: %s must be above 0, not %g",
		       csv_table_source(table), csv_table_line(table, row), column + 1, what,
		       *value);
}

int series_read(struct series *series, const struct csv_table *table, struct err *err)
{
	size_t rows = csv_table_rows(table);
	struct columns columns;

	*series = (struct series){.source = xstrdup(csv_table_source(table))};
	if (!rows)
		return err_set(err, "%s: holds a header and no points; add a line for each N",
			       series->source);
	if (find_columns(&columns, table, err))
		return -1;
	series->points = xcalloc(rows, sizeof(*series->points));
	for (size_t row = 0; row < rows; row++) {
		struct series_point *point = &series->points[row];

		if (read_positive(&point->n, table, row, columns.n, "N", err) ||
		    read_positive(&point->throughput, table, row, columns.throughput,
				  "the throughput", err))
			return -1;
		series->count++;
	}
	return 0;
}

void series_release(struct series *series)
{
	free(series->source);
	free(series->points);
	free(series->weights);
}

/* Adds a number to a table of 2^bits slots; 0 is an empty one. Is it new? */
static bool is_new(double *slots, unsigned bits, double number)
{
	size_t mask = ((size_t)1 << bits) - 1;
	uint64_t hash;

	memcpy(&hash, &number, sizeof(hash));
	hash = hash * 0x9e3779b97f4a7c15 >> (64 - bits);
	while (slots[hash] != 0 && slots[hash] != number)
		hash = (hash + 1) & mask;
	if (slots[hash] != 0)
		return false;
	slots[hash] = number;
	return true;
}

static size_t count_sorted(const struct series *series)
{
	double *n = xcalloc(series->count, sizeof(*n));
	size_t distinct = 0;

	for (size_t i = 0; i < series->count; i++)
		n[i] = series->points[i].n;
	gsl_sort(n, 1, series->count);
	for (size_t i = 0; i < series->count; i++)
		distinct += i == 0 || n[i] != n[i - 1];
	free(n);
	return distinct;
}

/* There are few N, however many points. */
size_t series_distinct(const struct series *series)
{
	enum { BITS = 10, FEW = 1 << (BITS - 1) };
	double slots[1 << BITS] = {0};
	size_t distinct = 0;

	for (size_t i = 0; i < series->count && distinct <= FEW; i++)
		distinct += is_new(slots, BITS, series->points[i].n);
	return distinct <= FEW ? distinct : count_sorted(series);
}

double series_max_n(const struct series *series)
{
	double max = series->points[0].n;

	for (size_t i = 1; i < series->count; i++)
		max = series->points[i].n > max ? series->points[i].n : max;
	return max;
}

double series_max_throughput(const struct series *series)
{
	double max = series->points[0].throughput;

	for (size_t i = 1; i < series->count; i++)
		max = fmax(max, series->points[i].throughput);
	return max;
}
