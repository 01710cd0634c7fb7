/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/csv_check.h"

#include "base/err.h"
#include "base/io/csv_table.h"
#include "check/bytes_check.h"
#include "fit/usl/usl.h"
#include "stats/series/series.h"
#include "table_file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static int check_cells(const struct csv_table *table, const char *path, struct err *err)
{
	for (size_t row = 0; row < csv_table_rows(table); row++) {
		for (size_t column = 0; column < csv_table_columns(table); column++) {
			const char *cell = csv_table_cell(table, row, column);
			struct err why = {.text = ""};
			double value;

			if (cell && strlen(cell) > CSV_CELL_BYTES_MAX)
				return err_set(err, "a cell has %zu bytes", strlen(cell));
			if (csv_table_number(table, &value, row, column, &why)) {
				if (bytes_check_sentence(why.text, path, err))
					return -1;
			} else if (!isfinite(value)) {
				return err_set(err, "the number in '%.40s' is %g", cell, value);
			}
		}
		csv_table_wrap(table, row, CSV_WHOLE_ROW, &(struct err){.text = ""});
	}
	return 0;
}

static int check_fits(const struct series *series, struct err *err)
{
	enum { POINTS_MAX = 64 }; /* for speed */

	for (enum usl_model model = USL_FULL; model <= USL_LINEAR; model++) {
		const struct usl_form form = {.model = model};
		struct err why = {.text = ""};
		struct usl usl;

		if (series->count > POINTS_MAX)
			continue;
		if (usl_fit(&usl, series, &form, &why)) {
			if (bytes_check_sentence(why.text, NULL, err))
				return -1;
		} else if (!(usl.alpha >= 0 && usl.beta >= 0 && usl.gamma >= 0)) {
			return err_set(err, "the fit is %g, %g, %g", usl.alpha, usl.beta,
				       usl.gamma);
		}
	}
	return 0;
}

static int check_points(const struct series *series, struct err *err)
{
	double sum = 0;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_point *point = &series->points[i];
		double weight = series_weight(series, i);

		if (!(point->n > 0 && point->throughput > 0 && weight > 0) || !isfinite(point->n) ||
		    !isfinite(point->throughput) || !isfinite(weight))
			return err_set(err, "point %zu is %g, %g with the weight %g", i, point->n,
				       point->throughput, weight);
		sum += weight / (double)series->count;
	}
	if (fabs(sum - 1) > 1e-9)
		return err_set(err, "the weights have a mean of %g", sum);
	return 0;
}

static int check_windows(const struct series *series, struct err *err)
{
	for (size_t i = 0; series->windows && i < series->count; i++) {
		const struct series_window *window = &series->windows[i];

		if (window->cut_start + window->cut_end >= window->rows ||
		    !(window->from <= window->to) || window->mean != series->points[i].throughput)
			return err_set(err, "of %zu rows %zu and %zu are cut, from %g to %g",
				       window->rows, window->cut_start, window->cut_end,
				       window->from, window->to);
	}
	return 0;
}

/* The first is the default of the command. */
static const struct series_request requests[] = {
	{.column_count = 0},
	{.columns = {{QUANTITY_UNKNOWN, "1"}, {QUANTITY_TIME, "2"}},
	 .column_count = 2,
	 .weighting = WEIGHTS_RELATIVE},
	{.columns = {{QUANTITY_N, "1"}, {QUANTITY_THROUGHPUT, "2"}},
	 .column_count = 2,
	 .weighting = WEIGHTS_COLUMN,
	 .weight_column = "3"},
	{.columns = {{QUANTITY_N, "1"}, {QUANTITY_TIME, "2"}},
	 .column_count = 2,
	 .work_column = "1",
	 .weighting = WEIGHTS_DEVIATIONS,
	 .weight_column = "1"},
	{.from_log = true},
	{.columns = {{QUANTITY_TIME, "1"}, {QUANTITY_N, "2"}, {QUANTITY_TOTAL, "3"}},
	 .column_count = 3,
	 .from_log = true,
	 .cut_end = true,
	 .weighting = WEIGHTS_STEADY},
	{.columns = {{QUANTITY_TIME, "1"}, {QUANTITY_N, "2"}, {QUANTITY_COUNT, "3"}},
	 .column_count = 3,
	 .from_log = true},
	{.keys = {{"1", NULL}}, .key_count = 1},
	{.columns = {{QUANTITY_N, "1"}, {QUANTITY_THROUGHPUT, "2"}},
	 .column_count = 2,
	 .keys = {{"1", NULL}, {"2", "20"}},
	 .key_count = 2},
	{.pooled = true},
};

static int check_series(bool *read, const struct csv_table *table,
			const struct series_request *request, const char *path, struct err *err)
{
	struct err why = {.text = ""};
	struct series *series = NULL;
	size_t count = 0;
	int rc = 0;

	*read = series_read(&series, &count, table, request, &why) == 0;
	if (!*read)
		rc = bytes_check_sentence(why.text, request->column_count ? NULL : path, err);
	for (size_t i = 0; i < count; i++) {
		if (!rc && *read)
			rc = check_points(&series[i], err) || check_windows(&series[i], err) ||
			     check_fits(&series[i], err);
		series_release(&series[i]);
	}
	free(series);
	return rc ? -1 : 0;
}

static int check_table(bool *read, const struct csv_table *table, const char *path, struct err *err)
{
	int rc = check_cells(table, path, err);

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]) && !rc; i++) {
		bool understood;

		rc = check_series(&understood, table, &requests[i], path, err);
		if (i == 0)
			*read = understood;
	}
	return rc;
}

int csv_check_bytes(bool *read, const void *bytes, size_t length, struct err *err)
{
	struct csv_table *table;
	struct err why = {.text = ""};
	char path[64];
	int fd = bytes_check_file(bytes, length, path);
	int rc;

	*read = false;
	table = table_file_read(path, &why);
	if (table)
		rc = check_table(read, table, path, err);
	else
		rc = bytes_check_sentence(why.text, path, err);
	csv_table_free(table);
	close(fd);
	return rc;
}
