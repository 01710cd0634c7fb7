/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a recorded program on other numbers of cores: by which model, how far it can be
 * trusted, its intervals, and the answers to whatever else was asked. It is made in one call, and
 * then only printed:
 *
 *	forecast_make(&forecast, &request, &program, &profile, source, err);
 *	... forecast.shown, forecast.reason, forecast.validity ...
 *	forecast_release(&forecast);
 *
 * The replay answers where it can be trusted (validity.h), and else the closed form (closed_form.h),
 * which takes no more than the profile.
 */
#ifndef PSCAL_REPLAY_FORECAST_FORECAST_H
#define PSCAL_REPLAY_FORECAST_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/forecast_points.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/why.h"
#include "replay/program/spin.h"
#include "replay/simulate/slowdown.h"

struct chain_names;
struct err;
struct event_source;
struct profile;
struct wall_time;
struct wall_times;

/* FORECAST_ANY: the replay where it can be trusted, else the closed form. */
enum forecast_model { FORECAST_ANY, FORECAST_CLOSED_FORM, FORECAST_REPLAY };

/* A what-if: waiting at a site takes this share of its time. */
struct forecast_change {
	const char *text; /* as it was asked for, "SITE=SHARE" */
	char *site;	  /* its name or its number */
	double share;	  /* 0..1 */
};

/* Shows how far each long piece of work is. */
struct forecast_watch {
	void (*begin)(void *context);
	void (*show)(void *context, uint64_t done, uint64_t size);
	void (*end)(void *context);
	void *context;
};

struct forecast_request {
	enum forecast_model model;
	uint64_t measured_cores; /* of the recording */
	const uint64_t *cores;	 /* to forecast for */
	size_t count;
	bool listed;	    /* just these were asked for: then `why` is about all of them */
	bool spin_waits;    /* CPU time that threads spin is waiting, and no work */
	double discrepancy; /* of real programs, per doubling of cores; see variation.h */
	const struct slowdown *slowdown; /* relative to one busy core; NULL or empty: none */
	const char *slowdown_text;	 /* ... as it was asked for; NULL: it was not */
	const struct forecast_change *changes;
	size_t change_count; /* 0: waiting costs what it did */
	bool why;	     /* what would be saved where threads wait, on the recorded cores */
	bool usl;	     /* the Universal Scalability Law through the replay */
	const struct wall_times *measured;  /* to hold against the forecast, or NULL */
	const struct forecast_watch *watch; /* or NULL */
};

/* The forecast for a number of cores. NaN: not known, or the model that answers does not tell it. */
struct forecast_row {
	uint64_t cores;
	const char *model; /* "replay" or "closed-form" */
	double wall_s, speedup, efficiency;
	double lo_s, hi_s, discrepancy; /* of the interval */
	double closed_form_s;
	double work_bound_s, path_bound_s, lock_bound_s, bound_s; /* the wall time is no shorter */
	double unchanged_s;					  /* without the what-if */
	double measured_s, error, closed_form_error;		  /* relative errors */
	size_t runs;						  /* measured; SIZE_MAX: none */
};

/* How far the forecast misses what was measured on average: on other cores than the recording's. */
struct forecast_errors {
	double mean, closed_form_mean; /* of the absolute relative errors */
	size_t count;		       /* of numbers of cores */
};

struct forecast {
	struct forecast_request request; /* what it points to is borrowed */
	const struct level_times *levels;
	bool attached;		   /* the program ran before it was recorded */
	struct forecast_row *rows; /* `count` of the request */
	struct forecast_errors errors;
	const struct forecast_points
		*shown; /* the replay that answers; NULL: the closed form does */
	const struct forecast_points
		*unchanged;		/* the same with all waits, beside a what-if; or NULL */
	bool judged;			/* the next two are known */
	struct validity validity;	/* of a replay, also of one that is not shown */
	struct spun spun;		/* what threads spin */
	const char *reason;		/* why the closed form answers; NULL: it was asked for */
	struct wait_cost *what_ifs;	/* `change_count` of the request; NULL: none is answered */
	const struct site *sites;	/* that these are at */
	const struct why *why;		/* or NULL */
	const struct forecast_usl *usl; /* or NULL */
	struct chain_names *names;	/* of call chains; NULL: there are none */

	/* What these point into. */
	struct forecast_points replay, changed;
	struct slowdown slowdown; /* of the machine that the program is replayed on */
	double *site_costs;
	struct why savings;
	struct forecast_usl curve;
};

/*
 * Replays `program`, where that is asked for or can be trusted. It is changed: what threads waited
 * for is recognised in it, and what threads spin by samples may be made waits. With
 * FORECAST_CLOSED_FORM it may be empty, `source` NULL, and of the profile only the levels are
 * needed. `program`, `profile`, `source` and what the request points to are borrowed until the
 * release, which is due in any case; `forecast` points into itself and stays where it is. Returns 0,
 * or -1 with a sentence, also where a replay is asked for that is impossible, or cannot answer.
 */
int forecast_make(struct forecast *forecast, const struct forecast_request *request,
		  struct program *program, const struct profile *profile,
		  const struct event_source *source, struct err *err);
void forecast_release(struct forecast *forecast);

/* How far the forecast misses a wall time that was measured: relative; NaN: not known. */
double forecast_error(const struct forecast *forecast, const struct wall_time *time);

/* The option that only a replay can answer, for sentences: "--why"; NULL: none is given. */
const char *forecast_question(const struct forecast_request *request);

#endif
