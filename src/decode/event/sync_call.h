/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls in which a thread waits for others or lets them go on, and which a recording may hold
 * beside the scheduler's events: as tracepoints of system calls, or as probes on the C library,
 * which also see what never reaches the kernel.
 */
#ifndef PSCAL_DECODE_EVENT_SYNC_CALL_H
#define PSCAL_DECODE_EVENT_SYNC_CALL_H

#include <stdbool.h>

/*
 * `object` of an event is the address of what the call is about, in the process of its thread,
 * `count` and `object2` what stands behind the name.
 */
enum sync_call {
	SYNC_NONE,

	/* System calls, with an EVENT_RETURN: syscalls:sys_enter_X and sys_exit_X. */
	SYNC_FUTEX_WAIT, /* also FUTEX_WAIT_BITSET; object: the word */
	SYNC_FUTEX_WAKE, /* also FUTEX_WAKE_BITSET, _OP; count: how many at most */
	SYNC_FUTEX_MOVE, /* FUTEX_(CMP_)REQUEUE; count: how many are woken; object2: where the
			    others wait from now on */
	SYNC_FUTEX_LOCK, /* FUTEX_LOCK_PI and the like */
	SYNC_FUTEX_UNLOCK,
	SYNC_SLEEP, /* nanosleep, clock_nanosleep; no object */
	SYNC_YIELD, /* sched_yield; no object */

	/* Calls of the C library, pscal:X at their beginning. */
	SYNC_MUTEX_LOCK,
	SYNC_MUTEX_TRYLOCK,
	SYNC_MUTEX_UNLOCK,
	SYNC_READ_LOCK,	 /* pthread_rwlock_rdlock */
	SYNC_WRITE_LOCK, /* pthread_rwlock_wrlock */
	SYNC_RW_UNLOCK,
	SYNC_COND_WAIT, /* also timed; object2: the mutex */
	SYNC_COND_SIGNAL,
	SYNC_COND_BROADCAST,
	SYNC_BARRIER_INIT, /* count: its parties */
	SYNC_BARRIER_WAIT,
	SYNC_SEM_INIT, /* count: its tokens */
	SYNC_SEM_WAIT, /* also timed */
	SYNC_SEM_POST,
	SYNC_CALLS,
};

/* Is it one to the kernel, of which also the end is on record? */
static inline bool sync_call_is_system(enum sync_call call)
{
	return call != SYNC_NONE && call <= SYNC_YIELD;
}

/* Is it one to the kernel that may wait at a word, as all waits in the C library do? */
static inline bool sync_call_waits_at_word(enum sync_call call)
{
	return call == SYNC_FUTEX_WAIT || call == SYNC_FUTEX_LOCK;
}

/*
 * "futex_wait", ..., "mutex_lock": the name of the call, which of a probe is that of its event in
 * the group "pscal".
 */
const char *sync_call_name(enum sync_call call);

/* The call that is named so; SYNC_NONE: none is. */
enum sync_call sync_call_of_name(const char *name);

#endif
