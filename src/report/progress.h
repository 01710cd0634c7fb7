/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The progress of long work, on one line of standard error that disappears at the end. Nothing is
 * shown in the first second, or if standard error is not a terminal.
 */
#ifndef PSCAL_REPORT_PROGRESS_H
#define PSCAL_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on;	   /* there is a terminal, and no -q */
	bool shown;	   /* there is a line to be taken away */
	uint64_t begin_ns; /* when the work began */
	uint64_t next_ns;  /* when to show it next */
	double share;	   /* of the bytes, that has been read; 0: not known */
	const char *note;  /* what is being done, in front of the line; NULL: nothing */
};

void progress_begin(struct progress *progress, bool quiet);

/* `done` of `size` bytes; size 0: it is not known how many there will be. For input_watch(). */
void progress_show(void *progress, uint64_t done, uint64_t size);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
