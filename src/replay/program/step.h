/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step of a thread of a program: CPU time, and then one operation that takes no CPU time. A step
 * takes 16 bytes; work, the wait behind it and the wakeup that ends the wait are two steps.
 */
#ifndef PSCAL_REPLAY_PROGRAM_STEP_H
#define PSCAL_REPLAY_PROGRAM_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/event/event.h"

/*
 * The action of a thread after the CPU time of a step. `edge`, `site` and `thread` are indices into
 * the tables of the program. Every wait can have a site, which names the place where time goes.
 */
enum step_op {
	STEP_NONE, /* no operation */

	/* Recorded pairs: one wakeup ends one wait. */
	STEP_WAKE,  /* wakes `thread` at its STEP_BLOCK of `edge`, now or when it gets there */
	STEP_BLOCK, /* waits for the STEP_WAKE of `edge`; PROGRAM_NONE: forever */

	/* Pauses: no thread of the program ends them, except STEP_POLL; `pause`: their length. */
	STEP_SLEEP,    /* sleeps for a requested time */
	STEP_DUE,      /* sleeps until a requested time: the length is from the requested end of
			  the previous sleep, or from its end if it was no STEP_DUE */
	STEP_POLL,     /* sleeps for a time, but at most until the wakeup of the next STEP_BLOCK,
			  if only polls and wakeups are in between */
	STEP_DEVICE,   /* waits for a device: state D, or woken by its interrupt */
	STEP_EXTERNAL, /* waits for a wakeup from outside of the target */
	STEP_UNKNOWN,  /* unknown activity */

	STEP_FORK, /* begins `thread` */
	STEP_JOIN, /* waits for the end of `thread` */
	STEP_EXIT, /* ends the thread; its last step */

	/*
	 * Objects: threads get them in the order in which they ask, which may differ on other
	 * cores.
	 */
	STEP_LOCK,	  /* waits until the thread holds `site` alone */
	STEP_LOCK_SHARED, /* waits until the thread holds `site`, with other shared holders */
	STEP_UNLOCK,	  /* releases `site` */
	STEP_TAKE,	  /* waits for a token of `site`, and takes it */
	STEP_GIVE,	  /* adds `count` tokens to `site` */
	STEP_BARRIER,	  /* waits until all parties of `site` are here */

	STEP_YIELD, /* sched_yield: goes to the end of the run queue of its core */
	STEP_CALL,  /* begins a call at `site`, with its waits and wakeups (recognise.h) */
	STEP_RETURN,
	STEP_SOCKET, /* a read or a write at a socket: `socket` is its index in socket_uses */
	STEP_LOOP,   /* no operation: a loop of sched_yield, for an unknown reason; `pause` has its
			length */
	STEP_OPS,
};

enum { PROGRAM_NONE = UINT32_MAX };

struct step {
	uint64_t run_op; /* CPU time in ns times 256, plus the operation */
	union {
		uint64_t pause;	  /* of a pause and of a STEP_LOOP: length in ns times 65536,
				     plus the site */
		uint64_t exit_ns; /* of an exit: its time since the program began; 0: unknown */
		struct {
			union {
				uint32_t thread; /* the thread that is woken, forked or joined */
				uint32_t socket; /* index into socket_uses of the program */
				uint32_t site;	 /* site of any other operation, also of a block */
			};
			union {
				uint32_t edge;	    /* edge of a wake or a block */
				uint32_t count;	    /* number of tokens; of a call see
						       step_call(); of a lock or unlock 0: an
						       unrecorded use (recognise_add_uses());
						       of a barrier CPU time in us of all
						       threads during the recorded wait,
						       rounded up, and 1 without one; 0: the work
						       before it was made even (recognise.h) */
				uint32_t join_site; /* site of a join */
			};
		};
	};
};

/* Longer times are cut: CPU time at two years, pauses at three days. */
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

/*
 * The largest CPU time between a probe and the wait or wakeup in its call: a system call, a switch,
 * some spinning.
 */
enum { STEP_CALL_NS = 50000 };

/*
 * Returns whether the wait of `step` begins by chance. A wait that directly follows a wakeup does
 * not, for example that for the mutex of a condition. `first` is the first step of the thread.
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

/* Returns whether the operation is a pause, which has a length of its own. */
static inline bool step_op_is_pause(enum step_op op)
{
	return op >= STEP_SLEEP && op <= STEP_UNKNOWN;
}

/* Returns whether a thread may wait at the operation. */
static inline bool step_op_waits(enum step_op op)
{
	return step_op_is_pause(op) || op == STEP_BLOCK || op == STEP_JOIN || op == STEP_LOCK ||
	       op == STEP_LOCK_SHARED || op == STEP_TAKE || op == STEP_BARRIER;
}

/* Packs a pause. `site` PROGRAM_NONE: none; a site of UINT16_MAX or more is dropped, too. */
static inline uint64_t step_pause(uint64_t ns, uint32_t site)
{
	return (ns < STEP_PAUSE_MAX ? ns : STEP_PAUSE_MAX) << 16 |
	       (site < UINT16_MAX ? site : UINT16_MAX);
}

static inline uint64_t step_pause_ns(const struct step *step)
{
	return step->pause >> 16;
}

/* Returns whether the step is of an added use of a lock, as uses without a wait are unrecorded. */
static inline bool step_is_added_use(const struct step *step)
{
	return (step_op(step) == STEP_LOCK || step_op(step) == STEP_UNLOCK) && !step->count;
}

/* Returns whether the work of the step was made even between barriers. */
static inline bool step_ends_even_work(const struct step *step)
{
	return step_op(step) == STEP_BARRIER && !step->count;
}

/* Returns the site of a step: its wait or object; PROGRAM_NONE: unknown or none. */
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
 * Packs `count` of a STEP_CALL and its STEP_RETURN: the call, and the number of earlier recorded
 * calls at its site, modulo 2^24. Only this number keeps the order in which threads came to a site.
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
