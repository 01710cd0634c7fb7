/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the file of events that a thread of a watched process writes (probe/spool.h), while it does
 * or afterwards, and gives the windows back that have been read. The process may write
 * anything into the file: each event is copied before it is looked at, and reading always ends: it
 * never goes beyond the windows that were there when spool_reader_look() was called. The file
 * is sealed (spool_listener.h), so that no part of it goes away. Also reads the notes of the
 * process, and turns ticks of the time stamp counter into the clock of our recordings.
 */
#ifndef PSCAL_COLLECT_BLOCKS_SPOOL_READER_H
#define PSCAL_COLLECT_BLOCKS_SPOOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/blocks/spool_listener.h"
#include "probe/spool.h"

struct err;

/* Its values are valid until the next one is read. */
struct spool_event {
	uint64_t time; /* in the clock of the file */
	enum spool_kind kind;
	uint64_t block;
	const uint64_t *values;
	unsigned count;
};

/* A reader needs this one and that one, and most threads never write more. */
enum { SPOOL_KEEP_MIN = 2 };

/* `fd` -1: not open. */
struct spool_reader {
	enum spool_clock clock;
	pid_t pid, tid;
	uint64_t image;
	uint64_t torn;	  /* heads that a crash has left without their word */
	uint64_t missing; /* events for which there was no room */
	bool ended;	  /* by the thread; more may still be there to be read */
	bool damaged;	  /* nothing more is read of it: no probe library has written that */
	unsigned keep;	  /* so many windows may stay in the memory of the recorder */

	/* The reader's own: */
	int fd;
	uint64_t after_ns;	     /* the file has not been made before then */
	uint64_t windows;	     /* that the file has room for */
	struct spool_header *header; /* mapped, and the whole file behind it */
	uint64_t end;		     /* windows that are there, as of the last look */
	uint64_t offset;	     /* up to here all has been read */
	unsigned torn_since;	     /* the last event */
	uint64_t values[SPOOL_VALUES_MAX];
	struct spool_record *window; /* what `offset` lies in; NULL: not there so far */
	unsigned given_back;	     /* windows since they were forgotten */
};

/* Takes over the descriptor of a SPOOL_OFFER_THREAD. Returns 0, or -1 with a sentence. */
int spool_reader_open(struct spool_reader *reader, const struct spool_arrival *arrival,
		      struct err *err);
void spool_reader_close(struct spool_reader *reader);

/* The same, where it will not be read: the thread stops recording, and its memory is freed. */
void spool_reader_let_go(struct spool_reader *reader);

/* Events that have been written up to now may be read. */
void spool_reader_look(struct spool_reader *reader);

/* More than the file has memory for cannot be there: the same windows over and over are damage. */
void spool_reader_hold_to_memory(struct spool_reader *reader);

/* Records of whole windows that have not been read. */
uint64_t spool_reader_unread(const struct spool_reader *reader);

/* Bytes of memory that the file takes, as the kernel counts them. */
uint64_t spool_reader_memory(const struct spool_reader *reader);

/*
 * Returns 1 with an event, 0 when there is none so far. `last`: the file is not written any more,
 * so that the rest of a cut event is not waited for.
 */
int spool_reader_next(struct spool_reader *reader, struct spool_event *event, bool last);

/*
 * Reads the notes of a watched process (probe/spool.h), while it takes them or afterwards. The
 * process may write anything into their file: each part of it is copied before it is looked at, and
 * read once, and the file is no longer than SPOOL_NOTES_BYTES. Begins as zero with the descriptor,
 * which stays the caller's.
 */
struct note_reader {
	int fd;
	uint64_t at; /* bytes of the text that have been read */
};

/*
 * Calls `take` with some whole notes that have come since the last call: the kind of each, and its
 * text, which is without control characters and which `take` may change. `last`: the process writes
 * no more, so that a note it has not finished is passed over. Returns whether there may be more.
 */
bool note_reader_read(struct note_reader *reader, bool last,
		      void (*take)(void *context, enum spool_note kind, char *text), void *context);

/* Has the process dropped notes, as there was no room for them? */
bool note_reader_is_over_full(const struct note_reader *reader);

/*
 * The two clocks are read together now and then; between two such moments time is taken to go on
 * evenly. Both drift (the kernel steers CLOCK_MONOTONIC to that of other clocks), so the distance
 * of the next pair from where the last two lead to is kept: no time in between is further off.
 */

struct clock_pair {
	uint64_t ticks, ns;
};

/* So many are kept; the older half of them goes then. */
enum { CLOCK_PAIRS_MAX = 4096 };

/* Begins as zero. */
struct clock_pairs {
	struct clock_pair *items; /* in their order */
	size_t count, capacity;
	uint64_t drift_ns; /* the largest there was */

	/*
	 * The interval of the time that was asked for last: items `last` and `last` + 1, and the
	 * rate there.
	 */
	size_t last;
	double ns_per_tick; /* 0: nothing has been asked for since the last pair came */
};

void clock_pairs_release(struct clock_pairs *pairs);

/* Reads both. Does nothing where there is no such counter. */
void clock_pairs_take(struct clock_pairs *pairs);

/* One that has been read; what is not later than the last one is passed over. */
void clock_pairs_add(struct clock_pairs *pairs, struct clock_pair pair);

/*
 * `ticks` in ns; also before the first pair and behind the last one, as the two next to it lead
 * there. Needs two pairs; else 0.
 */
uint64_t clock_pairs_ns(struct clock_pairs *pairs, uint64_t ticks);

#endif
