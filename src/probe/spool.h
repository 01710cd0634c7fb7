/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the probe library, inside of a process that is watched, hands over what it sees to the
 * recorder outside. The recorder makes a directory for it, the spool, and names it in the
 * environment (SPOOL_ENVIRONMENT). In it each thread of each process has a file of its own, which
 * it maps and which nobody else writes; the recorder reads along.
 *
 *	plan            what to do to functions, from the recorder; see patch_plan.h
 *	PID-TID-N       events of a thread; N counts up from 0 over the programs that PID has run
 *			by exec, and where a thread id is used again
 *	program-PID-N   nothing: the library has begun in a program that was exec'ed
 *	maps-PID-N      /proc/PID/maps, whenever the library has looked
 *	names-PID-N     lines "ADDRESS NAME" of blocks that no symbol names: those of pscal/probe.h,
 *			and places of pscal/task.h, "FUNCTION FILE:LINE"
 *	trouble-PID-N   a sentence a line: what the library could not do
 *
 * Where the recorder is root, processes may become somebody else: then everybody may make files in
 * the directory who knows its name, which cannot be guessed. Who knows it is who has it in his
 * environment, and who may look there. A process that has become somebody else has a second file
 * of each kind, whose name ends in SPOOL_LATER.
 *
 * A file of events begins with a struct spool_header, and behind SPOOL_HEADER_BYTES are windows of
 * SPOOL_WINDOW bytes. The thread fills one after the other; which of the file's windows is its
 * number W the header tells (`windows`). What the recorder has read it fills with zeros again and
 * says so (`taken`), and so the thread uses the same memory over and over, while it is in the
 * caches; the file grows only where the recorder is late, and room is reserved on the disk then:
 * where there is none left, the thread stops recording, and says in the header so.
 *
 * Who reads holds an exclusive lock on the directory (flock). Where nobody does, as the recorder
 * has been killed, no file is made and none grows any more.
 *
 * In windows are records of 16 bytes: a head, and behind that its values, two in each. First of an
 * event its head's word is written, of the kind SPOOL_NONE; then all else; then its word as it is
 * to be. Where a word is zero or of SPOOL_NONE, the event is not there so far, or has been cut: by
 * a crash, or by a signal handler that has jumped elsewhere. So neither side takes a lock, and what
 * a process has written is there however it ends. An event does not cross the end of a
 * window: there stands a SPOOL_PAD instead, with the values that it would have had, and behind what
 * that takes, in the next window, goes on what follows.
 */
#ifndef PSCAL_PROBE_SPOOL_H
#define PSCAL_PROBE_SPOOL_H

#include <stdint.h>

#define SPOOL_ENVIRONMENT "PSCAL_SPOOL"
#define SPOOL_MAGIC	  0x314c4f4f50534350ULL /* "PCSPOOL1" */

#define SPOOL_LATER "-later"

/* Raised with each change here or in patch_plan.h: both sides refuse another one. */
enum { SPOOL_VERSION = 4 };

enum {
	SPOOL_HEADER_BYTES = 1 << 16,
	SPOOL_WINDOW = 1 << 18,
	SPOOL_WINDOWS = 15360,	/* that a file has at most: 3.75 GiB */
	SPOOL_VALUES_MAX = 126, /* of an event */
	SPOOL_STACK_MAX = 64,	/* frames of a SPOOL_STACK */
	SPOOL_PATH_MAX = 512,	/* of the spool, its NUL included */
};

enum spool_clock {
	SPOOL_TSC,	 /* the time stamp counter, where it is invariant (CPUID 80000007h EDX 8) */
	SPOOL_MONOTONIC, /* CLOCK_MONOTONIC in ns, which is that of our recordings */
};

struct spool_header {
	uint64_t magic;
	uint32_t version;
	uint32_t clock;	     /* enum spool_clock */
	int32_t pid, tid;    /* as the process sees them itself */
	uint32_t every;	     /* one in so many calls is recorded; 1: all */
	uint32_t arguments;  /* how many are recorded of a call */
	uint64_t begin_time; /* in its clock */
	uint64_t image;
	uint64_t full;	       /* events that were not written, as there was no room; 0: none */
	uint32_t ended;	       /* 1: the thread has ended: nothing will follow */
	uint32_t window_count; /* in the file */
	uint64_t turned; /* windows that the thread has come to: those before this are there */
	uint64_t taken;	 /* by the recorder: all windows before this number are of zeros again */
	uint32_t windows[SPOOL_WINDOWS]; /* [W % SPOOL_WINDOWS]: which of the file's is number W */
};

/*
 * A block is the address of what was entered: of a function, or of a struct pscal_block; of a
 * SPOOL_TASK or SPOOL_COUNTED that of a struct pscal_site, or else any address of code. All
 * addresses are those of the process (48 bits).
 */
enum spool_kind {
	SPOOL_NONE,  /* not written so far; the block is 1 */
	SPOOL_ENTER, /* values: its first arguments, as they are in registers */
	SPOOL_LEAVE, /* value, if arguments are recorded: the register for what it returns */
	SPOOL_MARK,  /* a moment; values: as given */
	SPOOL_STACK, /* of the SPOOL_ENTER behind it: where calls return to, the innermost first */
	SPOOL_PAD,   /* nothing */
	SPOOL_TASK,  /* a step of a task (pscal/task.h), see below */
	SPOOL_COUNTED, /* the same, and behind its values what the thread has counted so far */
	SPOOL_KINDS,
};

struct spool_record {
	uint64_t time; /* in the clock of the file; never less than that of the one before, but for
			  what a signal handler did in between */
	uint64_t word; /* the block in bits 0-47, enum spool_kind in 48-55, values in 56-63 */
};

static inline uint64_t spool_word(enum spool_kind kind, uint64_t block, unsigned values)
{
	return (block & 0xffffffffffff) | (uint64_t)kind << 48 | (uint64_t)values << 56;
}

static inline uint64_t spool_block(uint64_t word)
{
	return word & 0xffffffffffff;
}

static inline enum spool_kind spool_kind(uint64_t word)
{
	return (enum spool_kind)(word >> 48 & 0xff);
}

static inline unsigned spool_values(uint64_t word)
{
	return (unsigned)(word >> 56);
}

/*
 * Values of a SPOOL_TASK. The first one is spool_task_value(). Of a BEGIN follow the parent, 0 if
 * it has none, and the index; of SPAWN and SYNC_OF the index of the child; of SYNC 1 if it is for
 * what is below the children, too, else 0. Behind those of a SPOOL_COUNTED is what each of the
 * plan's counters says, UINT64_MAX where that is not known: at the end of what is done at a step
 * that starts a block, at the beginning of one that ends it.
 */
static inline uint64_t spool_task_value(unsigned step, uint64_t task)
{
	return (task & 0xffffffffffffff) | (uint64_t)step << 56;
}

static inline unsigned spool_task_step(uint64_t value)
{
	return (unsigned)(value >> 56);
}

static inline uint64_t spool_task(uint64_t value)
{
	return value & 0xffffffffffffff;
}

/* How many these are without counters; steps are those of pscal/task.h. */
static inline unsigned spool_step_values(unsigned step)
{
	return step == 1 ? 3 : step == 3 || step == 5 || step == 6 ? 2 : 1;
}

/* Records that an event takes, its head included. */
static inline unsigned spool_records(unsigned values)
{
	return 1 + (values + 1) / 2;
}

#endif
