/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns events into states: the state of each thread of the target over time.
 *
 * The timeline is a stream of changes. A change ends an interval and has the next state of the
 * thread. The state of an interval is certain only when it ends: a thread that seemed to sleep may
 * leave a CPU without a record that it got one, and then the end of its sleep is unknown. So a
 * change carries the final state of the interval that ended, which may differ from the `next` of
 * the change before; no reader of changes needs to guess.
 *
 * Intervals of one thread follow one another without a gap from its first to its last.
 *
 * Rules, each with its source:
 *  - A wake is sched_waking (the waker's view) or sched_wakeup. A thread woken while it still runs
 *    may be switched out as sleeping and is runnable all the same: known when it gets a CPU with no
 *    further wake.
 *  - A new thread is runnable from its fork on, and has the name of its creator.
 *  - A thread whose first event is its wakeup did not run before: its switch-out would be on
 *    record. After any other first event its past is unknown.
 *  - A thread with a switch-in but no wake slept up to then (counted: repaired_wakes). In a
 *    recording without any wakes this is a limit of the recording (no_wakes).
 *  - PERF_RECORD_SWITCH comes after the sched_switch of the same switch, which says more, and then
 *    changes nothing. Alone it says which thread runs and when, but not why a thread that was not
 *    preempted left.
 *  - Some recordings do not say why a thread left its CPU: those of kernels before 4.17, and those
 *    that have the PERF_RECORD_SWITCH of the next thread only. The state of the thread is then
 *    unknown (unmarked_switch_outs), but if a wakeup of it comes next, it slept.
 *  - A thread with a switch-out but no switch-in was active since its wakeup, if any, but running
 *    and runnable cannot be told apart; without a wakeup the whole interval is unknown
 *    (missed_switch_ins). Some guest kernels hide switches out of the idle task from perf. The same
 *    holds for a thread that raises an event on a CPU without a record that it got the CPU.
 *  - ... unless sched_stat_runtime says since when it ran (witnessed_switch_ins). Before that it
 *    was runnable if it had been woken. If not, it slept if the CPU was idle by the record, as the
 *    scheduler lets no thread wait for an idle CPU (repaired_wakes); else the time before is
 *    unknown. As such events are about the past, recordings with them have their changes held back
 *    for some milliseconds.
 *  - Records lost on a CPU make every thread that it may have touched unknown (EVENT_GAP), and so
 *    does a pause all threads.
 *  - Events out of order happen now (late) or not at all (clock_back; timeline.c). When the clock
 *    was set back all threads are unknown.
 *  - A switch that is on record twice within a microsecond happens once (repeated).
 *  - A fork of a living thread, or a living thread in another process than before, shows a number
 *    used again: the earlier thread ended without a record, and is unknown from its last change on
 *    (reused_numbers). A thread with the number of one that left its CPU for ever was born without
 *    a record, and exists from now on (reused_numbers, too).
 *  - A thread that was about to end (sched_process_exit, PERF_RECORD_EXIT) has ended when another
 *    is on its CPU, or the records of that are lost. Without sched_switch it ends at
 *    PERF_RECORD_EXIT, and events of its number before the next birth are still of that thread.
 *  - If a filter left switches out, a new thread is unknown up to its first switch.
 */
#ifndef PSCAL_DECODE_TIMELINE_TIMELINE_H
#define PSCAL_DECODE_TIMELINE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "decode/event/event.h"
#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"

struct err;
struct timeline;

/*
 * The waker or creator of a thread: its number if it belongs to the target. Other threads are not
 * distinguished, but interrupts are: the thread that such an event names had no part in the wakeup.
 */
enum {
	BY_NO_THREAD = UINT32_MAX,    /* none, or unknown */
	BY_STRANGER = UINT32_MAX - 1, /* a thread outside the target */
	BY_INTERRUPT = UINT32_MAX - 2,
};

struct change {
	uint64_t begin_ns, end_ns; /* the interval that ended */
	enum thread_state state;   /* the state; STATE_NONE with begin = end: a thread appears */
	enum thread_state next;	   /* the state from end_ns on; STATE_NONE: the thread ends */
	bool left_cpu;		   /* a switch-out ended the interval */
	uint32_t by;		   /* the waker that ended the interval, or the creator */
	uint32_t before;	   /* runnable interval: the thread that left its CPU to this one */
	size_t thread;	  /* the number of the thread: 0, 1, 2, ... in the order of appearance */
	int32_t tid, pid; /* pid -1: not known */
	int32_t cpu;	  /* the CPU of a running interval; -1: not running, or not known */
	int32_t waker;	  /* the tid of the waker that began the interval; -1: none */
	uint32_t chain;	  /* the call chain in which it left its CPU; 0: it did not, or not known */
	uint32_t start;	  /* the start, a number of event_source.starts; 0: not known */
	char comm[COMM_SIZE];
};

/* The source and what the selection points to are borrowed until the timeline is freed. */
struct timeline *timeline_new(struct event_source *source, const struct selection *selection);
void timeline_free(struct timeline *timeline);

/*
 * Gives the changes in the order of end_ns. Returns 1 with a change, 0 at the end, or -1 with an
 * error, also if the trace ends without a thread of the target.
 */
int timeline_next(struct timeline *timeline, struct change *change, struct err *err);

/* Does the same as timeline_next() without a copy: *change is valid until the next call. */
int timeline_borrow(struct timeline *timeline, const struct change **change, struct err *err);

/*
 * An event that does not end the interval of a thread of the target: EVENT_CALL, EVENT_RETURN, and
 * an EVENT_WAKE that finds the thread running. Such a thread was about to wait, and stays ready:
 * the state with which it leaves its CPU next does not count. EVENT_ENTER, EVENT_LEAVE, EVENT_STEP
 * and page faults are marks in any state. EVENT_SOCKET is a mark of its own kind: the work of the
 * network belongs to no thread.
 */
#define MARK_OF_NETWORK SIZE_MAX
struct mark {
	const struct event *event; /* borrowed until `take` returns */
	uint64_t time_ns;	   /* the time of the event: no earlier than the mark before */
	size_t thread;		   /* the number of the thread, or MARK_OF_NETWORK */
	int32_t pid;		   /* the process of the thread; -1: not known */
	uint32_t by;		   /* EVENT_WAKE: the waker, as in struct change */
};

/*
 * Calls `take` for each mark, at its event: before the change that ends the interval of the mark,
 * and maybe before other changes that end earlier. `take` NULL: no longer.
 */
void timeline_want_marks(struct timeline *timeline,
			 void (*take)(void *context, const struct mark *mark), void *context);
void timeline_want_sockets(struct timeline *timeline,
			   void (*take)(void *context, const struct mark *mark), void *context);

/*
 * The number of calls that threads of the target have begun so far (see enum sync_call), and of
 * blocks. Events recorded in the process have no CPU (`blocks`), those of an uprobe have one
 * (`probed`).
 */
struct timeline_calls {
	uint64_t library, system;
	uint64_t blocks, probed;
	uint64_t steps; /* the steps of tasks */
};
struct timeline_calls timeline_calls(const struct timeline *timeline);

/* A case of a fact of quality.h. */
struct finding {
	enum quality_fact fact;
	enum thread_state past; /* the state assumed for the thread up to time_ns; or none */
	uint64_t since_ns;	/* the beginning of that state */
	uint64_t time_ns;
	uint64_t place; /* the place of the event that shows the case, see event.h; 0: none */
	int32_t cpu;	/* the CPU of that event; -1: not known */
	int32_t tid;	/* the thread in question; -1: none, or not known */
	char comm[COMM_SIZE];
};

/*
 * Gives findings instead of changes, for a caller that looks for faults of the source. Not to be
 * mixed with timeline_next().
 */
int timeline_next_finding(struct timeline *timeline, struct finding *finding, struct err *err);

/*
 * Returns the beginning of the timeline, or 0 if it is not known yet: the start of the recording if
 * the program ran before, else the birth of the first thread of the target, or the first event.
 */
uint64_t timeline_begin_ns(const struct timeline *timeline);

/*
 * Returns the changes that would follow if the trace ended here: those that are held back, and the
 * ends of all open intervals. Complete while timeline_next() waits for another event. The caller
 * frees *open.
 */
size_t timeline_open(const struct timeline *timeline, struct change **open);

/* Returns the number of CPUs on which the target has run so far. */
unsigned timeline_cpus(const struct timeline *timeline);

#endif
