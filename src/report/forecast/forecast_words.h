/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words that the parts of the report of a forecast share. */
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

/* One unit and number of digits for all times of a forecast, so that they can be compared. */
struct time_scale {
	double per_second;
	const char *unit;
	int digits;
};

/* Of times between the two: three digits of the smaller one. */
struct time_scale time_scale_of(double least_s, double most_s);

/* "0.553 s" in `out`, which is returned. */
const char *time_text(char out[VALUE_SIZE], const struct time_scale *scale, double seconds);

/* "0.512 - 0.601 s" in `out`, which is returned; NULL: the limits are NaN. */
const char *interval_text(char out[2 * VALUE_SIZE], const struct time_scale *scale, double lo_s,
			  double hi_s);

/* "thread 11889, encode_stage"; to be freed. */
char *thread_text(const struct program *program, uint32_t thread);

/* Is the CPU time so small a part of the wall time that cores do not matter? */
bool forecast_is_idle(const struct forecast *forecast);

/* "lock", "condition", "sleep", ... */
const char *site_kind_text(const struct site *site);

/* --- Parts of the report ------------------------------------------------------------------- */

/* The savings at each site where threads wait: verdict and table. */
void report_why_verdict(struct report *report, const struct forecast *forecast,
			const struct time_scale *scale);
void report_why(struct report *report, const struct forecast *forecast,
		const struct time_scale *scale);

/* Was it asked what waits cost, and does a serial part cost more than all of them? */
bool report_why_is_serial(const struct forecast *forecast);

/* The what-ifs beside the program as it is: the one that takes least, and all. */
void report_what_if_verdict(struct report *report, const struct forecast *forecast,
			    const struct time_scale *scale);
void report_what_ifs(struct report *report, const struct forecast *forecast,
		     const struct time_scale *scale);

/* The wait sites that a what-if can change. */
void report_what_if_sites(struct report *report, const struct program *program);

/* The functions whose CPU time a what-if can change, those with most of it. */
void report_work_functions(struct report *report, const struct forecast *forecast);

/* The Universal Scalability Law through replayed wall times, and how far it departs from them. */
void report_forecast_usl(struct report *report, const struct forecast_usl *replayed);

/* The last line; `again` as for report_forecast(). */
void report_next_command(struct report *report, const struct forecast *forecast, const char *again);

/* The warning that the wall time of a server depends on its clients, if its requests are recorded. */
void report_server_alert(struct report *report, const struct forecast *forecast);

/* Warnings that change the meaning of the numbers, the trust in them, and with -v their basis. */
void report_forecast_alerts(struct report *report, const struct forecast *forecast);
/* ... of the replay of one of several programs. */
void report_program_alerts(struct report *report, const char *name,
			   const struct forecast *forecast);
void report_forecast_trust(struct report *report, const struct forecast *forecast);

#endif
