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
	bool on;	   /* standard error is a terminal, and there is no -q */
	bool shown;	   /* a line is shown */
	uint64_t begin_ns; /* start of the work */
	uint64_t next_ns;  /* time to show the line next */
	double share;	   /* share of the bytes that has been read; 0: unknown */
	const char *note;  /* the current work, in front of the line; NULL: none */
};

void progress_begin(struct progress *progress, bool quiet);

/* Shows `done` of `size` bytes; size 0: unknown. For input_watch(). */
void progress_show(void *progress, uint64_t done, uint64_t size);

/* Removes the line. */
void progress_end(struct progress *progress);

#endif
