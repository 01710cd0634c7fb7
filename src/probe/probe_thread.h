/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watched thread: its file, and its open calls. All of it belongs to the thread alone. */
#ifndef PSCAL_PROBE_PROBE_THREAD_H
#define PSCAL_PROBE_PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/spool_writer.h"
#include "probe/thread_counters.h"

struct instrumented_call;

struct probe_thread {
	struct spool_writer writer;
	uint32_t watched;   /* 1 + the process in which it is recorded; 0: none */
	uint32_t refused;   /* the process in which it is not recorded */
	bool full;	    /* ... as there is no room for its events */
	uint64_t innermost; /* slot of the open call that began last; 0: none */
	uint64_t until_stack;
	uint64_t random;		 /* state of xorshift64 */
	struct instrumented_call *calls; /* of instrumented.c; NULL: none yet */
	uint64_t call_count, oldest_call;
	uint64_t next_task; /* of task_steps.c */
	struct thread_counters counters;
};

/* Settings of all threads; set before any of them is recorded. */
struct probe_settings {
	bool on;
	struct recorder_link link;
	struct spool_offer first; /* the common begin of all offers: the clock and the image */
	uint32_t every, stack_every, arguments;
	uint64_t chance; /* probability that a call is recorded, times 2^64 */
	bool marks, functions;
	enum { TASKS_NOT, TASKS_TOLD, TASKS_COUNTED } tasks;
	uint32_t counter_count;
	struct perf_event_attr counters[PLAN_COUNTERS_MAX];
	uint64_t pid_namespace; /* see patch_plan.h */
};

extern struct probe_settings probe_settings;

/*
 * The state of a process, in memory that the kernel zeroes in a child after a fork, by whatever
 * system call. A child of vfork shares it with its parent.
 */
struct probe_process {
	uint32_t id;		   /* 0: the maps of this process have not been noted yet */
	uint32_t trouble;	   /* it was reported that a thread cannot be recorded */
	uint32_t uncounted;	   /* ... or that nothing is counted */
	uint32_t holders;	   /* of confinement.h */
	struct spool_notes *notes; /* NULL: not handed over yet */
	uint64_t notes_room;	   /* bytes of text */
	bool unnoted;		   /* ... and they cannot be handed over */
	bool mapped;		   /* the maps have been noted once */
};

extern struct probe_process *probe_process;

extern __thread struct probe_thread probe_self __attribute__((tls_model("initial-exec")));

/* Gives a thread its file, if it has none yet. Returns whether it is recorded. */
bool probe_thread_begin(struct probe_thread *self);

/* Returns the state of the calling thread; NULL: it is not recorded. */
static inline struct probe_thread *probe_thread_self(void)
{
	struct probe_thread *self = &probe_self;

	if (__builtin_expect(self->watched != probe_process->id + 1, 0) &&
	    !probe_thread_begin(self))
		return NULL;
	return self;
}

/* Returns whether this call is recorded. All calls have the same probability, independently. */
static inline bool probe_thread_samples(struct probe_thread *self)
{
	uint64_t random = self->random;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	self->random = random;
	return random <= probe_settings.chance;
}

/* Stops recording the thread for lack of room: its events are only counted from now on. */
void probe_thread_stop(struct probe_thread *self);

/* Returns whether the process has other ids than for the recorder. */
bool probe_process_is_elsewhere(void);

/* Begins the recording of threads, once. Returns 0, or -1: there is no memory. */
int probe_threads_begin(void);

#endif
