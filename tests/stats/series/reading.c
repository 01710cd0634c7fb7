/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/reading.h"

#include "base/io/csv_table.h"
#include "stats/series/series.h"
#include "support.h"
#include "table_file.h"

#include <string.h>

int reading_bytes(struct series *series, const void *bytes, size_t length,
		  const struct series_request *request, struct err *err)
{
	struct csv_table *table = table_file_read(file_with(bytes, length), err);
	int rc = -1;

	*series = (struct series){.count = 0};
	if (table)
		rc = table_file_series(series, table, request, err);
	csv_table_free(table);
	return rc;
}

int reading_text(struct series *series, const char *text, const struct series_request *request,
		 struct err *err)
{
	return reading_bytes(series, text, strlen(text), request, err);
}
