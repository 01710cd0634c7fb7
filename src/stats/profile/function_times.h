/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time by function, from samples, and blocked time by function, from call chains of threads
 * that block. A recording has samples with -F, and these call chains with --off-cpu.
 */
#ifndef PSCAL_STATS_PROFILE_FUNCTION_TIMES_H
#define PSCAL_STATS_PROFILE_FUNCTION_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct change;
struct event_source;
struct profile;

struct function_row {
	char *function; /* "zlib.so (no symbols)" if not known */
	bool nameless;	/* only the file is known */
	char *file;	/* the file without its directory; "": not known */
	char *callers;	/* callers of most samples or blocked time: "work < main"; "": not known */
	uint64_t samples;
	uint64_t in_kernel; /* samples of these in the kernel, called by the function */
	double cpu_s;	    /* the share of the target's CPU time, by samples; NAN: none */
	double cpu_share;
	uint64_t blocks;  /* the number of times that threads blocked in it */
	double blocked_s; /* NAN: never blocked */
};

struct function_times {
	/* The state of the reading. */
	struct event_source *source;   /* borrowed */
	struct blocked_chain *blocked; /* [chain] */
	size_t blocked_capacity;
	uint64_t unplaced_ns; /* blocked time without a call chain */

	struct function_row *rows; /* sorted by CPU time, then by blocked time */
	size_t count;
	uint64_t samples;		     /* the samples of the target */
	uint64_t callerless;		     /* samples of these whose chains have no caller */
	bool chained;			     /* samples have call chains */
	uint64_t nameless;		     /* samples in files without symbols */
	double cpu_s, blocked_s, unplaced_s; /* the sums of the target */
};

/* Begins before the source is read. */
void function_times_begin(struct function_times *times, struct event_source *source);

/* Takes a change of the target; for profiler_watch(). */
void function_times_take(void *times, const struct change *change);

/* Makes the rows when the source has been read; `profile` is of the same target. */
void function_times_end(struct function_times *times, const struct profile *profile);
void function_times_release(struct function_times *times);

#endif
