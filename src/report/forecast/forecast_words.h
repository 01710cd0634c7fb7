/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and parts that the files of the report of a forecast share. */
#ifndef PSCAL_REPORT_FORECAST_FORECAST_WORDS_H
#define PSCAL_REPORT_FORECAST_FORECAST_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report_text.h"

struct forecast;
struct forecast_usl;
struct program;
struct report;
struct site;

/* One unit and number of digits for all times of a forecast, which makes them comparable. */
struct time_scale {
	double per_second;
	const char *unit;
	int digits;
};

/* Returns the scale for times between the two: three digits of the smaller one. */
struct time_scale time_scale_of(double least_s, double most_s);

/* Writes "0.553 s" to `out`, and returns it. */
const char *time_text(char out[VALUE_SIZE], const struct time_scale *scale, double seconds);

/* Writes "0.512 - 0.601 s" to `out`, and returns it; NULL: the limits are NaN. */
const char *interval_text(char out[2 * VALUE_SIZE], const struct time_scale *scale, double lo_s,
			  double hi_s);

/* Returns "thread 11889, encode_stage"; the caller frees it. */
char *thread_text(const struct program *program, uint32_t thread);

/* Returns whether the CPU time is so small a part of the wall time that cores do not matter. */
bool forecast_is_idle(const struct forecast *forecast);

/* Returns "lock", "condition", "sleep", ... */
const char *site_kind_text(const struct site *site);

/* --- Parts of the report ------------------------------------------------------------------- */

/* Add the savings at each wait site: verdict and table. */
void report_why_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale);
void report_why(struct report *report, const struct forecast *forecast,
		const struct time_scale *scale);

/* Returns whether `why` was requested, and a serial part costs more than all waits. */
bool report_why_is_serial(const struct forecast *forecast);

/* Add the best what-if, and all what-ifs beside the unchanged program. */
void report_what_if_verdict(struct report *report, const struct forecast *forecast,
			    const struct time_scale *scale);
void report_what_ifs(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale);

/* Adds the wait sites that a what-if can change. */
void report_what_if_sites(struct report *report, const struct program *program);

/* Adds the functions whose CPU time a what-if can change, those with most of it. */
void report_work_functions(struct report *report, const struct forecast *forecast);

/* Adds the Universal Scalability Law fitted to replayed wall times, and its residuals. */
void report_forecast_usl(struct report *report, const struct forecast_usl *replayed);

/* The last line; `again` as for report_forecast(). */
void report_next_command(struct report *report, const struct forecast *forecast, const char *again);

/*
 * Adds the warning that the wall time of a server depends on its clients, if its requests are
 * recorded.
 */
void report_server_alert(struct report *report, const struct forecast *forecast);

/*
 * Add the warnings that change the meaning of the numbers; for one of several programs; and with -v
 * the basis of the forecast.
 */
void report_forecast_alerts(struct report *report, const struct forecast *forecast);
void report_program_alerts(struct report *report, const char *name,
			   const struct forecast *forecast);
void report_forecast_trust(struct report *report, const struct forecast *forecast);

#endif
