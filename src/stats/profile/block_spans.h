/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code blocks as spans: from where a thread enters one to where it leaves it, and what the thread
 * was doing meanwhile. Read in one pass over a timeline; memory is for the calls that threads are
 * in, and for what they enter and leave in an interval of the timeline that is not over.
 *
 *  - A leave ends the innermost call of its block. Calls within that one, which were left without
 *    being seen to (an exception, longjmp), end there too: `unwound`.
 *  - A leave of a block that the thread is not in tells nothing: stray.
 *  - What a thread is still in when it ends, or the trace does, is `open`.
 *  - Where those of tasks are wanted, too, a step of a task that begins a block of code is an
 *    enter, and the next one that ends one on the same thread is its leave, wherever both are. What
 *    a task in place does lies within the block of its parent.
 *  - Calls deeper than BLOCK_SPANS_DEPTH are counted and no spans.
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
 * Events that wait for the interval of their thread to end; beyond that they take the state that
 * the timeline has announced for it as what it will turn out to be.
 */
enum { BLOCK_SPANS_DEPTH = 1 << 20, BLOCK_SPANS_WAITING = 1 << 22 };

/* Other: stopped, or not known which. */
enum span_state { SPAN_RUNNING, SPAN_RUNNABLE, SPAN_SLEEPING, SPAN_DISK, SPAN_OTHER, SPAN_STATES };

struct block_span {
	size_t thread; /* its number in the timeline */
	int32_t tid, pid;
	char comm[COMM_SIZE];
	uint32_t block;
	uint32_t depth;			/* calls around it */
	uint64_t enter_ns, leave_ns;	/* where it is open: the end of the thread */
	uint64_t state_ns[SPAN_STATES]; /* adds up to what is between them */
	bool open, unwound;
	bool of_task;
	bool begins; /* ... here, and it is not known yet how long it takes */
};

struct block_spans_counts {
	uint64_t events, spans;
	uint64_t open, unwound, stray, deep;
};

/* The timeline is borrowed, and its changes and marks are taken. */
struct block_spans *block_spans_new(struct timeline *timeline);
void block_spans_free(struct block_spans *spans);

/* For a caller that is to see all that the timeline tells, in the same pass; either may be NULL. */
struct block_spans_watcher {
	void (*change)(void *context, const struct change *change);
	void (*mark)(void *context, const struct mark *mark);
	void *context;
};

/* With one of these a recording without blocks has no spans, and that is no failure. */
void block_spans_watch(struct block_spans *spans, const struct block_spans_watcher *watcher);

/* Blocks of tasks are wanted as well. */
void block_spans_want_tasks(struct block_spans *spans);

/* Their beginnings, too, so that those of a thread nest in the order in which they come. */
void block_spans_want_begins(struct block_spans *spans);

/*
 * Those of a thread in the order in which they end; those of different threads in that in which it
 * is known what they did. Returns 1 with a span, 0 at the end, -1 with a sentence, also when the
 * target has entered and left nothing.
 */
int block_spans_next(struct block_spans *spans, struct block_span *span, struct err *err);

/* Says that a recording has no blocks, and returns -1. */
int block_spans_none(struct err *err);

/* So far. */
const struct block_spans_counts *block_spans_counts(const struct block_spans *spans);

#endif
