/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of code blocks as spans, from the enter to the leave of a thread, with the states of the
 * thread in between. One pass over a timeline; memory is for the open calls, and for the events in
 * an interval of the timeline that has not ended.
 *
 *  - A leave ends the innermost call of its block. Calls within that one, whose leaves are missing
 *    (an exception, longjmp), end there, too: `unwound`.
 *  - A leave of a block without an open call is ignored: stray.
 *  - A call without a leave before the thread or the trace ends is `open`.
 *  - With tasks, a step that begins a block of code is an enter, and the next step on the same
 *    thread that ends a block of the task is its leave, even at another place. The blocks of a task
 *    in place lie within the block of its parent.
 *  - Calls deeper than BLOCK_SPANS_DEPTH are counted, and have no spans.
 */
#ifndef PSCAL_STATS_PROFILE_BLOCK_SPANS_H
#define PSCAL_STATS_PROFILE_BLOCK_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/timeline/timeline.h"

struct err;
struct block_spans;

/*
 * BLOCK_SPANS_WAITING is the largest number of events that wait for the interval of their thread to
 * end; beyond it the state announced for the interval counts.
 */
enum { BLOCK_SPANS_DEPTH = 1 << 20, BLOCK_SPANS_WAITING = 1 << 22 };

/* SPAN_OTHER: stopped, or not known which. */
enum span_state { SPAN_RUNNING, SPAN_RUNNABLE, SPAN_SLEEPING, SPAN_DISK, SPAN_OTHER, SPAN_STATES };

struct block_span {
	size_t thread; /* the number of the thread in the timeline */
	int32_t tid, pid;
	char comm[COMM_SIZE];
	uint32_t block;
	uint32_t depth;			/* the number of calls around it */
	uint64_t enter_ns, leave_ns;	/* times of the call; an open call ends with the thread */
	uint64_t state_ns[SPAN_STATES]; /* adds up to leave_ns - enter_ns */
	bool open, unwound;
	bool of_task;
	bool begins; /* the call begins here, and its duration is not known yet */
};

struct block_spans_counts {
	uint64_t events, spans;
	uint64_t open, unwound, stray, deep;
};

/* Takes the changes and marks of the timeline, which is borrowed. */
struct block_spans *block_spans_new(struct timeline *timeline);
void block_spans_free(struct block_spans *spans);

/* Gets all changes and marks of the timeline in the same pass; either function may be NULL. */
struct block_spans_watcher {
	void (*change)(void *context, const struct change *change);
	void (*mark)(void *context, const struct mark *mark);
	void *context;
};

/* Adds a watcher. With one a recording without blocks has no spans, and is no failure. */
void block_spans_watch(struct block_spans *spans, const struct block_spans_watcher *watcher);

/* Asks for the blocks of tasks, too. */
void block_spans_want_tasks(struct block_spans *spans);

/* Asks for the beginnings of calls, too, so that the spans of a thread nest in their order. */
void block_spans_want_begins(struct block_spans *spans);

/*
 * Gives the next span. The spans of one thread come in the order of their ends, those of different
 * threads in the order in which their states become known. Returns 1 with a span, 0 at the end, or
 * -1 with an error, also if the target has no events of blocks.
 */
int block_spans_next(struct block_spans *spans, struct block_span *span, struct err *err);

/* Reports that a recording has no blocks, and returns -1. */
int block_spans_none(struct err *err);

/* Returns the counts so far. */
const struct block_spans_counts *block_spans_counts(const struct block_spans *spans);

#endif
