/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that is watched: its file, and the calls that it is in. All of it is the thread's own;
 * only other threads that look for where to return (block_entry.h) read along.
 */
#ifndef PSCAL_PROBE_PROBE_THREAD_H
#define PSCAL_PROBE_PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/spool_writer.h"

/* A call that is not over. */
struct probe_call {
	uintptr_t slot;	 /* where on the stack its return address is; 0: it is over; an odd number:
			    its end is told by another call, and that is how to find it */
	uint64_t caller; /* where it is to return to */
	uint64_t block;	 /* 0: it is not recorded */
};

enum probe_state {
	PROBE_NEW, /* it has no file so far */
	PROBE_ON,
	PROBE_OFF, /* there is no room for one, or the thread has ended */
};

/* So many calls of a thread may be in one another; those beyond are not recorded. */
enum { PROBE_DEPTH_MAX = 1 << 20 };

struct probe_thread {
	struct spool_writer writer;
	enum probe_state state;
	struct probe_call *calls; /* PROBE_DEPTH_MAX; NULL: not mapped so far */
	size_t depth;
	uint64_t until_sample; /* so many calls are passed over */
	uint64_t until_stack;
	uint64_t random;	   /* state of xorshift64 */
	struct probe_thread *next; /* of all that there are */
};

/* What holds for all threads; set before there is a second one, or in the child of a fork. */
struct probe_settings {
	bool on;
	char spool[4000];
	struct spool_header first; /* of each file */
	uint32_t every, stack_every, arguments;
	bool marks, functions;
	int32_t process; /* whose maps have been copied to the spool; 0: nobody's so far */
};

extern struct probe_settings probe_settings;

/* Of who asks. NULL: it is not to be recorded. */
extern __thread struct probe_thread probe_self __attribute__((tls_model("initial-exec")));

/* Gives a PROBE_NEW thread its file. Returns false where there is none. */
bool probe_thread_begin(struct probe_thread *self);

static inline struct probe_thread *probe_thread_self(void)
{
	struct probe_thread *self = &probe_self;

	if (__builtin_expect(self->state != PROBE_ON, 0) &&
	    (self->state == PROBE_OFF || !probe_thread_begin(self)))
		return NULL;
	return self;
}

/* Is this call to be recorded? One in `every` is, at random, so that no pattern of calls matters.
 */
bool probe_thread_samples(struct probe_thread *self);

/*
 * A call begins; NULL: too many are not over. Those that ended without a return, by longjmp, stay
 * until one with the same place begins.
 */
struct probe_call *probe_thread_push(struct probe_thread *self, uintptr_t slot);

/* It is over. */
void probe_thread_pop(struct probe_thread *self, struct probe_call *call);

/* There is no room for what it has to say. */
void probe_thread_stop(struct probe_thread *self);

/* To be called once. Returns 0, or -1: ends of threads and forks will not be noticed. */
int probe_threads_begin(void);

/* Whose call has its return address in `slot`, among all threads; NULL: nobody's. */
struct probe_call *probe_threads_find(uintptr_t slot);

#endif
