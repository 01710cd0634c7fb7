/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a recorded program on other numbers of cores: the model, its checks, the
 * intervals, and the answers to all other questions. One call makes it, and it is only printed
 * after that:
 *
 *	forecast_make(&forecast, &request, &program, &profile, source, err);
 *	... forecast.shown, forecast.reason, forecast.validity ...
 *	forecast_release(&forecast);
 *
 * The replay answers if one is possible: if wakeups are recorded and it comes to its end. Else the
 * closed form answers (closed_form.h), which needs only the profile. If a check (validity.h) fails
 * on which the replay depends, the replay is in doubt, and its interval includes the closed form.
 */
#ifndef PSCAL_REPLAY_FORECAST_FORECAST_H
#define PSCAL_REPLAY_FORECAST_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/forecast/bottleneck.h"
#include "replay/forecast/forecast_points.h"
#include "replay/forecast/validity.h"
#include "replay/forecast/what_if.h"
#include "replay/forecast/why.h"
#include "replay/program/spin.h"
#include "replay/simulate/slowdown.h"
#include "stats/profile/cpu_time.h"

struct chain_names;
struct level_times;
struct err;
struct event_source;
struct profile;
struct target_info;
struct wall_time;
struct wall_times;

/* FORECAST_ANY: the replay if possible, else the closed form. */
enum forecast_model { FORECAST_ANY, FORECAST_CLOSED_FORM, FORECAST_REPLAY };

/* Callbacks that show the progress of long pieces of work. */
struct forecast_watch {
	void (*begin)(void *context);
	void (*show)(void *context, uint64_t done, uint64_t size);
	void (*end)(void *context);
	void *context;
};

struct forecast_request {
	enum forecast_model model;
	uint64_t measured_cores;  /* cores of the recording, by itself or by the caller */
	uint64_t recording_cores; /* cores of the recording, by itself; 0: unknown */
	const uint64_t *cores;	  /* cores to forecast for */
	size_t count;
	bool listed;			    /* the user listed these cores: `why` is about all of
					       them, else about the largest number only */
	bool part;			    /* the user chose some threads of the program */
	bool profiled;			    /* the profile is printed before: CPUs used, run-queue
					       wait */
	bool is_machine;		    /* the recording has all threads of the machine, and the
					       user chose none */
	bool spin_waits;		    /* busy-waiting counts as waiting, not as work */
	double discrepancy;		    /* standard deviation of the discrepancy per doubling of
					       cores (variation.h) */
	struct run_noise speed;		    /* variation of the speed of the recorded machine;
					       freedom 0: unknown */
	double quota_cpus;		    /* quota to forecast for, in CPUs; 0: none */
	const struct slowdown *slowdown;    /* relative to one busy core; NULL or empty: none */
	const char *slowdown_text;	    /* the slowdown as given on the command line; NULL: not
					       given */
	const struct slowdown_fit *learned; /* the slowdown learned from several recordings, with
					       its law in `slowdown`; or NULL */
	const char *const *commands;	    /* two different commands of these recordings, or NULL
					       */
	const struct forecast_change *changes;
	size_t change_count;		    /* 0: no what-if */
	bool list;			    /* only list the wait sites */
	bool bare;			    /* forecast only wall times: no intervals and no
					       bounds */
	bool why;			    /* find the time saved without waits at each site */
	enum why_by by;			    /* grouping of the sites */
	bool consolidated;		    /* with a second program (consolidation.h), and without
					       a bottleneck */
	bool usl;			    /* fit the Universal Scalability Law to replayed wall
					       times */
	const struct wall_times *measured;  /* measured wall times to compare with the forecast; or
					       NULL */
	bool compared;			    /* the forecast is compared with another recording
					       (against.h) */
	const struct forecast_watch *watch; /* or NULL */
};

/* The forecast for a number of cores. NaN: unknown, or not known to the model that answers. */
struct forecast_row {
	uint64_t cores;
	const char *model;   /* "replay" or "closed-form" */
	const char *what_if; /* the what-if; NULL: the unchanged program */
	double wall_s, speedup, efficiency;
	double lo_s, hi_s, discrepancy; /* interval of wall_s, and the discrepancy in it */
	double closed_form_s;
	double work_bound_s, path_bound_s, lock_bound_s, bound_s; /* lower bounds of the wall
								     time */
	double unchanged_s;					  /* wall time without the
								     what-if */
	double recorded_s; /* wall time of the recording, if it was made on as many cores */
	double measured_s, error, closed_form_error; /* measured wall time; relative errors */
	size_t runs;				     /* number of measured runs; SIZE_MAX: none */
};

/*
 * The mean error of the forecast, over measured times on other numbers of cores than the
 * recording's.
 */
struct forecast_errors {
	double mean, closed_form_mean; /* means of the absolute relative errors */
	size_t count;		       /* number of core counts */
};

/*
 * The number of cores up to which more cores gain: wall times that differ by less than 5 % count as
 * equal.
 */
struct forecast_gain {
	const struct forecast_row *fewest, *most; /* rows of the requested cores */
	const struct forecast_row *best; /* row with the fewest cores of those with the shortest
					    wall time */
	double limit_s;			 /* wall time with a core for each thread; NaN: unknown */
	bool beyond;			 /* more cores than the requested ones gain more */
	bool coarse;			 /* fewer cores than `best`, which were not requested, may
					    be as good */
};

struct forecast {
	struct forecast_request request; /* borrows what it points to */
	const struct level_times *levels;
	struct program_quota quota;	    /* quota of the forecast; 0 CPUs: none */
	struct target_quota recorded_quota; /* quota of the recording */
	double throttled_share;		    /* share of the recorded wall time for which it was
					       throttled */
	const struct target_info *target;   /* target of the recording; NULL: unknown */
	unsigned recorded_cpus;		    /* CPUs of the recording; 0: unknown */
	uint64_t recorded_core_count;	    /* number of physical cores that these CPUs, which may
					       be hardware threads, belong to */
	bool attached;			    /* the program ran before it was recorded */
	struct cpu_usage usage;		    /* recorded CPU usage; of no threads: unknown */
	struct forecast_row *rows;	    /* rows of the request, for each what-if if any */
	size_t row_count;
	struct forecast_gain gain; /* gain of the first what-if, or of the program */
	const char *name;	   /* name of the program; NULL: several programs, or unknown */
	double busy_share;	   /* CPU time of all threads, divided by the wall time; NaN:
				      unknown */
	double others_share;	   /* from forecast_points_others_share(); NaN: unknown */
	struct forecast_errors errors;
	const struct forecast_points
		*shown; /* the replay that answers; NULL: the closed form does */
	const struct forecast_points
		*unchanged; /* the replay without the changes of a what-if; or NULL */
	bool assumes_work;  /* the program fills the recorded cores, and the forecast for other
			      numbers assumes, without data, that work takes as long there */
	bool judged;	    /* the next three are known */
	struct validity validity; /* checks of a replay, also of one that is not shown */
	struct spun spun;	  /* busy-waiting of the threads */
	size_t requests;	  /* recorded requests that the program answered */
	const char *reason;	  /* reason for the closed form; NULL: it was requested */
	const char *doubt;	  /* reason not to rely on the replay; NULL: none */
	struct forecast_what_if *what_ifs;
	size_t what_if_count;
	const struct program *program;	/* the replayed program */
	struct work *work;		/* work by function; NULL: not needed */
	struct bottleneck bottleneck;	/* BOTTLENECK_NONE: unknown, as with a what-if */
	const struct why *why;		/* NULL: not requested */
	const struct forecast_usl *usl; /* NULL: not requested */
	struct chain_names *names;	/* names of call chains; NULL: none */

	struct level_times unthrottled; /* `levels` without the time that a quota has added */

	/* Memory that the pointers above point into. */
	struct forecast_points replay;
	struct slowdown slowdown; /* slowdown of the simulated machine */
	struct why savings;
	struct forecast_usl curve;
};

enum { FORECAST_DEFAULT_CORES = 21 };

/*
 * Fills in the default core counts, in ascending order: powers of two up to the number of ready
 * threads, at least up to 8, and the cores of the recording. Returns their number.
 */
size_t forecast_default_cores(uint64_t cores[FORECAST_DEFAULT_CORES],
			      const struct level_times *levels, uint64_t recorded);

/*
 * Makes a forecast. Replays `program`, unless the closed form is requested, and changes it: objects
 * of waits are recognised, and busy-waiting may become waits. With FORECAST_CLOSED_FORM the program
 * may be empty and `source` NULL, and of the profile only the levels are needed. `program`,
 * `profile`, `source` and the pointers of the request are borrowed until the release, which is
 * always due; `forecast` points into itself and must not move. Returns 0, or -1 with an error, also
 * if a replay is requested that is impossible.
 */
int forecast_make(struct forecast *forecast, const struct forecast_request *request,
		  struct program *program, const struct profile *profile,
		  const struct event_source *source, struct err *err);
/*
 * Adds the cost of waits to a forecast, as if request.why had been set: on the largest number of
 * cores, or on all. Returns 0, or -1 with an error, also without a replay.
 */
int forecast_ask_why(struct forecast *forecast, bool on_all, struct program *program,
		     const struct profile *profile, const struct event_source *source,
		     struct err *err);
/*
 * Fills in the wall times, without intervals, on the cores of the request if waits cost as in
 * `cost`. Returns 0, or -1 with an error.
 */
int forecast_ask_what_if(double *wall_s, struct forecast *forecast, const struct wait_cost *cost,
			 struct program *program, struct err *err);
void forecast_release(struct forecast *forecast);

/* Returns the simulated machine of the forecast, with one core. It borrows from the forecast. */
struct machine forecast_machine(const struct forecast *forecast);

/* Returns the relative error of the forecast for a measured wall time; NaN: unknown. */
double forecast_error(const struct forecast *forecast, const struct wall_time *time);

/* The data that another recording would add; the first that applies. */
enum forecast_lack {
	FORECAST_LACKS_NOTHING,
	FORECAST_LACKS_LOCKS, /* calls of locks: the forecast depends on waits for locks
				 (--sync=all) */
	FORECAST_LACKS_CORES, /* a recording on other cores: the forecast depends on work that may
				 take longer beside other work */
};
enum forecast_lack forecast_lack(const struct forecast *forecast);

/*
 * Returns whether other programs used so much CPU time that the recorded wall time is not that of
 * an idle machine.
 */
bool forecast_is_of_shared_cpus(const struct forecast *forecast);

/* Returns the given option that only a replay can answer: "--why"; NULL: none. */
const char *forecast_question(const struct forecast_request *request);

#endif
