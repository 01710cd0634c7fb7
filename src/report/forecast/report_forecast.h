/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a forecast, and of the calibration that it may be made with. */
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

/* A recording that the forecast is held against. */
struct against_view {
	const char *path;
	const struct against *against;
	const struct forecast *measured;       /* for its own cores */
	const struct against_share *functions; /* of both; none: they were not sampled */
	size_t function_count;
};

/* The errors of the forecast, split by cause. */
void report_against(struct report *report, const struct against_view *views, size_t count,
		    const struct forecast *forecast);

/*
 * The wall times of two programs on the same cores, of the recordings at these paths. Its verdict is
 * about the cores of the first recording. `qualities` are those of the recordings.
 */
void report_consolidation(struct report *report, const struct consolidation *consolidation,
			  const char *const paths[2], const struct quality *const qualities[2]);

/*
 * Wall time and speedup against cores, and beside them what was measured, as a picture: of what
 * `source` names, into the file `path` as plot_save says. Returns 0, or -1 with a sentence.
 */
int plot_forecast(const struct forecast *forecast, const char *source, const char *path,
		  struct err *err);

/* The speedup with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_forecast(struct report *report, const struct forecast *forecast, struct err *err);

/* The slowdown of cores while others are busy, and the file that keeps it now. */
void report_calibration(struct report *report, const struct calibration *calibration,
			const char *path);

#endif
