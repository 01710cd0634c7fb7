/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements of a server in several configurations, to compare forecasts with. */
#ifndef PSCAL_MODEL_FORECAST_MODEL_MEASURED_H
#define PSCAL_MODEL_FORECAST_MODEL_MEASURED_H

#include <stddef.h>

struct csv_table;
struct err;
struct model_forecast_row;

/* The columns of the configuration, and of its measurements. */
enum model_measured_column {
	MEASURED_THREADS,
	MEASURED_RATE,
	MEASURED_CLIENTS,
	MEASURED_CORES,
	MEASURED_THROUGHPUT,
	MEASURED_RESPONSE,
	MEASURED_P95,
	MEASURED_WALL,
	MEASURED_COLUMNS,
};

/* The means of the runs of a configuration; NaN: not in the table. */
struct model_measured_row {
	double values[MEASURED_COLUMNS];
	size_t runs[MEASURED_COLUMNS];
};

struct model_measured {
	struct model_measured_row *rows; /* each configuration once */
	size_t count;
};

/*
 * Reads the columns of a forecast as CSV, in any order: threads, rate_per_s, clients, cores; and
 * throughput_per_s, response_s, response_p95_s, wall_s. Other columns are ignored. Returns 0, or -1
 * with an error; the caller releases `measured` in either case.
 */
int model_measured_read(struct model_measured *measured, const struct csv_table *table,
			struct err *err);
void model_measured_release(struct model_measured *measured);

/*
 * Returns the measurements in the configuration of `row`, as far as the table has it; NULL: none.
 */
const struct model_measured_row *model_measured_find(const struct model_measured *measured,
						     const struct model_forecast_row *row);

/* Returns the forecast of a column; NaN: none. */
double model_measured_forecast(const struct model_forecast_row *row,
			       enum model_measured_column column);

#endif
