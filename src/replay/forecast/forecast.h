/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forecast of a recorded program on other numbers of cores: the model, its checks, the
 * intervals, and the answers to all other questions. It is made in one call, and then only printed:
 *
 *	forecast_make(&forecast, &request, &program, &profile, source, err);
 *	... forecast.shown, forecast.reason, forecast.validity ...
 *	forecast_release(&forecast);
 *
 * The replay answers wherever one is possible: where wakeups are recorded and it comes to its end.
 * Else the closed form does (closed_form.h), which takes no more than the profile. Where a check
 * (validity.h) fails that decides, the replay is in doubt, and its interval reaches to the closed
 * form.
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

/* FORECAST_ANY: the replay where there is one, else the closed form. */
enum forecast_model { FORECAST_ANY, FORECAST_CLOSED_FORM, FORECAST_REPLAY };

/* Shows how far each long piece of work is. */
struct forecast_watch {
	void (*begin)(void *context);
	void (*show)(void *context, uint64_t done, uint64_t size);
	void (*end)(void *context);
	void *context;
};

struct forecast_request {
	enum forecast_model model;
	uint64_t measured_cores;  /* of the recording, by it or by the caller */
	uint64_t recording_cores; /* ... by it; 0: it does not tell */
	const uint64_t *cores;	  /* to forecast for */
	size_t count;
	bool listed;	    /* just these were asked for: then `why` is about all of them, and not
			       about the most only */
	bool part;	    /* the user chose some threads of the program */
	bool profiled;	    /* its profile is told before it: CPUs used, run-queue wait */
	bool is_machine;    /* of a recording of all threads of the machine, the user chose none */
	bool spin_waits;    /* CPU time that threads spin is waiting, and no work */
	double discrepancy; /* of real programs, per doubling of cores; see variation.h */
	struct run_noise speed;		 /* of the machine of the recording; freedom 0: not known */
	double quota_cpus;		 /* of a control group: CPU time of so many CPUs; 0: none */
	const struct slowdown *slowdown; /* relative to one busy core; NULL or empty: none */
	const char *slowdown_text;	 /* ... as it was asked for; NULL: it was not */
	const struct slowdown_fit *learned; /* of several recordings, with its law in `slowdown`;
					       or NULL */
	const struct forecast_change *changes;
	size_t change_count; /* 0: waiting costs what it did */
	bool list;	     /* only the sites where threads wait */
	bool bare;	     /* only wall times: no intervals, and not what bounds them */
	bool why;	     /* what would be saved where threads wait */
	enum why_by by;	     /* ... and how these places are put together */
	bool consolidated;   /* with another program (consolidation.h), and no bottleneck */
	bool usl;	     /* the Universal Scalability Law through the replay */
	const struct wall_times *measured;  /* to hold against the forecast, or NULL */
	bool compared;			    /* ... with another recording (against.h) */
	const struct forecast_watch *watch; /* or NULL */
};

/* The forecast for a number of cores. NaN: not known, or the model that answers does not tell it. */
struct forecast_row {
	uint64_t cores;
	const char *model;   /* "replay" or "closed-form" */
	const char *what_if; /* which one it is; NULL: the program as it is */
	double wall_s, speedup, efficiency;
	double lo_s, hi_s, discrepancy; /* of the interval */
	double closed_form_s;
	double work_bound_s, path_bound_s, lock_bound_s, bound_s; /* the wall time is no shorter */
	double unchanged_s;					  /* without the what-if */
	double recorded_s; /* of the recording, where it has as many cores */
	double measured_s, error, closed_form_error; /* relative errors */
	size_t runs;				     /* measured; SIZE_MAX: none */
};

/* The mean error of the forecast against measured times: on other cores than the recording's. */
struct forecast_errors {
	double mean, closed_form_mean; /* of the absolute relative errors */
	size_t count;		       /* of numbers of cores */
};

/*
 * The core count up to which more cores gain: wall times that differ by less than 5 % are the same.
 */
struct forecast_gain {
	const struct forecast_row *fewest, *most; /* of the cores that were asked for */
	const struct forecast_row *best; /* the fewest of them with the shortest wall time */
	double limit_s;			 /* the wall time on any number of cores; NaN: not known */
	bool beyond;			 /* more cores than were asked for bring more */
	bool coarse; /* fewer cores than `best`, which were not asked for, may be as good */
};

struct forecast {
	struct forecast_request request; /* what it points to is borrowed */
	const struct level_times *levels;
	struct program_quota quota;	    /* that the forecast is for; 0 CPUs: none */
	struct target_quota recorded_quota; /* that the recording was made under */
	double throttled_share; /* of its wall time, so that was throttled; NaN as below */
	const struct target_info *target; /* of the recording; NULL: not known */
	unsigned recorded_cpus;		  /* of the recording; 0: not known */
	uint64_t recorded_core_count;	  /* ... and their cores, with hardware threads */
	bool attached;			  /* the program ran before it was recorded */
	struct cpu_usage usage;		  /* as recorded; of no threads: not known */
	struct forecast_row *rows; /* `count` of the request, for each what-if if there are any */
	size_t row_count;
	struct forecast_gain gain; /* of the first of these */
	const char *name;	   /* of the program; NULL: several, or not known */
	double busy_share;	   /* CPU time of all threads, of the wall time; NaN: not known */
	double others_share;	   /* see forecast_points_others_share(); NaN: not known */
	struct forecast_errors errors;
	const struct forecast_points
		*shown; /* the replay that answers; NULL: the closed form does */
	const struct forecast_points
		*unchanged; /* the same with all waits, beside a what-if; or NULL */
	bool assumes_work; /* it fills the cores of the recording, and a forecast for others rests on
			      work that takes as long there, and nothing tells whether it does */
	bool judged;	   /* the next three are known */
	struct validity validity; /* of a replay, also of one that is not shown */
	struct spun spun;	  /* what threads spin */
	size_t requests;    /* that clients sent and the program answered, as far as recorded */
	const char *reason; /* why the closed form answers; NULL: it was asked for */
	const char *doubt;  /* why the replay cannot be relied on; NULL: it can */
	struct forecast_what_if *what_ifs;
	size_t what_if_count;
	const struct program *program;	/* that was replayed */
	struct work *work;		/* its functions; NULL: none are asked about */
	struct bottleneck bottleneck;	/* kind BOTTLENECK_NONE: not known, as of a what-if */
	const struct why *why;		/* or NULL */
	const struct forecast_usl *usl; /* or NULL */
	struct chain_names *names;	/* of call chains; NULL: there are none */

	struct level_times unthrottled; /* `levels` without the time that a quota has added */

	/* Memory that these point into. */
	struct forecast_points replay;
	struct slowdown slowdown; /* of the machine that the program is replayed on */
	struct why savings;
	struct forecast_usl curve;
};

enum { FORECAST_DEFAULT_CORES = 21 };

/*
 * The core counts where none are asked for, in ascending order: powers of two as far as there are
 * threads ready for them, 8 at least, and the cores of the recording. Returns how many there are.
 */
size_t forecast_default_cores(uint64_t cores[FORECAST_DEFAULT_CORES],
			      const struct level_times *levels, uint64_t recorded);

/*
 * Replays `program`, unless the closed form is asked for. It is changed: what threads waited
 * for is recognised in it, and what threads spin by samples may be made waits. With
 * FORECAST_CLOSED_FORM it may be empty, `source` NULL, and of the profile only the levels are
 * needed. `program`, `profile`, `source` and what the request points to are borrowed until the
 * release, which is due in any case; `forecast` points into itself and stays where it is. Returns 0,
 * or -1 with a sentence, also where a replay is asked for that is impossible.
 */
int forecast_make(struct forecast *forecast, const struct forecast_request *request,
		  struct program *program, const struct profile *profile,
		  const struct event_source *source, struct err *err);
/*
 * Asks a forecast for the cost of waits, too, as if request.why had been set; on the most cores only,
 * or on all. Returns 0, or -1 with a sentence, as where there is no replay.
 */
int forecast_ask_why(struct forecast *forecast, bool on_all, struct program *program,
		     const struct profile *profile, const struct event_source *source,
		     struct err *err);
/*
 * The wall times on the cores of the request where waiting costs as `cost` says, without intervals.
 * Returns as forecast_ask_why.
 */
int forecast_ask_what_if(double *wall_s, struct forecast *forecast, const struct wait_cost *cost,
			 struct program *program, struct err *err);
void forecast_release(struct forecast *forecast);

/* The simulated machine that the forecast was made on, with one core. Borrows from the forecast. */
struct machine forecast_machine(const struct forecast *forecast);

/* The error of the forecast against a measured wall time: relative; NaN: not known. */
double forecast_error(const struct forecast *forecast, const struct wall_time *time);

/* The knowledge that another recording would add; the first that applies. */
enum forecast_lack {
	FORECAST_LACKS_NOTHING,
	FORECAST_LACKS_LOCKS, /* waits for locks decide, and the calls of these: --sync=all */
	FORECAST_LACKS_CORES, /* work decides, and whether it takes longer beside other work:
				 another recording, on other cores */
};
enum forecast_lack forecast_lack(const struct forecast *forecast);

/*
 * Other programs used so much CPU time that the recorded wall time is not that of an idle machine.
 */
bool forecast_is_of_shared_cpus(const struct forecast *forecast);

/* The option that only a replay can answer, for sentences: "--why"; NULL: none is given. */
const char *forecast_question(const struct forecast_request *request);

#endif
