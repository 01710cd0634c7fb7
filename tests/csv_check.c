/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv_check.h"

#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "fit/usl.h"
#include "stats/series.h"
#include "trace_check.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static int check_cells(const struct csv_table *table, const char *path, struct err *err)
{
	for (size_t row = 0; row < csv_table_rows(table); row++) {
		for (size_t column = 0; column < csv_table_columns(table); column++) {
			const char *cell = csv_table_cell(table, row, column);
			struct err why = {""};
			double value;

			if (cell && strlen(cell) > CSV_CELL_BYTES_MAX)
				return err_set(err, "a cell has %zu bytes", strlen(cell));
			if (csv_table_number(table, &value, row, column, &why)) {
				if (trace_check_sentence(why.text, path, err))
					return -1;
			} else if (!isfinite(value)) {
				return err_set(err, "the number in '%.40s' is %g", cell, value);
			}
		}
		if (!csv_table_line(table, row))
			return err_set(err, "row %zu is in no line", row);
	}
	return 0;
}

static int check_fits(const struct series *series, struct err *err)
{
	enum { POINTS_MAX = 64 }; /* for speed */

	for (enum usl_model model = USL_FULL; model <= USL_LINEAR; model++) {
		const struct usl_form form = {.model = model};
		struct err why = {""};
		struct usl usl;

		if (series->count > POINTS_MAX)
			continue;
		if (usl_fit(&usl, series, &form, &why)) {
			if (trace_check_sentence(why.text, NULL, err))
				return -1;
		} else if (!(usl.alpha >= 0 && usl.beta >= 0 && usl.gamma >= 0)) {
			return err_set(err, "the fit is %g, %g, %g", usl.alpha, usl.beta,
				       usl.gamma);
		}
	}
	return 0;
}

static int check_table(bool *read, const struct csv_table *table, const char *path, struct err *err)
{
	struct err why = {""};
	struct series series;
	int rc = check_cells(table, path, err);

	*read = series_read(&series, table, &why) == 0;
	if (!rc)
		rc = *read ? check_fits(&series, err) : trace_check_sentence(why.text, path, err);
	series_release(&series);
	return rc;
}

int csv_check_bytes(bool *read, const void *bytes, size_t length, struct err *err)
{
	struct csv_table *table = NULL;
	struct err why = {""};
	struct input *input;
	char path[64];
	int fd = trace_check_file(bytes, length, path);
	int rc;

	*read = false;
	input = input_open(path, &why);
	if (input)
		table = csv_table_read(input, &why);
	if (table)
		rc = check_table(read, table, path, err);
	else
		rc = trace_check_sentence(why.text, path, err);
	csv_table_free(table);
	input_close(input);
	close(fd);
	return rc;
}
