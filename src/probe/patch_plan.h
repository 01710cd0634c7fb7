/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's plan of the functions to probe, executed by the probe library: it puts a jump at
 * each entry, to code that records the entry and continues with the displaced instructions. The
 * recorder decodes the instructions (collect/patch/entry_patch.h), so that the recorded process
 * needs no decoder.
 *
 * The file: a struct plan_header; `object_count` struct plan_object; `patch_count` struct
 * plan_patch, those of an object next to one another and in the order of their addresses;
 * `text_bytes` of texts, each with its NUL.
 */
#ifndef PSCAL_PROBE_PATCH_PLAN_H
#define PSCAL_PROBE_PATCH_PLAN_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "probe/spool.h"

enum { PLAN_ARGUMENTS_MAX = 4, PLAN_COUNTERS_MAX = 4 };

#define PLAN_MAGIC 0x314e414c50534350ULL /* "PSCPLAN1" */

struct plan_header {
	uint64_t magic;
	uint32_t version; /* SPOOL_VERSION */
	uint32_t room;	  /* 0: the spool is full: files take no further window */
	/* CLOCK_MONOTONIC when the recorder has last looked for events; 0: it does so no more. */
	uint64_t read_ns;
	/* The last component of the directory's path: a plan at another place is none. */
	char token[SPOOL_TOKEN];
	uint32_t every;	      /* record one in so many calls of a thread; 1: all */
	uint32_t stack_every; /* the stack of each so-many'th enter of a thread, its first included;
				 0: of none */
	uint32_t arguments;   /* to record of each call, 0 .. PLAN_ARGUMENTS_MAX */
	uint32_t marks;	      /* record the blocks of pscal/probe.h: 0 or 1 */
	uint32_t functions;   /* record -finstrument-functions: 0 or 1 */
	uint32_t object_count, patch_count, text_bytes;
	uint32_t tasks; /* record the steps of pscal/task.h: 0 or 1 */
	/*
	 * The inode of /proc/self/ns/pid; 0: not known. In another one threads have other ids than
	 * the recorder sees, and nothing is recorded.
	 */
	uint64_t pid_namespace;
	/* The events counted in tasks, as perf_event_open() takes them. */
	uint32_t counter_count, unused;
	struct perf_event_attr counters[PLAN_COUNTERS_MAX];
};

/* A program or a library; another file than that, by device and inode, is left alone. */
struct plan_object {
	uint64_t device, inode, mtime_ns;
	uint32_t path; /* where in the texts */
	uint32_t first_patch, patch_count;
	uint32_t unused;
};

enum { PLAN_MOVED_MAX = 32, PLAN_FIXUPS_MAX = 4 };

/*
 * One function. At `address` (a virtual address of the file: what is added when it is loaded comes
 * on top) stand `before`, which are checked before anything is done, and `moved` does the same at
 * any other place within 2 GiB: `length` bytes of the entry are overwritten with a jump of 5 bytes
 * and what follows is never run there, and execution goes on at `address + length`.
 */
struct plan_patch {
	uint64_t address;
	uint64_t block; /* the virtual address of the function: what is recorded; an endbr64 there
			   is left in place, so that `address` may be 4 higher */
	uint32_t name;	/* where in the texts */
	uint8_t length, moved_length;
	uint8_t fixup_count;
	uint8_t unused;
	/*
	 * Displacements of 4 bytes in `moved` that are relative to the instruction's end: the
	 * target is the virtual address `fixups[].target`.
	 */
	struct {
		uint64_t target;
		uint8_t at, end; /* bytes in `moved`: where it is, where its instruction ends */
		uint8_t unused[6];
	} fixups[PLAN_FIXUPS_MAX];
	uint8_t before[PLAN_MOVED_MAX], moved[PLAN_MOVED_MAX];
};

#endif
