/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace to the program that was run, in one pass.
 *
 * What becomes of what a thread did:
 *  - running: CPU time; waiting for a CPU: nothing, as that is for a replay to find out;
 *  - a wait that a thread of the target ended: STEP_BLOCK, and STEP_WAKE in that thread, where it
 *    was then. The same where the wake came so early that there was no wait: the thread was about
 *    to wait already, and has to where the wake comes later;
 *  - a wait in a call to sleep: STEP_SLEEP, whatever seems to have ended it;
 *  - sleeps until a time that was set before: STEP_DUE (program_polls.c);
 *  - sleeps that were waits for another thread, for some time at most: STEP_POLL (program_polls.c);
 *  - any other wait that an interrupt ended: STEP_DEVICE in state D. Else STEP_SLEEP, as most of
 *    those interrupts are timers'; it may have been the network, which is treated alike. The idle
 *    thread wakes none but in interrupts. Text of perf script tells of no others, so that in it a
 *    thread may seem to wake another one that an interrupt has woken on its CPU. So in recordings
 *    of the collector bpf that do not tell: there all but waits in calls are `guessed`;
 *  - a wait that a thread outside of the target ended: STEP_DEVICE in state D, as kernel threads do
 *    that when a disk is done; else STEP_EXTERNAL;
 *  - a wait that ended with no wake on record: STEP_DEVICE in state D, else STEP_UNKNOWN. So is
 *    time in which it is not known what a thread did, or not whether it ran;
 *  - a wait that did not end: STEP_BLOCK for ever. Only where no thread did anything else up to the
 *    end of the trace, the last one of them is a STEP_EXTERNAL up to there;
 *  - its death: STEP_EXIT, which every thread has as its last step, and before that whatever it did
 *    while it died. A wait that a signal to die ended is one like any other: its thread ran again;
 *  - an exec by a thread that is not the first of its process: it ends, and forks a new one.
 *
 * A wait and the wake that ended it are two steps of 16 bytes, any other wait is one, and a thread
 * that is preempted adds none. So a stretch of work with the wait that ends it takes no more than
 * 32 bytes, and while it is read a quarter more. What goes to calls is 16 bytes each, and twice as
 * much within an interval that has not ended.
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
 * Reads `source` to its end. Waits are as recorded (edges and pauses), with the calls around them
 * as STEP_CALL and STEP_RETURN where the trace has any; recognise() makes more of them. The caller
 * releases *program. Returns 0, or -1 with a sentence, also when the trace holds nothing of the
 * target. That there are no wakes is no error: see has_wakes.
 */
int program_read(struct program *program, struct event_source *source,
		 const struct selection *selection, struct err *err);

/* The same, and when its threads did not run, which a performance model needs. */
int program_read_with_gaps(struct program *program, struct event_source *source,
			   const struct selection *selection, struct err *err);

/*
 * The same for a caller that reads the timeline in the same pass for something else, too: it is
 * told each of its changes, and when there are no more. `program` is empty before, and complete
 * behind program_reader_finish; it, `timeline` and `source` are borrowed. The caller frees the
 * reader, and releases the program in any case.
 */
struct program_reader;
struct program_reader *program_reader_new(struct program *program, struct timeline *timeline,
					  const struct event_source *source);
/* When its threads did not run (program_gaps.h). Before the first change. */
void program_reader_want_gaps(struct program_reader *reader);
void program_reader_take(void *reader, const struct change *change);
void program_reader_finish(struct program_reader *reader);
void program_reader_free(struct program_reader *reader);

/*
 * The name of the command that was recorded, which all threads have, or the first one of their process;
 * NULL: there is none. `target` NULL: not known.
 */
const char *program_name(const struct program *program, const struct target_info *target);

#endif
