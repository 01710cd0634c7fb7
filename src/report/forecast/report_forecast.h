/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a forecast, and of a calibration. */
#ifndef PSCAL_REPORT_FORECAST_REPORT_FORECAST_H
#define PSCAL_REPORT_FORECAST_REPORT_FORECAST_H

#include <stddef.h>

struct against;
struct against_share;
struct calibration;
struct consolidation;
struct err;
struct forecast;
struct quality;
struct report;

/*
 * `quality` is that of the recording, NULL: of a profile. `again` are the arguments with which the
 * next command reads the same threads, " --comm sh sh.data"; NULL: they cannot be read again.
 */
void report_forecast(struct report *report, const struct forecast *forecast,
		     const struct quality *quality, const char *again);

/* The command to go on with, to be freed; `again` as above. NULL: there is none. */
char *report_forecast_next(const struct forecast *forecast, const char *again);

/* A recording that is compared with the forecast. */
struct against_view {
	const char *path;
	const struct against *against;
	const struct forecast *measured;       /* its forecast for its own cores */
	const struct against_share *functions; /* functions of both recordings; none without
						  samples */
	size_t function_count;
};

/* Adds the errors of the forecast, split by cause. */
void report_against(struct report *report, const struct against_view *views, size_t count,
		    const struct forecast *forecast);

/*
 * Adds the wall times of two programs on the same cores, with the paths and qualities of their
 * recordings. The verdict is about the cores of the first recording.
 */
void report_consolidation(struct report *report, const struct consolidation *consolidation,
			  const char *const paths[2], const struct quality *const qualities[2]);

/*
 * Draws wall time and speedup over cores, with measured times, into the file `path` like
 * plot_save(). `source` names the recording. Returns 0, or -1 with an error.
 */
int plot_forecast(const struct forecast *forecast, const char *source, const char *path,
		  struct err *err);

/* Draws the speedup with characters into a report. Returns 0, or -1 with an error. */
int chart_forecast(struct report *report, const struct forecast *forecast, struct err *err);

/* Adds the slowdown of cores while others are busy, and the file that has the calibration. */
void report_calibration(struct report *report, const struct calibration *calibration,
			const char *path);

#endif
