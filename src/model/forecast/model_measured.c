/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/forecast/model_measured.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "model/forecast/model_forecast.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const char *const names[MEASURED_COLUMNS] = {
	[MEASURED_THREADS] = "threads",
	[MEASURED_RATE] = "rate_per_s",
	[MEASURED_CLIENTS] = "clients",
	[MEASURED_CORES] = "cores",
	[MEASURED_THROUGHPUT] = "throughput_per_s",
	[MEASURED_RESPONSE] = "response_s",
	[MEASURED_P95] = "response_p95_s",
	[MEASURED_WALL] = "wall_s",
};

double model_measured_forecast(const struct model_forecast_row *row,
			       enum model_measured_column column)
{
	const double values[MEASURED_COLUMNS] = {
		[MEASURED_THREADS] = row->threads ? (double)row->threads : NAN,
		[MEASURED_RATE] = row->rate,
		[MEASURED_CLIENTS] = row->clients ? (double)row->clients : NAN,
		[MEASURED_CORES] = row->cores,
		[MEASURED_THROUGHPUT] = row->result.throughput_per_s,
		[MEASURED_RESPONSE] = row->result.response_s,
		[MEASURED_P95] = row->result.response_p95_s,
		[MEASURED_WALL] = row->result.wall_s,
	};

	return values[column];
}

/* Compares with a tolerance: rates are often written with few digits. */
static bool is_same(double number, double other)
{
	const double tolerance = 1e-3;

	return fabs(number - other) <= tolerance * fabs(other);
}

static bool is_same_configuration(const struct model_measured_row *left,
				  const struct model_measured_row *right)
{
	for (int i = 0; i < MEASURED_THROUGHPUT; i++)
		if (isnan(left->values[i]) != isnan(right->values[i]) ||
		    (!isnan(left->values[i]) && left->values[i] != right->values[i]))
			return false;
	return true;
}

/* Adds a run: a new configuration, or one more run in the mean of a known one. */
static void add_run(struct model_measured *measured, const struct model_measured_row *run)
{
	struct model_measured_row *into = measured->rows;

	while (into < measured->rows + measured->count && !is_same_configuration(into, run))
		into++;
	if (into == measured->rows + measured->count) {
		*into = *run;
		measured->count++;
		return;
	}
	for (int i = MEASURED_THROUGHPUT; i < MEASURED_COLUMNS; i++) {
		if (isnan(run->values[i]))
			continue;
		into->values[i] = isnan(into->values[i]) ? 0 : into->values[i];
		into->values[i] += (run->values[i] - into->values[i]) / (double)++into->runs[i];
	}
}

/* Refuses a row without a configuration, which would match all forecasts. */
static int check_configuration(const struct model_measured_row *run, const struct csv_table *table,
			       size_t row, const int *columns, struct err *err)
{
	size_t column = 0;

	for (int i = MEASURED_THROUGHPUT - 1; i >= 0; i--) {
		if (!isnan(run->values[i]))
			return 0;
		column = columns[i] < 0 ? column : (size_t)columns[i];
	}
	err_set(err, "the row names no configuration");
	return csv_table_wrap(table, row, column, err);
}

/* Reads a row; an empty cell is an unknown value, NaN. */
static int read_row(struct model_measured_row *run, const struct csv_table *table, size_t row,
		    const int *columns, struct err *err)
{
	for (int i = 0; i < MEASURED_COLUMNS; i++) {
		const char *cell =
			columns[i] < 0 ? NULL : csv_table_cell(table, row, (size_t)columns[i]);

		run->values[i] = NAN;
		run->runs[i] = 0;
		if (!cell || !*cell)
			continue;
		if (csv_table_number(table, &run->values[i], row, (size_t)columns[i], err))
			return -1;
		if (!(run->values[i] > 0)) {
			err_set(err, "%g is not above 0", run->values[i]);
			return csv_table_wrap(table, row, (size_t)columns[i], err);
		}
		run->runs[i] = 1;
	}
	return 0;
}

static int find_columns(int *columns, const struct csv_table *table, struct err *err)
{
	bool has_key = false, has_value = false;

	for (int i = 0; i < MEASURED_COLUMNS; i++) {
		columns[i] = csv_table_find(table, names[i]);
		if (columns[i] >= 0)
			*(i < MEASURED_THROUGHPUT ? &has_key : &has_value) = true;
	}
	if (has_key && has_value)
		return 0;
	return err_set(err,
		       "%s: needs a column threads, rate_per_s, clients or cores, and a column "
		       "throughput_per_s, response_s, response_p95_s or wall_s",
		       csv_table_source(table));
}

int model_measured_read(struct model_measured *measured, const struct csv_table *table,
			struct err *err)
{
	size_t rows = csv_table_rows(table);
	int columns[MEASURED_COLUMNS];

	*measured = (struct model_measured){NULL, 0};
	if (find_columns(columns, table, err))
		return -1;
	if (rows > MODEL_ROWS_MAX)
		return err_set(err, "%s: has more than %d rows", csv_table_source(table),
			       MODEL_ROWS_MAX);
	measured->rows = xcalloc(rows + 1, sizeof(*measured->rows));
	for (size_t row = 0; row < rows; row++) {
		struct model_measured_row run;

		if (read_row(&run, table, row, columns, err) ||
		    check_configuration(&run, table, row, columns, err))
			return -1;
		add_run(measured, &run);
	}
	return 0;
}

void model_measured_release(struct model_measured *measured)
{
	free(measured->rows);
	*measured = (struct model_measured){NULL, 0};
}

const struct model_measured_row *model_measured_find(const struct model_measured *measured,
						     const struct model_forecast_row *row)
{
	for (size_t i = 0; i < measured->count; i++) {
		bool same = true;

		for (int column = 0; column < MEASURED_THROUGHPUT; column++) {
			double said = measured->rows[i].values[column];

			same &= isnan(said) ||
				is_same(said, model_measured_forecast(
						      row, (enum model_measured_column)column));
		}
		if (same)
			return &measured->rows[i];
	}
	return NULL;
}
