/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader that turns a trace into a program, in one pass.
 *
 * The states and events of a thread become:
 *  - running: CPU time; waiting for a CPU: nothing, as a replay computes it;
 *  - a wait that a thread of the target ended: STEP_BLOCK, and STEP_WAKE in the waker. Also if the
 *    wakeup came before the wait began: in a replay it may come later, and then the thread has to
 *    wait;
 *  - a wait in a call to sleep: STEP_SLEEP, even if a thread seems to have ended it;
 *  - sleeps until a time that was set before: STEP_DUE (program_polls.c);
 *  - sleeps that were waits for another thread, for some time at most: STEP_POLL (program_polls.c);
 *  - any other wait that an interrupt ended: STEP_DEVICE in state D. Else STEP_SLEEP, as most of
 *    those interrupts are of timers; interrupts of the network are treated alike. A wakeup by the
 *    idle thread is always one by an interrupt. Text of perf script shows no other interrupts, so
 *    that the thread that an interrupt stopped may seem to be the waker. The same holds for
 *    recordings of the bpf collector without interrupts: there all waits but those in calls count
 *    as `guessed`;
 *  - a wait that a thread outside of the target ended: STEP_DEVICE in state D, as kernel threads
 *    wake the threads that wait for a disk; else STEP_EXTERNAL;
 *  - a wait that ended without a recorded wakeup: STEP_DEVICE in state D, else STEP_UNKNOWN. Time
 *    in an unknown state is STEP_UNKNOWN, too;
 *  - a wait that did not end: STEP_BLOCK for ever. If all threads waited to the end of the trace,
 *    the last of these waits is a STEP_EXTERNAL up to that end;
 *  - its death: STEP_EXIT, the last step of every thread. A wait that a signal to its process ended
 *    with the thread is a wait that did not end (program_kills.c);
 *  - an exec by a thread that is not the first of its process: it ends, and forks a new one.
 *
 * A wait and the wake that ended it are two steps of 16 bytes, any other wait is one, and a
 * preemption adds none. So work and the wait behind it take at most 32 bytes, and a quarter more
 * during reading. A call takes 16 bytes, and twice as much in an interval that has not ended.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_READ_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_READ_H

#include "decode/event/event_source.h"
#include "decode/timeline/selection.h"
#include "replay/program/program.h"

struct change;
struct err;
struct timeline;

/*
 * Reads `source` to its end. Waits are as recorded (edges and pauses), with STEP_CALL and
 * STEP_RETURN around those in recorded calls; recognise() finds their objects. The caller releases
 * *program. Returns 0, or -1 with an error, also if the trace has no event of the target. A trace
 * without wakeups is no error: see has_wakes.
 */
int program_read(struct program *program, struct event_source *source,
		 const struct selection *selection, struct err *err);

/* Like program_read(), and keeps the gaps of the threads, which a performance model needs. */
int program_read_with_gaps(struct program *program, struct event_source *source,
			   const struct selection *selection, struct err *err);

/*
 * A reader for a caller that also uses the timeline: it passes each change of the timeline to
 * program_reader_take(), and calls program_reader_finish() after the last one. `program` is empty
 * before and complete after that; it, `timeline` and `source` are borrowed. The caller frees the
 * reader, and always releases the program.
 */
struct program_reader;
struct program_reader *program_reader_new(struct program *program, struct timeline *timeline,
					  const struct event_source *source);
/* Requests the gaps of the threads (program_gaps.h). Call it before the first change. */
void program_reader_want_gaps(struct program_reader *reader);
void program_reader_take(void *reader, const struct change *change);
void program_reader_finish(struct program_reader *reader);
void program_reader_free(struct program_reader *reader);

/*
 * Returns the name of the recorded command, if all threads or the first thread of their process
 * have it, else NULL. `target` NULL: unknown.
 */
const char *program_name(const struct program *program, const struct target_info *target);

#endif
