/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of a replay: the steps of the threads of a trace. A step (step.h) is the CPU time of
 * a thread before a wait, the cause of the wait, and the threads that it woke. Waits for a CPU are
 * not part of a program: a replay computes them.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "replay/program/step.h"
#include "replay/program/wait_chains.h"
#include "stats/spin/thread_names.h"

/* Steps of a thread whose work was made even (recognise.h). */
struct even_span {
	uint32_t first, end; /* steps from `first` to before `end` */
	uint64_t begin_ns;   /* recorded CPU time of the thread before them */
	uint64_t recorded_ns, even_ns;
};

struct program_thread {
	int32_t tid, pid; /* pid -1: unknown */
	struct thread_name name;
	uint32_t start; /* the number of its thread start, as in struct change; 0: unknown */
	uint32_t count, capacity;
	bool forked;	   /* a thread of the program forks it; else it begins at start_ns */
	uint64_t start_ns; /* start of a thread that is not forked, since the program began */
	struct step *steps;
	struct even_span *even_spans; /* by time */
	size_t even_span_count, even_span_capacity;
};

enum site_kind {
	SITE_UNKNOWN,
	SITE_LOCK,    /* mutual exclusion, also a lock for readers and writers */
	SITE_TOKENS,  /* a semaphore, or a queue */
	SITE_BARRIER, /* a barrier of `parties` threads */
	SITE_JOIN,    /* a wait for the end of a thread */
	SITE_SLEEP,
	SITE_DEVICE,
	SITE_EXTERNAL,
	SITE_FUTEX,   /* a futex word of unknown purpose */
	SITE_THREADS, /* no object: threads wait for one another */
	SITE_KINDS,
};

/* "lock", "queue", ... for text and JSON. */
extern const char *const site_kind_names[SITE_KINDS];

/* A site: an object or a pause at which threads wait. */
struct site {
	enum site_kind kind;
	int32_t pid;		 /* the process of the object; -1: unknown */
	uint64_t address;	 /* address of the object; 0: unknown */
	uint32_t parties;	 /* of a barrier: its number of threads */
	uint32_t tokens;	 /* of SITE_TOKENS: the tokens at the beginning; without
				    `counted` the fewest that recorded waits allow */
	bool counted;		 /* `tokens` or `parties` is from the call that initialises the
				    object */
	bool pooled;		 /* any thread can do the work behind a STEP_TAKE here: `count`
				    of that step is the number of its token, from 0 on */
	bool waits_as_mutex;	 /* of a futex word: threads wait here as for a mutex */
	bool hides_calls;	 /* of such a mutex: it is of no C library, and its calls cannot
				    be recorded */
	bool waits_as_condition; /* of a futex word: threads wait here as for a condition */
	uint32_t twin;		 /* site of the other word of the same condition, plus one; 0:
				    none */
	bool begins_condition;	 /* a library call on a condition has this address */
	bool is_condition;	 /* the site is a condition, or one of its words */
	bool is_variable;	 /* `name` is the name of a variable of the program */
	uint64_t hold_ns;	 /* of a mutex: its mean hold time; 0: unknown */
	uint32_t waits;		 /* of a mutex: the number of waits for it that began by chance
				    (recognise_mutexes()) */
	bool followed;		 /* a condition that signals progress: no barrier is recognised
				    in its waits */
	uint32_t wait_cost_ns;	 /* of a lock: CPU time that a wait for it takes; 0: unknown */
	uint32_t wake_cost_ns;	 /* CPU time that its release takes before it wakes a thread ... */
	uint32_t woke_cost_ns;	 /* ... and after that */
	char *name;		 /* name for people: "lock 0x7f3a...", "A <-> B"; NULL: none yet */
	uint32_t chain;		 /* of a site of pauses: its call chain; 0: it has none */
	uint32_t part_of;	 /* of a site of pauses with a call chain: the site of all pauses
				    of this kind */
	uint32_t callers;	 /* number of the call chain in `name` (chain_names); 0: unknown */
};

/* The costs of the recorded machine: medians; 0: unknown. */
struct program_costs {
	uint64_t switch_ns;	 /* time from the end of one thread on a CPU to the start of the
				    next */
	uint64_t wake_ns;	 /* time from a wakeup to running if a core is free */
	uint64_t slice_ns;	 /* time after which a thread is preempted if others wait */
	uint64_t call_ns;	 /* CPU time that recording adds to a library call */
	uint64_t system_call_ns; /* CPU time that recording adds to a system call */
	bool wakes_preempt;	 /* a woken thread may preempt the running one before the end of
				    its slice */
};

struct program_gaps;

/*
 * The longest time in which an idle CPU wakes up. A thread that waits for longer is in the run
 * queue of a busy CPU.
 */
enum { FREE_WAKE_MOST_NS = 100000 };

/*
 * The sums of the states of all threads in ns, and the counts of their waits: they show how
 * reliable a replay is.
 */
struct program_shares {
	uint64_t run_ns, runnable_ns;
	uint64_t edge_ns; /* waits for threads of the target */
	uint64_t sleep_ns, device_ns, external_ns, unknown_ns;
	uint64_t unsure_ns; /* part of unknown_ns in which a thread may have run */
	uint64_t wake_ns;   /* time from wakeups to running with a free core; at most
			       FREE_WAKE_MOST_NS of each */
	uint64_t waits;	    /* number of waits */
	uint64_t edges;	    /* number of waits that a thread of the target ended */
	uint64_t guessed;   /* waits without a recorded wakeup, or with an uncertain waker */
	uint64_t calls;	    /* calls recorded with --sync */
	uint64_t preempted; /* switches from a thread that did not wait */
	uint64_t idled_ns;  /* CPU time of CPUs that the scheduler left idle beside ready threads */
	uint64_t brief_idle_ns; /* the largest possible idled_ns: see cost_idle_pass() */
};

/* An event at a socket (decode/event/event.h). Failed calls are left out. */
struct socket_use {
	uint64_t time_ns; /* since the program began */
	uint64_t socket;  /* address of the socket in the kernel */
	uint32_t thread;  /* the thread of the event; PROGRAM_NONE: the network */
	int32_t count;	  /* number of bytes, or a TCP state */
	enum socket_event event;
};

/*
 * A limit of CPU time, like that of a control group (cpu.max): the time of `cpus` CPUs in each
 * period.
 */
struct program_quota {
	double cpus;	    /* 0: no limit */
	uint64_t period_ns; /* 0: the usual 100 ms */
};

struct program {
	struct program_thread *threads;
	size_t thread_count, thread_capacity;
	size_t other_from; /* threads from this index on belong to a second program; 0: there is
			      none */
	struct site *sites;
	size_t site_count, site_capacity;
	uint32_t edge_count;
	uint32_t device_site;	    /* site of the waits in state D for other threads, plus one;
				       0: none */
	uint64_t begin_ns;	    /* start, in the clock of the recording */
	uint64_t wall_ns;	    /* recorded wall time */
	unsigned cores;		    /* CPUs that the recorded program could use; 0: unknown */
	uint64_t others_ns;	    /* CPU time of other programs on these CPUs; 0: none, or
				       unknown */
	bool even_work;		    /* threads are presumed to have shared their work
				       (recognise.h) */
	bool has_wakes;		    /* wakeups are recorded; no replay without */
	bool tells_interrupts;	    /* interrupts are recorded; else the waker may be the
				       interrupted thread */
	struct program_quota quota; /* limit under which it was recorded */
	struct program_costs costs;
	struct program_shares shares;
	uint32_t *met_ns; /* [edge] of a wait in a system call: CPU time of the waking thread
			     during the wait, as far as it was in one run, up to 4 s; 0 or beyond
			     the end: unknown */
	size_t met_count;
	uint32_t *work_us; /* [edge]: CPU time of all threads during the wait, rounded up; 0 or
			      beyond the end: unknown */
	size_t work_count;
	struct wait_chains chains;	/* call chains in which its threads waited */
	struct socket_use *socket_uses; /* by time */
	size_t socket_use_count, socket_use_capacity;
	struct program_gaps *gaps; /* [thread]; NULL: not requested; a copy has none */
	size_t gap_capacity;
};

/* Releases `program`, which may be all zero. */
void program_release(struct program *program);

/*
 * A compact copy of the steps and sites of a program, to restore them after changes. It has no
 * threads: of these only the steps and the even work may change meanwhile.
 */
struct program_kept {
	struct program rest; /* the program without its threads */
	struct step *steps;  /* steps of all threads, one thread after the other */
	uint32_t *counts;    /* [thread]: number of its steps */
};
void program_keep(struct program_kept *kept, const struct program *program);
void program_kept_release(struct program_kept *kept);

/* Makes `copy` equal to `program` when `kept` was made. The caller releases `copy`. */
void program_restore(struct program *copy, const struct program_kept *kept,
		     const struct program *program);

/* Makes a deep copy of `from`. The caller releases `to`. */
void program_copy(struct program *to, const struct program *from);

/*
 * Add a thread or a site. Return its index; pointers to threads or sites are valid until the next
 * one is added.
 */
uint32_t program_add_thread(struct program *program, int32_t tid, int32_t pid, const char *comm);
uint32_t program_add_site(struct program *program, enum site_kind kind);

/*
 * Appends a step to those of `thread`. The step has no site, no edge and no duration: the caller
 * sets what `op` needs.
 */
struct step *program_add_step(struct program *program, uint32_t thread, uint64_t run_ns,
			      enum step_op op);

/* Returns whether only wakeups and the exit follow step `from`. */
bool program_thread_ends(const struct program_thread *thread, size_t from);

/* Returns the number of steps of all threads. */
size_t program_steps(const struct program *program);

/* Returns the CPU time of all threads. */
uint64_t program_work_ns(const struct program *program);

/* Multiplies the CPU time of a thread by `factor`. */
void program_scale_thread(struct program *program, size_t thread, double factor);

#endif
