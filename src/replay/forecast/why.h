/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time that waits and work of a program cost, found by replays: for each wait site the wall
 * time that is saved if waiting there takes no time (simulation.h), and for each function, or group
 * of threads, the wall time that is saved if it is twice as fast (work.h).
 *
 * A site saves little if threads then wait at another one, so savings do not add up. A replay
 * without waits may be impossible in reality, as when a thread takes an item that does not exist
 * yet. The result shows where time goes, not how to save it.
 */
#ifndef PSCAL_REPLAY_FORECAST_WHY_H
#define PSCAL_REPLAY_FORECAST_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"
#include "replay/program/work.h"
#include "replay/simulate/replays.h"

struct chain_names;
struct err;
struct forecast_points;
struct replays_watch;

/*
 * The number of sites that are tried, those with the longest waits, and the number of pieces of
 * work, those with most of the critical path on the most cores.
 */
enum { WHY_SITES = 20, WHY_WORKS = 8 };
#define WHY_WORK_LEFT .5

/*
 * The largest size of all simulations (simulation_size, and the number of sites) for which each
 * number of cores is tried: beyond, only the largest is.
 */
#define WHY_SIZE_MOST 200000000

struct why_saving {
	const char *work; /* text for work_find(): a function or threads; NULL: a site */
	uint32_t site;	  /* the first of its sites; PROGRAM_NONE: work */
	uint32_t sites;	  /* number of its sites */
	int32_t pid;	  /* process of the sites; -1: unknown, or several */
	const char *name; /* group of the threads that wait there, NULL: not requested, or several;
			     of work: the threads that do nine tenths of it, NULL: several */
	uint64_t visits;  /* number of steps that may wait there */
	double waited_s;  /* waits of all threads there, in the replay with all sites */
	double path_s;	  /* of work: time on the critical path of such a replay on the most
			     cores */
	double work_s;	  /* of work: its CPU time */
	bool even;	  /* of work: its part of the path is no larger than if all cores shared
			     it */
	double share;	  /* share of waiting or work that is left: 0, or of work one half */
	double wall_s;	  /* wall time with that share; NaN: threads are stuck then */
};

struct why_point {
	uint64_t cores;
	double wall_s; /* wall time with all sites */
	double free_s; /* wall time without any waits; NaN: threads are stuck then */
	struct why_saving *savings;
};

/*
 * The grouping of sites that are tried as one: each site alone, or those where threads of one name
 * or process wait.
 */
enum why_by { WHY_BY_SITE, WHY_BY_NAME, WHY_BY_PROCESS };

struct why {
	const struct program *program; /* borrowed */
	enum why_by by;
	struct thread_name *names; /* [thread]: its group by name */
	struct why_point *points;  /* by number of cores, each number once */
	size_t count;
	size_t tried;			      /* number of savings of each point, by the saving at
						 the last point; even work, which more cores
						 shorten, is behind those that tell */
	size_t left_out;		      /* number of sites with shorter waits that were not
						 tried */
	double unlimited_s;		      /* wall time with all sites, and a core for each
						 thread */
	struct work_on_path works[WHY_WORKS]; /* work in the savings */
	size_t work_count;
};

struct why_request {
	const struct program *program;
	const struct machine *machine; /* savings are relative to its site_costs, if any */
	const uint64_t *cores;
	size_t count;
	enum why_by by;
	struct work *work;		   /* work of the program; NULL: only waits are tried */
	const struct replays_watch *watch; /* shows the number of replays that are done; or NULL */
};

/*
 * Finds the savings. Returns 0, or -1 with an error; the caller releases `why` in either case. The
 * program is borrowed until then.
 */
int why_init(struct why *why, const struct why_request *request, struct err *err);
void why_release(struct why *why);

/*
 * Scales all times on the recorded number of cores as `scaled` is scaled there (forecast_points.h);
 * shares stay. If the recording had a core for each thread, unlimited_s is such a time, too.
 */
void why_scale(struct why *why, const struct forecast_points *scaled);

/* The smallest share of the wall time that is a saving: less is the noise of a replay. */
#define WHY_SAVING_LEAST .01

/*
 * Returns the number of savings on the most cores before the first one that is smaller than
 * WHY_SAVING_LEAST or of even work.
 */
size_t why_telling(const struct why *why);

/* Returns the wait site number `number` of the savings; NULL: there are fewer. */
const struct why_saving *why_wait(const struct why *why, const struct why_point *point,
				  size_t number);

/* Returns the saved wall time; NaN: unknown. */
double why_saved_s(const struct why_point *point, const struct why_saving *saving);

/* --- The sites at which threads may wait ---------------------------------------------------- */

/* Sites have names and numbers. The number is the index, the same in each replay of a recording. */

/* A what-if at a site: waiting there takes that share of its time (simulation.h). */
struct wait_cost {
	uint32_t site;
	double share; /* 0..1 */
};

/* Returns the number of steps that may wait at each site: [site]. The caller frees it. */
uint64_t *wait_sites_visits(const struct program *program);

/*
 * Finds the site that `text` names: its name, a unique part of its name, or its number. Returns 0,
 * or -1 with an error that has similar names if there is none, and the numbers if there are
 * several.
 */
int wait_sites_find(uint32_t *site, const struct program *program, const char *text,
		    struct err *err);
bool wait_sites_have(const struct program *program, const char *name); /* a whole name */

/*
 * Tries the first words of the names of sites, which name their objects, as corrections of a
 * mistyped name.
 */
struct nearest;
void wait_sites_try(struct nearest *nearest, const struct program *program);

/* Returns the site_costs of struct machine: 1, or the share in `costs`. The caller frees them. */
double *wait_sites_costs(const struct program *program, const struct wait_cost *costs,
			 size_t count);

/* --- The names of sites --------------------------------------------------------------------- */

/*
 * Gives sites names by the functions in which threads wait: "take < worker". Waits for other
 * threads, for time and for devices become one site if they are in the same calls. An object, as a
 * lock, stays one site, has the name of its variable, "table_lock", and also the function with most
 * of its waits. A site without a call chain keeps its name. The words of a condition become one
 * site. `program` is one after recognise(); its simulations stay the same. `names` NULL: no call
 * chains and no maps.
 */
void wait_names_apply(struct program *program, struct chain_names *names);

#endif
