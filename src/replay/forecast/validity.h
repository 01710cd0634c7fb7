/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the assumptions of a replay against its recording. Some of them no single recording can
 * confirm; they are unknown.
 *
 * A new condition is a line in the enum, one in the table of validity.c, and the rule that judges
 * it.
 */
#ifndef PSCAL_REPLAY_FORECAST_VALIDITY_H
#define PSCAL_REPLAY_FORECAST_VALIDITY_H

#include <stdbool.h>

#include "decode/event/quality.h"
#include "replay/program/program.h"
#include "replay/recognise/recognise.h"

struct forecast_points;
struct spun;

enum validity_condition {
	VALIDITY_WAKES,	     /* wakeups are recorded; value: their number */
	VALIDITY_LENGTH,     /* the recording is not too short; seconds */
	VALIDITY_STEPS,	     /* the recording has enough steps to show their variation; their
				number */
	VALIDITY_COMPLETE,   /* no events were lost; number of missing records */
	VALIDITY_KNOWN,	     /* the states of threads are known; share of their time in unknown
				states */
	VALIDITY_CERTAIN,    /* the wakers are known; share of waits with a guessed waker */
	VALIDITY_INSIDE,     /* the wakers are threads of the target; share of the waiting time that
				something outside ended */
	VALIDITY_ALONE,	     /* the target had its cores for itself; share of them that it had
				not */
	VALIDITY_FINISHES,   /* the replay comes to its end; number of threads that are stuck */
	VALIDITY_RECOGNISED, /* the replay ends with all objects recognised; number of waits that
				stay as recorded */
	VALIDITY_LOCKS,	     /* waits that stay as recorded and look like those for locks matter
				little, as their order may change on other cores; share of a wall
				time */
	VALIDITY_CONTENTION, /* such waits are few in a recording on one core, where a lock is
				seldom waited for; share of the waits for threads */
	VALIDITY_BARRIERS,   /* few waits are at barriers that are only presumed; share of the waits
				for threads */
	VALIDITY_POLLS,	     /* the wall time depends little on timed waits and loops of sched_yield
				of unknown purpose; share of a wall time */
	VALIDITY_COSTS,	     /* recording calls cost the target little; share of its CPU time */
	VALIDITY_REPEATS,    /* the replay repeats the recorded wall time (self-check); relative
				error */
	VALIDITY_MEMORY,     /* work takes as long on more cores, as memory does not limit it; cache
				misses per 1000 instructions */
	VALIDITY_THREADS,    /* the number of threads is the same on other cores, which no recording
				shows; their number */
	VALIDITY_SPINNING,   /* no thread busy-waits: samples can confirm and refute it, calls of
				sched_yield only refute it */
	VALIDITY_CONDITIONS,
};

enum validity_answer { VALIDITY_HOLDS, VALIDITY_FAILS, VALIDITY_UNKNOWN };

struct validity_finding {
	enum validity_answer answer;
	double value; /* NaN: unknown */
};

struct validity {
	struct validity_finding findings[VALIDITY_CONDITIONS];
	bool locks_unused;   /* as in struct recognised */
	double locks_s;	     /* as in struct recognised */
	bool cpus_withheld;  /* CPUs were idle beside ready threads, for longer than other programs
				used them */
	double yields_share; /* share of a wall time that loops of sched_yield would take
				(forecast_points.h) */
	bool hides_calls;    /* all its mutexes are of no C library: their calls cannot be
				recorded */
	bool has_calls;	     /* calls of a library are recorded */
};

/* The texts of a condition. */
struct validity_words {
	const char *key;
	const char *what;   /* the condition: "no events are missing" */
	const char *fails;  /* the meaning of a failure, a sentence without its full stop */
	const char *advice; /* advice after a failure; NULL: none */
	double limit;	    /* limit of the value; 0: none */
	bool decides;	    /* no replay can be trusted without this condition */
	bool alerts;	    /* a failure changes the meaning of the numbers */
	enum { VALIDITY_COUNT, VALIDITY_SECONDS, VALIDITY_SHARE } unit; /* of the value */
	const char *of; /* the whole of a share, as "of the waits"; NULL: not named */
};

const struct validity_words *validity_words(enum validity_condition condition);

/*
 * Returns whether the condition fails because the replay with the recorded lock calls does not
 * repeat the run, although it asks for these calls.
 */
bool validity_is_of_unused_locks(const struct validity *validity,
				 enum validity_condition condition);

/*
 * Return the meaning of a failure of the condition, and the advice, for this recording: it may
 * already have the data that the words ask for.
 */
const char *validity_failure(const struct validity *validity, enum validity_condition condition);
const char *validity_advice(const struct validity *validity, enum validity_condition condition);

/*
 * Judges the conditions of a program before its replay; those of the replay are unknown.
 * `others_share` is that of forecast_points_others_share().
 */
void validity_init(struct validity *validity, const struct program *program,
		   const struct quality *quality, double others_share);

/*
 * Adds the share of the CPU time that ready threads could have used and did not get, because of
 * other programs or of a limit.
 */
void validity_add_lacked(struct validity *validity, double lacked_share);

/* Add the recognised objects, and then the replay. */
void validity_add_recognised(struct validity *validity, const struct program *program,
			     const struct recognised *recognised);
void validity_add_replay(struct validity *validity, const struct program *program,
			 const struct forecast_points *replay);

/* Adds the cache misses per 1000 instructions of the recording; NaN: not counted. */
void validity_add_memory(struct validity *validity, double misses_per_1000);

/*
 * Adds the busy-waiting that samples and calls of sched_yield show. n samples without busy-waiting
 * show only that its share is below 3 / n (spin_table.h). As both sources may show the same time,
 * the value is the larger one of their shares, and the share is at most their sum. `as_waits`: the
 * busy-waiting became waits.
 */
void validity_add_spin(struct validity *validity, const struct spun *spun, bool as_waits);

/* Returns whether a recording of library calls would confirm or repair a condition that fails. */
bool validity_asks_for_calls(const struct validity *validity);

/* Returns the number of conditions with that answer. */
size_t validity_count(const struct validity *validity, enum validity_answer answer);

/* Returns the first condition that fails and without which no replay can be trusted; -1: none. */
int validity_objection(const struct validity *validity);

#endif
