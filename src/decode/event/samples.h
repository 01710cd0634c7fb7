/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of running threads in the code: the samples of a clock (cycles, cpu-clock, task-clock)
 * in a recording, and the mapped files. They are not scheduling events, and are complete at the end
 * of the input.
 *
 * Samples of one thread at one place are one row, of 32 bytes, unless `timed` asks for the time of
 * each. With call chains, a place and its callers are one place.
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
	/* address; in the kernel 0, or with a call chain the place that entered the kernel */
	uint64_t ip;
	uint64_t time_ns; /* time of the first sample of the row */
	uint32_t count;
	uint32_t mode : 8;   /* enum sampled_mode */
	uint32_t chain : 24; /* a number of `chains`; 0: not wanted, or not recorded */
};

/* A file, or other memory, that a process has mapped from `time_ns` on; 0: before the recording. */
struct mapped {
	int32_t pid;
	uint64_t time_ns;
	uint64_t begin, end;
	uint64_t offset; /* file offset of `begin` */
	uint64_t inode;	 /* inode of the file; 0: not known */
	char *path;	 /* NULL: no file, so that its code cannot be read */
	bool is_vdso;	 /* code of the kernel that reads clocks, in each process, without a file */
	int32_t stack_of; /* the thread whose stack it is; 0: no stack */
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: not known */
};

/* The birth of a process, which begins with the mappings of its parent. */
struct parentage {
	int32_t pid, parent;
	uint64_t time_ns;
};

struct samples {
	bool alone;	/* no record shows which thread has a CPU */
	bool suffice;	/* samples alone are enough for the caller; set before reading */
	bool timed;	/* each sample gets a row; set before reading */
	bool may_merge; /* `timed` becomes false if there are too many rows; set before reading */
	/* the destination of call chains; NULL: not wanted; set before reading */
	struct chains *chains;
	size_t chain_frames; /* the number of innermost frames to keep of each chain */
	/* [tid]: the function, cast to a pointer, with which the thread began; NULL: none known */
	const struct sparse *routines;
	struct sampled *rows;
	size_t row_count, row_capacity;
	size_t merged; /* the number of rows at the front that are sorted and all different */
	struct mapped *maps;
	size_t map_count, map_capacity, stack_count;
	size_t path_bytes; /* the length of all paths */
	char *root;	   /* the directory above all paths; NULL: that of this machine */
	struct parentage *parents;
	size_t parent_count, parent_capacity;
	struct map probes; /* {process, address} of the probes of library calls */
	bool has_clock;	   /* samples are those of the first clock: its `type` and `config` */
	uint32_t type;	   /* from its perf_event_attr */
	uint64_t config;
	uint64_t tick_ns; /* CPU time between two samples of a thread; 0: not known */
};

void samples_release(struct samples *samples);

/* Returns true for an event of a clock, whose samples show the places of threads. */
bool samples_attr_is_clock(const struct perf_event_attr *attr);

/*
 * Adds a PERF_RECORD_SAMPLE with its header's `misc`; samples of other events are ignored. `sample`
 * is the parsed body. Returns why the sample is dropped, or QUALITY_EVENTS if it is not.
 */
enum quality_fact samples_add(struct samples *samples, const struct perf_event_attr *attr,
			      const struct sample *sample, uint16_t misc, const char *body);

/*
 * Notes the place of a probe of library calls: samples of threads there are CPU time of the
 * recording.
 */
void samples_note_probe(struct samples *samples, int32_t pid, uint64_t ip);
bool samples_at_probe(const struct samples *samples, const struct sampled *row);

/*
 * Takes the body of a PERF_RECORD_MMAP or PERF_RECORD_MMAP2 (`type`) of that time. Returns 0, or -1
 * if it is cut short.
 */
int samples_map(struct samples *samples, uint32_t type, uint16_t misc, uint64_t time_ns,
		const char *body, size_t length);

/*
 * Records the birth of process `pid`. An exec is not recorded: recorders write it before or after
 * the mappings of the new program, which replace the old ones.
 */
void samples_fork(struct samples *samples, int32_t pid, int32_t parent, uint64_t time_ns);

/* Puts the directory `root` before all mapped paths: the recording may be of another machine. */
void samples_set_root(struct samples *samples, const char *root);

/* --- Call chains --------------------------------------------------------------------------- */

/*
 * The call chains of a recording: the places of threads in their program, and their callers. Equal
 * chains are stored once, so that an event holds the number of its chain and stays a value. Chains
 * are complete at the end of the input, as samples are.
 */

/*
 * A chain has two frames more than the default of the kernel (PERF_MAX_STACK_DEPTH): outer frames
 * are left out. Chains and frames beyond the two other limits are dropped.
 */
enum { CHAIN_FRAMES_MAX = 129, CHAINS_MAX = 1 << 18, CHAINS_FRAMES_MAX = 1 << 22 };

/*
 * The last but one frame of a chain if the last one is not a return address, but the function with
 * which the thread began. Call chains lose this function if it has no frame of its own.
 */
#define CHAIN_BEGAN_WITH UINT64_MAX

/*
 * A mark in a chain: frames follow it. Between the place of the thread and the mark are words from
 * the top of its stack that are addresses behind a call. They show callers without a frame, as in
 * the C library and in most programs. A word may be left from an earlier call: the first one that
 * is in the program itself is the last to be believed.
 */
#define CHAIN_FRAMES_FROM ((uint64_t)PERF_CONTEXT_USER)

/*
 * Adds CHAIN_BEGAN_WITH and the function of the thread behind `count` < CHAIN_FRAMES_MAX - 1
 * frames; 0 for the first thread of a process, which begins with main. Returns the new count.
 */
size_t chain_add_start(uint64_t *frames, size_t count, const struct sparse *routines,
		       const struct sample *sample);

/* A call chain in the memory of process `pid`, as it was when the chain was first seen. */
struct chain {
	int32_t pid;
	uint64_t time_ns;
	/* the place of the thread first, then return addresses; borrowed until a chain is added */
	const uint64_t *frames;
	size_t count;
};

/* The different chains. An empty one is all zero. */
struct chains {
	bool wanted;	    /* set before reading: without it there are no chains */
	struct map numbers; /* the numbers of chains, by process and frames */
	uint64_t *times_ns;
	size_t count, capacity;
	size_t frame_count; /* the frames of all chains */
	uint64_t dropped;   /* chains that found no room */
};

void chains_release(struct chains *chains);

/* Returns the number of this chain, from 1 on, or 0 if it has no frames or no room is left. */
uint32_t chains_add(struct chains *chains, int32_t pid, uint64_t time_ns, const uint64_t *frames,
		    size_t count);

/* Returns the chain with this number, or one without frames if there is none. */
struct chain chains_get(const struct chains *chains, uint32_t number);

#endif
