/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the file of events that a thread of a watched process writes (probe/spool.h), while it does
 * or afterwards, and gives the windows back that have been read. What is in the file is the
 * process's to spoil: whatever it holds, reading ends. (Who makes it shorter meanwhile ends the
 * recorder, with SIGBUS.)
 */
#ifndef PSCAL_COLLECT_SPOOL_READER_H
#define PSCAL_COLLECT_SPOOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* What the header says when the file is opened. */
struct spool_reader {
	enum spool_clock clock;
	int32_t pid, tid;
	uint64_t image, begin_time;
	uint64_t torn;	  /* heads that a crash has left without their word */
	uint64_t missing; /* events for which there was no room */
	bool ended;	  /* by the thread; more may still be there to be read */

	/* The reader's own: */
	int fd;
	struct spool_header *header; /* mapped, and the whole file behind it */
	uint64_t offset;	     /* up to here all has been read */
	uint64_t values[SPOOL_VALUES_MAX];
	struct spool_record *window; /* what `offset` lies in; NULL: not there so far */
};

/*
 * Returns 1; 0 when the file does not have its header so far: try again later; -1 with a sentence
 * when it is none of ours. Close it where this returned 1.
 */
int spool_reader_open(struct spool_reader *reader, const char *path, struct err *err);
void spool_reader_close(struct spool_reader *reader);

/* The same, where nobody will read it: who still writes does so over what is there, for ever. */
void spool_reader_let_go(struct spool_reader *reader);

/*
 * Returns 1 with an event, 0 when there is none so far. `last`: nobody writes the file any more, so
 * that what is cut is not waited for.
 */
int spool_reader_next(struct spool_reader *reader, struct spool_event *event, bool last);

#endif
