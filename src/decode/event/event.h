/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scheduling event, a value without pointers. Every reader makes such events. */
#ifndef PSCAL_DECODE_EVENT_EVENT_H
#define PSCAL_DECODE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/event/quality.h"

/* --- States of threads --------------------------------------------------------------------- */

/* The state of a thread. Active means running or runnable; some traces show only that, or less. */
enum thread_state {
	STATE_NONE,	/* not born yet, or dead */
	STATE_UNKNOWN,	/* before the first evidence, and after lost records */
	STATE_ACTIVE,	/* running or runnable, the trace does not say which */
	STATE_RUNNING,	/* on a CPU */
	STATE_RUNNABLE, /* woken or preempted, waiting for a CPU */
	STATE_INACTIVE, /* not active, the trace does not say why */
	STATE_SLEEPING, /* S: waits for an event */
	STATE_DISK,	/* D: an uninterruptible wait, mostly for a device */
	STATE_STOPPED,	/* T, t: stopped by a signal or a debugger */
	STATE_COUNT,
} __attribute__((packed));

/* Returns the name of a state: "running", ... */
const char *thread_state_name(enum thread_state state);

static inline bool thread_state_is_active(enum thread_state state)
{
	return state >= STATE_ACTIVE && state <= STATE_RUNNABLE;
}

/*
 * Returns the state of a thread that leaves its CPU, from the kernel's letters: "S", "R+", "D|K". A
 * preempted thread is STATE_RUNNABLE, a dead one STATE_NONE; other letters are STATE_UNKNOWN.
 */
enum thread_state thread_state_of_letters(const char *letters);

/* Returns the state for bits of prev_state, Linux 4.14 and later (fs/proc/array.c). */
enum thread_state thread_state_of_bits(uint64_t prev_state);

/* --- Calls --------------------------------------------------------------------------------- */

/*
 * Calls in which a thread waits for other threads or wakes them. A recording may hold them beside
 * the scheduling events: as tracepoints of system calls, or as probes on the C library, which also
 * see calls that never reach the kernel.
 *
 * `object` of an event is the address of the lock, word or other object of the call, in the process
 * of its thread. The comments below say what `count` and `object2` are.
 */
enum sync_call {
	SYNC_NONE,

	/* System calls, with an EVENT_RETURN: syscalls:sys_enter_X and sys_exit_X. */
	/* object: the word; count: its expected value, for FUTEX_WAIT_BITSET the complement */
	SYNC_FUTEX_WAIT,
	SYNC_FUTEX_WAKE, /* also FUTEX_WAKE_BITSET, _OP; count: the most threads to wake */
	/* FUTEX_(CMP_)REQUEUE; count: the threads to wake; object2: where the others then wait */
	SYNC_FUTEX_MOVE,
	SYNC_FUTEX_LOCK, /* FUTEX_LOCK_PI and the like */
	SYNC_FUTEX_UNLOCK,
	SYNC_SLEEP, /* nanosleep, clock_nanosleep; no object */
	SYNC_YIELD, /* sched_yield; no object, and its end may be missing */

	/* Calls of the C library, recorded at their beginning: pscal:X. */
	SYNC_MUTEX_LOCK,
	SYNC_MUTEX_TRYLOCK,
	SYNC_MUTEX_UNLOCK,
	SYNC_READ_LOCK,	 /* pthread_rwlock_rdlock */
	SYNC_WRITE_LOCK, /* pthread_rwlock_wrlock */
	SYNC_RW_UNLOCK,
	SYNC_COND_WAIT, /* also timed waits; object2: the mutex */
	SYNC_COND_SIGNAL,
	SYNC_COND_BROADCAST,
	SYNC_BARRIER_INIT, /* count: the threads that the barrier waits for */
	SYNC_BARRIER_WAIT,
	SYNC_SEM_INIT, /* count: the initial value of the semaphore */
	SYNC_SEM_WAIT, /* also timed waits */
	SYNC_SEM_POST,
	SYNC_CALLS,
} __attribute__((packed));

/* Returns true for system calls, whose end is recorded, too. */
static inline bool sync_call_is_system(enum sync_call call)
{
	return call != SYNC_NONE && call <= SYNC_YIELD;
}

/* Returns true for system calls that may wait at a futex word, as all waits of the C library do. */
static inline bool sync_call_waits_at_word(enum sync_call call)
{
	return call == SYNC_FUTEX_WAIT || call == SYNC_FUTEX_LOCK;
}

/*
 * Returns the name of the call: "futex_wait", ..., "mutex_lock". The name of a probe is that of its
 * event in the group "pscal".
 */
const char *sync_call_name(enum sync_call call);

/* Returns the call with this name, or SYNC_NONE if there is none. */
enum sync_call sync_call_of_name(const char *name);

/* --- Sockets ------------------------------------------------------------------------------- */

/*
 * The sockets at which requests reach a server and its answers leave. An EVENT_SOCKET has
 *
 *	socket	what happens at the socket
 *	object	the address of the socket in the kernel, unique while the socket is open
 *	count	SOCKET_RECEIVED and SOCKET_SENT: the number of bytes; below 0: an error, and no
 *		byte was transferred; 0 of SOCKET_RECEIVED: the other side closed the connection
 *
 * In SOCKET_READY and SOCKET_STATE `tid` is only the thread that the network interrupted.
 */
enum socket_event {
	SOCKET_NOTHING,
	SOCKET_READY,	 /* data has arrived that no thread has read yet */
	SOCKET_RECEIVED, /* `tid` has read from the socket */
	SOCKET_SENT,	 /* `tid` has written to the socket */
	SOCKET_STATE,	 /* the TCP connection enters the state `count`, see below */
	SOCKET_EVENTS,
} __attribute__((packed));

/* States of TCP that matter here (include/net/tcp_states.h). SOCKET_ASKS is TCP_SYN_SENT. */
enum { SOCKET_ESTABLISHED = 1, SOCKET_ASKS = 2, SOCKET_CLOSED = 7 };

/* --- Steps of tasks ------------------------------------------------------------------------ */

/*
 * Steps of tasks (pscal/task.h, OpenMP), in an EVENT_STEP. The event has
 *
 *	block	the place in the source, whose name is "FUNCTION FILE:LINE", or "FUNCTION+0x12"
 *		if the line is not known
 *	step	what the task does there
 *	object	the number of the task, unique in its process
 *	object2	TASK_BEGIN: its parent; 0: none
 *	count	TASK_BEGIN: its index among the parent's children; TASK_SPAWN, TASK_SYNC_OF:
 *		the index of the child (a uint32_t, as are all indices); TASK_SYNC: 1 if it
 *		waits for all descendants, 0 if only for the children
 *	counted	the counts of its thread so far, one for each counter of blocks.h;
 *		TASK_UNCOUNTED: not known
 */

/* The largest number of counters of tasks. */
enum { TASK_COUNTED_MAX = 4 };
#define TASK_UNCOUNTED UINT64_MAX

/* The values are those of enum pscal_step. */
enum task_step {
	TASK_NO_STEP,
	TASK_BEGIN,
	TASK_END,
	TASK_SPAWN,
	TASK_SPAWNED,
	TASK_SYNC_OF,
	TASK_SYNC,
	TASK_SYNCED,
	TASK_PAUSE,
	TASK_RESUME,
	TASK_BARRIER,
	TASK_STEPS,
} __attribute__((packed));

/* Returns "begin", "end", "spawn", "spawned", ..., or NULL if there is no such step. */
const char *task_step_name(unsigned step);

/* Returns true if a block of code begins with this step (BEGIN, SPAWNED, SYNCED, RESUME). */
static inline bool task_step_starts(enum task_step step)
{
	return step == TASK_BEGIN || step == TASK_SPAWNED || step == TASK_SYNCED ||
	       step == TASK_RESUME;
}

/* Returns true if a block of code ends with this step (SPAWN, SYNC, PAUSE, BARRIER, END). */
static inline bool task_step_stops(enum task_step step)
{
	return step == TASK_SPAWN || step == TASK_SYNC || step == TASK_PAUSE ||
	       step == TASK_BARRIER || step == TASK_END;
}

/* --- Events -------------------------------------------------------------------------------- */

enum event_kind {
	EVENT_SWITCH,	  /* `tid` leaves `cpu` and is then in `state`; `other` gets the CPU */
	EVENT_SWITCH_IN,  /* PERF_RECORD_SWITCH: `tid` got `cpu`, which `other` has left */
	EVENT_SWITCH_OUT, /* PERF_RECORD_SWITCH: `tid` left `cpu` and is then in `state` */
	EVENT_WAKE,	  /* `tid` wakes `other` */
	EVENT_FORK,	  /* `tid` creates `other`, which is runnable from now on */
	EVENT_EXIT,	  /* `tid` is about to end: it still runs up to its last switch */
	EVENT_LAST, /* `tid` is about to end, with no evidence of its state: see handle_last() */
	EVENT_END, /* `tid` has ended. Only in inputs where no sched_switch shows its last switch */
	EVENT_EXEC,   /* `tid`, the main thread of process `pid`, has just done an exec on `cpu` */
	EVENT_TASK,   /* `tid` exists, in process `pid`, a child of process `other_pid` */
	EVENT_STATE,  /* `tid` was found in `state` */
	EVENT_RAN,    /* sched_stat_runtime: `tid` runs, and has run for `ran_ns`; see below */
	EVENT_GAP,    /* records of `cpu` (-1: any CPU) are missing, or not wanted, from now on */
	EVENT_CALL,   /* `tid` begins `call`, in which it may wait or wake others */
	EVENT_RETURN, /* `tid` ends a call. A call shows that the thread runs, and no more */
	EVENT_ENTER,  /* `tid` enters the code block `block`. No evidence of a state */
	EVENT_LEAVE,  /* `tid` leaves it. No evidence of a state */
	EVENT_FAULT,  /* `tid` begins a page fault. No evidence of a state */
	EVENT_FAULT_END, /* `tid` ends a page fault. No evidence of a state */
	/* a task that `tid` runs does `step`; see enum task_step. No evidence of a state */
	EVENT_STEP,
	EVENT_SOCKET,  /* something happens at a socket. No evidence of a state */
	EVENT_SAMPLED, /* `tid` exists. Only in inputs that do not show which thread has a CPU */
	EVENT_NOTE,    /* no event, but a case of `note`, if the timeline is audited */
} __attribute__((packed));

/* The largest number of arguments of a call that an event holds. */
enum { BLOCK_ARGUMENTS = 4 };

/*
 * COMM_SIZE and THREAD_NAME_SIZE are sizes with the NUL: of a thread name in the kernel, and of one
 * with what reports add (stats/spin/thread_names.h). CPU numbers are smaller than CPU_MAX, the
 * largest CONFIG_NR_CPUS of Linux.
 */
enum { COMM_SIZE = 16, THREAD_NAME_SIZE = 48, CPU_MAX = 8192 };

/* The namespace of the numbers in an event: a thread in a PID namespace has two numbers. */
enum event_numbers {
	NUMBERS_OF_HOST,
	NUMBERS_OF_PAYLOAD, /* `pid` is of the namespace, all others are of the host */
	NUMBERS_OF_NAMESPACE,
} __attribute__((packed));

/*
 * EVENT_RAN: update_curr() of kernel/sched/fair.c raises sched_stat_runtime at each tick, at each
 * switch and wherever else it updates the account of a CPU. `ran_ns` is the time since the last
 * update or since the thread got the CPU. A thread that wakes another may update the account of the
 * CPU where that one is to run: `cpu` is -1 unless `tid` was current on the CPU of the event.
 */
struct event {
	uint64_t time_ns; /* time by the clock of the recording */
	enum event_kind kind;
	enum thread_state state;
	enum event_numbers numbers; /* the namespace of the numbers; for readers only */
	int32_t cpu;		    /* -1: not known */
	int32_t pid, tid;	    /* the thread that acts; pid -1: not known */
	int32_t other_pid, other;   /* the other thread; pid -1: not known */
	/* EVENT_NOTE: the fact; EVENT_GAP: QUALITY_PAUSED if the user did not want records */
	enum quality_fact note;
	bool interrupt; /* EVENT_WAKE: an interrupt woke `other`, `tid` was only current */
	/* EVENT_CALL; EVENT_RETURN: SYNC_NONE is the last call of the thread */
	enum sync_call call;
	union {
		enum task_step step; /* EVENT_STEP, with count and objects as in enum task_step */
		enum socket_event socket; /* EVENT_SOCKET */
	};
	/* EVENT_CALL: see enum sync_call; EVENT_ENTER, EVENT_LEAVE: the number of `arguments` */
	int32_t count;
	/* the call chain of `tid` (samples.h), 0: not known; EVENT_TASK: an item of `starts` */
	uint32_t chain;
	uint32_t block;	      /* EVENT_ENTER, EVENT_LEAVE, EVENT_STEP: a number of blocks.h */
	uint64_t place;	      /* bytes of the input before the record, or the line number */
	char comm[COMM_SIZE]; /* the name of `tid`, or empty; bytes behind the NUL are arbitrary */
	char other_comm[COMM_SIZE]; /* the name of `other` */
	union {
		uint64_t ran_ns; /* EVENT_RAN */
		struct {
			uint64_t object, object2;
			uint64_t counted[TASK_COUNTED_MAX]; /* EVENT_STEP */
		};
		/* EVENT_LEAVE: arguments[0] is the return value */
		double arguments[BLOCK_ARGUMENTS];
	};
};

/* Returns an event with all other members unknown. */
static inline struct event event_new(enum event_kind kind, uint64_t time_ns)
{
	return (struct event){
		.kind = kind,
		.time_ns = time_ns,
		.cpu = -1,
		.pid = -1,
		.tid = -1,
		.other_pid = -1,
		.other = -1,
	};
}

/* Returns an event for the audit: a case of `fact`, which the reader has counted. */
static inline struct event event_note(enum quality_fact fact, uint64_t place)
{
	struct event event = event_new(EVENT_NOTE, 0);

	event.note = fact;
	event.place = place;
	return event;
}

/*
 * Turns the EVENT_TASK of a PERF_RECORD_FORK, a task `tid` with the parent `other`, into the
 * EVENT_FORK that it stands for if the record was written at that moment.
 */
struct event event_birth(const struct event *task);

/* The data of any step of a task. */
struct task_step_fields {
	uint64_t step, task, value, index;
};

/*
 * Sets step, objects and count of `event`. Members that the step does not use are zero, and the
 * counters are TASK_UNCOUNTED. Returns 0, or -1 if there is no such step.
 */
int event_set_step(struct event *event, const struct task_step_fields *fields);

/* Copies at most `length` bytes of a name, which may lack its NUL. */
void event_set_comm(char comm[COMM_SIZE], const char *name, size_t length);

/* --- Events of calls ----------------------------------------------------------------------- */

/*
 * For readers: the names of the events that record calls, the fields that matter, and their
 * meaning. Each reader finds the fields itself, formats in payloads and call_text in texts.
 */

/* The events have numbers from 0 on: system calls, sockets, then probes of the C library. */
enum {
	CALL_EVENT_SYSTEM = 8,
	CALL_EVENT_SOCKET = CALL_EVENT_SYSTEM + SOCKET_EVENTS - SOCKET_READY,
	CALL_EVENTS = CALL_EVENT_SOCKET + SYNC_CALLS - SYNC_MUTEX_LOCK,
};

/*
 * Returns the number of an event such as "syscalls" "sys_enter_futex" or "pscal" "mutex_lock", or
 * -1 for others. `name` has `length` bytes; `system` is NULL if the input does not print it.
 */
int call_event_find(const char *system, const char *name, size_t length);

/* The fields that an event may have. */
enum call_field {
	CALL_FIELD_OBJECT,
	CALL_FIELD_OBJECT2,
	CALL_FIELD_COUNT,
	CALL_FIELD_OP, /* the operation of futex(2) */
	CALL_FIELDS,
};

/* Returns the name of the field in the event, or NULL if the event has no such field. */
const char *call_event_field(int number, enum call_field field);

/* Returns true if the event has no meaning without this field. */
bool call_event_needs(int number, enum call_field field);

/*
 * Sets all members of `event` that describe the call, from the values of its fields (0: missing).
 * An EVENT_RETURN has the call SYNC_NONE if only its beginning shows the call. Returns false, with
 * `event` unchanged, if the call is none of enum sync_call.
 */
bool call_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS]);

#endif
