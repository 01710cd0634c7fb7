/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of the command forecast, read and checked. */
#ifndef PSCAL_CMD_FORECAST_FORECAST_OPTIONS_H
#define PSCAL_CMD_FORECAST_FORECAST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/forecast/forecast_calibration.h"
#include "cmd/options/plotting.h"
#include "cmd/options/trace.h"
#include "replay/forecast/forecast.h"
#include "stats/profile/wall_times.h"

struct err;
struct level_times;

struct forecast_options {
	struct trace_options trace;
	struct calibration_options calibration;
	struct plotting plotting;
	struct wall_times measured;
	bool has_measured;
	struct forecast_request request; /* points into what follows */
	uint64_t *cores;
	struct forecast_change *changes;
	/* As typed. */
	char *model, *on, *measured_on, *spin, *discrepancy, *measured_path;
	char **what_ifs; /* NULL-terminated, or NULL */
	int why, usl;
};

/* Understands the options as they were typed; -1 with a sentence is wrong usage. */
int forecast_options_read(struct forecast_options *options, struct err *err);

/* Reads the wall times that were measured, if there are any. 0, or -1 with a sentence. */
int forecast_options_read_measured(struct forecast_options *options, struct err *err);
void forecast_options_release(struct forecast_options *options);

/*
 * Completes the numbers of cores to forecast for: powers of two as far as more cores change
 * something, where no others are asked for, and those that were measured.
 */
void forecast_options_list(struct forecast_options *options, const struct level_times *levels);

#endif
