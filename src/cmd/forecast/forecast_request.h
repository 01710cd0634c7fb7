/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `pscal forecast` was asked for: its options, read and checked.
 */
#ifndef PSCAL_CMD_FORECAST_FORECAST_REQUEST_H
#define PSCAL_CMD_FORECAST_FORECAST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/forecast/forecast_calibration.h"
#include "cmd/forecast/forecast_why.h"
#include "cmd/options/plotting.h"
#include "cmd/options/trace.h"
#include "stats/profile/wall_times.h"

struct err;
struct level_times;

/* MODEL_ANY: the replay where it can be trusted, else the closed form. */
enum forecast_model { MODEL_ANY, MODEL_CLOSED_FORM, MODEL_REPLAY };

struct forecast_request {
	struct trace_options trace;
	enum forecast_model model;
	uint64_t *list; /* cores to forecast for */
	size_t count;
	bool listed;		 /* that was asked for */
	uint64_t measured_cores; /* 0: as the trace says */
	bool spin_waits;	 /* CPU time that threads spin is waiting, and no work */
	double discrepancy;	 /* of real programs, per doubling of cores; see variation.h */
	struct wall_times measured;
	bool has_measured;
	struct calibration_options calibration;
	struct why_options why;
	struct plotting plotting;
	/* As typed. */
	char *model_text, *on, *cores, *spin, *discrepancy_text, *measured_path;
};

/* Understands what was typed into a request; -1 with a sentence is wrong usage. */
int forecast_request_read(struct forecast_request *request, struct err *err);

/* Reads what was measured, if anything. 0, or -1 with a sentence. */
int forecast_request_read_measured(struct forecast_request *request, struct err *err);
void forecast_request_release(struct forecast_request *request);

/*
 * What to forecast for, complete: powers of two as far as more cores change something, where
 * nothing else was asked for, and what was measured.
 */
void forecast_request_list(struct forecast_request *request, const struct level_times *levels);

#endif
