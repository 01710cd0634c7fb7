/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the assumptions of a replay against a trace. Some of it no single
 * trace can show; that is said too.
 *
 * A new condition is a line in the enum, one in the table of validity.c, and what judges it.
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
	VALIDITY_WAKES,	   /* wakes are on record; value: their number */
	VALIDITY_LENGTH,   /* the trace is not too short; seconds */
	VALIDITY_STEPS,	   /* ... and holds enough to tell how much steps vary; their number */
	VALIDITY_COMPLETE, /* nothing was lost; records that are missing */
	VALIDITY_KNOWN,	   /* it is known what threads did; share of their time that is not */
	VALIDITY_CERTAIN,  /* ... and which ended waits; share of waits where that is guessed */
	VALIDITY_INSIDE,   /* ... which were threads of the target; share of the waiting time where
			      something outside did */
	VALIDITY_ALONE,	   /* the target had its cores for itself; share of them that it had not */
	VALIDITY_FINISHES, /* the replay comes to its end; threads that are stuck */
	VALIDITY_RECOGNISED, /* ... with waits as what they were recognised to be; waits that stay
				as recorded */
	VALIDITY_LOCKS, /* waits that stay as recorded and look like those for locks matter little,
			      of which the order is another one on other cores; share of a wall time
			    */
	VALIDITY_CONTENTION, /* ... and there are few of them in a recording of one core, where a lock
				is seldom waited for; share of the waits for threads */
	VALIDITY_BARRIERS, /* few waits are at what is only presumed to be a barrier; share of those
			      for threads */
	VALIDITY_POLLS,	   /* it does not hang on timed waits, or loops of sched_yield, of which no
			      trace tells what they were for; share of a wall time */
	VALIDITY_COSTS,	   /* recording its calls cost the target little; share of its CPU time */
	VALIDITY_REPEATS,  /* ... and has the wall time of the recording on its cores; relative
			      error */
	VALIDITY_MEMORY,   /* work takes as long on more cores: memory does not limit it; cache
			      misses per 1000 instructions */
	VALIDITY_THREADS,  /* as many threads run on other cores: no trace tells; their number */
	VALIDITY_SPINNING, /* no thread computes in order to wait: samples can tell both that it
			      is so and that it is not, calls of sched_yield only that it is not */
	VALIDITY_CONDITIONS,
};

enum validity_answer { VALIDITY_HOLDS, VALIDITY_FAILS, VALIDITY_UNKNOWN };

struct validity_finding {
	enum validity_answer answer;
	double value; /* NaN: not known */
};

struct validity {
	struct validity_finding findings[VALIDITY_CONDITIONS];
	bool locks_unused; /* see struct recognised ... */
	double locks_s;	   /* ... and this, too */
	bool cpus_withheld; /* CPUs were idle beside ready threads, for longer than other programs used them */
	double yields_share; /* of a wall time: that loops of sched_yield would be, see forecast_points.h */
	bool hides_calls; /* all its mutexes are of no C library: no calls of them can be recorded */
	bool has_calls;	  /* calls of the library are recorded */
};

/* The texts of a condition. */
struct validity_words {
	const char *key;
	const char *what;   /* the condition: "no events are missing" */
	const char *fails;  /* what it means that it fails, a sentence without its full stop */
	const char *advice; /* ... and what to do about it; NULL: nothing */
	double limit;	    /* of the value; 0: there is none */
	bool decides;	    /* no replay can be trusted without it */
	bool alerts;	    /* it changes the meaning of the numbers */
	enum { VALIDITY_COUNT, VALIDITY_SECONDS, VALIDITY_SHARE } unit; /* of the value */
	const char *of; /* what the value is a share of, as "of the waits"; NULL: nothing to say */
};

const struct validity_words *validity_words(enum validity_condition condition);

/*
 * Has the recording the lock calls that the condition asks for, and does their replay miss the run? Then
 * that is what its failure means.
 */
bool validity_is_of_unused_locks(const struct validity *validity,
				 enum validity_condition condition);

/* The meaning of its failure, and the advice, for this recording, which may have what the words ask for. */
const char *validity_failure(const struct validity *validity, enum validity_condition condition);
const char *validity_advice(const struct validity *validity, enum validity_condition condition);

/*
 * Of a program as it was read, and the share of its cores that other programs had, as
 * forecast_points_others_share() tells. What only its replay can tell is not known yet.
 */
void validity_init(struct validity *validity, const struct program *program,
		   const struct quality *quality, double others_share);

/*
 * ... the share of the CPU time that its ready threads could use and did not get, as other programs
 * had it, or a limit withheld it, ...
 */
void validity_add_lacked(struct validity *validity, double lacked_share);

/* ... how much was recognised in it, and then which replay that gave. */
void validity_add_recognised(struct validity *validity, const struct program *program,
			     const struct recognised *recognised);
void validity_add_replay(struct validity *validity, const struct program *program,
			 const struct forecast_points *replay);

/* ... and the counters of the recording; NaN: not counted. */
void validity_add_memory(struct validity *validity, double misses_per_1000);

/*
 * ... and what samples of running threads and calls of sched_yield tell: whether they spin. Of n
 * samples without any that spins no more is known than that fewer than 3 / n of all do, see
 * spin_table.h. The two may tell of the same time: the share is at least the larger one of theirs,
 * which is the value, and at most their sum. `as_waits`: what they spun is no work of the program
 * any more.
 */
void validity_add_spin(struct validity *validity, const struct spun *spun, bool as_waits);

/* Would a recording of the calls of the C library answer a condition that fails? */
bool validity_asks_for_calls(const struct validity *validity);

/* The number of conditions that have that answer. */
size_t validity_count(const struct validity *validity, enum validity_answer answer);

/* The first condition without which no replay can be trusted and which fails; or none: -1. */
int validity_objection(const struct validity *validity);

#endif
