/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table in a file, as the program reads it. */
#ifndef PSCAL_TESTS_TABLE_FILE_H
#define PSCAL_TESTS_TABLE_FILE_H

#include "base/io/csv_table.h"
#include "base/io/input.h"
#include "stats/series/series.h"

#include <stdlib.h>

/* Returns NULL and an error if the file is no table. */
static inline struct csv_table *table_file_read(const char *path, struct err *err)
{
	struct input *input = input_open(path, INPUT_OF_US, err);
	struct csv_table *table = input ? csv_table_read(input, err) : NULL;

	input_close(input);
	return table;
}

/* For a table with one series. Returns 0 or -1; the caller releases the series in both cases. */
static inline int table_file_series(struct series *series, const struct csv_table *table,
				    const struct series_request *request, struct err *err)
{
	struct series *all = NULL;
	size_t count = 0;
	int rc = series_read(&all, &count, table, request, err);

	*series = count ? all[0] : (struct series){.count = 0};
	for (size_t i = 1; i < count; i++)
		series_release(&all[i]);
	free(all);
	return rc || count == 1 ? rc : -1;
}

#endif
