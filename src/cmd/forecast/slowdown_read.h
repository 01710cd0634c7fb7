/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calibrations of this machine. --calibrate makes one; it says how much slower a core is while
 * others are busy, for --slowdown. Intervals include the variation of the machine's speed between
 * calibrations.
 */
#ifndef PSCAL_CMD_FORECAST_SLOWDOWN_READ_H
#define PSCAL_CMD_FORECAST_SLOWDOWN_READ_H

#include "replay/simulate/slowdown.h"

struct err;
struct event_source;
struct options;

/* Measures the machine, stores and prints the result. Returns 0, or -1 with an error. */
int slowdown_calibrate(const struct options *common, struct err *err);

/*
 * Reads the slowdown that `text` of --slowdown asks for, relative to one busy core; NULL: none
 * (count 0). Returns 0, or -1 with an error.
 */
int slowdown_read(struct slowdown *slowdown, const char *text, const struct options *common,
		  struct err *err);

/*
 * Returns the variation of the machine's speed between the stored calibrations; freedom 0: unknown,
 * as the recording is from another machine, or there are fewer than three calibrations.
 */
struct run_noise speed_read(const struct event_source *source);

#endif
