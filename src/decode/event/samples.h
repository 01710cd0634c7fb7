/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places in the code of threads that ran: the samples of a clock (cycles, cpu-clock,
 * task-clock) in a recording, and what was mapped there. They are not scheduling events, and are
 * complete at the end of the input.
 *
 * Samples of one thread at one place are one row, unless the times of all are wanted: memory is for
 * the different places, 32 bytes each. Where call chains are wanted, a place is one with its
 * callers.
 */
#ifndef PSCAL_DECODE_EVENT_SAMPLES_H
#define PSCAL_DECODE_EVENT_SAMPLES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "decode/event/quality.h"

struct chains;
struct sample;

enum { SAMPLES_ROWS_MAX = 1 << 22, SAMPLES_MAPS_MAX = 1 << 18, SAMPLES_STACKS_MAX = 1 << 16 };

enum sampled_mode { SAMPLED_USER, SAMPLED_KERNEL, SAMPLED_MODES };

struct sampled {
	int32_t pid, tid;
	uint64_t ip;	  /* in the kernel 0, or where call chains are wanted and one is on record
			     the place in the program from where it was entered */
	uint64_t time_ns; /* of the first of them */
	uint32_t count;
	uint32_t mode : 8;   /* enum sampled_mode */
	uint32_t chain : 24; /* of `chains`; 0: not wanted, or not on record */
};

/* From `time_ns` on this lies in the memory of a process; 0: from before the recording. */
struct mapped {
	int32_t pid;
	uint64_t time_ns;
	uint64_t begin, end;
	uint64_t offset;  /* of `begin` in the file */
	uint64_t inode;	  /* of the file; 0: not known */
	char *path;	  /* NULL: no file, so that its code cannot be read */
	int32_t stack_of; /* the thread of which it is the stack; 0: it is none */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
};

/* A process begins with what its parent has mapped. */
struct parentage {
	int32_t pid, parent;
	uint64_t time_ns;
};

struct samples {
	bool alone;	/* no record tells which thread has a CPU, ... */
	bool suffice;	/* ... which will do: to be set before reading */
	bool timed;	/* to be set before reading: a row for each sample */
	bool may_merge; /* the same: if these get too many, they are as if that had not been set,
			   and it no longer is */
	struct chains *chains; /* the same: where the call chains are to go; NULL: not wanted */
	size_t chain_frames;   /* ... and so many frames of each, the innermost ones */
	const struct sparse *routines; /* by tid: no pointer, but the function that the thread
					  began with; NULL: none are known */
	struct sampled *rows;
	size_t row_count, row_capacity;
	size_t merged; /* so many of the first rows are sorted, and no two alike */
	struct mapped *maps;
	size_t map_count, map_capacity, stack_count;
	size_t path_bytes; /* of all of them */
	char *root;	   /* the directory that they are below; NULL: that of this machine */
	struct parentage *parents;
	size_t parent_count, parent_capacity;
	struct map probes; /* {process, address}: where calls of the library are recorded */
	bool has_clock;	   /* the samples are those of the first clock there is: */
	uint32_t type;	   /* ... as in its perf_event_attr */
	uint64_t config;
	uint64_t tick_ns; /* of CPU time between two samples of a thread; 0: that is not known */
};

void samples_release(struct samples *samples);

/* Is it an event of a clock, whose samples say where threads were? */
bool samples_attr_is_clock(const struct perf_event_attr *attr);

/*
 * Takes a PERF_RECORD_SAMPLE with its header's `misc`; those of other events are passed over. The
 * body has been understood as `sample`. Returns why it is dropped; QUALITY_EVENTS: it is not.
 */
enum quality_fact samples_add(struct samples *samples, const struct perf_event_attr *attr,
			      const struct sample *sample, uint16_t misc, const char *body);

/*
 * Calls of the library are recorded at that place: the threads that are found there are in the probe, and
 * that is CPU time of the recording.
 */
void samples_note_probe(struct samples *samples, int32_t pid, uint64_t ip);
bool samples_at_probe(const struct samples *samples, const struct sampled *row);

/*
 * Takes the body of a PERF_RECORD_MMAP or PERF_RECORD_MMAP2 (`type`) of that time. Returns -1 when
 * it is cut short.
 */
int samples_map(struct samples *samples, uint32_t type, uint16_t misc, uint64_t time_ns,
		const char *body, size_t length);

/*
 * Process `pid` is created. An exec is no news: recorders differ in whether they put it before what
 * the new program maps or behind that, and what it maps takes the place of what was there.
 */
void samples_fork(struct samples *samples, int32_t pid, int32_t parent, uint64_t time_ns);

/*
 * From now on what is mapped is looked for below the directory `root`, as a recording may come from
 * another machine.
 */
void samples_set_root(struct samples *samples, const char *root);

/* --- Call chains --------------------------------------------------------------------------- */

/*
 * Call chains of a recording: where threads were in their program, and the callers of that. Chains
 * that are alike are kept once, so that an event has the number of its chain and stays a value:
 * memory is for the different ones. They are complete at the end, as are samples.
 */

/*
 * Frames of a chain: what the kernel takes unless it is told otherwise (PERF_MAX_STACK_DEPTH), the
 * outer ones are left out. Chains and frames beyond these are dropped.
 */
enum { CHAIN_FRAMES_MAX = 129, CHAINS_MAX = 1 << 18, CHAINS_FRAMES_MAX = 1 << 22 };

/*
 * The last but one frame of a chain where the last one is no place that is returned to, but the
 * function that the thread began with. Call chains lose that where it has no frame of its own.
 */
#define CHAIN_BEGAN_WITH UINT64_MAX

/*
 * A mark in a chain: the frames go on behind it. Before it stand, behind the place of the thread,
 * words from the top of its stack that stand behind a call. They tell the callers that have no
 * frame, as those in the C library and in most programs; but a word may be left from an earlier
 * call, and so the first one that is in the program itself is the last to be believed.
 */
#define CHAIN_FRAMES_FROM ((uint64_t)PERF_CONTEXT_USER)

/*
 * Puts that behind `count` frames, of which there are fewer than CHAIN_FRAMES_MAX - 1; 0 where it is
 * the first thread of a process, which begins with main.
 */
size_t chain_add_start(uint64_t *frames, size_t count, const struct sparse *routines,
		       const struct sample *sample);

/* In the memory of process `pid`, as it was when the first such chain was met. */
struct chain {
	int32_t pid;
	uint64_t time_ns;
	const uint64_t *frames; /* the place of the thread first, then return addresses; borrowed
				   until a chain is added */
	size_t count;
};

/* Begins as zero. */
struct chains {
	bool wanted;	    /* to be set before reading: else there are none */
	struct map numbers; /* of the process and the frames */
	uint64_t *times_ns;
	size_t count, capacity;
	size_t frame_count; /* of all of them */
	uint64_t dropped;   /* for which there was no room left */
};

void chains_release(struct chains *chains);

/* The number of this chain, from 1 on; 0: it has no frames, or no room is left. */
uint32_t chains_add(struct chains *chains, int32_t pid, uint64_t time_ns, const uint64_t *frames,
		    size_t count);

/* One without frames where there is none of this number. */
struct chain chains_get(const struct chains *chains, uint32_t number);

#endif
