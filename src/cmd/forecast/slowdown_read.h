/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores that are slower while others are busy: --calibrate measures it, --slowdown asks for it. */
#ifndef PSCAL_CMD_FORECAST_SLOWDOWN_READ_H
#define PSCAL_CMD_FORECAST_SLOWDOWN_READ_H

struct err;
struct options;
struct slowdown;

/* Measures, keeps the result and prints it. Returns 0, or -1 with a sentence. */
int slowdown_calibrate(const struct options *common, struct err *err);

/*
 * The slowdown that --slowdown asks for, relative to one busy core; nothing (count 0) without it.
 * Returns 0, or -1 with a sentence.
 */
int slowdown_read(struct slowdown *slowdown, const char *text, const struct options *common,
		  struct err *err);

#endif
