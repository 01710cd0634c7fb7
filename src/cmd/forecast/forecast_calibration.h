/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of the command forecast for cores that are slower while others are busy:
 *
 *	struct calibration_options calibration = {0};
 *	const struct poptOption table[] = {CALIBRATION_OPTIONS(&calibration), POPT_TABLEEND};
 */
#ifndef PSCAL_CMD_FORECAST_FORECAST_CALIBRATION_H
#define PSCAL_CMD_FORECAST_FORECAST_CALIBRATION_H

struct err;
struct options;
struct slowdown;

struct calibration_options {
	int calibrate;	/* --calibrate */
	char *slowdown; /* --slowdown as typed, or NULL */
};

/* Lines of a table of options. */
#define CALIBRATION_OPTIONS(options)                                                     \
	{"slowdown",                                                                     \
	 '\0',                                                                           \
	 POPT_ARG_STRING,                                                                \
	 &(options)->slowdown,                                                           \
	 0,                                                                              \
	 "cores are slower while others are busy: compute, memory, a share of memory-"   \
	 "bound work as 0.3, or a table of cores,slowdown",                              \
	 "KIND"},                                                                        \
	{                                                                                \
		"calibrate", '\0', POPT_ARG_NONE, &(options)->calibrate, 0,              \
			"measure how much slower cores are while others are busy", NULL, \
	}

/* Returns -1 with a sentence when they are asked for wrongly. */
int calibration_options_check(const struct calibration_options *options,
			      const struct options *common, struct err *err);

/* Measures, keeps the result and prints it. Returns 0, or -1 with a sentence. */
int forecast_calibrate(const struct options *common, struct err *err);

/*
 * What --slowdown asks for, relative to one busy core; nothing (count 0) without it. The caller
 * releases. Returns 0, or -1 with a sentence.
 */
int forecast_slowdown(struct slowdown *slowdown, const struct calibration_options *options,
		      const struct options *common, struct err *err);

#endif
