/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the file of events that a thread of a watched process writes (probe/spool.h), during or
 * after that, and returns windows that have been read. The process may write anything into the
 * file: each event is copied before it is examined, and reading always ends: it never goes beyond
 * the windows that spool_reader_look() has seen. The file is sealed (spool_listener.h), so that no
 * part of it disappears. It also reads the notes of the process, and converts ticks of the time
 * stamp counter to the clock of recordings.
 */
#ifndef PSCAL_COLLECT_BLOCKS_SPOOL_READER_H
#define PSCAL_COLLECT_BLOCKS_SPOOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/blocks/spool_listener.h"
#include "probe/spool.h"

struct err;

/* An event. Its values are valid until the next one is read. */
struct spool_event {
	uint64_t time; /* in the clock of the file */
	enum spool_kind kind;
	uint64_t block;
	const uint64_t *values;
	unsigned count;
};

/* The windows that always stay mapped: a reader needs two, and most threads never write more. */
enum { SPOOL_KEEP_MIN = 2 };

/* A reader. `fd` -1: not open. */
struct spool_reader {
	enum spool_clock clock;
	pid_t pid, tid;
	uint64_t image;
	uint64_t torn;	  /* heads without their word, after a crash */
	uint64_t missing; /* events without room */
	bool ended;	  /* the thread has ended it; more may still be unread */
	bool damaged;	  /* not read any more: no probe library has written that */
	unsigned keep;	  /* windows that may stay mapped */

	/* Private: */
	int fd;
	uint64_t after_ns;	     /* the file was made later */
	uint64_t windows;	     /* windows of the file */
	struct spool_header *header; /* mapped, with the whole file behind it */
	uint64_t end;		     /* end of the windows, at the last look */
	uint64_t offset;	     /* end of the bytes that have been read */
	unsigned torn_since;	     /* the last event */
	uint64_t values[SPOOL_VALUES_MAX];
	struct spool_record *window; /* the window of `offset`; NULL: not there yet */
	unsigned given_back;	     /* windows returned since the last unmapping */
};

/*
 * Opens a SPOOL_OFFER_THREAD and takes ownership of its descriptor. Returns 0, or -1 with an error.
 */
int spool_reader_open(struct spool_reader *reader, const struct spool_arrival *arrival,
		      struct err *err);
void spool_reader_close(struct spool_reader *reader);

/* Closes it without reading: the thread stops recording, and its memory is freed. */
void spool_reader_let_go(struct spool_reader *reader);

/* Allows reading of events written up to now. */
void spool_reader_look(struct spool_reader *reader);

/* Checks that the windows fit into the file's memory: reading the same windows again is damage. */
void spool_reader_hold_to_memory(struct spool_reader *reader);

/* Returns the unread records in full windows. */
uint64_t spool_reader_unread(const struct spool_reader *reader);

/* Returns the bytes of memory of the file, as the kernel counts them. */
uint64_t spool_reader_memory(const struct spool_reader *reader);

/*
 * Returns 1 with an event, 0 if there is none yet. `last`: the file is complete, so that the rest
 * of a cut event will not come.
 */
int spool_reader_next(struct spool_reader *reader, struct spool_event *event, bool last);

/*
 * Reads the notes of a watched process (probe/spool.h), during or after their writing. The process
 * may write anything into their file: each part is copied before it is examined, and read once, and
 * the file has at most SPOOL_NOTES_BYTES. Begins as zero with the descriptor, which stays the
 * caller's.
 */
struct note_reader {
	int fd;
	uint64_t at; /* bytes of text read */
};

/*
 * Calls `take` with some complete notes that have come since the last call: the kind of each, and
 * its text, without control characters, which `take` may change. `last`: the process writes no
 * more, so that an incomplete note is skipped. Returns whether there may be more.
 */
bool note_reader_read(struct note_reader *reader, bool last,
		      void (*take)(void *context, enum spool_note kind, char *text), void *context);

/* Returns whether the process has dropped notes for lack of room. */
bool note_reader_is_over_full(const struct note_reader *reader);

/*
 * The two clocks are read together from time to time; in between, time is interpolated. Both drift
 * (the kernel adjusts CLOCK_MONOTONIC to other clocks), so the largest distance of a pair from the
 * extrapolation of the two before is kept: no time in between has a larger error.
 */

struct clock_pair {
	uint64_t ticks, ns;
};

/* The most pairs that are kept; then the older half is dropped. */
enum { CLOCK_PAIRS_MAX = 4096 };

/* Pairs of the clocks. Begins as zero. */
struct clock_pairs {
	struct clock_pair *items; /* in order */
	size_t count, capacity;
	uint64_t drift_ns; /* the largest drift */

	/* The interval of the last conversion: items `last` and `last` + 1, and its rate. */
	size_t last;
	double ns_per_tick; /* 0: no conversion since the last pair */
};

void clock_pairs_release(struct clock_pairs *pairs);

/* Reads both clocks. Does nothing without such a counter. */
void clock_pairs_take(struct clock_pairs *pairs);

/* Adds a pair; one that is not later than the last is ignored. */
void clock_pairs_add(struct clock_pairs *pairs, struct clock_pair pair);

/*
 * Converts `ticks` to ns; before the first pair and behind the last one by extrapolation. Needs two
 * pairs; otherwise 0.
 */
uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks);

#endif
