/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program of a replay: the steps of the threads of a trace, that is the CPU time of each thread
 * before a wait, the cause of the wait, and the threads that it woke. Waits for a CPU are not in
 * it: a replay computes them.
 *
 * A thread is a list of steps (step.h) in the order in which it took them.
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

struct program_thread {
	int32_t tid, pid; /* pid -1: not known */
	struct thread_name name;
	uint32_t start; /* as in struct change */
	uint32_t count, capacity;
	bool forked : 1;	 /* by a thread of the program, and begins there */
	uint32_t even_from : 31; /* the step from which on its work was made even (recognise.h) */
	double even_factor;	 /* of that work; 0: it was not changed */
	uint64_t start_ns;	 /* unless it is forked: since the program began */
	struct step *steps;
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
extern const char *const site_kind_names[SITE_KINDS];

/* Where threads wait for one another, or for something else. */
struct site {
	enum site_kind kind;
	int32_t pid;	  /* whose object it is; -1: not known */
	uint64_t address; /* of the object; 0: not known */
	uint32_t parties; /* of a barrier */
	uint32_t tokens;  /* there from the beginning; the fewest that the waits allow, ... */
	bool counted;	  /* ... or as many as the call says that makes the object */
	bool pooled;	  /* the thread that gets a token does what follows its STEP_TAKE: `count`
			     of the step is which one it is, from 0 on */
	bool waits_as_mutex;	 /* of a word: threads wait there as for a mutex, ... */
	bool hides_calls;	 /* ... of no C library, of which no calls can be recorded, ... */
	bool waits_as_condition; /* ... or as at a word of a condition; */
	uint32_t twin; /* ... and the one beside it, plus one, of the same; 0: it has none */
	bool begins_condition; /* calls of the library have told that */
	bool is_condition;     /* ... or it is one, or a word of one */
	bool is_variable;      /* `name` is that of a variable of the program */
	uint64_t hold_ns;      /* ... how long threads hold it, on average; 0: not known */
	uint32_t waits;	       /* ... how often they waited there by chance (recognise_mutexes()) */
	bool followed;	  /* a condition that tells of progress: waits at it are no barrier's */
	char *name;	  /* for people: "lock 0x7f3a...", "A <-> B"; NULL: none yet */
	uint32_t chain;	  /* of calls, of a site of the pauses in it; 0: of no such site ... */
	uint32_t part_of; /* ... and that of all pauses of its kind */
	uint32_t callers; /* see why.h: the number of a chain_name; 0: none is known */
};

/*
 * The machine of the recording, as far as the recording tells. Medians; 0 where it does not tell.
 */
struct program_costs {
	uint64_t switch_ns; /* from the end of a thread's time on a CPU to the next one's begin */
	uint64_t wake_ns;   /* from a wake to running, where there was a free core */
	uint64_t slice_ns;  /* after which a thread is preempted when others wait */
	uint64_t call_ns;   /* CPU time that a call of the library took for being recorded */
	uint64_t system_call_ns; /* ... a system call */
	bool wakes_preempt;	 /* a thread that wakes may take a core before a slice ends there */
};

struct program_gaps;

/* An idle CPU wakes up in this time. A thread that waits for longer is in the queue of a busy one. */
enum { FREE_WAKE_MOST_NS = 100000 };

/* The use of its time, to judge a replay of it; sums in ns. */
struct program_shares {
	uint64_t run_ns, runnable_ns;
	uint64_t edge_ns; /* waited for threads of the target */
	uint64_t sleep_ns, device_ns, external_ns, unknown_ns;
	uint64_t unsure_ns; /* of unknown_ns: when a thread may have run */
	uint64_t
		wake_ns; /* after wakes that found a free core; of each FREE_WAKE_MOST_NS at most */
	uint64_t waits;	 /* how many waits there were ... */
	uint64_t edges;	 /* ... that a thread of the target ended */
	uint64_t external; /* ... that something else ended */
	uint64_t guessed;  /* ... with no wake on record, or whose waker may be another */
	uint64_t calls;	   /* of what is recorded with --sync */
	uint64_t idled_ns; /* CPU time of CPUs that were idle beside its ready threads */
};

/* An event at a socket; see decode/event/event.h. Calls that failed are left out. */
struct socket_use {
	uint64_t time_ns; /* since the program began */
	uint64_t socket;  /* its address in the kernel */
	uint32_t thread;  /* that did it; PROGRAM_NONE: the network */
	int32_t count;	  /* bytes, or a state of TCP */
	enum socket_event event;
};

/*
 * A limit of CPU time, as a control group has it (cpu.max): the time of so many CPUs, handed out anew
 * in each period.
 */
struct program_quota {
	double cpus;	    /* 0: there is none */
	uint64_t period_ns; /* 0: 100 ms, as usual */
};

struct program {
	struct program_thread *threads;
	size_t thread_count, thread_capacity;
	size_t other_from; /* threads from this one on are of another program; 0: there is none */
	struct site *sites;
	size_t site_count, site_capacity;
	uint32_t edge_count;
	uint32_t device_site;  /* of waits in state D for threads, plus one; 0: there were none */
	uint64_t begin_ns;     /* in the clock of the recording */
	uint64_t wall_ns;      /* as recorded */
	unsigned cores;	       /* that it could use then; 0: not known */
	bool even_work;	       /* threads are presumed to have shared it, see recognise.h */
	uint64_t even_phases;  /* ... between barriers, in so many phases */
	bool has_wakes;	       /* without them there is nothing to replay */
	bool tells_interrupts; /* else one that wakes is taken for the thread that it interrupts */
	struct program_quota quota; /* that it was recorded under, as far as it was left to it */
	struct program_costs costs;
	struct program_shares shares;
	struct wait_chains chains;	/* in which calls it waited */
	struct socket_use *socket_uses; /* in the order of their times */
	size_t socket_use_count, socket_use_capacity;
	struct program_gaps *gaps; /* [thread], where they were wanted; a copy has none */
	size_t gap_capacity;
};

/* It begins as zero. */
void program_release(struct program *program);

/*
 * The steps and sites of a program, kept in little memory for a copy of it to be made when they
 * have changed. The threads are not, which stay the same but for their steps and even work.
 */
struct program_kept {
	struct program rest; /* without threads */
	struct step *steps;  /* of all threads, one after the other ... */
	uint32_t *counts;    /* ... [thread]: so many */
};
void program_keep(struct program_kept *kept, const struct program *program);
void program_kept_release(struct program_kept *kept);

/* As `program` was when it was kept. The caller releases `copy`. */
void program_restore(struct program *copy, const struct program_kept *kept,
		     const struct program *program);

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

/* Behind this step, is there nothing left to do for the thread but wakes and its exit? */
bool program_thread_ends(const struct program_thread *thread, size_t from);

/* All steps. */
size_t program_steps(const struct program *program);

/* CPU time of all threads. */
uint64_t program_work_ns(const struct program *program);

/* All CPU time of one thread takes `factor` times as long. */
void program_scale_thread(struct program *program, size_t thread, double factor);

#endif
