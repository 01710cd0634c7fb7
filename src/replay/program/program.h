/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the threads of a trace did, as steps that can be run again on other cores: how much CPU
 * time each thread used before it waited, for what it waited, and whom it let go on. When a thread
 * had to wait for a CPU is not in it: that is what a replay finds out.
 *
 * A thread is a list of steps in the order in which it took them. A step is CPU time, and then one
 * operation that takes no time of its own. A step is 16 bytes, and a stretch of work that was ended
 * by a wait and by the wake that ended it is two of them.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "replay/program/wait_chains.h"

/*
 * What a thread does after the CPU time of a step. `edge`, `site` and `thread` are indices into the
 * tables of the program. Every wait can have a site, so that it is known where time goes.
 */
enum step_op {
	STEP_NONE, /* nothing: it computes on */

	/* As recorded: one certain wake ends one certain wait. */
	STEP_WAKE,  /* lets `thread` go on past its STEP_BLOCK of `edge`, now or when it gets there
		     */
	STEP_BLOCK, /* waits for the STEP_WAKE of `edge`; PROGRAM_NONE: for ever */

	/* Waits that no thread of the program ends; they keep their length of `ns`. */
	STEP_SLEEP,    /* for a time that it has asked for */
	STEP_POLL,     /* ... but no longer than until the wake that the next STEP_BLOCK waits for,
			  where there are only other polls in between */
	STEP_DEVICE,   /* for a device: state D, or woken by an interrupt of one */
	STEP_EXTERNAL, /* for a wake from outside of the target */
	STEP_UNKNOWN,  /* it is not known what it did for so long */

	STEP_FORK, /* `thread` begins */
	STEP_JOIN, /* waits for the end of `thread` */
	STEP_EXIT, /* the thread ends; the last of its steps */

	/* Objects that are given to whoever asks, in whatever order that is on other cores. */
	STEP_LOCK,	  /* waits until it holds `site` alone */
	STEP_LOCK_SHARED, /* ... or with others that ask for no more */
	STEP_UNLOCK,	  /* gives back either */
	STEP_TAKE,	  /* waits for one of the tokens of `site`, and takes it */
	STEP_GIVE,	  /* adds `count` tokens */
	STEP_BARRIER,	  /* waits until as many threads as `site` has parties are here */

	STEP_YIELD, /* sched_yield: to the end of the queue of its core */
	STEP_CALL,  /* begins what waits and wakes at `site`; see recognise.h */
	STEP_RETURN,
	STEP_OPS,
};

enum { PROGRAM_NONE = UINT32_MAX };

struct step {
	uint64_t run_op; /* CPU time in ns, times 256, and the operation */
	union {
		uint64_t pause; /* of a wait with a length: that in ns, times 65536, and its site */
		uint64_t exit_ns; /* of an exit: when that was, from the beginning; 0: not known */
		struct {
			union {
				uint32_t thread; /* woken, created or waited for */
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

static inline uint64_t step_run_op(uint64_t run_ns, enum step_op op)
{
	return (run_ns < STEP_RUN_MAX ? run_ns : STEP_RUN_MAX) << 8 | (uint64_t)op;
}

/* Has the wait of this operation a length of its own? */
static inline bool step_op_is_pause(enum step_op op)
{
	return op >= STEP_SLEEP && op <= STEP_UNKNOWN;
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
	return op == STEP_BLOCK || (op >= STEP_LOCK && op != STEP_YIELD) ? step->site
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

struct program_thread {
	int32_t tid, pid; /* pid -1: not known */
	char comm[COMM_SIZE];
	uint64_t start_ns; /* since the program began, where no thread of it forks this one */
	bool forked;	   /* one does */
	struct step *steps;
	size_t count, capacity;
	size_t even_from;   /* a step; from there on it does so many times what it did, ... */
	double even_factor; /* ... or 0: what it did; see even_work.h */
};

enum site_kind {
	SITE_UNKNOWN,
	SITE_LOCK,    /* mutual exclusion, also of readers and writers */
	SITE_TOKENS,  /* a semaphore, or a queue */
	SITE_BARRIER, /* of `parties` threads */
	SITE_JOIN,    /* ends of threads */
	SITE_SLEEP,
	SITE_DEVICE,
	SITE_EXTERNAL,
	SITE_FUTEX,   /* a word of which it is not known what it is part of */
	SITE_THREADS, /* no object: threads that wait for one another */
	SITE_KINDS,
};

/* "lock", "queue", ... */
const char *site_kind_name(enum site_kind kind);

/* Where threads wait for one another, or for something else. */
struct site {
	enum site_kind kind;
	int32_t pid;	  /* whose object it is; -1: not known */
	uint64_t address; /* of the object; 0: not known */
	uint32_t parties; /* of a barrier */
	uint32_t tokens;  /* there from the beginning */
	bool pooled;	  /* what follows a STEP_TAKE is done by whoever gets that token: `count`
			     of the step is which one it is, from 0 on */
	bool followed;	  /* a condition that tells of progress: waits at it are no barrier's */
	char *name;	  /* for people: "lock 0x7f3a...", "A <-> B"; NULL: none yet */
	uint32_t chain;	  /* of calls, of a site of the pauses in it; 0: of no such site ... */
	uint32_t part_of; /* ... and that of all pauses of its kind */
	uint32_t callers; /* see why.h: the number of a chain_name; 0: none is known */
};

/*
 * What the recording tells of the machine that it was made on. Medians; 0 where it does not tell.
 */
struct program_costs {
	uint64_t switch_ns; /* from the end of a thread's time on a CPU to the next one's begin */
	uint64_t wake_ns;   /* from a wake to running, where there was a free core */
	uint64_t slice_ns;  /* after which a thread is preempted when others wait */
	uint64_t call_ns;   /* CPU time that a call of the library took for being recorded */
	uint64_t system_call_ns; /* ... a system call */
	bool wakes_preempt;	 /* who wakes may take the core of who runs before its slice ends */
};

/* Where its time went, for what is said of how far a replay of it can be trusted; sums in ns. */
struct program_shares {
	uint64_t run_ns, runnable_ns;
	uint64_t edge_ns; /* waited for threads of the target */
	uint64_t sleep_ns, device_ns, external_ns, unknown_ns;
	uint64_t waits;	   /* how many waits there were ... */
	uint64_t edges;	   /* ... that a thread of the target ended */
	uint64_t external; /* ... that something else ended */
	uint64_t guessed;  /* ... with no wake on record, or whose waker may be another */
	uint64_t calls;	   /* of what is recorded with --sync */
};

struct program {
	struct program_thread *threads;
	size_t thread_count, thread_capacity;
	struct site *sites;
	size_t site_count, site_capacity;
	uint32_t edge_count;
	uint64_t begin_ns; /* in the clock of the recording */
	uint64_t wall_ns;  /* as recorded */
	unsigned cores;	   /* that it could use then; 0: not known */
	bool even_work;	   /* threads are presumed to have shared it, see even_work.h */
	bool has_wakes;	   /* without them there is nothing to replay */
	struct program_costs costs;
	struct program_shares shares;
	struct wait_chains chains; /* in which calls it waited */
};

void program_init(struct program *program);
void program_release(struct program *program);

/* A deep copy. The caller releases it. */
void program_copy(struct program *to, const struct program *from);

/* Both return the index of what is new; valid is what they were given until the next one is added.
 */
uint32_t program_add_thread(struct program *program, int32_t tid, int32_t pid, const char *comm);
uint32_t program_add_site(struct program *program, enum site_kind kind);

/*
 * At the end of the thread's steps; the caller fills in what belongs to `op`. Until then it waits
 * nowhere: no site, no edge, for no time.
 */
struct step *program_add_step(struct program *program, uint32_t thread, uint64_t run_ns,
			      enum step_op op);

/*
 * Before the step at `place`, whose CPU time it takes over, as a STEP_NONE; the caller fills in
 * what it does.
 */
struct step *program_insert_step(struct program *program, uint32_t thread, size_t place);

/* Behind this step, is there nothing left to do for the thread but wakes and its exit? */
bool program_thread_ends(const struct program_thread *thread, size_t from);

/* All steps, and the bytes that they take. */
size_t program_steps(const struct program *program);
size_t program_bytes(const struct program *program);

/* CPU time of all threads. */
uint64_t program_work_ns(const struct program *program);

#endif
