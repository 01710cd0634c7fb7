/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sleeps of a thread were waits for another one, for some time at most: that time passed
 * again and again until the other came. How often depends on how fast the other is, so that such
 * sleeps are not as many on other cores: they become STEP_POLL.
 *
 * What can be seen of that are sleeps with nothing between them, neither CPU time worth mentioning
 * (a 64th of them) nor a wake of any thread, locks or not, and behind the last one a wait that
 * another thread ended. They are taken for polls
 *  - where all of them and the wait are calls to wait at the same word of memory, or at the two
 *    words of one condition;
 *  - where no such calls are on record and there are three or more of the same length, which the
 *    wait did not reach: it would have been another one of them;
 *  - where what ended the wait is the end of the process. That ends any sleep;
 *  - where no wait is behind them, but three or more of the same length: what they were
 *    for has happened in the meantime. Nothing tells which thread did what, so that a replay is as
 *    good as it matters little how long they take: see forecast_points.h;
 *  - where fewer in a row are there twice or more, always of the same length and with such a wait
 *    behind them, and three waits or more that no sleep is before did not reach that length either:
 *    it seems to be the most that the thread waits for others at a time, which seldom passes. A
 *    longer wait between the first and the last of them says that it is not.
 */
#ifndef PSCAL_REPLAY_PROGRAM_PROGRAM_POLLS_H
#define PSCAL_REPLAY_PROGRAM_PROGRAM_POLLS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/program/program.h"

/* What is known so far, of all threads. Begins as zero. */
struct program_polls {
	struct thread_polls *threads;
	size_t capacity;
};

/* For a thread of `program` whose last step is a STEP_BLOCK that another one ended after `wait_ns`. */
void program_polls_find(struct program_polls *polls, struct program *program, uint32_t thread,
			uint64_t wait_ns);

/* For all threads, the last three of these, when the program is complete. */
void program_polls_finish(struct program_polls *polls, struct program *program);

void program_polls_release(struct program_polls *polls);

/* --- Sleeps until a time ------------------------------------------------------------------- */

/*
 * Which threads sleep until a time that was set before, as sources do for which work comes when it
 * comes: then a thread sleeps the less the longer it was busy or waited for a CPU. With a for the
 * time from the end of a sleep to the next one, and s for the length of that, the slope of s over a
 * is -1 where times are set, and 0 where lengths are. Such sleeps become STEP_DUE, but for the first.
 *
 * It takes 20 sleeps, and a slope that is 20 times as likely with set times as with set lengths.
 */

/* The sleeps of a thread. Begins as zero. */
struct arrivals {
	struct arrival *items;
	size_t count, capacity;
};

/* The next step of the thread is a sleep that ended at `end_ns`. */
void arrivals_note(struct arrivals *arrivals, const struct program_thread *thread, uint64_t end_ns);

/* When the thread is complete. */
void arrivals_apply(const struct arrivals *arrivals, struct program_thread *thread);

void arrivals_release(struct arrivals *arrivals);

#endif
