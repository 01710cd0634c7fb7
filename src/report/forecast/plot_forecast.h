/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A forecast as a picture: wall time and speed-up against cores, and beside them what was measured.
 */
#ifndef PSCAL_REPORT_FORECAST_PLOT_FORECAST_H
#define PSCAL_REPORT_FORECAST_PLOT_FORECAST_H

struct err;
struct forecast_view;
struct report;

/* Of what `source` names, into the file `path` as plot_save says. 0, or -1 with a sentence. */
int plot_forecast(const struct forecast_view *view, const char *source, const char *path,
		  struct err *err);

/* The speed-up with characters, into a report. Returns 0, or -1 with a sentence. */
int chart_forecast(struct report *report, const struct forecast_view *view, struct err *err);

#endif
