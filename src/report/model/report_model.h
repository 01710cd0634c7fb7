/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of the command model, its picture, and the report of forecasts with a model. */
#ifndef PSCAL_REPORT_MODEL_REPORT_MODEL_H
#define PSCAL_REPORT_MODEL_REPORT_MODEL_H

#include <stdio.h>

#include "model/extract/extract.h"
#include "model/file/model.h"
#include "model/forecast/model_forecast.h"

struct err;
struct report;

/* All is borrowed. */
struct model_view {
	const struct model *model;
	const struct model_findings
		*findings;		   /* of its extraction; NULL: it was read from a file */
	const struct model_result *result; /* of the model as it stands: its self-check */
	const char *path;		   /* of the recording or the model */
	const char
		*again; /* arguments that name it for a forecast; NULL: it cannot be read again */
	const char *options; /* of a further forecast, " --rate 600"; NULL: none */
	const struct model_measured
		*measured; /* to compare forecasts with, see model_measured.h; NULL: nothing */
};

/* Adds the model: text of one screen, or CSV with a row for each pool. */
void report_model(struct report *report, const struct model_view *view);

/* Adds a row for each configuration. */
void report_model_forecast(struct report *report, const struct model_view *view,
			   const struct model_forecast *forecast);

/*
 * Draw times and throughput of the rows into the file `path`, or with characters into the report.
 * Return 0, or -1 with an error.
 */
int plot_model_forecast(const struct model_view *view, const struct model_forecast *forecast,
			const char *path, struct err *err);
int chart_model_forecast(struct report *report, const struct model_view *view,
			 const struct model_forecast *forecast, struct err *err);

/*
 * Writes the queueing network in the language of graphviz: a box for each pool, an arrow for each
 * queue, an ellipse for each lock, disk and delay; edges with requests per second.
 */
void model_dot_write(FILE *out, const struct model_view *view);

/*
 * Draws the network into the file `path`; .dot and .gv are the text for graphviz. Returns 0, or -1
 * with an error.
 */
int plot_model(const struct model_view *view, const char *path, struct err *err);

#endif
