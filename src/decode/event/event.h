/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scheduling event, a value without pointers. Every reader makes these. */
#ifndef PSCAL_DECODE_EVENT_EVENT_H
#define PSCAL_DECODE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/event/quality.h"

/* --- States of threads --------------------------------------------------------------------- */

/*
 * The state of a thread. Active means running or runnable; a trace may show only that, or nothing.
 */
enum thread_state {
	STATE_NONE,	/* does not exist, or no longer */
	STATE_UNKNOWN,	/* before the first evidence, after lost records */
	STATE_ACTIVE,	/* running or runnable, not known which */
	STATE_RUNNING,	/* on a CPU */
	STATE_RUNNABLE, /* woken or preempted, waiting for a CPU */
	STATE_INACTIVE, /* not active, not known why */
	STATE_SLEEPING, /* S: waits for an event */
	STATE_DISK,	/* D: waits without being interruptible, mostly for a device */
	STATE_STOPPED,	/* T, t: by a signal or a debugger */
	STATE_COUNT,
} __attribute__((packed));

/* "running", ... */
const char *thread_state_name(enum thread_state state);

static inline bool thread_state_is_active(enum thread_state state)
{
	return state >= STATE_ACTIVE && state <= STATE_RUNNABLE;
}

/*
 * The state of a thread that leaves its CPU, from the letters that the kernel prints: "S", "R+",
 * "D|K". Preempted is STATE_RUNNABLE, dead STATE_NONE, anything strange STATE_UNKNOWN.
 */
enum thread_state thread_state_of_letters(const char *letters);

/* The same from prev_state of sched_switch, bits of Linux 4.14 and later (fs/proc/array.c). */
enum thread_state thread_state_of_bits(uint64_t prev_state);

/* --- Calls --------------------------------------------------------------------------------- */

/*
 * Calls in which a thread waits for others or wakes them, and which a recording may hold
 * beside the scheduler's events: as tracepoints of system calls, or as probes on the C library,
 * which also see what never reaches the kernel.
 *
 * `object` of an event is the address of what the call is about, in the process of its thread,
 * `count` and `object2` what stands behind the name.
 */
enum sync_call {
	SYNC_NONE,

	/* System calls, with an EVENT_RETURN: syscalls:sys_enter_X and sys_exit_X. */
	SYNC_FUTEX_WAIT, /* object: the word; count: what it has to be, of FUTEX_WAIT_BITSET ~ that */
	SYNC_FUTEX_WAKE, /* also FUTEX_WAKE_BITSET, _OP; count: how many at most */
	SYNC_FUTEX_MOVE, /* FUTEX_(CMP_)REQUEUE; count: how many are woken; object2: where the
			    others wait from now on */
	SYNC_FUTEX_LOCK, /* FUTEX_LOCK_PI and the like */
	SYNC_FUTEX_UNLOCK,
	SYNC_SLEEP, /* nanosleep, clock_nanosleep; no object */
	SYNC_YIELD, /* sched_yield; no object, and its end may not be on record */

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
} __attribute__((packed));

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

/* --- Sockets ------------------------------------------------------------------------------- */

/*
 * The sockets at which the requests of a server come in and its answers go out. An EVENT_SOCKET has
 *
 *	socket	what happens there
 *	object	the socket: an address in the kernel, which is its own while it is open
 *	count	of SOCKET_RECEIVED and SOCKET_SENT: bytes; below 0: an error, of which no byte has
 *		gone; 0 of SOCKET_RECEIVED: the other side has closed it
 *
 * Of SOCKET_READY and SOCKET_STATE `tid` is only the thread that the network interrupted.
 */
enum socket_event {
	SOCKET_NOTHING,
	SOCKET_READY,	 /* data has come in that no thread has read yet */
	SOCKET_RECEIVED, /* `tid` has read from it */
	SOCKET_SENT,	 /* `tid` has written to it */
	SOCKET_STATE,	 /* a connection goes over to the state `count` of TCP: see below */
	SOCKET_EVENTS,
} __attribute__((packed));

/* States of TCP that matter, include/net/tcp_states.h of Linux. */
enum { SOCKET_ESTABLISHED = 1, SOCKET_ASKS = 2, SOCKET_CLOSED = 7 }; /* TCP_SYN_SENT: asks */

/* --- Steps of tasks ------------------------------------------------------------------------ */

/*
 * Steps of tasks (pscal/task.h, OpenMP): what EVENT_STEP tells. The event has
 *
 *	block	the place in the source, whose name is "FUNCTION FILE:LINE", or "FUNCTION+0x12"
 *		where no line is known
 *	step	what the task does there
 *	object	the task, a number that is its own in its process
 *	object2	TASK_BEGIN: its parent; 0: none
 *	count	TASK_BEGIN: its index among the parent's children; TASK_SPAWN, TASK_SYNC_OF:
 *		that of the child (a uint32_t, as are all indices); TASK_SYNC: 1 if it waits for
 *		what is below these children, too, else 0
 *	counted	what its thread has counted so far, by the counters of blocks.h; TASK_UNCOUNTED:
 *		not known
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

/* "begin", "end", "spawn", "spawned", "sync_of", "sync", ...; NULL: there is none. */
const char *task_step_name(unsigned step);

/* Does a block of code begin with it (BEGIN, SPAWNED, SYNCED, RESUME)? */
static inline bool task_step_starts(enum task_step step)
{
	return step == TASK_BEGIN || step == TASK_SPAWNED || step == TASK_SYNCED ||
	       step == TASK_RESUME;
}

/* ... or end (SPAWN, SYNC, PAUSE, BARRIER, END)? */
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
	EVENT_LAST,	  /* the same, but no evidence of what it does: see handle_last() */
	EVENT_END,	  /* `tid` has ended. Only where no sched_switch tells its last switch */
	EVENT_EXEC,	  /* `tid`, the first of process `pid`, has just done an exec on `cpu` */
	EVENT_TASK,	  /* `tid` exists, in process `pid`, a child of process `other_pid` */
	EVENT_STATE,	  /* `tid` was found in `state` */
	EVENT_RAN,    /* sched_stat_runtime: `tid` runs and has for `ran_ns` of late; see below */
	EVENT_GAP,    /* from now on records of `cpu` (-1: any) are missing, or were not wanted */
	EVENT_CALL,   /* `tid` begins `call`, in which it may wait or let others go on */
	EVENT_RETURN, /* ... and has ended it. Neither is evidence of a state beyond running */
	EVENT_ENTER,  /* `tid` enters the code block `block` ... */
	EVENT_LEAVE,  /* ... and leaves it. Neither is evidence of any state */
	EVENT_FAULT,  /* `tid` touches memory that is not there: the kernel sees to that ... */
	EVENT_FAULT_END, /* ... and has. Neither is evidence of any state */
	EVENT_STEP, /* a task does `step`, which `tid` runs; see enum task_step. Neither is this */
	EVENT_SOCKET,  /* something happens at a socket. Evidence of no state */
	EVENT_SAMPLED, /* `tid` exists. Where nothing tells which thread has a CPU */
	EVENT_NOTE,    /* nothing but a case of `note`, where the timeline is audited */
} __attribute__((packed));

/* Arguments of a call that an event can hold; a block is a number of blocks.h. */
enum { BLOCK_ARGUMENTS = 4 };

/*
 * Bytes of a name with its NUL: of a thread as the kernel has it, and with what people are told
 * beside it (stats/spin/thread_names.h). CPUs have smaller numbers than CPU_MAX, which is the largest
 * CONFIG_NR_CPUS of Linux.
 */
enum { COMM_SIZE = 16, THREAD_NAME_SIZE = 48, CPU_MAX = 8192 };

/* The kernel has two for a thread in a PID namespace. */
enum event_numbers {
	NUMBERS_OF_HOST,
	NUMBERS_OF_PAYLOAD, /* the same, but the namespace's for `pid` */
	NUMBERS_OF_NAMESPACE,
} __attribute__((packed));

/*
 * EVENT_RAN: update_curr() of kernel/sched/fair.c raises it at each tick, each switch and wherever
 * else it brings the account of a CPU up to date, and `ran_ns` is what has passed since it did so
 * before or since the thread got the CPU. A thread that wakes another may do that for the CPU where
 * this one is to run: so `cpu` is -1 unless `tid` itself was current where the event was raised.
 */
struct event {
	uint64_t time_ns; /* in the clock of the recording */
	enum event_kind kind;
	enum thread_state state;
	enum event_numbers numbers; /* readers' own: whose numbers these are */
	int32_t cpu;		    /* -1: not known */
	int32_t pid, tid;	    /* of the actor; pid -1: not known */
	int32_t other_pid, other;   /* the other thread; pid -1: not known */
	enum quality_fact note;	    /* EVENT_NOTE; EVENT_GAP: QUALITY_PAUSED where not wanted */
	bool interrupt;		    /* EVENT_WAKE: an interrupt did it, `tid` was only current */
	enum sync_call call;	    /* EVENT_CALL; EVENT_RETURN, or SYNC_NONE: the last one */
	union {
		enum task_step step;	  /* EVENT_STEP; objects and count: see there */
		enum socket_event socket; /* EVENT_SOCKET */
	};
	int32_t count; /* EVENT_CALL; as are the two objects, see enum sync_call */
	/* EVENT_ENTER: of `arguments`; EVENT_LEAVE: 1 or 0 */
	uint32_t chain; /* of calls, of `tid`; see samples.h; 0: not known */
	/* EVENT_TASK: how it began, of event_source.starts */
	uint32_t block;	      /* EVENT_ENTER, EVENT_LEAVE, EVENT_STEP */
	uint64_t place;	      /* in the input: bytes before its record, or its line from 1 on */
	char comm[COMM_SIZE]; /* of tid, empty when not known; behind its NUL is anything */
	char other_comm[COMM_SIZE]; /* of other */
	union {
		uint64_t ran_ns; /* EVENT_RAN */
		struct {
			uint64_t object, object2;
			uint64_t counted[TASK_COUNTED_MAX]; /* EVENT_STEP */
		};
		double arguments[BLOCK_ARGUMENTS]; /* EVENT_LEAVE: what it returns */
	};
};

/* One of which no more is known. */
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

/* For readers, where their source is audited: a case of `fact`, which they have counted. */
static inline struct event event_note(enum quality_fact fact, uint64_t place)
{
	struct event event = event_new(EVENT_NOTE, 0);

	event.note = fact;
	event.place = place;
	return event;
}

/*
 * Of a PERF_RECORD_FORK, read as a task `tid` which `other` has created: the EVENT_FORK that it is
 * where it was written at that moment.
 */
struct event event_birth(const struct event *task);

/* The data of any step of a task. */
struct task_step_fields {
	uint64_t step, task, value, index;
};

/*
 * Fills in step, objects and count of `event`; what does not belong to the step is zero, and
 * nothing is counted. Returns 0, or -1 when there is no such step.
 */
int event_set_step(struct event *event, const struct task_step_fields *fields);

/* Copies at most `length` bytes of a name that may lack its NUL. */
void event_set_comm(char comm[COMM_SIZE], const char *name, size_t length);

/* --- Events that tell of calls ------------------------------------------------------------- */

/*
 * For readers: how the events of recordings that tell of calls are named, which fields matter, and
 * what these mean. Each reader finds the fields by itself, formats in payloads and call_text in
 * texts.
 */

/* Each name has a number from 0 on: system calls, sockets, then probes of the C library. */
enum {
	CALL_EVENT_SYSTEM = 8,
	CALL_EVENT_SOCKET = CALL_EVENT_SYSTEM + SOCKET_EVENTS - SOCKET_READY,
	CALL_EVENTS = CALL_EVENT_SOCKET + SYNC_CALLS - SYNC_MUTEX_LOCK,
};

/*
 * The number of "syscalls" "sys_enter_futex" or of "pscal" "mutex_lock", where `name` has `length`
 * bytes; `system` NULL: it was not printed. -1: it tells of no call.
 */
int call_event_find(const char *system, const char *name, size_t length);

/* The fields that an event may have. */
enum call_field {
	CALL_FIELD_OBJECT,
	CALL_FIELD_OBJECT2,
	CALL_FIELD_COUNT,
	CALL_FIELD_OP, /* of futex(2): which call it is */
	CALL_FIELDS,
};

/* Its name there; NULL: that event has none. */
const char *call_event_field(int number, enum call_field field);

/* Does it say nothing without that field? */
bool call_event_needs(int number, enum call_field field);

/*
 * Fills in all of `event` that is about the call, whose fields have these values (0: not there).
 * Of an EVENT_RETURN the call is SYNC_NONE where only the beginning tells it. False: it is none
 * of enum sync_call, and `event` is as it was.
 */
bool call_event_make(struct event *event, int number, const uint64_t values[CALL_FIELDS]);

#endif
