/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that is known of one forecast: what its report and its picture are made from. */
#ifndef PSCAL_REPORT_FORECAST_FORECAST_VIEW_H
#define PSCAL_REPORT_FORECAST_FORECAST_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fit/closed_form.h"

struct chain_names;
struct replayed;
struct replayed_point;
struct replayed_usl;
struct site;
struct spun;
struct validity;
struct wait_cost;
struct wall_times;
struct why;

struct forecast_view {
	const struct level_times *levels; /* measured on */
	uint64_t measured_cores;
	bool attached;	       /* the program ran before that */
	const uint64_t *cores; /* to forecast for */
	size_t count;
	const struct wall_times *measured; /* to hold against it, or NULL */
	const struct replayed *replay;	   /* NULL: it is the closed form */
	const struct validity *validity;   /* of a replay, also one that was not taken; or NULL */
	const char *reason;		   /* ... why it was not; NULL: nobody asked for it */
	const struct spun *spun;	   /* what threads spin, or NULL */
	bool spin_waits;		   /* ... is waiting in the replay, and not work */
	const char *slowdown;  /* of busy cores in a replay, as it was asked for; NULL: none */
	size_t slowdown_cores; /* ... which is known of so many of them */

	/* What was asked of the replay. */
	const struct wait_cost *what_ifs; /* what waiting costs in it */
	size_t what_if_count;		  /* 0: what it did; else it is no forecast but a what-if */
	const struct site *sites;	  /* of the program, where these are */
	const struct replayed *unchanged; /* ... the forecast; NULL: there is no what-if */
	const struct why *why;		  /* or NULL */
	const struct chain_names *names;  /* of call chains; NULL: there are none */
	const struct replayed_usl *usl;	  /* or NULL */
};

/* A row of it, by the model that was taken. */
struct forecast_row {
	struct closed_form forecast;
	const struct replayed_point *point; /* NULL: by the closed form */
	double closed_form_s;
};

struct forecast_row forecast_view_row(const struct forecast_view *view, uint64_t cores);

/* "replay" or "closed-form". */
const char *forecast_view_model(const struct forecast_view *view);

/* As replayed_error and closed_form_error, replayed_mean_error and closed_form_mean_error. */
double forecast_view_error(const struct forecast_view *view, const struct wall_time *time);
double forecast_view_mean_error(const struct forecast_view *view, size_t *count);

#endif
