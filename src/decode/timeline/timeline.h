/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events to states: the state of each thread of the target over time.
 *
 * The timeline is a stream of changes. A change ends an interval and tells the state in which the
 * thread goes on. What a thread did is only certain when the interval has ended: a thread that
 * seemed to sleep may leave a CPU without ever having been seen to get it, and then it is not
 * known how long it slept. So a change carries the final state of the interval that ended, which
 * may differ from what the change before had announced; no reader of changes needs to guess.
 *
 * Intervals of one thread follow one another without a gap from its first to its last.
 *
 * Rules, each with its source:
 *  - A wake is sched_waking (the waker's view) or sched_wakeup. A thread woken while it still runs
 *    may be switched out as sleeping and is runnable all the same: known when it gets a CPU with no
 *    further wake.
 *  - A new thread is runnable from its fork on, and has the name of its creator.
 *  - A thread first met when it is woken did not run before: its switch-out would be on record.
 *    Any other first meeting leaves its past unknown.
 *  - A switch-in without a wake: it slept up to then (counted: repaired_wakes). Where there is no
 *    wake at all this is a limit of the recording (no_wakes).
 *  - PERF_RECORD_SWITCH comes after the sched_switch of the same switch, which tells more, and then
 *    changes nothing. Alone it tells which thread runs and when; of a thread that was not preempted
 *    it does not tell why it left.
 *  - Some recordings do not tell why a thread left its CPU: those of kernels before 4.17, and those
 *    that have the PERF_RECORD_SWITCH of the next thread only. Its state is unknown then
 *    (unmarked_switch_outs). But if a wakeup of it comes next, it slept.
 *  - A switch-out without a switch-in: if it had been woken, it was active since, but running and
 *    runnable cannot be told apart; if not, the whole interval is unknown (missed_switch_ins).
 *    Some guest kernels hide switches out of the idle task from perf. The same where a thread
 *    raises an event, and so must be running, on a CPU that it was not seen to get.
 *  - ... unless sched_stat_runtime tells since when it ran (witnessed_switch_ins). Up
 *    to there it was runnable if it had been woken. If not, it slept if the CPU was idle by the
 *    record, as the scheduler lets no thread wait for an idle CPU (repaired_wakes), else the time
 *    before is unknown. As this tells of the past, changes are held back for some milliseconds
 *    where there are such events.
 *  - Records lost on a CPU make every thread that it may have touched unknown (EVENT_GAP), and so
 *    does a pause all threads.
 *  - Events out of order happen now (late) or not at all (clock_back; timeline.c). Where the
 *    clock was set back all threads are unknown.
 *  - A switch that is on record twice within a microsecond happens once (repeated).
 *  - A fork of a living thread, or a living thread in another process than before: the one that had
 *    this number has ended unseen, and is unknown from its last change on (reused_numbers). A thread
 *    with the number of one that left its CPU for ever was born unseen, and exists from now on (the
 *    same).
 *  - A thread that was about to end (sched_process_exit, PERF_RECORD_EXIT) has ended when another
 *    is on its CPU, or the records of that are lost. Where no sched_switch tells more it ends at
 *    PERF_RECORD_EXIT, and what its number does before its next birth is still that thread.
 *  - Where a filter leaves switches out, a new thread is unknown up to its first switch.
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
 * The thread that woke this one, or created it: by its number if it is of the target. Other threads
 * are not distinguished, but interrupts are: the thread that an event names then had no part in the
 * wakeup.
 */
enum {
	BY_NO_THREAD = UINT32_MAX,    /* none, or unknown */
	BY_STRANGER = UINT32_MAX - 1, /* a thread outside the target */
	BY_INTERRUPT = UINT32_MAX - 2,
};

struct change {
	uint64_t begin_ns, end_ns; /* the interval that ended */
	enum thread_state state;   /* in it; STATE_NONE with begin = end: a thread appears */
	enum thread_state next;	   /* from end_ns on; STATE_NONE: the thread ends */
	bool left_cpu;		   /* by being switched out */
	uint32_t by;		   /* the thread whose wake ended the interval, or its creator */
	uint32_t before;	   /* of a runnable one: the thread that left its CPU to it */
	size_t thread;		   /* its number: 0, 1, 2, ... in the order of appearance */
	int32_t tid, pid;	   /* pid -1: not known */
	int32_t cpu;		   /* where it ran; -1: it did not, or not known */
	int32_t waker;		   /* whose wake began the interval; -1: none */
	uint32_t chain; /* of calls, in which it left its CPU; 0: it did not, or not known */
	uint32_t start; /* how it began, of event_source.starts; 0: not known */
	char comm[COMM_SIZE];
};

/* Both are borrowed for as long as the timeline lives. */
struct timeline *timeline_new(struct event_source *source, const struct selection *selection);
void timeline_free(struct timeline *timeline);

/*
 * Changes in the order of end_ns. Returns 1 with a change, 0 at the end, -1 with a sentence, also
 * when the trace ends without a thread of the target.
 */
int timeline_next(struct timeline *timeline, struct change *change, struct err *err);

/* The same without a copy: *change is valid until the next call. */
int timeline_borrow(struct timeline *timeline, const struct change **change, struct err *err);

/*
 * An event during which a thread of the target runs on: EVENT_CALL, EVENT_RETURN, and an EVENT_WAKE
 * that finds it running. That thread was about to wait, and stays ready to run: the state with
 * which it leaves its CPU next does not count. And EVENT_ENTER, EVENT_LEAVE, EVENT_STEP and page
 * faults, whatever the thread does. Sockets have marks of their own (EVENT_SOCKET): what the
 * network does there is of no thread.
 */
#define MARK_OF_NETWORK SIZE_MAX
struct mark {
	const struct event *event; /* borrowed until `take` returns */
	uint64_t time_ns;	   /* when it happens: no earlier than the mark before */
	size_t thread;		   /* its number, or MARK_OF_NETWORK */
	int32_t pid;		   /* of the thread; -1: not known */
	uint32_t by;		   /* EVENT_WAKE: the waker, as above */
};

/*
 * Has all marks told where the events are met: before the change that ends the interval which they
 * lie in, and maybe before other changes that end earlier. `take` NULL: no longer.
 */
void timeline_want_marks(struct timeline *timeline,
			 void (*take)(void *context, const struct mark *mark), void *context);
void timeline_want_sockets(struct timeline *timeline,
			   void (*take)(void *context, const struct mark *mark), void *context);

/*
 * The number of calls that threads of the target have begun so far (see enum sync_call), and of
 * blocks: an event recorded from inside of a process does not tell on which CPU, what a probe in
 * the kernel sees does.
 */
struct timeline_calls {
	uint64_t library, system;
	uint64_t blocks, probed;
	uint64_t steps; /* of tasks */
};
struct timeline_calls timeline_calls(const struct timeline *timeline);

/* A case of what quality.h counts, where it is met. */
struct finding {
	enum quality_fact fact;
	enum thread_state past; /* what the thread is taken to have done, up to then; or none */
	uint64_t since_ns;	/* ... from here on */
	uint64_t time_ns;
	uint64_t place; /* of the event that shows it, as in event.h; 0: none does */
	int32_t cpu;	/* of that event; -1: not known */
	int32_t tid;	/* the thread that it concerns; -1: none, or not known */
	char comm[COMM_SIZE];
};

/*
 * The same pass over the source, for a caller that looks for faults of it and not for what
 * threads did: the findings instead of the changes. Not to be mixed with timeline_next.
 */
int timeline_next_finding(struct timeline *timeline, struct finding *finding, struct err *err);

/*
 * Where the timeline begins, 0 as long as that is not known: where the recording of a running
 * program was on, else where the first thread of the target was born, else at the first event.
 */
uint64_t timeline_begin_ns(const struct timeline *timeline);

/*
 * The changes that would follow if the trace ended where it has been read to: those that are held
 * back, and the ends of the intervals that are not over. Complete while timeline_next waits for
 * another event. The caller frees *open.
 */
size_t timeline_open(const struct timeline *timeline, struct change **open);

/* The number of CPUs that the target has been seen on so far. */
unsigned timeline_cpus(const struct timeline *timeline);

#endif
