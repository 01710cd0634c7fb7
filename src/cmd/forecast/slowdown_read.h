/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calibrations of this machine: --calibrate makes one, --slowdown asks for the slowdown of cores
 * while others are busy, and intervals take in how the speed of the machine varies.
 */
#ifndef PSCAL_CMD_FORECAST_SLOWDOWN_READ_H
#define PSCAL_CMD_FORECAST_SLOWDOWN_READ_H

#include "replay/simulate/slowdown.h"

struct err;
struct event_source;
struct options;

/* Measures, keeps the result and prints it. Returns 0, or -1 with a sentence. */
int slowdown_calibrate(const struct options *common, struct err *err);

/*
 * The slowdown that --slowdown asks for, relative to one busy core; nothing (count 0) without it.
 * Returns 0, or -1 with a sentence.
 */
int slowdown_read(struct slowdown *slowdown, const char *text, const struct options *common,
		  struct err *err);

/*
 * The variation of the machine's speed, as the calibrations kept here have it; nothing (freedom 0) for
 * a recording of another machine, and of fewer than three calibrations.
 */
struct run_noise speed_read(const struct event_source *source);

#endif
