/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The option of the command forecast that measures how much slower cores are while others are
 * busy:
 *
 *	struct calibration_options calibration = {0};
 *	const struct poptOption table[] = {CALIBRATION_OPTIONS(&calibration), POPT_TABLEEND};
 */
#ifndef PSCAL_CMD_FORECAST_CALIBRATION_H
#define PSCAL_CMD_FORECAST_CALIBRATION_H

struct err;
struct options;

struct calibration_options {
	int calibrate; /* --calibrate */
};

/* Lines of a table of options. */
#define CALIBRATION_OPTIONS(options)                                                     \
	{                                                                                \
		"calibrate", '\0', POPT_ARG_NONE, &(options)->calibrate, 0,              \
			"measure how much slower cores are while others are busy", NULL, \
	}

/* Returns -1 with a sentence when it is asked for wrongly. */
int calibration_options_check(const struct calibration_options *options,
			      const struct options *common, struct err *err);

/* Measures, keeps the result and prints it. Returns 0, or -1 with a sentence. */
int forecast_calibrate(const struct options *common, struct err *err);

#endif
