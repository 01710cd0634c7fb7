/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step of a thread of a program: CPU time, and then one operation that takes no time of its own.
 * It is 16 bytes, and a stretch of work that was ended by a wait and by the wake that ended it is
 * two of them.
 */
#ifndef PSCAL_REPLAY_PROGRAM_STEP_H
#define PSCAL_REPLAY_PROGRAM_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event/event.h"

/*
 * The action of a thread after the CPU time of a step. `edge`, `site` and `thread` are indices into
 * the tables of the program. Every wait can have a site, so that it is known where time goes.
 */
enum step_op {
	STEP_NONE, /* nothing: it computes on */

	/* As recorded: one certain wake ends one certain wait. */
	STEP_WAKE,  /* lets `thread` go on past its STEP_BLOCK of `edge`, now or when it gets there
		     */
	STEP_BLOCK, /* waits for the STEP_WAKE of `edge`; PROGRAM_NONE: for ever */

	/* Waits that no thread of the program ends; they keep their length of `ns`. */
	STEP_SLEEP,    /* for a time that it has asked for */
	STEP_DUE,      /* ... or until one: the length is from the end that was asked for by the
			  sleep before, where that was no STEP_DUE from its end */
	STEP_POLL,     /* ... but no longer than until the wake that the next STEP_BLOCK waits for,
			  where there are only other polls in between */
	STEP_DEVICE,   /* for a device: state D, or woken by an interrupt of one */
	STEP_EXTERNAL, /* for a wake from outside of the target */
	STEP_UNKNOWN,  /* it is not known what it did for so long */

	STEP_FORK, /* `thread` begins */
	STEP_JOIN, /* waits for the end of `thread` */
	STEP_EXIT, /* the thread ends; the last of its steps */

	/* Objects that threads get in the order in which they ask, whatever that is on other cores. */
	STEP_LOCK,	  /* waits until it holds `site` alone */
	STEP_LOCK_SHARED, /* ... or with others that ask for no more */
	STEP_UNLOCK,	  /* gives back either */
	STEP_TAKE,	  /* waits for one of the tokens of `site`, and takes it */
	STEP_GIVE,	  /* adds `count` tokens */
	STEP_BARRIER,	  /* waits until as many threads as `site` has parties are here */

	STEP_YIELD, /* sched_yield: to the end of the queue of its core */
	STEP_CALL,  /* begins what waits and wakes at `site`; see recognise.h */
	STEP_RETURN,
	STEP_SOCKET, /* it has read from a socket or written to one: `socket` tells more */
	STEP_LOOP,   /* nothing: it has looped with sched_yield for `ns`, for what is not known */
	STEP_OPS,
};

enum { PROGRAM_NONE = UINT32_MAX };

struct step {
	uint64_t run_op; /* CPU time in ns, times 256, and the operation */
	union {
		uint64_t pause;	  /* of a wait with a length, and of a STEP_LOOP: that in ns, times
				   65536, and its site */
		uint64_t exit_ns; /* of an exit: when that was, from the beginning; 0: not known */
		struct {
			union {
				uint32_t thread; /* woken, created or waited for */
				uint32_t socket; /* of the program's socket_uses */
				uint32_t site;	 /* of anything else, also of a block */
			};
			union {
				uint32_t edge;	    /* of a wake or a block */
				uint32_t count;	    /* tokens; of a call see step_call() */
				uint32_t join_site; /* of a join */
			};
		};
	};
};

/* CPU time beyond this, two years, is cut, and so are pauses of more than three days. */
#define STEP_RUN_MAX   (UINT64_MAX >> 8)
#define STEP_PAUSE_MAX (UINT64_MAX >> 16)

static inline uint64_t step_run_ns(const struct step *step)
{
	return step->run_op >> 8;
}

static inline enum step_op step_op(const struct step *step)
{
	return (enum step_op)(step->run_op & 0xff);
}

/* CPU time from a probe to the wait or to the wake: a system call, a switch, some spinning. */
enum { STEP_CALL_NS = 50000 };

/*
 * Does the wait of `step` begin by chance? A wait that follows at once from a wakeup, as that for the mutex
 * of a condition, does not. `first` is the first step of the thread.
 */
static inline bool step_waits_by_chance(const struct step *first, const struct step *step)
{
	return step == first || step_run_ns(step) >= STEP_CALL_NS ||
	       step_op(step - 1) != STEP_BLOCK;
}

static inline uint64_t step_run_op(uint64_t run_ns, enum step_op op)
{
	return (run_ns < STEP_RUN_MAX ? run_ns : STEP_RUN_MAX) << 8 | (uint64_t)op;
}

/* Has the wait of this operation a length of its own? */
static inline bool step_op_is_pause(enum step_op op)
{
	return op >= STEP_SLEEP && op <= STEP_UNKNOWN;
}

/* May a thread wait at it? */
static inline bool step_op_waits(enum step_op op)
{
	return step_op_is_pause(op) || op == STEP_BLOCK || op == STEP_JOIN || op == STEP_LOCK ||
	       op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER;
}

/* `site` PROGRAM_NONE: it has none, and so it is where the index is too large to be kept. */
static inline uint64_t step_pause(uint64_t ns, uint32_t site)
{
	return (ns < STEP_PAUSE_MAX ? ns : STEP_PAUSE_MAX) << 16 |
	       (site < UINT16_MAX ? site : UINT16_MAX);
}

static inline uint64_t step_pause_ns(const struct step *step)
{
	return step->pause >> 16;
}

/* Where a step waits, or what it is about; PROGRAM_NONE: it is not known, or nowhere. */
static inline uint32_t step_site(const struct step *step)
{
	enum step_op op = step_op(step);

	if (step_op_is_pause(op))
		return (uint16_t)step->pause < UINT16_MAX ? (uint16_t)step->pause
							  : (uint32_t)PROGRAM_NONE;
	if (op == STEP_JOIN)
		return step->join_site;
	return op == STEP_BLOCK || (op >= STEP_LOCK && op != STEP_YIELD && op < STEP_SOCKET)
		       ? step->site
		       : (uint32_t)PROGRAM_NONE;
}

/*
 * `count` of a STEP_CALL and its STEP_RETURN: the call, and how many the recording has at its site
 * before it, modulo 2^24. In which order threads came there is told by nothing else.
 */
static inline uint32_t step_call_count(enum sync_call call, uint64_t order)
{
	return (uint32_t)(order << 8) | (uint32_t)call;
}

static inline enum sync_call step_call(const struct step *step)
{
	return (enum sync_call)(step->count & 0xff);
}

static inline uint32_t step_call_order(const struct step *step)
{
	return step->count >> 8;
}

#endif
