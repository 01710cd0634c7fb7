/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/fitting.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/io/csv_table.h"
#include "support.h"
#include "table_file.h"

#include <stdio.h>

struct series fitting_read(const char *set)
{
	struct series series = {0};
	struct csv_table *table;
	struct err err = {.text = ""};
	char path[64];

	snprintf(path, sizeof(path), "tests/data/usl/%s.csv", set);
	table = table_file_read(path, &err);
	if (!table || table_file_series(&series, table, NULL, &err))
		fail_msg("%s", err.text);
	csv_table_free(table);
	return series;
}

void fitting_weigh(struct series *series, double (*weight)(size_t i, double throughput))
{
	series->weights = xcalloc(series->count, sizeof(*series->weights));
	for (size_t i = 0; i < series->count; i++)
		series->weights[i] = weight(i, series->points[i].throughput);
}

double fitting_weight_relative(size_t i, double throughput)
{
	(void)i;
	return 1 / throughput / throughput;
}

double fitting_weight_123(size_t i, double throughput)
{
	(void)throughput;
	return (double)(1 + i % 3);
}

struct usl fitting_fit_form(const struct series *series, const struct usl_form *form)
{
	struct err err = {.text = ""};
	struct usl usl = {0};

	if (usl_fit(&usl, series, form, &err))
		fail_msg("%s", err.text);
	return usl;
}

struct usl fitting_fit(const struct series *series, enum usl_model model)
{
	const struct usl_form form = {.model = model};

	return fitting_fit_form(series, &form);
}
