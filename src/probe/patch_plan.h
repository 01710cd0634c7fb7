/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's plan of the functions to probe, executed by the probe library: it puts a jump at
 * each entry, to code that records the entry and continues with the displaced instructions. The
 * recorder decodes the instructions (collect/patch/entry_patch.h), so that the recorded process
 * needs no decoder.
 *
 * The file: a struct plan_header; `object_count` struct plan_object; `patch_count` struct
 * plan_patch, those of an object in a row, ascending by address; `text_bytes` of texts, each with
 * its NUL.
 */
#ifndef PSCAL_PROBE_PATCH_PLAN_H
#define PSCAL_PROBE_PATCH_PLAN_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "probe/spool.h"

enum { PLAN_ARGUMENTS_MAX = 4, PLAN_COUNTERS_MAX = 4 };

#define PLAN_MAGIC 0x314e414c50534350ULL /* "PCSPLAN1", little endian */

struct plan_header {
	uint64_t magic;
	uint32_t version; /* SPOOL_VERSION */
	uint32_t room;	  /* 0: the spool is full: files get no further windows */
	/* CLOCK_MONOTONIC of the recorder's last look for events; 0: it has stopped. */
	uint64_t read_ns;
	/* The last component of the directory's path: a plan elsewhere is invalid. */
	char token[SPOOL_TOKEN];
	uint32_t every; /* record one in this many calls of a thread; 1: all */
	/* Record the stack of one in this many enters of a thread, and of the first; 0: of none. */
	uint32_t stack_every;
	uint32_t arguments; /* arguments to record of each call, 0 .. PLAN_ARGUMENTS_MAX */
	uint32_t marks;	    /* record the blocks of pscal/probe.h: 0 or 1 */
	uint32_t functions; /* record -finstrument-functions: 0 or 1 */
	uint32_t object_count, patch_count, text_bytes;
	uint32_t tasks; /* record the steps of pscal/task.h: 0 or 1 */
	/*
	 * The inode of /proc/self/ns/pid; 0: not known. In another namespace, threads have other
	 * ids than for the recorder, and nothing is recorded.
	 */
	uint64_t pid_namespace;
	/* The events counted in tasks, for perf_event_open(). */
	uint32_t counter_count, unused;
	struct perf_event_attr counters[PLAN_COUNTERS_MAX];
};

/* A program or a library, identified by device and inode; other files are left alone. */
struct plan_object {
	uint64_t device, inode, mtime_ns;
	uint32_t path; /* offset in the texts */
	uint32_t first_patch, patch_count;
	uint32_t unused;
};

enum { PLAN_MOVED_MAX = 32, PLAN_FIXUPS_MAX = 4 };

/*
 * A patch of one function. `before` is checked at `address` (a virtual address of the file, before
 * relocation). `moved` is equivalent code for any other place within 2 GiB. A jump of 5 bytes
 * overwrites the entry, of which `length` bytes are replaced and never run there; execution
 * continues at `address + length`.
 */
struct plan_patch {
	uint64_t address;
	/*
	 * The virtual address of the function, which is recorded; an endbr64 there stays in place,
	 * so that `address` may be 4 higher.
	 */
	uint64_t block;
	uint32_t name; /* offset in the texts */
	uint8_t length, moved_length;
	uint8_t fixup_count;
	uint8_t unused;
	/*
	 * Displacements of 4 bytes in `moved` that are relative to the instruction's end: the
	 * target is the virtual address `fixups[].target`.
	 */
	struct {
		uint64_t target;
		/* Offsets in `moved`: of the displacement, and of the instruction's end. */
		uint8_t at, end;
		uint8_t unused[6];
	} fixups[PLAN_FIXUPS_MAX];
	uint8_t before[PLAN_MOVED_MAX], moved[PLAN_MOVED_MAX];
};

#endif
