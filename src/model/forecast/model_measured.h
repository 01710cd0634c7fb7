/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements of a server in several configurations, to compare forecasts with. */
#ifndef PSCAL_MODEL_FORECAST_MODEL_MEASURED_H
#define PSCAL_MODEL_FORECAST_MODEL_MEASURED_H

#include <stddef.h>

struct csv_table;
struct err;
struct model_forecast_row;

/* Columns of the configuration, and columns of its measurements. */
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

/* The mean of its runs; NaN: the table does not say it. */
struct model_measured_row {
	double values[MEASURED_COLUMNS];
	size_t runs[MEASURED_COLUMNS];
};

struct model_measured {
	struct model_measured_row *rows; /* each configuration once */
	size_t count;
};

/*
 * The columns are those of a forecast as CSV, in any order: threads, rate_per_s, clients, cores; and
 * throughput_per_s, response_s, response_p95_s, wall_s. Others are passed over. Returns 0, or -1 with
 * a sentence; the caller releases in any case.
 */
int model_measured_read(struct model_measured *measured, const struct csv_table *table,
			struct err *err);
void model_measured_release(struct model_measured *measured);

/* Of the configuration of the row, as far as the table says which; NULL: there is none. */
const struct model_measured_row *model_measured_find(const struct model_measured *measured,
						     const struct model_forecast_row *row);

/* The forecast of one of the columns; NaN: there is none. */
double model_measured_forecast(const struct model_forecast_row *row,
			       enum model_measured_column column);

#endif
