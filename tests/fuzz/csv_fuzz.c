/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a CSV table, as a series, and as points to fit. */
#include "base/csv_table.h"
#include "base/err.h"
#include "base/input.h"
#include "fit/usl.h"
#include "stats/series.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct csv_table *read_bytes(const uint8_t *bytes, size_t length, struct err *err)
{
	int fd = memfd_create("csv", MFD_CLOEXEC);
	struct csv_table *table = NULL;
	struct input *input;
	char path[64];

	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	input = input_open(path, err);
	if (input)
		table = csv_table_read(input, err);
	input_close(input);
	close(fd);
	return table;
}

static void read_cells(const struct csv_table *table)
{
	for (size_t row = 0; row < csv_table_rows(table); row++) {
		for (size_t column = 0; column < csv_table_columns(table); column++) {
			const char *cell = csv_table_cell(table, row, column);
			struct err err = {""};
			double value;

			assert(!cell || strlen(cell) <= CSV_CELL_BYTES_MAX);
			if (csv_table_number(table, &value, row, column, &err))
				assert(*err.text);
		}
		assert(csv_table_line(table, row) > 0);
	}
}

static void fit_series(const struct series *series, struct err *err)
{
	enum { POINTS_MAX = 64 }; /* for speed */

	for (enum usl_model model = USL_FULL; model <= USL_LINEAR; model++) {
		struct usl usl;

		if (series->count > POINTS_MAX || usl_fit(&usl, series, model, err))
			continue;
		assert(usl.alpha >= 0 && usl.beta >= 0 && usl.gamma >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct err err = {""};
	struct csv_table *table = read_bytes(bytes, length, &err);
	struct series series;

	if (!table) {
		assert(*err.text);
		return 0;
	}
	read_cells(table);
	if (series_read(&series, table, &err) == 0)
		fit_series(&series, &err);
	series_release(&series);
	csv_table_free(table);
	return 0;
}
