/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of the waits of a program, and of its work: for each wait site the wall time that would be
 * saved if waiting there cost nothing (simulation.h), and for each function, or group of threads, the
 * one that would be saved if it were twice as fast (work.h), found by replaying the program so.
 *
 * A site saves little if threads then wait at others, so savings do not add up. A replay without
 * waits may be impossible in reality, as when a thread takes an item that does not exist yet. The
 * result shows where time goes, not how to save it.
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
 * So many sites, those with the longest waits, are replayed without, and so many pieces of work, those
 * with most of the critical path on the most cores, with half of it.
 */
enum { WHY_SITES = 20, WHY_WORKS = 8 };
#define WHY_WORK_LEFT .5

/*
 * Of all simulations (simulation_size), and sites to keep the waits of, up to which that is done
 * for each number of cores: beyond, for the largest only.
 */
#define WHY_SIZE_MOST 200000000

struct why_saving {
	const char *work; /* a function or threads, as work_find() takes them; NULL: waits */
	uint32_t site;	  /* of several in one: the first; PROGRAM_NONE: it is work */
	uint32_t sites;	  /* so many are in it */
	int32_t pid;	  /* ... of that process; -1: not known, or of several */
	const char *name; /* ... where threads of that group of names wait; NULL: not asked for, or
			     several; of work the threads that do nine tenths of it; NULL: several */
	uint64_t visits;  /* steps that get there and may have to wait */
	double waited_s;  /* there, by all threads together, in the replay with all sites */
	double path_s;	  /* work: on the critical path of one such replay on the most cores */
	double work_s;	  /* ... and of all CPU time */
	bool even;	  /* it has no more of the path than if all cores shared it */
	double share; /* of waiting there, or of the work, that is left: 0, or of work a half ... */
	double wall_s; /* ... in this wall time; NaN: threads are stuck then */
};

struct why_point {
	uint64_t cores;
	double wall_s; /* with all sites */
	double free_s; /* with none: no thread waits anywhere; NaN: threads are stuck then */
	struct why_saving *savings;
};

/* Sites that are tried as one: each alone; or those where threads of one name or process wait. */
enum why_by { WHY_BY_SITE, WHY_BY_NAME, WHY_BY_PROCESS };

struct why {
	const struct program *program; /* borrowed */
	enum why_by by;
	struct thread_name *names; /* [thread]: of its group, by name */
	struct why_point *points;  /* by cores, each number once; the last one has the most */
	size_t count;
	size_t tried;	    /* of each point's savings, in the order of what the last one saves, and
			       at the end work that is even, which more cores shorten */
	size_t left_out;    /* sites where there is waiting too, but less of it */
	double unlimited_s; /* with all sites, and a core for each thread */
	struct work_on_path works[WHY_WORKS]; /* that are among the savings */
	size_t work_count;
};

struct why_request {
	const struct program *program;
	const struct machine *machine; /* if it has costs of sites, savings are relative to them */
	const uint64_t *cores;
	size_t count;
	enum why_by by;
	struct work *work;		   /* of that program; NULL: only waits are tried */
	const struct replays_watch *watch; /* shown how many of the replays are done; or NULL */
};

/*
 * Returns 0, or -1 with a sentence; the caller releases in any case. The program is borrowed until
 * then.
 */
int why_init(struct why *why, const struct why_request *request, struct err *err);
void why_release(struct why *why);

/*
 * All wall times and waits on as many cores as `scaled` was recorded on as much longer or shorter
 * as its own are there (forecast_points.h), and so what a core for each thread would bring: shares are
 * as they were.
 */
void why_scale(struct why *why, const struct forecast_points *scaled);

/* Of the wall time: what saves less is the noise of a replay. */
#define WHY_SAVING_LEAST .01

/* The number of the first savings on the most cores that are above that, of no even work. */
size_t why_telling(const struct why *why);

/* The wait of that number of these savings; NULL: there are fewer. */
const struct why_saving *why_wait(const struct why *why, const struct why_point *point,
				  size_t number);

/* NaN where it is not known. */
double why_saved_s(const struct why_point *point, const struct why_saving *saving);

/* --- The sites at which threads may wait ---------------------------------------------------- */

/*
 * People name them by number, which is their index and the same in each replay of a recording, or
 * by name.
 */

/* A wish: waiting at `site` costs that share of its recorded cost, see simulation.h. */
struct wait_cost {
	uint32_t site;
	double share; /* 0..1 */
};

/* [site]: how many steps get there and may have to wait. The caller frees it. */
uint64_t *wait_sites_visits(const struct program *program);

/*
 * The site that `text` says: its name, a part of it that no other has, or its number. Returns 0, or
 * -1 with a sentence that names what comes near where there is none, and the numbers where several
 * have that name.
 */
int wait_sites_find(uint32_t *site, const struct program *program, const char *text,
		    struct err *err);
bool wait_sites_have(const struct program *program, const char *name); /* as a whole name */

/* For a mistyped name: the first words of the names of sites, which are their objects. */
struct nearest;
void wait_sites_try(struct nearest *nearest, const struct program *program);

/* For struct machine: 1 of each site, and what `costs` say of theirs. The caller frees it. */
double *wait_sites_costs(const struct program *program, const struct wait_cost *costs,
			 size_t count);

/* --- Their names ---------------------------------------------------------------------------- */

/*
 * Names for where threads wait, by the functions in which they do: "take < worker". Waits for other
 * threads, and those for time and devices, that are made in the same calls are one site then; an
 * object, as a lock, stays one site, is called as the variable that it is, "table_lock", and is also
 * named by where it is mostly waited for. What no call chain is known of keeps its name. The words of a condition
 * become one site. After recognise(). What the program does in a simulation stays the same. `names` NULL: there are no
 * call chains and no maps.
 */
void wait_names_apply(struct program *program, struct chain_names *names);

#endif
