/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the notes that a watched process takes (probe/spool.h), while it does or afterwards. The
 * file is the process's to spoil: it is copied before it is looked at, each part of it is read
 * once, and it is no longer than SPOOL_NOTES_BYTES.
 */
#ifndef PSCAL_COLLECT_BLOCKS_NOTE_READER_H
#define PSCAL_COLLECT_BLOCKS_NOTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/spool.h"

/* Begins as zero with the descriptor, which stays the caller's. */
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

#endif
