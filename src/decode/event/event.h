/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One scheduling event, a value: it points nowhere. Every reader makes these, whatever it reads.
 */
#ifndef PSCAL_DECODE_EVENT_EVENT_H
#define PSCAL_DECODE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/event/quality.h"
#include "decode/event/sync_call.h"
#include "decode/event/task_step.h"

/*
 * What a thread is doing. Active means running or runnable; what a trace shows may be enough to
 * tell that much and no more, or nothing at all.
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
};

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

enum event_kind {
	EVENT_SWITCH,	  /* `tid` leaves `cpu` and is then in `state`; `other` gets the CPU */
	EVENT_SWITCH_IN,  /* PERF_RECORD_SWITCH: `tid` got `cpu` */
	EVENT_SWITCH_OUT, /* PERF_RECORD_SWITCH: `tid` left `cpu` and is then in `state` */
	EVENT_WAKE,	  /* `tid` wakes `other` */
	EVENT_FORK,	  /* `tid` creates `other`, which is runnable from now on */
	EVENT_EXIT,	  /* `tid` is about to end: it still runs up to its last switch */
	EVENT_END,	  /* `tid` has ended. Only where no sched_switch tells its last switch */
	EVENT_EXEC,   /* `tid`, the first of process `pid`, is who has just done an exec on `cpu` */
	EVENT_TASK,   /* `tid` exists, in process `pid`, a child of process `other_pid` */
	EVENT_STATE,  /* `tid` was found in `state` */
	EVENT_RAN,    /* sched_stat_runtime: `tid` runs and has for `ran_ns` of late; see below */
	EVENT_GAP,    /* from now on records of `cpu` (-1: any) are missing, or were not wanted */
	EVENT_CALL,   /* `tid` begins `call`, in which it may wait or let others go on */
	EVENT_RETURN, /* ... and has ended it. Neither is evidence of a state beyond running */
	EVENT_ENTER,  /* `tid` enters the code block `block` ... */
	EVENT_LEAVE,  /* ... and leaves it. Neither is evidence of any state */
	EVENT_FAULT,  /* `tid` touches memory that is not there: the kernel sees to that ... */
	EVENT_FAULT_END, /* ... and has. Neither is evidence of any state */
	EVENT_STEP, /* a task does `step`, which `tid` runs; see task_step.h. Neither is this */
	EVENT_NOTE, /* nothing but a case of `note`, where the timeline is audited */
};

/* Arguments of a call that an event can hold; a block is a number of blocks.h. */
enum { BLOCK_ARGUMENTS = 4 };

/* Bytes of a name with its NUL. CPUs have smaller numbers than CPU_MAX; Linux has at most 8192. */
enum { COMM_SIZE = 16, CPU_MAX = 1 << 16 };

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
	int32_t cpu;		    /* -1: not known */
	int32_t pid, tid;	    /* who acts; pid -1: not known */
	int32_t other_pid, other;   /* the other thread; pid -1: not known */
	char comm[COMM_SIZE];	    /* of tid, empty when not known */
	char other_comm[COMM_SIZE]; /* of other */
	enum quality_fact note;	    /* EVENT_NOTE; EVENT_GAP: QUALITY_PAUSED where not wanted */
	bool interrupt;		    /* EVENT_WAKE: an interrupt did it, `tid` was only current */
	enum sync_call call;	    /* EVENT_CALL; EVENT_RETURN, or SYNC_NONE: the last one */
	int32_t count;		    /* EVENT_CALL; as are the two objects, see sync_call.h */
				    /* EVENT_ENTER: of `arguments`; EVENT_LEAVE: 1 or 0 */
	uint32_t chain;		    /* of calls, of `tid`; see chains.h; 0: not known */
	uint32_t block;		    /* EVENT_ENTER, EVENT_LEAVE, EVENT_STEP */
	enum task_step step;	    /* EVENT_STEP; objects and count: see task_step.h */
	union {
		uint64_t ran_ns; /* EVENT_RAN */
		struct {
			uint64_t object, object2;
			uint64_t counted[TASK_COUNTED_MAX]; /* EVENT_STEP */
		};
		double arguments[BLOCK_ARGUMENTS]; /* EVENT_LEAVE: what it returns */
	};
	uint64_t place; /* in the input: bytes before its record, or its line from 1 on */
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

/* Copies at most `length` bytes of a name that may lack its NUL. */
void event_set_comm(char comm[COMM_SIZE], const char *name, size_t length);

#endif
