/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How good the data are. It travels with them: readers and the timeline count into it, every
 * report shows it when it is not clean.
 */
#ifndef PSCAL_DECODE_QUALITY_H
#define PSCAL_DECODE_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

struct quality {
	uint64_t events;	     /* scheduling events read */
	uint64_t lost;		     /* records that the kernel says it had no room for */
	uint64_t late;		     /* events older than what had been used already */
	uint64_t malformed;	     /* records or lines that could not be understood */
	uint64_t fragments;	     /* pieces of lines that a newline in a name has broken */
	uint64_t unknown_events;     /* records of events that the input does not describe */
	uint64_t missed_wakes;	     /* wakes that the kernel counted but did not record */
	uint64_t repaired_wakes;     /* a sleeping thread got a CPU with no wake on record */
	uint64_t missed_switch_ins;  /* a thread left a CPU with no record of its getting it */
	uint64_t missed_switch_outs; /* a running thread's CPU was left by another */
	uint64_t paused_ns;	     /* the user did not want this time to be recorded */
	bool no_wakes;		     /* wakes were not recorded; at the end: and some are needed */
	bool wrapped;		     /* thread numbers began anew: threads may be missing */
	bool truncated;		     /* the input ends before it should */
};

#endif
