/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time by function, from samples, and blocked time by function, from stacks of threads that
 * block. A recording has samples with -F, and call chains of threads that block with --off-cpu.
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
	char *function; /* "zlib.so (no symbols)" where that is not known */
	bool nameless;	/* it tells a file only */
	char *file;	/* without its directory; "" not known */
	char *callers; /* those of most samples, or of most blocked time: "work < main"; "" not known */
	uint64_t samples;
	uint64_t in_kernel; /* of them: the function has called it */
	double cpu_s;	    /* its share of the samples, of the CPU time of the target; NAN: none */
	double cpu_share;
	uint64_t blocks;  /* how often threads blocked in it ... */
	double blocked_s; /* NAN: never */
};

struct function_times {
	/* While they are read. */
	struct event_source *source;   /* borrowed */
	struct blocked_chain *blocked; /* [chain] */
	size_t blocked_capacity;
	uint64_t unplaced_ns; /* blocked where no chain tells where */

	struct function_row *rows; /* by CPU time, then by blocked time */
	size_t count;
	uint64_t samples;		     /* of the target */
	uint64_t callerless;		     /* of them: their call chains tell no caller */
	bool chained;			     /* they were recorded with call chains */
	uint64_t nameless;		     /* ... in files without symbols */
	double cpu_s, blocked_s, unplaced_s; /* of the target */
};

/* Before the source is read. */
void function_times_begin(struct function_times *times, struct event_source *source);

/* A change of the target; for profiler_watch(). */
void function_times_take(void *times, const struct change *change);

/* Once the source has been read; `profile` is that of the same target. */
void function_times_end(struct function_times *times, const struct profile *profile);
void function_times_release(struct function_times *times);

#endif
